//! Large zeroed memory that the system provides page by page; a failed allocation does not end the program.

#![expect(
    unsafe_code,
    reason = "the standard library has no allocation that may be refused and is zeroed by the system"
)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Deref;
use std::ptr::NonNull;

/// Types for which all-zero bytes are a valid value and which need no drop.
///
/// # Safety
/// Both must hold for the implementing type.
pub unsafe trait Zeroable {}

/// Size of large pages on most systems, and a multiple of all small page sizes.
const LARGE_PAGE: usize = 2 << 20;

/// A slice of zeroed values. Pages that are never written take no memory.
#[derive(Debug)]
pub struct ZeroedSlice<T: Zeroable> {
    start: NonNull<T>,
    length: usize,
    /// The allocation, which starts less than one alignment before the values.
    block: NonNull<u8>,
    layout: Layout,
}

impl<T: Zeroable> ZeroedSlice<T> {
    /// Allocates `length` values (at least one); `None` if the system refuses the memory or the size overflows.
    pub fn try_new(length: usize) -> Option<ZeroedSlice<T>> {
        let length = length.max(1);
        let values = Layout::array::<T>(length).ok()?;
        if values.size() == 0 {
            return None;
        }
        let least = if values.size() >= LARGE_PAGE { LARGE_PAGE } else { 1 };
        let alignment = values.align().max(least);
        // With a high alignment the allocator would zero the memory by writing to it, so the block is aligned here.
        let layout = Layout::from_size_align(values.size().checked_add(alignment)?, 8).ok()?;
        // SAFETY: the layout is not of size zero.
        let block = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        // SAFETY: the offset is less than the alignment, by which the block is longer than the values.
        let start = unsafe { block.add(block.align_offset(alignment)) }.cast();
        Some(ZeroedSlice { start, length, block, layout })
    }
}

/// Asks for large pages where they lie wholly within the values and are untouched yet. They make random access faster, but
/// the first touch of each zeroes the whole page: for values that will be written one after the other.
#[cfg(target_os = "linux")]
pub fn prefer_large_pages<T>(values: &[T]) {
    use rustix::mm::{Advice, madvise};
    let start = values.as_ptr().cast_mut().cast::<u8>();
    let before = start.align_offset(LARGE_PAGE);
    let whole = size_of_val(values).saturating_sub(before) / LARGE_PAGE * LARGE_PAGE;
    if whole > 0 {
        // SAFETY: the pages belong to the values, and the advice changes no contents. A system without large pages refuses it.
        let _ = unsafe { madvise(start.wrapping_add(before).cast(), whole, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
pub fn prefer_large_pages<T>(_values: &[T]) {}

impl<T: Zeroable> Deref for ZeroedSlice<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `start` points to `length` values that are valid because all-zero bytes are, and lives as long as self.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<T: Zeroable> Drop for ZeroedSlice<T> {
    fn drop(&mut self) {
        // SAFETY: allocated in `try_new` with this very layout; `Zeroable` types need no drop.
        unsafe { dealloc(self.block.as_ptr(), self.layout) }
    }
}

// SAFETY: the slice owns its values and gives out shared references only, as a `Box<[T]>` would.
unsafe impl<T: Zeroable + Send> Send for ZeroedSlice<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroable + Sync> Sync for ZeroedSlice<T> {}

/// Headroom in bytes that shrinkable allocations leave for the others.
pub const SPARE: usize = 16 << 20;

/// Whether the system would now grant this many bytes in one piece. They are not touched.
pub fn is_available(bytes: usize) -> bool {
    let mut memory: Vec<u8> = Vec::new();
    let is_granted = memory.try_reserve_exact(bytes).is_ok();
    // The compiler may remove an unused allocation.
    std::hint::black_box(&memory);
    is_granted
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Cell(AtomicU64);
    // SAFETY: an atomic integer may be zero and needs no drop.
    unsafe impl Zeroable for Cell {}

    #[test]
    fn behaves_as_a_vector_of_zeros() {
        let slice = ZeroedSlice::<Cell>::try_new(1000).unwrap();
        let twin: Vec<u64> = vec![0; 1000];
        assert!(slice.iter().map(|cell| cell.0.load(Ordering::Relaxed)).eq(twin));
        slice[999].0.store(5, Ordering::Relaxed);
        assert_eq!(slice[999].0.load(Ordering::Relaxed), 5);
        for absurd in [usize::MAX, 1 << 58] {
            // Without the black box the compiler may drop the unused allocation and call it a success.
            assert!(std::hint::black_box(ZeroedSlice::<Cell>::try_new(absurd)).is_none());
        }
    }

    #[test]
    fn what_is_available_is_known() {
        assert!(is_available(1) && is_available(1 << 20));
        assert!(!is_available(usize::MAX) && !is_available(1 << 58));
    }

    #[test]
    fn values_are_aligned() {
        #[repr(align(128))]
        struct Wide(AtomicU64);
        // SAFETY: an atomic integer may be zero and needs no drop.
        unsafe impl Zeroable for Wide {}
        for length in [1, 3, 1000, (LARGE_PAGE >> 7) + 1] {
            let slice = ZeroedSlice::<Wide>::try_new(length).unwrap();
            assert!(slice.as_ptr().is_aligned());
            assert_eq!((slice.len(), slice[length - 1].0.load(Ordering::Relaxed)), (length, 0));
        }
    }

    /// How many bytes of these values have memory behind them, in whole pages. The use of the whole process would not tell: other
    /// tests take and give back memory meanwhile.
    #[cfg(target_os = "linux")]
    fn backed<T>(values: &[T]) -> usize {
        use std::os::unix::fs::FileExt;
        /// Set for pages in memory and for pages in the swap space.
        const IN_USE: u64 = 0b11 << 62;
        let page = rustix::param::page_size();
        let mut entries = vec![0; size_of_val(values) / page * 8];
        let map = std::fs::File::open("/proc/self/pagemap").unwrap();
        map.read_exact_at(&mut entries, (values.as_ptr().addr() / page * 8) as u64).unwrap();
        let entries =
            entries.chunks_exact(8).map(|entry| u64::from_ne_bytes(entry.try_into().unwrap()));
        entries.filter(|entry| entry & IN_USE != 0).count() * page
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn untouched_pages_take_no_memory() {
        #[repr(align(128))]
        struct Wide([AtomicU64; 16]);
        // SAFETY: atomic integers may be zero and need no drop.
        unsafe impl Zeroable for Wide {}
        const SIZE: usize = 256 << 20;
        let slice = ZeroedSlice::<Wide>::try_new(SIZE >> 7).unwrap();
        assert_eq!(backed(&slice), 0);
        slice[slice.len() / 2].0[0].store(1, Ordering::Relaxed);
        assert!((1..=LARGE_PAGE).contains(&backed(&slice)));
        for wide in slice.iter().step_by(32) {
            wide.0[0].store(1, Ordering::Relaxed);
        }
        assert_eq!(backed(&slice), SIZE);
    }
}

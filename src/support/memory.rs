//! Large zeroed memory that the system hands out page by page, and that may be refused without ending the program.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Deref;
use std::ptr::NonNull;

/// Types for which all-zero bytes are a valid value and which need no drop.
///
/// # Safety
/// Both must hold for the implementing type.
pub unsafe trait Zeroable {}

/// A slice of zeroed values. Pages that are never written take no memory.
#[derive(Debug)]
pub struct ZeroedSlice<T: Zeroable> {
    start: NonNull<T>,
    length: usize,
}

impl<T: Zeroable> ZeroedSlice<T> {
    /// Allocates `length` values (at least one); `None` if the system refuses the memory or the size overflows.
    pub fn try_new(length: usize) -> Option<ZeroedSlice<T>> {
        let length = length.max(1);
        let layout = Layout::array::<T>(length).ok()?;
        if layout.size() == 0 {
            return None;
        }
        // SAFETY: the layout is not of size zero.
        let start = unsafe { alloc_zeroed(layout) };
        NonNull::new(start.cast()).map(|start| ZeroedSlice { start, length })
    }
}

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
        if let Ok(layout) = Layout::array::<T>(self.length) {
            // SAFETY: allocated in `try_new` with this very layout; `Zeroable` types need no drop.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) }
        }
    }
}

// SAFETY: the slice owns its values and gives out shared references only, as a `Box<[T]>` would.
unsafe impl<T: Zeroable + Send> Send for ZeroedSlice<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroable + Sync> Sync for ZeroedSlice<T> {}

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
}

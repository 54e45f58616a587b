//! Files mapped into memory, for those that are too large to be read whole.

#![expect(unsafe_code, reason = "the standard library maps no files")]

use memmap2::{Mmap, MmapAsRawDesc};

/// A file mapped read-only.
#[derive(Debug)]
pub struct Mapped(Mmap);

impl Mapped {
    /// Maps a file that is only ever replaced as a whole, never changed in place: a file that gets shorter would end the program.
    /// `None` if the system refuses.
    pub fn new(file: impl MmapAsRawDesc) -> Option<Mapped> {
        // SAFETY: by the rule above nobody changes the bytes; whoever reads them trusts none that he has not checked.
        unsafe { Mmap::map(file) }.ok().map(Mapped)
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapped_file_is_the_file_as_read() {
        let path = std::env::temp_dir().join(format!("othellier-mapped-{}", std::process::id()));
        let bytes: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        std::fs::write(&path, &bytes).unwrap();
        let mapped = Mapped::new(&std::fs::File::open(&path).unwrap()).unwrap();
        // The file may go; its contents stay until the mapping ends.
        std::fs::remove_file(&path).unwrap();
        assert_eq!(mapped.as_ref(), bytes);
    }
}

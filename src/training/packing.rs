//! Weights files packed as small as they go, for those that are built into the program.

use crate::evaluation::weights::File;

/// The strongest level of zstd below those that it calls ultra.
const LEVEL: i32 = 19;

/// The bytes of a file, and the checksum in them. Takes several seconds, [`File::pack`] less than one.
pub fn pack(file: &File) -> (Vec<u8>, u64) {
    file.pack_by(|plain| {
        let level = structured_zstd::encoding::CompressionLevel::Level(LEVEL);
        structured_zstd::encoding::compress_slice_to_vec(plain, level)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::EMBEDDED;

    #[test]
    fn packing_loses_nothing() {
        let mut file = File::unpack(EMBEDDED).unwrap();
        // A part of the numbers is enough here, and quicker.
        let n = file.numbers.len() / 16;
        file.numbers[n..].fill(0);
        let (bytes, _) = pack(&file);
        assert_eq!(File::unpack(&bytes).unwrap(), file);
        assert!(bytes.len() < file.pack().0.len());
    }
}

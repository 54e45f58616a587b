//! A checksum against damage: FNV-1a with 64 bits (Fowler, Noll, Vo 1991).

#[derive(Clone, Copy, Debug)]
pub struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Checksum {
        Checksum::new()
    }
}

impl Checksum {
    pub const fn new() -> Checksum {
        Checksum(0xCBF2_9CE4_8422_2325)
    }

    pub fn of(bytes: &[u8]) -> Checksum {
        let mut sum = Checksum::new();
        sum.add(bytes);
        sum
    }

    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        }
    }

    pub const fn value(self) -> u64 {
        self.0
    }
}

/// 16 hexadecimal digits.
impl std::fmt::Display for Checksum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

pub fn checksum(bytes: &[u8]) -> u64 {
    Checksum::of(bytes).value()
}

/// Adds the checksum of all that is there.
#[cfg(feature = "training")]
pub fn seal(bytes: &mut Vec<u8>) {
    bytes.extend(checksum(bytes).to_le_bytes());
}

/// What stands before the checksum; `None` if that does not fit.
#[cfg(feature = "training")]
pub fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let (content, sum) = bytes.split_last_chunk()?;
    (checksum(content) == u64::from_le_bytes(*sum)).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_authors() {
        // From the test vectors in the reference implementation.
        for (text, expected) in [
            ("", 0xCBF2_9CE4_8422_2325),
            ("a", 0xAF63_DC4C_8601_EC8C),
            ("foobar", 0x8594_4171_F739_67E8),
        ] {
            assert_eq!(checksum(text.as_bytes()), expected, "{text}");
        }
    }
}

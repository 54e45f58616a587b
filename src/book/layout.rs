//! The bytes of a book file. All numbers are little-endian.
//!
//! | offset | size | what |
//! |---|---|---|
//! | 0 | 8 | `OTHBOOK` and a line end |
//! | 8 | 4 | version, 1 |
//! | 12 | 4 | size of a record, 32 |
//! | 16 | 8 | number of the last journal frame that is contained |
//! | 24 | 8 | number of fingerprints of games |
//! | 32 | 4 | 1 if there are counts of games, else 0 |
//! | 48 | 61 x 8 | number of positions with 4, 5 ... 64 discs |
//! | 4092 | 4 | CRC-32 of the 4092 bytes before |
//! | 4096 | 32 each | records, by number of discs, then by player, then by opponent |
//! | then | 12 each | for each record games won, drawn and lost, u32 each, if there are counts |
//! | then | 8 each | fingerprints of the games, ascending |
//! | then | 4 each | CRC-32 of each 64 KiB from byte 4096 on, the last piece may be shorter |
//!
//! Everything else in the header is zero. A record:
//!
//! | offset | type | what |
//! |---|---|---|
//! | 0 | u64 | discs of the side to move, bit 0 = a1 |
//! | 8 | u64 | discs of the other side |
//! | 16 | i16 | value in 1/128 disc; -32768 if there is none |
//! | 18 | i16 | score of the leaf |
//! | 20 | i8, i8 | bounds of the value in discs |
//! | 22 | u8 | square of the leaf, a1 = 0; 255 if there is none |
//! | 23 | u8 | plies searched |
//! | 24 | u8 | confidence in percent |
//! | 25 | u8 | origin: 0 another program's book, 1 search, 2 person |
//! | 26 | 2 | zero |
//! | 28 | u32 | lines |

use super::entry::{Entry, Leaf, Origin, Value};
use crate::board::{Board, Square};
use crate::search::Selectivity;

/// Bytes of a record.
pub const RECORD: usize = 32;

/// Bytes of the counts of games of a record.
pub const COUNTS: usize = 12;

/// Bytes of the header.
pub const HEADER: usize = 4096;

/// Bytes that share a checksum.
pub const BLOCK: usize = 1 << 16;

/// Number of sections: one for each number of discs from 4 to 64.
pub const N_SECTIONS: usize = 61;

const MAGIC: &[u8; 8] = b"OTHBOOK\n";
const VERSION: u32 = 1;
const NO_VALUE: i16 = i16::MIN;
const NO_SQUARE: u8 = 255;

/// Why bytes are no book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// It begins with something else.
    #[error("not a book of this program")]
    Foreign,
    /// The version is not one that is known.
    #[error("a book of version {0}; this program knows version {VERSION} only")]
    Version(u32),
    /// The checksum of the header is wrong, or it describes no possible book.
    #[error("the header is damaged")]
    Header,
    /// The file has another length than the header says.
    #[error("{found} bytes instead of {expected}: the file is cut off or something was appended")]
    Length {
        /// Bytes according to the header.
        expected: u64,
        /// Bytes in the file.
        found: u64,
    },
    /// Blocks do not fit their checksums.
    #[error("{0} of {1} blocks of 64 KiB are damaged")]
    Blocks(usize, usize),
    /// This many records are invalid or out of order.
    #[error("{0} records are damaged")]
    Records(usize),
}

/// The header of a book file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Number of the last journal frame that is contained.
    pub sequence: u64,
    /// Number of fingerprints.
    pub n_fingerprints: u64,
    /// Whether there are counts of games.
    pub has_counts: bool,
    /// Number of records by section.
    pub n_records: [u64; N_SECTIONS],
}

impl Header {
    /// Number of all records; `None` on overflow.
    fn total(&self) -> Option<u64> {
        self.n_records.iter().try_fold(0u64, |sum, n| sum.checked_add(*n))
    }

    /// Length in bytes of the data between the header and the checksums, and of the checksums; `None` on overflow.
    pub fn lengths(&self) -> Option<[u64; 2]> {
        let size = RECORD + if self.has_counts { COUNTS } else { 0 };
        let records = self.total()?.checked_mul(size as u64)?;
        let data = records.checked_add(self.n_fingerprints.checked_mul(8)?)?;
        Some([data, data.div_ceil(BLOCK as u64).checked_mul(4)?])
    }

    /// The bytes.
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(RECORD as u32).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.n_fingerprints.to_le_bytes());
        bytes[32..36].copy_from_slice(&u32::from(self.has_counts).to_le_bytes());
        for (at, n) in bytes[48..].chunks_exact_mut(8).zip(self.n_records) {
            at.copy_from_slice(&n.to_le_bytes());
        }
        let checksum = crc32fast::hash(&bytes[..HEADER - 4]);
        bytes[HEADER - 4..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header of a file of this length, which it must fit.
    pub fn read(bytes: &[u8], found: u64) -> Result<Header, BookError> {
        if bytes.len() < 12 || bytes[..8] != *MAGIC {
            return Err(BookError::Foreign);
        }
        let version = u32_at(bytes, 8);
        if version != VERSION {
            return Err(BookError::Version(version));
        }
        let header =
            bytes.get(..HEADER).ok_or(BookError::Length { expected: HEADER as u64, found })?;
        let mut n_records = [0; N_SECTIONS];
        for (section, n) in n_records.iter_mut().enumerate() {
            *n = u64_at(header, 48 + 8 * section);
        }
        let read = Header {
            sequence: u64_at(header, 16),
            n_fingerprints: u64_at(header, 24),
            has_counts: u32_at(header, 32) == 1,
            n_records,
        };
        if read.to_bytes()[..] != *header {
            return Err(BookError::Header);
        }
        let length = |[data, sums]: [u64; 2]| (HEADER as u64).checked_add(data)?.checked_add(sums);
        let expected = read.lengths().and_then(length).ok_or(BookError::Header)?;
        if expected == found { Ok(read) } else { Err(BookError::Length { expected, found }) }
    }
}

/// The bytes of a record.
pub fn write_record(entry: &Entry) -> [u8; RECORD] {
    let mut bytes = [0; RECORD];
    bytes[..8].copy_from_slice(&entry.board.player.to_le_bytes());
    bytes[8..16].copy_from_slice(&entry.board.opponent.to_le_bytes());
    bytes[16..18].copy_from_slice(&NO_VALUE.to_le_bytes());
    if let Some(value) = entry.value {
        bytes[16..18].copy_from_slice(&value.score.to_le_bytes());
        bytes[20..22].copy_from_slice(&[value.lower as u8, value.upper as u8]);
    }
    bytes[22] = NO_SQUARE;
    if let Some(leaf) = entry.leaf {
        bytes[18..20].copy_from_slice(&leaf.score.to_le_bytes());
        bytes[22] = leaf.square.index() as u8;
        bytes[23] = leaf.depth;
        bytes[24] = leaf.selectivity.percent() as u8;
        bytes[25] = leaf.origin as u8;
    }
    bytes[28..].copy_from_slice(&entry.lines.to_le_bytes());
    bytes
}

/// Reads a record, without its counts of games; `None` if it is invalid.
pub fn read_record(bytes: &[u8; RECORD]) -> Option<Entry> {
    let score = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let value = match score(16) {
        NO_VALUE if bytes[20..22] != [0; 2] => return None,
        NO_VALUE => None,
        score => Some(Value { score, lower: bytes[20] as i8, upper: bytes[21] as i8 }),
    };
    let leaf = match bytes[22] {
        // Unused fields are zero.
        NO_SQUARE if bytes[18..20] != [0; 2] || bytes[23..26] != [0; 3] => return None,
        NO_SQUARE => None,
        square => {
            let percent = u32::from(bytes[24]);
            let selectivity = Selectivity::from_percent(percent);
            if selectivity.percent() != percent {
                return None;
            }
            Some(Leaf {
                square: Square::new(square)?,
                score: score(18),
                depth: bytes[23],
                selectivity,
                origin: *Origin::ALL.get(usize::from(bytes[25]))?,
            })
        }
    };
    let entry =
        Entry { board: board_at(bytes, 0), leaf, games: [0; 3], value, lines: u32_at(bytes, 28) };
    (entry.is_sound() && bytes[26..28] == [0; 2]).then_some(entry)
}

/// The bytes of counts of games.
pub fn write_counts(games: [u32; 3]) -> [u8; COUNTS] {
    let mut bytes = [0; COUNTS];
    for (at, n) in bytes.chunks_exact_mut(4).zip(games) {
        at.copy_from_slice(&n.to_le_bytes());
    }
    bytes
}

/// Reads counts of games.
pub fn read_counts(bytes: &[u8]) -> [u32; 3] {
    [0, 4, 8].map(|at| u32_at(bytes, at))
}

/// The board at an offset.
pub fn board_at(bytes: &[u8], at: usize) -> Board {
    Board { player: u64_at(bytes, at), opponent: u64_at(bytes, at + 8) }
}

/// The number at an offset.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(number)
}

/// The number at an offset.
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

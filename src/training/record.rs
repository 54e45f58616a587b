//! Files of labeled positions: 24 bytes each, little-endian, append-only.
//!
//! | bytes | content |
//! |---|---|
//! | 0-7 | discs of the side to move; bit 0 is a1, bit 63 is h8 |
//! | 8-15 | discs of the opponent |
//! | 16-17 | value found by the search, signed, in 1/128 disc for the side to move |
//! | 18 | result of the game in discs, signed, for the side to move |
//! | 19 | discs on the board less four |
//! | 20 | flags: 1 first position after the opening, 2 value and result are proven, 4 last position of its game |
//! | 21-23 | checksum of the bytes before: the lowest 24 bits of FNV-1a |
//!
//! The records of a game are consecutive, and the last one is flagged. A file that ends within a game was cut by a kill;
//! [`complete_games`] finds where to resume.

use crate::board::Board;
use crate::score::{MAX, Score};
use crate::support::checksum::checksum;

pub const SIZE: usize = 24;

/// Bytes of a record that its checksum covers.
const SUMMED: usize = 21;

pub const FIRST: u8 = 1;
pub const PROVEN: u8 = 2;
pub const LAST: u8 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub board: Board,
    pub score: Score,
    /// Result of the game in discs for the side to move, -64 to 64.
    pub result: i8,
    /// [`FIRST`], [`PROVEN`], [`LAST`].
    pub flags: u8,
}

impl Record {
    pub const fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub fn to_bytes(self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..8].copy_from_slice(&self.board.player.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.board.opponent.to_le_bytes());
        let score = self.score.clamp(-MAX, MAX) as i16;
        bytes[16..18].copy_from_slice(&score.to_le_bytes());
        bytes[18] = self.result.to_le_bytes()[0];
        bytes[19] = 60_u32.saturating_sub(self.board.n_empties()) as u8;
        bytes[20] = self.flags;
        let sum = checksum(&bytes[..SUMMED]).to_le_bytes();
        bytes[SUMMED..].copy_from_slice(&sum[..SIZE - SUMMED]);
        bytes
    }

    /// Reads a record; `None` if the bytes are invalid.
    pub fn from_bytes(bytes: &[u8; SIZE]) -> Option<Record> {
        let word = |at: usize| bytes[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
        let board = Board { player: word(0), opponent: word(8) };
        let record = Record {
            board,
            score: Score::from(i16::from_le_bytes([bytes[16], bytes[17]])),
            result: i8::from_le_bytes([bytes[18]]),
            flags: bytes[20],
        };
        // The side to move has a legal move, which takes discs of both colors.
        let is_sound = board.player & board.opponent == 0
            && board.player != 0
            && board.opponent != 0
            && (-64..=64).contains(&record.result)
            && record.to_bytes() == *bytes;
        is_sound.then_some(record)
    }
}

/// The number of complete games at the start of a file's bytes, and their length; what a kill leaves of a game may follow. `None` if
/// records follow damage.
pub fn complete_games(bytes: &[u8]) -> Option<(u64, usize)> {
    let (mut games, mut end) = (0, 0);
    let mut records = bytes.as_chunks::<SIZE>().0.iter().map(Record::from_bytes);
    for (index, record) in records.by_ref().map_while(|record| record).enumerate() {
        if record.is(LAST) {
            games += 1;
            end = (index + 1) * SIZE;
        }
    }
    records.flatten().next().is_none().then_some((games, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(flags: u8) -> Record {
        Record { board: Board::START, score: -300, result: -12, flags }
    }

    #[test]
    fn records_come_back() {
        for record in [record(0), Record { score: MAX, result: 64, ..record(FIRST | PROVEN) }] {
            assert_eq!(Record::from_bytes(&record.to_bytes()), Some(record));
        }
    }

    #[test]
    fn what_is_no_record_is_refused() {
        let good = record(0).to_bytes();
        let of = |player, opponent, result| Record {
            board: Board { player, opponent },
            result,
            ..record(0)
        };
        for bad in [of(3, 2, 0), of(0, 2, 0), of(2, 0, 0), of(1, 2, 65), of(1, 2, -65)] {
            assert_eq!(Record::from_bytes(&bad.to_bytes()), None, "{bad:?}");
        }
        // Any flipped bit; and no checksum, as in files of earlier versions.
        for bit in 0..8 * SIZE {
            let mut bytes = good;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::from_bytes(&bytes), None, "bit {bit}");
        }
        let mut old = good;
        old[SUMMED..].fill(0);
        assert_eq!(Record::from_bytes(&old), None);
        for bytes in [[0; SIZE], [b' '; SIZE], [0xFF; SIZE]] {
            assert_eq!(Record::from_bytes(&bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_cut_game_is_left_out() {
        let mut bytes = Vec::new();
        for flags in [0, LAST, 0, 0, LAST, 0] {
            bytes.extend(record(flags).to_bytes());
        }
        assert_eq!(complete_games(&bytes), Some((2, 5 * SIZE)));
        bytes.extend([1, 2, 3]);
        assert_eq!(complete_games(&bytes), Some((2, 5 * SIZE)));
        bytes[5 * SIZE + 22] = 9;
        assert_eq!(complete_games(&bytes), Some((2, 5 * SIZE)));
        // No kill leaves damage before whole records.
        bytes[2 * SIZE + 22] = 9;
        assert_eq!(complete_games(&bytes), None);
        assert_eq!(complete_games(&[]), Some((0, 0)));
    }
}

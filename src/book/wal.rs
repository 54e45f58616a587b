//! The write-ahead log (journal) of a book: the changes since the file was written, in frames that are only appended.
//!
//! | offset | type | what |
//! |---|---|---|
//! | 0 | 8 bytes | `OTHBLOG` and a line end |
//!
//! then frames:
//!
//! | offset | type | what |
//! |---|---|---|
//! | 0 | u32 | length of the changes in bytes, 1 to 1,048,576 |
//! | 4 | u32 | CRC-32 of the frame from offset 8 on |
//! | 8 | u64 | number of the frame, one more than that of the frame before |
//! | 16 | | changes |
//!
//! A change is a kind (u8) and its data: 1, a position (record and counts of games, as in [`super::layout`]); 2, the
//! fingerprint of a game (u64); 3, the board of a removed position (two u64). All numbers are little-endian. A torn or
//! damaged frame has no effect; a frame whose changes the book file already contains is skipped.

use super::entry::Entry;
use super::layout::{
    COUNTS, RECORD, board_at, read_counts, read_record, u32_at, u64_at, write_counts, write_record,
};
use crate::board::Board;

/// The first bytes of a journal.
pub const MAGIC: &[u8; 8] = b"OTHBLOG\n";

/// Bytes of a frame before its changes.
const FRAME: usize = 16;

/// The most bytes that the changes of a frame take.
const MAX_LENGTH: usize = 1 << 20;

/// A change of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Adds or replaces a position.
    Put(Entry),
    /// Counts the game with this fingerprint.
    Game(u64),
    /// Removes a position.
    Remove(Board),
}

impl Change {
    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Change::Put(entry) => {
                bytes.push(1);
                bytes.extend(write_record(entry));
                bytes.extend(write_counts(entry.games));
            }
            Change::Game(fingerprint) => {
                bytes.push(2);
                bytes.extend(fingerprint.to_le_bytes());
            }
            Change::Remove(board) => {
                bytes.push(3);
                bytes.extend(board.player.to_le_bytes());
                bytes.extend(board.opponent.to_le_bytes());
            }
        }
    }

    /// Reads a change and returns it with the bytes after it; `None` if the bytes are no change.
    fn read(bytes: &[u8]) -> Option<(Change, &[u8])> {
        let (kind, bytes) = bytes.split_first()?;
        let length = match kind {
            1 => RECORD + COUNTS,
            2 => 8,
            3 => 16,
            _ => return None,
        };
        let (body, rest) = bytes.split_at_checked(length)?;
        let change = match kind {
            1 => {
                let (record, counts) = body.split_first_chunk::<RECORD>()?;
                Change::Put(Entry { games: read_counts(counts), ..read_record(record)? })
            }
            2 => Change::Game(u64_at(body, 0)),
            _ => Change::Remove(board_at(body, 0)),
        };
        Some((change, rest))
    }
}

/// Encodes a frame of at least one change and at most 1 MiB of changes.
pub fn frame(number: u64, changes: &[Change]) -> Vec<u8> {
    let mut bytes = vec![0; FRAME];
    changes.iter().for_each(|change| change.write(&mut bytes));
    let length = bytes.len() - FRAME;
    debug_assert!((1..=MAX_LENGTH).contains(&length));
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[8..]);
    bytes[..4].copy_from_slice(&(length as u32).to_le_bytes());
    bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Why bytes are no journal of a book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalError {
    /// It begins with something else.
    #[error("not a journal of a book")]
    Foreign,
    /// Sound frames follow damaged bytes: the offset of the damage, and the number of these frames.
    #[error("the journal is damaged from byte {0} on, and {1} sound frames follow")]
    Damaged(usize, usize),
    /// It continues a later state of the book than the file has: frames between them are missing.
    #[error(
        "the journal belongs to another file: it goes on from frame {journal}, the file ends with {file}"
    )]
    Gap {
        /// Number of the frame before the first one of the journal.
        journal: u64,
        /// Number of the last frame that the file contains.
        file: u64,
    },
}

/// The contents of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wal {
    /// The changes since the file was written, in order.
    pub changes: Vec<Change>,
    /// Number of the last frame in the journal or the file, whichever is later.
    pub sequence: u64,
    /// Length of the magic and the whole frames in bytes; an unfinished frame may follow.
    pub whole: usize,
}

impl Wal {
    /// Reads the journal of a book file that contains all frames up to `sequence`. An unfinished frame at the end is left out.
    pub fn read(bytes: &[u8], sequence: u64) -> Result<Wal, WalError> {
        let mut journal = Wal { sequence, ..Wal::default() };
        let Some(magic) = bytes.get(..MAGIC.len()) else {
            // A kill while the journal was created leaves a part of the magic.
            return if MAGIC.starts_with(bytes) { Ok(journal) } else { Err(WalError::Foreign) };
        };
        if magic != MAGIC {
            return Err(WalError::Foreign);
        }
        journal.whole = MAGIC.len();
        let mut last = None;
        while let Some((number, changes, length)) = read_frame(&bytes[journal.whole..]) {
            if last.is_some_and(|last: u64| last.checked_add(1) != Some(number)) {
                break;
            }
            if last.is_none() && number > sequence.saturating_add(1) {
                return Err(WalError::Gap { journal: number - 1, file: sequence });
            }
            last = Some(number);
            if number > journal.sequence {
                journal.sequence = number;
                journal.changes.extend(changes);
            }
            journal.whole += length;
        }
        let rest = &bytes[journal.whole..];
        match salvage(rest).1 {
            0 => Ok(journal),
            n_frames => Err(WalError::Damaged(journal.whole, n_frames)),
        }
    }
}

/// The changes of all sound frames among damaged bytes, whatever their numbers, and how many such frames there are.
pub fn salvage(bytes: &[u8]) -> (Vec<Change>, usize) {
    let (mut all, mut n_frames, mut at) = (Vec::new(), 0, 0);
    while at + FRAME < bytes.len() {
        match read_frame(&bytes[at..]) {
            Some((_, changes, length)) => {
                all.extend(changes);
                n_frames += 1;
                at += length;
            }
            None => at += 1,
        }
    }
    (all, n_frames)
}

/// Decodes the frame at the start of the bytes: its number, its changes, its length in bytes.
fn read_frame(bytes: &[u8]) -> Option<(u64, Vec<Change>, usize)> {
    if bytes.len() <= FRAME {
        return None;
    }
    let length = u32_at(bytes, 0) as usize;
    // The kind of the first change is checked too: this rejects most non-frames before a checksum is computed.
    if !(1..=MAX_LENGTH).contains(&length) || !(1..=3).contains(&bytes[FRAME]) {
        return None;
    }
    let end = FRAME + length;
    if crc32fast::hash(bytes.get(8..end)?) != u32_at(bytes, 4) {
        return None;
    }
    let mut changes = Vec::new();
    let mut rest = &bytes[FRAME..end];
    while !rest.is_empty() {
        let (change, after) = Change::read(rest)?;
        changes.push(change);
        rest = after;
    }
    Some((u64_at(bytes, 8), changes, end))
}

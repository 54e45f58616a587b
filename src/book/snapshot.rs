//! A book file in memory, read where it lies: nothing is decoded before it is asked for.
//!
//! Opening looks at the header and the length only. A block's checksum is compared when the block is first read, so that a
//! damaged one is never mistaken for positions.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::entry::{Entry, n_discs};
use super::layout::{
    BLOCK, BookError, COUNTS, HEADER, Header, N_SECTIONS, RECORD, board_at, read_counts,
    read_record, u32_at, u64_at,
};
use super::sections::{FIRST_DISCS, Sections};
use crate::board::Board;

/// The bytes of a file, in memory or mapped.
pub type Bytes = Box<dyn AsRef<[u8]> + Send + Sync>;

/// A book file.
pub struct Snapshot {
    bytes: Bytes,
    header: Header,
    /// Number of the first record of each section, and of all records.
    starts: [usize; N_SECTIONS + 1],
    /// What is known of each block.
    blocks: Box<[AtomicU8]>,
}

const UNREAD: u8 = 0;
const SOUND: u8 = 1;
const DAMAGED: u8 = 2;

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("n_records", &self.n_positions()).finish_non_exhaustive()
    }
}

impl Snapshot {
    /// Takes the bytes of a whole file.
    ///
    /// # Errors
    /// If they are no book, one of another version, cut off, or the header is damaged.
    pub fn new(bytes: Bytes) -> Result<Snapshot, BookError> {
        let header = Header::read((*bytes).as_ref())?;
        // The length of the file bounds all numbers.
        let mut starts = [0; N_SECTIONS + 1];
        for section in 0..N_SECTIONS {
            starts[section + 1] = starts[section] + header.n_records[section] as usize;
        }
        let n_blocks = header.lengths().map_or(0, |[_, sums]| sums as usize / 4);
        let blocks = (0..n_blocks).map(|_| AtomicU8::new(UNREAD)).collect();
        Ok(Snapshot { bytes, header, starts, blocks })
    }

    /// Number of positions.
    pub fn n_positions(&self) -> usize {
        self.starts[N_SECTIONS]
    }

    /// Number of the last journal frame that is contained.
    pub fn sequence(&self) -> u64 {
        self.header.sequence
    }

    /// Finds a position by the least of its images. What stands in a damaged block is not found.
    pub fn find(&self, board: Board) -> Option<Entry> {
        let section = n_discs(board).checked_sub(FIRST_DISCS)? as usize;
        let (mut low, mut high) = (self.starts[section], self.starts[section + 1]);
        while low < high {
            // Three reads that do not wait for each other take as long as one where most of a book is in no cache.
            let quarter = (high - low) / 4;
            let places = [1, 2, 3].map(|n| low + n * quarter);
            let boards =
                places.map(|at| self.data(at * RECORD, RECORD).map(|data| board_at(data, 0)));
            let width = high - low;
            for (at, here) in places.into_iter().zip(boards) {
                match here.map(|here| here.cmp(&board)) {
                    Some(std::cmp::Ordering::Less) => low = at + 1,
                    Some(std::cmp::Ordering::Greater) => {
                        high = at;
                        break;
                    }
                    Some(std::cmp::Ordering::Equal) => return self.entry(at),
                    None => {}
                }
            }
            if high - low == width {
                return None;
            }
        }
        None
    }

    /// Whether a game is counted.
    pub fn has_game(&self, fingerprint: u64) -> bool {
        let (mut low, mut high) = (0, self.header.n_fingerprints as usize);
        while low < high {
            let middle = low.midpoint(high);
            match self.fingerprint(middle).map(|here| here.cmp(&fingerprint)) {
                Some(std::cmp::Ordering::Less) => low = middle + 1,
                Some(std::cmp::Ordering::Greater) => high = middle,
                Some(std::cmp::Ordering::Equal) => return true,
                None => return false,
            }
        }
        false
    }

    /// All positions and games.
    ///
    /// # Errors
    /// If anything is damaged.
    pub fn sections(&self) -> Result<Sections, BookError> {
        let (sections, lost) = self.salvage();
        lost.map_or(Ok(sections), Err)
    }

    /// All positions and games that are sound, and what is not.
    pub fn salvage(&self) -> (Sections, Option<BookError>) {
        let n_damaged = (0..self.blocks.len()).filter(|&block| !self.is_sound(block)).count();
        let entries = || (0..self.n_positions()).filter_map(|at| self.entry(at));
        let in_order = Sections::in_order(entries(), &self.header.n_records);
        let is_in_order = in_order.is_some();
        let mut sections = in_order.unwrap_or_else(|| Sections::new(entries()));
        let n_entries = sections.len();
        let n_fingerprints = self.header.n_fingerprints as usize;
        sections.fingerprints = (0..n_fingerprints).filter_map(|at| self.fingerprint(at)).collect();
        sections.fingerprints.sort_unstable();
        let lost = if n_damaged > 0 {
            Some(BookError::Blocks(n_damaged, self.blocks.len()))
        } else if !is_in_order || n_entries < self.n_positions() {
            Some(BookError::Records((self.n_positions() - n_entries).max(1)))
        } else {
            None
        };
        (sections, lost)
    }

    /// The record of that number, with its games.
    fn entry(&self, number: usize) -> Option<Entry> {
        let record = self.data(number * RECORD, RECORD)?;
        let mut entry = read_record(record.try_into().ok()?)?;
        if self.header.has_counts {
            let at = self.n_positions() * RECORD + number * COUNTS;
            entry.games = read_counts(self.data(at, COUNTS)?);
        }
        // A record among those with another number of discs would be found nowhere.
        let section = (n_discs(entry.board) - FIRST_DISCS) as usize;
        let is_here = (self.starts[section]..self.starts[section + 1]).contains(&number);
        is_here.then_some(entry)
    }

    fn fingerprint(&self, number: usize) -> Option<u64> {
        let size = RECORD + if self.header.has_counts { COUNTS } else { 0 };
        Some(u64_at(self.data(self.n_positions() * size + 8 * number, 8)?, 0))
    }

    /// Bytes behind the header; `None` if a block of theirs is damaged.
    fn data(&self, at: usize, length: usize) -> Option<&[u8]> {
        let blocks = at / BLOCK..=(at + length - 1) / BLOCK;
        for block in blocks {
            if !self.is_sound(block) {
                return None;
            }
        }
        (*self.bytes).as_ref().get(HEADER + at..HEADER + at + length)
    }

    /// Whether a block fits its checksum.
    fn is_sound(&self, block: usize) -> bool {
        match self.blocks[block].load(Relaxed) {
            UNREAD => {
                let bytes: &[u8] = (*self.bytes).as_ref();
                let sums = bytes.len() - 4 * self.blocks.len();
                let start = HEADER + block * BLOCK;
                let contents = &bytes[start..sums.min(start + BLOCK)];
                let is_sound = crc32fast::hash(contents) == u32_at(bytes, sums + 4 * block);
                self.blocks[block].store(if is_sound { SOUND } else { DAMAGED }, Relaxed);
                is_sound
            }
            known => known == SOUND,
        }
    }
}

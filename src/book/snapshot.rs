//! A book file, of which each block is read on first use.
//!
//! Opening reads only the header and the checksums. A block is compared with its checksum when it is first read, and then
//! kept in memory. So a file that is overwritten in place or cut off in the meantime never yields wrong positions.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::entry::{Entry, n_discs};
use super::layout::{
    BLOCK, BookError, COUNTS, HEADER, Header, N_SECTIONS, RECORD, board_at, read_counts,
    read_record, u32_at, u64_at,
};
use super::sections::{FIRST_DISCS, Sections};
use crate::board::Board;

/// Fills a buffer with the bytes of a file from an offset on; `false` if they cannot be read.
pub type Fetch = Box<dyn Fn(&mut [u8], u64) -> bool + Send + Sync>;

/// Bytes that are read when they are first asked for; `None` if they are damaged.
type Block = OnceLock<Option<Box<[u8]>>>;

/// A book file.
pub struct Snapshot {
    fetch: Option<Fetch>,
    header: Header,
    /// Index of the first record of each section; the last element is the number of all records.
    starts: [usize; N_SECTIONS + 1],
    /// Bytes between the header and the checksums.
    length: usize,
    /// The checksum of each block.
    sums: Box<[u8]>,
    blocks: Box<[Block]>,
    n_damaged: AtomicUsize,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("n_records", &self.n_positions()).finish_non_exhaustive()
    }
}

impl Snapshot {
    /// A file of this length, to be read when something is looked up.
    pub fn new(length: u64, fetch: Fetch) -> Result<Snapshot, BookError> {
        let mut head = vec![0; length.min(HEADER as u64) as usize];
        if !fetch(&mut head, 0) {
            return Err(BookError::Header);
        }
        let header = Header::read(&head, length)?;
        // `Header::read` has checked the numbers against the length of the file, so they fit.
        let mut starts = [0; N_SECTIONS + 1];
        for section in 0..N_SECTIONS {
            starts[section + 1] = starts[section] + header.n_records[section] as usize;
        }
        let [length, n_sums] = header.lengths().unwrap_or_default();
        let mut sums = vec![0; n_sums as usize].into_boxed_slice();
        if !fetch(&mut sums, HEADER as u64 + length) {
            return Err(BookError::Header);
        }
        let blocks = (0..sums.len() / 4).map(|_| OnceLock::new()).collect();
        let (length, n_damaged) = (length as usize, AtomicUsize::new(0));
        Ok(Snapshot { fetch: Some(fetch), header, starts, length, sums, blocks, n_damaged })
    }

    /// As [`Snapshot::new`], but reads all blocks at once and drops `fetch`.
    pub fn whole(length: u64, fetch: Fetch) -> Result<Snapshot, BookError> {
        let mut snapshot = Snapshot::new(length, fetch)?;
        for number in 0..snapshot.blocks.len() {
            snapshot.block(number);
        }
        snapshot.fetch = None;
        Ok(snapshot)
    }

    /// A file in memory.
    pub fn of(bytes: Vec<u8>) -> Result<Snapshot, BookError> {
        let length = bytes.len() as u64;
        let fetch = move |piece: &mut [u8], at: u64| {
            let found = bytes.get(at as usize..).and_then(|rest| rest.get(..piece.len()));
            found.map(|found| piece.copy_from_slice(found)).is_some()
        };
        Snapshot::whole(length, Box::new(fetch))
    }

    /// The positions at the start of a file that was cut off, and the number of its last journal frame; fails for a file that is not too
    /// short. The checksums stood at its end, so a record counts if it is possible, stands in its section, and follows the one before.
    pub fn salvage_cut(bytes: &[u8]) -> Result<(Sections, u64), BookError> {
        let found = bytes.len() as u64;
        let expected = match Header::read(bytes, found) {
            Err(BookError::Length { expected, found })
                if expected > found && found > HEADER as u64 =>
            {
                expected
            }
            Err(error) => return Err(error),
            Ok(_) => return Err(BookError::Length { expected: found, found }),
        };
        let header = Header::read(bytes, expected)?;
        let sections = (0..N_SECTIONS).flat_map(|section| {
            std::iter::repeat_n(section as u32, header.n_records[section] as usize)
        });
        let mut kept: Vec<Entry> = Vec::new();
        for (record, section) in bytes[HEADER..].as_chunks::<RECORD>().0.iter().zip(sections) {
            let Some(entry) = read_record(record) else { continue };
            let is_here = n_discs(entry.board) - FIRST_DISCS == section;
            let follows = kept.last().is_none_or(|last| {
                n_discs(last.board) < n_discs(entry.board) || last.board < entry.board
            });
            if is_here && follows {
                kept.push(entry);
            }
        }
        Ok((Sections::new(kept), header.sequence))
    }

    /// What is damaged, as far as it has been read.
    pub fn damage(&self) -> Option<BookError> {
        let n_damaged = self.n_damaged.load(Relaxed);
        (n_damaged > 0).then_some(BookError::Blocks(n_damaged, self.blocks.len()))
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
            // Three probes at a time: independent reads take as long as one if most of the book is in no cache.
            let quarter = (high - low) / 4;
            let places = [1, 2, 3].map(|n| low + n * quarter);
            let boards =
                places.map(|at| self.data::<16>(at * RECORD).map(|data| board_at(&data, 0)));
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

    /// All positions and games, with the values in the file; fails if anything is damaged.
    pub fn sections(&self) -> Result<Sections, BookError> {
        let (sections, lost) = self.salvage();
        lost.map_or(Ok(sections), Err)
    }

    /// All sound positions and games, and the damage if there is any.
    pub fn salvage(&self) -> (Sections, Option<BookError>) {
        let n_damaged =
            (0..self.blocks.len()).filter(|&number| self.block(number).is_none()).count();
        let entries = || (0..self.n_positions()).filter_map(|at| self.entry(at));
        let in_order = Sections::as_stored(entries(), &self.header.n_records);
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
        let mut entry = read_record(&self.data(number * RECORD)?)?;
        if self.header.has_counts {
            let at = self.n_positions() * RECORD + number * COUNTS;
            entry.games = read_counts(&self.data::<COUNTS>(at)?);
        }
        // Reject a record in the section of another number of discs, where `find` does not look for it.
        let section = (n_discs(entry.board) - FIRST_DISCS) as usize;
        let is_here = (self.starts[section]..self.starts[section + 1]).contains(&number);
        is_here.then_some(entry)
    }

    fn fingerprint(&self, number: usize) -> Option<u64> {
        let size = RECORD + if self.header.has_counts { COUNTS } else { 0 };
        Some(u64_at(&self.data::<8>(self.n_positions() * size + 8 * number)?, 0))
    }

    /// The bytes at this offset from the end of the header; `None` if a block that holds them is damaged.
    fn data<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        let mut data = [0; N];
        let mut n = 0;
        while n < N {
            let at = at + n;
            let rest = self.block(at / BLOCK)?.get(at % BLOCK..).filter(|rest| !rest.is_empty())?;
            let length = rest.len().min(N - n);
            data[n..n + length].copy_from_slice(&rest[..length]);
            n += length;
        }
        Some(data)
    }

    /// A block, if it fits its checksum.
    fn block(&self, number: usize) -> Option<&[u8]> {
        self.blocks.get(number)?.get_or_init(|| self.read_block(number)).as_deref()
    }

    fn read_block(&self, number: usize) -> Option<Box<[u8]>> {
        let start = number * BLOCK;
        let mut bytes = vec![0; BLOCK.min(self.length - start)].into_boxed_slice();
        let is_read =
            self.fetch.as_ref().is_some_and(|fetch| fetch(&mut bytes, (HEADER + start) as u64));
        if is_read && crc32fast::hash(&bytes) == u32_at(&self.sums, 4 * number) {
            return Some(bytes);
        }
        self.n_damaged.fetch_add(1, Relaxed);
        None
    }
}

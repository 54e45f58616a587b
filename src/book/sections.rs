//! A whole book in memory: its positions by number of discs, sorted, and the values that follow from the facts.
//!
//! A move adds a disc, with or without a pass after it, so the values of a section follow from those of the next, without recursion.

use std::collections::{HashMap, HashSet};

use super::entry::{After, Entry, n_discs};
use super::layout::{BLOCK, Header, N_SECTIONS, write_counts, write_record};
use super::values::{Link, better, derive, links};
use crate::board::Board;

/// Discs of the first section.
pub const FIRST_DISCS: u32 = 4;

/// The positions of a section that one thread derives.
const ALONE: usize = 10_000;

/// A whole book in memory. Its values follow from its facts: they are derived when it is made and when it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sections {
    /// Positions with 4, 5 ... 64 discs, each list sorted by board.
    rows: Vec<Vec<Entry>>,
    /// Fingerprints of the games that are counted, ascending.
    pub fingerprints: Vec<u64>,
}

impl Default for Sections {
    fn default() -> Sections {
        Sections { rows: vec![Vec::new(); N_SECTIONS], fingerprints: Vec::new() }
    }
}

impl Sections {
    /// A book of these positions. Of several entries for a position the better fact is kept and the games are added up.
    pub fn new(entries: impl IntoIterator<Item = Entry>) -> Sections {
        Sections::underived(entries).derived()
    }

    fn underived(entries: impl IntoIterator<Item = Entry>) -> Sections {
        let mut sections = Sections::default();
        for entry in entries {
            sections.rows[section(entry.board)].push(entry);
        }
        for rows in &mut sections.rows {
            rows.sort_by_key(|entry| entry.board);
            rows.dedup_by(|next, kept| {
                let is_same = next.board == kept.board;
                if is_same {
                    kept.leaf = better(kept.board, kept.leaf, next.leaf, 0);
                    kept.games = add(kept.games, next.games);
                }
                is_same
            });
        }
        sections
    }

    /// As [`Sections::new`] for positions in the order of a book, with the values that they have; `None` if they come in another
    /// order. `expected` is about the number of positions in each section, for which memory is reserved.
    pub(super) fn as_stored(
        entries: impl IntoIterator<Item = Entry>,
        expected: &[u64; N_SECTIONS],
    ) -> Option<Sections> {
        let mut sections = Sections::default();
        for (rows, n) in sections.rows.iter_mut().zip(expected) {
            rows.reserve_exact(*n as usize);
        }
        let mut last = None;
        for entry in entries {
            let key = (n_discs(entry.board), entry.board);
            if last.is_some_and(|last| last >= key) {
                return None;
            }
            last = Some(key);
            sections.rows[section(entry.board)].push(entry);
        }
        Some(sections)
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All positions, those with few discs first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.rows.iter().flatten()
    }

    /// The positions by number of discs, from 4 on.
    pub fn by_discs(&self) -> &[Vec<Entry>] {
        &self.rows
    }

    /// Finds a position by the least of its images.
    pub fn find(&self, board: Board) -> Option<Entry> {
        self.get(board).copied()
    }

    fn get(&self, board: Board) -> Option<&Entry> {
        let rows = self.rows.get(section(board))?;
        rows.binary_search_by_key(&board, |entry| entry.board).ok().map(|at| &rows[at])
    }

    /// The same book with each position as `change` returns it, and without those that it refuses. Boards must stay.
    #[must_use]
    pub fn map(&self, mut change: impl FnMut(Entry) -> Option<Entry>) -> Sections {
        let fingerprints = self.fingerprints.clone();
        let keep = |rows: &Vec<Entry>| rows.iter().copied().filter_map(&mut change).collect();
        Sections { rows: self.rows.iter().map(keep).collect(), fingerprints }.derived()
    }

    /// The links of a board.
    pub fn links(&self, board: Board) -> Vec<Link> {
        links(board, |child| self.find(child))
    }

    /// The same book with values that follow from its facts, whatever those in a file were.
    #[must_use]
    pub fn derived(mut self) -> Sections {
        self.derive();
        self
    }

    /// Derives all values and lines anew, those of a large section by all cores.
    fn derive(&mut self) {
        for index in (0..N_SECTIONS).rev() {
            let (rows, later) = self.rows.split_at_mut(index + 1);
            let next: &[Entry] = later.first().map_or(&[], Vec::as_slice);
            let rows = &mut rows[index];
            let find = |board: Board| {
                let at = next.binary_search_by_key(&board, |entry| entry.board).ok()?;
                Some(next[at])
            };
            let renew = |rows: &mut [Entry]| {
                for entry in rows {
                    let derived = derive(entry.board, entry.leaf, &links(entry.board, find));
                    (entry.value, entry.lines) = (derived.value, derived.lines);
                }
            };
            // An engine that unpacks its book starts no threads for it.
            if rows.len() <= ALONE {
                renew(rows);
                continue;
            }
            let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
            let share = rows.len().div_ceil(n_threads);
            std::thread::scope(|scope| {
                for part in rows.chunks_mut(share) {
                    scope.spawn(|| renew(part));
                }
            });
        }
    }

    /// All positions of these books, each with its best fact. Games of books that share none are added up; of books that share games,
    /// or may do so because they do not name them, each position keeps the highest count; returns whether there are such books. The order
    /// of the books does not matter.
    pub fn union(books: &[Sections]) -> (Sections, bool) {
        let all = books.iter().flat_map(Sections::iter);
        let mut merged = Sections::underived(all.map(|entry| Entry::new(entry.board)));
        let groups = groups(books);
        let mut most = vec![[0; 3]; books.len()];
        for rows in 0..N_SECTIONS {
            for at in 0..merged.rows[rows].len() {
                let board = merged.rows[rows][at].board;
                let linked = board
                    .moves()
                    .filter(|&square| match After::play(board, square).board() {
                        None => true,
                        Some(child) => merged.get(child).is_some(),
                    })
                    .fold(0, |all, square| all | square.bit());
                most.fill([0; 3]);
                let entry = &mut merged.rows[rows][at];
                for (book, &group) in books.iter().zip(&groups) {
                    let Some(Entry { leaf, games, .. }) = book.find(board) else { continue };
                    entry.leaf = better(board, entry.leaf, leaf, linked);
                    let total = |n: [u32; 3]| (n.map(u64::from).iter().sum::<u64>(), n);
                    if total(games) > total(most[group]) {
                        most[group] = games;
                    }
                }
                entry.games = most.iter().copied().fold([0; 3], add);
            }
        }
        let prints = books.iter().flat_map(|book| &book.fingerprints);
        merged.fingerprints = prints.copied().collect();
        merged.fingerprints.sort_unstable();
        merged.fingerprints.dedup();
        let n_groups = groups.into_iter().collect::<HashSet<_>>().len();
        (merged.derived(), n_groups < books.len())
    }

    /// Passes the bytes of the file to `put`, one piece after the other, until an error of `put`.
    pub fn write<E>(
        &self,
        sequence: u64,
        mut put: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut n_records = [0; N_SECTIONS];
        for (n, rows) in n_records.iter_mut().zip(&self.rows) {
            *n = rows.len() as u64;
        }
        let header = Header {
            sequence,
            n_fingerprints: self.fingerprints.len() as u64,
            has_counts: self.iter().any(|entry| entry.games != [0; 3]),
            n_records,
        };
        put(&header.to_bytes())?;
        let mut block = Vec::with_capacity(BLOCK + 64);
        let mut sums = Vec::new();
        let mut add = |piece: &[u8]| {
            block.extend_from_slice(piece);
            if block.len() >= BLOCK {
                sums.extend(crc32fast::hash(&block[..BLOCK]).to_le_bytes());
                put(&block[..BLOCK])?;
                block.drain(..BLOCK);
            }
            Ok(())
        };
        for entry in self.iter() {
            add(&write_record(entry))?;
        }
        if header.has_counts {
            for entry in self.iter() {
                add(&write_counts(entry.games))?;
            }
        }
        for print in &self.fingerprints {
            add(&print.to_le_bytes())?;
        }
        if !block.is_empty() {
            sums.extend(crc32fast::hash(&block).to_le_bytes());
            put(&block)?;
        }
        put(&sums)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self, sequence: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let written: Result<(), std::convert::Infallible> = self.write(sequence, |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        });
        let Ok(()) = written;
        bytes
    }
}

/// A number for each book, the same for those that share games, or may do so.
fn groups(books: &[Sections]) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..books.len()).collect();
    let mut join = |a: usize, b: usize| {
        let (a, b) = (groups[a], groups[b]);
        groups.iter_mut().filter(|group| **group == b).for_each(|group| *group = a);
    };
    let with_games = |book: &Sections| book.iter().any(|entry| entry.games != [0; 3]);
    let counted: Vec<usize> = (0..books.len()).filter(|&n| with_games(&books[n])).collect();
    if counted.iter().any(|&n| books[n].fingerprints.is_empty()) {
        counted.windows(2).for_each(|pair| join(pair[0], pair[1]));
    }
    let mut first = HashMap::new();
    for (n, book) in books.iter().enumerate() {
        for print in &book.fingerprints {
            join(*first.entry(print).or_insert(n), n);
        }
    }
    groups
}

/// The section of a board with 4 discs or more.
fn section(board: Board) -> usize {
    (n_discs(board).max(FIRST_DISCS) - FIRST_DISCS) as usize
}

fn add(a: [u32; 3], b: [u32; 3]) -> [u32; 3] {
    [0, 1, 2].map(|i| a[i].saturating_add(b[i]))
}

//! The transposition table: what earlier visits of a position found out, shared by all search threads without locks.
//!
//! An entry holds the whole board, so no two positions are ever confused. Its three words are written one by one; the
//! two words of the board are stored XORed with the third, the data word, so that an entry torn between two writers no
//! longer matches any board (Hyatt and Mann, "A lockless transposition-table implementation for parallel search", 2002).
//!
//! A table begins small and grows with what it holds, up to its size, bucket by bucket (linear hashing; Litwin, "Linear hashing: a new
//! tool for file and table addressing", 1980). So a short search stays within the processor's cache and waits for few pages of memory,
//! however large the table may become.

use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use crate::board::{Board, Move, Square, hash};
use crate::score::{INFINITE, Score};
use crate::support::cpu::prefetch;
use crate::support::memory::{Zeroable, ZeroedSlice, prefer_large_pages};

/// How thorough a hit is: plies searched, and the confidence of the forward pruning used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Draft {
    /// Plies searched below the position, 63 at most; the number of empty squares for a search to the end.
    pub depth: u8,
    /// Confidence level, higher is surer; 7 at most (see `search::Selectivity`).
    pub confidence: u8,
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtHit {
    /// The score is at least this.
    pub lower: Score,
    /// The score is at most this.
    pub upper: Score,
    /// How thorough the search was that found the bounds.
    pub draft: Draft,
    /// The best move, that of the lower bound, and another that a search called best.
    pub moves: [Option<Square>; 2],
}

impl TtHit {
    /// Whether the bounds hold for a search of this draft.
    #[inline(always)]
    pub fn covers(&self, draft: Draft) -> bool {
        self.draft.depth >= draft.depth && self.draft.confidence >= draft.confidence
    }

    fn pack(self, generation: u16) -> u64 {
        let square = |mv: Option<Square>| mv.map_or(64, |square| square.index() as u64);
        self.lower as i16 as u16 as u64
            | (self.upper as i16 as u16 as u64) << 16
            | u64::from(self.draft.depth) << 32
            | u64::from(self.draft.confidence) << 38
            | square(self.moves[0]) << 41
            | square(self.moves[1]) << 48
            | u64::from(generation) << 55
    }

    #[inline(always)]
    fn unpack(word: u64) -> TtHit {
        TtHit {
            lower: Score::from(word as i16),
            upper: Score::from((word >> 16) as i16),
            draft: Draft { depth: depth_of(word), confidence: confidence_of(word) },
            moves: [Square::new((word >> 41) as u8 & 0x7F), Square::new((word >> 48) as u8 & 0x7F)],
        }
    }
}

/// Entry generations count modulo this.
const N_GENERATIONS: u16 = 512;

/// The number of generations whose entries count; older ones are forgotten.
const MAX_GENERATIONS: u16 = N_GENERATIONS / 2;

/// Forgotten entries are wiped slice by slice, one with each new generation: all are wiped before the number of their generation is
/// used again, and no slice is large enough to make a search wait.
const N_SLICES: usize = N_GENERATIONS as usize / 2 - 1;

const fn generation_of(word: u64) -> u16 {
    (word >> 55) as u16
}

const fn depth_of(word: u64) -> u8 {
    (word >> 32) as u8 & 0x3F
}

const CONFIDENCE_BITS: u32 = 3;

const fn confidence_of(word: u64) -> u8 {
    (word >> 38) as u8 & ((1 << CONFIDENCE_BITS) - 1)
}

/// Zero is an entry for the board without discs, which no game reaches.
#[derive(Debug)]
struct Entry {
    player: AtomicU64,
    opponent: AtomicU64,
    word: AtomicU64,
}

impl Entry {
    #[inline(always)]
    fn load(&self, board: Board) -> Option<u64> {
        let word = self.word.load(Relaxed);
        (self.board(word) == board).then_some(word)
    }

    /// The board that the entry is for, if `word` is its data word.
    #[inline(always)]
    fn board(&self, word: u64) -> Board {
        Board {
            player: self.player.load(Relaxed) ^ word,
            opponent: self.opponent.load(Relaxed) ^ word,
        }
    }

    #[inline(always)]
    fn save(&self, board: Board, word: u64) {
        self.word.store(word, Relaxed);
        self.player.store(board.player ^ word, Relaxed);
        self.opponent.store(board.opponent ^ word, Relaxed);
    }

    fn wipe(&self) {
        self.save(Board { player: 0, opponent: 0 }, 0);
    }
}

const ENTRIES_PER_BUCKET: usize = 5;

/// Two cache lines: processors fetch them in pairs.
#[derive(Debug)]
#[repr(C, align(128))]
struct Bucket([Entry; ENTRIES_PER_BUCKET]);

const _: () = assert!(size_of::<Bucket>() == 128);

// SAFETY: the bucket holds atomic integers only; they may be zero and need no drop.
#[expect(unsafe_code, reason = "a promise about bytes")]
unsafe impl Zeroable for Bucket {}

/// The buckets of an empty table: 256 KiB.
const FIRST_BUCKETS: usize = 1 << 11;

/// The buckets by which a table grows at a time: less than a tenth of a millisecond's work.
const STEP: usize = 1 << 9;

/// Only one of this many new entries is counted, so that threads rarely write the shared counter.
const PER_COUNT: usize = 16;

// A table grows by more than it is filled.
const _: () = assert!(STEP >= PER_COUNT);

/// A transposition table with a maximum size. With several memory nodes (NUMA), a page lies on the node of the thread
/// that first uses it: the table of a search with many threads spreads over all nodes, that of one thread stays local.
#[derive(Debug)]
pub struct Table {
    buckets: ZeroedSlice<Bucket>,
    n_used: AtomicUsize,
    /// The most buckets that were in use at the end of a generation.
    n_once_used: usize,
    /// About one in [`PER_COUNT`] of the entries that took a free place since the table was empty.
    n_counted: AtomicUsize,
    is_growing: AtomicBool,
    generation: u16,
    /// The number of generations whose entries count, from the current one back; older ones are forgotten.
    n_generations: u16,
    /// Number of slices that may hold forgotten entries, from `next_slice` on, cyclically.
    slices_left: usize,
    next_slice: usize,
}

impl Table {
    /// A table of about `megabytes` MiB (at least one bucket); `None` if the system refuses the memory.
    pub fn try_new(megabytes: usize) -> Option<Table> {
        let n_buckets = megabytes.checked_mul(1 << 20)? / size_of::<Bucket>();
        let buckets = ZeroedSlice::try_new(n_buckets)?;
        prefer_large_pages(&buckets);
        Some(Table::of(buckets))
    }

    fn of(buckets: ZeroedSlice<Bucket>) -> Table {
        Table {
            n_used: AtomicUsize::new(buckets.len().min(FIRST_BUCKETS)),
            n_once_used: 0,
            buckets,
            n_counted: AtomicUsize::new(0),
            is_growing: AtomicBool::new(false),
            generation: 0,
            n_generations: 1,
            slices_left: 0,
            next_slice: 0,
        }
    }

    /// Makes all that is stored older, so that it gives way to new findings.
    pub fn age(&mut self) {
        if self.n_generations == MAX_GENERATIONS {
            self.slices_left = N_SLICES;
        }
        self.begin_generation((self.n_generations + 1).min(MAX_GENERATIONS));
    }

    /// Forgets everything. That takes no time, for entries of older generations no longer count from now on.
    pub fn clear(&mut self) {
        self.slices_left = N_SLICES;
        self.begin_generation(1);
        *self.n_used.get_mut() = self.buckets.len().min(FIRST_BUCKETS);
        *self.n_counted.get_mut() = 0;
    }

    /// Begins a generation, after which the last `n_generations` count, this one included.
    fn begin_generation(&mut self, n_generations: u16) {
        self.generation = (self.generation + 1) % N_GENERATIONS;
        self.n_generations = n_generations;
        self.n_once_used = self.n_once_used.max(*self.n_used.get_mut());
        if self.slices_left > 0 {
            let bound = |slice| self.n_once_used.min(self.buckets.len() * slice / N_SLICES);
            self.wipe_forgotten(bound(self.next_slice)..bound(self.next_slice + 1));
            self.next_slice = (self.next_slice + 1) % N_SLICES;
            self.slices_left -= 1;
        }
    }

    fn wipe_forgotten(&self, buckets: Range<usize>) {
        for entry in self.buckets[buckets].iter().flat_map(|bucket| &bucket.0) {
            let word = entry.word.load(Relaxed);
            if word != 0 && !self.is_current(word) {
                entry.wipe();
            }
        }
    }

    #[inline(always)]
    const fn age_of(&self, word: u64) -> u16 {
        (self.generation + N_GENERATIONS - generation_of(word)) % N_GENERATIONS
    }

    #[inline(always)]
    const fn is_current(&self, word: u64) -> bool {
        self.age_of(word) < self.n_generations
    }

    /// The bucket of a hash: its lowest bits number the buckets in use; one bit less if that one is not in use yet.
    #[inline(always)]
    fn bucket(&self, hash: u64) -> &Bucket {
        let n_used = self.n_used.load(Relaxed);
        let mask = n_used.next_power_of_two() - 1;
        let index = hash as usize & mask;
        &self.buckets[if index < n_used { index } else { index & (mask >> 1) }]
    }

    #[inline(always)]
    fn count(&self, hash: u64) {
        let n_used = self.n_used.load(Relaxed);
        let is_one = hash >> (64 - PER_COUNT.ilog2()) == 0;
        // At one entry per bucket, those to be split next hold two; at two, long searches have 5 % more nodes.
        if n_used < self.buckets.len()
            && is_one
            && PER_COUNT * self.n_counted.fetch_add(1, Relaxed) >= n_used
        {
            self.grow();
        }
    }

    /// Takes more buckets into use. Other threads may search meanwhile: at worst they miss an entry that is being moved, or store one
    /// where it will not be found.
    #[cold]
    fn grow(&self) {
        if self.is_growing.swap(true, Acquire) {
            return;
        }
        let n_used = self.n_used.load(Relaxed);
        let n_wanted = self.buckets.len().min(n_used + STEP);
        for index in n_used..n_wanted {
            self.split(index);
        }
        self.n_used.store(n_wanted, Relaxed);
        self.is_growing.store(false, Release);
    }

    /// Moves the entries that belong into a new bucket there, out of the bucket that has held them so far.
    fn split(&self, index: usize) {
        let highest = 1 << index.ilog2();
        let source = &self.buckets[index - highest];
        let mut places = self.buckets[index].0.iter();
        for entry in &source.0 {
            let word = entry.word.load(Relaxed);
            let board = entry.board(word);
            if word != 0
                && self.is_current(word)
                && hash::hash(board) as usize & highest != 0
                && let Some(place) = places.next()
            {
                place.save(board, word);
                entry.wipe();
            }
        }
    }

    /// Asks for the memory of a position's entry ahead of its use.
    #[inline(always)]
    pub fn prefetch(&self, board: Board) {
        prefetch(self.bucket(hash::hash(board)));
    }

    /// What is known of a position.
    #[inline(always)]
    pub fn probe(&self, board: Board) -> Option<TtHit> {
        let bucket = self.bucket(hash::hash(board));
        let word = bucket.0.iter().find_map(|entry| entry.load(board))?;
        self.is_current(word).then(|| TtHit::unpack(word))
    }

    /// The best moves from a board on, as far as the exact value of each position is known.
    pub fn variation(&self, mut board: Board) -> Vec<Move> {
        let mut moves = Vec::new();
        while !board.is_over() {
            let known = self.probe(board).filter(|hit| hit.lower == hit.upper);
            let best = known.and_then(|hit| hit.moves[0]).map(Move::Place);
            let mv = if board.legal_moves() == 0 { Some(Move::Pass) } else { best };
            let Some((mv, after)) = mv.and_then(|mv| Some((mv, board.play(mv)?))) else { break };
            moves.push(mv);
            board = after;
        }
        moves
    }

    /// Records that a search with the window `alpha` to `beta` returned `score` with `best` as its move.
    pub fn store(
        &self,
        board: Board,
        draft: Draft,
        (alpha, beta): (Score, Score),
        score: Score,
        best: Option<Square>,
    ) {
        let lower = if score > alpha { score } else { -INFINITE };
        let upper = if score < beta { score } else { INFINITE };
        let mut hit = TtHit { lower, upper, draft, moves: [best, None] };
        let hash = hash::hash(board);
        let bucket = self.bucket(hash);
        let mut place = &bucket.0[0];
        let mut least = (i32::MAX, 0);
        for entry in &bucket.0 {
            // A forgotten entry of the same position is ignored: places depend on entries that count alone, so that a
            // search finds the same in a cleared table as in a new one.
            if let Some(word) = entry.load(board)
                && self.is_current(word)
            {
                hit.merge(TtHit::unpack(word), self.age_of(word) == 0);
                entry.save(board, hit.pack(self.generation));
                return;
            }
            let word = entry.word.load(Relaxed);
            let worth = self.worth(word);
            if worth < least.0 {
                (least, place) = ((worth, word), entry);
            }
        }
        let (worth, replaced) = least;
        let word = hit.pack(self.generation);
        let is_less_sure = depth_of(word) == depth_of(replaced) && self.worth(word) < worth;
        if !(is_less_sure && self.age_of(replaced) == 0) {
            place.save(board, word);
        }
        if worth == i32::MIN {
            self.count(hash);
        }
    }

    /// How much an entry is worth keeping: deep ones first, of the same depth the surer ones; a generation counts as 8 plies.
    #[inline(always)]
    fn worth(&self, word: u64) -> i32 {
        if word == 0 || !self.is_current(word) {
            return i32::MIN;
        }
        let plies = i32::from(depth_of(word)) - 8 * i32::from(self.age_of(word));
        plies << CONFIDENCE_BITS | i32::from(confidence_of(word))
    }
}

impl TtHit {
    /// Joins a new hit with the older one of the same position.
    fn merge(&mut self, old: TtHit, same_generation: bool) {
        let new = *self;
        let covers = same_generation && old.covers(new.draft);
        let is_less_sure = covers && old.draft.confidence > new.draft.confidence;
        if is_less_sure {
            // It does not replace a surer one.
            (self.lower, self.upper, self.draft) = (old.lower, old.upper, old.draft);
        } else if covers || old.draft == new.draft {
            let (lower, upper) = (new.lower.max(old.lower), new.upper.min(old.upper));
            if (lower, upper) == (old.lower, old.upper) {
                // Nothing new: it stays as deep as it was.
                (self.lower, self.upper, self.draft) = (lower, upper, old.draft);
            } else if lower <= upper {
                // What a deeper search has found holds for this one as well.
                (self.lower, self.upper) = (lower, upper);
            }
            // Under forward pruning two searches may contradict each other; then the later one counts.
        }
        // The first move is that of the lower bound: what failed low names any move.
        self.moves = match (old.moves[0], new.moves[0]) {
            (known, mv) if mv.is_none() || mv == known => old.moves,
            (Some(known), mv) if is_less_sure || self.lower > new.lower => [Some(known), mv],
            (known, mv) => [mv, known],
        };
    }
}

#[cfg(test)]
mod tests;

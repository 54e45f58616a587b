//! The transposition table: what earlier visits of a position found out, shared by all search threads without locks.
//!
//! An entry holds the whole board, so no two positions are ever confused. Its three words are written one by one; the two
//! words of the board are stored XORed with the word of findings, so that an entry torn between two writers no longer
//! matches any board (Hyatt and Mann, "A lockless transposition-table implementation for parallel search", 2002).

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::board::{Board, Square, hash};
use crate::score::{INFINITE, Score};
use crate::support::cpu::prefetch;
use crate::support::memory::{Zeroable, ZeroedSlice};

/// How thorough a finding is: plies searched, and the confidence of the forward pruning used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Draft {
    /// Plies searched below the position, 63 at most; the number of empty squares for a search to the end.
    pub depth: u8,
    /// Confidence level, higher is surer; 7 at most (see `search::Selectivity`).
    pub confidence: u8,
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The score is at least this.
    pub lower: Score,
    /// The score is at most this.
    pub upper: Score,
    /// How thoroughly that was found.
    pub draft: Draft,
    /// The best move and the best one before it.
    pub moves: [Option<Square>; 2],
}

impl Finding {
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
    fn unpack(word: u64) -> Finding {
        Finding {
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
const MOST_GENERATIONS: u16 = N_GENERATIONS / 2;

/// The slices in which forgotten entries are wiped, one with each new generation: all of them before the number of their
/// generation comes again, and never enough at once to make a search wait.
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
        (self.player.load(Relaxed) ^ word == board.player
            && self.opponent.load(Relaxed) ^ word == board.opponent)
            .then_some(word)
    }

    #[inline(always)]
    fn save(&self, board: Board, word: u64) {
        self.word.store(word, Relaxed);
        self.player.store(board.player ^ word, Relaxed);
        self.opponent.store(board.opponent ^ word, Relaxed);
    }
}

/// How fast the system hands out large pages, as measured: 4 GiB in 2 seconds.
const BYTES_TOUCHED_PER_SECOND: f64 = 2e9;

const ENTRIES_PER_BUCKET: usize = 5;

/// Two cache lines: processors fetch them in pairs.
#[derive(Debug)]
#[repr(C, align(128))]
struct Bucket([Entry; ENTRIES_PER_BUCKET]);

const _: () = assert!(size_of::<Bucket>() == 128);

// SAFETY: the bucket holds atomic integers only; they may be zero and need no drop.
#[expect(unsafe_code, reason = "a promise about bytes")]
unsafe impl Zeroable for Bucket {}

/// A table of fixed size. On a machine with several memory nodes a page comes to lie on that of the thread that uses it first: the
/// table of a search with many threads spreads over all, that of one thread stays near.
#[derive(Debug)]
pub struct Table {
    buckets: ZeroedSlice<Bucket>,
    generation: u16,
    /// The number of generations whose entries count, from the current one back; older ones are forgotten.
    n_generations: u16,
    /// Slices that may hold forgotten entries, from `next_slice` on, round and round.
    slices_left: usize,
    next_slice: usize,
    /// What was last asked of the system.
    has_large_pages: AtomicBool,
}

impl Table {
    /// A table of about `megabytes` MiB (at least one bucket); `None` if the system refuses the memory.
    pub fn try_new(megabytes: usize) -> Option<Table> {
        let n_buckets = megabytes.checked_mul(1 << 20)? / size_of::<Bucket>();
        let buckets = ZeroedSlice::try_new(n_buckets)?;
        buckets.prefer_large_pages(false);
        Some(Table {
            buckets,
            generation: 0,
            n_generations: 1,
            slices_left: 0,
            next_slice: 0,
            has_large_pages: AtomicBool::new(false),
        })
    }

    /// Prepares for a search of about that time. Large pages of memory make a long search quicker, the more so the more threads there
    /// are: the first write to a small page interrupts all of them. But a search of a moment would do little else than wait for them.
    pub fn prepare(&self, time: Duration) {
        let seconds_to_touch = self.size() as f64 / BYTES_TOUCHED_PER_SECOND;
        let large = time.as_secs_f64() > 5.0 * seconds_to_touch;
        if self.has_large_pages.swap(large, Relaxed) != large {
            self.buckets.prefer_large_pages(large);
        }
    }

    /// Makes all that is stored older, so that it gives way to new findings.
    pub fn age(&mut self) {
        if self.n_generations == MOST_GENERATIONS {
            self.slices_left = N_SLICES;
        }
        self.begin_generation((self.n_generations + 1).min(MOST_GENERATIONS));
    }

    /// Forgets everything. That takes no time, for entries of older generations no longer count from now on.
    pub fn clear(&mut self) {
        self.slices_left = N_SLICES;
        self.begin_generation(1);
    }

    /// Begins a generation; with it the last `n_generations` count.
    fn begin_generation(&mut self, n_generations: u16) {
        self.generation = (self.generation + 1) % N_GENERATIONS;
        self.n_generations = n_generations;
        if self.slices_left > 0 {
            let bound = |slice| self.buckets.len() * slice / N_SLICES;
            self.wipe_forgotten(bound(self.next_slice)..bound(self.next_slice + 1));
            self.next_slice = (self.next_slice + 1) % N_SLICES;
            self.slices_left -= 1;
        }
    }

    fn wipe_forgotten(&self, buckets: Range<usize>) {
        for entry in self.buckets[buckets].iter().flat_map(|bucket| &bucket.0) {
            let word = entry.word.load(Relaxed);
            // Pages that were never used are read but not written.
            if word != 0 && !self.counts(word) {
                entry.save(Board { player: 0, opponent: 0 }, 0);
            }
        }
    }

    #[inline(always)]
    const fn age_of(&self, word: u64) -> u16 {
        (self.generation + N_GENERATIONS - generation_of(word)) % N_GENERATIONS
    }

    /// Whether an entry has not been forgotten.
    #[inline(always)]
    const fn counts(&self, word: u64) -> bool {
        self.age_of(word) < self.n_generations
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &Bucket {
        // The high half of the product spreads any hash over any number of buckets.
        let index = ((u128::from(hash) * self.buckets.len() as u128) >> 64) as usize;
        &self.buckets[index]
    }

    /// Asks for the memory of a position's entry ahead of its use.
    #[inline(always)]
    pub fn prefetch(&self, board: Board) {
        prefetch(self.bucket(hash::hash(board)));
    }

    /// What is known of a position.
    #[inline(always)]
    pub fn probe(&self, board: Board) -> Option<Finding> {
        let bucket = self.bucket(hash::hash(board));
        let word = bucket.0.iter().find_map(|entry| entry.load(board))?;
        self.counts(word).then(|| Finding::unpack(word))
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
        let mut finding = Finding { lower, upper, draft, moves: [best, None] };
        let bucket = self.bucket(hash::hash(board));
        let mut place = &bucket.0[0];
        let mut least = (i32::MAX, 0);
        for entry in &bucket.0 {
            // A forgotten entry of the same position is as good as none: places follow from what counts alone, so that a search
            // finds the same in a table that was cleared as in a new one.
            if let Some(word) = entry.load(board)
                && self.counts(word)
            {
                finding.merge(Finding::unpack(word), self.age_of(word) == 0);
                entry.save(board, finding.pack(self.generation));
                return;
            }
            let word = entry.word.load(Relaxed);
            let worth = self.worth(word);
            if worth < least.0 {
                (least, place) = ((worth, word), entry);
            }
        }
        let (worth, replaced) = least;
        let word = finding.pack(self.generation);
        let is_less_sure = depth_of(word) == depth_of(replaced) && self.worth(word) < worth;
        if !(is_less_sure && self.age_of(replaced) == 0) {
            place.save(board, word);
        }
    }

    /// How much an entry is worth keeping: deep ones first, of the same depth the surer ones; a generation counts as 8 plies.
    #[inline(always)]
    fn worth(&self, word: u64) -> i32 {
        if word == 0 || !self.counts(word) {
            return i32::MIN;
        }
        let plies = i32::from(depth_of(word)) - 8 * i32::from(self.age_of(word));
        plies << CONFIDENCE_BITS | i32::from(confidence_of(word))
    }
}

impl Finding {
    /// Joins a new finding with the older one of the same position.
    fn merge(&mut self, old: Finding, same_generation: bool) {
        if self.moves[0].is_none() {
            self.moves = old.moves;
        } else if self.moves[0] != old.moves[0] {
            self.moves[1] = old.moves[0];
        } else {
            self.moves[1] = old.moves[1];
        }
        let covers = same_generation && old.covers(self.draft);
        if covers && old.draft.confidence > self.draft.confidence {
            // What is less sure does not undo it.
            (self.lower, self.upper, self.draft) = (old.lower, old.upper, old.draft);
        } else if covers || old.draft == self.draft {
            let (lower, upper) = (self.lower.max(old.lower), self.upper.min(old.upper));
            if (lower, upper) == (old.lower, old.upper) {
                // Nothing new: it stays as deep as it was.
                (self.lower, self.upper, self.draft) = (lower, upper, old.draft);
            } else if lower <= upper {
                // What a deeper search has found holds for this one as well.
                (self.lower, self.upper) = (lower, upper);
            }
            // Under forward pruning two searches may contradict each other; then the later one counts.
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::draw::draw;
    use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

    const DRAFT: Draft = Draft { depth: 9, confidence: 5 };

    fn board(n: u64) -> Board {
        Board { player: n, opponent: !n & 0xFFFF_0000 }
    }

    #[test]
    fn bounds_come_back_and_tighten() {
        let table = Table::try_new(1).unwrap();
        let best = Square::parse(b"f5");
        assert_eq!(table.probe(board(1)), None);
        table.store(board(1), DRAFT, (0, 1), 5, best);
        let finding = table.probe(board(1)).unwrap();
        assert_eq!((finding.lower, finding.upper, finding.draft), (5, INFINITE, DRAFT));
        assert_eq!(finding.moves, [best, None]);
        table.store(board(1), DRAFT, (20, 21), 12, Square::parse(b"c4"));
        let finding = table.probe(board(1)).unwrap();
        assert_eq!((finding.lower, finding.upper), (5, 12));
        assert_eq!(finding.moves, [Square::parse(b"c4"), best]);
        // Shallower, and not better than what is known.
        let shallow = Draft { depth: 3, confidence: 5 };
        table.store(board(1), shallow, (3, 4), 4, best);
        assert_eq!(table.probe(board(1)).unwrap().draft, DRAFT);
        assert!(finding.covers(shallow) && !finding.covers(Draft { depth: 9, confidence: 6 }));
    }

    #[test]
    fn a_cleared_table_is_like_a_new_one() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut used = Table::try_new(0).unwrap();
        for _ in 0..200 {
            used.clear();
            let new = Table::try_new(0).unwrap();
            for _ in 0..30 {
                let stored = board(1 + draw(&mut random, 9));
                let depth = 5 + draw(&mut random, 2) as u8;
                for table in [&used, &new] {
                    table.store(stored, Draft { depth, ..DRAFT }, (0, 1), 5, None);
                }
                for board in (1..10).map(board) {
                    assert_eq!(used.probe(board), new.probe(board));
                }
            }
        }
    }

    #[test]
    fn new_bounds_are_kept_beside_deeper_ones() {
        let table = Table::try_new(1).unwrap();
        let found = |depth, confidence, window, score| {
            table.store(board(1), Draft { depth, confidence }, window, score, None);
            let finding = table.probe(board(1)).unwrap();
            (finding.lower, finding.upper, finding.draft.depth)
        };
        assert_eq!(found(12, 1, (0, 1), 5), (5, INFINITE, 12));
        // A search that the deeper bound did not cut, for another window.
        assert_eq!(found(10, 1, (8, 9), 7), (5, 7, 10));
        // It contradicts: the later one counts.
        assert_eq!(found(9, 1, (2, 3), 1), (-INFINITE, 1, 9));
        // What is surer and as deep stands.
        assert_eq!(found(9, 3, (0, 1), 0), (-INFINITE, 0, 9));
        assert_eq!(found(9, 1, (-5, -4), -3), (-INFINITE, 0, 9));
        assert_eq!(found(11, 1, (-5, -4), -3), (-3, INFINITE, 11));
    }

    #[test]
    fn less_sure_entries_do_not_push_out_surer_ones_of_the_same_depth() {
        let mut table = Table::try_new(0).unwrap();
        let store = |table: &Table, n, depth, confidence| {
            table.store(board(n), Draft { depth, confidence }, (0, 1), 0, None);
        };
        for n in 1..=4 {
            store(&table, n, 10, 5);
        }
        store(&table, 5, 10, 0);
        store(&table, 6, 10, 0);
        assert!(table.probe(board(5)).is_none() && table.probe(board(6)).is_some());
        store(&table, 7, 10, 5);
        assert!(table.probe(board(6)).is_none() && table.probe(board(7)).is_some());
        store(&table, 8, 10, 0);
        assert!(table.probe(board(8)).is_none());
        let n_sure = (1..=7).filter(|&n| table.probe(board(n)).is_some()).count();
        assert_eq!(n_sure, 5);
        // A deeper one does, and any one what is older.
        store(&table, 9, 11, 0);
        assert!(table.probe(board(9)).is_some());
        table.age();
        store(&table, 10, 10, 0);
        assert!(table.probe(board(10)).is_some());
    }

    #[test]
    fn negative_scores_and_missing_moves_survive_packing() {
        let finding = Finding {
            lower: -INFINITE,
            upper: -3,
            draft: Draft { depth: 60, confidence: 7 },
            moves: [None, Square::new(63)],
        };
        let word = finding.pack(N_GENERATIONS - 1);
        assert_eq!(Finding::unpack(word), finding);
        assert_eq!(generation_of(word), N_GENERATIONS - 1);
    }

    #[test]
    fn a_full_table_keeps_the_deepest_and_newest() {
        let mut table = Table::try_new(0).unwrap();
        assert_eq!(table.size(), 128);
        for n in 1..=5 {
            table.store(board(n), Draft { depth: 10 + n as u8, confidence: 5 }, (0, 1), 0, None);
        }
        table.store(board(6), Draft { depth: 20, confidence: 5 }, (0, 1), 0, None);
        assert_eq!(table.probe(board(1)), None);
        assert!(table.probe(board(2)).is_some());
        for _ in 0..3 {
            table.age();
        }
        table.store(board(7), Draft { depth: 1, confidence: 5 }, (0, 1), 0, None);
        assert!(table.probe(board(2)).is_none() && table.probe(board(6)).is_some());
        table.clear();
        assert!(table.probe(board(7)).is_none());
    }

    #[test]
    fn nothing_forgotten_comes_back() {
        let mut table = Table::try_new(0).unwrap();
        for clearing in 0..2 * i32::from(N_GENERATIONS) {
            let n = 1 + clearing as u64;
            table.store(board(n), DRAFT, (0, 1), clearing, None);
            assert!(table.probe(board(n)).is_some());
            if clearing % 3 == 0 {
                table.clear();
                assert!((1..=n).all(|n| table.probe(board(n)).is_none()), "{clearing}");
            } else {
                table.age();
                assert!(table.probe(board(n)).is_some(), "{clearing}");
            }
        }
        table.clear();
        for _ in 0..3 * N_GENERATIONS {
            table.age();
            assert!((1..2000).all(|n| table.probe(board(n)).is_none()));
        }
    }

    #[test]
    fn forgotten_entries_are_wiped_a_few_at_a_time() {
        let mut table = Table::try_new(1).unwrap();
        for n in 1..20_000 {
            table.store(board(n), DRAFT, (0, 1), 0, None);
        }
        let used = |table: &Table| {
            let words = table.buckets.iter().flat_map(|bucket| &bucket.0);
            words.filter(|entry| entry.word.load(Relaxed) != 0).count()
        };
        let most = table.buckets.len().div_ceil(N_SLICES) * ENTRIES_PER_BUCKET;
        let mut left = used(&table);
        assert!(left > 15_000);
        table.age();
        assert_eq!(used(&table), left);
        for _ in 0..N_SLICES {
            // The first one forgets them.
            if table.slices_left == 0 {
                table.clear()
            } else {
                table.age()
            }
            let now = used(&table);
            assert!(now <= left && left - now <= most, "{left} {now}");
            left = now;
        }
        assert_eq!((left, table.slices_left), (0, 0));
    }

    #[test]
    fn what_is_too_old_is_forgotten_and_does_not_come_back() {
        let mut table = Table::try_new(0).unwrap();
        table.store(board(1), DRAFT, (0, 1), 0, None);
        for age in 1..3 * N_GENERATIONS {
            table.age();
            assert_eq!(table.probe(board(1)).is_some(), age < MOST_GENERATIONS, "{age}");
        }
    }

    #[test]
    fn threads_never_read_a_torn_entry() {
        let table = Table::try_new(0).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..3u64 {
                let table = &table;
                scope.spawn(move || {
                    for n in 0..200_000u64 {
                        let board = board(1 + (n * 7 + thread) % 40);
                        let value = (board.player as Score) * 100;
                        table.store(board, DRAFT, (value - 1, value + 1), value, None);
                        if let Some(finding) = table.probe(board) {
                            assert_eq!((finding.lower, finding.upper), (value, value));
                        }
                    }
                });
            }
        });
    }
}

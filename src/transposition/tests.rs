//! Tests of the transposition table.

use super::*;
use crate::support::random::draw;
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
    let hit = table.probe(board(1)).unwrap();
    assert_eq!((hit.lower, hit.upper, hit.draft), (5, INFINITE, DRAFT));
    assert_eq!(hit.moves, [best, None]);
    table.store(board(1), DRAFT, (20, 21), 12, Square::parse(b"c4"));
    let hit = table.probe(board(1)).unwrap();
    assert_eq!((hit.lower, hit.upper), (5, 12));
    // The first move is the one that is worth the lower bound.
    assert_eq!(hit.moves, [best, Square::parse(b"c4")]);
    // Shallower, and not better than what is known.
    let shallow = Draft { depth: 3, confidence: 5 };
    table.store(board(1), shallow, (3, 4), 4, best);
    assert_eq!(table.probe(board(1)).unwrap().draft, DRAFT);
    assert!(hit.covers(shallow) && !hit.covers(Draft { depth: 9, confidence: 6 }));
}

#[test]
fn new_bounds_are_kept_beside_deeper_ones() {
    let table = Table::try_new(1).unwrap();
    let found = |depth, confidence, window, score| {
        table.store(board(1), Draft { depth, confidence }, window, score, None);
        let hit = table.probe(board(1)).unwrap();
        (hit.lower, hit.upper, hit.draft.depth)
    };
    assert_eq!(found(12, 1, (0, 1), 5), (5, INFINITE, 12));
    // A search that the deeper bound did not cut, for another window.
    assert_eq!(found(10, 1, (8, 9), 7), (5, 7, 10));
    // It contradicts: the later one counts.
    assert_eq!(found(9, 1, (2, 3), 1), (-INFINITE, 1, 9));
    // A surer result of the same depth stands.
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
    // A deeper entry does, and any entry replaces an older one.
    store(&table, 9, 11, 0);
    assert!(table.probe(board(9)).is_some());
    table.age();
    store(&table, 10, 10, 0);
    assert!(table.probe(board(10)).is_some());
}

#[test]
fn negative_scores_and_missing_moves_survive_packing() {
    let hit = TtHit {
        lower: -INFINITE,
        upper: -3,
        draft: Draft { depth: 60, confidence: 7 },
        moves: [None, Square::new(63)],
    };
    let word = hit.pack(N_GENERATIONS - 1);
    assert_eq!(TtHit::unpack(word), hit);
    assert_eq!(generation_of(word), N_GENERATIONS - 1);
}

#[test]
fn a_full_table_keeps_the_deepest_and_newest() {
    let mut table = Table::try_new(0).unwrap();
    assert_eq!(table.buckets.len(), 1);
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
        // The first round clears the table, which forgets all entries.
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
        assert_eq!(table.probe(board(1)).is_some(), age < MAX_GENERATIONS, "{age}");
    }
}

/// A different board for each number, hashed as evenly as real ones.
fn scattered(n: u64) -> Board {
    let player = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 << 63;
    Board { player, opponent: !player & n.wrapping_mul(0xD1B5_4A32_D192_ED03) }
}

#[test]
fn a_table_grows_with_what_it_holds() {
    let table = Table::try_new(4).unwrap();
    assert_eq!(table.n_used.load(Relaxed), FIRST_BUCKETS);
    let mut n_used = FIRST_BUCKETS;
    for n in 1..=24_000_u64 {
        table.store(scattered(n), DRAFT, (0, 1), n as Score % 100, None);
        let now = table.n_used.load(Relaxed);
        assert!(now == n_used || now == n_used + STEP, "{n_used} {now}");
        n_used = now;
    }
    // An entry for each bucket, or nearly so.
    assert!((22_000..26_000).contains(&n_used), "{n_used}");
    for n in (1..=24_000_u64).rev() {
        let lower = table.probe(scattered(n)).map(|hit| hit.lower);
        let score = n as Score % 100;
        assert!(lower.is_none_or(|lower| lower == if score > 0 { score } else { -INFINITE }));
    }
    let n_kept = (1..=24_000).filter(|&n| table.probe(scattered(n)).is_some()).count();
    assert!(n_kept > 23_500, "{n_kept}");
}

#[test]
fn a_table_stays_within_its_size() {
    for n_buckets in [1, 2, 3, 511, 2047, 2048, 2049, 2100, 4095, 4097, 5000] {
        let table = Table::of(ZeroedSlice::try_new(n_buckets).unwrap());
        for n in 1..=30_000_u64 {
            table.store(scattered(n), DRAFT, (0, 1), 5, None);
            assert!(table.probe(scattered(n)).is_some(), "{n_buckets} {n}");
        }
        assert_eq!(table.n_used.load(Relaxed), n_buckets);
        // Nearly all places are taken.
        let n_kept = (1..=30_000).filter(|&n| table.probe(scattered(n)).is_some()).count();
        assert!(n_kept * 10 >= n_buckets * ENTRIES_PER_BUCKET * 8, "{n_buckets} {n_kept}");
    }
}

#[test]
fn a_cleared_table_is_like_a_new_one() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    // Megabytes, rounds, boards a round in few and in most rounds, different boards.
    for (megabytes, n_rounds, many, few, n_boards) in [
        (0, 200, 30, 30, 9),
        (1, 6, 20_000, 20_000, 15_000),
        // Nothing forgotten comes back when the table grows again.
        (1, 5 * u64::from(N_GENERATIONS), 9000, 3, 12_000),
    ] {
        let mut used = Table::try_new(megabytes).unwrap();
        for round in 0..n_rounds {
            used.clear();
            let new = Table::try_new(megabytes).unwrap();
            let n = if round % 128 == 0 || round == 5 { many } else { few };
            let boards: Vec<_> =
                (0..n).map(|_| scattered(1 + draw(&mut random, n_boards))).collect();
            for &board in &boards {
                assert_eq!(used.probe(board), new.probe(board), "{round}");
                let depth = 4 + draw(&mut random, 3) as u8;
                for table in [&used, &new] {
                    table.store(board, Draft { depth, ..DRAFT }, (0, 1), 5, None);
                }
            }
            assert_eq!(used.n_used.load(Relaxed), new.n_used.load(Relaxed));
            assert!(boards.iter().all(|&board| used.probe(board) == new.probe(board)), "{round}");
        }
    }
}

#[test]
fn threads_find_what_they_stored_while_the_table_grows() {
    let table = Table::try_new(4).unwrap();
    let store_and_find = |thread: u64| {
        let entries = (thread..60_000).step_by(3).map(|n| (scattered(n), 1 + n as Score % 1000));
        let found = entries.filter(|&(board, value)| {
            table.store(board, DRAFT, (value - 1, value + 1), value, None);
            let hit = table.probe(board);
            assert!(hit.is_none_or(|hit| (hit.lower, hit.upper) == (value, value)), "{hit:?}");
            hit.is_some()
        });
        found.count()
    };
    std::thread::scope(|scope| {
        for thread in [0, 1, 2].map(|thread| scope.spawn(move || store_and_find(thread))) {
            // But for the few that another thread was about to move.
            assert!(thread.join().unwrap() > 19_000);
        }
    });
    assert!(table.n_used.load(Relaxed) > 25_000);
}

#[test]
fn an_entry_of_mixed_words_is_no_board() {
    // Threads that save at once may leave any mix of their words.
    let entry = |words: [u64; 3]| {
        let [player, opponent, word] = words.map(AtomicU64::new);
        Entry { player, opponent, word }
    };
    let saved = [(board(1), 0x1234_5678_9ABC), (board(0xF << 40), 0xFEDC_BA98)];
    let words = saved.map(|(board, word)| {
        let entry = entry([0; 3]);
        entry.save(board, word);
        assert_eq!(entry.load(board), Some(word));
        [entry.player, entry.opponent, entry.word].map(AtomicU64::into_inner)
    });
    for mix in 1..7 {
        let mixed = entry([0, 1, 2].map(|n| words[mix >> n & 1][n]));
        for (player, opponent) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let [player, opponent] = [saved[player].0.player, saved[opponent].0.opponent];
            assert_eq!(mixed.load(Board { player, opponent }), None, "{mix:03b}");
        }
    }
}

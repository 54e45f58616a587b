//! The table and the stop machinery under load: many searches on one small table, some of them stopped at any moment.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use othellier::board::{Board, Square, hash};
use othellier::evaluation::Evaluation;
use othellier::search::{Limits, Outcome, Search, Stop, Threads};
use othellier::transposition::{Draft, Table};
use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use crate::harness::samples::random_board;

fn run(board: Board, limits: &Limits, table: &Table, threads: &Threads, stop: &Stop) -> Outcome {
    let evaluation = Evaluation::embedded();
    Search { evaluation, table, threads }.run(board, limits, stop, &mut |_| {})
}

fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    (random.next_u64() % bound as u64) as usize
}

/// A search that is stopped after `wait`, by the clock or by the flag, unless it ends before.
fn run_stopped(
    board: Board,
    table: &Table,
    threads: &Threads,
    wait: Duration,
    by_flag: bool,
) -> Outcome {
    let stop = Stop::new();
    std::thread::scope(|scope| {
        if by_flag {
            scope.spawn(|| {
                std::thread::sleep(wait);
                stop.set();
            });
        } else {
            stop.set_after(wait);
        }
        run(board, &Limits::default(), table, threads, &stop)
    })
}

/// Whatever a stopped search leaves in the table must be true for other searches of the same board.
#[test]
#[ignore = "long: hundreds of searches"]
fn searches_on_one_table_stay_right_while_others_are_stopped() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (exact, never) = (Limits::default(), Stop::new());
    let n_stopped = AtomicU64::new(0);
    // The same threads serve all searches, also after stopped ones.
    let teams = [1, 2, 3].map(Threads::new);
    // How many searches are stopped before they end depends on the machine.
    let mut rounds = 0..600;
    while rounds.start < 60 || n_stopped.load(Relaxed) <= 100 {
        let Some(round) = rounds.next() else { panic!("{n_stopped:?} searches were stopped") };
        let board = random_board(16, |bound| below(&mut random, bound));
        let own = Table::try_new(1).unwrap();
        let first = run(board, &exact, &own, &teams[0], &never);
        let expected = first.best().unwrap().score;
        let most = first.elapsed.as_micros() as usize + 1;
        let table = Table::try_new(1).unwrap();
        std::thread::scope(|scope| {
            for threads in &teams[..2] {
                let (table, n_stopped) = (&table, &n_stopped);
                let mut random = Xoshiro256PlusPlus::seed_from_u64(2 * round + threads.n() as u64);
                scope.spawn(move || {
                    for _ in 0..8 {
                        // Searches are shorter when the table knows the board.
                        let most = most >> below(&mut random, 5);
                        let wait = Duration::from_micros(below(&mut random, most + 1) as u64);
                        let by_flag = below(&mut random, 2) == 0;
                        let outcome = run_stopped(board, table, threads, wait, by_flag);
                        let best = outcome.best().unwrap();
                        assert!(board.play(best.mv).is_some());
                        assert!(outcome.interrupted || best.score == expected, "{board}");
                        n_stopped.fetch_add(u64::from(outcome.interrupted), Relaxed);
                    }
                });
            }
        });
        for threads in [&teams[2], &teams[0]] {
            let outcome = run(board, &exact, &table, threads, &never);
            let best = outcome.best().unwrap();
            assert_eq!(best.score, expected, "{board}, {} threads", threads.n());
            assert!(best.is_proven() && board.play(best.mv).is_some());
        }
    }
}

/// Uses all boards of a few sets of discs, so that any two words of two boards are those of a third. What is stored for
/// a board follows from the board alone. On one core words hardly ever mix; the unit test of the table mixes them by hand.
#[test]
fn an_entry_of_mixed_words_is_never_taken_for_a_board() {
    let sets: Vec<u64> = (0..6).map(|n| 0x0101_0101 << n).collect();
    let mut boards = Vec::new();
    for &player in &sets {
        boards.extend(sets.iter().map(|&set| Board { player, opponent: set << 32 }));
    }
    let value = |board| (hash::hash(board) % 16_000) as i32 - 8000;
    let draft = |board| Draft { depth: 1 + (hash::hash(board) >> 40) as u8 % 50, confidence: 5 };
    let best = |board| Square::new((hash::hash(board) >> 50) as u8 & 63);
    let table = Table::try_new(0).unwrap();
    let n_found = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (boards, table, n_found) = (&boards, &table, &n_found);
            scope.spawn(move || {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
                for _ in 0..300_000 {
                    let board = boards[below(&mut random, boards.len())];
                    let value_of = value(board);
                    let window = (value_of - 1, value_of + 1);
                    table.store(board, draft(board), window, value_of, best(board));
                    let board = boards[below(&mut random, boards.len())];
                    if let Some(finding) = table.probe(board) {
                        assert_eq!((finding.lower, finding.upper), (value(board), value(board)));
                        assert_eq!((finding.draft, finding.moves[0]), (draft(board), best(board)));
                        n_found.fetch_add(1, Relaxed);
                    }
                }
            });
        }
    });
    assert!(n_found.load(Relaxed) > 1000, "{n_found:?} entries were found");
}

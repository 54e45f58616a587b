//! The table and the stop machinery under load: many searches on one small table, some of them stopped at any moment.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use othellier::board::Board;
use othellier::evaluation::Evaluation;
use othellier::search::{Limits, Outcome, Search, Stop, Threads};
use othellier::transposition::Table;
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

//! Tests of several threads in one tree.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use super::*;
use crate::evaluation::Evaluation;
use crate::evaluation::patterns::Features;
use crate::score::INFINITE;
use crate::search::tests::{nodes, play_out, plies, random_board};
use crate::search::{Limits, Outcome, Search, Selectivity, Stop, Threads, root};
use crate::transposition::Table;

fn table() -> Table {
    Table::try_new(4).unwrap()
}

fn run(board: Board, limits: &Limits, n_threads: usize) -> Outcome {
    let (table, stop) = (table(), Stop::new());
    let threads = &Threads::new(n_threads);
    let search = Search { evaluation: Evaluation::embedded(), table: &table, threads };
    search.run(board, limits, &stop, &mut |_| {})
}

#[test]
fn any_number_of_threads_finds_the_same_exact_scores() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    for n_empties in [14, 15, 16, 17] {
        for _ in 0..3 {
            let board = random_board(&mut random, n_empties);
            let expected = run(board, &Limits::default(), 1).best().unwrap().score;
            for n_threads in [2, 4, 7] {
                let outcome = run(board, &Limits::default(), n_threads);
                let best = outcome.best().unwrap();
                assert_eq!(best.score, expected, "{board} {n_threads}");
                assert!(best.is_proven() && !outcome.interrupted);
                let played = play_out(board, &best.pv).map(|score| score * crate::score::DISC);
                assert_eq!(played, Some(expected), "{board} {:?}", best.pv);
            }
        }
    }
}

#[test]
fn a_stop_is_obeyed_at_any_moment() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(14);
    let board = random_board(&mut random, 34);
    for milliseconds in [0, 1, 5, 20, 60, 150] {
        let (table, stop) = (table(), Stop::new());
        std::thread::scope(|scope| {
            let searching = scope.spawn(|| {
                let search = Search {
                    evaluation: Evaluation::embedded(),
                    table: &table,
                    threads: &Threads::new(4),
                };
                search.run(board, &Limits::default(), &stop, &mut |_| {})
            });
            std::thread::sleep(Duration::from_millis(milliseconds));
            stop.set();
            // A search that misses the stop goes on for hours. The numbered cases measure how soon it stops.
            let outcome = searching.join().unwrap();
            assert!(outcome.interrupted);
            assert!(board.play(outcome.best().unwrap().mv).is_some());
        });
    }
}

#[test]
fn node_limits_hold_for_all_threads_together() {
    let limits = nodes(300_000);
    let outcome = run(Board::START, &limits, 4);
    // Each thread may be on its way to its next look at the limits.
    assert!((300_000..320_000).contains(&outcome.nodes), "{}", outcome.nodes);
    assert!(outcome.interrupted);
}

#[test]
fn many_threads_survive_tiny_searches() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(15);
    for round in 0..30 {
        let board = random_board(&mut random, 50 - round);
        let limits = Limits { exact_from: 9, ..plies(1 + round % 9) };
        let outcome = run(board, &limits, 64);
        assert!(!outcome.interrupted && board.play(outcome.best().unwrap().mv).is_some());
    }
    for _ in 0..30 {
        let board = random_board(&mut random, 9);
        let scores = [1, 16].map(|n| run(board, &Limits::default(), n).best().unwrap().score);
        assert_eq!(scores[0], scores[1], "{board}");
    }
}

fn solve(searcher: &mut Searcher<'_>, board: Board) {
    let features = Features::new(board);
    searcher.pvs(board, &features, board.n_empties(), (-INFINITE, INFINITE), 0);
}

#[test]
fn the_totals_are_the_sums_of_all_threads() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(16);
    let (table, stop, limits) = (table(), Stop::new(), Limits::default());
    let threads = &Threads::new(3);
    let search = Search { evaluation: Evaluation::embedded(), table: &table, threads };
    let shared = Shared::new(search, &limits, &stop);
    let team = Team::new(3, true);
    let searcher = |number| {
        let mut searcher = Searcher::new(&shared, threads.take_tables().unwrap());
        searcher.slot = Some(Slot { team: &team, number });
        searcher
    };
    let counts = std::thread::scope(|scope| {
        let helper = |number| {
            let mut helper = searcher(number);
            helper.help_until_done();
            (helper.nodes, helper.ordering_nodes)
        };
        let helpers = [1, 2].map(|number| scope.spawn(move || helper(number)));
        let mut main = searcher(0);
        {
            let _dismissal = Dismissal { shared: &shared, team: &team, n_helpers: 2 };
            // On a busy machine a solution may be over before a helper has begun.
            while shared.nodes.load(Relaxed) == main.nodes {
                solve(&mut main, random_board(&mut random, 18));
                main.publish_counts();
            }
        }
        let [first, second] = helpers.map(|helper| helper.join().unwrap());
        [(main.nodes, main.ordering_nodes), first, second]
    });
    assert!(counts[1..].iter().any(|&(nodes, _)| nodes > 0), "{counts:?}");
    let sums = counts.iter().fold((0, 0), |sums, count| (sums.0 + count.0, sums.1 + count.1));
    assert_eq!((shared.nodes.load(Relaxed), shared.ordering_nodes.load(Relaxed)), sums);
}

#[test]
fn nobody_waits_for_help_when_the_search_is_over() {
    let (table, stop, limits) = (table(), Stop::new(), Limits::default());
    let threads = &Threads::new(3);
    let search = Search { evaluation: Evaluation::embedded(), table: &table, threads };
    let shared = Shared::new(search, &limits, &stop);
    let team = Team::new(3, false);
    for is_late in [false, true] {
        std::thread::scope(|scope| {
            let dismissal = Dismissal { shared: &shared, team: &team, n_helpers: 0 };
            let (team, shared) = (&team, &shared);
            let owner = scope.spawn(move || {
                let own = threads.take_tables().unwrap();
                let mut owner = Searcher::new(shared, own);
                owner.slot = Some(Slot { team, number: 1 });
                // The helper that was called has left before the call came.
                let split = split((0, 1), -5);
                split.announce_helper();
                if is_late {
                    std::thread::sleep(Duration::from_millis(20));
                }
                owner.wait_for_helpers(&split);
                assert!(owner.stopped && !split.is_complete());
            });
            if !is_late {
                std::thread::sleep(Duration::from_millis(20));
            }
            drop(dismissal);
            owner.join().unwrap();
        });
    }
}

#[test]
fn a_panic_in_a_helper_reaches_the_caller() {
    let board = random_board(&mut Xoshiro256PlusPlus::seed_from_u64(17), 30);
    let (table, stop, limits) = (table(), Stop::new(), Limits::default());
    let threads = &Threads::new(4);
    let search = Search { evaluation: Evaluation::embedded(), table: &table, threads };
    let shared = Shared { breaks_helpers: true, ..Shared::new(search, &limits, &stop) };
    let run = || root::run(board, shared, &mut |_| {});
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    // The threads are there for the next search.
    assert!(!search.run(board, &plies(4), &stop, &mut |_| {}).interrupted);
}

fn split(window: (Score, Score), best: Score) -> SplitPoint {
    let board = Board::START;
    let moves =
        board.moves().map(|square| Candidate { square, flips: board.flips(square), rank: 0 });
    let selectivity = Selectivity::FULL;
    let pv_ply = Some(0);
    let node =
        Node { board, features: Features::new(board), depth: 9, window, selectivity, pv_ply };
    SplitPoint::new(node, moves.collect(), (1, best), 0, None)
}

#[test]
fn each_move_is_taken_once() {
    let split = split((0, 1), -5);
    let taken = std::thread::scope(|scope| {
        let take =
            || std::iter::from_fn(|| split.take()).map(|(index, _)| index).collect::<Vec<_>>();
        let threads = [(); 3].map(|()| scope.spawn(take));
        threads.map(|thread| thread.join().unwrap()).concat()
    });
    let mut sorted = taken;
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1, 2, 3]);
    assert_eq!((split.n_left(), split.best()), (0, (-5, None)));
}

#[test]
fn the_best_result_counts_and_of_equal_ones_the_first() {
    let split = split((0, 100), -5);
    assert!(!split.enter(2, 40, 0, &[Move::Pass]));
    assert!(!split.enter(0, 40, 40, &[]) && !split.enter(1, -3, 0, &[]));
    let (score, best) = split.best();
    assert_eq!((score, best.map(|best| best.0), split.alpha()), (40, Some(2), 40));
    assert_eq!(split.result(2).unwrap().variation, [Move::Pass]);
    assert!(split.result(3).is_none() && split.take().is_some());
    assert!(split.enter(3, 100, 40, &[]));
    assert!(split.is_cut() && split.is_complete() && split.take().is_none());
}

#[test]
fn an_owner_is_claimed_once() {
    let split = split((0, 1), 0);
    assert!(split.is_complete());
    split.announce_helper();
    assert!(!split.is_complete() && !split.claim_owner());
    split.begin_waiting();
    assert!(split.owner_waits() && split.claim_owner() && !split.claim_owner());
    split.release_helper();
    assert!(split.is_complete());
}

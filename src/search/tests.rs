//! Tests of the search against plain minimax and of its behavior under limits.

use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use super::searcher::{Searcher, Shared};
use super::*;
use crate::board::tests::play_on;
use crate::board::{Move, Position};
use crate::evaluation::Evaluation;
use crate::formats::transcript;
use crate::score::{DISC, INFINITE};

/// One thread for all tests: each search takes its own tables from the list and puts them back.
static ALONE: Threads = Threads::new(1);

fn table() -> Table {
    Table::try_new(4).unwrap()
}

fn alone(table: &Table) -> Search<'_> {
    Search { evaluation: Evaluation::embedded(), table, threads: &ALONE }
}

/// A fixed depth without forward pruning.
pub(super) fn plies(depth: u32) -> Limits {
    Limits::plies(depth, Selectivity::FULL)
}

/// A limit of this many nodes alone.
pub(super) fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..plies(60) }
}

fn run(board: Board, limits: impl Into<Limits>) -> Outcome {
    alone(&table()).run(board, &limits.into(), &Stop::new(), &mut |_| {})
}

/// The result in discs by plain minimax.
fn minimax(board: Board) -> i32 {
    let mut best = None;
    for square in board.moves() {
        let score = -minimax(board.play(Move::Place(square)).unwrap());
        best = best.max(Some(score));
    }
    best.unwrap_or_else(|| {
        let passed = board.passed();
        if passed.legal_moves() == 0 { board.final_score() } else { -minimax(passed) }
    })
}

/// A position of a random game with the wanted number of empty squares.
pub(super) fn random_board(random: &mut Xoshiro256PlusPlus, n_empties: u32) -> Board {
    let mut board = Board::START;
    while board.n_empties() > n_empties || board.is_over() {
        board = if board.is_over() { Board::START } else { play_on(board, random) };
    }
    board
}

/// Plays a variation and returns the final score for the side to move at its start, if it ends the game.
pub(super) fn play_out(board: Board, pv: &[Move]) -> Option<i32> {
    let end = pv.iter().try_fold(board, |board, &mv| board.play(mv))?;
    let sign = if pv.len().is_multiple_of(2) { 1 } else { -1 };
    end.is_over().then(|| sign * end.final_score())
}

/// How many random positions of 1, 2, 3 ... empties the solver is tried on; fewer where minimax is slow.
const N_SOLVED: [usize; 10] = [200, 300, 300, 300, 300, 300, 300, 200, 100, 40];

#[test]
fn solving_agrees_with_minimax_and_the_variation_proves_it() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let table = table();
    for (n_empties, n_boards) in (1..).zip(N_SOLVED) {
        for _ in 0..n_boards {
            let board = random_board(&mut random, n_empties);
            let never = Stop::new();
            let outcome = alone(&table).run(board, &Limits::default(), &never, &mut |_| {});
            let best = outcome.best().unwrap();
            assert_eq!(best.score, minimax(board) * DISC, "{board}");
            assert!(best.is_proven());
            assert_eq!(play_out(board, &best.pv), Some(best.score / DISC), "{board} {:?}", best.pv);
        }
    }
}

#[test]
fn a_search_cut_short_calls_nothing_proven_that_is_not() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(31);
    let lines = [
        Lines::Best(1),
        Lines::Best(2),
        Lines::Within(6 * DISC),
        Lines::Bounded(Window::new(-DISC, DISC).unwrap()),
    ];
    let mut n_bounds = 0;
    for case in 0..60 {
        let board = random_board(&mut random, 8 + case % 3);
        let after = |mv| board.play(mv).map(|next| -minimax(next) * DISC).unwrap();
        let truth = minimax(board) * DISC;
        let lines = lines[(random.next_u64() % 4) as usize];
        let mut n_nodes = 10;
        loop {
            let outcome = run(board, Limits { lines, nodes: Some(n_nodes), ..Limits::default() });
            let Bounds { lower, upper } = outcome.proven;
            assert!(lower <= truth && truth <= upper, "{board} {n_nodes} {outcome:?}");
            for (line, index) in outcome.lines.iter().zip(0..).filter(|(line, _)| line.exact) {
                let value = if index == 0 { truth } else { after(line.mv) };
                let is_true = match line.bound {
                    Bound::Exact => line.score == value && line.score == after(line.mv),
                    Bound::AtLeast => line.score <= value,
                    Bound::AtMost => line.score >= value,
                };
                assert!(is_true, "{board} {n_nodes} {outcome:?}");
                n_bounds += usize::from(outcome.interrupted && line.bound != Bound::Exact);
            }
            if !outcome.interrupted {
                break;
            }
            n_nodes += 1 + n_nodes / 4;
        }
    }
    assert!(n_bounds > 50, "{n_bounds}");
}

#[test]
fn null_windows_anywhere_give_true_bounds() {
    // One thread's search from first to last, so that its own table and the shared one fill with all kinds of bounds.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let (table, stop, limits) = (table(), Stop::new(), Limits::default());
    let shared = Shared::new(alone(&table), &limits, &stop);
    let mut searcher = Searcher::new(&shared, ALONE.take_tables().unwrap());
    for (n_empties, n_boards) in (1..).zip(N_SOLVED) {
        for _ in 0..n_boards {
            let board = random_board(&mut random, n_empties);
            let truth = minimax(board);
            for alpha in [truth - 1, truth, (random.next_u64() % 128) as i32 - 64] {
                let score = searcher.solve(board, n_empties, alpha);
                let is_true = if score > alpha { score <= truth } else { score >= truth };
                assert!(is_true, "{board} {alpha} {score} {truth}");
            }
        }
    }
}

#[test]
fn lines_are_distinct_and_sorted_with_their_own_scores() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    for _ in 0..20 {
        let board = random_board(&mut random, 9);
        let limits = Limits { lines: Lines::Best(64), ..Limits::default() };
        let outcome = run(board, limits);
        assert_eq!(outcome.lines.len(), board.moves().count());
        for pair in outcome.lines.windows(2) {
            assert!(pair[0].score >= pair[1].score && pair[0].mv != pair[1].mv);
        }
        for line in &outcome.lines {
            let expected = -minimax(board.play(line.mv).unwrap()) * DISC;
            assert_eq!(line.score, expected, "{board} {}", line.mv);
            assert!(line.is_proven());
        }
        let near = run(board, Limits { lines: Lines::Within(4 * DISC), ..Limits::default() });
        let best = outcome.lines[0].score;
        let mut expected: Vec<_> = outcome
            .lines
            .iter()
            .filter(|line| line.score >= best - 4 * DISC)
            .map(|line| (line.score, line.mv.to_string()))
            .collect();
        let mut found: Vec<_> =
            near.lines.iter().map(|line| (line.score, line.mv.to_string())).collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{board}");
    }
}

#[test]
fn midgame_variations_are_legal_and_as_long_as_the_depth() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    for n_empties in [58, 40, 24] {
        let board = random_board(&mut random, n_empties);
        let limits = plies(6);
        let mut depths = Vec::new();
        let outcome = alone(&table())
            .run(board, &limits, &Stop::new(), &mut |report| depths.push(report.lines[0].depth));
        let best = outcome.best().unwrap();
        assert_eq!(depths, [2, 4, 6]);
        assert!(!best.exact && !outcome.interrupted);
        let n_placed = best.pv.iter().filter(|mv| **mv != Move::Pass).count();
        assert_eq!(n_placed, 6, "{:?}", best.pv);
        assert!(best.pv.iter().try_fold(board, |board, &mv| board.play(mv)).is_some());
    }
}

#[test]
fn a_forced_pass_is_searched_through() {
    let board = transcript::game("f5f6d3g5h5h4f7h6").unwrap().position().board;
    let outcome = run(board, Limits { lines: Lines::Best(4), ..plies(5) });
    assert_eq!(outcome.lines.len(), 1);
    assert_eq!(outcome.lines[0].mv, Move::Pass);
    assert_eq!(outcome.lines[0].pv[0], Move::Pass);
    let reply = run(board.passed(), plies(5));
    assert_eq!(outcome.lines[0].score, -reply.lines[0].score);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(24);
    let boards = std::iter::repeat_with(|| random_board(&mut random, 9));
    for board in boards.filter(|board| board.legal_moves() == 0 && !board.is_over()).take(5) {
        let proven = run(board, Limits::default()).proven;
        assert_eq!((proven.lower, proven.upper), (minimax(board) * DISC, minimax(board) * DISC));
    }
}

#[test]
fn a_finished_game_has_its_result() {
    let board = Board { player: 0b111, opponent: 0 };
    let outcome = run(board, Limits::default());
    assert_eq!((outcome.lines.len(), outcome.final_score), (0, Some(64 * DISC)));
}

#[test]
fn node_limits_hold_and_repeat() {
    let limits = nodes(50_000);
    let first = run(Board::START, limits);
    assert!(first.interrupted && first.nodes >= 50_000 && first.nodes < 51_000, "{}", first.nodes);
    let second = run(Board::START, limits);
    assert_eq!((first.lines, first.nodes), (second.lines, second.nodes));
    let least = run(Board::START, nodes(0));
    assert!(Board::START.play(least.best().unwrap().mv).is_some());
}

#[test]
fn time_limits_hold() {
    for ms in [0, 30] {
        let time_limit = TimeLimit::fixed(Duration::from_millis(ms));
        let start = Instant::now();
        let outcome = run(Board::START, Limits { time: Some(time_limit), ..plies(60) });
        assert!(outcome.interrupted && outcome.best().is_some());
        // It ends early by the longest pause, which is a quarter of the time at most.
        assert!(start.elapsed() >= time_limit.hard.mul_f64(0.75), "{:?}", start.elapsed());
    }
}

#[test]
fn pauses_are_seen_in_searches_by_time() {
    let halt = Duration::from_millis(20);
    let stop = Stop::new();
    for n_threads in [1, 3] {
        let (threads, table) = (Threads::new(n_threads), table());
        let search = Search { threads: &threads, ..alone(&table) };
        let run = |limits: Limits| {
            search.run(Board::START, &limits, &stop, &mut |_| std::thread::sleep(halt))
        };
        let outcome = run(plies(6).within(Duration::from_secs(60)));
        assert!(outcome.pause >= halt && outcome.pause <= outcome.elapsed, "{outcome:?}");
        assert_eq!(run(plies(6)).pause, Duration::ZERO);
    }
}

#[test]
fn selective_scores_stay_near_full_ones() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut difference = 0;
    for _ in 0..10 {
        let board = random_board(&mut random, 40);
        let full = run(board, plies(7)).best().unwrap().score;
        let selective = Limits::plies(7, Selectivity::from_percent(73));
        let selective = run(board, selective).best().unwrap().score;
        difference += (full - selective).abs();
    }
    assert!(difference < 10 * 3 * DISC, "{difference}");
}

#[test]
fn unbounded_windows_contain_every_score() {
    assert_eq!(Limits::default().lines.window(), Window::FULL);
    // However large a margin or a score is, some score lies between the bounds.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(21);
    let board = random_board(&mut random, 8);
    for margin in [-INFINITE, -DISC, 0, INFINITE] {
        let outcome = run(board, Limits { lines: Lines::Within(margin), ..Limits::default() });
        assert!(outcome.best().is_some_and(Line::is_proven));
    }
}

#[test]
fn the_end_of_a_game_is_scored_at_any_depth() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(23);
    let mut n_checked = 0;
    while n_checked < 20 {
        let board = random_board(&mut random, 3);
        // A search takes far longer than a look at the moves.
        if !board.moves().any(|square| board.after(square, board.flips(square)).is_over()) {
            continue;
        }
        for line in run(board, Limits { lines: Lines::Best(60), ..plies(1) }).lines {
            let child = board.play(line.mv).unwrap();
            if child.is_over() {
                assert_eq!(line.score, -child.final_score() * DISC, "{board} {}", line.mv);
                n_checked += 1;
            }
        }
    }
}

#[test]
fn a_search_goes_on_where_an_earlier_one_ended() {
    let board = transcript::game("f5d6c3d3c4").unwrap().position().board;
    let table = table();
    let run = |nodes, lines| {
        let limits = Limits::plies(40, Selectivity::from_percent(73));
        let limits = Limits { nodes: Some(nodes), lines, ..limits };
        let mut reports = Vec::new();
        let outcome = alone(&table)
            .run(board, &limits, &Stop::new(), &mut |found| reports.push(found.lines[0].clone()));
        (reports, outcome.best().unwrap().clone())
    };
    let (reports, _) = run(200_000, Lines::Best(1));
    let last = reports.last().unwrap();
    // What is known is told at once.
    let (known, cut) = run(1, Lines::Best(1));
    assert_eq!(known, std::slice::from_ref(&cut));
    assert_eq!((cut.mv, cut.score, cut.depth), (last.mv, last.score, last.depth));
    assert_eq!(cut.pv[..3], last.pv[..3]);
    let (deeper, _) = run(2_000_000, Lines::Best(1));
    assert_eq!([deeper[0].depth, deeper[1].depth], [last.depth, last.depth + 2]);
    // The table knows the best line alone.
    assert!(run(2_000_000, Lines::Best(2)).0[0].depth <= 2);
}

#[test]
fn searches_without_a_depth_go_on_until_the_result_is_proven() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let pruned = Limits {
        selectivity: Selectivity::from_percent(73),
        exact_from: 12,
        until_proven: true,
        ..Limits::default()
    };
    for (n_empties, selective_end_from) in [(16, 60), (16, 15), (21, 60)] {
        let board = random_board(&mut random, n_empties);
        let mut steps = Vec::new();
        let limits = Limits { selective_end_from, ..pruned };
        let outcome = alone(&table()).run(board, &limits, &Stop::new(), &mut |report| {
            steps.push((report.lines[0].depth, report.lines[0].selectivity.percent()));
        });
        assert!(outcome.best().unwrap().is_proven() && !outcome.interrupted);
        assert_eq!(outcome.best().unwrap().score, run(board, Limits::default()).lines[0].score);
        // Ply by ply if the end is out of reach, else with a jump; then with more and more confidence.
        let jump = if selective_end_from < n_empties { 1 } else { 6 };
        let before_end = steps.iter().rfind(|&&(depth, _)| depth < n_empties);
        assert_eq!(before_end, Some(&(n_empties - jump, 73)), "{steps:?}");
        let is_ladder =
            [73, 87, 95, 99, 100].iter().all(|&rung| steps.contains(&(n_empties, rung)));
        assert!(is_ladder || steps.last() == Some(&(n_empties, 100)), "{steps:?}");
        let stays = Limits { until_proven: false, ..limits };
        assert_eq!(run(board, stays).lines[0].selectivity.percent(), 73);
    }
}

#[test]
fn boards_with_more_moves_than_any_game_has_are_searched() {
    let text = b"---------OOXO-O---XXXXO--OXO-XO--XO---X--OXX-XO-----O-OXX---X--- O";
    let board = Position::parse(text).unwrap().board;
    let after = board.play(Move::parse(b"c7").unwrap()).unwrap();
    assert_eq!(after.legal_moves().count_ones(), 35);
    let outcome = run(after, plies(4));
    assert!(after.play(outcome.best().unwrap().mv).is_some());
}

#[test]
fn lines_that_an_iteration_did_not_come_to_keep_their_values() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(10);
    let board = random_board(&mut random, 40);
    for most in (1000..40_000).step_by(3000) {
        let outcome = run(board, Limits { lines: Lines::Best(60), ..nodes(most) });
        let rest = &outcome.lines[1..];
        assert!(rest.iter().all(|line| line.bound == Bound::Exact), "{most}: {rest:?}");
    }
}

#[test]
fn null_windows_at_the_root_are_right_with_several_threads() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    for _ in 0..5 {
        let board = random_board(&mut random, 34);
        let value = run(board, plies(8)).lines[0].score;
        for alpha in [value - 1, value] {
            let lines = Lines::Bounded(Window::new(alpha, alpha + 1).unwrap());
            let limits = Limits { lines, ..plies(8) };
            let (table, never) = (table(), Stop::new());
            let search = Search { threads: &Threads::new(2), ..alone(&table) };
            let best = search.run(board, &limits, &never, &mut |_| {}).lines.remove(0);
            let expected = if alpha < value { Bound::AtLeast } else { Bound::AtMost };
            assert_eq!(best.bound, expected, "{best:?} {value} {alpha}");
        }
    }
}

#[test]
fn excluded_moves_are_not_searched_and_leave_nothing_in_the_table() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(23);
    for _ in 0..20 {
        let board = random_board(&mut random, 9);
        let ranked = run(board, Limits { lines: Lines::Best(60), ..Limits::default() }).lines;
        let mut exclude = 0;
        for (index, line) in ranked.iter().enumerate() {
            let limits = Limits { exclude, ..Limits::default() };
            let table = table();
            let best = alone(&table).run(board, &limits, &Stop::new(), &mut |_| {});
            assert_eq!(best.lines[0].score, line.score, "{board} without {index} moves");
            assert!(best.lines[0].mv.square().is_none_or(|square| square.bit() & exclude == 0));
            let knows_it = table.probe(board).is_some();
            assert_eq!(knows_it, exclude == 0 && line.mv != Move::Pass, "{board}");
            exclude |= line.mv.square().map_or(0, |square| square.bit());
        }
        let none = run(board, Limits { exclude: board.legal_moves(), ..Limits::default() });
        assert_eq!(none.lines.is_empty(), board.legal_moves() != 0);
    }
}

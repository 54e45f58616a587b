//! Exact scores of known positions: from random games, and the published endgame tests if present.

use std::time::{Duration, Instant};

use othellier::board::{Board, Move, Position};
use othellier::evaluation::Evaluation;
use othellier::formats::obf::{self, Problem};
use othellier::score::{DISC, Score};
use othellier::search::{Bound, Limits, Line, Lines, Search, Stop, Threads, Window};
use othellier::transposition::Table;

use crate::harness::shared;

/// Positions of random games with 1 to 14 empty squares, and their scores in discs for the side to move. The scores come from an
/// independent program. The first two and two in the middle begin with a pass; some are drawn; in the last two every move takes
/// all discs, and the other side must pass before it loses them.
const SCORES: [(&str, i32); 20] = [
    ("O-OOOOOXOOOOXXOXOOXOXXOXOXXXOOOOXXXXXOOXXXXXXXOXXXXXXXXXXXXXXXXX O", -42),
    ("OOOOOOOOXXXXXXXOXXXXXOXOXXXOXXOOXOOXXXOOXOOXXXXOX-OOXOXXX-OOOXXO O", -12),
    ("-O-OOOOOXXOXXXXOXXXOOOOOXXXOOOXOXXOXOOOOXXXOXOOOXXXXOOOOXXXXXXXX X", 0),
    ("OOOOOOOO-OXX-OOOOXXXOOXOOXXOOOXOOXOXXOXO-OOXXOXOOXOXOXXOXXXXXXXO O", -2),
    ("OOOOOXXXOXOOOOXXOXOXXXOXOOXOOOXXOXXXXXXX-XXXOXX--XXXXXX-XXXXXXOX X", 6),
    ("XXXXXX--XXXOXX-OXXXXOXOXXOXXXOXXOOOXOXOXOOOOXXXXOOOXOXXXOOOOOOO- X", 0),
    ("OXXXXXXXOOOOOO-XOXXXOOXXXOXOOOXX-XOXXXXXOOOXXO-OOOXX-XO-OXXXXXXX O", -14),
    ("OOO-OX--OOOOOOOOO-OXOOOXOOXOOOOXOXXXOXOXOOOXOOXXOOOXXXXXO-OOOOO- X", 0),
    ("X-XXX---OXXX-XOOOOXX-XOOOOOOOXXOOXXOOXXOOXXXOXXOOOXXXXXOOOOXXXX- O", 18),
    ("OXXXXXXOOOXXXXXOXXXXXXXO-XXOOOXOOOOOOOOO--OXXOOO-OOOOOO-OOOXX--- X", 0),
    ("OOX-OOOOOOXXXOOXOXOOOXXXOOXOOXXXOXXXXXX---XXXXXX--XXXXXO--XXXOOO X", -60),
    ("-XXXXXX--XXXOX-O-XXXXXX-OXXXXXXXOOXXOX-XOOXOOOXOOOOO-OOOXXOOOO-O O", 12),
    ("XO-OXX--OXO-XXX--OXXOOOO-XXXOOO-XXXXOOOXXXXXOXO-XXXXOOO-XXXXOOOX X", 28),
    ("X-O-X--O-XOXXOOO-OXXXXOOXOXXXOXOOOOOXOXX--OXXXXX-OOOOOXX-XXX-OXX O", -38),
    ("--OOOOX--OOXXXOOOOOXXOOOOOOXOXOXOOOOOOXX-OOOXXXX-OOXXXXX----XX-- X", 32),
    ("X-OOOO-OOXOOXXOOOXXOOOX--XOXOXXXOXOOXX--OXOOXX---X-XOOOO--X-XXXX O", 0),
    ("-XXXXXXXO--OOXXX-OXOXXXXOXOXXXX-OOOXXXO-OXO-XXOOOOOXXOX---O--O-X O", -38),
    ("X--XO---XXOXX----XXXXXXXXXOOXXX--XXOXXOXOXOXOXOXOO-XXOOXO-O-XOOX X", -2),
    ("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO-------------- X", 64),
    ("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO-------------- O", -64),
];

/// Published positions with more empty squares take too long.
const MAX_EMPTIES: u32 = 26;

/// A test starts no further published position after this time.
const TIME_LIMIT: Duration = Duration::from_secs(60);

fn board(text: &str) -> Board {
    Position::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")).board
}

/// The best line of an exact search with a table of its own.
fn solve(board: Board, n_threads: usize, window: Option<(Score, Score)>) -> Line {
    let window = window.map_or(Window::FULL, |(alpha, beta)| {
        Window::new(alpha, beta).expect("the window holds a score")
    });
    let limits = Limits { lines: Lines::Bounded(window), ..Limits::default() };
    let (table, stop) = (Table::try_new(16).expect("16 MB"), Stop::new());
    let threads = &Threads::new(n_threads);
    let search = Search { evaluation: Evaluation::embedded(), table: &table, threads };
    let outcome = search.run(board, &limits, &stop, &mut |_| {});
    assert!(!outcome.interrupted, "{board}");
    outcome.best().expect("the game is not over").clone()
}

/// The score in discs at the end of a variation, if it ends the game, for the side to move at its beginning.
fn play_out(board: Board, variation: &[Move]) -> Option<i32> {
    let end = variation.iter().try_fold(board, |board, &mv| board.play(mv))?;
    let sign = if variation.len().is_multiple_of(2) { 1 } else { -1 };
    end.is_over().then(|| sign * end.final_score())
}

#[test]
fn scores_are_exact() {
    for (text, score) in SCORES {
        let board = board(text);
        for n_threads in [1, 2] {
            let line = solve(board, n_threads, None);
            assert!(line.is_proven(), "{text}: {line:?}");
            assert_eq!(line.score, score * DISC, "{text}, {n_threads} threads: {line:?}");
            assert_eq!(play_out(board, &line.pv), Some(score), "{text}: {line:?}");
        }
    }
}

#[test]
fn windows_give_true_bounds_and_tell_on_which_side_the_score_is() {
    for (text, score) in SCORES {
        let (board, score) = (board(text), score * DISC);
        let beside = [(score + DISC, score + 2 * DISC), (score - 2 * DISC, score - DISC)];
        for window in [(-DISC, DISC), (-1, 1)].into_iter().chain(beside) {
            let line = solve(board, 1, Some(window));
            let is_true = match line.bound {
                Bound::Exact => line.score == score,
                Bound::AtLeast => line.score <= score,
                Bound::AtMost => line.score >= score,
            };
            let is_told = match beside.iter().position(|&other| other == window) {
                Some(0) => line.bound == Bound::AtMost,
                Some(_) => line.bound == Bound::AtLeast,
                None => line.score.signum() == score.signum(),
            };
            assert!(is_true && is_told, "{text} {window:?}: {line:?}");
        }
    }
}

/// Solves a problem; one of the best moves must be found with its score.
fn check(problem: &Problem) {
    let (board, best) = (problem.position.board, problem.best_score().expect("a score"));
    let line = solve(board, 1, None);
    assert!(line.is_proven(), "{board}: {line:?}");
    assert_eq!(line.score, best * DISC, "{board}: {line:?}");
    assert_eq!(problem.score_of(line.mv), Some(best), "{board}: {line:?}");
    let winner = solve(board, 1, Some((-DISC, DISC)));
    assert_eq!(winner.score.signum(), best.signum(), "{board}: {winner:?}");
}

/// Solves the first `limit` problems of a file, easier ones first; does nothing where the file is missing.
fn solve_file(name: &str, limit: usize) {
    let Some(path) = shared(&format!("positions/{name}")) else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let problems = text.lines().filter_map(|line| obf::read_line(line.as_bytes()).unwrap());
    let mut problems: Vec<Problem> = problems.take(limit).collect();
    assert!(problems.len() >= 19, "{} problems", problems.len());
    problems.retain(|problem| problem.position.board.n_empties() <= MAX_EMPTIES);
    problems.sort_by_key(|problem| problem.position.board.n_empties());
    let start = Instant::now();
    for problem in problems.iter().take_while(|_| start.elapsed() < TIME_LIMIT) {
        check(problem);
    }
}

#[test]
fn published_endgames_of_up_to_16_empties() {
    solve_file("fforum-1-19.obf", 19);
}

#[test]
#[ignore = "long: large searches"]
fn published_endgames_of_about_20_empties() {
    solve_file("fforum-20-39.obf", 20);
}

#[test]
#[ignore = "long: large searches"]
fn hard_positions_of_20_empties() {
    solve_file("hard-20.obf", 60);
}

//! The searches of the training: one thread each, with limits that are all made here.

use crate::board::Board;
use crate::evaluation::Evaluation;
use crate::score::Score;
use crate::search::{Horizon, Limits, Line, Lines, Outcome, Selectivity, Setup, StopToken, search};
use crate::transposition::Table;

/// To `depth` plies; to the end with `exact` or fewer empty squares.
pub(super) fn to_depth(depth: u32, selectivity: Selectivity, exact: u32) -> Limits {
    Horizon { depth, selectivity, exact_from: exact, ..Horizon::default() }.into()
}

/// To `depth` plies, every move with a score of its own.
pub(super) fn all_moves(depth: u32, selectivity: Selectivity, exact: u32) -> Limits {
    Limits { lines: Lines::Best(usize::MAX), ..to_depth(depth, selectivity, exact) }
}

/// To `depth` plies, all moves at most `margin` worse than the best.
pub(super) fn nearly_best(depth: u32, margin: Score) -> Limits {
    Limits { lines: Lines::Within(margin), ..to_depth(depth, Selectivity::FULL, 0) }
}

/// To the end of the game.
pub(super) fn to_the_end() -> Limits {
    Limits::default()
}

/// Searches a position.
pub(super) fn look(
    evaluation: &Evaluation,
    board: Board,
    limits: &Limits,
    table: &Table,
) -> Outcome {
    look_on(evaluation, board, limits, table, &mut |_| {})
}

/// Searches a position; `on_iteration` gets the lines of every whole iteration.
pub(super) fn look_on(
    evaluation: &Evaluation,
    board: Board,
    limits: &Limits,
    table: &Table,
    on_iteration: &mut dyn FnMut(&[Line]),
) -> Outcome {
    let stop = StopToken::never();
    let setup = Setup { evaluation, table, n_threads: 1, stop: &stop };
    search(board, limits, setup, &mut |report| {
        if report.complete {
            on_iteration(&report.lines);
        }
    })
}

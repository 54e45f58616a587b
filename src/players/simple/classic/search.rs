//! pyReversi's alpha-beta: to a fixed depth, without any ordering, its last root move with a null window.
//!
//! Depth counts moves; a pass costs none. A leaf is where the depth is used up or neither side can move. Moves are tried
//! row by row from row 8 up (the program printed its rows from the bottom), and the first strictly better one is kept.

use super::evaluation::Evaluation;
use crate::board::bitboard::Squares;
use crate::board::{Board, Square};
use crate::players::{OnProgress, Progress, Searching, Value};
use crate::search::{Bound, Stop};

/// Nodes between two polls of the stop, and two reports.
const POLL_INTERVAL: u64 = 1024;

/// How the last move of the root is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastMove {
    /// Only to learn whether it is the best: its value is then a bound.
    NullWindow,
    /// Like the others: its value is wanted.
    FullWindow,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub board: Board,
    pub evaluation: Evaluation,
    /// At least 1.
    pub depth: u32,
    pub last_move: LastMove,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub square: Square,
    pub value: Value,
    pub nodes: u64,
    /// The move is then the best of those that were searched to the end.
    pub is_stopped: bool,
}

/// The squares of a set in the order in which they are tried.
pub(super) fn in_order(set: u64) -> impl Iterator<Item = Square> {
    (0..8).rev().flat_map(move |row| Squares(set & 0xFF << (8 * row)))
}

/// The best move of a board that has a legal one. Stopped before anything is known, it is the first legal one.
pub(super) fn best(task: Task, stop: &Stop, report: OnProgress<'_>) -> Found {
    let Task { board, evaluation, depth, last_move } = task;
    let legal: Vec<Square> = in_order(board.legal_moves()).collect();
    let (low, beta) = evaluation.window();
    let value = |number, bound| Value { number: f64::from(number), bound, unit: evaluation.unit() };
    let mut search = Search { evaluation, stop, nodes: 0, next_poll: 0, is_stopped: false };
    // Values below the window become its low end.
    let (mut best, mut best_value) = (legal[0], value(low, Bound::Exact));
    let (mut alpha, mut is_found) = (low, false);
    for (index, &square) in legal.iter().enumerate() {
        let is_last = index + 1 == legal.len();
        // An only move is searched with the full window: its value is wanted.
        let has_null_window = is_last && legal.len() > 1 && last_move == LastMove::NullWindow;
        let upper = if has_null_window { alpha + 1 } else { beta };
        let next = board.after(square, board.flips(square));
        let share = |part: f64| (index as f64 + part) / legal.len() as f64;
        let known = is_found.then_some((best, best_value));
        let found = search.after_root(next, depth - 1, (-upper, -alpha), &mut |part, nodes| {
            report(Progress::Searching(Searching { share: share(part), nodes, best: known }));
        });
        if search.is_stopped {
            break;
        }
        if -found > alpha {
            // A value beyond the window is only a bound.
            let bound = if -found >= upper { Bound::AtLeast } else { Bound::Exact };
            alpha = (-found).min(upper);
            (best, best_value) = (square, value(alpha, bound));
        }
        is_found = true;
        if alpha >= beta {
            break;
        }
    }
    if !search.is_stopped {
        let known = is_found.then_some((best, best_value));
        report(Progress::Searching(Searching { share: 1.0, nodes: search.nodes, best: known }));
    }
    let Search { nodes, is_stopped, .. } = search;
    Found { square: best, value: best_value, nodes, is_stopped }
}

/// A running search.
struct Search<'a> {
    evaluation: Evaluation,
    stop: &'a Stop,
    nodes: u64,
    next_poll: u64,
    is_stopped: bool,
}

/// Whose turn it is in the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// The searching player's turn.
    Own,
    Other,
}

impl Turn {
    fn opposite(self) -> Turn {
        if self == Turn::Own { Turn::Other } else { Turn::Own }
    }
}

impl Search<'_> {
    /// The value after a root move, for the side to move. Reports the finished share of the replies now and then.
    fn after_root(
        &mut self,
        board: Board,
        depth: u32,
        window: (i32, i32),
        report: &mut dyn FnMut(f64, u64),
    ) -> i32 {
        let legal = board.legal_moves();
        if depth == 0 || legal == 0 {
            return self.value(board, depth, window, Turn::Other);
        }
        self.nodes += 1;
        let (mut alpha, beta) = window;
        let mut reported = self.nodes;
        let n_moves = f64::from(legal.count_ones());
        for (index, square) in in_order(legal).enumerate() {
            let next = board.after(square, board.flips(square));
            alpha = alpha.max(-self.value(next, depth - 1, (-beta, -alpha), Turn::Own));
            if alpha >= beta || self.is_stopped {
                break;
            }
            if self.nodes - reported >= POLL_INTERVAL {
                reported = self.nodes;
                report((index + 1) as f64 / n_moves, self.nodes);
            }
        }
        alpha
    }

    /// The value for the side to move: exact inside the window, a bound outside, and meaningless once the search is stopped.
    fn value(&mut self, board: Board, depth: u32, window: (i32, i32), turn: Turn) -> i32 {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.next_poll = self.nodes + POLL_INTERVAL;
            self.is_stopped |= self.stop.is_stopped();
        }
        if depth == 0 || self.is_stopped {
            return self.static_value(board, turn);
        }
        let (mut alpha, beta) = window;
        let legal = board.legal_moves();
        if legal == 0 {
            let passed = board.passed();
            return if passed.legal_moves() == 0 {
                self.static_value(board, turn)
            } else {
                -self.value(passed, depth, (-beta, -alpha), turn.opposite())
            };
        }
        for square in in_order(legal) {
            let next = board.after(square, board.flips(square));
            alpha = alpha.max(-self.value(next, depth - 1, (-beta, -alpha), turn.opposite()));
            if alpha >= beta {
                break;
            }
        }
        alpha
    }

    /// The static value for the side to move, computed from the searching player's side: some evaluations are asymmetric.
    fn static_value(&self, board: Board, turn: Turn) -> i32 {
        match turn {
            Turn::Own => self.evaluation.value(board.player, board.opponent),
            Turn::Other => -self.evaluation.value(board.opponent, board.player),
        }
    }
}

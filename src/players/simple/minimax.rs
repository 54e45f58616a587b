//! The player that searches some rounds ahead and counts discs.
//!
//! A round is an own move and the opponent's best reply, so N rounds are 2N plies; the value of a line is the change of the disc
//! difference, empty squares counted for neither side. Alpha-beta without any ordering gives the values of plain minimax.
//!
//! * **Equal moves:** the first one, row by row from a1, as the older searching players did. Alpha-beta requires it, too: for a
//!   move that is no better than the best so far it gives only a bound, so equal moves are unknown. So the player has no seed, and
//!   its games differ by their openings.
//! * **A pass costs a ply.** A side without a move replies with a pass, which completes the round: all lines end with the
//!   opponent's turn and are compared like with like, and the depth alone bounds the search. (`perft` counts passes the same way.)
//! * **A finished game** has the same value as any other position: its disc difference.

use std::time::Instant;

use crate::board::bitboard::Squares;
use crate::board::{Board, Square};
use crate::players::{Choice, Fault, OnProgress, Player, Searched, Turn, Unit, Value};
use crate::search::{Bound, Stop};

/// 60 plies, one for each empty square at the start. From six rounds on, a move takes seconds or more unless stopped.
pub const MAX_ROUNDS: u32 = 30;

/// More than any disc difference.
const INFINITE: i32 = 65;

/// Nodes between two polls of the stop.
const POLL_INTERVAL: u64 = 1024;

#[derive(Clone, Debug)]
pub struct Minimax {
    rounds: u32,
}

impl Minimax {
    /// A player that searches `rounds` ahead, limited to 1 to [`MAX_ROUNDS`].
    pub fn new(rounds: u32) -> Minimax {
        Minimax { rounds: rounds.clamp(1, MAX_ROUNDS) }
    }
}

impl Player for Minimax {
    fn choose(&mut self, turn: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
        let start = Instant::now();
        let (board, depth) = (turn.board(), 2 * self.rounds);
        let found = best(board, depth, &turn.stop_in_time());
        let value = |number| Value { number, bound: Bound::Exact, unit: Unit::Discs };
        Ok(Choice {
            value: found.value.map(|discs| value(f64::from(discs)).found(depth, board)),
            searched: Searched::new(depth, found.nodes),
            elapsed: start.elapsed(),
            ..found.square.into()
        })
    }
}

pub(super) struct Found {
    pub square: Square,
    /// The disc difference that it leads to; `None` if no move was searched to the end.
    pub value: Option<i32>,
    pub nodes: u64,
}

/// The first best move, of at least one, by a search of `n_plies`, at least 1. When stopped, the best of the completely searched
/// moves, or the first move.
pub(super) fn best(board: Board, n_plies: u32, stop: &Stop) -> Found {
    let legal = board.legal_moves();
    let mut search = Search { stop, n_nodes: 0, is_stopped: false };
    let mut best = Square::lowest(legal);
    let mut best_value = -INFINITE;
    for square in Squares(legal) {
        let next = board.after(square, board.flips(square));
        let value = -search.value(next, n_plies - 1, -INFINITE, -best_value);
        if search.is_stopped {
            break;
        }
        if value > best_value {
            best = square;
            best_value = value;
        }
    }
    Found {
        square: best,
        value: (best_value > -INFINITE).then_some(best_value),
        nodes: search.n_nodes,
    }
}

struct Search<'a> {
    stop: &'a Stop,
    n_nodes: u64,
    is_stopped: bool,
}

impl Search<'_> {
    /// The disc difference for the side to move after `n_plies` best ones: exact between `alpha` and `beta`, a bound outside, and
    /// meaningless once the search is stopped.
    fn value(&mut self, board: Board, n_plies: u32, alpha: i32, beta: i32) -> i32 {
        self.n_nodes += 1;
        if self.n_nodes.is_multiple_of(POLL_INTERVAL) {
            self.is_stopped |= self.stop.is_stopped();
        }
        if n_plies == 0 || self.is_stopped {
            return board.disc_difference();
        }
        let legal = board.legal_moves();
        if legal == 0 {
            let passed = board.passed();
            return if passed.legal_moves() == 0 {
                board.disc_difference()
            } else {
                -self.value(passed, n_plies - 1, -beta, -alpha)
            };
        }
        let mut alpha = alpha;
        for square in Squares(legal) {
            let next = board.after(square, board.flips(square));
            alpha = alpha.max(-self.value(next, n_plies - 1, -beta, -alpha));
            if alpha >= beta {
                break;
            }
        }
        alpha
    }
}

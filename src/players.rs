//! The simple players: opponents from the older programs.
//!
//! A [`Player`] chooses one move at a time. It has no clocks, protocols or other processes and, unlike [`crate::engine::Engine`],
//! thinks on the caller's thread. [`spec`] parses specifications such as `minimax:rounds=3`.
//!
//! | name | its move | among equal moves |
//! |---|---|---|
//! | `random` | any legal one | random |
//! | `greedy` | flips the most discs | random |
//! | `greedy:directions` | flips the most discs, with each direction of flips counted as one more disc | random |
//! | `minimizer` | flips the fewest discs | random |
//! | `minimax:rounds=N` | the best disc difference after N own moves and the best replies | the first, row by row |
//! | `classic:...` | pyReversi's: by phases, each with an evaluation and a depth; thinks ahead | the first, from row 8 up |

pub mod classic;
pub mod greedy;
pub mod minimax;
pub mod random;
pub mod spec;
pub mod thoughts;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::board::{Board, Move, Square};
use crate::game::{self, Game};
use crate::search::StopToken;
use thoughts::{Choice, Thoughts};

/// A player that chooses moves.
///
/// Every call receives the whole game, which contains the side to move and all earlier positions, so undo needs no call of its own.
pub trait Player: fmt::Debug + Send {
    /// The name by which [`spec::parse`] gives the same player.
    fn name(&self) -> String;

    /// The move of the side to move with its evaluation: a pass if forced, `None` if the game is over. When stopped, it returns the
    /// best move so far, which is always legal. `report` is called during thinking and must be quick.
    fn consider(
        &mut self,
        game: &Game,
        stop: &StopToken,
        report: &mut dyn FnMut(Thoughts<'_>),
    ) -> Option<Choice>;

    /// The move that [`Player::consider`] gives.
    fn choose(&mut self, game: &Game, stop: &StopToken) -> Option<Move> {
        self.consider(game, stop, &mut |_| {}).map(|choice| choice.mv)
    }

    /// Whether it thinks on the opponent's time.
    fn thinks_ahead(&self) -> bool {
        false
    }

    /// Thinks ahead until stopped or done. Call it when the opponent's turn begins, and stop it when the opponent has moved. Returns
    /// at once for players that do not think ahead.
    fn think_ahead(
        &mut self,
        _game: &Game,
        _stop: &StopToken,
        _report: &mut dyn FnMut(Thoughts<'_>),
    ) {
    }

    /// Forgets the last game; call it between games. Random draws continue, so that games differ; for a reproducible game, create a
    /// new player from its seed.
    fn new_game(&mut self) {}
}

/// The choice of the side to move; `choose` is called only if there are legal squares, and receives their set.
fn place_or_pass(board: Board, choose: impl FnOnce(u64) -> Choice) -> Option<Choice> {
    match board.legal_moves() {
        0 => game::must_pass(board).then_some(Choice::of(Move::Pass)),
        legal => Some(choose(legal)),
    }
}

impl From<Square> for Choice {
    fn from(square: Square) -> Choice {
        Choice::of(Move::Place(square))
    }
}

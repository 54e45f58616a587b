//! Players that can be named wherever a player is named: the opponents of the older programs.
//!
//! A [`Player`] is asked for one move at a time. It knows nothing of clocks, protocols or other processes, and it is no
//! [`crate::engine::Engine`]: it thinks in the thread that asks it. Texts such as `minimax:rounds=3` become players in [`spec`].
//!
//! | name | its move | among equal moves |
//! |---|---|---|
//! | `random` | any legal one | drawn |
//! | `greedy` | turns the most discs now | drawn |
//! | `greedy:directions` | turns the most discs, each direction in which some turn counted as one more | drawn |
//! | `minimizer` | turns the fewest discs now | drawn |
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

/// Someone who chooses moves.
///
/// The game is handed to every call and not remembered: it tells the color to play, the number of discs now and at earlier
/// turns, and take-backs need no call of their own.
pub trait Player: fmt::Debug + Send {
    /// The name by which [`spec::parse`] gives the same player.
    fn name(&self) -> String;

    /// The move of the side to move, with what is known of it: a pass where it must pass, `None` if the game is over. Once
    /// stopped, the best move found so far, always a legal one. `report` is called while it thinks and must be quick.
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

    /// Whether it uses the opponent's time.
    fn thinks_ahead(&self) -> bool {
        false
    }

    /// To be called whenever the opponent's turn begins, and stopped when its move has come: thinks ahead, until stopped or
    /// until there is no more to find out. Returns at once for players that do not think ahead.
    fn think_ahead(
        &mut self,
        _game: &Game,
        _stop: &StopToken,
        _report: &mut dyn FnMut(Thoughts<'_>),
    ) {
    }

    /// To be called between games: forgets what was found out in the last one. Random draws go on, so that games differ; for a
    /// game that must repeat make a new player from its seed.
    fn new_game(&mut self) {}
}

/// The choice of the side to move; `choose` is asked only if there are legal squares, and gets their set.
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

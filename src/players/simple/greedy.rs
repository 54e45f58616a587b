//! Players that only count the discs a move flips.
//!
//! Among equal moves the seed decides, as in the calculator program. Equal moves are frequent, and here, unlike in a search
//! with bounds, known to be equal.

use std::time::Instant;

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use super::random::draw_square;
use crate::board::bitboard::{Squares, grown};
use crate::board::{Board, Position, Square};
use crate::players::{Choice, Fault, OnProgress, Player, Terms, Turn};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    Most,
    /// The most discs flipped, plus one for each direction with a flip.
    MostWithDirections,
    /// The fewest discs flipped: the easy level of the older program.
    Fewest,
}

impl Preference {
    /// The value of a legal move; higher is better.
    pub fn value(self, board: Board, square: Square) -> i32 {
        let flips = board.flips(square);
        let n_turned = flips.count_ones() as i32;
        match self {
            Preference::Most => n_turned,
            // Every direction with a flip has its first flipped disc next to the move.
            Preference::MostWithDirections => {
                n_turned + (flips & grown(square.bit())).count_ones() as i32
            }
            Preference::Fewest => -n_turned,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Greedy {
    preference: Preference,
    random: Xoshiro256PlusPlus,
}

impl Greedy {
    pub fn new(preference: Preference, seed: u64) -> Greedy {
        Greedy { preference, random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// The moves of the highest value.
    fn best(&self, board: Board) -> u64 {
        let value = |square: Square| self.preference.value(board, square);
        let moves = || Squares(board.legal_moves());
        let most = moves().map(value).max();
        let best = moves().filter(|&square| Some(value(square)) == most);
        best.fold(0, |all, square| all | square.bit())
    }
}

impl Player for Greedy {
    fn begin(&mut self, _: Position, terms: Terms) -> Result<(), Fault> {
        *self = Greedy::new(self.preference, terms.seed);
        Ok(())
    }

    fn choose(&mut self, turn: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
        let start = Instant::now();
        let board = turn.board();
        let best = self.best(board);
        let square = draw_square(&mut self.random, best);
        Ok(Choice { elapsed: start.elapsed(), ..square.into() })
    }
}

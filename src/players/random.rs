//! The player that plays random moves, and the random choice of a square by which other players break ties.

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use super::thoughts::{Choice, Thoughts};
use super::{Player, place_or_pass};
use crate::board::Square;
use crate::game::Game;
use crate::search::StopToken;
use crate::support::draw::draw;

/// Plays a legal move drawn evenly.
#[derive(Clone, Debug)]
pub struct Random {
    random: Xoshiro256PlusPlus,
}

impl Random {
    /// A player whose draws follow from the seed.
    pub fn new(seed: u64) -> Random {
        Random { random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }
}

impl Player for Random {
    fn name(&self) -> String {
        "random".into()
    }

    fn consider(
        &mut self,
        game: &Game,
        _stop: &StopToken,
        _report: &mut dyn FnMut(Thoughts<'_>),
    ) -> Option<Choice> {
        place_or_pass(game.position().board, |legal| draw_square(&mut self.random, legal).into())
    }
}

/// Draws a square of a set, which must not be empty, evenly.
pub fn draw_square(random: &mut impl Rng, set: u64) -> Square {
    let mut rest = set;
    for _ in 0..draw(random, u64::from(set.count_ones())) {
        rest &= rest - 1;
    }
    Square::lowest(rest)
}

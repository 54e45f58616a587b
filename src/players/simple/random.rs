//! The player that plays random moves, and the random choice of a square by which other players break ties.

use std::time::Instant;

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use crate::board::{Position, Square};
use crate::players::{Choice, Fault, OnProgress, Player, Terms, Turn};
use crate::support::random::draw;

#[derive(Clone, Debug)]
pub struct Random {
    random: Xoshiro256PlusPlus,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }
}

impl Player for Random {
    fn begin(&mut self, _: Position, terms: Terms) -> Result<(), Fault> {
        *self = Random::new(terms.seed);
        Ok(())
    }

    fn choose(&mut self, turn: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
        let start = Instant::now();
        let square = draw_square(&mut self.random, turn.board().legal_moves());
        Ok(Choice { elapsed: start.elapsed(), ..square.into() })
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

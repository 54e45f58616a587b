//! The simple players, in the same process and the caller's thread.

use std::time::Instant;

use super::fault::{Cause, Fault};
use super::{Answer, Choice, Goal, Progress, Reckoned, Searching, Seat, Terms, Turn, Value};
use crate::board::{Move, Position};
use crate::players::thoughts::{Foreseen, Thoughts, Unit};
use crate::players::{self, Player};
use crate::search::Bound;

/// A simple player.
pub(super) struct Simple {
    name: String,
    player: Box<dyn Player>,
}

impl Simple {
    /// A player by name.
    pub fn new(name: &str) -> Result<Simple, Fault> {
        Ok(Simple { name: name.into(), player: make(name, 0)? })
    }
}

fn make(name: &str, seed: u64) -> Result<Box<dyn Player>, Fault> {
    players::spec::parse(name, seed).map_err(|error| Fault::new(Cause::Start, error.to_string()))
}

impl Seat for Simple {
    fn begin(&mut self, _: Position, terms: Terms) -> Result<(), Fault> {
        // Restarted from the game's seed, so that games repeat unless a player thinks ahead.
        self.player = make(&self.name, terms.seed)?;
        Ok(())
    }

    fn choose(
        &mut self,
        turn: Turn<'_>,
        report: &mut dyn FnMut(Progress),
    ) -> Result<Choice, Fault> {
        let start = Instant::now();
        report(Progress::Began(Goal::default()));
        // It has no clock, so the deadline ends searches that are too deep.
        let found = self.player.consider(turn.game, &turn.token(), &mut forward(report));
        let n_empties = turn.game.position().board.n_empties();
        let value = found.and_then(|found| {
            let value = found.value.filter(|value| value.unit == Unit::Discs)?;
            // A disc count some moves ahead does not predict the result; at the end of the game it is the result.
            let is_result = found.depth >= n_empties && value.bound == Bound::Exact;
            Some(Value { discs: f64::from(value.number), is_result })
        });
        Ok(Choice {
            answer: Answer::Move(found.map_or(Move::Pass, |found| found.mv)),
            value,
            report: None,
            is_booked: false,
            elapsed: start.elapsed(),
        })
    }

    fn ponder(&mut self, turn: Turn<'_>, report: &mut dyn FnMut(Progress)) {
        if self.player.thinks_ahead() {
            report(Progress::Began(Goal::default()));
            self.player.think_ahead(turn.game, turn.stop, &mut forward(report));
        }
    }
}

/// Forwards a player's reports.
fn forward(report: &mut dyn FnMut(Progress)) -> impl FnMut(Thoughts<'_>) {
    move |thoughts| match thoughts {
        Thoughts::Searching { share, nodes, best } => {
            report(Progress::Searching(Searching { share, nodes, best }));
        }
        Thoughts::Foresaw(table) => {
            let row = |foreseen: &Foreseen| Reckoned {
                to: Move::Place(foreseen.to),
                reply: Move::Place(foreseen.reply),
                value: foreseen.value.to_string(),
                depth: foreseen.depth,
            };
            report(Progress::Foresaw(table.iter().map(row).collect()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::game::Game;
    use crate::search::StopToken;
    use std::time::Duration;

    #[test]
    fn a_depth_without_end_ends_with_the_patience_of_the_referee() {
        for name in ["classic:open=positional/60", "minimax:rounds=30"] {
            let turn = Turn {
                game: &Game::default(),
                clocks: [Clock::default(); 2],
                deadline: Instant::now() + Duration::from_millis(50),
                stop: &StopToken::never(),
            };
            let choice = Simple::new(name).unwrap().choose(turn, &mut |_| {}).unwrap();
            assert!(matches!(choice.answer, Answer::Move(Move::Place(_))));
        }
    }
}

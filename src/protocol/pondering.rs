//! Thinking on the opponent's time, common to all protocols that have it: for which side, and whether there is more to find.

use super::Action;
use super::session::Session;
use crate::board::{Color, Position};
use crate::engine::{Done, Prediction};
use crate::players::desk::Task;

#[derive(Debug, Default)]
pub(super) struct Pondering {
    /// The color that the engine last chose a move for.
    own_color: Option<Color>,
    /// The position in which pondering has found all it can.
    exhausted: Option<Position>,
}

impl Pondering {
    pub const fn play_for(&mut self, color: Color) {
        self.own_color = Some(color);
    }

    /// The task of pondering in the session's position, if it is wanted and useful.
    pub fn task(&self, session: &Session) -> Option<Task> {
        // A repeated session ponders only where the earlier one did, so there is more to find.
        let is_exhausted = self.exhausted == Some(session.game.position())
            && session.options.repeat.pondering.is_none();
        if !session.options.engine.ponders || is_exhausted {
            return None;
        }
        session.ponder(self.own_color?)
    }

    /// The task for time in which no line waits: pondering, or learning from games.
    pub fn idle_task(&self, session: &Session) -> Option<Task> {
        self.task(session).or_else(|| session.lesson())
    }

    /// Takes in what such a task has brought.
    pub fn idled(
        &mut self,
        result: Done,
        interrupted_by: Option<&[u8]>,
        session: &mut Session,
    ) -> Vec<Action> {
        if let Done::Pondered(found) = result {
            self.ended(found, interrupted_by, session);
        }
        session.renew_book();
        Vec::new()
    }

    /// If no line has interrupted the job, there is nothing more to find.
    fn ended(
        &mut self,
        found: Vec<Prediction>,
        interrupted_by: Option<&[u8]>,
        session: &mut Session,
    ) {
        session.predictions = found;
        if interrupted_by.is_none() {
            self.exhausted = Some(session.game.position());
        }
    }

    /// Earlier results are void: every position is worth pondering again.
    pub const fn resume(&mut self) {
        self.exhausted = None;
    }

    pub const fn forget(&mut self) {
        *self = Pondering { own_color: None, exhausted: None };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Config;
    use crate::engine::strength::Strength;
    use crate::protocol::options::Options;

    #[test]
    fn a_position_is_pondered_once_and_for_the_own_side_only() {
        let mut session = Session::new(Options {
            engine: Config { ponders: true, ..Config::default() },
            ..Options::default()
        });
        let mut pondering = Pondering::default();
        assert!(pondering.task(&session).is_none(), "no side");
        pondering.play_for(Color::Black);
        assert!(pondering.task(&session).is_none(), "the own turn");
        pondering.play_for(Color::White);
        assert!(pondering.task(&session).is_some());
        pondering.ended(Vec::new(), Some(b"name"), &mut session);
        assert!(pondering.task(&session).is_some(), "a line ended it");
        pondering.ended(Vec::new(), None, &mut session);
        assert!(pondering.task(&session).is_none(), "it has come to its end");
        pondering.resume();
        assert!(pondering.task(&session).is_some());
        session.options.engine.ponders = false;
        assert!(pondering.task(&session).is_none(), "not wanted");
        session.options.engine.ponders = true;
        session.options.engine.strength = Strength::new(59).unwrap();
        assert!(pondering.task(&session).is_none(), "a weak strength");
        session.options.engine.strength = Strength::default();
        assert!(pondering.task(&session).is_some());
        pondering.forget();
        assert!(pondering.task(&session).is_none(), "another game");
    }
}

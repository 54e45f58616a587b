//! The simple players, in the same process. Those that think ahead use their own thread.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use super::halt::Halt;
use super::{Answer, Choice, Seat, Terms, halted, stop_at};
use crate::board::{Color, Move};
use crate::clock::Clock;
use crate::game::Game;
use crate::players::thoughts::{Unit, Value};
use crate::players::{self, Player};
use crate::search::{Bound, Interrupts, StopToken};
use crate::seats::fault::{Cause, Fault};

/// A simple player by name.
pub(super) fn simple(name: &str, halt: &Halt) -> Result<Box<dyn Seat>, Fault> {
    let state = State::Waiting(make(name, 0)?);
    Ok(Box::new(Simple {
        name: name.into(),
        color: Color::Black,
        state,
        halt: halt.clone(),
        interrupts: Arc::default(),
        n_requests: 0,
    }))
}

fn make(name: &str, seed: u64) -> Result<Box<dyn Player>, Fault> {
    players::spec::parse(name, seed).map_err(|error| Fault::new(Cause::Start, error.to_string()))
}

struct Simple {
    name: String,
    color: Color,
    state: State,
    halt: Halt,
    interrupts: Arc<Interrupts>,
    /// Numbers the requests, like lines of a protocol: a request ends thinking ahead.
    n_requests: u64,
}

enum State {
    Waiting(Box<dyn Player>),
    ThinkingAhead(JoinHandle<Box<dyn Player>>),
    /// The thread could not be started or has panicked.
    Gone,
}

impl Seat for Simple {
    fn begin(&mut self, _: &Game, terms: Terms) -> Result<(), Fault> {
        self.recall();
        // Restarted from the game's seed, so that games repeat unless a player thinks ahead.
        self.state = State::Waiting(make(&self.name, terms.seed)?);
        self.color = terms.color;
        Ok(())
    }

    fn observe(&mut self, game: &Game) -> Result<(), Fault> {
        let was_own = game.plies().last().is_some_and(|ply| ply.before.side == self.color);
        let is_others_turn = game.position().side != self.color && !game.is_over();
        if !was_own || !is_others_turn {
            return Ok(());
        }
        self.recall();
        match std::mem::replace(&mut self.state, State::Gone) {
            State::Waiting(player) if player.thinks_ahead() => self.think_ahead(player, game),
            state => {
                self.state = state;
                Ok(())
            }
        }
    }

    fn choose(&mut self, game: &Game, _: [Clock; 2], deadline: Instant) -> Result<Choice, Fault> {
        let start = Instant::now();
        self.recall();
        let State::Waiting(player) = &mut self.state else {
            return Err(Fault::new(Cause::Crash, "the player crashed while thinking ahead"));
        };
        // It has no clock, so the referee's deadline ends searches that are too deep.
        let choice = player.consider(game, &stop_at(deadline, &self.halt), &mut |_| {});
        if self.halt.is_called() {
            return Err(halted());
        }
        // A disc count some moves ahead does not predict the result; at the end of the game it is the result.
        let n_empties = game.position().board.n_empties();
        let is_result = |value: &Value| value.unit == Unit::Discs && value.bound == Bound::Exact;
        let seen = choice.filter(|choice| choice.depth >= n_empties);
        let value = seen.and_then(|choice| choice.value).filter(is_result);
        Ok(Choice {
            answer: Answer::Move(choice.map_or(Move::Pass, |choice| choice.mv)),
            value: value.map(|value| f64::from(value.number)),
            elapsed: start.elapsed(),
        })
    }
}

impl Simple {
    fn think_ahead(&mut self, mut player: Box<dyn Player>, game: &Game) -> Result<(), Fault> {
        let stop = StopToken::on_any_line(&self.interrupts, self.n_requests);
        let game = game.clone();
        let thread = std::thread::Builder::new().name("thinking ahead".into()).spawn(move || {
            player.think_ahead(&game, &stop, &mut |_| {});
            player
        });
        let thread = thread.map_err(|error| Fault::new(Cause::Crash, error.to_string()))?;
        self.state = State::ThinkingAhead(thread);
        Ok(())
    }

    /// Ends thinking ahead.
    fn recall(&mut self) {
        self.n_requests += 1;
        self.interrupts.note_line(self.n_requests);
        self.state = match std::mem::replace(&mut self.state, State::Gone) {
            State::ThinkingAhead(thread) => thread.join().map_or(State::Gone, State::Waiting),
            state => state,
        };
    }
}

impl Drop for Simple {
    fn drop(&mut self) {
        self.recall();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::pace::Pace;
    use crate::game::Note;

    #[test]
    fn a_depth_without_end_ends_with_the_patience_of_the_referee() {
        for name in ["classic:open=positional/60", "minimax:rounds=30"] {
            let mut seat = simple(name, &Halt::default()).unwrap();
            let deadline = Instant::now() + std::time::Duration::from_millis(50);
            let choice = seat.choose(&Game::default(), [Clock::default(); 2], deadline).unwrap();
            assert!(matches!(choice.answer, Answer::Move(Move::Place(_))));
        }
    }

    #[test]
    fn a_halt_ends_a_move() {
        let halt = Halt::default();
        let caller = halt.clone();
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            caller.call();
        });
        let mut seat = simple("classic:open=positional/60", &halt).unwrap();
        let start = Instant::now();
        let deadline = start + std::time::Duration::from_secs(120);
        let choice = seat.choose(&Game::default(), [Clock::default(); 2], deadline);
        assert_eq!(choice.unwrap_err().cause, Cause::Exit);
        assert!(Instant::now() < deadline);
    }

    #[test]
    fn a_player_thinks_ahead_between_its_moves_and_not_longer() {
        let mut seat = simple("classic:open=positional/3", &Halt::default()).unwrap();
        let mut game = Game::default();
        let later = Instant::now() + std::time::Duration::from_secs(60);
        let terms = Terms { color: Color::Black, pace: Pace::Level(1), seed: 1 };
        seat.begin(&game, terms).unwrap();
        for _ in 0..6 {
            let choice = seat.choose(&game, [Clock::default(); 2], later).expect("a move");
            let Answer::Move(mv) = choice.answer else { panic!() };
            assert!(game.play(mv, Note::default()));
            seat.observe(&game).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
            let reply = game.position().board.moves().next().unwrap();
            assert!(game.play(Move::Place(reply), Note::default()));
            seat.observe(&game).unwrap();
        }
        // In the middle of its thoughts.
        game.undo();
        seat.observe(&game).unwrap();
        seat.begin(&Game::default(), terms).unwrap();
        assert!(seat.choose(&Game::default(), [Clock::default(); 2], later).is_ok());
    }
}

//! This program's engine, in the same process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::halt::Halt;
use super::{Answer, Choice, Seat, Terms, halted, stop_at};
use crate::board::Color;
use crate::clock::Clock;
use crate::engine::pace::Pace;
use crate::engine::strength::Strength;
use crate::engine::{Aim, Config, Effort, Engine, Event, Job, Result as JobResult, Think};
use crate::game::Game;
use crate::score;
use crate::search::{Interrupts, StopToken};
use crate::seats::fault::{Cause, Fault};

/// Communication within the process takes little time.
pub(crate) const OVERHEAD: Duration = Duration::from_millis(2);

/// This program's engine.
pub(super) fn engine(
    config: Config,
    ponders: bool,
    strength: Strength,
    halt: &Halt,
) -> Result<Box<dyn Seat>, Fault> {
    let engine =
        Engine::start(config).map_err(|error| Fault::new(Cause::Start, error.to_string()))?;
    Ok(Box::new(OwnEngine {
        engine,
        ponders,
        strength,
        halt: halt.clone(),
        interrupts: Arc::default(),
        n_lines: 0,
        terms: Terms { color: Color::Black, pace: Pace::Level(1), seed: 0 },
        clock: Clock::default(),
        is_pondering: false,
    }))
}

struct OwnEngine {
    engine: Engine,
    ponders: bool,
    strength: Strength,
    halt: Halt,
    interrupts: Arc<Interrupts>,
    /// Numbers the requests, like lines of a protocol: a request ends pondering.
    n_lines: u64,
    terms: Terms,
    /// Its own clock as of the last request.
    clock: Clock,
    is_pondering: bool,
}

impl Seat for OwnEngine {
    fn begin(&mut self, _: &Game, terms: Terms) -> Result<(), Fault> {
        self.stop_pondering()?;
        self.terms = terms;
        self.clock = match terms.pace {
            Pace::Time(control) => Clock::new(control),
            _ => Clock::default(),
        };
        // Games must repeat, so nothing learned in one game may affect the next.
        self.engine.run(Job::Forget, StopToken::never());
        self.result().map(|_| ())
    }

    fn observe(&mut self, game: &Game) -> Result<(), Fault> {
        let position = game.position();
        let was_own = game.plies().last().is_some_and(|ply| ply.before.side == self.terms.color);
        if !self.ponders || !was_own || position.side == self.terms.color || game.is_over() {
            return Ok(());
        }
        self.stop_pondering()?;
        if position.board.legal_moves() != 0 {
            let job = Job::Ponder { board: position.board, effort: effort(self.terms, self.clock) };
            let stop = StopToken::on_any_line(&self.interrupts, self.n_lines);
            self.engine.run(job, stop);
            self.is_pondering = true;
        }
        Ok(())
    }

    fn choose(
        &mut self,
        game: &Game,
        clocks: [Clock; 2],
        deadline: Instant,
    ) -> Result<Choice, Fault> {
        let start = Instant::now();
        self.stop_pondering()?;
        self.clock = clocks[self.terms.color.index()];
        let think = think(game, self.terms, self.clock, self.strength);
        let stop = stop_at(deadline, &self.halt);
        self.engine.run(Job::Think(think), stop.clone());
        let JobResult::Thought(thought) = self.result()? else {
            return Err(Fault::new(Cause::BadReply, "the engine gave an unexpected answer"));
        };
        if self.halt.is_called() {
            return Err(halted());
        }
        if stop.is_stopped() {
            return Err(Fault::new(Cause::Stall, "no answer"));
        }
        let line =
            thought.line().ok_or_else(|| Fault::new(Cause::BadReply, "the engine has no move"))?;
        Ok(Choice {
            answer: Answer::Move(line.mv),
            value: Some(score::discs(line.score)),
            elapsed: start.elapsed(),
        })
    }
}

impl OwnEngine {
    fn stop_pondering(&mut self) -> Result<(), Fault> {
        self.n_lines += 1;
        self.interrupts.note_line(self.n_lines);
        if std::mem::take(&mut self.is_pondering) {
            self.result()?;
        }
        Ok(())
    }

    fn result(&mut self) -> Result<JobResult, Fault> {
        let result = self.engine.finished().recv();
        // Reports are unused here; drain them so that the queue does not grow.
        while let Ok((_, Event::Report(_) | Event::Foresaw(_) | Event::Valued { .. })) =
            self.engine.events().try_recv()
        {}
        result
            .map(|(_, result)| result)
            .map_err(|_| Fault::new(Cause::Crash, "the engine's thread has died"))
    }
}

fn think(game: &Game, terms: Terms, clock: Clock, strength: Strength) -> Think {
    Think::new(game.position().board, effort(terms, clock)).as_strong(strength, terms.seed)
}

fn effort(terms: Terms, clock: Clock) -> Effort {
    Aim::from(terms.pace).effort(clock, OVERHEAD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::clock::Control;
    use crate::game::Note;
    use crossbeam_channel::bounded;

    /// Longer than anything here takes on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn seat(pace: Pace, halt: &Halt) -> Box<dyn Seat> {
        let config = Config { hash_megabytes: 1, ..Config::default() };
        let mut seat = engine(config, true, Strength::default(), halt).unwrap();
        let terms = Terms { color: Color::Black, pace, seed: 1 };
        seat.begin(&Game::default(), terms).unwrap();
        seat
    }

    /// Lets a seat choose a move that it would never find; why it gave up.
    fn give_up(halt: &Halt, deadline: Instant) -> Cause {
        let mut seat = seat(Pace::Depth(60), halt);
        let choice = seat.choose(&Game::default(), [Clock::default(); 2], deadline);
        choice.unwrap_err().cause
    }

    #[test]
    fn a_move_without_end_is_a_stall_at_the_deadline() {
        let start = Instant::now();
        let cause = give_up(&Halt::default(), start + Duration::from_millis(300));
        assert_eq!(cause, Cause::Stall);
        assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    }

    #[test]
    fn nodes_limit_every_strength() {
        for strength in [1, 30, 59, 60] {
            let strength = Strength::new(strength).unwrap();
            let terms = Terms { color: Color::Black, pace: Pace::Nodes(70), seed: 1 };
            let think = think(&Game::default(), terms, Clock::default(), strength);
            assert_eq!(think.effort.limits.budget.nodes, Some(70), "{strength:?}");
        }
    }

    #[test]
    fn a_halt_ends_a_move() {
        let halt = Halt::default();
        let caller = halt.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            caller.call();
        });
        let start = Instant::now();
        assert_eq!(give_up(&halt, start + 2 * PATIENCE), Cause::Exit);
        assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    }

    #[test]
    fn a_seat_that_ponders_may_be_left_at_any_time() {
        let later = Instant::now() + PATIENCE;
        let (left, has_left) = bounded(1);
        std::thread::spawn(move || {
            let control = Control::Move(OVERHEAD * 5);
            let mut seat = seat(Pace::Time(control), &Halt::default());
            let mut game = Game::default();
            let choice = seat.choose(&game, [Clock::new(control); 2], later).unwrap();
            let Answer::Move(mv @ Move::Place(_)) = choice.answer else { panic!("{choice:?}") };
            game.play(mv, Note::default());
            seat.observe(&game).unwrap();
            drop(seat);
            left.send(()).unwrap();
        });
        assert!(has_left.recv_timeout(PATIENCE).is_ok(), "it is still pondering");
    }
}

//! Who plays behind a protocol: the engine, or a simple player in its place, with one queue for both.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::simple::spec::SimpleSpec;
use super::{Answer, Cause, Choice, Fault, Player, Progress, Turn};
use crate::board::Move;
use crate::book::learner::Learner;
use crate::engine::{Config, Done, Ended, Event, Job, OnEvent, Perform, Prediction, Worker};
use crate::game::{Game, must_pass};
use crate::journal::{Recorder, Step};
use crate::search::Stop;

/// What a protocol wants done.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a few tasks at a time")]
pub enum Task {
    /// A job for the engine.
    Engine(Job),
    /// To choose a move.
    Move(Situation),
    /// To think on the opponent's time.
    Ahead(Situation),
    /// To search what learned games have left open.
    Study(Arc<dyn Learner>),
}

/// A simple player in the engine's place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Substitute {
    /// Which one.
    pub spec: SimpleSpec,
    /// Decides its random choices.
    pub seed: u64,
    /// Another number means another player, even of the same kind.
    pub number: u64,
}

/// What a simple player needs to know. It ignores clocks.
#[derive(Clone, Debug)]
pub struct Situation {
    /// The player.
    pub player: Substitute,
    /// The game with the player to move.
    pub game: Game,
    /// When this changes, the player forgets the last game.
    pub n_games: u64,
}

/// Does what a protocol wants, in the thread of its caller.
pub struct TaskWorker {
    config: Config,
    recorder: Recorder,
    /// Of an earlier run; the engine repeats them.
    steps: Vec<Step>,
    /// Started when it is needed.
    engine: Option<Worker>,
    player: Option<Seated>,
}

struct Seated {
    substitute: Substitute,
    n_games: u64,
    player: Box<dyn Player>,
}

impl TaskWorker {
    /// The engine notes what it does, and repeats `steps` of an earlier run.
    pub const fn new(config: Config, recorder: Recorder, steps: Vec<Step>) -> TaskWorker {
        TaskWorker { config, recorder, steps, engine: None, player: None }
    }

    #[cfg(test)]
    pub(crate) fn seat(&mut self, substitute: Substitute, player: Box<dyn Player>) {
        self.player = Some(Seated { substitute, n_games: 0, player });
    }

    /// Starts it, if it is not there yet.
    pub(crate) fn engine(&mut self) -> &mut Worker {
        self.engine.get_or_insert_with(|| {
            let steps = std::mem::take(&mut self.steps);
            Worker::new(self.config.clone(), self.recorder.clone(), steps)
        })
    }

    fn attempt<T>(&mut self, work: impl FnOnce(&mut TaskWorker) -> T) -> Result<T, ()> {
        catch_unwind(AssertUnwindSafe(|| work(self)))
            .map_err(|_| self.recorder.error("a player or learner panicked"))
    }

    fn choose(&mut self, situation: &Situation, stop: &Stop) -> Result<Choice, Fault> {
        let start = Instant::now();
        let board = situation.game.position().board;
        let choice = match board.legal_moves() {
            0 if must_pass(board) => Answer::Move(Move::Pass).into(),
            0 => Choice::default(),
            _ => {
                let turn = Turn::without_end(&situation.game, stop);
                self.player(situation).choose(turn, &mut |_| {})?
            }
        };
        Ok(Choice { elapsed: start.elapsed(), ..choice })
    }

    fn ponder(
        &mut self,
        situation: &Situation,
        stop: &Stop,
        report: OnEvent<'_>,
    ) -> Vec<Prediction> {
        let mut found = Vec::new();
        let turn = Turn::without_end(&situation.game, stop);
        self.player(situation).ponder(turn, &mut |progress| {
            if let Progress::Predicted(table) = progress {
                found.clone_from(&table);
                report(Event::Predicted(table));
            }
        });
        found
    }

    /// The player of a situation: the one that is there, or a new one.
    fn player(&mut self, situation: &Situation) -> &mut dyn Player {
        let &Situation { player: substitute, n_games, .. } = situation;
        let seated = self.player.take_if(|seated| seated.substitute == substitute);
        let seated = seated.unwrap_or_else(|| {
            let player = substitute.spec.player(substitute.seed);
            Seated { substitute, n_games, player }
        });
        let seated = self.player.insert(seated);
        if std::mem::replace(&mut seated.n_games, n_games) != n_games {
            seated.player.forget();
        }
        &mut *seated.player
    }
}

impl Perform<Task> for TaskWorker {
    fn perform(&mut self, task: &Task, asked: Instant, stop: &Stop, report: OnEvent<'_>) -> Ended {
        let done = match task {
            Task::Engine(job) => return self.engine().perform(job, asked, stop, report),
            Task::Move(situation) => match self.attempt(|worker| worker.choose(situation, stop)) {
                Ok(Ok(choice)) => Done::Chosen(Box::new(choice)),
                Ok(Err(fault)) => Done::Failed(fault),
                Err(()) => Done::Failed(Fault::new(Cause::Crash, "the player crashed")),
            },
            Task::Ahead(situation) => {
                let found = self.attempt(|worker| worker.ponder(situation, stop, report));
                Done::Pondered(found.unwrap_or_default())
            }
            Task::Study(learner) => {
                let studied = self.attempt(|_| learner.study(stop));
                if let Ok(Err(error)) = studied {
                    log::warn!("nothing more is learned: {error}");
                }
                Done::Pondered(Vec::new())
            }
        };
        Ended { done, was_stopped: stop.is_stopped() }
    }

    fn configure(&mut self, config: Config) {
        if let Some(engine) = &mut self.engine {
            engine.configure(config.clone());
        }
        self.config = config;
    }

    fn note_reply_latency(&mut self, reply_latency: Duration) {
        if let Some(engine) = &mut self.engine {
            engine.note_reply_latency(reply_latency);
        }
    }

    fn prepare(&mut self) -> bool {
        self.engine.as_mut().is_none_or(Worker::prepare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::players::OnProgress;
    use crate::players::simple::spec;

    fn substitute(name: &str) -> Substitute {
        Substitute { spec: spec::parse(name).unwrap(), seed: 1, number: 0 }
    }

    fn perform(worker: &mut TaskWorker, task: &Task) -> Done {
        worker.perform(task, Instant::now(), &Stop::new(), &mut |_| {}).done
    }

    #[test]
    fn passes_and_ends_are_no_choices() {
        // Black must pass; White has two moves. White has no discs. The board is full.
        const FORCED: &[u8] = b"-------------------X-------XX--O---XXXOO-----X-O-----X---------- X";
        const WIPED: &[u8] =
            b"XXX----- -------- -------- -------- -------- -------- -------- -------- X";
        const FULL: &[u8] = b"XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX O";
        let mut worker = TaskWorker::new(Config::default(), Recorder::default(), Vec::new());
        for name in spec::NAMES {
            for (text, expected) in [(FORCED, Some(Move::Pass)), (WIPED, None), (FULL, None)] {
                let game = Game::new(Position::parse(text).unwrap());
                let player = substitute(name);
                let done =
                    perform(&mut worker, &Task::Move(Situation { player, game, n_games: 0 }));
                let Done::Chosen(choice) = done else { panic!("{done:?}") };
                assert_eq!(choice.mv(), expected, "{name}");
            }
        }
        assert!(worker.engine.is_none(), "nobody asked it");
    }

    #[test]
    fn a_player_forgets_the_last_game_once() {
        struct Counts(std::sync::mpsc::Sender<()>);
        impl Player for Counts {
            fn forget(&mut self) {
                self.0.send(()).unwrap();
            }
            fn choose(&mut self, turn: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
                Ok(turn.board().moves().next().unwrap().into())
            }
        }
        let (sender, forgotten) = std::sync::mpsc::channel();
        let player = substitute("greedy");
        let mut worker = TaskWorker::new(Config::default(), Recorder::default(), Vec::new());
        worker.seat(player, Box::new(Counts(sender)));
        let counts = [0, 2, 2, 3].map(|n_games| {
            let situation = Situation { player, game: Game::default(), n_games };
            perform(&mut worker, &Task::Move(situation));
            forgotten.try_iter().count()
        });
        assert_eq!(counts, [0, 1, 0, 1]);
    }

    #[test]
    fn a_player_that_fails_or_breaks_is_a_fault_and_the_next_task_is_done() {
        struct Fails(bool);
        impl Player for Fails {
            fn choose(&mut self, _: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
                assert!(self.0, "a test");
                Err(Fault::new(Cause::Stall, "a test"))
            }
        }
        let player = substitute("greedy");
        let situation = Situation { player, game: Game::default(), n_games: 0 };
        let mut worker = TaskWorker::new(Config::default(), Recorder::default(), Vec::new());
        for (fails, expected) in [(true, Cause::Stall), (false, Cause::Crash)] {
            worker.seat(player, Box::new(Fails(fails)));
            let done = perform(&mut worker, &Task::Move(situation.clone()));
            assert!(matches!(&done, Done::Failed(fault) if fault.cause == expected), "{done:?}");
        }
        assert!(matches!(perform(&mut worker, &Task::Ahead(situation.clone())), Done::Pondered(_)));
        // Another number is another player.
        let other = Situation { player: Substitute { number: 1, ..player }, ..situation };
        assert!(matches!(perform(&mut worker, &Task::Move(other)), Done::Chosen(_)));
    }
}

//! The engine behind every protocol: one worker thread that owns the table and searches, one job after the other.
//!
//! Jobs carry an id that comes back with everything they send. Reports that are not taken in time are lost; a job's end always arrives,
//! even after a panic, then with a legal move. Dropping an engine ends its jobs. A [`Worker`] does the same in its caller's thread.

pub mod choice;
pub mod fault;
pub mod job;
pub mod level;
mod loading;
mod pace;
mod played;
mod ponder;
mod script;
pub mod settings;
mod speed_model;
pub mod strength;
mod thinker;
mod time;
mod variety;
mod worker;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::board::{Board, Color};
use crate::book::Book;
use crate::book::choice::Variety;
use crate::book::repertoire::Repertoire;
use crate::evaluation::Source;
use crate::game::Game;
use crate::journal::{Recorder, Step};
use crate::score::{DISC, INFINITE, Score};
use crate::search::{Lines, Stop};
pub use choice::Choice;
pub use job::{Done, Effort, Event, Job, JobId, Pick, Prediction, Think};
pub use pace::Pace;
pub use played::{Novelty, Played, PlayedPositions};
pub use speed_model::SpeedModel;
use strength::Strength;
pub use variety::VarietyTracker;
pub use worker::Worker;

/// What the engine needs to know before it searches; may change between jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Search threads, at least 1.
    pub n_threads: usize,
    /// Size of the table in MiB.
    pub hash_megabytes: usize,
    /// The evaluation.
    pub evaluation: Source,
    /// The opening book to play from.
    pub book: Option<Arc<Book>>,
    /// Discs that a side may lose in a game by its choices among the book's moves, 0 to 64.
    pub book_variety: f64,
    /// What a proven draw in the book counts for Black, in discs, -64 to 64.
    pub contempt: i32,
    /// The moves that it always plays, prefers or avoids.
    pub repertoire: Option<Arc<Repertoire>>,
    /// The strength; below the top it plays like a person, whatever the level or depth.
    pub strength: Strength,
    /// What limits every move. A protocol's time control gives way to its own.
    pub pace: Pace,
    /// Whether it thinks on the opponent's time.
    pub ponders: bool,
    /// Pick among moves at most this many discs below the best, 0 to 64; 0 always picks the best.
    pub randomness: f64,
    /// The numbers of the search.
    #[cfg(feature = "tune")]
    pub parameters: crate::search::Parameters,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            n_threads: 1,
            hash_megabytes: 64,
            evaluation: Source::default(),
            book: None,
            book_variety: 0.0,
            contempt: 0,
            repertoire: None,
            strength: Strength::default(),
            pace: Pace::OWN,
            ponders: false,
            randomness: 0.0,
            #[cfg(feature = "tune")]
            parameters: crate::search::Parameters::DEFAULT,
        }
    }
}

impl Config {
    /// Prepares the search for a move of `color` on `board`, which is the game's or the one after a pass of the side to move: strength,
    /// book and repertoire, and what `tracker` knows of earlier games. The seed decides the draws of this game.
    pub fn prepare(
        &self,
        game: &Game,
        board: Board,
        color: Color,
        effort: Effort,
        seed: u64,
        tracker: &mut VarietyTracker,
    ) -> Think {
        let in_points = |discs: f64| (discs * f64::from(DISC)) as Score;
        let mut think = Think::new(board, effort);
        if let Some(repertoire) = &self.repertoire {
            think.rules = repertoire.rules(board, color);
        }
        if let Some(book) = &self.book {
            let total = in_points(self.book_variety);
            let draw = self.contempt * DISC * color.sign();
            let variety = Variety::new(total, seed, draw);
            // Nobody has played from a book that is still packed, and unpacking it here, where no job's clock counts, takes time.
            let has_played = total > 0 && book.is_unpacked();
            think.variety =
                Some(if has_played { book.varied(game, color, variety) } else { variety });
        }
        let margin = in_points(self.randomness).min(INFINITE);
        if margin > 0 {
            think.effort.limits.lines = Lines::Within(margin);
            think.pick = Pick::Evenly(seed);
        } else if think.rules.prefer != 0 {
            think.pick = Pick::Prefer(think.rules);
        }
        let mut think = think.as_strong(self.strength, seed);
        tracker.prepare(&mut think, game, color);
        think
    }
}

#[expect(clippy::large_enum_variant, reason = "a few commands at a time")]
enum Command {
    Run(JobId, Job, Stop, Instant),
    Configure(Config),
    NoteReplyLatency(Duration),
}

struct Ends {
    events: Sender<(JobId, Event)>,
    finished: Sender<(JobId, Done)>,
}

/// Stack in bytes of a thread that searches.
pub const STACK: usize = 16 << 20;

/// After so long without a command the engine prepares its first search.
const IDLE: Duration = Duration::from_millis(5);

/// Further ones are dropped.
const REPORT_QUEUE: usize = 256;

/// A handle on the worker thread; dropping it stops the running job and those behind it, and joins the thread.
#[derive(Debug)]
pub struct Engine {
    /// `None` only while the handle is dropped.
    commands: Option<Sender<Command>>,
    events: Receiver<(JobId, Event)>,
    finished: Receiver<(JobId, Done)>,
    worker: Option<JoinHandle<()>>,
    recorder: Recorder,
    next_id: JobId,
    /// Set when the handle is dropped: no job outlives it.
    ending: Stop,
}

impl Engine {
    /// Starts the worker; fails if the system refuses the thread.
    pub fn start(config: Config) -> std::io::Result<Engine> {
        Engine::recorded(config, Recorder::default(), Vec::new())
    }

    /// Starts a worker that notes what it does, and whose searches go as far as those of an earlier run, whatever clocks and lines
    /// say; after the last of `steps` it is a worker like any other. Fails if the system refuses the thread.
    pub fn recorded(
        config: Config,
        recorder: Recorder,
        steps: Vec<Step>,
    ) -> std::io::Result<Engine> {
        Engine::spawn(recorder.clone(), move |commands, ends| {
            serve(Worker::new(config, recorder, steps), &commands, &ends);
        })
    }

    fn spawn(
        recorder: Recorder,
        work: impl FnOnce(Receiver<Command>, Ends) + Send + 'static,
    ) -> std::io::Result<Engine> {
        let (commands, command_queue) = unbounded();
        let (event_sender, events) = bounded(REPORT_QUEUE);
        let (finished_sender, finished) = unbounded();
        let ends = Ends { events: event_sender, finished: finished_sender };
        let worker = std::thread::Builder::new()
            .name("engine".into())
            .stack_size(STACK)
            .spawn(move || work(command_queue, ends))?;
        Ok(Engine {
            commands: Some(commands),
            events,
            finished,
            worker: Some(worker),
            recorder,
            next_id: 1,
            ending: Stop::new(),
        })
    }

    #[cfg(all(test, feature = "program"))]
    pub(crate) fn broken() -> Engine {
        Engine::spawn(Recorder::default(), |commands, _ends| {
            drop(commands.recv());
            panic!("a test");
        })
        .unwrap()
    }

    /// Queues a job behind the running one and returns its id.
    pub fn run(&mut self, job: Job, stop: &Stop) -> JobId {
        let id = self.next_id;
        self.next_id += 1;
        self.send(Command::Run(id, job, stop.or(&self.ending), Instant::now()));
        id
    }

    /// Changes the settings for the jobs queued from now on.
    pub fn configure(&self, config: Config) {
        self.send(Command::Configure(config));
    }

    /// Passes on [`Worker::note_reply_latency`].
    pub fn note_reply_latency(&self, reply_latency: Duration) {
        self.send(Command::NoteReplyLatency(reply_latency));
    }

    /// What running jobs report; disconnected, as [`Engine::finished`], only when the worker has broken down.
    pub const fn events(&self) -> &Receiver<(JobId, Event)> {
        &self.events
    }

    /// Results, one for each job.
    pub const fn finished(&self) -> &Receiver<(JobId, Done)> {
        &self.finished
    }

    fn send(&self, command: Command) {
        // The worker outlives the sender: it ends only when the channel is closed.
        if let Some(commands) = &self.commands
            && commands.send(command).is_err()
        {
            self.recorder.error("the engine's thread is gone");
        }
    }
}

/// Serves commands until their channel is closed. While there are none, it prepares the first search, before a clock runs.
fn serve(mut worker: Worker, commands: &Receiver<Command>, ends: &Ends) {
    loop {
        let command = match worker.thinker.is_prepared() {
            true => commands.recv().map_err(RecvTimeoutError::from),
            false => commands.recv_timeout(IDLE),
        };
        match command {
            Err(RecvTimeoutError::Timeout) => worker.thinker.prepare(),
            Err(RecvTimeoutError::Disconnected) => return,
            Ok(Command::Configure(config)) => worker.configure(config),
            Ok(Command::NoteReplyLatency(latency)) => worker.note_reply_latency(latency),
            Ok(Command::Run(id, job, stop, asked)) => {
                // If the queue is full nobody looks, and a later report says more anyway.
                let mut report = |event| drop(ends.events.try_send((id, event)));
                let result = worker.answer_since(asked, &job, &stop, &mut report);
                if ends.finished.send((id, result)).is_err() {
                    return;
                }
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.ending.set();
        self.commands = None;
        if let Some(worker) = self.worker.take()
            && worker.join().is_err()
        {
            self.recorder.error("the engine's thread panicked");
        }
    }
}

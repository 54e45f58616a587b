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
mod searcher;
pub mod seat;
pub mod settings;
mod speed_model;
pub mod strength;
mod thinker;
mod time;
mod variety;
mod worker;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::board::{Board, Color};
use crate::book::Book;
use crate::book::choice::Variety;
use crate::book::repertoire::Repertoire;
use crate::evaluation::Source;
use crate::game::Game;
use crate::journal::Recorder;
use crate::score::{DISC, INFINITE, Score};
use crate::search::{Lines, Stop};
pub use choice::Choice;
pub use job::{Done, Effort, Ended, Event, Job, JobId, OnEvent, Pick, Prediction, Think};
pub use pace::Pace;
pub use played::{Novelty, Played, PlayedPositions};
pub use searcher::Searcher;
pub use seat::STACK;
use seat::{Seat, Serve};
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

/// Who does tasks one after the other, in the thread of its caller.
pub trait Perform<T> {
    /// Does a task that was given at `asked`, when a clock may have begun to run. Never panics.
    fn perform(&mut self, task: &T, asked: Instant, stop: &Stop, report: OnEvent<'_>) -> Ended;

    /// Changes the settings for the next tasks.
    fn configure(&mut self, config: Config);

    /// Learns how long after the end of its search a reply was written. Later moves keep time back for this.
    fn note_reply_latency(&mut self, reply_latency: Duration);

    /// Prepares for the next task, before a clock runs; `true` once all is done.
    fn prepare(&mut self) -> bool;
}

/// Further reports are dropped.
const REPORT_QUEUE: usize = 256;

#[derive(Debug)]
enum Command<T> {
    Run(JobId, T),
    Configure(Box<Config>),
    NoteReplyLatency(Duration),
}

/// A worker in a thread of its own; dropping it stops the running job and those behind it, and joins the thread.
#[derive(Debug)]
pub struct Engine<T = Job> {
    seat: Seat<Command<T>>,
    events: Receiver<(JobId, Event)>,
    finished: Receiver<(JobId, Ended)>,
    last_id: JobId,
}

impl Engine {
    /// Starts the worker; fails if the system refuses the thread.
    pub fn start(config: Config) -> std::io::Result<Engine> {
        Engine::of(|| Worker::new(config, Recorder::default(), Vec::new()))
    }
}

impl<T: Send + 'static> Engine<T> {
    /// Starts a thread with whom `make` returns there; fails if the system refuses the thread.
    pub fn of<P: Perform<T>>(
        make: impl FnOnce() -> P + Send + 'static,
    ) -> std::io::Result<Engine<T>> {
        let (event_sender, events) = bounded(REPORT_QUEUE);
        let (finished_sender, finished) = unbounded();
        let make = |_| Server { worker: make(), events: event_sender, finished: finished_sender };
        Ok(Engine { seat: Seat::start("engine", make)?, events, finished, last_id: 0 })
    }

    /// Queues a job behind the running one and returns its id.
    pub fn run(&mut self, job: T, stop: &Stop) -> JobId {
        self.last_id += 1;
        self.seat.queue(Command::Run(self.last_id, job), stop);
        self.last_id
    }

    /// Changes the settings for the jobs queued from now on.
    pub fn configure(&self, config: Config) {
        self.seat.tell(Command::Configure(Box::new(config)));
    }

    /// Passes on [`Perform::note_reply_latency`].
    pub fn note_reply_latency(&self, reply_latency: Duration) {
        self.seat.tell(Command::NoteReplyLatency(reply_latency));
    }

    /// What running jobs report; disconnected, as [`Engine::finished`], only when the worker has broken down.
    pub const fn events(&self) -> &Receiver<(JobId, Event)> {
        &self.events
    }

    /// Results, one for each job.
    pub const fn finished(&self) -> &Receiver<(JobId, Ended)> {
        &self.finished
    }
}

struct Server<P> {
    worker: P,
    events: Sender<(JobId, Event)>,
    finished: Sender<(JobId, Ended)>,
}

impl<T, P: Perform<T>> Serve<Command<T>> for Server<P> {
    fn serve(&mut self, command: Command<T>, asked: Instant, stop: &Stop) {
        match command {
            Command::Configure(config) => self.worker.configure(*config),
            Command::NoteReplyLatency(latency) => self.worker.note_reply_latency(latency),
            Command::Run(id, job) => {
                // If the queue is full nobody looks, and a later report says more anyway.
                let mut report = |event| drop(self.events.try_send((id, event)));
                let ended = self.worker.perform(&job, asked, stop, &mut report);
                // Nobody is left to hear it at the end of the program.
                drop(self.finished.send((id, ended)));
            }
        }
    }

    fn idle(&mut self) -> bool {
        self.worker.prepare()
    }
}

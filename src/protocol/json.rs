//! Requests for scores, as objects of JSON: several positions are searched at a time, the most urgent first, each until it is done or
//! canceled. So it is no `Machine`, whose engine has one job at a time.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use serde::Serialize;
use serde_json::json;

use super::lines::{self, Lines};
use super::writer::Writer;
use crate::book::Book;
use crate::engine::{Effort, STACK, Searcher};
use crate::journal::{Entry, Recorder};
use crate::requests::keys::Id;
use crate::requests::request::{self, Line};
use crate::requests::row::to_text;
use crate::requests::{Answer, Canceled, Told, Unit};
use crate::search::Stop;

/// Positions that may wait, which takes some 100 MB. Beyond that, no line is read.
const MAX_WAITING: usize = 200_000;

/// The longest line in bytes.
const MAX_LINE: usize = 1 << 20;

/// How it ends; the later one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closing {
    /// All that waits is searched.
    Finish,
    /// Nothing more is answered.
    Quit,
}

/// By urgency, then by order.
type Place = (Reverse<i64>, u64);

#[derive(Debug, Default)]
struct State {
    waiting: BTreeMap<Place, Unit>,
    /// By worker: what it searches, with what stops it.
    running: Vec<Option<(Unit, Stop)>>,
    /// By worker: the game whose positions its table knows.
    games: Vec<Option<String>>,
    n_units: u64,
    /// Tables are to be cleared as often as this has grown.
    n_clears: u64,
    /// That of the request to quit.
    quit: Id,
    closing: Option<Closing>,
    /// Why an answer could not be written.
    failure: Option<io::Error>,
}

/// The requests and their answers. Who holds the output may lock the state, but not the other way round.
pub struct Queue<W: Write> {
    state: Mutex<State>,
    /// Signaled when a unit comes, one goes, or the end is near.
    changed: Condvar,
    /// `None` after the last line.
    output: Mutex<Option<Writer<W>>>,
    /// What it says of itself.
    name: String,
    /// That of requests that name none.
    effort: Effort,
    recorder: Recorder,
}

impl<W: Write + Send + 'static> Queue<W> {
    /// A queue of a server with this name, which records its traffic; `effort` is that of requests that name none.
    pub fn new(output: W, name: String, effort: Effort, recorder: Recorder) -> Arc<Queue<W>> {
        let (state, changed) = Default::default();
        let output = Mutex::new(Some(Writer::new(output, recorder.clone())));
        Arc::new(Queue { state, changed, output, name, effort, recorder })
    }

    /// Answers all requests of `input`, by as many searches at a time as there are searchers.
    pub fn serve(
        self: &Arc<Self>,
        searchers: Vec<Searcher<'_>>,
        book: Option<&Book>,
        input: impl BufRead + Send + 'static,
    ) -> io::Result<()> {
        let mut state = self.lock();
        state.running.resize(searchers.len(), None);
        state.games.resize(searchers.len(), None);
        drop(state);
        let queue = Arc::clone(self);
        // Not joined: a blocked read ends only with the process.
        Builder::new().name("requests".into()).spawn(move || queue.listen(input))?;
        let served = std::thread::scope(|scope| {
            for (index, searcher) in searchers.into_iter().enumerate() {
                let worker = Builder::new().stack_size(STACK);
                worker.spawn_scoped(scope, move || self.work(index, searcher, book))?;
            }
            Ok(())
        });
        self.take_leave();
        self.lock().failure.take().map_or(served, Err)
    }

    /// Lets it end.
    pub fn close(&self, closing: Closing) {
        let mut state = self.lock();
        state.closing = state.closing.max(Some(closing));
        if closing == Closing::Quit {
            state.running.iter().flatten().for_each(|(_, stop)| stop.set());
        }
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn output(&self) -> MutexGuard<'_, Option<Writer<W>>> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, value: &impl Serialize) {
        self.print(&mut self.output(), to_text(value));
    }

    /// Prints a line; nobody may read it any more.
    fn print(&self, output: &mut Option<Writer<W>>, text: String) {
        let Some(writer) = output else { return };
        if writer.send((text + "\n").as_bytes()).is_err() {
            let failure = writer.failure();
            let mut state = self.lock();
            state.failure = state.failure.take().or(failure);
            drop(state);
            self.close(Closing::Quit);
        }
    }

    /// Says whose answers are missing, if any may be. It is the last line.
    fn take_leave(&self) {
        let mut output = self.output();
        let state = self.lock();
        let running = state.running.iter().flatten().map(|(unit, _)| unit);
        let left = running.chain(state.waiting.values()).map(|unit| &unit.common.id);
        let mut leave = Told::of("quit", &state.quit);
        leave.left = Some(left.collect());
        // Printing may lock the state.
        let leave = (state.closing == Some(Closing::Quit)).then(|| to_text(&leave));
        drop(state);
        if let Some(leave) = leave {
            self.print(&mut output, leave);
        }
        *output = None;
    }

    /// Takes lines until the end of the input or `quit`.
    fn listen(&self, input: impl BufRead) {
        let mut lines = Lines::new(input, MAX_LINE);
        while let Some(line) = lines.next() {
            let lines::Line::Whole(line) = line else {
                self.say(&json!({"message": "a line of over 1 MB"}));
                continue;
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            self.recorder.note(|| Entry::Input(line.trim_ascii_end().to_vec()));
            match request::read(&line, &self.effort) {
                Ok((id, Line::Quit)) => {
                    self.lock().quit = id;
                    return self.close(Closing::Quit);
                }
                Ok((id, line)) => self.obey(&id, line),
                Err(refusal) => self.say(&refusal),
            }
        }
        self.close(Closing::Finish);
    }

    /// Does what a line asks for.
    fn obey(&self, id: &Id, line: Line) {
        match line {
            Line::Search(units) => self.enqueue(units),
            Line::Cancel(ids) => {
                self.cancel(ids.as_deref());
                // The answers of what it ends are enough for whoever gave no id.
                if id.is_given() {
                    self.say(&Told::of("cancel", id));
                }
            }
            Line::Version => {
                self.say(&Told::version(id, &self.name));
            }
            Line::Status => {
                let state = self.lock();
                let running = state.running.iter().flatten().map(|(unit, _)| &unit.common.id);
                let mut status = Told::of("status", id);
                (status.running, status.waiting) =
                    (Some(running.collect()), Some(state.waiting.len()));
                let status = to_text(&status);
                drop(state);
                self.print(&mut self.output(), status);
            }
            Line::Clear => {
                self.lock().n_clears += 1;
                self.say(&Told::of("clear", id));
            }
            Line::Quit => self.close(Closing::Quit),
        }
    }

    fn enqueue(&self, units: Vec<Unit>) {
        let is_full =
            |state: &mut State| state.waiting.len() >= MAX_WAITING && state.closing.is_none();
        let waited = self.changed.wait_while(self.lock(), is_full);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        for unit in units {
            state.n_units += 1;
            let place = (Reverse(unit.common.priority), state.n_units);
            state.waiting.insert(place, unit);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Answers waiting requests with these ids at once, and stops running ones, which answer what they have.
    fn cancel(&self, ids: Option<&[Id]>) {
        let is_meant = |unit: &Unit| ids.is_none_or(|ids| ids.contains(&unit.common.id));
        // These answers come before the last line.
        let mut output = self.output();
        let mut state = self.lock();
        let waiting = state.waiting.extract_if(.., |_, unit| is_meant(unit));
        let canceled: Vec<Unit> = waiting.map(|(_, unit)| unit).collect();
        for (unit, stop) in state.running.iter().flatten() {
            if is_meant(unit) {
                stop.set();
            }
        }
        drop(state);
        self.changed.notify_all();
        for unit in canceled {
            self.print(&mut output, to_text(&Canceled::of(&unit)));
        }
    }

    /// Searches one position after the other.
    fn work(&self, index: usize, mut searcher: Searcher<'_>, book: Option<&Book>) {
        let mut n_clears = 0;
        while let Some((unit, stop, is_new)) = self.next(index, &mut n_clears) {
            if is_new {
                searcher.clear();
            }
            let outcome = unit.search(&mut searcher, &stop, &mut |report, is_due| {
                if is_due {
                    self.say(&Answer::partial(&unit, report));
                }
            });
            let mut state = self.lock();
            if state.closing == Some(Closing::Quit) {
                return;
            }
            state.running[index] = None;
            drop(state);
            let mut answer = Answer::new(&unit, &outcome);
            answer.canceled = stop.is_set();
            if let Some(book) = book.filter(|_| unit.common.book) {
                answer.consult(book, unit.position.board);
            }
            self.say(&answer);
        }
    }

    /// The most urgent unit for a worker, with its stop, and whether its table knows nothing of it; `None` at the end.
    fn next(&self, index: usize, n_clears: &mut u64) -> Option<(Unit, Stop, bool)> {
        let mut state = self.lock();
        loop {
            if state.closing == Some(Closing::Quit) {
                return None;
            }
            let mine = state.waiting.iter().find(|(_, unit)| {
                let game = &unit.common.game;
                game.is_none()
                    || state.games[index] == *game
                    || !state.games.iter().any(|known| known == game)
            });
            if let Some(place) = mine.map(|(place, _)| *place)
                && let Some(unit) = state.waiting.remove(&place)
            {
                let game = &unit.common.game;
                let is_known = game.is_some() && state.games[index] == *game;
                let is_new = !is_known || state.n_clears != *n_clears;
                *n_clears = state.n_clears;
                state.games[index].clone_from(game);
                let stop = Stop::new();
                state.running[index] = Some((unit.clone(), stop.clone()));
                drop(state);
                self.changed.notify_all();
                return Some((unit, stop, is_new));
            }
            if state.closing.is_some() && state.waiting.is_empty() {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

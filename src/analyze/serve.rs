//! Searches positions as requests come in: several at a time, the most urgent first, each until it is done or canceled.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::analyst::{Analyst, Settings};
use super::batch::Answer;
use super::request::{self, Line, Unit};
use crate::book::Book;
use crate::evaluation::Evaluation;
use crate::search::Stop;
use crate::support::text::printable;

/// Positions that may wait. Beyond that, no line is read.
const MAX_WAITING: usize = 10_000;

/// The longest line in bytes.
const MAX_LINE: u64 = 1 << 20;

/// What the server works with.
#[derive(Clone, Copy, Debug)]
pub struct Server<'a> {
    pub settings: Settings,
    /// Searches at a time, at least 1.
    pub concurrency: usize,
    pub evaluation: &'a Evaluation,
    pub book: Option<&'a Book>,
    /// Ends everything when it is set.
    pub stop: &'a Stop,
}

#[derive(Debug, PartialEq, Eq)]
enum Closing {
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
    closing: Option<Closing>,
}

struct Queue<'a, W> {
    server: Server<'a>,
    state: Mutex<State>,
    /// Signaled when a unit comes, one goes, or the end is near.
    changed: Condvar,
    output: Mutex<W>,
}

/// Answers all requests of `input` on `output`.
pub fn serve(
    server: Server<'_>,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send,
) -> anyhow::Result<()> {
    let n = server.concurrency;
    let analysts: anyhow::Result<Vec<_>> =
        (0..n).map(|_| Analyst::new(server.settings, server.evaluation)).collect();
    let state = State { running: vec![None; n], games: vec![None; n], ..State::default() };
    let queue = Queue {
        server,
        state: Mutex::new(state),
        changed: Condvar::new(),
        output: Mutex::new(output),
    };
    let (lines, incoming) = crossbeam_channel::bounded(1);
    // Not joined: a blocked read ends only with the process.
    std::thread::Builder::new().name("requests".into()).spawn(move || read_lines(input, &lines))?;
    std::thread::scope(|scope| {
        for (index, analyst) in analysts?.into_iter().enumerate() {
            let queue = &queue;
            let worker = std::thread::Builder::new().stack_size(crate::engine::STACK);
            worker.spawn_scoped(scope, move || queue.work(index, analyst))?;
        }
        queue.listen(&incoming);
        Ok(())
    })
}

/// A line, or `None` for one that was too long.
type Read1 = Option<Vec<u8>>;

fn read_lines(mut input: impl BufRead, lines: &crossbeam_channel::Sender<Read1>) {
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) {
            return;
        }
        let is_whole = line.last() == Some(&b'\n') || line.len() < MAX_LINE as usize;
        if !is_whole && input.skip_until(b'\n').is_err() {
            return;
        }
        if lines.send(is_whole.then_some(line)).is_err() {
            return;
        }
    }
}

impl<W: Write> Queue<'_, W> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints a line; nobody may read it any more.
    fn say(&self, value: &impl serde::Serialize) {
        let text = serde_json::to_string(value).unwrap_or_else(|_| "null".into());
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let done = writeln!(output, "{}", printable(&text)).and_then(|()| output.flush());
        if done.is_err() {
            self.lock().close(Closing::Quit);
            self.changed.notify_all();
        }
    }

    /// Takes lines until the end of the input, `quit` or a signal.
    fn listen(&self, lines: &crossbeam_channel::Receiver<Read1>) {
        const PATIENCE: Duration = Duration::from_millis(20);
        loop {
            if self.server.stop.is_set() || self.lock().closing.is_some() {
                break self.quit();
            }
            match lines.recv_timeout(PATIENCE) {
                Err(crossbeam_channel::RecvTimeoutError::Timeout) => {}
                Err(crossbeam_channel::RecvTimeoutError::Disconnected) => {
                    self.lock().close(Closing::Finish);
                    self.changed.notify_all();
                    return self.wait_for_signal();
                }
                Ok(None) => self.say(&json!({"message": "a line of over 1 MB"})),
                Ok(Some(line)) if line.trim_ascii().is_empty() => {}
                Ok(Some(line)) => match request::read(&line) {
                    Ok(line) => {
                        if !self.obey(line) {
                            break self.quit();
                        }
                    }
                    Err(refusal) => {
                        self.say(&refusal);
                    }
                },
            }
        }
    }

    /// At the end of the input: until all is answered, a signal still ends it.
    fn wait_for_signal(&self) {
        let mut state = self.lock();
        while !(state.waiting.is_empty() && state.running.iter().all(Option::is_none)) {
            if self.server.stop.is_set() {
                drop(state);
                return self.quit();
            }
            let wait = self.changed.wait_timeout(state, Duration::from_millis(20));
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends all searches, and says whose answers are missing.
    fn quit(&self) {
        let left: Vec<Value> = {
            let mut state = self.lock();
            state.close(Closing::Quit);
            let running = state.running.iter().flatten().map(|(unit, _)| unit);
            running.chain(state.waiting.values()).map(|unit| unit.common.id.clone()).collect()
        };
        self.changed.notify_all();
        self.say(&json!({"action": "quit", "left": left}));
    }

    /// Does what a line asks for; `false` to end.
    fn obey(&self, line: Line) -> bool {
        match line {
            Line::Search(units) => self.enqueue(units),
            Line::Cancel(ids) => self.cancel(ids.as_deref()),
            Line::Version => self.say(&json!({
                "action": "version", "name": "othellier", "version": env!("CARGO_PKG_VERSION"),
            })),
            Line::Status => {
                let state = self.lock();
                let running: Vec<&Value> =
                    state.running.iter().flatten().map(|(unit, _)| &unit.common.id).collect();
                let status =
                    json!({"action": "status", "running": running, "waiting": state.waiting.len()});
                drop(state);
                self.say(&status);
            }
            Line::Clear => {
                self.lock().n_clears += 1;
                self.say(&json!({"action": "clear"}));
            }
            Line::Quit => return false,
        }
        true
    }

    fn enqueue(&self, units: Vec<Unit>) {
        let mut state = self.lock();
        while state.waiting.len() >= MAX_WAITING && state.closing.is_none() {
            if self.server.stop.is_set() {
                return;
            }
            let wait = self.changed.wait_timeout(state, Duration::from_millis(20));
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        for unit in units {
            state.n_units += 1;
            let place = (Reverse(unit.common.priority), state.n_units);
            state.waiting.insert(place, unit);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Answers waiting requests with these ids at once, and stops running ones, which answer what they have.
    fn cancel(&self, ids: Option<&[Value]>) {
        let is_meant = |unit: &Unit| ids.is_none_or(|ids| ids.contains(&unit.common.id));
        let mut state = self.lock();
        let places: Vec<Place> = state
            .waiting
            .iter()
            .filter_map(|(place, unit)| is_meant(unit).then_some(*place))
            .collect();
        let canceled: Vec<Unit> =
            places.iter().filter_map(|place| state.waiting.remove(place)).collect();
        for (unit, stop) in state.running.iter().flatten() {
            if is_meant(unit) {
                stop.set();
            }
        }
        drop(state);
        self.changed.notify_all();
        for unit in canceled {
            let Unit { common, ply, position } = &unit;
            let mut answer =
                json!({"id": common.id, "position": position.to_string(), "canceled": true});
            if let Some(ply) = ply {
                answer["ply"] = json!(ply);
            }
            self.say(&answer);
        }
    }

    /// Searches one position after the other.
    fn work(&self, index: usize, mut analyst: Analyst<'_>) {
        let mut n_clears = 0;
        while let Some((unit, stop, is_new)) = self.next(index, &mut n_clears) {
            if is_new {
                analyst.clear();
            }
            let common = &unit.common;
            let mut last = Instant::now();
            let outcome = analyst.search_unit(&unit, &stop, &mut |report| {
                let Some(every) = common.report_every.filter(|_| report.complete) else { return };
                if last.elapsed() >= every {
                    last = Instant::now();
                    self.say(&Answer::partial(&unit, report));
                }
            });
            let is_canceled = stop.is_set();
            let is_over = {
                let mut state = self.lock();
                state.running[index] = None;
                state.closing == Some(Closing::Quit)
            };
            self.changed.notify_all();
            if is_over {
                return;
            }
            let mut answer = Answer::new(&unit, &outcome);
            answer.canceled = is_canceled;
            if let Some(book) = self.server.book.filter(|_| common.book) {
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
                let stop = self.server.stop.child();
                state.running[index] = Some((unit.clone(), stop.clone()));
                drop(state);
                self.changed.notify_all();
                return Some((unit, stop, is_new));
            }
            if state.closing.is_some() && state.waiting.is_empty() {
                return None;
            }
            let wait = self.changed.wait_timeout(state, Duration::from_secs(1));
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl State {
    fn close(&mut self, closing: Closing) {
        if closing == Closing::Quit {
            self.running.iter().flatten().for_each(|(_, stop)| stop.set());
        }
        if self.closing != Some(Closing::Quit) {
            self.closing = Some(closing);
        }
    }
}

//! The main loop of a protocol: lines and engine events in, replies out.
//!
//! A line is handled only while no job runs, so replies stay in order and no output of an old job can follow a newer reply.
//! Urgent lines end the running job through the reader; here they wait for its end like all others.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, never, select, unbounded};

use super::interrupts::{Interrupts, Obeys};
use super::options::Options;
use super::reader::{Gate, Incoming, Reader, weight};
use super::session::Session;
use super::writer::{Writer, send_live};
use super::{Action, Kind, Machine, Urgency};
use crate::book::Book;
use crate::engine::{Done, Ended as JobEnded, Engine, Event, JobId};
use crate::journal::{Closed, Entry};
use crate::players::desk::{Task, TaskWorker};
use crate::search::Stop;

/// Why a protocol failed.
#[derive(Debug)]
pub enum Failure {
    /// The system refused a thread.
    Thread(std::io::Error),
    /// The output cannot be written.
    Output(std::io::Error),
    /// The engine's thread has ended. The protocol decides where this may be reported.
    Engine(Kind),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Thread(error) => write!(f, "cannot start a thread: {error}"),
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
            Failure::Engine(_) => f.write_str("the engine broke down"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Thread(error)
    }
}

/// Speaks a protocol, or the one that the first line chooses, until the input ends. An output that nobody reads is no failure.
pub fn run(
    kind: Option<Kind>,
    options: Options,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> Result<Closed, Failure> {
    let (sender, incoming) = unbounded();
    let interrupts = Arc::default();
    let gate = Arc::default();
    let reader = Reader {
        kind,
        finish: options.finish,
        until_unheard: options.until_unheard,
        interrupts: Arc::clone(&interrupts),
        gate: Arc::clone(&gate),
        recorder: options.recorder.clone(),
        lines: sender,
        n_lines: 0,
    };
    // Not joined: a blocked read ends only with the process.
    std::thread::Builder::new().name("reader".into()).spawn(move || reader.run(input))?;
    let kind = match kind {
        Some(kind) => kind,
        None => match incoming.recv() {
            Ok(Incoming::Protocol(kind)) => kind,
            _ => return Ok(Closed::ByInput),
        },
    };
    Runtime { interrupts, gate, ..Runtime::new(kind, options, output)? }.run(&incoming)
}

enum Happening {
    Incoming(Incoming),
    Event(JobId, Event),
    Finished(JobId, JobEnded),
    /// The reader has ended: `quit` or the end of the input has been queued.
    NoMoreInput,
    EngineGone,
}

struct Running {
    id: JobId,
    stop: Stop,
    obeys: Obeys,
    since: Instant,
}

enum Waiting {
    Line(u64, Vec<u8>),
    TooLong(u64),
}

enum Ended {
    Closed(Closed),
    Failed(Failure),
}

impl From<Closed> for Ended {
    fn from(closed: Closed) -> Ended {
        Ended::Closed(closed)
    }
}

impl From<std::io::Error> for Ended {
    fn from(error: std::io::Error) -> Ended {
        Ended::Failed(error.into())
    }
}

struct Runtime<W: Write> {
    kind: Kind,
    machine: Box<dyn Machine>,
    session: Session,
    /// Starts as soon as the protocol is known, so that the evaluation is usually ready when it is needed; with another player, when it
    /// is asked.
    engine: Engine<Task>,
    /// The book that the engine was last told to play from.
    engine_book: Option<Arc<Book>>,
    interrupts: Arc<Interrupts>,
    gate: Arc<Gate>,
    writer: Writer<W>,
    queue: VecDeque<Waiting>,
    running: Option<Running>,
    line_number: u64,
    has_ended: bool,
}

impl<W: Write> Runtime<W> {
    fn new(kind: Kind, mut options: Options, output: W) -> std::io::Result<Runtime<W>> {
        let recorder = options.recorder.clone();
        let steps = std::mem::take(&mut options.repeat.steps);
        let mut worker = TaskWorker::new(options.engine.clone(), recorder.clone(), steps);
        let is_wanted = options.player.is_none();
        let make = move || {
            if is_wanted {
                worker.engine();
            }
            worker
        };
        Ok(Runtime {
            kind,
            machine: kind.machine(),
            engine_book: options.engine.book.clone(),
            session: Session::new(options),
            engine: Engine::of(make)?,
            interrupts: Arc::default(),
            gate: Arc::default(),
            writer: Writer::new(output, recorder),
            queue: VecDeque::new(),
            running: None,
            line_number: 0,
            has_ended: false,
        })
    }

    fn run(mut self, incoming: &Receiver<Incoming>) -> Result<Closed, Failure> {
        let Err(ended) = self.serve(incoming);
        // Nobody wants the result of a search that is still running, and the engine is joined next.
        self.interrupts.close_after(Duration::ZERO);
        match ended {
            Ended::Closed(closed) => {
                self.writer.failure().map_or(Ok(closed), |error| Err(Failure::Output(error)))
            }
            Ended::Failed(failure) => Err(failure),
        }
    }

    fn serve(&mut self, incoming: &Receiver<Incoming>) -> Result<Infallible, Ended> {
        let actions = self.machine.on_start(&mut self.session);
        self.perform(actions)?;
        let mut input = incoming.clone();
        loop {
            self.handle_queue()?;
            let happening = self.wait(&input);
            if matches!(happening, Happening::NoMoreInput) {
                input = never();
            }
            self.happen(happening, incoming)?;
        }
    }

    fn handle_queue(&mut self) -> Result<(), Ended> {
        while self.running.is_none() {
            let actions = self.idle();
            if !actions.is_empty() {
                self.perform(actions)?;
                continue;
            }
            let actions = match self.queue.pop_front() {
                Some(Waiting::Line(number, line)) => {
                    self.line_number = number;
                    let actions = self.machine.handle(&line, &mut self.session);
                    self.gate.leave(weight(&line));
                    actions
                }
                Some(Waiting::TooLong(number)) => {
                    self.line_number = number;
                    self.machine.too_long()
                }
                None if self.has_ended => {
                    let actions = self.machine.on_end(&mut self.session);
                    self.perform(actions)?;
                    if self.running.is_some() {
                        break;
                    }
                    return Err(Closed::ByInput.into());
                }
                None => break,
            };
            self.perform(actions)?;
        }
        self.repeat_immediate()
    }

    /// The actions while no line waits: pondering or learning. A repeated session acts where the earlier one did, since lines
    /// may come sooner or later now.
    fn idle(&mut self) -> Vec<Action> {
        let number = self.line_number;
        let is_idle = match &mut self.session.options.repeat.pondering {
            Some(numbers) => {
                while numbers.pop_front_if(|next| *next < number).is_some() {}
                numbers.pop_front_if(|next| *next == number).is_some()
            }
            None => self.queue.is_empty() && !self.has_ended,
        };
        if !is_idle {
            return Vec::new();
        }
        let actions = self.machine.on_idle(&mut self.session);
        if !actions.is_empty() {
            self.session.options.recorder.note(|| Entry::Pondering(number));
        }
        actions
    }

    fn wait(&self, input: &Receiver<Incoming>) -> Happening {
        select! {
            recv(input) -> incoming => incoming.map_or(Happening::NoMoreInput, Happening::Incoming),
            recv(self.engine.events()) -> event => event.map_or(Happening::EngineGone, |(id, event)| Happening::Event(id, event)),
            recv(self.engine.finished()) -> result => {
                result.map_or(Happening::EngineGone, |(id, ended)| Happening::Finished(id, ended))
            }
        }
    }

    fn happen(&mut self, happening: Happening, incoming: &Receiver<Incoming>) -> Result<(), Ended> {
        let actions = match happening {
            Happening::Incoming(incoming) => return self.take(incoming),
            Happening::Event(id, event) => {
                if self.running.as_ref().is_none_or(|running| running.id != id) {
                    return Ok(());
                }
                self.machine.on_event(event, &mut self.session)
            }
            Happening::Finished(id, JobEnded { done, was_stopped }) => {
                if self.running.as_ref().is_none_or(|running| running.id != id) {
                    return Ok(());
                }
                while self.repeats_immediate()
                    && let Ok(next) = incoming.recv()
                {
                    self.enqueue(next);
                    self.repeat_immediate()?;
                }
                let Some(running) = self.running.take() else { return Ok(()) };
                // The job's last reports may still be waiting.
                self.last_events(id)?;
                let interrupter = self.interrupter(&running, was_stopped, incoming);
                if self.has_ended && self.is_silent() {
                    return Err(Closed::ByInput.into());
                }
                let search = match &done {
                    Done::Chosen(choice) => Some(choice.elapsed),
                    _ => None,
                };
                let actions =
                    self.machine.on_finished(done, interrupter.as_deref(), &mut self.session);
                self.perform(actions)?;
                // The clock stops when the reply is written.
                if let Some(search) = search {
                    self.engine.note_reply_latency(running.since.elapsed().saturating_sub(search));
                }
                return Ok(());
            }
            Happening::EngineGone => {
                let failure = Failure::Engine(self.kind);
                self.session.options.recorder.error(&failure);
                if self.kind == Kind::Nboard {
                    // The front end shows nothing else, and what stands there would stay.
                    self.perform(vec![Action::line(format!("status {failure}"))])?;
                }
                return Err(Ended::Failed(failure));
            }
            Happening::NoMoreInput => return Ok(()),
        };
        self.perform(actions)
    }

    fn last_events(&mut self, id: JobId) -> Result<(), Ended> {
        let events: Vec<_> =
            self.engine.events().try_iter().filter(|event| event.0 == id).collect();
        for (_, event) in events {
            let actions = self.machine.on_event(event, &mut self.session);
            self.perform(actions)?;
        }
        Ok(())
    }

    /// The line that has ended a job. It may still be on its way from the reader, which counts a line before passing it on.
    fn interrupter(
        &mut self,
        running: &Running,
        was_stopped: bool,
        incoming: &Receiver<Incoming>,
    ) -> Option<Vec<u8>> {
        // A line that came after the end of the search has not ended it, however late the end is handled; nor does a line set the flag
        // at the end of the input.
        if !was_stopped || !running.stop.is_set() {
            return None;
        }
        let obeys_any_line = running.obeys == Obeys::AnyLine;
        loop {
            for waiting in &self.queue {
                match waiting {
                    Waiting::Line(_, line) if obeys_any_line => return Some(line.clone()),
                    Waiting::Line(_, line) if self.kind.urgency(line) == Urgency::Interrupt => {
                        return Some(line.clone());
                    }
                    Waiting::TooLong(_) if obeys_any_line => return Some(Vec::new()),
                    _ => {}
                }
            }
            if self.has_ended {
                return None;
            }
            let Ok(next) = incoming.recv() else { return None };
            // Only queues it: the job is over.
            self.enqueue(next);
        }
    }

    /// Answers what the earlier session, which this one repeats, answered while the job ran.
    fn repeat_immediate(&mut self) -> Result<(), Ended> {
        while self.repeats_immediate()
            && let Some(Waiting::Line(number, line)) = self.queue.pop_front()
        {
            self.answer_at_once(number, &line)?;
        }
        Ok(())
    }

    fn repeats_immediate(&self) -> bool {
        let lines = &self.session.options.repeat.immediate;
        lines.as_ref().is_some_and(|lines| lines.contains(&(self.line_number + 1)))
    }

    fn take(&mut self, incoming: Incoming) -> Result<(), Ended> {
        if let Incoming::Line(number, line) = &incoming
            && self.running.is_some()
            && self.queue.is_empty()
            && self.kind.urgency(line) == Urgency::Immediate
            && self.session.options.repeat.immediate.is_none()
        {
            return self.answer_at_once(*number, line);
        }
        self.enqueue(incoming);
        if self.has_ended && self.is_silent() {
            return Err(Closed::ByInput.into());
        }
        Ok(())
    }

    fn answer_at_once(&mut self, number: u64, line: &[u8]) -> Result<(), Ended> {
        self.line_number = number;
        self.session.options.recorder.note(|| Entry::Immediate(number));
        let elapsed =
            self.running.as_ref().map_or(Duration::ZERO, |running| running.since.elapsed());
        let actions = self.machine.while_searching(line, elapsed);
        self.gate.leave(weight(line));
        self.perform(actions)
    }

    fn enqueue(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Protocol(_) => {}
            Incoming::Line(number, line) => self.queue.push_back(Waiting::Line(number, line)),
            Incoming::TooLong(number) => self.queue.push_back(Waiting::TooLong(number)),
            Incoming::End => self.has_ended = true,
        }
    }

    fn is_silent(&self) -> bool {
        self.machine.is_silent_after_end() && !self.session.options.finish
    }

    fn perform(&mut self, actions: Vec<Action>) -> Result<(), Ended> {
        for action in actions {
            match action {
                Action::Reply(message) => self.writer.send(&message)?,
                Action::Live(text) => send_live(&text),
                Action::Start(task, obeys) => {
                    self.renew_book();
                    let stop = self.interrupts.start_job(self.line_number, obeys);
                    let since = Instant::now();
                    let id = self.engine.run(task, &stop);
                    self.running = Some(Running { id, stop, obeys, since });
                }
                Action::Configure(config) => self.engine.configure(config),
                Action::Quit => return Err(Closed::ByInput.into()),
            }
        }
        Ok(())
    }

    fn renew_book(&mut self) {
        let config = &self.session.options.engine;
        if self.engine_book == config.book {
            return;
        }
        self.engine_book.clone_from(&config.book);
        self.engine.configure(config.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Config, OnEvent, Perform};

    #[test]
    fn a_line_that_comes_after_the_end_of_a_search_has_not_ended_it() {
        let (sender, incoming) = unbounded();
        sender.send(Incoming::Line(2, b"ping 1".to_vec())).unwrap();
        let mut runtime = Runtime::new(Kind::Nboard, Options::default(), Vec::new()).unwrap();
        let stop = runtime.interrupts.start_job(1, Obeys::UrgentLines);
        let running =
            Running { id: 1, stop: stop.clone(), obeys: Obeys::UrgentLines, since: Instant::now() };
        runtime.interrupts.note_urgent(2);
        assert!(stop.is_stopped());
        assert_eq!(runtime.interrupter(&running, false, &incoming), None);
        assert_eq!(runtime.interrupter(&running, true, &incoming), Some(b"ping 1".to_vec()));
    }

    struct Breaks;

    impl Perform<Task> for Breaks {
        fn perform(&mut self, _: &Task, _: Instant, _: &Stop, _: OnEvent<'_>) -> JobEnded {
            panic!("a test");
        }
        fn configure(&mut self, _: Config) {}
        fn note_reply_latency(&mut self, _: Duration) {}
        fn prepare(&mut self) -> bool {
            true
        }
    }

    #[test]
    fn a_broken_engine_ends_the_protocol() {
        for (kind, lines) in [
            (Kind::Gtp, &["name", "genmove black", "name"][..]),
            (Kind::Nboard, &["ping 1", "go"]),
            (Kind::Cassio, &["ENGINE-PROTOCOL empty-hash"]),
        ] {
            let (sender, incoming) = unbounded();
            for (number, line) in (1..).zip(lines) {
                sender.send(Incoming::Line(number, line.as_bytes().to_vec())).unwrap();
            }
            // The front end is still there, waiting.
            let mut output = Vec::new();
            let runtime = Runtime {
                engine: Engine::of(|| Breaks).unwrap(),
                ..Runtime::new(kind, Options::default(), &mut output).unwrap()
            };
            let closed = runtime.run(&incoming);
            assert!(matches!(closed, Err(Failure::Engine(gone)) if gone == kind), "{closed:?}");
            let by_nboard = "pong 1\nstatus Thinking\nstatus the engine broke down\n";
            let first_only = ["= Othellier\n\n", by_nboard, ""];
            assert!(first_only.contains(&str::from_utf8(&output).unwrap()), "{output:?}");
        }
    }
}

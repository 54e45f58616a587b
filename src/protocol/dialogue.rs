//! A protocol without its pipes and threads: lines in, what is sent out, each job done in between by whoever asks.
//!
//! For tests and for fuzzing: the same lines always give the same replies. A job is taken to run until the next line is here, so
//! that this line ends it where it would; how the threads see to that is the runtime's affair.

use std::time::Duration;

use super::session::Session;
use super::{Action, Kind, Machine, Urgency};
use crate::engine::{self, Event, Job};
use crate::search::Obeys;

/// What came of a job.
#[derive(Clone, Debug)]
pub struct Work {
    /// What it reported on the way.
    pub events: Vec<Event>,
    /// How it ended.
    pub result: engine::Result,
}

/// Whether a dialogue goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The next line is waited for.
    Open,
    /// `quit` has been answered; nothing more is heard.
    Closed,
}

/// A protocol that is spoken line by line.
pub struct Dialogue<W> {
    kind: Kind,
    machine: Box<dyn Machine>,
    session: Session,
    work: W,
    running: Option<(Job, Obeys)>,
    sent: Vec<u8>,
    state: State,
}

impl<W: FnMut(&Job) -> Work> Dialogue<W> {
    /// Begins a dialogue whose jobs are done by `work`. Changes of the engine's settings are in the session's options only.
    pub fn new(kind: Kind, session: Session, work: W) -> Dialogue<W> {
        let (machine, state) = (kind.machine(), State::Open);
        Dialogue { kind, machine, session, work, running: None, sent: Vec::new(), state }
    }

    /// The session as the lines so far have made it.
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Whether it goes on.
    pub const fn state(&self) -> State {
        self.state
    }

    /// Takes what has been sent since this was last asked for.
    pub fn take_sent(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.sent)
    }

    /// Handles a line. What a line before it has started is over then, unless this one can be answered meanwhile; what this one
    /// starts is done when the next line comes.
    pub fn hear(&mut self, line: &[u8]) {
        if self.state == State::Closed {
            return;
        }
        let urgency = self.kind.urgency(line);
        match &self.running {
            Some(_) if urgency == Urgency::Immediate => {
                let actions = self.machine.while_searching(line, Duration::ZERO);
                return self.perform(actions);
            }
            Some((_, obeys)) => {
                let ends_it = *obeys == Obeys::AnyLine || urgency == Urgency::Interrupt;
                self.finish(ends_it.then_some(line));
            }
            None => {}
        }
        if self.state == State::Open {
            let actions = self.machine.handle(line, &mut self.session);
            self.perform(actions);
            self.idle();
        }
    }

    /// Lets the running job come to its end, and those that follow from it.
    pub fn wait(&mut self) {
        while self.running.is_some() {
            self.finish(None);
            self.idle();
        }
    }

    /// Ends the input without `quit`.
    pub fn end(&mut self) {
        self.finish(None);
        if self.state == State::Open {
            let actions = self.machine.on_end();
            self.perform(actions);
            self.state = State::Closed;
        }
    }

    fn finish(&mut self, interrupted_by: Option<&[u8]>) {
        let Some((job, _)) = self.running.take() else { return };
        let Work { events, result } = (self.work)(&job);
        for event in events {
            let actions = self.machine.on_event(event, &mut self.session);
            self.perform(actions);
        }
        let actions = self.machine.on_finished(result, interrupted_by, &mut self.session);
        self.perform(actions);
    }

    fn idle(&mut self) {
        if self.running.is_none() && self.state == State::Open {
            let actions = self.machine.on_idle(&mut self.session);
            self.perform(actions);
        }
    }

    fn perform(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Reply(message) => self.sent.extend(message),
                Action::Start(job, obeys) => {
                    debug_assert!(self.running.is_none(), "a job is started while another runs");
                    self.running = Some((job, obeys));
                }
                Action::Live(_) | Action::Configure(_) => {}
                Action::Quit => self.state = State::Closed,
            }
        }
    }
}

//! A protocol without pipes and threads: lines in, replies out; the caller does the jobs in between.
//!
//! For tests and fuzzing: the same lines always give the same replies. A job is taken to run until the next line arrives, which
//! interrupts it if the protocol says so; the threads behind that belong to the runtime.

use std::time::Duration;

use super::session::Session;
use super::{Action, Kind, Machine, Task, Urgency};
use crate::engine::{self, Event};
use crate::protocol::interrupts::Obeys;

/// The outcome of a job.
#[derive(Clone, Debug)]
pub struct Work {
    /// Its reports.
    pub events: Vec<Event>,
    /// Its result.
    pub result: engine::Done,
}

/// Whether a dialogue continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Waiting for the next line.
    Open,
    /// `quit` has been answered; further lines are ignored.
    Closed,
}

/// A protocol driven line by line.
pub struct Dialogue<W> {
    kind: Kind,
    machine: Box<dyn Machine>,
    session: Session,
    work: W,
    running: Option<(Task, Obeys)>,
    sent: Vec<u8>,
    state: State,
}

impl<W: FnMut(&Task) -> Work> Dialogue<W> {
    /// Begins a dialogue whose jobs `work` does. Changes of the engine's settings affect only the session's options.
    pub fn new(kind: Kind, session: Session, work: W) -> Dialogue<W> {
        let (machine, state) = (kind.machine(), State::Open);
        let mut dialogue =
            Dialogue { kind, machine, session, work, running: None, sent: Vec::new(), state };
        let actions = dialogue.machine.on_start(&mut dialogue.session);
        dialogue.perform(actions);
        dialogue.idle();
        dialogue
    }

    /// The session after the lines so far.
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Its state.
    pub const fn state(&self) -> State {
        self.state
    }

    /// Takes everything sent since the last call.
    pub fn take_sent(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.sent)
    }

    /// Handles a line. An earlier line's job ends first, unless this line can be answered while it runs. A job that this line starts is
    /// done when the next line comes.
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

    /// Runs the current job to its end, and any that follow from it.
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
            let actions = self.machine.on_end(&mut self.session);
            self.perform(actions);
            if self.running.is_some() {
                return self.end();
            }
            self.state = State::Closed;
        }
    }

    fn finish(&mut self, interrupted_by: Option<&[u8]>) {
        let Some((task, _)) = self.running.take() else { return };
        let Work { events, result } = (self.work)(&task);
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
                Action::Start(task, obeys) => {
                    debug_assert!(self.running.is_none(), "a task is started while another runs");
                    self.running = Some((task, obeys));
                }
                Action::Live(_) | Action::Configure(_) => {}
                Action::Quit => self.state = State::Closed,
            }
        }
    }
}

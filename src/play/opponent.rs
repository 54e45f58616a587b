//! Players and the adviser, each on its own thread, answering over a channel.
//!
//! Requests are numbered, and a new request cancels the earlier ones. Nothing waits for a player: a dismissed one leaves as soon as
//! it can, and an external engine is killed after a moment.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, select, unbounded};

use super::event::{Choice, Event, Goal, Id, Reckoned, Reply, Role, Searching};
use super::language::opinion;
use crate::board::{Board, Move};
use crate::clock::{Clock, Control};
use crate::engine::pace::Pace;
use crate::engine::{self, Aim, Config, Effort, Engine, Job, Think, Thought, level};
use crate::game::{Game, Note};
use crate::players::thoughts::{Foreseen, Thoughts, Unit};
use crate::players::{self, Player};
use crate::protocol::Kind;
use crate::score;
use crate::search::{Interrupts, Limits, Lines, Outcome, Report, StopToken};
use crate::seats::halt::Halt;
use crate::seats::own::OVERHEAD;
use crate::seats::spec::{PlayerKind, PlayerSpec};
use crate::seats::{Answer, Patience, Seat, Terms, take_seat};

/// Time limit for an external engine to start.
const START_PATIENCE: Duration = Duration::from_secs(20);
/// Time limit for its answers other than moves.
const REPLY_PATIENCE: Duration = Duration::from_secs(10);
/// Time limit beyond its clock; without a clock, a person decides when it has stalled.
const STALL: Duration = Duration::from_secs(60);
/// The shortest time recorded for a chosen move.
const INSTANT: Duration = Duration::from_micros(1);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The adviser's time limit per position.
const ADVICE_CAP: Duration = Duration::from_secs(10);

/// Ample for the search of a simple player.
const STACK: usize = 16 << 20;

/// A request to a player.
#[derive(Debug)]
pub(super) enum Request {
    /// A move in the game's position.
    Choose { id: Id, game: Game, clocks: [Clock; 2], pace: Pace },
    /// To think ahead while the opponent is to move.
    Ponder { id: Id, game: Game, clocks: [Clock; 2], pace: Pace },
    /// To evaluate all moves, or to find the best.
    Advise { id: Id, board: Board, level: u32, all: bool },
    /// To forget the last game.
    Forget,
}

impl Request {
    /// Its number, if it expects an answer.
    pub fn id(&self) -> Option<Id> {
        match self {
            Request::Choose { id, .. }
            | Request::Ponder { id, .. }
            | Request::Advise { id, .. } => Some(*id),
            Request::Forget => None,
        }
    }
}

/// A seated player.
#[derive(Debug)]
pub(super) struct Opponent {
    requests: Sender<Request>,
    interrupts: Arc<Interrupts>,
    last_id: Id,
    /// Whether the last request was for a move.
    is_choosing: bool,
    /// Stops waiting for an external engine.
    halt: Halt,
    thread: JoinHandle<()>,
}

impl Opponent {
    /// Seats a player that sends its replies to `events`.
    pub fn start(spec: PlayerSpec, role: Role, events: Sender<Event>) -> std::io::Result<Opponent> {
        let (requests, queue) = unbounded();
        let halt = Halt::default();
        let interrupts: Arc<Interrupts> = Arc::default();
        let mut worker = Worker {
            role,
            events,
            interrupts: Arc::clone(&interrupts),
            seed: arbitrary_seed(),
            id: Cell::new(0),
            halt: halt.clone(),
        };
        let thread = std::thread::Builder::new().name("player".into()).stack_size(STACK).spawn(
            move || {
                let work = AssertUnwindSafe(|| worker.run(&spec, &queue));
                if catch_unwind(work).is_err() {
                    let text = "the player crashed";
                    worker.reply(worker.id.get(), Reply::Failed(text.into()));
                    worker.refuse(&queue, text);
                }
            },
        )?;
        Ok(Opponent { requests, interrupts, last_id: 0, is_choosing: false, halt, thread })
    }

    /// Sends a request, which cancels earlier ones.
    pub fn ask(&mut self, request: Request) {
        if let Some(id) = request.id() {
            self.interrupts.note_line(id);
            self.last_id = id;
        }
        self.is_choosing = matches!(request, Request::Choose { .. });
        // A player that has left has reported why.
        drop(self.requests.send(request));
    }

    /// Whether the last request was for a move.
    pub fn is_choosing(&self) -> bool {
        self.is_choosing
    }

    /// Hurries the running request: a search answers at once with its best move so far.
    pub fn hurry(&mut self) {
        self.interrupts.note_line(self.last_id + 1);
    }

    /// Dismisses the player; its thread ends soon.
    pub fn leave(self) -> JoinHandle<()> {
        self.interrupts.note_line(Id::MAX);
        drop(self.requests);
        self.halt.call();
        self.thread
    }
}

/// A seed that differs from game to game.
#[expect(clippy::disallowed_methods, reason = "a seed, not a time")]
fn arbitrary_seed() -> u64 {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    time.map_or(0, |time| time.as_nanos() as u64)
}

/// The player's side of the channel.
struct Worker {
    role: Role,
    events: Sender<Event>,
    interrupts: Arc<Interrupts>,
    seed: u64,
    /// The request last answered.
    id: Cell<Id>,
    /// Called to dismiss the player.
    halt: Halt,
}

impl Worker {
    fn run(&mut self, spec: &PlayerSpec, requests: &Receiver<Request>) {
        match &spec.kind {
            PlayerKind::Engine(config) => match Engine::start(config.clone()) {
                Ok(engine) => self.serve_engine(engine, config.clone(), spec, requests),
                Err(error) => self.refuse(requests, &error.to_string()),
            },
            PlayerKind::Simple(name) => match players::spec::parse(name, self.seed) {
                Ok(player) => self.serve_simple(player, requests),
                Err(error) => self.refuse(requests, &error.to_string()),
            },
            PlayerKind::External(_) => self.serve_external(spec, requests),
        }
    }

    fn reply(&self, id: Id, reply: Reply) {
        self.id.set(id);
        // The receiver is gone when the program ends.
        drop(self.events.send(Event::Reply { role: self.role, id, reply }));
    }

    /// Answers every request with the reason for its failure.
    fn refuse(&self, requests: &Receiver<Request>, text: &str) {
        for id in requests.iter().filter_map(|request| request.id()) {
            self.reply(id, Reply::Failed(text.into()));
        }
    }

    /// A token that stops as soon as another request arrives.
    fn token(&self, id: Id) -> StopToken {
        StopToken::on_any_line(&self.interrupts, id)
    }

    fn serve_engine(
        &self,
        mut engine: Engine,
        config: Config,
        spec: &PlayerSpec,
        requests: &Receiver<Request>,
    ) {
        // The same position may get a different move in another game.
        let mut seed = self.seed;
        for request in requests {
            match request {
                Request::Choose { id, game, clocks, pace } => {
                    let position = game.position();
                    let board = position.board;
                    let effort = Aim::from(pace).effort(clocks[position.side.index()], OVERHEAD);
                    let think = Think::new(board, effort).as_strong(spec.strength, seed);
                    self.reply(id, Reply::Started(goal(&think.effort, board)));
                    let job = Job::Think(think);
                    let start = Instant::now();
                    let result = self.work(&mut engine, job, id);
                    let Some(engine::Result::Thought(thought)) = result else {
                        self.reply(
                            id,
                            Reply::Failed("the engine gave an unexpected answer".into()),
                        );
                        continue;
                    };
                    let line = thought.line().cloned();
                    self.reply(
                        id,
                        Reply::Chosen(Choice {
                            mv: line.as_ref().map(|line| line.mv),
                            value: line.map(|line| score::discs(line.score)),
                            // With a lower strength, the chosen move comes first.
                            report: Some(Report::from(picked_first(*thought))),
                            elapsed: start.elapsed(),
                        }),
                    );
                }
                Request::Ponder { id, game, clocks, pace } => {
                    if spec.ponders {
                        let position = game.position();
                        let clock = clocks[position.side.opposite().index()];
                        let effort = Aim::from(pace).effort(clock, OVERHEAD);
                        self.reply(id, Reply::Started(Goal::default()));
                        let job = Job::Ponder { board: position.board, effort };
                        self.work(&mut engine, job, id);
                    }
                }
                Request::Advise { id, board, level, all } => {
                    let lines = Lines::Best(if all { 64 } else { 1 });
                    let limits = Limits { lines, ..level::horizon(level).into() };
                    let job = Job::Think(Think::new(board, limits.within(ADVICE_CAP)));
                    if let Some(engine::Result::Thought(thought)) = self.work(&mut engine, job, id)
                        && !self.token(id).is_stopped()
                    {
                        self.reply(id, Reply::Thinking(Report::from(thought.outcome)));
                        self.reply(id, Reply::Advised);
                    }
                }
                Request::Forget => {
                    seed = seed.wrapping_add(1);
                    engine.configure(config.clone());
                    engine.run(Job::Forget, StopToken::never());
                    drop(engine.finished().recv());
                }
            }
        }
    }

    /// Runs a job to its end and forwards its reports.
    fn work(&self, engine: &mut Engine, job: Job, id: Id) -> Option<engine::Result> {
        let forward = |event| match event {
            engine::Event::Report(report) => self.reply(id, Reply::Thinking(report)),
            engine::Event::Foresaw(table) => self.reply(id, Reply::Foresaw(reckoned(&table))),
            engine::Event::Valued { .. } => {}
        };
        engine.run(job, self.token(id));
        let result = loop {
            select! {
                recv(engine.events()) -> event => match event {
                    Ok((_, event)) => forward(event),
                    Err(_) => return None,
                },
                recv(engine.finished()) -> result => break result.ok().map(|(_, result)| result),
            }
        };
        while let Ok((_, event)) = engine.events().try_recv() {
            forward(event);
        }
        result
    }

    fn serve_simple(&self, mut player: Box<dyn Player>, requests: &Receiver<Request>) {
        for request in requests {
            match request {
                Request::Choose { id, game, .. } => {
                    self.reply(id, Reply::Started(Goal::default()));
                    let start = Instant::now();
                    let mut tell = self.telling(id);
                    let found = player.consider(&game, &self.token(id), &mut tell);
                    let value = found.and_then(|found| found.value);
                    self.reply(
                        id,
                        Reply::Chosen(Choice {
                            mv: found.map(|found| found.mv),
                            // Other units are not discs.
                            value: value
                                .filter(|value| value.unit == Unit::Discs)
                                .map(|value| f64::from(value.number)),
                            report: None,
                            elapsed: start.elapsed(),
                        }),
                    );
                }
                Request::Ponder { id, game, .. } => {
                    if player.thinks_ahead() {
                        self.reply(id, Reply::Started(Goal::default()));
                        player.think_ahead(&game, &self.token(id), &mut self.telling(id));
                    }
                }
                Request::Advise { id, .. } => {
                    self.reply(id, Reply::Failed("it cannot give advice".into()));
                }
                Request::Forget => player.new_game(),
            }
        }
    }

    /// Forwards the progress of a simple player.
    fn telling(&self, id: Id) -> impl FnMut(Thoughts<'_>) {
        move |thoughts| match thoughts {
            Thoughts::Searching { share, nodes, best } => {
                self.reply(id, Reply::Searching(Searching { share, nodes, best }));
            }
            Thoughts::Foresaw { table, .. } => {
                let row = |foreseen: &Foreseen| Reckoned {
                    to: Move::Place(foreseen.to),
                    reply: Move::Place(foreseen.reply),
                    value: opinion(foreseen.value),
                    depth: foreseen.depth,
                };
                self.reply(id, Reply::Foresaw(table.iter().map(row).collect()));
            }
        }
    }

    fn serve_external(&mut self, spec: &PlayerSpec, requests: &Receiver<Request>) {
        let patience =
            Patience { start: START_PATIENCE, reply: REPLY_PATIENCE, halt: self.halt.clone() };
        let mut seated: Option<External> = None;
        for request in requests {
            let Request::Choose { id, game, clocks, pace } = request else { continue };
            let external = match seated.take() {
                Some(external) => Ok(external),
                None => take_seat(spec, None, &patience).map(|seat| External { seat, known: None }),
            };
            self.reply(id, Reply::Started(Goal::default()));
            self.seed = self.seed.wrapping_add(1);
            let pace = bounded_pace(spec, pace);
            let terms = Terms { color: game.position().side, pace, seed: self.seed };
            let choice = external.and_then(|mut external| {
                let choice = external.choose(&game, terms, clocks)?;
                seated = Some(external);
                Ok(choice)
            });
            self.reply(
                id,
                match choice {
                    Ok(choice) => Reply::Chosen(Choice {
                        mv: match choice.answer {
                            Answer::Move(mv) => Some(mv),
                            Answer::Resign => None,
                        },
                        value: choice.value,
                        report: None,
                        elapsed: choice.elapsed,
                    }),
                    // The engine has died; the next request starts another one.
                    Err(fault) => Reply::Failed(format!("{}: {}", fault.cause, fault.text)),
                },
            );
        }
    }
}

/// An external engine and its state of the game.
struct External {
    seat: Box<dyn Seat>,
    /// The game as last sent, with the terms.
    known: Option<(Game, Terms)>,
}

impl External {
    fn choose(
        &mut self,
        game: &Game,
        terms: Terms,
        clocks: [Clock; 2],
    ) -> Result<crate::seats::Choice, crate::seats::fault::Fault> {
        let n_known = self.known.as_ref().and_then(|(known, known_terms)| {
            let is_same = known_terms.color == terms.color && known_terms.pace == terms.pace;
            (is_same && is_continued(known, game)).then(|| known.plies().len())
        });
        let mut told = match n_known {
            Some(_) => self.known.take().map(|(known, _)| known).unwrap_or_default(),
            None => {
                let fresh = Game::new(game.start());
                self.seat.begin(&fresh, terms)?;
                fresh
            }
        };
        let n_told = told.plies().len();
        for ply in &game.plies()[n_told..] {
            // A time of zero marks the move as not chosen by the engine.
            told.play(ply.mv, Note::default());
            self.seat.observe(&told)?;
        }
        let color = game.position().side;
        let clock = clocks[color.index()];
        let left = if clock.is_limited() { clock.left() + STALL } else { DAY };
        let choice = self.seat.choose(game, clocks, Instant::now() + left)?;
        if let Answer::Move(mv) = choice.answer
            && told.play(mv, Note { value: None, time: Some(choice.elapsed.max(INSTANT)) })
        {
            self.seat.observe(&told)?;
            self.known = Some((told, terms));
        }
        Ok(choice)
    }
}

/// NBoard requires a depth, and without a clock the greatest would never end.
fn bounded_pace(spec: &PlayerSpec, pace: Pace) -> Pace {
    match &spec.kind {
        PlayerKind::External(external)
            if pace == Pace::Time(Control::Unlimited)
                && matches!(external.protocol, None | Some(Kind::Nboard)) =>
        {
            Pace::Level(external.depth.unwrap_or(level::DEFAULT_LEVEL))
        }
        _ => pace,
    }
}

/// Whether `game` starts with all plies of `known`.
fn is_continued(known: &Game, game: &Game) -> bool {
    let moves = |game: &Game| -> Vec<_> { game.plies().iter().map(|ply| ply.mv).collect() };
    known.start() == game.start() && moves(game).starts_with(&moves(known))
}

/// The engine's expected replies, for display.
fn reckoned(table: &[engine::Foreseen]) -> Vec<Reckoned> {
    let row = |foreseen: &engine::Foreseen| {
        let line = foreseen.outcome.best()?;
        Some(Reckoned {
            to: foreseen.to,
            reply: line.mv,
            value: score::text(line.score, line.is_proven()),
            depth: line.depth,
        })
    };
    table.iter().filter_map(row).collect()
}

/// The result of a search, with the chosen line first.
fn picked_first(thought: Thought) -> Outcome {
    let mut outcome = thought.outcome;
    if thought.picked < outcome.lines.len() {
        outcome.lines.swap(0, thought.picked);
    }
    outcome
}

/// The goal of a search with this effort.
fn goal(effort: &Effort, board: Board) -> Goal {
    let n_empties = board.n_empties();
    let Limits { horizon, budget, .. } = effort.limits;
    let time = effort.expected_time(n_empties);
    let depth =
        if n_empties <= horizon.exact_from { n_empties } else { horizon.depth.min(n_empties) };
    Goal {
        // A clock or a node limit ends the search long before this depth.
        depth: (time.is_none() && budget.nodes.is_none()).then_some(depth),
        nodes: budget.nodes,
        time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;
    use crate::seats::spec::PlayerText;

    #[test]
    fn nodes_limit_every_strength() {
        for strength in [1, 30, 59, 60] {
            let text = format!("engine:strength={strength},nodes=70,hash=1");
            let spec = PlayerSpec::parse(&PlayerText { spec: text, startup: Vec::new() }).unwrap();
            let pace = spec.pace.unwrap();
            let (events, replies) = unbounded();
            let mut opponent = Opponent::start(spec, Role::Player(Color::Black), events).unwrap();
            let (game, clocks) = (Game::default(), [Clock::default(); 2]);
            opponent.ask(Request::Choose { id: 1, game, clocks, pace });
            let goal = replies.iter().find_map(|event| match event {
                Event::Reply { reply: Reply::Started(goal), .. } => Some(goal),
                _ => None,
            });
            assert_eq!(goal.unwrap().nodes, Some(70), "{strength}");
            opponent.leave().join().unwrap();
        }
    }
}

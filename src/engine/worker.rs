//! The worker thread: takes commands, searches, learns how fast this machine is.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use super::host::{Host, Work};
use super::job::{Call, Effort, Event, Foreseen, Job, Pick, Result, Think, Thought};
use super::loading::Loading;
use super::plan::{Task, plan};
use super::{Command, Config, Ends, ponder};
use crate::board::{Board, Move, hash};
use crate::evaluation::Evaluation;
use crate::evaluation::terms::Terms;
use crate::journal::{End, Entry, Recorder, Searched, Step};
use crate::score::{DISC, MAX};
use crate::search::{self, Bound, Limits, Line, Outcome, Report, Selectivity, Setup, StopToken};
use crate::support::memory;
use crate::transposition::Table;

/// Stack of the worker in bytes.
pub(super) const STACK: usize = 16 << 20;

/// Size in MiB of the table for a search that is not to learn from others. Such searches are shallow.
const PRIVATE_TABLE: usize = 4;

/// How long a repeated search waits for the line that ended its model.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The engine without its thread: its belongings, and one job after the other.
pub struct Worker {
    config: Config,
    evaluation: Loading,
    /// Made when the evaluation is there, for it can do with less where memory is short.
    table: Option<Table>,
    host: Host,
    foreseen: Vec<Foreseen>,
    recorder: Recorder,
    /// What is left to be repeated of an earlier run.
    steps: VecDeque<Step>,
    /// Whether the last search was ended from outside. What comes after it goes by this and not by the token, which may have
    /// been stopped a moment later.
    was_stopped: bool,
    /// When the running job was asked for, if somebody waits for it.
    asked: Option<Instant>,
}

/// Runs until the command channel is closed.
pub(super) fn run(mut worker: Worker, commands: &Receiver<Command>, ends: &Ends) {
    for command in commands {
        match command {
            Command::Configure(config) => worker.configure(config),
            Command::NoteWay(way) => worker.host.observe_way(way),
            Command::Run(id, job, stop, asked) => {
                worker.asked = Some(asked);
                // A full queue means that nobody looks; a later report says more anyway.
                let mut report = |event| drop(ends.events.try_send((id, event)));
                let attempt =
                    catch_unwind(AssertUnwindSafe(|| worker.work(&job, &stop, &mut report)));
                let result = attempt.unwrap_or_else(|_| {
                    worker.recorder.error("the search panicked; playing the first legal move");
                    worker.recorder.note(|| Entry::Step(Step::Broken));
                    // Half-changed state must not be used again.
                    worker.forget();
                    fallback(&job)
                });
                if ends.finished.send((id, result)).is_err() {
                    return;
                }
            }
        }
    }
}

/// A table of the wanted size, or of the largest power-of-two fraction of it that the system grants without giving its last.
fn allocate(megabytes: usize) -> Table {
    let mut size = megabytes;
    loop {
        if let Some(table) = Table::try_new(size)
            && (size == 0 || memory::is_available(memory::SPARE))
        {
            if size < megabytes {
                log::warn!("no memory for a hash of {megabytes} MB; using {size} MB");
            }
            return table;
        }
        size /= 2;
    }
}

impl Worker {
    /// A worker that knows nothing yet, notes what it does, and repeats `steps` of an earlier run. Its evaluation is loaded meanwhile.
    pub fn new(config: Config, recorder: Recorder, steps: Vec<Step>) -> Worker {
        Worker {
            evaluation: Loading::start(&config.evaluation, &recorder),
            table: None,
            host: Host::new(config.n_threads),
            config,
            foreseen: Vec::new(),
            recorder,
            steps: steps.into(),
            was_stopped: false,
            asked: None,
        }
    }

    fn configure(&mut self, config: Config) {
        if config.hash_megabytes != self.config.hash_megabytes {
            // The old table goes first, so that both need not fit at the same time.
            self.table = None;
        }
        if config.evaluation != self.config.evaluation {
            self.table = None;
            self.foreseen.clear();
            self.evaluation = Loading::start(&config.evaluation, &self.recorder);
        }
        self.host.set_threads(config.n_threads);
        self.config = config;
    }

    fn forget(&mut self) {
        self.foreseen.clear();
        if let Some(table) = &mut self.table {
            table.clear();
        }
    }

    /// Waits for the evaluation, no longer than `until` and no further than a stop, and makes the table: one that the system refuses
    /// becomes smaller. What repeats an earlier search waits as that one did.
    fn wait_for_evaluation(&mut self, until: Option<Instant>, stop: &StopToken) {
        match self.steps.front() {
            Some(Step::Searched(earlier)) if earlier.by_terms => return,
            Some(_) => self.evaluation.wait(None, &StopToken::never()),
            None => self.evaluation.wait(until, stop),
        }
        if self.table.is_none() && self.evaluation.get().is_some() {
            self.table = Some(allocate(self.config.hash_megabytes));
        }
    }

    /// Does a job.
    pub fn work(&mut self, job: &Job, stop: &StopToken, report: &mut dyn FnMut(Event)) -> Result {
        match job {
            Job::Think(think) => Result::Thought(Box::new(self.think(think, stop, report))),
            Job::Ponder { board, effort } => {
                self.wait_for_evaluation(None, stop);
                let found = ponder::ponder(self, *board, effort, stop, report);
                self.foreseen.clone_from(&found);
                Result::Pondered(found)
            }
            Job::Call(call) => (call.run)(stop, report),
            Job::Forget => {
                // This comes before a game, while no clock runs.
                self.wait_for_evaluation(None, stop);
                self.forget();
                Result::Forgotten
            }
            Job::Survey { boards, effort } => {
                self.foreseen.clear();
                self.wait_for_evaluation(None, stop);
                for (index, &board) in boards.iter().enumerate() {
                    let task = self.task(board, effort);
                    self.age();
                    let outcome = self.search(board, &task.limits, stop, &mut |_| {});
                    if self.was_stopped {
                        break;
                    }
                    let score = outcome.best().map(|line| line.score).or(outcome.final_score);
                    report(Event::Valued { index, score: score.unwrap_or(0) });
                }
                Result::Surveyed
            }
        }
    }

    fn think(&mut self, think: &Think, stop: &StopToken, report: &mut dyn FnMut(Event)) -> Thought {
        let start = Instant::now();
        let mut task = self.task(think.board, &think.effort);
        // Where a clock runs, the wait for the evaluation leaves time for a search, if only by the classic terms.
        let patience = task.limits.budget.time.filter(|_| think.effort.clock.is_some());
        let patience = patience.map(|pacing| pacing.target.min(pacing.maximum / 2));
        let asked = self.asked.take().unwrap_or(start);
        self.wait_for_evaluation(patience.map(|patience| asked + patience), stop);
        // The clock has run since the job was asked for: while the evaluation was loaded, or an earlier job came to its end.
        let time = &mut task.limits.budget.time;
        *time = time.map(|pacing| pacing.after(asked.elapsed()));
        let foreseen = self.take_foreseen().into_iter().find(|reply| reply.board == think.board);
        if let (Some(foreseen), None) = (foreseen, think.pick) {
            if self.plays(&foreseen, &task) {
                self.recorder.note(|| Entry::Step(Step::Foreseen(ponder::describe(&foreseen))));
                return Thought {
                    outcome: foreseen.outcome,
                    picked: 0,
                    was_foreseen: true,
                    elapsed: start.elapsed(),
                };
            }
            // What pondering spent on this position is in the table and need not be spent again.
            if let Some(pacing) = &mut task.limits.budget.time
                && pacing.target < pacing.maximum
            {
                pacing.target = pacing.target.saturating_sub(foreseen.spent);
            }
        }
        let mut on_report = |found: &Report| report(Event::Report(found.clone()));
        let (board, limits) = (think.board, task.limits);
        let (outcome, picked) = match think.pick {
            Some(Pick::AsStrong(strength, seed)) => {
                let table = allocate(PRIVATE_TABLE);
                let outcome = self.search_once(Some(table), board, &limits, stop, &mut on_report);
                let picked = strength.choose(board, &outcome.lines, seed);
                (outcome, picked)
            }
            None | Some(Pick::Evenly(_)) => {
                self.age();
                let outcome = self.search(board, &limits, stop, &mut on_report);
                let picked = match think.pick {
                    Some(Pick::Evenly(seed)) => pick(seed, board, outcome.lines.len()),
                    _ => 0,
                };
                (outcome, picked)
            }
        };
        Thought { outcome, picked, was_foreseen: false, elapsed: start.elapsed() }
    }

    /// The replies found by the last pondering; none are left behind.
    pub(super) fn take_foreseen(&mut self) -> Vec<Foreseen> {
        std::mem::take(&mut self.foreseen)
    }

    /// What to search in a position with this effort, by the clock's plan.
    pub(super) fn task(&self, board: Board, effort: &Effort) -> Task {
        let (clock, overhead) = effort.clock.unwrap_or_default();
        let plan = plan(&clock, overhead, board.n_empties(), &self.host);
        Task::within_plan(effort.limits, plan)
    }

    /// Makes room in the table for what comes now.
    pub(super) fn age(&mut self) {
        if let Some(table) = &mut self.table {
            table.age();
        }
    }

    /// A search with the worker's table, from which it learns how the machine serves it.
    pub(super) fn search(
        &mut self,
        board: Board,
        limits: &Limits,
        stop: &StopToken,
        on_report: &mut dyn FnMut(&Report),
    ) -> Outcome {
        let outcome = self.search_once(None, board, limits, stop, on_report);
        if let Some(work) = work_of(board, limits, &outcome) {
            self.host.observe_speed(work, outcome.nodes, outcome.elapsed);
        }
        if let Some(pacing) = limits.budget.time {
            self.host.observe_time(pacing.maximum, outcome.elapsed);
        }
        outcome
    }

    /// A search with a table of its own or the worker's, which is noted. One that repeats an earlier search ends where that one
    /// did. While the evaluation is not there the classic terms are used, and what they say is not kept.
    fn search_once(
        &mut self,
        table: Option<Table>,
        board: Board,
        limits: &Limits,
        stop: &StopToken,
        on_report: &mut dyn FnMut(&Report),
    ) -> Outcome {
        let earlier = match self.steps.pop_front() {
            Some(Step::Searched(searched)) => Some(searched),
            _ => None,
        };
        let never = StopToken::never();
        let (limits, token) = match &earlier {
            Some(earlier) => (earlier.limit(limits), &never),
            None => (*limits, stop),
        };
        let (mut iterations, mut nodes) = (0, 0);
        let by_terms =
            earlier.as_ref().map_or(self.evaluation.get().is_none(), |earlier| earlier.by_terms);
        let evaluation = self.evaluation.get().filter(|_| !by_terms);
        let private = table.or_else(|| by_terms.then(|| allocate(PRIVATE_TABLE)));
        let table = match &private {
            Some(table) => table,
            None => self.table.get_or_insert_with(|| allocate(self.config.hash_megabytes)),
        };
        let setup = Setup {
            evaluation: evaluation.unwrap_or(&Evaluation::Terms(Terms)),
            table,
            n_threads: self.config.n_threads.max(1),
            stop: token,
        };
        let outcome = search::search(board, &limits, setup, &mut |report| {
            if report.complete {
                iterations += 1;
                nodes = report.nodes;
            }
            on_report(report);
        });
        let was_stopped = earlier.as_ref().map_or(stop.is_stopped(), |earlier| earlier.was_stopped);
        self.was_stopped = was_stopped;
        if earlier.is_some() && was_stopped {
            wait_for(stop);
        }
        self.recorder.note(|| {
            let end = match outcome.interrupted {
                false => End::Complete,
                // Whoever ends an iteration before its time has visited a node of it.
                true if nodes == outcome.nodes => End::After(iterations),
                true => End::Within,
            };
            let searched = Searched::new(&outcome, &limits);
            Entry::Step(Step::Searched(Searched { end, was_stopped, by_terms, ..searched }))
        });
        outcome
    }

    /// Whether a foreseen reply is played without another look, or was in the run that is repeated.
    fn plays(&mut self, foreseen: &Foreseen, task: &Task) -> bool {
        match self.steps.front() {
            Some(Step::Foreseen(_)) => {
                self.steps.pop_front();
                true
            }
            Some(_) => false,
            None => ponder::meets(foreseen, task),
        }
    }

    /// Whether the last search was ended from outside.
    pub(super) const fn was_stopped(&self) -> bool {
        self.was_stopped
    }
}

/// What nearly all nodes of a search were spent on, if that is known.
fn work_of(board: Board, limits: &Limits, outcome: &Outcome) -> Option<Work> {
    let n_empties = board.n_empties();
    let depth = outcome.best()?.depth;
    if n_empties <= limits.horizon.exact_from {
        Some(Work::Solution)
    } else if depth + search::SOLVE_JUMP < n_empties {
        Some(Work::Midgame)
    } else {
        None
    }
}

/// Waits for the line that ended a search in the run that is repeated; for a while only, should the runs differ.
fn wait_for(stop: &StopToken) {
    let start = Instant::now();
    while !stop.is_stopped() && start.elapsed() < LONGEST_WAIT {
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Draws one of `n` lines; the same seed and position always draw the same.
fn pick(seed: u64, board: Board, n: usize) -> usize {
    if n < 2 {
        return 0;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ hash::hash(board));
    (random.next_u64() % n as u64) as usize
}

/// What to answer when a search broke down: any legal move, without a value.
fn fallback(job: &Job) -> Result {
    match job {
        Job::Think(Think { board, .. }) | Job::Call(Call { board, .. }) => {
            let mv = match board.moves().next() {
                Some(square) => Some(Move::Place(square)),
                None => board
                    .play(Move::Pass)
                    .filter(|next| next.legal_moves() != 0)
                    .map(|_| Move::Pass),
            };
            let line = |mv| Line {
                mv,
                score: MAX,
                bound: Bound::AtMost,
                depth: 1,
                selectivity: Selectivity::FULL,
                exact: false,
                pv: vec![mv],
            };
            let outcome = Outcome {
                lines: mv.into_iter().map(line).collect(),
                final_score: mv.is_none().then(|| board.final_score() * DISC),
                nodes: 0,
                probes: 0,
                elapsed: Duration::ZERO,
                interrupted: true,
            };
            Result::Thought(Box::new(Thought {
                outcome,
                picked: 0,
                was_foreseen: false,
                elapsed: Duration::ZERO,
            }))
        }
        Job::Ponder { .. } => Result::Pondered(Vec::new()),
        Job::Survey { .. } => Result::Surveyed,
        Job::Forget => Result::Forgotten,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, Control};
    use crate::engine::{Engine, level};
    use crate::evaluation::Source;
    use crate::search::Interrupts;
    use std::sync::Arc;

    fn think(board: Board) -> Think {
        Think::new(board, level::horizon(4))
    }

    #[test]
    fn jobs_finish_in_order_and_reports_carry_their_id() {
        let mut engine = Engine::start(Config { hash_megabytes: 1, ..Config::default() }).unwrap();
        let first = engine.run(Job::Think(think(Board::START)), StopToken::never());
        let boards = vec![Board::START, Board { player: 1, opponent: 0 }];
        let effort = level::horizon(2).into();
        let second = engine.run(Job::Survey { boards, effort }, StopToken::never());
        let (id, result) = engine.finished().recv().unwrap();
        assert_eq!(id, first);
        let Result::Thought(thought) = result else { panic!("{result:?}") };
        assert!(Board::START.play(thought.line().unwrap().mv).is_some());
        assert_eq!(engine.finished().recv().unwrap().0, second);
        let events: Vec<_> = engine.events().try_iter().collect();
        let reports =
            events.iter().filter(|(id, event)| *id == first && matches!(event, Event::Report(_)));
        assert_eq!(reports.count(), 4);
        let values: Vec<_> = events
            .iter()
            .filter_map(|(id, event)| match event {
                Event::Valued { index, score } if *id == second => Some((*index, *score)),
                _ => None,
            })
            .collect();
        assert_eq!((values.len(), values[1]), (2, (1, 64 * DISC)));
    }

    #[test]
    fn a_broken_search_still_gives_a_legal_move() {
        let Result::Thought(thought) = fallback(&Job::Think(think(Board::START))) else { panic!() };
        assert!(Board::START.play(thought.line().unwrap().mv).is_some());
    }

    #[test]
    fn a_broken_call_gives_a_legal_move_and_the_next_job_runs() {
        let mut engine = Engine::start(Config { hash_megabytes: 1, ..Config::default() }).unwrap();
        let run: Arc<crate::engine::job::Run> = Arc::new(|_, _| panic!("a test"));
        engine.run(Job::Call(Call { board: Board::START, run }), StopToken::never());
        engine.run(Job::Forget, StopToken::never());
        let Result::Thought(thought) = engine.finished().recv().unwrap().1 else { panic!() };
        assert!(Board::START.play(thought.line().unwrap().mv).is_some());
        assert!(matches!(engine.finished().recv().unwrap().1, Result::Forgotten));
    }

    /// A worker whose evaluation does not come before the sender is dropped.
    fn waiting_worker() -> (Worker, std::sync::mpsc::Sender<()>) {
        let config = Config { hash_megabytes: 1, evaluation: Source::Terms, ..Config::default() };
        let mut worker = Worker::new(config, Recorder::default(), Vec::new());
        let (sender, gate) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let _ = gate.recv();
            Evaluation::embedded()
        });
        worker.evaluation = Loading::underway(thread, Recorder::default());
        (worker, sender)
    }

    #[test]
    fn a_short_clock_does_not_wait_for_the_evaluation() {
        let (mut worker, gate) = waiting_worker();
        let control = Control::Game { main: Duration::from_millis(100), increment: Duration::ZERO };
        let clock = Some((Clock::new(control), Duration::from_millis(20)));
        let effort = Effort { clock, ..level::open_horizon(true, None).into() };
        let timed = Job::Think(Think::new(Board::START, effort));
        let Result::Thought(thought) = worker.work(&timed, &StopToken::never(), &mut |_| {}) else {
            panic!()
        };
        assert!(Board::START.play(thought.line().unwrap().mv).is_some());
        assert!(worker.table.is_none());
        // Nor does what a line ends.
        let interrupts = Arc::new(Interrupts::default());
        interrupts.note_urgent(1);
        let stop = StopToken::on_urgent_line(&interrupts, 0);
        let untimed = Job::Think(think(Board::START));
        let Result::Thought(thought) = worker.work(&untimed, &stop, &mut |_| {}) else { panic!() };
        assert!(thought.line().is_some() && worker.table.is_none());
        assert!(matches!(worker.work(&Job::Forget, &stop, &mut |_| {}), Result::Forgotten));
        // Without a clock nothing else is used.
        drop(gate);
        let result = worker.work(&untimed, &StopToken::never(), &mut |_| {});
        assert!(worker.table.is_some());
        let Result::Thought(thought) = result else { panic!() };
        let mut engine = Engine::start(Config { hash_megabytes: 1, ..Config::default() }).unwrap();
        engine.run(untimed, StopToken::never());
        let Result::Thought(other) = engine.finished().recv().unwrap().1 else { panic!() };
        assert_eq!(thought.outcome.lines, other.outcome.lines);
        assert_eq!(thought.outcome.nodes, other.outcome.nodes);
    }

    #[test]
    fn a_dropped_engine_ends_whatever_it_does() {
        let endless = Effort::from(level::horizon(60));
        let think = Job::Think(Think { effort: endless, ..think(Board::START) });
        let ponder = Job::Ponder { board: Board::START, effort: endless };
        let survey = Job::Survey { boards: vec![Board::START; 100], effort: endless };
        let (ended, has_ended) = crossbeam_channel::bounded(1);
        let run: Arc<crate::engine::job::Run> = Arc::new(move |stop, _| {
            while !stop.is_stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
            Result::Forgotten
        });
        let call = Job::Call(Call { board: Board::START, run });
        // Each as the running job, with the others waiting behind it.
        let jobs = [think, ponder, survey, call];
        for first in 0..jobs.len() {
            let mut engine =
                Engine::start(Config { hash_megabytes: 1, ..Config::default() }).unwrap();
            engine.run(Job::Forget, StopToken::never());
            engine.finished().recv().unwrap();
            for job in jobs.iter().cycle().skip(first).take(jobs.len()) {
                engine.run(job.clone(), StopToken::never());
            }
            let ended = ended.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                drop(engine);
                ended.send(()).unwrap();
            });
            let result = has_ended.recv_timeout(Duration::from_secs(60));
            assert!(result.is_ok(), "{:?} goes on", jobs[first]);
        }
    }

    #[test]
    fn picks_repeat_by_seed_and_differ_between_seeds() {
        let picks: Vec<_> = (0..50).map(|seed| pick(seed, Board::START, 4)).collect();
        assert_eq!(picks, (0..50).map(|seed| pick(seed, Board::START, 4)).collect::<Vec<_>>());
        assert!((0..4).all(|choice| picks.contains(&choice)));
    }

    #[test]
    fn pondering_foresees_the_replies_and_a_hit_is_played_at_once() {
        let mut engine = Engine::start(Config { hash_megabytes: 4, ..Config::default() }).unwrap();
        let effort = Effort::from(level::horizon(5));
        let board = Board::START.play(Move::parse(b"f5").unwrap()).unwrap();
        engine.run(Job::Ponder { board, effort }, StopToken::never());
        let (_, result) = engine.finished().recv().unwrap();
        let Result::Pondered(table) = result else { panic!("{result:?}") };
        assert_eq!(table.len(), 3);
        let values: Vec<_> =
            table.iter().map(|reply| reply.outcome.best().unwrap().score).collect();
        assert!(values.is_sorted(), "{values:?}");
        let reply = table[2].clone();
        let think = Think::new(reply.board, effort);
        engine.run(Job::Think(think), StopToken::never());
        let Result::Thought(thought) = engine.finished().recv().unwrap().1 else { panic!() };
        assert!(thought.was_foreseen);
        assert_eq!(thought.outcome, reply.outcome);
        // A miss searches as ever.
        engine.run(Job::Think(Think { board: Board::START, ..think }), StopToken::never());
        let Result::Thought(thought) = engine.finished().recv().unwrap().1 else { panic!() };
        assert!(!thought.was_foreseen && thought.line().is_some());
    }

    #[test]
    fn a_stopped_ponder_keeps_what_it_found() {
        let interrupts = Arc::new(Interrupts::default());
        let mut engine = Engine::start(Config { hash_megabytes: 4, ..Config::default() }).unwrap();
        let effort = level::horizon(40).into();
        let board = Board::START.play(Move::parse(b"f5").unwrap()).unwrap();
        engine.run(Job::Ponder { board, effort }, StopToken::on_any_line(&interrupts, 1));
        let (_, Event::Foresaw(found)) = engine.events().recv().unwrap() else { panic!() };
        // Left alone, it would go on for half an hour.
        interrupts.note_line(2);
        let Result::Pondered(table) = engine.finished().recv().unwrap().1 else { panic!() };
        assert_eq!((found.len(), table.len()), (3, 3));
    }
}

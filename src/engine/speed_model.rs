//! A model of this machine: search speed and delays, measured while the engine runs, and the nodes that searches take.

use std::time::Duration;

use crate::board::Board;
use crate::search::{Limits, Outcome, SOLVE_JUMP};

/// Tree nodes that suffice to solve four of five positions with 20 empty squares exactly, and the factor for each further
/// empty square. For FFO 20-49 and hard middle games, the average was 2.0 million nodes and a factor of 1.8 to 1.9.
const SOLUTION: (f64, f64) = (4e6, 1.95);

/// The same on average for a search to the end at the lowest selectivity (an unfinished one is no loss); of FFO 20-49.
const REACH: (f64, f64) = (4.5e5, 1.43);

/// Tree nodes of a search of 15 plies at the lowest selectivity (geometric mean of five positions after openings of 5 to 12
/// plies), and the factor for each further ply (of searches of 12 to 17 plies).
const MIDGAME: (f64, f64) = (2.0e5, 1.53);

/// The depth in plies, 1 to 60, that a search at the lowest selectivity reaches in this many nodes in an opening.
pub fn depth(nodes: f64) -> u32 {
    let (at_15, growth) = MIDGAME;
    (15.0 + (nodes.max(1.0) / at_15).ln() / growth.ln()).clamp(1.0, 60.0) as u32
}

/// Empty squares that can be solved in this many nodes, at most 60.
pub fn solvable(nodes: f64) -> u32 {
    empties(nodes, SOLUTION)
}

/// Empty squares from which a search at the lowest selectivity reaches the end in this many nodes, at most 60.
pub fn reachable(nodes: f64) -> u32 {
    empties(nodes, REACH)
}

fn empties(nodes: f64, (at_20, growth): (f64, f64)) -> u32 {
    if nodes < 1.0 {
        return 0;
    }
    (20.0 + (nodes / at_20).ln() / growth.ln()).clamp(0.0, 60.0) as u32
}

/// How fast this machine searches and how late it is, as measured while the engine runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedModel {
    /// Tree nodes per second while solving, all threads together.
    speed: f64,
    n_threads: usize,
    /// The largest overrun of a search's hard time limit, as when other programs use the processor. It counts up to [`LATEST`]
    /// and fades by [`MEMORY`] with each search.
    lateness: Duration,
    /// Time from the end of a search to the written reply, remembered in the same way.
    reply_latency: Duration,
    /// Expected scheduler stall: the largest seen, capped at [`LATEST`], decaying with undisturbed search time.
    halt: Duration,
}

/// A single longer halt, as when the machine sleeps, says nothing about the next moves.
const LATEST: Duration = Duration::from_millis(50);

const MEMORY: f64 = 0.95;

/// Expected of an unknown machine.
const HALT: Duration = Duration::from_millis(4);

/// After this much search time without a halt, a third of the expected one is left.
const CALM: Duration = Duration::from_millis(250);

/// Tree nodes per second of one solving thread, assumed before any measurement: less than a fast machine reaches.
const SPEED: f64 = 3e7;

/// The speed grows by this power of the number of threads: each further one adds less.
const THREADS_GROWTH: f64 = 0.9;

/// Solving visits this many times more nodes per second than the midgame search, which evaluates positions: by processor
/// time 3.2 times for FFO 20-39 and 4.1 times for FFO 40-44, against 40 early positions at 14 plies with 73 %.
const SOLVING_SPEEDUP: f64 = 3.5;

/// The speed is an average over about this much of the last time spent searching.
const SPEED_MEMORY: Duration = Duration::from_millis(50);

/// Shorter searches are not counted, because they mostly measure the start-up.
const MIN_SEARCH: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Midgame,
    Solution,
}

impl Default for SpeedModel {
    fn default() -> SpeedModel {
        SpeedModel::new(1)
    }
}

impl SpeedModel {
    /// An idle machine of unknown speed, for this many search threads, at least 1.
    pub fn new(n_threads: usize) -> SpeedModel {
        let (lateness, reply_latency) = (Duration::ZERO, Duration::ZERO);
        let mut speed_model =
            SpeedModel { speed: SPEED, n_threads: 1, lateness, reply_latency, halt: HALT };
        speed_model.set_threads(n_threads);
        speed_model
    }

    /// Changes the number of search threads, at least 1.
    pub fn set_threads(&mut self, n_threads: usize) {
        let n_threads = n_threads.max(1);
        self.speed *= (n_threads as f64 / self.n_threads as f64).powf(THREADS_GROWTH);
        self.n_threads = n_threads;
    }

    /// The time to keep back for delays: twice what has been seen, for the next one may be longer.
    pub fn delay(&self) -> Duration {
        (self.lateness + self.reply_latency) * 2
    }

    /// The expected scheduler stall. `None` with several threads: all wait for a halted one, and most halts are not seen.
    pub fn halt(&self) -> Option<Duration> {
        (self.n_threads == 1).then_some(self.halt)
    }

    fn nodes(&self, time: Duration) -> f64 {
        time.as_secs_f64() * self.speed
    }

    /// The highest number of empty squares, 0 to 60, that can be solved in `time`.
    pub fn solvable(&self, time: Duration) -> u32 {
        solvable(self.nodes(time))
    }

    /// The highest number of empty squares, 0 to 60, from which a search at the lowest selectivity reaches the end in `time`.
    pub fn reachable(&self, time: Duration) -> u32 {
        reachable(self.nodes(time))
    }

    /// The depth in plies, 1 to 60, that a search at the lowest selectivity reaches in `time` in an opening.
    pub fn depth(&self, time: Duration) -> u32 {
        depth(self.nodes(time) / SOLVING_SPEEDUP)
    }

    /// Learns from a search and its limits.
    pub fn observe(&mut self, board: Board, limits: &Limits, outcome: &Outcome) {
        if let Some(work) = work_of(board, limits, outcome) {
            self.observe_speed(work, outcome.nodes, outcome.elapsed);
        }
        if let Some(time_limit) = limits.time {
            self.observe_time(time_limit.hard, outcome.elapsed, outcome.pause);
        }
    }

    /// However the search ended. Longer searches weigh more.
    pub fn observe_speed(&mut self, work: Work, nodes: u64, elapsed: Duration) {
        if elapsed < MIN_SEARCH || nodes == 0 {
            return;
        }
        let seconds = elapsed.as_secs_f64();
        let factor = if work == Work::Midgame { SOLVING_SPEEDUP } else { 1.0 };
        let speed = nodes as f64 / seconds * factor;
        let weight = 1.0 - (-seconds / SPEED_MEMORY.as_secs_f64()).exp();
        self.speed *= (speed / self.speed).powf(weight);
    }

    /// `maximum` is what the search should have taken at most; `pause` is its longest halt by the system.
    pub fn observe_time(&mut self, maximum: Duration, elapsed: Duration, pause: Duration) {
        let late = elapsed.saturating_sub(maximum);
        self.lateness = remember(self.lateness, late);
        self.halt = self.halt.mul_f64((-elapsed.as_secs_f64() / CALM.as_secs_f64()).exp());
        self.observe_halt(late.max(pause));
    }

    /// Learns from the time between the end of a search and the written reply.
    pub fn observe_reply_latency(&mut self, reply_latency: Duration) {
        self.reply_latency = remember(self.reply_latency, reply_latency);
        self.observe_halt(reply_latency);
    }

    fn observe_halt(&mut self, halt: Duration) {
        self.halt = self.halt.max(halt.min(LATEST));
    }
}

/// `None` if it is not known.
fn work_of(board: Board, limits: &Limits, outcome: &Outcome) -> Option<Work> {
    let n_empties = board.n_empties();
    let depth = outcome.best()?.depth;
    if n_empties <= limits.exact_from {
        Some(Work::Solution)
    } else if depth + SOLVE_JUMP < n_empties {
        Some(Work::Midgame)
    } else {
        None
    }
}

fn remember(known: Duration, seen: Duration) -> Duration {
    seen.min(LATEST).max(known.mul_f64(MEMORY))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// The speed of a machine relative to that of an unknown one with one thread.
    fn relative_speed(speed_model: &SpeedModel) -> f64 {
        speed_model.speed / SPEED
    }

    #[test]
    fn speed_is_learnt() {
        let unknown = SpeedModel::default();
        let solvable = |speed_model: &SpeedModel| speed_model.solvable(MS(1000));
        assert_eq!((unknown.solvable(MS(0)), unknown.reachable(MS(0))), (0, 0));
        let depths = [0, 1, 100, 10_000].map(|ms| unknown.depth(MS(ms)));
        assert!(
            depths[0] == 1 && depths.is_sorted() && (20..40).contains(&depths[3]),
            "{depths:?}"
        );
        for (work, nodes_a_second) in
            [(Work::Solution, 12e7), (Work::Midgame, 12e7 / SOLVING_SPEEDUP)]
        {
            // Four times as fast: one search of a second tells all, one of 10 ms a part.
            let mut speed_model = unknown;
            speed_model.observe_speed(work, nodes_a_second as u64, MS(1000));
            assert!((relative_speed(&speed_model) - 4.0).abs() < 0.01, "{speed_model:?}");
            assert!(solvable(&speed_model) > solvable(&unknown));
            assert!(speed_model.reachable(MS(1000)) > unknown.reachable(MS(1000)));
            let mut speed_model = unknown;
            for _ in 0..40 {
                let before = relative_speed(&speed_model);
                speed_model.observe_speed(work, (nodes_a_second / 100.0) as u64, MS(10));
                assert!(
                    relative_speed(&speed_model) > before && relative_speed(&speed_model) < 4.01
                );
            }
            assert!(relative_speed(&speed_model) > 3.9, "{speed_model:?}");
            // A machine that others use now is slower.
            speed_model.observe_speed(work, (nodes_a_second / 8.0) as u64, MS(1000));
            assert!((relative_speed(&speed_model) - 0.5).abs() < 0.01, "{speed_model:?}");
        }
        let mut speed_model = unknown;
        speed_model.observe_speed(Work::Solution, 1000, Duration::from_micros(10));
        speed_model.observe_speed(Work::Solution, 0, MS(10));
        assert_eq!(speed_model, unknown);
    }

    #[test]
    fn threads_count_before_anything_is_measured() {
        let at = |n| relative_speed(&SpeedModel::new(n));
        assert_eq!((at(0), at(1)), (1.0, 1.0));
        assert!(at(2) > 1.7 && at(2) < 2.0 && at(64) > 32.0 && at(64) < 64.0);
        let mut speed_model = SpeedModel::new(4);
        speed_model.set_threads(2);
        assert!((relative_speed(&speed_model) - at(2)).abs() < 1e-9);
        // The measured speed carries over to another number of threads.
        speed_model.observe_speed(Work::Solution, 6e7 as u64, MS(1000));
        speed_model.set_threads(4);
        assert!((relative_speed(&speed_model) - 2.0 * at(4) / at(2)).abs() < 1e-3);
    }
}

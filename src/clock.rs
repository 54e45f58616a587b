//! Game clocks and the planning of thinking time: pure arithmetic, no clock of the system is read here.
//!
//! A [`Clock`] is what a side has left; [`Clock::plan`] turns it into a [`Plan`] for one move.

use std::fmt;
use std::time::Duration;

/// The time control of a side as set before the game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Control {
    /// No limit.
    #[default]
    Unlimited,
    /// A time for the game and an increment after every own move (zero for sudden death).
    Game {
        /// For the whole game.
        main: Duration,
        /// Added after every own move.
        increment: Duration,
    },
    /// A time for every move.
    Move(Duration),
    /// Main time, then periods of so many moves each (Canadian byo-yomi).
    Byoyomi {
        /// Before the first period.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// Moves to make in a period, at least 1.
        moves: u32,
    },
}

impl Control {
    /// Reads `30+0.1` or `30` (seconds a game with increment), `move:0.1`, `byo:M/P/S` (seconds, seconds, moves) or
    /// `unlimited`.
    pub fn parse(text: &str) -> Option<Control> {
        if text == "unlimited" {
            return Some(Control::Unlimited);
        }
        if let Some(time) = text.strip_prefix("move:") {
            return Some(Control::Move(seconds(time)?));
        }
        if let Some(parts) = text.strip_prefix("byo:") {
            let mut parts = parts.split('/');
            let control = Control::Byoyomi {
                main: seconds(parts.next()?)?,
                period: seconds(parts.next()?)?,
                moves: parts.next()?.parse().ok().filter(|&moves| moves > 0)?,
            };
            return parts.next().is_none().then_some(control);
        }
        let (main, increment) = text.split_once('+').unwrap_or((text, "0"));
        Some(Control::Game { main: seconds(main)?, increment: seconds(increment)? })
    }
}

/// As [`Control::parse`] reads it.
impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Control::Unlimited => f.write_str("unlimited"),
            Control::Game { main, increment } if increment.is_zero() => {
                write!(f, "{}", main.as_secs_f64())
            }
            Control::Game { main, increment } => {
                write!(f, "{}+{}", main.as_secs_f64(), increment.as_secs_f64())
            }
            Control::Move(time) => write!(f, "move:{}", time.as_secs_f64()),
            Control::Byoyomi { main, period, moves } => {
                write!(f, "byo:{}/{}/{moves}", main.as_secs_f64(), period.as_secs_f64())
            }
        }
    }
}

/// Reads a plain decimal number of seconds, zero to ten years.
pub fn seconds(text: &str) -> Option<Duration> {
    if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    (value < 3.2e8).then(|| Duration::from_secs_f64(value))
}

/// What a side has left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    control: Control,
    /// Of the game's time, or of the main time.
    main_left: Duration,
    /// Of the running period, once the main time is gone.
    period_left: Duration,
    /// Moves to make in the running period.
    moves_left: u32,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::new(Control::Unlimited)
    }
}

impl Clock {
    /// A full clock.
    pub const fn new(control: Control) -> Clock {
        let (main_left, period_left, moves_left) = match control {
            Control::Unlimited => (Duration::ZERO, Duration::ZERO, 0),
            Control::Game { main, .. } => (main, Duration::ZERO, 0),
            Control::Move(time) => (Duration::ZERO, time, 1),
            Control::Byoyomi { main, period, moves } => (main, period, moves),
        };
        Clock { control, main_left, period_left, moves_left }
    }

    /// The time control it was made for.
    pub const fn control(&self) -> Control {
        self.control
    }

    /// Whether there is any limit.
    pub fn is_limited(&self) -> bool {
        self.control != Control::Unlimited
    }

    /// Time left before the flag falls if no further move were made.
    pub fn left(&self) -> Duration {
        self.main_left + self.period_left
    }

    /// What a controller tells by `time_left`: the time and for how many moves it is, 0 for the main time.
    pub fn report(&self) -> (Duration, u32) {
        match self.control {
            Control::Unlimited | Control::Game { .. } => (self.main_left, 0),
            Control::Byoyomi { .. } if !self.main_left.is_zero() => (self.main_left, 0),
            Control::Move(_) | Control::Byoyomi { .. } => (self.period_left, self.moves_left),
        }
    }

    /// Takes off the time of a finished move and adds what the control gives for it.
    pub fn spend(&mut self, elapsed: Duration) {
        match self.control {
            Control::Unlimited | Control::Move(_) => {}
            Control::Game { increment, .. } => {
                self.main_left = self.main_left.saturating_sub(elapsed).saturating_add(increment);
            }
            Control::Byoyomi { period, moves, .. } => {
                let over = elapsed.saturating_sub(self.main_left);
                self.main_left = self.main_left.saturating_sub(elapsed);
                if self.main_left > Duration::ZERO {
                    return;
                }
                self.period_left = self.period_left.saturating_sub(over);
                self.moves_left = self.moves_left.saturating_sub(1);
                if self.moves_left == 0 {
                    (self.period_left, self.moves_left) = (period, moves);
                }
            }
        }
    }

    /// Sets the clock as a controller reports it: with `stones` 0, `time` is left of the main time; else `time` is left for
    /// `stones` moves.
    pub fn set_left(&mut self, time: Duration, stones: u32) {
        match self.control {
            Control::Unlimited => {
                *self = Clock::new(Control::Game { main: time, increment: Duration::ZERO });
                if stones > 0 {
                    *self = Clock::new(Control::Byoyomi {
                        main: Duration::ZERO,
                        period: time,
                        moves: stones,
                    });
                }
            }
            Control::Byoyomi { .. } if stones == 0 => self.main_left = time,
            Control::Game { .. } => self.main_left = time,
            Control::Move(_) | Control::Byoyomi { .. } => {
                (self.main_left, self.period_left, self.moves_left) =
                    (Duration::ZERO, time, stones.max(1));
            }
        }
    }

    /// Plans a move with `n_empties` empty squares. `overhead` is kept back for the way to the controller and back. `None`
    /// without a limit.
    pub fn plan(&self, overhead: Duration, n_empties: u32, machine: Machine) -> Option<Plan> {
        // Twice what has been seen, for the next time may be worse.
        let lateness = (machine.lateness + machine.way) * 2;
        let reserve = |time: Duration| {
            let usable = time.saturating_sub(overhead);
            usable.saturating_sub(lateness.min(usable / 2))
        };
        // Whoever oversteps a time for every move loses the game at the first slip, which nothing seen before has told of: more
        // is kept back from the start, but no more than a quarter of a very short time.
        let reserve_of_moves = |time: Duration, moves: u32| {
            let share = time / moves;
            let least =
                share.mul_f64(MOVE_RESERVE).max(overhead * OVERHEADS_OF_MOVE).min(share / 4);
            let usable = time.saturating_sub(least);
            let more = lateness.saturating_sub(least.saturating_sub(overhead));
            usable.saturating_sub(more.min(usable / 2))
        };
        // A busy machine may hold a process up for longer than it ever did. A clock that can be saved from is not run down so
        // far that one such moment loses the game, be it at the start: then moves are paid for by the increments.
        let save = |time: Duration| {
            let saved = overhead + lateness + SAVING.min(time.mul_f64(0.75));
            time.saturating_sub(saved)
        };
        // The time that is really there, an even share of it, and the most that one move may take.
        let plan_game = |usable: Duration, bonus: Duration| {
            let solve_from = machine.solvable(usable.mul_f64(0.4));
            if n_empties <= solve_from {
                let maximum = usable.mul_f64(0.6);
                return Plan { target: maximum, maximum, solve_from, reach_from: 60 };
            }
            let moves = (f64::from(n_empties - solve_from) / 2.0).max(2.0) + 1.0;
            let share = usable.div_f64(moves) + bonus.mul_f64(0.8);
            let maximum = (share * 4).min(usable.mul_f64(0.4)).max(bonus.mul_f64(0.8)).min(usable);
            let reach_from = machine.reachable(share.min(maximum));
            Plan { target: share.min(maximum), maximum, solve_from, reach_from }
        };
        match self.control {
            Control::Unlimited => None,
            Control::Game { increment, .. } => {
                Some(plan_game(save(self.main_left), increment.min(save(self.main_left))))
            }
            // Main time that is no more than a move's part of a period is spent as if it belonged to one.
            Control::Byoyomi { period, moves, .. }
                if self.main_left > overhead + period / moves =>
            {
                Some(plan_game(reserve(self.main_left), period / moves))
            }
            Control::Move(_) | Control::Byoyomi { .. } => {
                let moves = self.moves_left.max(1);
                let usable = reserve_of_moves(self.period_left + self.main_left, moves);
                let share = usable / moves;
                let maximum = if moves == 1 { usable } else { usable.min(share * 2) };
                let target = if moves == 1 { usable } else { share };
                let solve_from = machine.solvable(maximum.mul_f64(0.8));
                Some(Plan { target, maximum, solve_from, reach_from: machine.reachable(target) })
            }
        }
    }
}

/// What a move may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// About how long to think.
    pub target: Duration,
    /// When to break off.
    pub maximum: Duration,
    /// With so many empty squares or fewer, solve to the end.
    pub solve_from: u32,
    /// With so many empty squares or fewer, the end can be reached at the lowest selectivity.
    pub reach_from: u32,
}

/// Tree nodes that an exact solution with 20 empty squares takes at most in four of five positions, and the factor for each more:
/// of FFO 20-49 and of hard middle games it was 2.0 million on average, and 1.8 to 1.9.
const SOLUTION: (f64, f64) = (4e6, 1.95);

/// The same on average for a search to the end at the lowest selectivity, which is no loss if it is not finished; of FFO 20-49.
const REACH: (f64, f64) = (4.5e5, 1.43);

/// The highest number of empty squares that can be solved in so many nodes, 0 to 60.
pub fn solvable(nodes: f64) -> u32 {
    empties(nodes, SOLUTION)
}

/// The highest number of empty squares from which the end can be reached at the lowest selectivity in so many nodes, 0 to 60.
pub fn reachable(nodes: f64) -> u32 {
    empties(nodes, REACH)
}

fn empties(nodes: f64, (at_20, growth): (f64, f64)) -> u32 {
    if nodes < 1.0 {
        return 0;
    }
    (20.0 + (nodes / at_20).ln() / growth.ln()).clamp(0.0, 60.0) as u32
}

/// How the machine serves the engine, as measured while it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Tree nodes a second of a solution, all threads together.
    speed: f64,
    /// Search threads.
    n_threads: usize,
    /// By how much searches have gone beyond the most that they were to take, the last ones above all: other programs use
    /// the processor too. Long halts are not counted in full.
    pub lateness: Duration,
    /// How long results have taken from the end of their search to the written reply, remembered in the same way.
    pub way: Duration,
}

/// What is left on a game's clock for moments in which the machine does not serve the engine.
const SAVING: Duration = Duration::from_millis(100);

/// What is kept back of a time for one move: this share of it, or so many times the overhead, whichever is more.
const MOVE_RESERVE: f64 = 0.05;
const OVERHEADS_OF_MOVE: u32 = 3;

/// A single long halt, as when the machine sleeps, says nothing about the next moves.
const LATEST: Duration = Duration::from_millis(50);

/// What is remembered of the lateness after another search.
const MEMORY: f64 = 0.95;

/// Tree nodes a second of a solution by one thread, before anything has been measured: less than a quick machine has.
const SPEED: f64 = 3e7;

/// What another thread is worth less than the one before: the power of their number that the speed grows by.
const THREADS_GROWTH: f64 = 0.9;

/// Nodes of a solution are so many times quicker than those of the midgame, which are evaluated: by processor time 3.2 times for
/// FFO 20-39 and 4.1 times for FFO 40-44, against 40 early positions at 14 plies with 73 %.
const SOLVING_SPEEDUP: f64 = 3.5;

/// The speed is that of about so much of the last time spent searching.
const SPEED_MEMORY: Duration = Duration::from_millis(50);

/// Shorter searches measure the start-up.
const LEAST_SEARCH: Duration = Duration::from_millis(1);

/// What the nodes of a search were spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A search that ended before the game does.
    Midgame,
    /// A search to the end of the game.
    Solution,
}

impl Default for Machine {
    /// One thread.
    fn default() -> Machine {
        Machine::new(1)
    }
}

impl Machine {
    /// A machine of which nothing is known, for so many search threads (at least 1), and that nobody else uses.
    pub fn new(n_threads: usize) -> Machine {
        let (lateness, way) = (Duration::ZERO, Duration::ZERO);
        let mut machine = Machine { speed: SPEED, n_threads: 1, lateness, way };
        machine.set_threads(n_threads);
        machine
    }

    /// Changes the number of search threads, at least 1.
    pub fn set_threads(&mut self, n_threads: usize) {
        let n_threads = n_threads.max(1);
        self.speed *= (n_threads as f64 / self.n_threads as f64).powf(THREADS_GROWTH);
        self.n_threads = n_threads;
    }

    /// Nodes of a solution that are searched in `time`.
    fn nodes(&self, time: Duration) -> f64 {
        time.as_secs_f64() * self.speed
    }

    /// The highest number of empty squares that can be solved in `time`, 0 to 60.
    pub fn solvable(&self, time: Duration) -> u32 {
        solvable(self.nodes(time))
    }

    /// The highest number of empty squares from which the end can be reached at the lowest selectivity in `time`, 0 to 60.
    pub fn reachable(&self, time: Duration) -> u32 {
        reachable(self.nodes(time))
    }

    /// Learns from a search that visited so many tree nodes, whatever ended it; the longer it took, the more.
    pub fn observe_speed(&mut self, work: Work, nodes: u64, elapsed: Duration) {
        if elapsed < LEAST_SEARCH || nodes == 0 {
            return;
        }
        let seconds = elapsed.as_secs_f64();
        let factor = if work == Work::Midgame { SOLVING_SPEEDUP } else { 1.0 };
        let speed = nodes as f64 / seconds * factor;
        let weight = 1.0 - (-seconds / SPEED_MEMORY.as_secs_f64()).exp();
        self.speed *= (speed / self.speed).powf(weight);
    }

    /// Learns from a search that was to take `maximum` at most.
    pub fn observe_time(&mut self, maximum: Duration, elapsed: Duration) {
        self.lateness = remember(self.lateness, elapsed.saturating_sub(maximum));
    }

    /// Learns from a move that took so much longer, until its reply was written, than its search.
    pub fn observe_way(&mut self, way: Duration) {
        self.way = remember(self.way, way);
    }
}

fn remember(known: Duration, seen: Duration) -> Duration {
    seen.min(LATEST).max(known.mul_f64(MEMORY))
}

#[cfg(test)]
mod tests;

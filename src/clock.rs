//! Game clocks: pure arithmetic, which reads no clock of the system. A [`Clock`] is what a side has left.

mod lag;

use std::fmt;
use std::time::Duration;

pub use lag::Lag;

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
    /// Main time, then periods, each for a number of moves (Canadian byo-yomi).
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
            return Some(Control::Move(clock_time(time)?));
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
        Some(Control::Game { main: clock_time(main)?, increment: clock_time(increment)? })
    }
}

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

/// Reads seconds, or times such as `5:00` and `1:00:30.5`.
pub fn clock_time(text: &str) -> Option<Duration> {
    let parts: Vec<&str> = text.split(':').collect();
    let sum = |sum: Duration, part: &&str| Some(sum * 60 + seconds(part)?);
    (parts.len() <= 3).then(|| parts.iter().try_fold(Duration::ZERO, sum))?
}

/// What a side has left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    control: Control,
    main_left: Duration,
    /// Time left of the running period, or of the first one while the main time runs.
    period_left: Duration,
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

    /// Time left of the game's or the main time.
    pub const fn main_left(&self) -> Duration {
        self.main_left
    }

    /// Moves to make in the running period, or in the first one while the main time runs.
    pub const fn moves_left(&self) -> u32 {
        self.moves_left
    }

    /// The arguments of the GTP command `time_left`: the time left, and for how many moves, 0 for main time.
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

    /// The clock less what `moves` to come lose by a lag each, as far as increments and periods do not pay for it.
    #[must_use]
    pub fn without_lag(mut self, lag: Duration, moves: u32) -> Clock {
        match &mut self.control {
            Control::Unlimited | Control::Move(_) => {}
            Control::Game { increment, .. } => {
                let paid = lag.min(*increment);
                *increment -= paid;
                self.main_left = self.main_left.saturating_sub((lag - paid) * moves);
            }
            Control::Byoyomi { .. } => {
                let moves = self.moves_left.saturating_sub(1);
                self.period_left = self.period_left.saturating_sub(lag * moves);
            }
        }
        self
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
}

#[cfg(test)]
mod tests;

//! What a front end takes of the clock for itself.

use std::time::Duration;

use super::Control;

/// What a front end takes of a side's clock for each own move, beyond the engine's own time: measured from one reading of the clock to
/// the next, since the first one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lag {
    /// The last reading in seconds; none at the start of a game.
    last: Option<f64>,
    /// The engine's own time since then, less what was added to the clock, in seconds, and its moves.
    used: f64,
    n_moves: u32,
    /// Seconds that all readings have lost beyond the engine's own time, and in how many moves.
    lost: f64,
    n_lost: u32,
    /// How often a clock was full: each time, rounding may have changed `lost` by up to [`Lag::unit`].
    n_clocks: u32,
    /// Whether a reading was not in whole seconds.
    is_fine: bool,
    /// The most seconds that can have been left at the last reading, by the engine's own time alone.
    most: f64,
    /// Whether a reading was more than that.
    rounds_up: bool,
}

/// As if this many more moves had lost nothing, while a loss is uncertain.
const UNCERTAIN: f64 = 10.0;

/// A loss of more than this at once is a halt, which says little of moves to come; in seconds.
const MAX_LAG: f64 = 2.0;

/// A difference of more than this is no error of measurement; in seconds.
const CERTAIN: f64 = 0.05;

impl Lag {
    /// The steps of the readings in seconds.
    const fn unit(&self) -> f64 {
        if self.is_fine { 0.02 } else { 1.0 }
    }

    fn rounding(&self) -> f64 {
        f64::from(self.n_clocks) * self.unit()
    }

    /// Begins a game; what is known of the front end stays.
    pub fn begin(&mut self) {
        (self.last, self.used, self.n_moves) = (None, 0.0, 0);
    }

    /// Takes a reading of the clock before a move.
    pub fn read(&mut self, left: Duration) {
        let left = left.as_secs_f64();
        self.is_fine |= left.fract() != 0.0;
        let lost = self.last.map(|last| last - left - self.used);
        let most = if self.last.is_none() { left } else { self.most - self.used };
        self.rounds_up |= left > most + CERTAIN && left < most + 1.0;
        // A clock that was refilled begins anew.
        self.most = if left < most + 1.0 { most.min(left + 1.0) } else { left };
        match lost {
            Some(_) if self.n_moves == 0 => {}
            Some(lost) if self.lost + lost >= -self.rounding() => {
                self.lost += lost.min(MAX_LAG);
                self.n_lost += self.n_moves;
            }
            // The first reading, or a clock that was refilled.
            _ => self.n_clocks += 1,
        }
        (self.last, self.used, self.n_moves) = (Some(left), 0.0, 0);
    }

    /// What may be left at least where the front end tells `time`: whole seconds may be rounded up, as they are in Quarry.
    pub fn least(&self, time: Duration) -> Duration {
        let is_rounded = self.rounds_up && !self.is_fine;
        if is_rounded { time.saturating_sub(Duration::from_secs(1)) } else { time }
    }

    /// Counts an own move with its time; `control` may add something for it.
    pub fn spend(&mut self, elapsed: Duration, control: Control) {
        let added =
            if let Control::Game { increment, .. } = control { increment } else { Duration::ZERO };
        self.used += elapsed.as_secs_f64() - added.as_secs_f64();
        self.n_moves += 1;
    }

    /// What a move loses: the mean, or only part of it while all may be rounding.
    pub fn per_move(&self) -> Duration {
        let (rounding, moves) = (self.rounding(), f64::from(self.n_lost));
        Duration::from_secs_f64(match self.lost {
            _ if self.n_lost == 0 => 0.0,
            lost if lost >= rounding => lost / moves,
            // Without a lag, times that are rounded down seem to have lost half a unit.
            lost => (lost - rounding / 2.0).max(0.0) / (moves + UNCERTAIN),
        })
    }
}

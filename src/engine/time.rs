//! Planning the time of a move: what its clock leaves of an effort.

use std::time::Duration;

use super::job::Effort;
use super::speed_model::SpeedModel;
use crate::clock::Control;
use crate::search::{Limits, TimeLimit};

/// Time kept on a game's clock for halts, in which the system does not run the engine.
const SAVING: Duration = Duration::from_millis(100);

/// The reserve of a time for one move, beyond the overhead: this many times the longest halt to expect. A machine that
/// others use soon halts a process for several times longer than ever before.
const HALTS_OF_MOVE: u32 = 5;

/// The least of that reserve as a share of the time; the most as a share of the time, or in overheads if that is more.
const LEAST_RESERVE: f64 = 0.01;
const MOST_RESERVE: (f64, u32) = (0.05, 5);

/// Solving with this many empty squares or fewer takes no time worth planning.
const ALWAYS_SOLVED: u32 = 12;

impl Effort {
    /// The limits of the effort, narrowed by a plan for its clock on this machine.
    pub fn planned(&self, n_empties: u32, speed_model: &SpeedModel) -> Limits {
        let Effort { limits, clock, overhead } = *self;
        let planner = Planner { limits, overhead, n_empties, speed_model };
        match clock.control() {
            Control::Unlimited => limits,
            Control::Game { increment, .. } => {
                let usable = planner.save(clock.left());
                planner.of_game(usable, increment.min(usable))
            }
            // Main time of no more than a move's part of a period is planned as part of the first period.
            Control::Byoyomi { period, moves, .. }
                if clock.main_left() > overhead + period / moves =>
            {
                planner.of_game(planner.reserve(clock.main_left()), period / moves)
            }
            Control::Move(_) | Control::Byoyomi { .. } => {
                planner.of_moves(clock.left(), clock.moves_left().max(1))
            }
        }
    }
}

struct Planner<'a> {
    limits: Limits,
    overhead: Duration,
    n_empties: u32,
    speed_model: &'a SpeedModel,
}

impl Planner<'_> {
    /// The effort's limits within this time, where there is time to solve from `solve_from` empty squares, and to reach the end at
    /// the lowest selectivity from `selective_end_from`.
    fn limits(&self, time_limit: TimeLimit, solve_from: u32, selective_end_from: u32) -> Limits {
        Limits {
            exact_from: self.limits.exact_from.min(solve_from.max(ALWAYS_SOLVED)),
            selective_end_from,
            time: Some(time_limit),
            ..self.limits
        }
    }

    fn reserve(&self, time: Duration) -> Duration {
        let usable = time.saturating_sub(self.overhead);
        usable.saturating_sub(self.speed_model.delay().min(usable / 2))
    }

    /// With a time for every move the first overrun loses the game, and no earlier delay need have announced it. So this keeps
    /// more back, the longer a halt may be, but no more than a quarter of a very short time.
    fn reserve_of_moves(&self, time: Duration, moves: u32) -> Duration {
        let share = time / moves;
        let most = share.mul_f64(MOST_RESERVE.0).max(self.overhead * MOST_RESERVE.1);
        let precaution = self.speed_model.halt().map_or(most, |halt| {
            (halt * HALTS_OF_MOVE).max(share.mul_f64(LEAST_RESERVE)).min(most)
        });
        let least = (self.overhead + precaution).min(share / 4);
        let usable = time.saturating_sub(least);
        let more = self.speed_model.delay().saturating_sub(least.saturating_sub(self.overhead));
        usable.saturating_sub(more.min(usable / 2))
    }

    /// A busy machine may halt a process for longer than ever before. So a game's clock is never run down so far that one such
    /// halt loses the game: once only this reserve is left, increments pay for the moves.
    fn save(&self, time: Duration) -> Duration {
        let saved = self.overhead + self.speed_model.delay() + SAVING.min(time.mul_f64(0.75));
        time.saturating_sub(saved)
    }

    /// Plans a share of `usable`, the time for the rest of the game, and of `bonus`, the time that each move adds.
    fn of_game(&self, usable: Duration, bonus: Duration) -> Limits {
        let p = self.limits.parameters();
        let solve_from =
            self.speed_model.solvable(usable.mul_f64(p.time_solve_at / p.time_solve_warm));
        if self.n_empties <= solve_from {
            let time_limit = TimeLimit::fixed(usable.mul_f64(p.time_solve_max));
            return self.limits(time_limit, solve_from, 60);
        }
        let moves = (f64::from(self.n_empties - solve_from) / 2.0).max(1.0) + 1.0;
        let share = usable.div_f64(moves) + bonus.mul_f64(p.time_bonus_share);
        let maximum = (share * p.time_max_shares).min(usable.mul_f64(p.time_max_part));
        let maximum = maximum.max(bonus.mul_f64(p.time_bonus_share)).min(usable);
        let target = share.min(maximum);
        let selective_end_from = self.speed_model.reachable(target);
        self.limits(TimeLimit { soft: target, hard: maximum }, solve_from, selective_end_from)
    }

    /// Plans a share of `time`, which must last for this many moves.
    fn of_moves(&self, time: Duration, moves: u32) -> Limits {
        let p = self.limits.parameters();
        let usable = self.reserve_of_moves(time, moves);
        let target = usable / moves;
        let maximum = usable.min(target * p.time_moves_max_shares);
        let solve_from = self.speed_model.solvable(maximum.mul_f64(p.time_moves_solve_at));
        let selective_end_from = self.speed_model.reachable(target);
        self.limits(TimeLimit { soft: target, hard: maximum }, solve_from, selective_end_from)
    }
}

#[cfg(test)]
mod tests;

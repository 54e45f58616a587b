//! Planning the time of a move: what its clock leaves of an effort.

use std::time::Duration;

use super::speed_model::SpeedModel;
use crate::clock::{Clock, Control};
use crate::search::{Limits, Parameters, TimeLimit};

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

/// The plan of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    /// The time that the move may take.
    pub time_limit: TimeLimit,
    /// With this many empty squares or fewer there is time to solve to the end.
    pub solve_from: u32,
    /// With this many empty squares or fewer there is time to reach the end at the lowest selectivity.
    pub reach_from: u32,
}

/// The limits of a search, after and before the plan of its clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// The limits that the search obeys.
    pub limits: Limits,
    /// The limits of the effort alone, which go further where the time is short.
    pub asked: Limits,
}

impl Task {
    /// The limits of an effort, narrowed by the plan of its clock if it has one.
    pub fn within_plan(asked: Limits, plan: Option<Plan>) -> Task {
        let Some(plan) = plan else { return Task { limits: asked, asked } };
        let limits = Limits {
            exact_from: asked.exact_from.min(plan.solve_from.max(ALWAYS_SOLVED)),
            reach_from: plan.reach_from,
            time: Some(plan.time_limit),
            ..asked
        };
        Task { limits, asked }
    }
}

/// Plans a move with `n_empties` empty squares; `overhead` is kept back for communication with the controller. `None`
/// without a time limit.
pub(super) fn plan(
    clock: &Clock,
    overhead: Duration,
    n_empties: u32,
    speed_model: &SpeedModel,
    p: &Parameters,
) -> Option<Plan> {
    let planner = Planner { overhead, n_empties, speed_model, p };
    match clock.control() {
        Control::Unlimited => None,
        Control::Game { increment, .. } => {
            let usable = planner.save(clock.left());
            Some(planner.of_game(usable, increment.min(usable)))
        }
        // Main time of no more than a move's part of a period is planned as part of the first period.
        Control::Byoyomi { period, moves, .. } if clock.main_left() > overhead + period / moves => {
            Some(planner.of_game(planner.reserve(clock.main_left()), period / moves))
        }
        Control::Move(_) | Control::Byoyomi { .. } => {
            Some(planner.of_moves(clock.left(), clock.moves_left().max(1)))
        }
    }
}

struct Planner<'a> {
    overhead: Duration,
    n_empties: u32,
    speed_model: &'a SpeedModel,
    p: &'a Parameters,
}

impl Planner<'_> {
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
    fn of_game(&self, usable: Duration, bonus: Duration) -> Plan {
        let p = self.p;
        let solve_from =
            self.speed_model.solvable(usable.mul_f64(p.time_solve_at / p.time_solve_warm));
        if self.n_empties <= solve_from {
            let time_limit = TimeLimit::fixed(usable.mul_f64(p.time_solve_max));
            return Plan { time_limit, solve_from, reach_from: 60 };
        }
        let moves = (f64::from(self.n_empties - solve_from) / 2.0).max(1.0) + 1.0;
        let share = usable.div_f64(moves) + bonus.mul_f64(p.time_bonus_share);
        let maximum = (share * p.time_max_shares).min(usable.mul_f64(p.time_max_part));
        let maximum = maximum.max(bonus.mul_f64(p.time_bonus_share)).min(usable);
        let target = share.min(maximum);
        let reach_from = self.speed_model.reachable(target);
        Plan { time_limit: TimeLimit { soft: target, hard: maximum }, solve_from, reach_from }
    }

    /// Plans a share of `time`, which must last for this many moves.
    fn of_moves(&self, time: Duration, moves: u32) -> Plan {
        let usable = self.reserve_of_moves(time, moves);
        let target = usable / moves;
        let maximum = usable.min(target * self.p.time_moves_max_shares);
        let solve_from = self.speed_model.solvable(maximum.mul_f64(self.p.time_moves_solve_at));
        let reach_from = self.speed_model.reachable(target);
        Plan { time_limit: TimeLimit { soft: target, hard: maximum }, solve_from, reach_from }
    }
}

#[cfg(test)]
mod tests;

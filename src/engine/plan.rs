//! What a clock leaves of an effort.

use crate::clock::Plan;
use crate::search::{Budget, Horizon, Limits, Pacing};

/// Solving with this many empty squares or fewer takes no time worth planning.
const ALWAYS_SOLVED: u32 = 12;

/// What is to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// What its search obeys.
    pub limits: Limits,
    /// How far it should go; further than the limits where the time is short.
    pub asked: Horizon,
}

impl Task {
    /// The limits of an effort, narrowed by the plan of its clock if it has one.
    pub fn within_plan(limits: Limits, plan: Option<Plan>) -> Task {
        let asked = limits.horizon;
        let Some(plan) = plan else { return Task { limits, asked } };
        let horizon = Horizon {
            exact_from: asked.exact_from.min(plan.solve_from.max(ALWAYS_SOLVED)),
            reach_from: plan.reach_from,
            ..asked
        };
        let time = Some(Pacing { target: plan.target, maximum: plan.maximum });
        let budget = Budget { time, ..limits.budget };
        Task { limits: Limits { horizon, budget, ..limits }, asked }
    }
}

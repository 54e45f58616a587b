//! The iterations of a search.

use crate::search::{Horizon, Selectivity};

/// The plies between the depth where iterations end and the end of the game, which is then solved at once.
pub const SOLVE_JUMP: u32 = 12;

/// Plies from one iteration to the next. A ply more takes about three tenths more nodes, so iterations of every ply would take three
/// quarters of all nodes for other depths than the last, and values of odd and of even depths differ.
pub(super) const STEP: u32 = 2;

/// With this many empty squares or more, searches to the end with these confidences come before the exact one: they fill the table
/// with good moves.
const LADDER_EMPTIES: u32 = 20;
const LADDER: [u32; 2] = [73, 95];

/// The same where the exact one may well not be finished.
const LONG_LADDER: [u32; 4] = [73, 87, 95, 99];

/// The iterations of a search with `n_empties` empty squares: depth, selectivity.
pub(super) fn schedule(n_empties: u32, horizon: &Horizon) -> Vec<(u32, Selectivity)> {
    let solves = n_empties <= horizon.exact_from;
    if !solves && horizon.depth < n_empties {
        return depths(horizon.depth).map(|depth| (depth, horizon.selectivity)).collect();
    }
    let jump = if solves || n_empties <= horizon.reach_from { SOLVE_JUMP } else { 1 };
    // Before a solution the iterations only order moves.
    let lowest = Selectivity::from_percent(0);
    let mut steps: Vec<_> =
        depths(n_empties.saturating_sub(jump)).map(|depth| (depth, lowest)).collect();
    let (rungs, last): (&[u32], _) = match (solves, horizon.until_proven) {
        (true, _) if n_empties < LADDER_EMPTIES => (&[], horizon.exact_selectivity),
        (true, _) => (&LADDER, horizon.exact_selectivity),
        (false, true) => (&LONG_LADDER, horizon.exact_selectivity),
        (false, false) => (&[], horizon.selectivity),
    };
    let rungs = rungs.iter().map(|&percent| Selectivity::from_percent(percent));
    steps.extend(rungs.filter(|&rung| rung < last).map(|rung| (n_empties, rung)));
    steps.push((n_empties, last));
    steps
}

/// The depths of the iterations up to `last`.
fn depths(last: u32) -> impl Iterator<Item = u32> {
    (STEP - last % STEP..=last).step_by(STEP as usize)
}

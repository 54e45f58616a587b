//! Levels of effort, 1 to 60, as front ends set them.

use super::speed_model::{reachable, solvable};
use crate::search::{Limits, Selectivity};

/// The highest level.
pub const MAX_LEVEL: u32 = 60;

/// The level of a move when neither a level nor a clock was set.
pub const DEFAULT_LEVEL: u32 = 10;

/// The limits of a level, clamped to 1 to 60: midgame depth `level`. Levels up to 10 search without forward pruning and
/// solve from 2 * level empty squares; higher ones prune at 73 % and solve from 20 + ceil((level - 10) / 3).
pub fn limits(level: u32) -> Limits {
    let level = level.clamp(1, MAX_LEVEL);
    let (selectivity, exact_from) = if level <= 10 {
        (Selectivity::FULL, 2 * level)
    } else {
        (Selectivity::from_percent(73), 20 + (level - 10).div_ceil(3))
    };
    Limits { depth: level, selectivity, exact_from, ..Limits::default() }
}

/// The limits of a search that ends only by its clock, by `nodes`, or once its result is proven.
pub fn open_limits(is_timed: bool, nodes: Option<u64>) -> Limits {
    let most_nodes = nodes.unwrap_or(u64::MAX) as f64;
    Limits {
        selectivity: Selectivity::from_percent(73),
        // The plan of a clock says from where to solve; without a clock, the nodes do.
        exact_from: if is_timed { 60 } else { solvable(most_nodes) },
        nodes,
        until_proven: true,
        selective_end_from: reachable(most_nodes),
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_the_table() {
        let table = [
            (0, 1, 100, 2),
            (1, 1, 100, 2),
            (10, 10, 100, 20),
            (11, 11, 73, 21),
            (13, 13, 73, 21),
            (14, 14, 73, 22),
            (60, 60, 73, 37),
            (99, 60, 73, 37),
        ];
        for (level, depth, percent, exact_from) in table {
            let limits = limits(level);
            assert_eq!(
                (limits.depth, limits.selectivity.percent(), limits.exact_from),
                (depth, percent, exact_from)
            );
        }
    }
}

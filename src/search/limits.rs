//! How far a search goes.

use crate::clock::Plan;
use crate::score::{INFINITE, Score};

/// Confidence of forward pruning, by the levels that Othello programs use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selectivity(u8);

impl Selectivity {
    const PERCENT: [u32; 6] = [73, 87, 95, 98, 99, 100];

    /// Up to this level a search may overlook a little more for another ply of depth.
    pub const BOLD: Selectivity = Selectivity(1);
    /// No forward pruning.
    pub const FULL: Selectivity = Selectivity(5);

    /// The lowest level of at least `percent`; 100 % above that.
    pub fn from_percent(percent: u32) -> Selectivity {
        let below = Selectivity::PERCENT.iter().filter(|&&level| level < percent).count();
        Selectivity(below.min(5) as u8)
    }

    /// 73, 87, 95, 98, 99 or 100.
    pub const fn percent(self) -> u32 {
        Selectivity::PERCENT[self.0 as usize]
    }

    /// The level as a number from 0 (73 %) to 5 (100 %).
    pub const fn level(self) -> u8 {
        self.0
    }

    /// The next level up; `None` at 100 %.
    pub const fn next(self) -> Option<Selectivity> {
        if self.0 < 5 { Some(Selectivity(self.0 + 1)) } else { None }
    }
}

/// Which root moves get a score and a variation of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// The best so many, at least 1.
    Best(usize),
    /// All whose score is at most this below the best.
    Within(Score),
    /// The best, whose score is wanted as a bound only where it lies outside a window.
    Bounded(Window),
}

/// The scores between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    alpha: Score,
    beta: Score,
}

impl Window {
    /// All scores.
    pub const FULL: Window = Window { alpha: -INFINITE, beta: INFINITE };

    /// The scores above `alpha` and below `beta`, and these two; `None` if `alpha` is not below `beta`.
    pub fn new(alpha: Score, beta: Score) -> Option<Window> {
        (alpha < beta).then_some(Window { alpha, beta })
    }

    /// Alpha and beta.
    pub const fn bounds(self) -> (Score, Score) {
        (self.alpha, self.beta)
    }

    /// The same scores seen by the other side.
    #[must_use]
    pub const fn of_other_side(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

impl Lines {
    /// The window of a search for these lines: several have none but the full one.
    pub const fn window(self) -> Window {
        match self {
            Lines::Bounded(window) => window,
            Lines::Best(_) | Lines::Within(_) => Window::FULL,
        }
    }
}

/// The limits of a search; the first one reached ends it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Plies in the midgame, 1 to 60.
    pub depth: u32,
    /// Forward pruning in the midgame and before an exact solution.
    pub selectivity: Selectivity,
    /// With so many empty squares or fewer, search to the end.
    pub exact_from: u32,
    /// Selectivity of the search to the end.
    pub exact_selectivity: Selectivity,
    /// Whether a search to the end with forward pruning is followed by ones with more confidence, until the result is proven. For
    /// searches that nothing but time or nodes shall end.
    pub until_proven: bool,
    /// With so many empty squares or fewer, a search to the end with forward pruning is tried some plies early; with more, the
    /// search deepens ply by ply. Where there is a time, its plan says it.
    pub reach_from: u32,
    /// Tree nodes.
    pub nodes: Option<u64>,
    /// Iterations of deepening.
    pub iterations: Option<u32>,
    /// Thinking time.
    pub time: Option<Plan>,
    /// Moves to report.
    pub lines: Lines,
    /// Squares on which the root's move is not placed, as a set. If no move is left, there is nothing to search.
    pub exclude: u64,
}

impl Default for Limits {
    /// Everything to the end, exactly.
    fn default() -> Limits {
        Limits {
            depth: 60,
            selectivity: Selectivity::FULL,
            exact_from: 60,
            exact_selectivity: Selectivity::FULL,
            until_proven: false,
            reach_from: 60,
            nodes: None,
            iterations: None,
            time: None,
            lines: Lines::Best(1),
            exclude: 0,
        }
    }
}

impl Limits {
    /// With so many empty squares or fewer the search goes to the end: where time is short, with those only that it has been
    /// planned for, and those that take none.
    pub fn solves_from(&self) -> u32 {
        self.time.map_or(self.exact_from, |plan| self.exact_from.min(plan.solve_from.max(12)))
    }

    /// See [`Limits::reach_from`].
    pub fn reaches_from(&self) -> u32 {
        self.time.map_or(self.reach_from, |plan| plan.reach_from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_a_score() {
        assert_eq!(Window::new(3, 4).map(Window::bounds), Some((3, 4)));
        assert_eq!(Window::new(3, 4).map(Window::of_other_side), Window::new(-4, -3));
        assert_eq!((Window::new(3, 3), Window::new(4, 3)), (None, None));
        assert_eq!(Lines::Within(5).window(), Window::FULL);
    }

    #[test]
    fn percentages_round_up_to_a_level() {
        for (percent, level) in
            [(0, 73), (73, 73), (74, 87), (90, 95), (99, 99), (100, 100), (200, 100)]
        {
            assert_eq!(Selectivity::from_percent(percent).percent(), level);
        }
        assert_eq!(Selectivity::from_percent(73).next(), Some(Selectivity::from_percent(87)));
        assert_eq!(Selectivity::FULL.next(), None);
    }
}

//! How far a search goes, how much it may take, and which moves it reports.

use std::time::Duration;

use super::parameters::Parameters;
use crate::score::{INFINITE, Score};

/// Confidence of forward pruning, by the levels that Othello programs use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selectivity(u8);

impl Selectivity {
    const PERCENT: [u32; 6] = [73, 87, 95, 98, 99, 100];

    /// Up to this level, searches take further risks to gain depth: reductions and smaller ProbCut margins.
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
}

/// Which root moves get a score and a variation of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// This many of the best, at least 1.
    Best(usize),
    /// All whose score is at most this below the best.
    Within(Score),
    /// The best move; its score is only a bound if it lies outside the window.
    Bounded(Window),
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::Best(1)
    }
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
    /// The window of a search for these lines; the full one for several lines.
    pub const fn window(self) -> Window {
        match self {
            Lines::Bounded(window) => window,
            Lines::Best(_) | Lines::Within(_) => Window::FULL,
        }
    }
}

/// The limits of a search: how deep it goes, how much it may use (the first limit reached ends it), and which moves it
/// reports. The default finds the best move by an exact search to the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Plies in the midgame, 1 to 60.
    pub depth: u32,
    /// Forward pruning in the midgame and before an exact solution.
    pub selectivity: Selectivity,
    /// With this many empty squares or fewer, search to the end.
    pub exact_from: u32,
    /// Selectivity of the search to the end.
    pub exact_selectivity: Selectivity,
    /// Whether a search to the end with forward pruning is followed by searches with more confidence, until the result
    /// is proven: for searches that only time or nodes limit.
    pub until_proven: bool,
    /// With this many empty squares or fewer, deepening skips the last plies and goes to the end with forward pruning;
    /// with more, it goes on step by step.
    pub selective_end_from: u32,
    /// Tree nodes.
    pub nodes: Option<u64>,
    /// Iterations of deepening.
    pub iterations: Option<u32>,
    /// Thinking time.
    pub time: Option<TimeLimit>,
    /// Moves to report.
    pub lines: Lines,
    /// Root moves to leave out, as a set of squares. If no move is left, there is nothing to search.
    pub exclude: u64,
    /// The numbers of the search.
    #[cfg(feature = "tune")]
    pub parameters: Parameters,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: 60,
            selectivity: Selectivity::FULL,
            exact_from: 60,
            exact_selectivity: Selectivity::FULL,
            until_proven: false,
            selective_end_from: 60,
            nodes: None,
            iterations: None,
            time: None,
            lines: Lines::Best(1),
            exclude: 0,
            #[cfg(feature = "tune")]
            parameters: Parameters::DEFAULT,
        }
    }
}

impl Limits {
    /// A fixed depth of 1 to 60 plies, also near the end of the game.
    pub fn plies(depth: u32, selectivity: Selectivity) -> Limits {
        Limits { depth, selectivity, exact_from: 0, ..Limits::default() }
    }

    /// These limits with the depth and the confidence of `other`: only how far the search goes changes.
    #[must_use]
    pub const fn as_far_as(self, other: &Limits) -> Limits {
        Limits {
            depth: other.depth,
            selectivity: other.selectivity,
            exact_from: other.exact_from,
            exact_selectivity: other.exact_selectivity,
            until_proven: other.until_proven,
            selective_end_from: other.selective_end_from,
            ..self
        }
    }

    #[inline(always)]
    pub(crate) const fn parameters(&self) -> &Parameters {
        #[cfg(feature = "tune")]
        {
            &self.parameters
        }
        #[cfg(not(feature = "tune"))]
        {
            &Parameters::DEFAULT
        }
    }

    /// These limits with a fixed thinking time.
    #[must_use]
    pub const fn within(mut self, time: Duration) -> Limits {
        self.time = Some(TimeLimit::fixed(time));
        self
    }
}

/// Thinking time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeLimit {
    /// About how long to think: no iteration begins long after it.
    pub soft: Duration,
    /// When to break off; at least the soft limit.
    pub hard: Duration,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct IterationStats {
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// Finished iterations since the best move last changed.
    pub iterations_settled: u32,
    /// By how many discs the score has fallen since the iteration before; negative if it rose.
    pub drop: f64,
}

impl TimeLimit {
    /// A time that is used up: the soft and the hard limit are the same.
    pub const fn fixed(time: Duration) -> TimeLimit {
        TimeLimit { soft: time, hard: time }
    }

    /// Whether time that is not used is of use for later moves.
    pub fn can_be_saved(&self) -> bool {
        self.soft < self.hard
    }

    /// What is left after `waited`.
    #[must_use]
    pub const fn after(self, waited: Duration) -> TimeLimit {
        TimeLimit { soft: self.soft.saturating_sub(waited), hard: self.hard.saturating_sub(waited) }
    }

    /// When to break off, with the longest `pause` so far in reserve: the next pause may come before the reply is out.
    pub(super) fn end(self, pause: Duration) -> Duration {
        self.hard - pause.min(self.hard / 4)
    }

    /// Whether to stop instead of starting another iteration. An unstable best move or a falling score stretches the soft limit
    /// up to the hard one; a settled one shortens it.
    pub(super) fn should_stop(self, stats: IterationStats, p: &Parameters) -> bool {
        let mut factor = match stats.iterations_settled {
            0 => p.time_new_best,
            1 => p.time_young_best,
            2 | 3 => 1.0,
            _ => p.time_old_best,
        };
        if stats.drop > 1.0 {
            factor *= 1.0 + (stats.drop / p.time_fall_divisor).min(p.time_max_fall);
        }
        let target = self.soft.mul_f64(factor).min(self.hard);
        // An iteration that would end far beyond the target is not started.
        // A time that cannot be saved for later (soft = hard) is used up.
        let start_limit =
            if self.can_be_saved() { target.mul_f64(p.time_share_to_begin) } else { self.hard };
        stats.elapsed >= start_limit
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
    }

    const P: &Parameters = &Parameters::DEFAULT;
    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn unstable_searches_go_on_and_settled_ones_stop() {
        let time_limit = TimeLimit { soft: MS(1000), hard: MS(4000) };
        let stats = |elapsed, iterations_settled, drop| IterationStats {
            elapsed: MS(elapsed),
            iterations_settled,
            drop,
        };
        assert!(time_limit.should_stop(stats(500, 6, 0.0), P));
        assert!(!time_limit.should_stop(stats(500, 2, 0.0), P));
        assert!(!time_limit.should_stop(stats(1000, 0, 0.0), P));
        assert!(!time_limit.should_stop(stats(1300, 0, 3.0), P));
        assert!(time_limit.should_stop(stats(4000, 0, 9.0), P));
        assert!(!TimeLimit::fixed(MS(1000)).should_stop(stats(990, 9, 0.0), P));
    }

    #[test]
    fn a_search_that_was_held_up_ends_early() {
        let time_limit = TimeLimit::fixed(MS(940));
        assert_eq!(time_limit.end(MS(0)), time_limit.hard);
        assert_eq!(time_limit.end(MS(30)), time_limit.hard - MS(30));
        // A long halt, as when the machine sleeps, takes no more than a quarter.
        assert_eq!(time_limit.end(MS(60_000)), time_limit.hard - time_limit.hard / 4);
    }
}

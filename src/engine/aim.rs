//! What limits a player's searches besides its clock: a level, a depth or a number of nodes.

use std::time::Duration;

use super::job::Effort;
use super::level::{self, DEFAULT_LEVEL, MAX_LEVEL};
use super::pace::Pace;
use crate::clock::Clock;
use crate::search::{Limits, Selectivity};

/// The limits of every move. By default only the clock limits a move, or [`DEFAULT_LEVEL`] if there is no clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aim {
    /// A level, 1 to 60.
    pub level: Option<u32>,
    /// Plies without forward pruning, 1 to 60; overrides the level.
    pub depth: Option<u32>,
    /// The most tree nodes, in addition to the level or depth.
    pub nodes: Option<u64>,
}

/// Time controls are left out, because the clock has them.
impl From<Pace> for Aim {
    fn from(pace: Pace) -> Aim {
        let mut aim = Aim::default();
        match pace {
            Pace::Level(level) => aim.level = Some(level),
            Pace::Depth(depth) => aim.depth = Some(depth),
            Pace::Nodes(nodes) => aim.nodes = Some(nodes),
            Pace::Time(_) | Pace::Own => {}
        }
        aim
    }
}

impl Aim {
    /// How far to search if neither the clock nor `nodes` ends the search earlier.
    pub fn limits(&self) -> Limits {
        let level = || level::limits(self.level.unwrap_or(DEFAULT_LEVEL));
        self.depth.map_or_else(level, |depth| Limits::plies(depth, Selectivity::FULL))
    }

    /// The effort for a move by this clock. `overhead` is the time kept back for communication with the controller.
    pub fn effort(&self, clock: Clock, overhead: Duration) -> Effort {
        let is_timed = clock.is_limited();
        let is_ended = is_timed || self.nodes.is_some();
        // Without a level, and with the highest one, only clock and nodes end the search, not the level's own limits.
        let asks_for_all =
            self.depth.is_none() && self.level.is_none_or(|level| level == MAX_LEVEL);
        let limits = if is_ended && asks_for_all {
            level::open_limits(is_timed, self.nodes)
        } else {
            self.limits()
        };
        let limits = Limits { nodes: self.nodes, ..limits };
        Effort { limits, clock: is_timed.then_some((clock, overhead)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Control;

    const OVERHEAD: Duration = Duration::from_millis(20);

    #[test]
    fn the_highest_level_leaves_it_to_the_clock_when_to_end() {
        let clock = Clock::new(Control::Move(Duration::from_secs(1)));
        let limits = |aim: Aim, clock| aim.effort(clock, OVERHEAD).limits;
        let of_level = |level, clock, nodes| {
            limits(Aim { level: Some(level), nodes, ..Aim::default() }, clock)
        };
        let never = Clock::default();
        assert!(limits(Aim::default(), clock).until_proven);
        assert!(of_level(MAX_LEVEL, clock, None).until_proven);
        assert!(of_level(MAX_LEVEL, never, Some(1000)).until_proven);
        assert_eq!(of_level(MAX_LEVEL, never, Some(1000)).nodes, Some(1000));
        assert!(!of_level(MAX_LEVEL, never, None).until_proven);
        assert_eq!(of_level(30, clock, None).depth, 30);
        let both = Aim { depth: Some(8), level: Some(MAX_LEVEL), nodes: None };
        let of_both = limits(both, clock);
        assert_eq!((of_both.depth, of_both.until_proven), (8, false));
    }

    #[test]
    fn every_pace_becomes_an_effort() {
        let control = Control::Move(Duration::from_secs(1));
        let usual = level::limits(DEFAULT_LEVEL);
        let open = level::open_limits(true, None);
        let nodes = level::open_limits(false, Some(5));
        for (pace, control, limits) in [
            (Pace::Own, Control::Unlimited, usual),
            (Pace::Time(Control::Unlimited), Control::Unlimited, usual),
            (Pace::Time(control), control, open),
            (Pace::Depth(7), Control::Unlimited, Limits::plies(7, Selectivity::FULL)),
            (Pace::Level(7), Control::Unlimited, level::limits(7)),
            (Pace::Nodes(5), Control::Unlimited, nodes),
        ] {
            let clock = Clock::new(control);
            let effort = Aim::from(pace).effort(clock, OVERHEAD);
            assert_eq!(effort.limits, limits, "{pace}");
            assert_eq!(effort.clock, clock.is_limited().then_some((clock, OVERHEAD)), "{pace}");
        }
    }
}

//! What limits the moves of a game: a clock, a level, a depth, a number of nodes.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::job::Effort;
use super::level::{self, DEFAULT_LEVEL, MAX_LEVEL};
use crate::clock::{Clock, Control};
use crate::search::{Limits, Selectivity};

/// The limits of every move. Without any, only a clock set by others limits a move, or [`DEFAULT_LEVEL`] if there is no clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// A time control.
    pub control: Option<Control>,
    /// A level, 1 to 60.
    pub level: Option<u32>,
    /// Plies without forward pruning, 1 to 60; overrides the level.
    pub depth: Option<u32>,
    /// The most tree nodes, at least 1, in addition to the level or depth.
    pub nodes: Option<u64>,
}

impl Pace {
    /// No limit: the player decides by itself.
    pub const OWN: Pace = Pace { control: None, level: None, depth: None, nodes: None };

    /// Only a time control.
    pub const fn timed(control: Control) -> Pace {
        Pace { control: Some(control), ..Pace::OWN }
    }

    /// Only a level.
    pub const fn level(level: u32) -> Pace {
        Pace { level: Some(level), ..Pace::OWN }
    }

    /// Only a depth.
    pub const fn depth(depth: u32) -> Pace {
        Pace { depth: Some(depth), ..Pace::OWN }
    }

    /// Only a number of nodes.
    pub const fn nodes(nodes: u64) -> Pace {
        Pace { nodes: Some(nodes), ..Pace::OWN }
    }

    /// The clock of `other` where this has none, and its limits where this has none of them.
    pub fn or(self, other: Pace) -> Pace {
        let has_limits = self.depth_or_level().is_some() || self.nodes.is_some();
        let limits = if has_limits { self } else { other };
        Pace { control: self.control.or(other.control), ..limits }
    }

    /// What a program gets that takes one number, and not both a depth and a level.
    pub fn depth_or_level(&self) -> Option<u32> {
        self.depth.or(self.level)
    }

    /// The clock of a side at the start of a game.
    pub fn clock(&self) -> Clock {
        Clock::new(self.control.unwrap_or_default())
    }

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
        Effort { limits: Limits { nodes: self.nodes, ..limits }, clock, overhead }
    }
}

/// The text is not a pace; the message lists the valid forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected seconds (30 or 30+0.1), move:SECONDS, byo:MAIN/PERIOD/MOVES, depth:N, nodes:N, level:N, \
     unlimited or none"
)]
pub struct PaceError;

/// A single limit, or `none`.
impl FromStr for Pace {
    type Err = PaceError;

    fn from_str(text: &str) -> Result<Pace, PaceError> {
        let number = |text: &str| text.parse::<u64>().ok().filter(|&n| n > 0);
        let small =
            |text: &str| number(text).filter(|&n| n <= u64::from(MAX_LEVEL)).map(|n| n as u32);
        let pace = match text.split_once(':') {
            Some(("depth", n)) => small(n).map(Pace::depth),
            Some(("nodes", n)) => number(n).map(Pace::nodes),
            Some(("level", n)) => small(n).map(Pace::level),
            None if text == "none" => Some(Pace::OWN),
            _ => Control::parse(text).map(Pace::timed),
        };
        pace.ok_or(PaceError)
    }
}

/// As it is read; of several limits, the first of clock, depth, nodes and level.
impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Pace { control: Some(control), .. } => control.fmt(f),
            Pace { depth: Some(n), .. } => write!(f, "depth:{n}"),
            Pace { nodes: Some(n), .. } => write!(f, "nodes:{n}"),
            Pace { level: Some(n), .. } => write!(f, "level:{n}"),
            Pace::OWN => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(20);

    #[test]
    fn paces_round_trip_and_become_efforts() {
        let open = level::open_limits(true, None);
        let usual = level::limits(DEFAULT_LEVEL);
        for (text, limits) in [
            ("30+0.1", open),
            ("1", open),
            ("move:0.1", open),
            ("byo:60/5/3", open),
            ("depth:8", Limits::plies(8, Selectivity::FULL)),
            ("nodes:100000", level::open_limits(false, Some(100_000))),
            ("level:21", level::limits(21)),
            ("unlimited", usual),
            ("none", usual),
        ] {
            let pace: Pace = text.parse().unwrap();
            assert_eq!(pace.to_string(), text);
            let clock = pace.clock();
            assert_eq!(pace.effort(clock, OVERHEAD), Effort { limits, clock, overhead: OVERHEAD });
        }
        for bad in
            ["", "depth:0", "depth:61", "nodes:0", "level:x", "fast", "depth", "none:1", "None"]
        {
            assert!(bad.parse::<Pace>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_highest_level_leaves_it_to_the_clock_when_to_end() {
        let clock = Clock::new(Control::Move(Duration::from_secs(1)));
        let limits = |pace: Pace, clock| pace.effort(clock, OVERHEAD).limits;
        let of_level =
            |level, clock, nodes| limits(Pace { level: Some(level), nodes, ..Pace::OWN }, clock);
        let never = Clock::default();
        assert!(limits(Pace::OWN, clock).until_proven);
        assert!(of_level(MAX_LEVEL, clock, None).until_proven);
        assert!(of_level(MAX_LEVEL, never, Some(1000)).until_proven);
        assert_eq!(of_level(MAX_LEVEL, never, Some(1000)).nodes, Some(1000));
        assert!(!of_level(MAX_LEVEL, never, None).until_proven);
        assert_eq!(of_level(30, clock, None).depth, 30);
        let of_both = limits(Pace { depth: Some(8), ..Pace::level(MAX_LEVEL) }, clock);
        assert_eq!((of_both.depth, of_both.until_proven), (8, false));
    }
}

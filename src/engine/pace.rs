//! What limits the moves of a game: a clock, or a fixed amount of search.

use std::fmt;
use std::str::FromStr;

use super::level::MAX_LEVEL;
use crate::clock::Control;

/// A clock or a fixed amount of search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// A time control.
    Time(Control),
    /// A number of plies, 1 to 60, without forward pruning.
    Depth(u32),
    /// A number of tree nodes, at least 1.
    Nodes(u64),
    /// A level, 1 to 60.
    Level(u32),
    /// No clock and no amount: the player decides by itself.
    Own,
}

/// The text is not a pace; the message lists the valid forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected seconds (30 or 30+0.1), move:SECONDS, byo:MAIN/PERIOD/MOVES, depth:N, nodes:N, level:N, \
     unlimited or none"
)]
pub struct PaceError;

impl FromStr for Pace {
    type Err = PaceError;

    fn from_str(text: &str) -> Result<Pace, PaceError> {
        let number = |text: &str| text.parse::<u64>().ok().filter(|&n| n > 0);
        let small =
            |text: &str| number(text).filter(|&n| n <= u64::from(MAX_LEVEL)).map(|n| n as u32);
        let pace = match text.split_once(':') {
            Some(("depth", n)) => small(n).map(Pace::Depth),
            Some(("nodes", n)) => number(n).map(Pace::Nodes),
            Some(("level", n)) => small(n).map(Pace::Level),
            None if text == "none" => Some(Pace::Own),
            _ => Control::parse(text).map(Pace::Time),
        };
        pace.ok_or(PaceError)
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pace::Time(control) => control.fmt(f),
            Pace::Depth(n) => write!(f, "depth:{n}"),
            Pace::Nodes(n) => write!(f, "nodes:{n}"),
            Pace::Level(n) => write!(f, "level:{n}"),
            Pace::Own => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paces_round_trip() {
        for text in [
            "30+0.1",
            "1",
            "move:0.1",
            "byo:60/5/3",
            "depth:8",
            "nodes:100000",
            "level:21",
            "unlimited",
            "none",
        ] {
            assert_eq!(text.parse::<Pace>().unwrap().to_string(), text);
        }
        for bad in
            ["", "depth:0", "depth:61", "nodes:0", "level:x", "fast", "depth", "none:1", "None"]
        {
            assert!(bad.parse::<Pace>().is_err(), "{bad}");
        }
    }
}

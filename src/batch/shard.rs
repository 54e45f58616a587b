//! A share of a long job, for one of several machines.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Shard `k` of `n`, from 1: every `n`-th unit. As text `K/N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    k: u64,
    n: u64,
}

impl Shard {
    pub const ALL: Shard = Shard { k: 1, n: 1 };

    pub const fn k(self) -> u64 {
        self.k
    }

    pub const fn n(self) -> u64 {
        self.n
    }

    /// Whether a unit, counted from 0, belongs to it.
    pub const fn contains(self, unit: u64) -> bool {
        unit % self.n == self.k - 1
    }

    #[cfg(feature = "training")]
    pub fn units(self) -> impl Iterator<Item = u64> {
        (self.k - 1..).step_by(self.n as usize)
    }
}

/// The text is not `K/N` with 1 <= K <= N.
#[derive(Debug, thiserror::Error)]
#[error("expected K/N with 1 <= K <= N")]
pub struct NoShard;

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let (k, n) = text.split_once('/').ok_or(NoShard)?;
        let (Ok(k), Ok(n)) = (k.parse(), n.parse()) else { return Err(NoShard) };
        if (1..=n).contains(&k) { Ok(Shard { k, n }) } else { Err(NoShard) }
    }
}

impl TryFrom<String> for Shard {
    type Error = NoShard;

    fn try_from(text: String) -> Result<Shard, NoShard> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.k, self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read() {
        let shard = "2/3".parse::<Shard>().unwrap();
        assert_eq!((0..9).filter(|&unit| shard.contains(unit)).collect::<Vec<_>>(), [1, 4, 7]);
        assert_eq!(shard.to_string(), "2/3");
        for bad in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[test]
    #[cfg(feature = "training")]
    fn units_are_those_contained() {
        for text in ["1/1", "1/4", "4/4"] {
            let shard = text.parse::<Shard>().unwrap();
            let contained = (0..).filter(|&unit| shard.contains(unit));
            assert!(shard.units().take(9).eq(contained.take(9)), "{text}");
        }
        assert!(Shard::ALL.units().take(3).eq(0..3));
    }
}

//! A share of a long job, for one of several machines.

use std::str::FromStr;

/// Shard `k` of `n`, from 1: every `n`-th unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    k: u64,
    n: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let shard = text
            .split_once('/')
            .and_then(|(k, n)| Some(Shard { k: k.parse().ok()?, n: n.parse().ok()? }));
        let shard = shard.filter(|shard| (1..=shard.n).contains(&shard.k));
        shard.ok_or_else(|| "expected K/N with 1 <= K <= N".into())
    }
}

impl Shard {
    /// Whether a unit, counted from 0, belongs to it.
    pub const fn contains(self, unit: u64) -> bool {
        unit % self.n == self.k - 1
    }

    /// Its units in their order.
    #[cfg(feature = "training")]
    pub fn units(self) -> impl Iterator<Item = u64> {
        (self.k - 1..).step_by(self.n as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read() {
        let shard: Shard = "2/3".parse().unwrap();
        assert_eq!((0..9).filter(|&unit| shard.contains(unit)).collect::<Vec<_>>(), [1, 4, 7]);
        for bad in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[test]
    #[cfg(feature = "training")]
    fn units_are_those_contained() {
        for text in ["1/1", "1/4", "4/4"] {
            let shard: Shard = text.parse().unwrap();
            let contained = (0..).filter(|&unit| shard.contains(unit));
            assert!(shard.units().take(9).eq(contained.take(9)), "{text}");
        }
        assert!(Shard { k: 1, n: 1 }.units().take(3).eq(0..3));
    }
}

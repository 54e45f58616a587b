//! A share of a long job, for one of several machines.

/// Shard `k` of `n`, from 1: every `n`-th unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    k: u64,
    n: u64,
}

impl Shard {
    /// Parses `K/N` with 1 <= K <= N.
    pub fn parse(text: &str) -> Option<Shard> {
        let (k, n) = text.split_once('/')?;
        let (k, n) = (k.parse().ok()?, n.parse().ok()?);
        (1..=n).contains(&k).then_some(Shard { k, n })
    }

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
        let shard = Shard::parse("2/3").unwrap();
        assert_eq!((0..9).filter(|&unit| shard.contains(unit)).collect::<Vec<_>>(), [1, 4, 7]);
        for bad in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert_eq!(Shard::parse(bad), None, "{bad}");
        }
    }

    #[test]
    #[cfg(feature = "training")]
    fn units_are_those_contained() {
        for text in ["1/1", "1/4", "4/4"] {
            let shard = Shard::parse(text).unwrap();
            let contained = (0..).filter(|&unit| shard.contains(unit));
            assert!(shard.units().take(9).eq(contained.take(9)), "{text}");
        }
        assert!(Shard { k: 1, n: 1 }.units().take(3).eq(0..3));
    }
}

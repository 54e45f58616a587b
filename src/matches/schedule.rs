//! The schedule of an event, fixed before the first game, so that events can be interrupted, resumed and split.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Everyone against everyone; with two players, a match.
    RoundRobin,
    /// The first player against all others.
    Gauntlet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// The number in the schedule, from 1.
    pub id: u64,
    /// The number of its color-swapped pair of games, from 1.
    pub pair: u64,
    pub opening: usize,
    pub black: usize,
    pub white: usize,
}

impl Fixture {
    /// The unit of work by which shards divide the schedule, from 0: a pair, so that its games stay together.
    pub const fn unit(&self) -> u64 {
        self.pair - 1
    }
}

/// The pairs of players, by index, the lower index first.
pub fn pairings(n_players: usize, pairing: Pairing) -> Vec<(usize, usize)> {
    let all = (0..n_players).flat_map(|a| (a + 1..n_players).map(move |b| (a, b)));
    all.filter(|&(a, _)| pairing == Pairing::RoundRobin || a == 0).collect()
}

/// The number of openings needed for `games` per pair: every opening is played with both colors.
pub const fn n_openings(games: u64) -> usize {
    games.div_ceil(2) as usize
}

/// For each opening in turn, each pair plays one game with each color; of an odd number of games, the last opening once.
pub fn schedule(n_players: usize, pairing: Pairing, games: u64) -> Vec<Fixture> {
    let pairings = pairings(n_players, pairing);
    let mut fixtures = Vec::new();
    for opening in 0..n_openings(games) {
        let is_single = games % 2 == 1 && opening + 1 == n_openings(games);
        for (index, &(a, b)) in pairings.iter().enumerate() {
            let pair = (opening * pairings.len() + index) as u64 + 1;
            let colors = [(a, b), (b, a)];
            for &(black, white) in colors.iter().take(if is_single { 1 } else { 2 }) {
                // The ids of a pair's games are independent of the total number of games.
                let id = 2 * pair - u64::from((black, white) == (a, b));
                fixtures.push(Fixture { id, pair, opening, black, white });
            }
        }
    }
    fixtures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::shard::Shard;

    #[test]
    fn every_opening_is_played_with_both_colors() {
        let fixtures = schedule(2, Pairing::RoundRobin, 4);
        let rows: Vec<_> =
            fixtures.iter().map(|f| (f.id, f.pair, f.opening, f.black, f.white)).collect();
        assert_eq!(rows, [(1, 1, 0, 0, 1), (2, 1, 0, 1, 0), (3, 2, 1, 0, 1), (4, 2, 1, 1, 0)]);
        assert_eq!(schedule(2, Pairing::RoundRobin, 3)[..], fixtures[..3]);
        assert_eq!(schedule(4, Pairing::RoundRobin, 2).len(), 12);
        assert_eq!(schedule(4, Pairing::Gauntlet, 2).len(), 6);
    }

    #[test]
    fn shards_share_the_schedule_out() {
        let fixtures = schedule(3, Pairing::RoundRobin, 10);
        let shards: Vec<Shard> = (1..=4).map(|k| format!("{k}/4").parse().unwrap()).collect();
        for fixture in &fixtures {
            assert_eq!(shards.iter().filter(|shard| shard.contains(fixture.unit())).count(), 1);
        }
    }
}

//! The standing of an event: results by pair and by player.

use std::collections::{BTreeMap, HashMap};

use super::statistics::elo::Summary;
use super::statistics::rating::{Pairing, Rating, ratings};
use super::statistics::{GameScore, Outcome, Tally};
use crate::board::Color;
use crate::matches::record::{End, GameRecord};
use crate::players::Cause;

#[derive(Clone, Debug, Default)]
pub struct Encounter {
    /// From the first player's side.
    pub tally: Tally,
    /// Faults of the first and of the second player.
    pub faults: [u64; 2],
    /// Scores of games whose partner is still missing, by pair, from the first player's side.
    halves: HashMap<(usize, u64), GameScore>,
}

#[derive(Clone, Debug, Default)]
pub struct Standing {
    names: Vec<String>,
    encounters: BTreeMap<(usize, usize), Encounter>,
    seconds: Vec<f64>,
    faults: BTreeMap<(usize, Cause), u64>,
}

impl Standing {
    pub fn new(names: impl IntoIterator<Item = String>) -> Standing {
        let names: Vec<String> = names.into_iter().collect();
        Standing { seconds: vec![0.0; names.len()], names, ..Standing::default() }
    }

    /// In the order of their first mention.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// By index, in order of first mention.
    pub fn encounters(&self) -> impl Iterator<Item = ((usize, usize), &Encounter)> {
        self.encounters.iter().map(|(players, encounter)| (*players, encounter))
    }

    /// By player.
    pub fn seconds(&self) -> &[f64] {
        &self.seconds
    }

    pub fn faults(&self) -> impl Iterator<Item = (usize, Cause, u64)> {
        self.faults.iter().map(|(&(player, cause), &n)| (player, cause, n))
    }

    /// From the player's side.
    pub fn total(&self, player: usize) -> Tally {
        let mut total = Tally::default();
        for ((first, second), encounter) in self.encounters() {
            if first == player {
                total.merge(&encounter.tally);
            } else if second == player {
                total.merge(&encounter.tally.inverted());
            }
        }
        total
    }

    pub fn points(&self, player: usize) -> (f64, u64) {
        let total = self.total(player);
        (total.points(), total.games())
    }

    pub fn ratings(&self) -> Vec<Rating> {
        let pairings: Vec<Pairing<'_>> = self
            .encounters()
            .map(|((first, second), encounter)| Pairing { first, second, tally: &encounter.tally })
            .collect();
        ratings(self.names.len(), &pairings)
    }

    /// Adds a game, and its players if they are unknown. Pairs of games are matched within an event.
    pub fn add(&mut self, record: &GameRecord) {
        let [black, white] = [&record.black, &record.white].map(|name| self.index(name));
        let (first, second) = (black.min(white), black.max(white));
        let first_color = if first == black { Color::Black } else { Color::White };
        let discs = record.result * first_color.sign();
        let score = match (&record.fault, i8::try_from(discs)) {
            (None, Ok(discs)) if record.end != End::Resigned => GameScore::played(discs),
            // Who gives up and who fails loses all discs, which says nothing about strength.
            _ if discs > 0 => GameScore::decided(Outcome::Win),
            _ => GameScore::decided(Outcome::Loss),
        };
        self.seconds[black] += record.seconds(Color::Black);
        self.seconds[white] += record.seconds(Color::White);
        let encounter = self.encounters.entry((first, second)).or_default();
        match encounter.halves.remove(&record.pair_key()) {
            Some(half) => encounter.tally.complete_pair(half, score),
            None => {
                encounter.tally.add_single(score);
                encounter.halves.insert(record.pair_key(), score);
            }
        }
        if let Some(fault) = &record.fault {
            let player = if fault.player == record.black { black } else { white };
            encounter.faults[usize::from(player != first)] += 1;
            *self.faults.entry((player, fault.cause)).or_default() += 1;
        }
    }

    fn index(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.seconds.push(0.0);
            self.names.len() - 1
        })
    }

    /// The closing lines: thinking time and faults of the players, intervals that have no half-width, then a result line for every pair.
    pub fn closing_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .names
            .iter()
            .zip(&self.seconds)
            .map(|(name, seconds)| format!("seconds: {name} {seconds:.3}"))
            .collect();
        lines.extend(
            self.faults()
                .map(|(player, cause, n)| format!("fault: {} {cause} {n}", self.names[player])),
        );
        lines.extend(self.encounters().filter_map(|((a, b), encounter)| {
            let elo = Summary::new(&encounter.tally).open_elo()?;
            Some(format!("interval: {} vs {}, {elo}", self.names[a], self.names[b]))
        }));
        lines.extend(self.encounters().map(|((a, b), encounter)| {
            let tally = &encounter.tally;
            format!(
                "result: {} vs {}, games {}, +{} ={} -{}, {}, faults {}/{}",
                self.names[a],
                self.names[b],
                tally.games(),
                tally.wins(),
                tally.draws(),
                tally.losses(),
                Summary::new(tally),
                encounter.faults[0],
                encounter.faults[1]
            )
        }));
        lines
    }

    /// The players from weakest to strongest with their share of the points, but for those without games.
    pub fn ranking(&self) -> Vec<(&str, f64)> {
        let share = |player: usize| {
            let (points, games) = self.points(player);
            (games > 0).then(|| (self.names[player].as_str(), points / games as f64))
        };
        let mut ranking: Vec<(&str, f64)> = (0..self.names.len()).filter_map(share).collect();
        ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
        ranking
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::record::PlayerFault;

    #[test]
    fn games_are_counted_from_the_first_players_side() {
        let mut standing = Standing::new(["A".to_string(), "B".to_string()]);
        standing.add(&GameRecord::example(1, "A", "B", 10));
        standing.add(&GameRecord::example(2, "B", "A", 4));
        standing.add(&GameRecord::example(3, "A", "B", 0));
        assert_eq!(standing.seconds(), [1.25, 1.0]);
        let mut lost = GameRecord::example(4, "B", "A", -64);
        lost.end = End::Fault;
        lost.fault =
            Some(PlayerFault { player: "B".into(), cause: Cause::Time, text: String::new() });
        standing.add(&lost);
        let (players, encounter) = standing.encounters().next().unwrap();
        assert_eq!(players, (0, 1));
        let tally = &encounter.tally;
        assert_eq!((tally.games(), tally.wins(), tally.draws(), tally.losses()), (4, 2, 1, 1));
        assert_eq!(tally.pentanomial(), &[0, 0, 1, 1, 0]);
        let lines = standing.closing_lines();
        assert_eq!(lines[2], "fault: B time 1");
        assert!(
            lines[3].starts_with("result: A vs B, games 4, +2 =1 -1, score 62.5% +- "),
            "{}",
            lines[3]
        );
        assert!(lines[3].ends_with("faults 0/1"), "{}", lines[3]);
        standing.names.push("C".into());
        assert_eq!(standing.ranking(), [("B", 0.375), ("A", 0.625)]);
        // Nor are there discs if a player gives up.
        let mut given_up = Standing::new([]);
        given_up.add(&GameRecord { end: End::Resigned, ..GameRecord::example(1, "A", "B", 64) });
        assert!(given_up.closing_lines().concat().contains("discs nan"));
        // Faults alone: no discs, and an interval with one end.
        for (result, interval, elo) in
            [(-64, " to inf", "elo inf"), (64, "elo -inf to ", "elo -inf")]
        {
            let mut standing = Standing::new(["A".to_string(), "B".to_string()]);
            standing.add(&GameRecord { result, ..lost.clone() });
            let lines = standing.closing_lines();
            assert!(lines[3].starts_with("interval: A vs B, elo ") && lines[3].contains(interval));
            assert!(lines[4].contains(elo) && lines[4].contains("discs nan"), "{lines:?}");
        }
    }
}

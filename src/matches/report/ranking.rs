//! The order of the players by rating.

use std::collections::BTreeMap;

use crate::matches::standing::Standing;
use crate::matches::statistics::Tally;
use crate::matches::statistics::rating::Rating;

#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub player: usize,
    pub rating: Rating,
    pub seconds: f64,
    pub faults: u64,
}

impl Ranked {
    pub fn score(&self) -> Option<f64> {
        (self.rating.games > 0).then(|| self.rating.points / self.rating.games as f64)
    }
}

/// Every player's games against every other one, a row a player in their order.
pub(super) fn crossed(standing: &Standing, players: &[Ranked]) -> Vec<Option<Tally>> {
    let n = players.len();
    let place = |index| players.iter().position(|player| player.player == index);
    let mut tallies = vec![None; n * n];
    for ((first, second), encounter) in standing.encounters() {
        if let (Some(a), Some(b)) = (place(first), place(second)) {
            tallies[a * n + b] = Some(encounter.tally);
            tallies[b * n + a] = Some(encounter.tally.inverted());
        }
    }
    tallies
}

/// What there is to say if games connect not all players: no rating compares the others.
pub(super) fn note_on_groups(standing: &Standing, players: &[Ranked]) -> Option<String> {
    let mut groups: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for player in players.iter().filter(|player| player.rating.games > 0) {
        groups.entry(player.rating.group).or_default().push(&standing.names()[player.player]);
    }
    let groups: Vec<String> = groups.into_values().map(|names| names.join(", ")).collect();
    let note = || {
        format!("No games connect these players, so no rating compares them: {}", groups.join("; "))
    };
    (groups.len() > 1).then(note)
}

/// From the strongest to the weakest, those without games last.
pub(super) fn ranked(standing: &Standing) -> Vec<Ranked> {
    let mut players: Vec<Ranked> = standing
        .ratings()
        .into_iter()
        .enumerate()
        .map(|(player, rating)| Ranked {
            player,
            rating,
            seconds: standing.seconds()[player],
            faults: standing.faults().filter(|fault| fault.0 == player).map(|fault| fault.2).sum(),
        })
        .collect();
    players.sort_by(|a, b| {
        let played = |player: &Ranked| player.rating.games > 0;
        played(b).cmp(&played(a)).then(b.rating.elo.total_cmp(&a.rating.elo))
    });
    players
}

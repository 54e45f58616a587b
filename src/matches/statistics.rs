//! Statistics of match results with their errors: pure arithmetic on counts.
//!
//! A [`Tally`] counts the games of two players, in pairs that start from the same opening with colors swapped. Both games
//! of a pair depend on the opening. An opening that favors Black makes one game a win and the other a loss, so that the
//! sum varies less than that of two independent games; an opening that suits a player's style makes it vary more. Every
//! error here is therefore computed from the spread of the pairs. Unpaired games count as single games.
//!
//! [`elo::Summary`] computes the score, the Elo difference and their intervals from a tally; [`sprt::Sprt`] stops a match
//! when it is decided; [`rating::ratings`] rates many players.

pub mod elo;
pub mod rating;
pub mod sprt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 0 points.
    Loss,
    /// Half a point.
    Draw,
    /// 1 point.
    Win,
}

impl Outcome {
    /// The points, twice: 0, 1 or 2.
    pub fn half_points(self) -> u8 {
        self as u8
    }
}

/// The result of a game from player A's side, whatever A's color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameScore {
    pub outcome: Outcome,
    /// A's discs minus B's, with empty squares counted for the winner, -64..=64; `None` if a fault decided the game.
    pub discs: Option<i8>,
}

impl GameScore {
    /// A game that was played to its end, by A's disc difference, -64..=64.
    pub fn played(discs: i8) -> GameScore {
        let outcome = match discs {
            ..0 => Outcome::Loss,
            0 => Outcome::Draw,
            1.. => Outcome::Win,
        };
        GameScore { outcome, discs: Some(discs) }
    }

    /// Decided by a fault.
    pub fn decided(outcome: Outcome) -> GameScore {
        GameScore { outcome, discs: None }
    }
}

/// Number, sum and sum of squares of a quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moments {
    count: i64,
    sum: i64,
    squares: i64,
}

impl Moments {
    /// Adds `value` this many `times`; a negative number subtracts it.
    fn add(&mut self, value: i64, times: i64) {
        self.count += times;
        self.sum += times * value;
        self.squares += times * value * value;
    }

    fn merge(&mut self, other: Moments) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }
}

/// From A's side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All games by half points.
    outcomes: [u64; 3],
    /// Color-swapped pairs by half points.
    pairs: [u64; 5],
    /// Unpaired games by half points.
    singles: [u64; 3],
    /// Sums of the two disc differences of a pair.
    pair_discs: Moments,
    /// Disc differences of unpaired games, or of games whose partner has none.
    single_discs: Moments,
}

impl Tally {
    pub fn add_pair(&mut self, first: GameScore, second: GameScore) {
        let half_points = first.outcome.half_points() + second.outcome.half_points();
        self.pairs[usize::from(half_points)] += 1;
        for game in [first, second] {
            self.outcomes[usize::from(game.outcome.half_points())] += 1;
        }
        match (first.discs, second.discs) {
            (Some(first), Some(second)) => {
                self.pair_discs.add(i64::from(first) + i64::from(second), 1);
            }
            (Some(discs), None) | (None, Some(discs)) => self.single_discs.add(i64::from(discs), 1),
            (None, None) => {}
        }
    }

    pub fn add_single(&mut self, game: GameScore) {
        let half_points = usize::from(game.outcome.half_points());
        self.outcomes[half_points] += 1;
        self.singles[half_points] += 1;
        if let Some(discs) = game.discs {
            self.single_discs.add(i64::from(discs), 1);
        }
    }

    /// Pairs a game counted earlier by [`Tally::add_single`] with its partner, which has not been counted yet.
    pub fn complete_pair(&mut self, counted: GameScore, partner: GameScore) {
        let half_points = usize::from(counted.outcome.half_points());
        debug_assert!(self.singles[half_points] > 0, "{counted:?} was not counted");
        self.outcomes[half_points] = self.outcomes[half_points].saturating_sub(1);
        self.singles[half_points] = self.singles[half_points].saturating_sub(1);
        if let Some(discs) = counted.discs {
            self.single_discs.add(i64::from(discs), -1);
        }
        self.add_pair(counted, partner);
    }

    /// Adds the games of another tally of the same players in the same roles, such as another shard's.
    pub fn merge(&mut self, other: &Tally) {
        add_all(&mut self.outcomes, &other.outcomes);
        add_all(&mut self.pairs, &other.pairs);
        add_all(&mut self.singles, &other.singles);
        self.pair_discs.merge(other.pair_discs);
        self.single_discs.merge(other.single_discs);
    }

    /// The same games from B's side.
    #[must_use]
    pub fn inverted(mut self) -> Tally {
        self.outcomes.reverse();
        self.pairs.reverse();
        self.singles.reverse();
        self.pair_discs.sum = -self.pair_discs.sum;
        self.single_discs.sum = -self.single_discs.sum;
        self
    }

    pub fn games(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    pub fn wins(&self) -> u64 {
        self.outcomes[2]
    }

    pub fn draws(&self) -> u64 {
        self.outcomes[1]
    }

    pub fn losses(&self) -> u64 {
        self.outcomes[0]
    }

    /// A's points: a win is 1, a draw 1/2.
    pub fn points(&self) -> f64 {
        self.wins() as f64 + self.draws() as f64 / 2.0
    }

    /// The pentanomial counts: color-swapped pairs in which A scored 0, 1/2, 1, 3/2 and 2 points.
    pub fn pentanomial(&self) -> &[u64; 5] {
        &self.pairs
    }

    /// Unpaired games: losses, draws, wins.
    pub fn singles(&self) -> &[u64; 3] {
        &self.singles
    }
}

fn add_all<const N: usize>(counts: &mut [u64; N], others: &[u64; N]) {
    for (count, other) in counts.iter_mut().zip(others) {
        *count += other;
    }
}

#[cfg(test)]
mod tests;

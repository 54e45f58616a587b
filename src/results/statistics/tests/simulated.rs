//! Every promise about errors against simulated matches.

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use super::super::elo::{Estimate, Summary, score_of};
use super::super::sprt::{Sprt, State};
use super::super::{GameScore, Tally};
use super::{DRAW, LOSS, WIN, assert_near, rate};

/// Two players on openings that favor the one or the other color.
#[derive(Clone, Copy, Debug)]
struct Model {
    /// A's strength less B's, in Elo on openings that favor no color.
    strength: f64,
    /// What the opening gives A in the one game and takes in the other, in Elo: results of a pair are opposed.
    favor: f64,
    /// Probability of a draw between equals.
    draws: f64,
    /// Probability that the second game of a pair ends as the first, from A's side: results of a pair agree.
    repeats: f64,
}

impl Model {
    /// A model in which A's expected score is that of an Elo difference.
    fn with_elo(elo: f64, favor: f64, draws: f64, repeats: f64) -> Model {
        let (mut low, mut high) = (-1500.0, 1500.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            let score = (score_of(middle + favor) + score_of(middle - favor)) / 2.0;
            *(if score < score_of(elo) { &mut low } else { &mut high }) = middle;
        }
        Model { strength: low, favor, draws, repeats }
    }

    /// The two games of a pair; discs are left out.
    fn pair(&self, random: &mut Xoshiro256PlusPlus) -> [GameScore; 2] {
        let scores = [score_of(self.strength + self.favor), score_of(self.strength - self.favor)];
        if unit(random) < self.repeats {
            let score = scores[(random.next_u64() >> 63) as usize];
            [self.game(score, random); 2]
        } else {
            scores.map(|score| self.game(score, random))
        }
    }

    /// A game with an expected score.
    fn game(&self, score: f64, random: &mut Xoshiro256PlusPlus) -> GameScore {
        let draw = self.draws * 4.0 * score * (1.0 - score);
        match unit(random) {
            value if value < draw => DRAW,
            value if value < score + draw / 2.0 => WIN,
            _ => LOSS,
        }
    }

    fn play(&self, n_pairs: usize, random: &mut Xoshiro256PlusPlus) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..n_pairs {
            let [first, second] = self.pair(random);
            tally.add_pair(first, second);
        }
        tally
    }
}

/// Uniform from 0 to below 1.
fn unit(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn contains(estimate: Estimate, value: f64) -> bool {
    (estimate.low..=estimate.high).contains(&value)
}

/// Asserts a share of 95 % ± 2 %.
#[track_caller]
fn assert_covers(n_covered: u32, n: u32, what: &str) {
    let share = f64::from(n_covered) / f64::from(n);
    assert!((share - 0.95).abs() <= 0.02, "{what}: {share}");
}

#[test]
fn elo_intervals_cover_the_truth() {
    // Elo, favor, draws, repeats, pairs
    let cases = [
        (0.0, 0.0, 0.03, 0.0, 50),
        (0.0, 200.0, 0.1, 0.0, 100),
        (20.0, 400.0, 0.03, 0.0, 50),
        (50.0, 0.0, 0.4, 0.0, 200),
        (-50.0, 0.0, 0.1, 0.5, 100),
        (100.0, 150.0, 0.1, 0.0, 75),
        (150.0, 0.0, 0.03, 0.3, 150),
        (200.0, 300.0, 0.05, 0.0, 200),
        (-300.0, 0.0, 0.1, 0.0, 100),
        (300.0, 100.0, 0.1, 0.2, 50),
        (400.0, 0.0, 0.03, 0.0, 100),
    ];
    for (number, case) in cases.into_iter().enumerate() {
        let (elo, favor, draws, repeats, n_pairs) = case;
        let model = Model::with_elo(elo, favor, draws, repeats);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(number as u64);
        let (mut n_within, mut n_shown, mut n_scores) = (0, 0, 0);
        for _ in 0..1000 {
            let summary = Summary::new(&model.play(n_pairs, &mut random));
            n_within += u32::from(contains(summary.elo, elo));
            n_shown += u32::from((summary.elo.value - elo).abs() <= summary.elo.error());
            n_scores += u32::from(contains(summary.score, score_of(elo)));
        }
        assert_covers(n_within, 1000, &format!("{case:?}"));
        assert_covers(n_shown, 1000, &format!("{case:?} with ±"));
        assert_eq!(n_scores, n_within);
    }
}

#[test]
fn intervals_of_single_games_cover_the_truth() {
    for (elo, draws) in [(0.0, 0.03), (80.0, 0.3), (-250.0, 0.1)] {
        let model = Model { strength: elo, favor: 0.0, draws, repeats: 0.0 };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut n_within = 0;
        for _ in 0..1000 {
            let mut tally = Tally::default();
            (0..100).for_each(|_| tally.add_single(model.game(score_of(elo), &mut random)));
            n_within += u32::from(contains(Summary::new(&tally).elo, elo));
        }
        assert_covers(n_within, 1000, &format!("single games {elo} {draws}"));
    }
}

#[test]
fn superiority_is_a_probability() {
    // Between equals it passes a level as seldom as the level says.
    let model = Model { strength: 0.0, favor: 200.0, draws: 0.05, repeats: 0.1 };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut n_above = 0;
    for _ in 0..4000 {
        n_above += u32::from(Summary::new(&model.play(100, &mut random)).superiority > 0.95);
    }
    assert_near(f64::from(n_above) / 4000.0, 0.05, 0.012);
}

#[test]
fn disc_intervals_cover_the_truth() {
    // A difference of the openings, with opposite sign in the two games, and one of the games: each the sum of draws
    // from -8 to 8.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut part = || (0..3).map(|_| (random.next_u64() % 17) as i8 - 8).sum::<i8>();
    for (mean, n_pairs, favor) in [(0, 50, 1), (3, 100, 0), (-6, 200, -1)] {
        let mut n_within = 0;
        for _ in 0..1000 {
            let mut tally = Tally::default();
            for _ in 0..n_pairs {
                let shift = part();
                tally.add_pair(
                    GameScore::played(mean + shift + part()),
                    GameScore::played(mean - favor * shift + part()),
                );
            }
            n_within += u32::from(contains(Summary::new(&tally).discs.unwrap(), f64::from(mean)));
        }
        assert_covers(n_within, 1000, &format!("discs {mean} {favor}"));
    }
}

#[test]
#[ignore = "long: thousands of runs"]
fn sequential_tests_keep_their_error_rates() {
    // Bounds, favor, draws, repeats, number of tests
    let cases = [
        (0.0, 20.0, 0.0, 0.03, 0.0, 6000u32),
        (0.0, 50.0, 0.0, 0.03, 0.0, 10_000),
        (0.0, 50.0, 200.0, 0.1, 0.0, 10_000),
        (0.0, 50.0, 0.0, 0.1, 0.5, 10_000),
        (-30.0, 30.0, 400.0, 0.03, 0.0, 10_000),
        (0.0, 100.0, 0.0, 0.1, 0.0, 10_000),
    ];
    for (number, case) in cases.into_iter().enumerate() {
        let (elo0, elo1, favor, draws, repeats, n_tests) = case;
        let sprt = Sprt::new(elo0, elo1).unwrap();
        for (elo, right) in [(elo0, State::AcceptedH0), (elo1, State::AcceptedH1)] {
            let model = Model::with_elo(elo, favor, draws, repeats);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(number as u64);
            let mut n_wrong = 0;
            for _ in 0..n_tests {
                let mut tally = Tally::default();
                let state = loop {
                    let [first, second] = model.pair(&mut random);
                    tally.add_pair(first, second);
                    match sprt.state(tally.pentanomial()) {
                        State::Running => {}
                        state => break state,
                    }
                };
                n_wrong += u32::from(state != right);
            }
            let share = f64::from(n_wrong) / f64::from(n_tests);
            assert!(share <= 0.05, "{case:?} with {elo} Elo: {share}");
        }
    }
}

#[test]
#[ignore = "long: thousands of runs"]
fn rating_errors_cover_the_truth() {
    let truth = [-150.0, -60.0, -10.0, 20.0, 80.0, 120.0]; // sum 0
    for (favor, repeats, n_pairs) in [(0.0, 0.0, 20), (200.0, 0.0, 15), (0.0, 0.4, 25)] {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut n_within = [0; 6];
        for _ in 0..500 {
            let mut matches = Vec::new();
            for first in 0..6 {
                for second in 0..first {
                    let elo = truth[first] - truth[second];
                    let model = Model::with_elo(elo, favor, 0.05, repeats);
                    matches.push((first, second, model.play(n_pairs, &mut random)));
                }
            }
            for (place, rating) in rate(6, &matches).iter().enumerate() {
                n_within[place] += u32::from((rating.elo - truth[place]).abs() <= rating.error);
            }
        }
        assert_covers(n_within.iter().sum(), 3000, &format!("ratings {favor} {repeats}"));
    }
}

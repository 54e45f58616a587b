//! Every formula against values computed by hand.

use super::elo::{Summary, dispersion};
use super::rating::{Pairing, Rating, ratings};
use super::sprt::{Sprt, State};
use super::{GameScore, Outcome, Tally};

const WIN: GameScore = GameScore { outcome: Outcome::Win, discs: None };
const DRAW: GameScore = GameScore { outcome: Outcome::Draw, discs: None };
const LOSS: GameScore = GameScore { outcome: Outcome::Loss, discs: None };
const INFINITE: f64 = f64::INFINITY;

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    let is_near = found == expected || (found - expected).abs() <= tolerance;
    assert!(is_near, "{found} instead of {expected}");
}

/// A tally of these numbers of pairs with 0, 1/2, 1, 3/2 and 2 points, and of lost, drawn and won games without a
/// partner.
fn tally(pairs: [u64; 5], singles: [u64; 3]) -> Tally {
    let mut tally = Tally::default();
    let games = [[LOSS, LOSS], [LOSS, DRAW], [DRAW, DRAW], [DRAW, WIN], [WIN, WIN]];
    for (count, [first, second]) in pairs.iter().zip(games) {
        (0..*count).for_each(|_| tally.add_pair(first, second));
    }
    for (count, game) in singles.iter().zip([LOSS, DRAW, WIN]) {
        (0..*count).for_each(|_| tally.add_single(game));
    }
    tally
}

#[test]
fn games_are_counted_for_both_sides() {
    let of_side = |sign: i8, lost: Outcome| {
        let played = |discs: i8| GameScore::played(sign * discs);
        let mut tally = Tally::default();
        tally.add_pair(played(10), played(-4)); // a win and a loss: 1 point
        tally.add_pair(played(0), played(64)); // 3/2
        tally.add_pair(GameScore::decided(lost), played(-6)); // 0
        tally.add_single(played(2));
        tally
    };
    let tally = of_side(1, Outcome::Loss);
    assert_eq!((tally.games(), tally.wins(), tally.draws(), tally.losses()), (7, 3, 1, 3));
    assert_eq!((tally.pentanomial(), tally.singles()), (&[1, 0, 1, 1, 0], &[0, 0, 1]));
    assert_eq!(tally.points(), 3.5);
    // (10 - 4 + 0 + 64 - 6 + 2) / 6 games that have discs
    assert_eq!(Summary::new(&tally).discs.unwrap().value, 11.0);
    assert_eq!(of_side(-1, Outcome::Win), tally.inverted());
}

#[test]
fn parts_of_a_match_add_up() {
    let games = [12, -2, 0, 0, 40, -40, 6, 8].map(GameScore::played);
    let mut whole = Tally::default();
    let mut parts = [Tally::default(); 2];
    for (number, pair) in games.chunks_exact(2).enumerate() {
        whole.add_pair(pair[0], pair[1]);
        parts[number % 2].add_pair(pair[1], pair[0]);
    }
    let [mut merged, other] = parts;
    merged.merge(&other);
    assert_eq!(merged, whole);

    // Games that end at different times.
    let mut singly = Tally::default();
    games.iter().step_by(2).for_each(|&game| singly.add_single(game));
    assert_eq!((singly.games(), singly.pentanomial()), (4, &[0; 5]));
    games.chunks_exact(2).for_each(|pair| singly.complete_pair(pair[0], pair[1]));
    assert_eq!(singly, whole);
}

#[test]
fn summaries_by_hand() {
    // Pairs, single games; dispersion, ends of the score's interval and of Elo's, superiority; text.
    for (pairs, singles, expected, text) in [
        // 215 of 400 half points: score 0.5375. Squared deviations 5 × 1.075² + 20 × 0.575² + 40 × 0.075² + 25 × 0.425²
        //   + 10 × 0.925² = 25.6875; independent 200 × 0.5375 × 0.4625 = 49.71875.
        // Dispersion 26.1875 / 50.21875; 200 / 0.521469 = 383.532 games.
        // Quantile 1.959964 + (7.529121 + 1.959964) / 400 = 1.983687. Middle (383.532 × 0.5375 + 1.967506) / 387.467,
        // half-width 1.983687 √(383.532 × 0.248594 + 0.983753) / 387.467. 400 log10(0.486872 / 0.513128) = -9.124.
        // Deviation 0.0375 × 2 × √383.532 = 1.468798; tables of the normal distribution give 0.92906.
        (
            [5, 20, 40, 25, 10],
            [0; 3],
            [0.521469, 0.486872, 0.587367, -9.124, 61.338, 0.92906],
            "score 53.8% +- 5.1, elo 26.1 +- 35.2, los 92.9%, discs nan",
        ),
        // 35 of 60. Squared deviations 30 × 0.416667² + 10 × 0.083333² + 20 × 0.583333² = 12.083333; independent 14.583333.
        // Dispersion 12.583333 / 15.083333; 71.9205 games. Quantile 1.959964 + 9.489085 / 240 = 1.999502.
        (
            [0; 5],
            [20, 10, 30],
            [0.834254, 0.465724, 0.692166, -23.855, 140.757, 0.92124],
            "score 58.3% +- 11.8, elo 58.5 +- 82.3, los 92.1%, discs nan",
        ),
        // 50 pairs won: 100 games. Quantile 1.959964 + 9.489085 / 200 = 2.007409, square 4.029693: 100 / 104.029693.
        (
            [0, 0, 0, 0, 50],
            [0; 3],
            [1.0, 0.961264, 1.0, 557.891, INFINITE, 1.0],
            "score 100.0% +- 3.9, elo inf +- inf, los 100.0%, discs nan",
        ),
        (
            [0; 5],
            [0; 3],
            [1.0, 0.0, 1.0, -INFINITE, INFINITE, 0.5],
            "score 50.0% +- 50.0, elo 0.0 +- inf, los 50.0%, discs nan",
        ),
    ] {
        let tally = tally(pairs, singles);
        let check =
            |tally: &Tally, [spread, low, high, elo_low, elo_high, superiority]: [f64; 6]| {
                let found = Summary::new(tally);
                assert_near(dispersion(tally), spread, 1e-6);
                assert_near(found.score.low, low, 1e-6);
                assert_near(found.score.high, high, 1e-6);
                assert_near(found.elo.low, elo_low, 1e-3);
                assert_near(found.elo.high, elo_high, 1e-3);
                assert_near(found.superiority, superiority, 1e-5);
            };
        check(&tally, expected);
        assert_eq!(Summary::new(&tally).to_string(), text);
        // The same match read by the other side.
        let [spread, low, high, elo_low, elo_high, superiority] = expected;
        let mirrored = [spread, 1.0 - high, 1.0 - low, -elo_high, -elo_low, 1.0 - superiority];
        check(&tally.inverted(), mirrored);
    }
    // Mixed: 19 of 26 points. Pairs 1 × 0.961538² + 2 × 0.461538² + 3 × 0.038462² + 4 × 0.538462² = 2.514793, singles
    // 1 × 0.730769² + 2 × 0.230769² + 3 × 0.269231² = 0.857988; independent 5.115385: 3.872781 / 5.615385.
    assert_near(dispersion(&tally([0, 1, 2, 3, 4], [1, 2, 3])), 0.689673, 1e-6);
}

#[test]
fn infinite_and_tiny_differences_are_written() {
    let won = Summary::new(&tally([0, 0, 0, 0, 50], [0; 3]));
    assert_eq!(format!("{won:#}"), "score 100.0% +- 3.9, elo 557.9 to inf, los 100.0%, discs nan");
    let lost = Summary::new(&tally([50, 0, 0, 0, 0], [0; 3]));
    assert_eq!(lost.open_elo().as_deref(), Some("elo -inf to -557.9"));
    assert_eq!(Summary::new(&Tally::default()).open_elo(), None);
    // A little below zero is written as zero.
    let mut even = tally([50_000, 0, 0, 0, 50_000], [1, 0, 0]);
    even.add_single(GameScore::played(0));
    assert!(Summary::new(&even).elo.value < 0.0);
    assert!(Summary::new(&even).to_string().starts_with("score 50.0% +- 0.3, elo 0.0 +- 2.2, los"));
}

#[test]
fn discs_by_hand() {
    let mut tally = Tally::default();
    tally.add_pair(GameScore::played(10), GameScore::played(-4));
    tally.add_pair(GameScore::played(20), GameScore::played(2));
    tally.add_single(GameScore::played(-8));
    // Mean 20 / 5 = 4. Squared deviations of the pairs' sums 6 and 22 from 8, and of -8 from 4: 4 + 196 + 144 = 344;
    // with those of the imagined pair 344 + 512 = 856. Standard error √856 / 5 = 5.851495; quantile for three clusters
    // 1.959964 + 9.489085 / 12 = 2.750721.
    for (tally, mean) in [(tally, 4.0), (tally.inverted(), -4.0)] {
        let discs = Summary::new(&tally).discs.unwrap();
        assert_eq!(discs.value, mean);
        assert_near(discs.low, mean - 16.09583, 1e-4);
        assert_near(discs.high, mean + 16.09583, 1e-4);
    }
}

#[test]
fn likelihood_ratios_by_hand() {
    for (elo0, elo1, pairs, ratio, tolerance) in [
        // With the imagined pair 6.570032 and 4.429968: the score alone fixes both distributions, and the ratio is
        // 6.570032 ln(0.640065 / 0.5) + 4.429968 ln(0.359935 / 0.5) = 1.622533 - 1.456050.
        (0.0, 100.0, [4, 0, 0, 0, 6], 0.166484, 1e-6),
        // With the imagined pair 5.464268, 20, 40, 25, 10.535732. The most likely distributions by count /
        // (101 (1 + t (score - expected))), t found by bisection:
        //   score 0.5, t = 0.558513: 0.075064, 0.230156, 0.396040, 0.217198, 0.081543; sum 1.000001, mean 0.500000
        //   score 0.571463, t = -0.511645: 0.041862, 0.170051, 0.382070, 0.272409, 0.133609; sum 1.000001, mean 0.571463
        // Counts × the logarithms of the quotients: -3.191 - 6.054 - 1.437 + 5.662 + 5.202 = 0.1842.
        (0.0, 50.0, [5, 20, 40, 25, 10], 0.184217, 1e-6),
        // Exchanging the hypotheses and the sides changes the sign.
        (-50.0, 0.0, [10, 25, 40, 20, 5], -0.184217, 1e-6),
        (0.0, 50.0, [0; 5], 0.0, 1e-4),
        // For many pairs and near hypotheses it tends to pairs × (s1 - s0) (2 mean - s0 - s1) / (2 variance): 100,000
        // pairs, s0 = 0.5, s1 = score_of(2) = 0.502878, mean 0.5, variance 0.25² / 2.
        (0.0, 2.0, [0, 25_000, 50_000, 25_000, 0], -13.254, 0.02),
    ] {
        let sprt = Sprt::new(elo0, elo1).unwrap();
        assert_near(sprt.log_likelihood_ratio(&pairs), ratio, tolerance);
    }
}

#[test]
fn tests_have_bounds_and_states() {
    // ln 20 = 2.995732
    let (low, high) = Sprt::new(0.0, 20.0).unwrap().bounds();
    assert_near(high, 2.995732, 1e-6);
    assert_eq!(low, -high);
    for (elo1, pairs, state) in [
        (20.0, [0; 5], State::Running),
        (20.0, [0, 100, 200, 200, 100], State::AcceptedH1),
        (20.0, [100, 200, 200, 100, 0], State::AcceptedH0),
        // Not decided by the first few pairs: 12 won pairs give 12 ln(0.571463 / 0.5) = 1.60.
        (50.0, [12, 0, 0, 0, 0], State::Running),
        (50.0, [0, 12, 0, 0, 0], State::Running),
        (50.0, [0, 0, 12, 0, 0], State::Running),
        (50.0, [0, 0, 0, 12, 0], State::Running),
        (50.0, [0, 0, 0, 0, 12], State::Running),
        // Draws alone decide in the end: 0 Elo is nearer to them than 50.
        (50.0, [0, 0, 100, 0, 0], State::AcceptedH0),
    ] {
        assert_eq!(Sprt::new(0.0, elo1).unwrap().state(&pairs), state, "{pairs:?}");
    }
    for (low, high) in
        [(5.0, 5.0), (5.0, 0.0), (0.0, INFINITE), (-INFINITE, 0.0), (0.0, f64::NAN), (0.0, 1001.0)]
    {
        assert_eq!(Sprt::new(low, high), None, "{low} {high}");
    }
}

fn rate(n_players: usize, matches: &[(usize, usize, Tally)]) -> Vec<Rating> {
    let pairing = |(first, second, tally)| Pairing { first, second, tally };
    let pairings: Vec<_> = matches.iter().map(|(a, b, tally)| pairing((*a, *b, tally))).collect();
    ratings(n_players, &pairings)
}

#[test]
fn ratings_and_errors_by_hand() {
    for (pairs, error) in [
        // Dispersion 1. Along (1, -1) the information is 2 × 25 + 1/4, and the variance of the points the same: the variance
        // of each rating is 1 / (2 × 50.25), its root 0.0997509, × 173.717793 × 1.959964.
        ([12, 2, 22, 2, 12], 33.9637),
        // Half that dispersion, (12.5 + 0.5) / (25.5 + 0.5): (51 / 2 + 1/4) / (2 × 51.25²), root 0.0700131, × 340.4806.
        ([6, 1, 37, 1, 6], 23.8381),
    ] {
        let rated = rate(2, &[(0, 1, tally(pairs, [0; 3]))]);
        assert_near(rated[0].elo, 0.0, 1e-9);
        assert_near(rated[1].error, error, 1e-3);
    }
    // Each has won all games against those below: 2000 - 1000 / (1 + e^-x) - 1000 / (1 + e^-2x) + 1/2 - 1 / (1 + e^-x) = 0,
    // x = ln 2002 = 7.602.
    let all = tally([0, 0, 0, 0, 500], [0; 3]);
    let rated = rate(3, &[(0, 1, all), (1, 2, all), (0, 2, all)]);
    for (rating, elo) in rated.iter().zip([1320.6, 0.0, -1320.6]) {
        assert_near(rating.elo, elo, if elo == 0.0 { 1e-6 } else { 1.0 });
        assert!(rating.error.is_finite() && rating.error > 50.0);
    }
}

#[test]
fn ratings_agree_with_the_mm_algorithm() {
    let matches = [
        (0, 1, tally([1, 3, 6, 8, 7], [0; 3])),
        (0, 2, tally([0, 1, 2, 3, 14], [0; 3])),
        (1, 2, tally([2, 2, 4, 4, 3], [1, 0, 2])),
        (2, 3, tally([0, 0, 1, 1, 3], [0; 3])),
        (4, 1, tally([9, 2, 1, 0, 0], [0; 3])),
        (3, 4, tally([1, 0, 0, 0, 1], [0; 3])),
    ];
    let rated = rate(5, &matches);
    // Hunter's MM algorithm on the same likelihood, γ = points / Σ games / (γ + opponent's γ), after 100,000 rounds in another language.
    let by_mm = [296.959190, 140.816676, 38.853985, -232.903356, -243.726495];
    for (rating, expected) in rated.iter().zip(by_mm) {
        assert_near(rating.elo, expected, 1e-6);
        assert!(rating.group == 0 && rating.error > 0.0 && rating.error.is_finite());
    }
    assert_eq!((rated[0].points, rated[3].points, rated[0].games), (68.5, 3.5, 90));

    // Neither order nor sides nor a division of the games matter to the ratings.
    let mut turned: Vec<(usize, usize, Tally)> =
        matches[1..].iter().rev().map(|(a, b, tally)| (*b, *a, tally.inverted())).collect();
    turned.push((1, 0, tally([7, 8, 0, 0, 0], [0; 3])));
    turned.push((0, 1, tally([1, 3, 6, 0, 0], [0; 3])));
    for (rating, other) in rated.iter().zip(rate(5, &turned)) {
        assert_near(rating.elo, other.elo, 1e-6);
        assert_eq!((rating.points, rating.games), (other.points, other.games));
    }
}

#[test]
fn groups_are_rated_apart() {
    let (even, good) = (tally([1, 2, 6, 2, 1], [0; 3]), tally([0, 2, 3, 4, 3], [0; 3]));
    // Groups: players 1 and 3; 0, 4 and 5; 2 alone. Invalid and empty pairings are ignored.
    let none = Tally::default();
    let matches =
        [(3, 1, good), (0, 4, even), (5, 0, good), (2, 2, good), (2, 9, good), (2, 5, none)];
    let rated = rate(6, &matches);
    assert_eq!(rated.iter().map(|rating| rating.group).collect::<Vec<_>>(), [0, 1, 2, 1, 0, 0]);
    assert_near(rated[0].elo + rated[4].elo + rated[5].elo, 0.0, 1e-9);
    assert_eq!((rated[2].elo, rated[2].error, rated[2].games), (0.0, INFINITE, 0));
    // The same as if the others did not exist.
    let alone = rate(2, &[(1, 0, good)]);
    for (alone, among) in alone.iter().zip([rated[1], rated[3]]) {
        assert_eq!((alone.elo, alone.error), (among.elo, among.error));
    }
    assert_eq!(rate(0, &[]), []);
}

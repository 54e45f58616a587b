//! Every formula against values computed by hand.

use super::elo::{Summary, dispersion, elo_of, score_of};
use super::rating::{Pairing, Rating, ratings};
use super::sprt::{Sprt, State};
use super::{GameScore, Outcome, Tally};

const WIN: GameScore = GameScore { outcome: Outcome::Win, discs: None };
const DRAW: GameScore = GameScore { outcome: Outcome::Draw, discs: None };
const LOSS: GameScore = GameScore { outcome: Outcome::Loss, discs: None };

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
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

// Counting

#[test]
fn games_are_counted() {
    let mut tally = Tally::default();
    tally.add_pair(GameScore::played(10), GameScore::played(-4)); // a win and a loss: 1 point
    tally.add_pair(GameScore::played(0), GameScore::played(64)); // 3/2
    tally.add_pair(GameScore::decided(Outcome::Loss), GameScore::played(-6)); // 0
    tally.add_single(GameScore::played(2));
    assert_eq!((tally.games(), tally.wins(), tally.draws(), tally.losses()), (7, 3, 1, 3));
    assert_eq!(tally.pentanomial(), &[1, 0, 1, 1, 0]);
    assert_eq!(tally.singles(), &[0, 0, 1]);
    assert_eq!(tally.points(), 3.5);
    // (10 - 4 + 0 + 64 - 6 + 2) / 6 games that have discs
    assert_eq!(Summary::new(&tally).discs.unwrap().value, 11.0);

    let inverted = tally.inverted();
    assert_eq!((inverted.wins(), inverted.draws(), inverted.losses()), (3, 1, 3));
    assert_eq!(inverted.pentanomial(), &[0, 1, 1, 0, 1]);
    assert_eq!(inverted.singles(), &[1, 0, 0]);
    assert_eq!(Summary::new(&inverted).discs.unwrap().value, -11.0);
    assert_eq!(inverted.inverted(), tally);

    let mut by_b = Tally::default();
    by_b.add_pair(GameScore::played(-10), GameScore::played(4));
    by_b.add_pair(GameScore::played(0), GameScore::played(-64));
    by_b.add_pair(GameScore::decided(Outcome::Win), GameScore::played(6));
    by_b.add_single(GameScore::played(-2));
    assert_eq!(by_b, inverted);
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

// Estimates

#[test]
fn scores_and_elo_differences_belong_together() {
    // 400 log10(0.64 / 0.36) = 400 × 0.249877 = 99.951; 10 / 11 is 10 to 1
    for (score, elo) in [(0.5, 0.0), (0.64, 99.951), (10.0 / 11.0, 400.0), (1.0 / 11.0, -400.0)] {
        assert_near(elo_of(score), elo, 1e-3);
        assert_near(score_of(elo), score, 1e-6);
    }
    assert_eq!((elo_of(0.0), elo_of(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
}

#[test]
fn pairs_by_hand() {
    // Half points 0×5 + 1×20 + 2×40 + 3×25 + 4×10 = 215 in 200 games: score 215 / 400 = 0.5375, 1.075 points a pair.
    // Squared deviations 5 × 1.075² + 20 × 0.575² + 40 × 0.075² + 25 × 0.425² + 10 × 0.925²
    //   = 5.778125 + 6.6125 + 0.225 + 4.515625 + 8.55625 = 25.6875; independent 200 × 0.5375 × 0.4625 = 49.71875.
    // Dispersion (25.6875 + 0.5) / (49.71875 + 0.5) = 26.1875 / 50.21875 = 0.521469; 200 / 0.521469 = 383.532 games.
    let tally = tally([5, 20, 40, 25, 10], [0; 3]);
    assert_near(dispersion(&tally), 0.521469, 1e-6);
    // Quantile 1.959964 + (7.529121 + 1.959964) / 400 = 1.983687, square 3.935013.
    // Middle (383.532 × 0.5375 + 1.967506) / 387.467 = 0.537119.
    // Half-width 1.983687 √(383.532 × 0.248594 + 0.983753) / 387.467 = 1.983687 × 9.814599 / 387.467 = 0.050247.
    let Summary { score, elo, superiority, .. } = Summary::new(&tally);
    assert_eq!(score.value, 0.5375);
    assert_near(score.low, 0.486872, 1e-6);
    assert_near(score.high, 0.587367, 1e-6);
    assert_near(score.error(), 0.050628, 1e-6);
    // 400 log10(0.5375 / 0.4625) = 26.107, 400 log10(0.486872 / 0.513128) = -9.124, 400 log10(0.587367 / 0.412633) =
    // 61.338
    assert_near(elo.value, 26.107, 1e-3);
    assert_near(elo.low, -9.124, 1e-3);
    assert_near(elo.high, 61.338, 1e-3);
    // Deviation 0.0375 × 2 × √383.532 = 1.468798; tables of the normal distribution give 0.92906.
    assert_near(superiority, 0.92906, 1e-5);
    assert_eq!(
        Summary::new(&tally).to_string(),
        "score 53.8% +- 5.1, elo 26.1 +- 35.2, los 92.9%, discs nan"
    );
}

#[test]
fn single_games_by_hand() {
    // 30 wins, 10 draws, 20 losses: 35 / 60 = 0.583333. Squared deviations 30 × 0.416667² + 10 × 0.083333² + 20 × 0.583333²
    //   = 5.208333 + 0.069444 + 6.805556 = 12.083333; independent 60 × 0.583333 × 0.416667 = 14.583333.
    // Dispersion 12.583333 / 15.083333 = 0.834254, 71.9205 games.
    let singles = tally([0; 5], [20, 10, 30]);
    assert_near(dispersion(&singles), 0.834254, 1e-6);
    // Quantile 1.959964 + 9.489085 / 240 = 1.999502, square 3.998008.
    // Middle (71.9205 × 0.583333 + 1.999004) / 75.9185 = 0.578945,
    // half-width 1.999502 √(71.9205 × 0.243056 + 0.999502) / 75.9185 = 1.999502 × 4.298955 / 75.9185 = 0.113221.
    let Summary { score, superiority, .. } = Summary::new(&singles);
    assert_near(score.low, 0.465724, 1e-6);
    assert_near(score.high, 0.692166, 1e-6);
    // Deviation 0.083333 × 2 × √71.9205 = 1.413433.
    assert_near(superiority, 0.92124, 1e-5);

    // Mixed: 19 of 26 points. Pairs 1 × 0.961538² + 2 × 0.461538² + 3 × 0.038462² + 4 × 0.538462² = 2.514793, singles
    // 1 × 0.730769² + 2 × 0.230769² + 3 × 0.269231² = 0.857988, together 3.372781; independent
    // 26 × 0.730769 × 0.269231 = 5.115385. Dispersion 3.872781 / 5.615385 = 0.689673.
    assert_near(dispersion(&tally([0, 1, 2, 3, 4], [1, 2, 3])), 0.689673, 1e-6);
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
    let discs = Summary::new(&tally).discs.unwrap();
    assert_eq!(discs.value, 4.0);
    assert_near(discs.error(), 16.09583, 1e-4);
    assert_near(discs.high - discs.value, discs.value - discs.low, 1e-9);
}

#[test]
fn edges() {
    let unknown = Summary::new(&Tally::default());
    assert_eq!(unknown.to_string(), "score 50.0% +- 50.0, elo 0.0 +- inf, los 50.0%, discs nan");
    assert_eq!(unknown.discs, None);

    // 50 pairs won: dispersion 1, 100 games. Quantile 1.959964 + 9.489085 / 200 = 2.007409, square 4.029693:
    // lower end 100 / 104.029693 = 0.961264, which is 400 log10(0.961264 / 0.038736) = 557.891 Elo.
    let won = Summary::new(&tally([0, 0, 0, 0, 50], [0; 3]));
    assert_near(won.score.low, 0.961264, 1e-6);
    assert_near(won.elo.low, 557.891, 1e-3);
    assert_eq!((won.score.high, won.elo.value, won.elo.high), (1.0, f64::INFINITY, f64::INFINITY));
    assert_eq!(won.to_string(), "score 100.0% +- 3.9, elo inf +- inf, los 100.0%, discs nan");
    let lost = Summary::new(&tally([50, 0, 0, 0, 0], [0; 3]));
    assert_eq!(lost.to_string(), "score 0.0% +- 3.9, elo -inf +- inf, los 0.0%, discs nan");
    assert_near(lost.elo.high, -557.891, 1e-3);
    assert_eq!(format!("{won:#}"), "score 100.0% +- 3.9, elo 557.9 to inf, los 100.0%, discs nan");
    assert_eq!(lost.open_elo().as_deref(), Some("elo -inf to -557.9"));
    assert_eq!(unknown.open_elo(), None);

    // 100 draws: dispersion 0.5 / 25.5, 5100 games: 2.007409 × 0.5 / √(5100 + 4.029693) = 0.014049.
    let drawn = Summary::new(&tally([0, 0, 50, 0, 0], [0; 3]));
    assert_near(drawn.score.error(), 0.014049, 1e-6);
    assert_eq!(drawn.to_string(), "score 50.0% +- 1.4, elo 0.0 +- 9.8, los 50.0%, discs nan");

    // One game: quantile 1.959964 + 9.489085 / 4 = 4.332235, square 18.768262, lower end 1 / 19.768262.
    let one = Summary::new(&tally([0; 5], [0, 0, 1]));
    assert_near(one.score.low, 0.050586, 1e-6);
    assert_near(one.superiority, 0.841345, 1e-6); // one standard error

    // A little below zero is written as zero.
    let mut even = tally([50_000, 0, 0, 0, 50_000], [1, 0, 0]);
    even.add_single(GameScore::played(0));
    assert!(Summary::new(&even).elo.value < 0.0);
    assert!(Summary::new(&even).to_string().starts_with("score 50.0% +- 0.3, elo 0.0 +- 2.2, los"));
}

#[test]
fn both_sides_read_the_same_match() {
    let mut a = tally([3, 8, 21, 13, 9], [2, 1, 6]);
    a.add_pair(GameScore::played(14), GameScore::played(6));
    let (a, b) = (Summary::new(&a), Summary::new(&a.inverted()));
    assert_near(a.score.low, 1.0 - b.score.high, 1e-12);
    assert_near(a.elo.value, -b.elo.value, 1e-9);
    assert_near(a.elo.high, -b.elo.low, 1e-9);
    assert_near(a.superiority, 1.0 - b.superiority, 1e-12);
    let [a, b] = [a.discs.unwrap(), b.discs.unwrap()];
    assert_eq!((a.low, a.high), (-b.high, -b.low));
}

// The sequential test

#[test]
fn likelihood_ratios_by_hand() {
    // Pairs won and lost only, 6 and 4, with the imagined pair 6.570032 and 4.429968: the score alone fixes both
    // distributions, and the ratio is 6.570032 ln(0.640065 / 0.5) + 4.429968 ln(0.359935 / 0.5) = 1.622533 - 1.456050 =
    // 0.166484.
    let sprt = Sprt::new(0.0, 100.0).unwrap();
    assert_near(sprt.log_likelihood_ratio(&[4, 0, 0, 0, 6]), 0.166484, 1e-6);

    // All five counts; with the imagined pair 5.464268, 20, 40, 25, 10.535732. The most likely distributions by count /
    // (101 (1 + t (score - expected))), t found by bisection:
    //   score 0.5, t = 0.558513: 0.075064, 0.230156, 0.396040, 0.217198, 0.081543; sum 1.000001, mean 0.500000
    //   score 0.571463, t = -0.511645: 0.041862, 0.170051, 0.382070, 0.272409, 0.133609; sum 1.000001, mean 0.571463
    // 5.464268 ln(0.041862 / 0.075064) + 20 ln(0.170051 / 0.230156) + 40 ln(0.382070 / 0.396040) + 25 ln(0.272409 / 0.217198)
    //   + 10.535732 ln(0.133609 / 0.081543) = -3.191 - 6.054 - 1.437 + 5.662 + 5.202 = 0.1842.
    let sprt = Sprt::new(0.0, 50.0).unwrap();
    assert_near(sprt.log_likelihood_ratio(&[5, 20, 40, 25, 10]), 0.184217, 1e-6);

    // Without games the ratio is 0; exchanging the hypotheses and the sides changes its sign.
    assert_near(sprt.log_likelihood_ratio(&[0; 5]), 0.0, 1e-4);
    let mirrored = Sprt::new(-50.0, 0.0).unwrap();
    assert_near(mirrored.log_likelihood_ratio(&[10, 25, 40, 20, 5]), -0.184217, 1e-6);

    // For many pairs and near hypotheses it tends to pairs × (s1 - s0) (2 mean - s0 - s1) / (2 variance): 100,000
    // pairs, s0 = 0.5, s1 = score_of(2) = 0.502878, mean 0.5, variance 0.25² / 2: 100,000 × 0.002878 × -0.002878 /
    // 0.0625 = -13.254.
    let near = Sprt::new(0.0, 2.0).unwrap();
    assert_near(near.log_likelihood_ratio(&[0, 25_000, 50_000, 25_000, 0]), -13.254, 0.02);
}

#[test]
fn tests_have_bounds_and_states() {
    let sprt = Sprt::new(0.0, 20.0).unwrap();
    // ln 20 = 2.995732
    assert_near(sprt.bounds().0, -2.995732, 1e-6);
    assert_near(sprt.bounds().1, 2.995732, 1e-6);

    assert_eq!(sprt.state(&[0; 5]), State::Running);
    assert_eq!(sprt.state(&[0, 100, 200, 200, 100]), State::AcceptedH1);
    assert_eq!(sprt.state(&[100, 200, 200, 100, 0]), State::AcceptedH0);
    // Not decided by the first few pairs, whatever they are: 12 won pairs give 12 ln(0.571463 / 0.5) = 1.60 for 50 Elo.
    let wide = Sprt::new(0.0, 50.0).unwrap();
    for k in 0..5 {
        let mut counts = [0; 5];
        counts[k] = 12;
        assert_eq!(wide.state(&counts), State::Running, "{k}");
    }
    // Draws alone decide in the end: 0 Elo is nearer to them than 50.
    assert_eq!(wide.state(&[0, 0, 100, 0, 0]), State::AcceptedH0);

    let infinite = f64::INFINITY;
    for (low, high) in
        [(5.0, 5.0), (5.0, 0.0), (0.0, infinite), (-infinite, 0.0), (0.0, f64::NAN), (0.0, 1001.0)]
    {
        assert_eq!(Sprt::new(low, high), None, "{low} {high}");
    }
}

// Ratings

fn rate(n_players: usize, matches: &[(usize, usize, Tally)]) -> Vec<Rating> {
    let pairings: Vec<Pairing> = matches
        .iter()
        .map(|(first, second, tally)| Pairing { first: *first, second: *second, tally })
        .collect();
    ratings(n_players, &pairings)
}

/// Hunter's MM algorithm on the same likelihood, γ = points / Σ games / (γ + opponent's γ), by very many rounds.
fn rate_by_mm(n_players: usize, matches: &[(usize, usize, Tally)]) -> Vec<f64> {
    let mut gammas = vec![1.0; n_players];
    for _ in 0..100_000 {
        let mut points = vec![0.5; n_players];
        let mut weights: Vec<f64> = gammas.iter().map(|gamma| 1.0 / (gamma + 1.0)).collect();
        for (first, second, tally) in matches {
            let games = tally.games() as f64;
            points[*first] += tally.points();
            points[*second] += games - tally.points();
            let weight = games / (gammas[*first] + gammas[*second]);
            weights[*first] += weight;
            weights[*second] += weight;
        }
        gammas = points.iter().zip(&weights).map(|(points, weight)| points / weight).collect();
    }
    let elos: Vec<f64> = gammas.iter().map(|gamma: &f64| 400.0 * gamma.log10()).collect();
    let mean = elos.iter().sum::<f64>() / n_players as f64;
    elos.iter().map(|elo| elo - mean).collect()
}

#[test]
fn two_players_by_hand() {
    // 75 of 100 points. With log γ of ±d/2 the slope is 75 - 100 / (1 + e^-d) + 1/2 - 1 / (1 + e^(-d/2)), and 0 by
    // bisection at d = 1.091523: 75 - 74.866 + 0.5 - 0.633. 1.091523 × 400 / ln 10 = 189.617 Elo; without the prior it
    // would be 400 log10 3 = 190.849.
    let three_quarters = tally([0, 5, 10, 15, 20], [0; 3]);
    let rated = rate(2, &[(0, 1, three_quarters)]);
    assert_near(rated[0].elo, 94.809, 1e-3);
    assert_near(rated[1].elo, -94.809, 1e-3);
    assert_eq!((rated[0].points, rated[1].points, rated[0].games), (75.0, 25.0, 100));

    // Equal points and the dispersion of independent games: squared deviations 12 + 2/4 + 2/4 + 12 = 25 = 100 / 4.
    // Along (1, -1) the information is 2 × 25 + 1/4, and the variance of the points the same: the variance of each
    // rating is 1 / (2 × 50.25) = 0.00995025, its root 0.0997509, × 173.717793 × 1.959964 = 33.9637 Elo, half of the
    // match's error.
    let equal = tally([12, 2, 22, 2, 12], [0; 3]);
    assert_near(dispersion(&equal), 1.0, 1e-12);
    let rated = rate(2, &[(1, 0, equal)]);
    assert_near(rated[0].elo, 0.0, 1e-9);
    assert_near(rated[0].error, 33.9637, 1e-3);
    assert_near(2.0 * rated[0].error / Summary::new(&equal).elo.error(), 1.0, 0.03);

    // Half that dispersion: 102 games, squared deviations 6 + 1/4 + 1/4 + 6 = 12.5, (12.5 + 0.5) / (25.5 + 0.5) = 1/2.
    // Variance (51 / 2 + 1/4) / (2 × 51.25²) = 0.00490184, root 0.0700131, × 340.4806 = 23.8381.
    let narrow = tally([6, 1, 37, 1, 6], [0; 3]);
    assert_near(rate(2, &[(0, 1, narrow)])[1].error, 23.8381, 1e-3);
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
    for (rating, expected) in rated.iter().zip(rate_by_mm(5, &matches)) {
        assert_near(rating.elo, expected, 1e-6);
        assert!(rating.group == 0 && rating.error > 0.0 && rating.error.is_finite());
    }
    assert_near(rated.iter().map(|rating| rating.elo).sum(), 0.0, 1e-9);

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
fn unbeaten_players_have_ratings() {
    let all = tally([0, 0, 0, 0, 500], [0; 3]);
    let matches = [(0, 1, all), (1, 2, all), (0, 2, all)];
    let rated = rate(3, &matches);
    // The middle player has as many points as any average player; the first is as far above as the last below: with x =
    // log γ, 2000 - 1000 / (1 + e^-x) - 1000 / (1 + e^-2x) + 1/2 - 1 / (1 + e^-x) = 0, and for e^-x near 0 1000 e^-x +
    // e^-x = 1/2: x = ln 2002 = 7.602 or 1320.6 Elo.
    assert_near(rated[0].elo, 1320.6, 1.0);
    assert_near(rated[1].elo, 0.0, 1e-6);
    assert_near(rated[2].elo, -rated[0].elo, 1e-6);
    assert!(rated.iter().all(|rating| rating.error.is_finite() && rating.error > 50.0));
}

#[test]
fn groups_are_rated_apart() {
    let (even, good) = (tally([1, 2, 6, 2, 1], [0; 3]), tally([0, 2, 3, 4, 3], [0; 3]));
    // Groups: players 1 and 3; 0, 4 and 5; 2 alone. Invalid and empty pairings are ignored.
    let matches = [
        (3, 1, good),
        (0, 4, even),
        (5, 0, good),
        (2, 2, good),
        (2, 9, good),
        (2, 5, Tally::default()),
    ];
    let rated = rate(6, &matches);
    let groups: Vec<usize> = rated.iter().map(|rating| rating.group).collect();
    assert_eq!(groups, [0, 1, 2, 1, 0, 0]);
    assert_near(rated[1].elo + rated[3].elo, 0.0, 1e-9);
    assert_near(rated[0].elo + rated[4].elo + rated[5].elo, 0.0, 1e-9);
    assert_eq!((rated[2].elo, rated[2].error, rated[2].games), (0.0, f64::INFINITY, 0));
    // The same as if the others did not exist.
    assert_eq!(rate(2, &[(1, 0, good)])[1].elo, rated[3].elo);
    assert_eq!(rate(2, &[(1, 0, good)])[1].error, rated[3].error);
    assert_eq!(rate(0, &[]), []);
}

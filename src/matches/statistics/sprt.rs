//! The sequential test of two Elo hypotheses on color-swapped pairs: play only until it is decided.
//!
//! The generalized sequential probability ratio test, GSPRT (X. Li, J. Liu, Z. Ying, "Generalized sequential probability ratio test for
//! separate families of hypotheses", Sequential Analysis 33, 2014), in the form in which fishtest tests chess engines (M. Van den Bergh, "A
//! practical introduction to the GSPRT"; fishtest wiki, "Fishtest mathematics"): the pentanomial counts are multinomial, and each
//! hypothesis is represented by the distribution of maximum likelihood among those with its expected score. cutechess-cli serves the same
//! purpose, but tests the counts of single games under the BayesElo model, which treats the two games of an opening as independent; here
//! the unit is the pair, and unpaired games are ignored.
//!
//! Measured on at least 20,000 tests each: error rates of 4.5 to 4.7 % for 0 and 20 Elo (about 815 pairs until the
//! decision with 3 % draws), 3.7 to 4.8 % for 0 and 50 (136 pairs) and 0 and 100, and less with decisive openings.
//!
//! This is not an estimate: after a match stopped by the test, the Elo interval is biased towards the accepted hypothesis.

/// A question to a match: is A's Elo difference at most `elo0` (H0), or at least `elo1` (H1)?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
}

/// The state of the test. The first state other than `Running` is final: later games must not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Undecided: play on.
    Running,
    /// A is not `elo1` or more stronger.
    AcceptedH0,
    /// A is more than `elo0` stronger.
    AcceptedH1,
}

/// The largest Elo allowed in a hypothesis: a score of 99.7 %.
const GREATEST_ELO: f64 = 1000.0;

/// The probability of each error: accepting H1 where `elo0` is true, and H0 where `elo1` is.
const ERROR_RATE: f64 = 0.05;

/// Prior pairs, so that neither a few equal results at the start nor results that have not occurred yet make the variance
/// too small. Fishtest replaces counts of zero by 0.001, with which the error rates of short tests exceed their bounds.
const PRIOR_PAIRS: f64 = 1.0;

/// Tolerance of the tilt; at the maximum of the log-likelihood, the error is only quadratic in it.
const PRECISION: f64 = 1e-9;

const MAX_ROUNDS: u32 = 100;

/// Scores of a pair by its number in the pentanomial counts.
const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Sprt {
    /// A test of `elo0` against the greater `elo1`, in logistic Elo within ±1000, with 5 % for each error.
    pub fn new(elo0: f64, elo1: f64) -> Option<Sprt> {
        let is_valid = elo0 < elo1 && elo0 >= -GREATEST_ELO && elo1 <= GREATEST_ELO;
        is_valid.then_some(Sprt { elo0, elo1 })
    }

    /// The log-likelihood ratios at which H0 (negative) and H1 (positive) are accepted: ln β and -ln α.
    ///
    /// Wald's bounds ln(β / (1 - α)) and ln((1 - β) / α) hold the error rates only approximately. These need about 2 % more
    /// games, but hold them strictly where the likelihoods are known, whatever the steps of the ratio (A. Wald,
    /// "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16, 1945).
    pub fn bounds(&self) -> (f64, f64) {
        (ERROR_RATE.ln(), -ERROR_RATE.ln())
    }

    /// The log-likelihood ratio of H1 to H0, natural logarithm, for the counts of pairs by points 0, 1/2, 1, 3/2, 2.
    pub fn log_likelihood_ratio(&self, pentanomial: &[u64; 5]) -> f64 {
        let (score0, score1) = (super::elo::score_of(self.elo0), super::elo::score_of(self.elo1));
        // The prior pairs are extreme results, which is conservative, and favor neither hypothesis.
        let middle = (score0 + score1) / 2.0;
        let mut counts = pentanomial.map(|count| count as f64);
        counts[0] += PRIOR_PAIRS * (1.0 - middle);
        counts[4] += PRIOR_PAIRS * middle;
        let (tilt0, tilt1) = (tilt(&counts, score0), tilt(&counts, score1));
        PAIR_SCORES
            .iter()
            .zip(counts)
            .map(|(score, count)| {
                let ratio = (1.0 + tilt0 * (score - score0)) / (1.0 + tilt1 * (score - score1));
                count * ratio.ln()
            })
            .sum()
    }

    /// For the counts of pairs by points 0, 1/2, 1, 3/2, 2.
    pub fn state(&self, pentanomial: &[u64; 5]) -> State {
        let ratio = self.log_likelihood_ratio(pentanomial);
        let (low, high) = self.bounds();
        if ratio >= high {
            State::AcceptedH1
        } else if ratio <= low {
            State::AcceptedH0
        } else {
            State::Running
        }
    }
}

/// The t with which count / (1 + t (score - expected)) is, but for a factor, the most likely distribution with the
/// `expected` score (hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf, proposition 1.1): the zero of a falling
/// function, by Newton's method within a bracket. The outer counts are above 0.
fn tilt(counts: &[f64; 5], expected: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - expected), 1.0 / expected);
    let mut tilt = 0.0;
    for _ in 0..MAX_ROUNDS {
        let (mut value, mut fall) = (0.0, 0.0);
        for (score, count) in PAIR_SCORES.iter().zip(counts) {
            let part = (score - expected) / (1.0 + tilt * (score - expected));
            value += count * part;
            fall += count * part * part;
        }
        if value > 0.0 {
            low = tilt;
        } else {
            high = tilt;
        }
        let newton = tilt + value / fall;
        let next = if low < newton && newton < high { newton } else { (low + high) / 2.0 };
        let change = (next - tilt).abs();
        tilt = next;
        if change < PRECISION {
            break;
        }
    }
    tilt
}

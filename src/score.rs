//! The one scale of scores: 1/128 disc, from the side to move.
//!
//! A score is the expected (or, when exact, the proven) result of the game in discs with the empty squares counted for the
//! winner, times 128.

/// A score in 1/128 disc for the side to move.
pub type Score = i32;

/// One disc.
pub const DISC: Score = 128;

/// The best possible result, 64 discs; evaluations stay within ±MAX.
pub const MAX: Score = 64 * DISC;

/// Evaluations stay within ±`MAX_ESTIMATE`: only a search to the end of the game tells a wipe-out.
pub const MAX_ESTIMATE: Score = MAX - DISC;

/// Beyond every score, for windows that exclude nothing.
pub const INFINITE: Score = MAX + DISC;

/// A score in discs as people read it.
pub fn discs(score: Score) -> f64 {
    f64::from(score) / f64::from(DISC)
}

/// Writes a score in discs: signed, two decimals, whole when it is a proven result.
pub fn text(score: Score, exact: bool) -> String {
    if exact { format!("{:+}", score / DISC) } else { format!("{:+.2}", discs(score)) }
}

/// Writes a score in discs for a narrow place: signed, with so many decimals, none when it is a proven result, and no negative zero.
pub fn short(score: Score, exact: bool, decimals: usize) -> String {
    let decimals = if exact { 0 } else { decimals };
    let scale = 10f64.powi(decimals as i32);
    // A zero with a sign becomes one without.
    let rounded = (discs(score) * scale).round() / scale + 0.0;
    format!("{rounded:+.decimals$}")
}

/// The winning rate by which analysis streams express a score: 1 / (1 + 10^(-discs / 8)).
pub fn winning_rate(score: Score) -> f64 {
    1.0 / (1.0 + 10f64.powf(-discs(score) / 8.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert_eq!(text(-2 * DISC, true), "-2");
        assert_eq!(text(0, true), "+0");
        assert_eq!(text(160, false), "+1.25");
        let shorts = [0, -1, 160, -160, 1279, 1280, -8192].map(|score| short(score, false, 1));
        assert_eq!(shorts, ["+0.0", "+0.0", "+1.3", "-1.3", "+10.0", "+10.0", "-64.0"]);
        assert_eq!(short(-8192, true, 1), "-64");
        assert_eq!([-40, 40, -160].map(|score| short(score, false, 0)), ["+0", "+0", "-1"]);
        assert!((winning_rate(0) - 0.5).abs() < 1e-12);
        assert!((winning_rate(8 * DISC) - 10.0 / 11.0).abs() < 1e-12);
    }
}

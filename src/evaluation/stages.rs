//! The stages of a game, and the knots between which their weights are interpolated.

/// Stages of one ply.
pub const N_STAGES: usize = 60;

/// The stage of a position with `n_empties` empty squares: the plies played.
#[inline(always)]
pub const fn stage(n_empties: u32) -> usize {
    let ply = 60u32.saturating_sub(n_empties) as usize;
    if ply < N_STAGES { ply } else { N_STAGES - 1 }
}

/// Knots of a parity: one at every second pair of plies.
pub const N_PARITY_KNOTS: usize = (N_STAGES / 2 - 1).div_ceil(2) + 1;

/// Points of the game that weights are kept for: those of even plies, then those of odd plies.
pub const N_KNOTS: usize = 2 * N_PARITY_KNOTS;

/// The first of the two knots of its parity that a stage lies between, and the share of the second, which is the next.
pub const fn knots(stage: usize) -> (usize, f32) {
    let (pair, parity) = (stage / 2, stage % 2);
    (parity * N_PARITY_KNOTS + pair / 2, (pair % 2) as f32 / 2.0)
}

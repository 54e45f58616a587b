//! Flips for processors that reverse the bits of a word in one instruction, as ARM's do: the rays to lower bits become rays to
//! higher ones of the mirrored square, where the first stop is the lowest bit. Compilers put the four rays into vectors.

use super::{HIGHER, Rays};
use crate::board::square::Square;

/// See [`super::flips`].
#[inline(always)]
pub fn flips(square: Square, player: u64, opponent: u64) -> u64 {
    let higher = turned(&HIGHER[square.index()], player, opponent);
    let mirrored = &HIGHER[square.index() ^ 63];
    let lower = turned(mirrored, player.reverse_bits(), opponent.reverse_bits());
    higher | lower.reverse_bits()
}

#[inline(always)]
fn turned(rays: &Rays, player: u64, opponent: u64) -> u64 {
    let mut turned = 0;
    for ray in rays.0 {
        let stop = ray & !opponent;
        let outflank = stop & stop.wrapping_neg() & player;
        turned |= ray & outflank.saturating_sub(1);
    }
    turned
}

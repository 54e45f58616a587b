//! Flips with plain 64-bit arithmetic: runs everywhere and is the twin the SIMD variants are tested against.

use super::{HIGHER, LOWER};
use crate::board::square::Square;

/// See [`super::flips`].
#[inline(always)]
pub fn flips(square: Square, player: u64, opponent: u64) -> u64 {
    let mut turned = 0;
    for line in 0..4 {
        let ray = HIGHER[square.index()].0[line];
        let stop = ray & !opponent;
        let first = stop & stop.wrapping_neg();
        if first & player != 0 {
            turned |= ray & (first - 1);
        }
        let ray = LOWER[square.index()].0[line];
        let stop = ray & !opponent;
        if stop != 0 {
            let first = 1u64 << 63 >> stop.leading_zeros();
            if first & player != 0 {
                turned |= ray & !(first | (first - 1));
            }
        }
    }
    turned
}

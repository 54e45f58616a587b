//! Flips with AVX2: the four rays of a side in the four lanes of a register.

#![expect(unsafe_code, reason = "instructions that this build enables")]

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64,
    _mm256_extracti128_si256, _mm256_load_si256, _mm256_or_si256, _mm256_set_epi64x,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_srlv_epi64, _mm256_sub_epi64,
};

use super::{HIGHER, LOWER, Rays};
use crate::board::square::Square;

/// Distance between neighbors on the lines in the order of [`Rays`].
const STEPS: [u32; 4] = [1, 8, 7, 9];

/// See [`super::flips`].
#[inline(always)]
pub fn flips(square: Square, player: u64, opponent: u64) -> u64 {
    // SAFETY: this module is compiled only when the build enables AVX2, so the instructions exist wherever it runs.
    unsafe {
        let zero = _mm256_setzero_si256();
        let player = _mm256_set1_epi64x(player as i64);
        let opponent = _mm256_set1_epi64x(opponent as i64);

        let higher = load(&HIGHER[square.index()]);
        let stop = _mm256_andnot_si256(opponent, higher);
        let first = _mm256_and_si256(stop, _mm256_sub_epi64(zero, stop));
        let outflank = _mm256_and_si256(first, player);
        let between = _mm256_and_si256(higher, _mm256_add_epi64(outflank, _mm256_set1_epi64x(-1)));
        let turned = _mm256_andnot_si256(_mm256_cmpeq_epi64(outflank, zero), between);

        // There is no leading-zero count in AVX2: smear the stops down the ray, so that the highest is the only one
        // whose upper neighbor is clear.
        let lower = load(&LOWER[square.index()]);
        let step =
            _mm256_set_epi64x(STEPS[3] as i64, STEPS[2] as i64, STEPS[1] as i64, STEPS[0] as i64);
        let step2 = _mm256_add_epi64(step, step);
        let step4 = _mm256_add_epi64(step2, step2);
        let mut smear = _mm256_andnot_si256(opponent, lower);
        smear = _mm256_or_si256(smear, _mm256_srlv_epi64(smear, step));
        smear = _mm256_or_si256(smear, _mm256_srlv_epi64(smear, step2));
        smear = _mm256_or_si256(smear, _mm256_srlv_epi64(smear, step4));
        let first = _mm256_andnot_si256(_mm256_srlv_epi64(smear, step), smear);
        let outflank = _mm256_and_si256(first, player);
        let between = _mm256_andnot_si256(smear, lower);
        let turned = _mm256_or_si256(
            turned,
            _mm256_andnot_si256(_mm256_cmpeq_epi64(outflank, zero), between),
        );

        let half =
            _mm_or_si128(_mm256_castsi256_si128(turned), _mm256_extracti128_si256::<1>(turned));
        _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
    }
}

/// Loads four rays.
///
/// # Safety
/// The processor must have AVX.
#[inline(always)]
unsafe fn load(rays: &Rays) -> __m256i {
    // SAFETY: `Rays` is 32 bytes long and aligned to 32.
    unsafe { _mm256_load_si256(std::ptr::from_ref(rays).cast()) }
}

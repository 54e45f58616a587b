//! Flips with AVX-512 (F, CD and VL) on 256-bit registers: lane masks and a leading-zero count for the lower rays.

#![expect(unsafe_code, reason = "instructions that this build enables")]

use std::arch::x86_64::{
    _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_load_si256,
    _mm256_lzcnt_epi64, _mm256_maskz_and_epi64, _mm256_or_si256, _mm256_rorv_epi64,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_sub_epi64, _mm256_test_epi64_mask,
};

use super::{HIGHER, LOWER, Rays};
use crate::board::square::Square;

/// See [`super::flips`].
#[inline(always)]
pub fn flips(square: Square, player: u64, opponent: u64) -> u64 {
    // SAFETY: this module is compiled only when the build enables AVX-512 F, CD and VL; `Rays` is 32 bytes long and
    // aligned to 32.
    unsafe {
        let zero = _mm256_setzero_si256();
        let player = _mm256_set1_epi64x(player as i64);
        let opponent = _mm256_set1_epi64x(opponent as i64);
        let load = |rays: &Rays| _mm256_load_si256(std::ptr::from_ref(rays).cast());

        let higher = load(&HIGHER[square.index()]);
        let stop = _mm256_andnot_si256(opponent, higher);
        let below = _mm256_add_epi64(stop, _mm256_set1_epi64x(-1));
        let first = _mm256_andnot_si256(below, stop);
        let run = _mm256_and_si256(_mm256_and_si256(higher, opponent), below);
        let turned = _mm256_maskz_and_epi64(_mm256_test_epi64_mask(first, player), run, run);

        // On a ray without a stop the rotation by 64 gives a bit that no own disc on the ray can meet.
        let lower = load(&LOWER[square.index()]);
        let stop = _mm256_andnot_si256(opponent, lower);
        let own = _mm256_and_si256(player, lower);
        let first = _mm256_rorv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(stop));
        let above = _mm256_sub_epi64(zero, first);
        let run = _mm256_and_si256(_mm256_and_si256(lower, opponent), above);
        let turned = _mm256_or_si256(
            turned,
            _mm256_maskz_and_epi64(_mm256_test_epi64_mask(first, own), run, run),
        );

        let half =
            _mm_or_si128(_mm256_castsi256_si128(turned), _mm256_extracti128_si256::<1>(turned));
        _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
    }
}

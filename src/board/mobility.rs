//! Where a side may move.
//!
//! A legal square is an empty one from which a line of opponent's discs leads to an own disc. Parallel prefix fills
//! find all of them at once, the same way in each of the eight directions.

/// All squares on which the player may place a disc.
#[inline(always)]
pub fn legal_moves(player: u64, opponent: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
    return avx512::legal_moves(player, opponent);
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2", not(target_feature = "avx512f")))]
    return avx2::legal_moves(player, opponent);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    return portable::legal_moves(player, opponent);
}

/// Plain 64-bit arithmetic, for builds without AVX2 and as the twin in tests.
pub mod portable {
    /// See [`super::legal_moves`].
    #[inline(always)]
    pub fn legal_moves(player: u64, opponent: u64) -> u64 {
        // Lines that pass a side column would wrap into the next row; discs there can never lie between two others
        // on a row or diagonal.
        let inner = opponent & 0x7E7E_7E7E_7E7E_7E7E;
        let targets = line(player, inner, 1)
            | line(player, opponent, 8)
            | line(player, inner, 7)
            | line(player, inner, 9);
        targets & !(player | opponent)
    }

    #[inline(always)]
    fn line(player: u64, between: u64, step: u32) -> u64 {
        let mut up = between & (player << step);
        let mut down = between & (player >> step);
        up |= between & (up << step);
        down |= between & (down >> step);
        let pairs_up = between & (between << step);
        let pairs_down = pairs_up >> step;
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
        up << step | down >> step
    }
}

/// The eight directions in the lanes of one register. Rotations replace shifts: the masks leave out the border squares
/// at which a line would wrap around, which never are between two others on that line.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[expect(unsafe_code, reason = "instructions that this build enables")]
mod avx512 {
    use std::arch::x86_64::{
        _mm512_add_epi64, _mm512_and_si512, _mm512_or_si512, _mm512_reduce_or_epi64,
        _mm512_rolv_epi64, _mm512_set_epi64, _mm512_set1_epi64,
    };

    #[inline(always)]
    pub fn legal_moves(player: u64, opponent: u64) -> u64 {
        // SAFETY: this module is compiled only when the build enables AVX-512 F.
        let targets = unsafe {
            let step = _mm512_set_epi64(1, 8, 7, 9, 63, 56, 57, 55);
            let step2 = _mm512_add_epi64(step, step);
            let columns = 0x7E7E_7E7E_7E7E_7E7E;
            let rows = 0x00FF_FFFF_FFFF_FF00;
            let both = columns & rows;
            let between = _mm512_and_si512(
                _mm512_set1_epi64(opponent as i64),
                _mm512_set_epi64(columns, rows, both, both, columns, rows, both, both),
            );
            let player = _mm512_set1_epi64(player as i64);
            let mut reach = _mm512_and_si512(between, _mm512_rolv_epi64(player, step));
            reach =
                _mm512_or_si512(reach, _mm512_and_si512(between, _mm512_rolv_epi64(reach, step)));
            let pairs = _mm512_and_si512(between, _mm512_rolv_epi64(between, step));
            reach =
                _mm512_or_si512(reach, _mm512_and_si512(pairs, _mm512_rolv_epi64(reach, step2)));
            reach =
                _mm512_or_si512(reach, _mm512_and_si512(pairs, _mm512_rolv_epi64(reach, step2)));
            _mm512_reduce_or_epi64(_mm512_rolv_epi64(reach, step)) as u64
        };
        targets & !(player | opponent)
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", not(target_feature = "avx512f")))]
#[expect(unsafe_code, reason = "instructions that this build enables")]
mod avx2 {
    use std::arch::x86_64::{
        _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64, _mm256_and_si256,
        _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_or_si256, _mm256_set_epi64x,
        _mm256_set1_epi64x, _mm256_sllv_epi64, _mm256_srlv_epi64,
    };

    #[inline(always)]
    pub fn legal_moves(player: u64, opponent: u64) -> u64 {
        // SAFETY: this module is compiled only when the build enables AVX2.
        let targets = unsafe {
            let step = _mm256_set_epi64x(9, 7, 8, 1);
            let step2 = _mm256_add_epi64(step, step);
            let inner = 0x7E7E_7E7E_7E7E_7E7E;
            let between = _mm256_and_si256(
                _mm256_set1_epi64x(opponent as i64),
                _mm256_set_epi64x(inner, inner, -1, inner),
            );
            let player = _mm256_set1_epi64x(player as i64);
            let mut up = _mm256_and_si256(between, _mm256_sllv_epi64(player, step));
            let mut down = _mm256_and_si256(between, _mm256_srlv_epi64(player, step));
            up = _mm256_or_si256(up, _mm256_and_si256(between, _mm256_sllv_epi64(up, step)));
            down = _mm256_or_si256(down, _mm256_and_si256(between, _mm256_srlv_epi64(down, step)));
            let pairs_up = _mm256_and_si256(between, _mm256_sllv_epi64(between, step));
            let pairs_down = _mm256_srlv_epi64(pairs_up, step);
            up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, step2)));
            down =
                _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, step2)));
            up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, step2)));
            down =
                _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, step2)));
            let both = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
            let half =
                _mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
            _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
        };
        targets & !(player | opponent)
    }
}

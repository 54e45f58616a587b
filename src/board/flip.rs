//! Which discs a move turns: one function, with the fastest body that the build's instruction set allows.
//!
//! All bodies share one idea. A square's eight rays are split into four that run to higher bits and four to lower bits,
//! one per line direction. On a ray, the first square that is not the opponent's decides: if it is the player's, all
//! between it and the move are turned.

pub mod mirrored;
pub mod portable;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub mod avx2;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512cd",
    target_feature = "avx512vl"
))]
pub mod avx512;

use super::square::Square;

/// The opponent's discs that turn when the player places a disc on the empty `square`; 0 if the move is illegal.
#[inline(always)]
pub fn flips(square: Square, player: u64, opponent: u64) -> u64 {
    #[cfg(all(
        target_arch = "x86_64",
        target_feature = "avx512f",
        target_feature = "avx512cd",
        target_feature = "avx512vl"
    ))]
    return avx512::flips(square, player, opponent);
    #[cfg(all(
        target_arch = "x86_64",
        target_feature = "avx2",
        not(all(
            target_feature = "avx512f",
            target_feature = "avx512cd",
            target_feature = "avx512vl"
        ))
    ))]
    return avx2::flips(square, player, opponent);
    #[cfg(target_arch = "aarch64")]
    return mirrored::flips(square, player, opponent);
    #[cfg(not(any(
        target_arch = "aarch64",
        all(target_arch = "x86_64", target_feature = "avx2")
    )))]
    return portable::flips(square, player, opponent);
}

/// The four rays of a square to one side, in the order row, column, diagonal h-a, diagonal a-h.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Rays(pub [u64; 4]);

/// Rays from each square towards higher bits.
pub(super) static HIGHER: [Rays; 64] = rays(1);
/// Rays from each square towards lower bits.
pub(super) static LOWER: [Rays; 64] = rays(-1);

const fn rays(sign: i32) -> [Rays; 64] {
    // (column, row) steps of the lines towards higher bits.
    let directions = [(1, 0), (0, 1), (-1, 1), (1, 1)];
    let mut table = [Rays([0; 4]); 64];
    let mut square = 0;
    while square < 64 {
        let mut line = 0;
        while line < 4 {
            let (dx, dy) = (directions[line].0 * sign, directions[line].1 * sign);
            let (mut x, mut y) = (square % 8 + dx, square / 8 + dy);
            while x >= 0 && x < 8 && y >= 0 && y < 8 {
                table[square as usize].0[line] |= 1 << (y * 8 + x);
                x += dx;
                y += dy;
            }
            line += 1;
        }
        square += 1;
    }
    table
}

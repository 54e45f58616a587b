//! The hash of a board.

use super::Board;

const PLAYER_SALT: u64 = 0x9E37_79B9_7F4A_7C15;
const OPPONENT_SALT: u64 = 0xD1B5_4A32_D192_ED03;

/// A 64-bit hash: the two halves of a 128-bit product folded together, which mixes every bit of both words with one
/// multiplication (the construction of wyhash, Wang Yi 2019).
#[inline(always)]
pub const fn hash(board: Board) -> u64 {
    let product = (board.player ^ PLAYER_SALT) as u128
        * (board.opponent.rotate_left(17) ^ OPPONENT_SALT) as u128;
    (product >> 64) as u64 ^ product as u64
}

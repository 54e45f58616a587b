//! The eight symmetries of the square board.

use super::Board;

/// Number of symmetries.
pub const N_SYMMETRIES: usize = 8;

/// Applies symmetry `k` (0 to 7) to a set of squares: bit 0 of `k` mirrors left and right, bit 1 turns upside down, bit 2
/// then swaps columns and rows.
pub const fn transform(set: u64, k: usize) -> u64 {
    debug_assert!(k < N_SYMMETRIES);
    let mut set = set;
    if k & 1 != 0 {
        set = mirror_columns(set);
    }
    if k & 2 != 0 {
        set = set.swap_bytes();
    }
    if k & 4 != 0 {
        set = transpose(set);
    }
    set
}

/// Column a becomes h and the reverse.
pub const fn mirror_columns(set: u64) -> u64 {
    set.reverse_bits().swap_bytes()
}

/// Columns become rows (b1 becomes a2): three rounds of block swaps (Warren, "Hacker's Delight", section 7-3).
pub const fn transpose(set: u64) -> u64 {
    let mut set = set;
    let swap = (set ^ (set >> 7)) & 0x00AA_00AA_00AA_00AA;
    set ^= swap ^ (swap << 7);
    let swap = (set ^ (set >> 14)) & 0x0000_CCCC_0000_CCCC;
    set ^= swap ^ (swap << 14);
    let swap = (set ^ (set >> 28)) & 0x0000_0000_F0F0_F0F0;
    set ^ swap ^ (swap << 28)
}

/// The board under symmetry `k`.
pub const fn transform_board(board: Board, k: usize) -> Board {
    Board { player: transform(board.player, k), opponent: transform(board.opponent, k) }
}

/// The smallest of the eight images of a board, so that symmetric positions become the same one.
pub fn canonical(board: Board) -> Board {
    (1..N_SYMMETRIES)
        .map(|k| transform_board(board, k))
        .fold(board, |least, image| if image < least { image } else { least })
}

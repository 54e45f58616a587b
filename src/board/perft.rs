//! Counting the leaves of the game tree, the usual proof of a move generator.

use super::Board;
use super::bitboard::Squares;

/// Number of lines of `depth` plies from a board. A pass takes a ply; a game that ended earlier counts as one line.
pub fn perft(board: Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    count(board, board.legal_moves(), depth)
}

/// The last ply is counted by the number of legal moves, without playing them.
fn count(board: Board, moves: u64, depth: u32) -> u64 {
    if moves == 0 {
        let passed = board.passed();
        let replies = passed.legal_moves();
        return if replies == 0 || depth == 1 { 1 } else { count(passed, replies, depth - 1) };
    }
    if depth == 1 {
        return u64::from(moves.count_ones());
    }
    let mut leaves = 0;
    for square in Squares(moves) {
        let next = board.after(square, board.flips(square));
        leaves += count(next, next.legal_moves(), depth - 1);
    }
    leaves
}

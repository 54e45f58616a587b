//! The last four empties, each with a function of its own.

use crate::board::bitboard::{Squares, neighbors_of, quadrant};
use crate::board::{Board, Square, last_flip};
use crate::score::INFINITE;
use crate::search::searcher::Searcher;

impl Searcher<'_> {
    /// Four empties; `odd` is the region of quadrants with an odd number of them.
    pub(super) fn solve_4(&mut self, board: Board, alpha: i32, odd: u64) -> i32 {
        self.nodes += 1;
        let empties = board.empties();
        let mut best = -INFINITE;
        for mut region in [empties & odd, empties & !odd] {
            while region != 0 {
                let square = Square::lowest(region);
                region &= region - 1;
                let Some(child) = child(board, square) else { continue };
                let rest = empties & !square.bit();
                // The odd region holds one of the three empties, which goes first, or all: then any order will do.
                let first = Square::lowest(rest & (odd ^ quadrant(square)));
                let mut others = Squares(rest & !first.bit());
                let (Some(second), Some(third)) = (others.next(), others.next()) else { continue };
                let score = -self.solve_3(child, -alpha - 1, [first, second, third]);
                if score > alpha {
                    return score;
                }
                best = best.max(score);
            }
        }
        if best == -INFINITE {
            return self.solve_few_pass(board, alpha);
        }
        best
    }

    /// Three empties, to be tried in this order.
    pub(super) fn solve_3(&mut self, board: Board, alpha: i32, [a, b, c]: [Square; 3]) -> i32 {
        self.nodes += 1;
        let mut best = -INFINITE;
        // Written out, for a loop over arrays of squares would keep them in memory.
        if let Some(child) = child(board, a) {
            best = -self.solve_2(child, -alpha - 1, [b, c]);
            if best > alpha {
                return best;
            }
        }
        if let Some(child) = child(board, b) {
            let score = -self.solve_2(child, -alpha - 1, [a, c]);
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
        if let Some(child) = child(board, c) {
            let score = -self.solve_2(child, -alpha - 1, [a, b]);
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
        if best == -INFINITE {
            return self.solve_few_pass(board, alpha);
        }
        best
    }

    /// Two empties, to be tried in this order.
    pub(super) fn solve_2(&mut self, board: Board, alpha: i32, [a, b]: [Square; 2]) -> i32 {
        self.nodes += 1;
        let mut best = -INFINITE;
        if let Some(player) = player_after(board, a) {
            best = -self.solve_1(player, -alpha - 1, b);
            if best > alpha {
                return best;
            }
        }
        if let Some(player) = player_after(board, b) {
            let score = -self.solve_1(player, -alpha - 1, a);
            return best.max(score);
        }
        if best == -INFINITE {
            return self.solve_few_pass(board, alpha);
        }
        best
    }

    /// One empty: only the number of turned discs matters. All squares but `square` that are not the player's are the opponent's.
    #[inline(always)]
    pub(super) fn solve_1(&mut self, player: u64, alpha: i32, square: Square) -> i32 {
        self.nodes += 1;
        let own = player.count_ones() as i32;
        let n_flips = last_flip::count(square, player) as i32;
        if n_flips > 0 {
            return 2 * (own + n_flips) - 62;
        }
        // Without a move, the player gets the empty square at best; usually that is a cut-off already.
        if 2 * own - 62 <= alpha {
            return 2 * own - 62;
        }
        let n_flips = last_flip::count(square, !player) as i32;
        if n_flips > 0 {
            return 2 * (own - n_flips) - 64;
        }
        // Nobody can move: the empty square goes to the winner, 63 discs cannot be shared evenly.
        if own >= 32 { 2 * own - 62 } else { 2 * own - 64 }
    }
}

/// The board after a move, if it turns anything.
#[inline(always)]
fn child(board: Board, square: Square) -> Option<Board> {
    // Most empty squares are near the opponent, but a look at the neighbors is cheaper than the flips.
    if neighbors_of(square) & board.opponent == 0 {
        return None;
    }
    let flips = board.flips(square);
    (flips != 0).then(|| board.after(square, flips))
}

/// The discs of the next side to move after a move; `None` if it turns nothing.
#[inline(always)]
fn player_after(board: Board, square: Square) -> Option<u64> {
    if neighbors_of(square) & board.opponent == 0 {
        return None;
    }
    let flips = board.flips(square);
    (flips != 0).then_some(board.opponent ^ flips)
}

//! Five empties: no table and no ranking, moves in odd regions first.

use crate::board::bitboard::{Squares, quadrant};
use crate::board::{Board, Square};
use crate::score::INFINITE;
use crate::search::ordering::odd_region;
use crate::search::searcher::Searcher;

impl Searcher<'_> {
    /// Zero to five empties.
    pub(super) fn solve_few(&mut self, board: Board, n_empties: u32, alpha: i32) -> i32 {
        let mut squares = Squares(board.empties());
        match n_empties {
            0 => {
                self.nodes += 1;
                board.final_score()
            }
            1 => self.solve_1(board.player, alpha, Square::lowest(board.empties())),
            2 | 3 => match [squares.next(), squares.next(), squares.next()] {
                [Some(a), Some(b), Some(c)] => self.solve_3(board, alpha, [a, b, c]),
                [Some(a), Some(b), None] => self.solve_2(board, alpha, [a, b]),
                _ => board.final_score(),
            },
            4 => self.solve_4(board, alpha, odd_region(board.empties())),
            _ => {
                let odd = odd_region(board.empties());
                self.solve_by_parity(board, board.legal_moves(), n_empties, odd, alpha)
            }
        }
    }

    /// Five or more empties with legal `moves`; `odd` is the region of quadrants with an odd number of empties.
    pub(super) fn solve_by_parity(
        &mut self,
        board: Board,
        moves: u64,
        n_empties: u32,
        odd: u64,
        alpha: i32,
    ) -> i32 {
        self.nodes += 1;
        if moves == 0 {
            return self.solve_few_pass(board, alpha);
        }
        if let Some(bound) = super::stability_cutoff(board, n_empties, alpha) {
            return bound;
        }
        let mut best = -INFINITE;
        for mut region in [moves & odd, moves & !odd] {
            while region != 0 {
                let square = Square::lowest(region);
                region &= region - 1;
                let child = board.after(square, board.flips(square));
                let odd = odd ^ quadrant(square);
                let score = if n_empties == 5 {
                    -self.solve_4(child, -alpha - 1, odd)
                } else {
                    -self.solve_by_parity(
                        child,
                        child.legal_moves(),
                        n_empties - 1,
                        odd,
                        -alpha - 1,
                    )
                };
                if score > best {
                    best = score;
                    if score > alpha {
                        return score;
                    }
                }
            }
        }
        best
    }

    /// A node with few empties whose side to move has no move.
    #[cold]
    #[inline(never)]
    pub(super) fn solve_few_pass(&mut self, board: Board, alpha: i32) -> i32 {
        let passed = board.passed();
        if passed.legal_moves() == 0 {
            board.final_score()
        } else {
            -self.solve_few(passed, board.n_empties(), -alpha - 1)
        }
    }
}

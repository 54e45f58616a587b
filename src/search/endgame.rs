//! Exact solving of the last empties, in whole discs with null windows.
//!
//! From many empties to few: with the table and ranked moves, then by parity alone, then code of its own for each of the last
//! four empties.

use super::Searcher;
use super::midgame::stability_bound;
use super::ordering::{Candidates, odd_region, rank_by_mobility};
use crate::board::bitboard::{Squares, neighbors};
use crate::board::{Board, Square, last_flip};
use crate::evaluation::Evaluator;
use crate::score::{DISC, INFINITE};
use crate::transposition::Draft;

/// From so many empties on, positions are kept in the table.
const TABLE_EMPTIES: u32 = 8;
/// From so many empties on, moves are ranked by mobility.
const RANK_EMPTIES: u32 = 7;
/// From so many empties on, a move whose position the table already knows to be good enough is looked for first.
const ENHANCED_CUTOFF_EMPTIES: u32 = 9;

impl<E: Evaluator> Searcher<'_, E> {
    /// Is the result above `alpha` discs? Fail-soft, as [`Searcher::nws`].
    pub(super) fn solve(&mut self, board: Board, n_empties: u32, alpha: i32) -> i32 {
        if n_empties < TABLE_EMPTIES {
            return match n_empties {
                0 => {
                    self.nodes += 1;
                    board.final_score()
                }
                1 => self.solve_1(board, alpha, Square::lowest(board.empties())),
                _ => self.solve_few(board, n_empties, alpha),
            };
        }
        self.nodes += 1;
        self.poll();
        if self.stopped {
            return alpha;
        }
        if let Some(bound) = stability_bound(board, n_empties, alpha * DISC) {
            return bound / DISC;
        }
        let draft = Draft { depth: n_empties as u8, confidence: super::Selectivity::FULL.level() };
        let finding = self.table.probe(board);
        if let Some(finding) = finding
            && finding.covers(draft)
        {
            if finding.lower > alpha * DISC {
                return finding.lower / DISC;
            }
            if finding.upper <= alpha * DISC {
                return finding.upper / DISC;
            }
        }
        let moves = board.legal_moves();
        if moves == 0 {
            return self.solve_pass(board, n_empties, alpha);
        }
        let mut candidates = Candidates::new(board, moves);
        let child_draft = Draft { depth: draft.depth - 1, ..draft };
        if n_empties >= ENHANCED_CUTOFF_EMPTIES
            && let Some(score) = self.enhanced_cutoff(board, &candidates, child_draft, alpha * DISC)
        {
            return score / DISC;
        }
        let table_moves = finding.map_or([None; 2], |finding| finding.moves);
        rank_by_mobility(board, &mut candidates, table_moves, odd_region(board.empties()));
        let mut best = (-INFINITE, None);
        while let Some(candidate) = candidates.pick() {
            let child = board.after(candidate.square, candidate.flips);
            let score = -self.solve(child, n_empties - 1, -alpha - 1);
            if self.stopped {
                return alpha;
            }
            if score > best.0 {
                best = (score, Some(candidate.square));
                if score > alpha {
                    break;
                }
            }
        }
        let window = (alpha * DISC, (alpha + 1) * DISC);
        self.table.store(board, draft, window, best.0 * DISC, best.1);
        best.0
    }

    fn solve_pass(&mut self, board: Board, n_empties: u32, alpha: i32) -> i32 {
        let passed = board.passed();
        if passed.legal_moves() == 0 {
            board.final_score()
        } else {
            -self.solve(passed, n_empties, -alpha - 1)
        }
    }

    /// Two to seven empties, without the table.
    fn solve_few(&mut self, board: Board, n_empties: u32, alpha: i32) -> i32 {
        if n_empties == 4 {
            return self.solve_4(board, alpha);
        }
        if n_empties < 4 {
            let mut squares = Squares(board.empties());
            let squares = [squares.next(), squares.next(), squares.next()];
            return match squares {
                [Some(first), Some(second), Some(third)] => {
                    self.solve_3(board, alpha, by_parity_3([first, second, third]))
                }
                [Some(first), Some(second), None] => self.solve_2(board, alpha, first, second),
                _ => board.final_score(),
            };
        }
        self.nodes += 1;
        if let Some(bound) = stability_bound(board, n_empties, alpha * DISC) {
            return bound / DISC;
        }
        let moves = board.legal_moves();
        if moves == 0 {
            return self.solve_pass(board, n_empties, alpha);
        }
        let odd = odd_region(board.empties());
        let mut best = -INFINITE;
        if n_empties >= RANK_EMPTIES {
            let mut candidates = Candidates::new(board, moves);
            rank_by_mobility(board, &mut candidates, [None; 2], odd);
            while let Some(candidate) = candidates.pick() {
                let child = board.after(candidate.square, candidate.flips);
                let score = -self.solve_few(child, n_empties - 1, -alpha - 1);
                if score > best {
                    best = score;
                    if score > alpha {
                        break;
                    }
                }
            }
            return best;
        }
        for square in Squares(moves & odd).chain(Squares(moves & !odd)) {
            let child = board.after(square, board.flips(square));
            let score = -self.solve_few(child, n_empties - 1, -alpha - 1);
            if score > best {
                best = score;
                if score > alpha {
                    break;
                }
            }
        }
        best
    }

    /// Four empties: squares of odd quadrants first.
    fn solve_4(&mut self, board: Board, alpha: i32) -> i32 {
        self.nodes += 1;
        let empties = board.empties();
        let odd = odd_region(empties);
        let mut best = -INFINITE;
        for square in Squares(empties & odd).chain(Squares(empties & !odd)) {
            let Some(child) = child(board, square) else { continue };
            let mut rest = Squares(empties & !square.bit());
            let (Some(a), Some(b), Some(c)) = (rest.next(), rest.next(), rest.next()) else {
                break;
            };
            let score = -self.solve_3(child, -alpha - 1, by_parity_3([a, b, c]));
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

    /// A side without a move among the last few empties.
    #[cold]
    fn solve_few_pass(&mut self, board: Board, alpha: i32) -> i32 {
        let passed = board.passed();
        if passed.legal_moves() == 0 {
            board.final_score()
        } else {
            -self.solve_few(passed, board.n_empties(), -alpha - 1)
        }
    }

    fn solve_3(&mut self, board: Board, alpha: i32, [a, b, c]: [Square; 3]) -> i32 {
        self.nodes += 1;
        let mut best = -INFINITE;
        for (square, first, second) in [(a, b, c), (b, a, c), (c, a, b)] {
            let Some(child) = child(board, square) else { continue };
            let score = -self.solve_2(child, -alpha - 1, first, second);
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

    fn solve_2(&mut self, board: Board, alpha: i32, a: Square, b: Square) -> i32 {
        self.nodes += 1;
        let mut best = -INFINITE;
        for (square, other) in [(a, b), (b, a)] {
            let Some(child) = child(board, square) else { continue };
            let score = -self.solve_1(child, -alpha - 1, other);
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

    /// One empty: only the number of turned discs matters.
    #[inline(always)]
    fn solve_1(&mut self, board: Board, _alpha: i32, square: Square) -> i32 {
        self.nodes += 1;
        let own = board.player.count_ones() as i32;
        let n_flips = last_flip::count(square, board.player) as i32;
        if n_flips > 0 {
            return 2 * (own + n_flips) - 62;
        }
        let n_flips = last_flip::count(square, board.opponent) as i32;
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
    if neighbors(square.bit()) & board.opponent == 0 {
        return None;
    }
    let flips = board.flips(square);
    (flips != 0).then(|| board.after(square, flips))
}

/// Puts the square that is alone in its quadrant first.
#[inline(always)]
fn by_parity_3([a, b, c]: [Square; 3]) -> [Square; 3] {
    let quadrant = |square: Square| square.index() >> 2 & 1 | square.index() >> 4 & 2;
    let (qa, qb, qc) = (quadrant(a), quadrant(b), quadrant(c));
    if qb == qc {
        [a, b, c]
    } else if qa == qc {
        [b, a, c]
    } else if qa == qb {
        [c, a, b]
    } else {
        [a, b, c]
    }
}

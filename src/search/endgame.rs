//! Exact solving of the last empties, in whole discs with null windows.
//!
//! From many empties to few: ranked moves with the shared table, then with a small table of the thread's own (`tables`), then
//! by parity alone ([`few`]), then code of its own for each of the last four empties ([`last`]). Every function here answers the same
//! question: is the result above `alpha` discs? The answer is fail-soft: above `alpha` it is a lower bound of the result, else an
//! upper bound.

mod few;
mod last;

use super::Selectivity;
use super::ordering::{SQUARE_RANK, odd_region, potential_mobility, weighted_mobility};
use super::parameters::Parameters;
use super::searcher::Searcher;
use crate::board::bitboard::{Squares, quadrant};
use crate::board::stability::stable_discs;
use crate::board::{Board, Square};
use crate::evaluation::ranking::{Contents, RANKING};
use crate::score::{DISC, INFINITE};
use crate::transposition::Draft;

/// From this many empties on, nodes rank moves by the replies they leave, and keep positions in a table.
const RANKED_EMPTIES: u32 = 6;
/// From this many empties on, nodes use the table of all threads and rank moves by a small model; below, the thread's
/// own table.
const SHARED_EMPTIES: u32 = 12;
/// From this many empties on, nodes look at the limits of the search.
const POLL_EMPTIES: u32 = 9;
/// The most empties solved here.
pub(super) const MAX_EMPTIES: u32 = 14;
/// No position has more moves than empties.
const MAX_MOVES: usize = MAX_EMPTIES as usize;

/// The result of a game that ends with all discs of one color.
const WIPE_OUT: i32 = 64;

/// Rank of the table's second move, above all others.
const SECOND: i32 = i32::MAX;
/// Rank of a move that the table knows to be no better than alpha.
const NO_BETTER: i32 = i32::MIN;

/// A move at a ranked node.
#[derive(Clone, Copy)]
struct Reply {
    child: Board,
    /// The legal moves of the child, which its node needs again.
    moves: u64,
    square: Square,
    /// Higher is tried earlier.
    rank: i32,
}

/// The moves of a ranked node. Picking is lazy: most nodes are cut off after the first move.
struct Replies {
    list: [Reply; MAX_MOVES],
    length: usize,
}

impl Replies {
    #[inline(always)]
    fn new() -> Replies {
        let nothing = Board { player: 0, opponent: 0 };
        let none = Reply { child: nothing, moves: 0, square: Square::lowest(1), rank: 0 };
        Replies { list: [none; MAX_MOVES], length: 0 }
    }

    /// Adds the positions after all moves, unranked, and calls `prefetch` with each as soon as it is known; `None` if a
    /// move leaves the opponent without discs.
    #[inline(always)]
    fn fill(&mut self, board: Board, moves: u64, prefetch: impl Fn(Board)) -> Option<()> {
        for square in Squares(moves) {
            let child = board.after(square, board.flips(square));
            if child.player == 0 {
                return None;
            }
            prefetch(child);
            if let Some(slot) = self.list.get_mut(self.length) {
                *slot = Reply { child, moves: 0, square, rank: 0 };
                self.length += 1;
            }
        }
        Some(())
    }

    fn as_mut_slice(&mut self) -> &mut [Reply] {
        self.list.get_mut(..self.length).unwrap_or_default()
    }

    /// Takes out the move to a square, if it is there.
    #[inline(always)]
    fn take(&mut self, square: Option<Square>) -> Option<Reply> {
        let rest = self.list.get_mut(..self.length)?;
        let at = rest.iter().position(|reply| Some(reply.square) == square)?;
        let taken = rest[at];
        self.length -= 1;
        rest[at] = rest[rest.len() - 1];
        Some(taken)
    }

    #[inline(always)]
    fn pick(&mut self) -> Option<Reply> {
        let rest = self.list.get_mut(..self.length)?;
        let mut best = *rest.first()?;
        let mut at = 0;
        for (index, reply) in rest.iter().enumerate().skip(1) {
            if reply.rank > best.rank {
                at = index;
                best.rank = reply.rank;
            }
        }
        let best = rest[at];
        self.length -= 1;
        rest[at] = rest[rest.len() - 1];
        Some(best)
    }
}

impl Searcher<'_> {
    /// Is the result above `alpha` discs?
    pub(super) fn solve(&mut self, board: Board, n_empties: u32, alpha: i32) -> i32 {
        if n_empties >= RANKED_EMPTIES {
            self.solve_ranked(board, board.legal_moves(), n_empties, alpha)
        } else {
            self.solve_few(board, n_empties, alpha)
        }
    }

    /// A node with at least [`RANKED_EMPTIES`] empties; `moves` are its legal moves.
    fn solve_ranked(&mut self, board: Board, moves: u64, n_empties: u32, alpha: i32) -> i32 {
        self.nodes += 1;
        if n_empties >= POLL_EMPTIES {
            self.poll(n_empties);
            if self.stopped {
                return alpha;
            }
        }
        if moves == 0 {
            return self.solve_pass(board, n_empties, alpha);
        }
        if let Some(bound) = stability_cutoff(board, n_empties, alpha) {
            return bound;
        }
        if n_empties >= SHARED_EMPTIES {
            return self.solve_shared(board, moves, n_empties, alpha);
        }
        if let Some(bounds) = self.own.bounds.probe(board) {
            if bounds.lower > alpha {
                return bounds.lower;
            }
            if bounds.upper <= alpha {
                return bounds.upper;
            }
        }
        let p = self.parameters();
        let odd = odd_region(board.empties());
        let prefetch = |child| self.own.bounds.prefetch(child);
        let mut replies = Replies::new();
        if replies.fill(board, moves, prefetch).is_none() {
            return WIPE_OUT;
        }
        let mut best = -INFINITE;
        for reply in replies.as_mut_slice() {
            if n_empties >= p.etc_min_empties
                && let Some(bounds) = self.own.bounds.probe(reply.child)
            {
                if -bounds.upper > alpha {
                    return -bounds.upper;
                }
                if -bounds.lower <= alpha {
                    best = best.max(-bounds.lower);
                    reply.rank = NO_BETTER;
                    continue;
                }
            }
            reply.moves = reply.child.legal_moves();
            reply.rank = rank(reply.moves, reply.square, odd);
        }
        while let Some(reply) = replies.pick() {
            if reply.rank == NO_BETTER {
                break;
            }
            let score = -self.solve_reply(&reply, n_empties - 1, odd, -alpha - 1);
            if self.stopped {
                return alpha;
            }
            if score > best {
                best = score;
                if score > alpha {
                    break;
                }
            }
        }
        self.own.bounds.store(board, alpha, best);
        best
    }

    #[inline(always)]
    fn solve_reply(&mut self, reply: &Reply, n_empties: u32, odd: u64, alpha: i32) -> i32 {
        if n_empties >= RANKED_EMPTIES {
            self.solve_ranked(reply.child, reply.moves, n_empties, alpha)
        } else {
            let odd = odd ^ quadrant(reply.square);
            self.solve_by_parity(reply.child, reply.moves, n_empties, odd, alpha)
        }
    }

    /// A node that uses the table of all threads.
    fn solve_shared(&mut self, board: Board, moves: u64, n_empties: u32, alpha: i32) -> i32 {
        let draft = Draft { depth: n_empties as u8, confidence: Selectivity::FULL.level() };
        let hit = self.table.probe(board);
        if let Some(hit) = hit
            && hit.covers(draft)
        {
            if hit.lower > alpha * DISC {
                return hit.lower / DISC;
            }
            if hit.upper <= alpha * DISC {
                return hit.upper / DISC;
            }
        }
        let table_moves = hit.map_or([None; 2], |hit| hit.moves);
        let child_draft = Draft { depth: draft.depth - 1, ..draft };
        let odd = odd_region(board.empties());
        let prefetch = |child| {
            if n_empties > SHARED_EMPTIES {
                self.table.prefetch(child);
            }
        };
        let mut replies = Replies::new();
        if replies.fill(board, moves, prefetch).is_none() {
            return WIPE_OUT;
        }
        for reply in replies.as_mut_slice() {
            let bound = if n_empties > SHARED_EMPTIES {
                let hit = self.table.probe(reply.child).filter(|hit| hit.covers(child_draft));
                hit.map(|hit| -hit.upper / DISC)
            } else {
                self.own.bounds.probe(reply.child).map(|bounds| -bounds.upper)
            };
            if let Some(bound) = bound
                && bound > alpha
            {
                return bound;
            }
        }
        let mut best = (-INFINITE, None);
        // The table's move mostly is good enough: the others are ranked only if it is not.
        if let Some(mut reply) = replies.take(table_moves[0]) {
            reply.moves = reply.child.legal_moves();
            let score = -self.solve_reply(&reply, n_empties - 1, odd, -alpha - 1);
            best = (score, Some(reply.square));
        }
        if best.0 <= alpha {
            let p = self.parameters();
            let contents = Contents::new(board.passed());
            for reply in replies.as_mut_slice() {
                reply.moves = reply.child.legal_moves();
                reply.rank = if table_moves[1] == Some(reply.square) {
                    SECOND
                } else {
                    self.ordering_nodes += 1;
                    let flips = board.opponent & reply.child.opponent;
                    let contents = contents.after(reply.square, flips);
                    rank_by_model(RANKING.value(&contents, n_empties - 1), reply, p)
                };
            }
        }
        while best.0 <= alpha
            && !self.stopped
            && let Some(reply) = replies.pick()
        {
            let score = -self.solve_reply(&reply, n_empties - 1, odd, -alpha - 1);
            if score > best.0 {
                best = (score, Some(reply.square));
            }
        }
        if self.stopped {
            return alpha;
        }
        let window = (alpha * DISC, (alpha + 1) * DISC);
        self.table.store(board, draft, window, best.0 * DISC, best.1);
        best.0
    }

    #[cold]
    fn solve_pass(&mut self, board: Board, n_empties: u32, alpha: i32) -> i32 {
        let passed = board.passed();
        let moves = passed.legal_moves();
        if moves == 0 {
            board.final_score()
        } else {
            -self.solve_ranked(passed, moves, n_empties, -alpha - 1)
        }
    }
}

/// Few replies first.
#[inline(always)]
fn rank(moves: u64, square: Square, odd: u64) -> i32 {
    let parity = if odd & square.bit() != 0 { 16 } else { 0 };
    parity - weighted_mobility(moves) * 64 + i32::from(SQUARE_RANK[square.index()])
}

/// Few replies first, and a low `value`: the model's value of the child for the opponent, who is to move there.
#[inline(always)]
fn rank_by_model(value: i32, reply: &Reply, p: &Parameters) -> i32 {
    -value
        - weighted_mobility(reply.moves) * p.endgame_reply
        - potential_mobility(reply.child) * p.endgame_potential
}

/// An upper bound in discs that is not above `alpha`, from the opponent's stable discs; tried only where it has a chance.
#[inline(always)]
pub(super) fn stability_cutoff(board: Board, n_empties: u32, alpha: i32) -> Option<i32> {
    // With more empty squares fewer discs are stable, so that the bound can only fall to a higher alpha.
    if alpha < 2 * n_empties as i32 - 6 || 64 - 2 * board.opponent.count_ones() as i32 > alpha {
        return None;
    }
    let stable = stable_discs(board.opponent, board.player).count_ones() as i32;
    let bound = 64 - 2 * stable;
    (bound <= alpha).then_some(bound)
}

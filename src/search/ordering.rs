//! The order in which moves are tried: the better the first one, the smaller the tree.

use super::moves::{Candidate, MoveList};
use super::searcher::Searcher;
use crate::board::bitboard::{CORNERS, Squares, neighbors};
use crate::board::{Board, Square};
use crate::evaluation::patterns::Features;
use crate::score::{DISC, INFINITE, MAX, Score};

/// What the opponent's mobility after a move costs in the rank of the move, in score units.
#[derive(Clone, Copy, Debug)]
struct MobilityWeight {
    /// Per legal move.
    reply: Score,
    /// Per square of potential mobility.
    potential: Score,
}

impl MobilityWeight {
    fn of(self, board: Board) -> Score {
        weighted_mobility(board.legal_moves()) * self.reply
            + potential_mobility(board) * self.potential
    }
}

/// Rank of the table's move, above all others.
pub(super) const TABLE_MOVE: i32 = 1 << 30;
/// Rank of a move that leaves the opponent without discs.
pub(super) const WIPE_OUT: i32 = 1 << 29;

/// Ranks by square alone: corners first, squares beside corners last.
#[rustfmt::skip]
pub(super) static SQUARE_RANK: [i8; 64] = [
    18,  4, 16, 12, 12, 16,  4, 18,
     4,  0,  6,  8,  8,  6,  0,  4,
    16,  6, 14, 10, 10, 14,  6, 16,
    12,  8, 10,  0,  0, 10,  8, 12,
    12,  8, 10,  0,  0, 10,  8, 12,
    16,  6, 14, 10, 10, 14,  6, 16,
     4,  0,  6,  8,  8,  6,  0,  4,
    18,  4, 16, 12, 12, 16,  4, 18,
];

/// Legal moves with corners counted twice, for a corner is worth more than any other move.
#[inline(always)]
pub(super) const fn weighted_mobility(moves: u64) -> i32 {
    (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
}

/// Potential mobility of the side to move: empty squares next to the opponent's discs, corners counted twice.
#[inline(always)]
pub(super) const fn potential_mobility(board: Board) -> i32 {
    let squares = neighbors(board.opponent) & board.empties();
    (squares.count_ones() + (squares & CORNERS).count_ones()) as i32
}

/// Ranks without evaluation, for nodes near the leaves: few replies first.
#[inline(always)]
pub(super) fn rank_by_mobility(
    board: Board,
    candidates: &mut [Candidate],
    table_moves: [Option<Square>; 2],
    odd_region: u64,
) {
    for candidate in &mut *candidates {
        let square = candidate.square;
        if candidate.flips == board.opponent {
            candidate.rank = WIPE_OUT;
            continue;
        }
        let child = board.after(square, candidate.flips);
        candidate.rank = (32 - weighted_mobility(child.legal_moves())) * 64
            + (32 - potential_mobility(child)) * 4
            + i32::from(SQUARE_RANK[square.index()]);
        if odd_region & square.bit() != 0 {
            candidate.rank += 8;
        }
    }
    promote(candidates, table_moves);
}

/// Ranks the moves of the table above all others.
#[inline(always)]
pub(super) fn promote(candidates: &mut [Candidate], table_moves: [Option<Square>; 2]) {
    for (rank, table_move) in table_moves.into_iter().enumerate() {
        let Some(table_move) = table_move else { continue };
        for candidate in &mut *candidates {
            if candidate.square == table_move {
                candidate.rank = candidate.rank.max(TABLE_MOVE - rank as i32);
            }
        }
    }
}

/// The union of the quadrants with an odd number of empty squares: a side gains by playing last in a quadrant (parity).
#[inline(always)]
pub(super) fn odd_region(empties: u64) -> u64 {
    crate::board::bitboard::QUADRANTS
        .iter()
        .filter(|&&quadrant| (empties & quadrant).count_ones() & 1 != 0)
        .fold(0, |region, quadrant| region | quadrant)
}

impl Searcher<'_> {
    pub(super) fn rank(
        &mut self,
        board: Board,
        features: &Features,
        candidates: &mut [Candidate],
        table_moves: [Option<Square>; 2],
        depth: u32,
    ) {
        if candidates.len() < 2 {
            return;
        }
        let p = self.parameters();
        if depth >= p.ordering_min_depth {
            let (offset, step, reply, potential) = if depth >= board.n_empties() {
                let (offset, step) = (p.solving_ordering_offset, p.solving_ordering_step);
                (offset, step, p.solving_reply, p.solving_potential)
            } else {
                (p.ordering_offset, p.ordering_step, p.ordering_reply, p.ordering_potential)
            };
            let search_depth = (depth.saturating_sub(offset) / step).min(p.ordering_max_depth);
            let mobility = MobilityWeight { reply, potential };
            self.rank_by_search(board, features, candidates, table_moves, (search_depth, mobility));
        } else {
            rank_by_mobility(board, candidates, table_moves, odd_region(board.empties()));
        }
    }

    /// Ranks by the value of a shallow search of `depth` plies (0: the evaluation alone), corrected for mobility.
    fn rank_by_search(
        &mut self,
        board: Board,
        features: &Features,
        candidates: &mut [Candidate],
        table_moves: [Option<Square>; 2],
        (depth, mobility): (u32, MobilityWeight),
    ) {
        // Value the table move first: it probably is good, and clearly worse moves then need only rough values.
        let table_move =
            candidates.iter().position(|candidate| Some(candidate.square) == table_moves[0]);
        if let Some(at) = table_move {
            candidates.swap(0, at);
        }
        let mut best = -INFINITE;
        for candidate in &mut *candidates {
            let square = candidate.square;
            if candidate.flips == board.opponent {
                candidate.rank = WIPE_OUT;
                continue;
            }
            let child = board.after(square, candidate.flips);
            let features = features.after(square, candidate.flips);
            let replies = mobility.of(child);
            let beta = -(best + replies - self.parameters().ordering_tolerance).max(-INFINITE);
            let value = -self.ordering_search(child, &features, depth, -INFINITE, beta);
            candidate.rank = value - replies;
            best = best.max(candidate.rank);
        }
        promote(candidates, table_moves);
    }

    /// A plain alpha-beta of a few plies whose value orders moves; its positions count as ordering nodes.
    fn ordering_search(
        &mut self,
        board: Board,
        features: &Features,
        depth: u32,
        mut alpha: Score,
        beta: Score,
    ) -> Score {
        self.ordering_nodes += 1;
        if depth == 0 {
            return self.evaluation.evaluate_within(board, features, (alpha, beta));
        }
        let moves = board.legal_moves();
        if moves == 0 {
            let passed = board.passed();
            if passed.legal_moves() == 0 {
                return board.final_score() * DISC;
            }
            let features = features.passed();
            return -self.ordering_search(passed, &features, depth, -beta, -alpha);
        }
        if depth == 1 {
            return self.ordering_leaves(board, features, moves, beta);
        }
        let mut best = -INFINITE;
        let mut candidates = MoveList::new(board, moves);
        rank_by_mobility(board, candidates.left_mut(), [None; 2], 0);
        while let Some(candidate) = candidates.pick() {
            let child = board.after(candidate.square, candidate.flips);
            let features = features.after(candidate.square, candidate.flips);
            let score = if child.player == 0 {
                MAX
            } else {
                -self.ordering_search(child, &features, depth - 1, -beta, -alpha)
            };
            if score > best {
                best = score;
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
        }
        best
    }

    /// One ply above the leaves of an ordering search; as `best_leaf` in `node`.
    #[inline(always)]
    fn ordering_leaves(
        &mut self,
        board: Board,
        features: &Features,
        moves: u64,
        beta: Score,
    ) -> Score {
        let mut best = -INFINITE;
        for square in Squares(moves) {
            let flips = board.flips(square);
            let child = board.after(square, flips);
            self.ordering_nodes += 1;
            let features = features.after(square, flips);
            let score = -self.evaluation.evaluate_within(child, &features, (-beta, -best));
            if score > best {
                best = score;
                if score >= beta {
                    break;
                }
            }
        }
        best
    }
}

//! The shallow search whose values order moves.

use super::ordering::{
    Candidate, Candidates, WIPE_OUT, potential_mobility, promote, rank_by_mobility,
    weighted_mobility,
};
use super::searcher::Searcher;
use crate::board::bitboard::Squares;
use crate::board::{Board, Square};
use crate::evaluation::Evaluator;
use crate::score::{DISC, INFINITE, MAX, Score};

/// How much worse than the best so far a move must be for its rank to be rough. With half of it the search chose 91 instead of 84
/// wrong moves of 311 (hard-25, 15 plies): the order of poor moves matters where the best ones fail.
const RANK_TOLERANCE: i32 = 4 * DISC;

/// What the mobility that a move leaves the opponent is worth in its ranking, in score units.
#[derive(Clone, Copy, Debug)]
pub(super) struct MobilityWorth {
    /// Of a legal move.
    reply: Score,
    /// Of a possible future move.
    potential: Score,
}

impl MobilityWorth {
    pub const MIDGAME: MobilityWorth = MobilityWorth { reply: DISC, potential: DISC / 4 };
    /// Searches to the end try moves first that soon prove what they are worth: with few replies the tree is small.
    pub const TO_THE_END: MobilityWorth = MobilityWorth { reply: 2 * DISC, potential: DISC };

    fn of(self, board: Board) -> Score {
        weighted_mobility(board.legal_moves()) * self.reply
            + potential_mobility(board) * self.potential
    }
}

impl<E: Evaluator> Searcher<'_, E> {
    /// Ranks by the value of a shallow search of `depth` plies (0: the evaluation alone), corrected for mobility.
    pub(super) fn rank_by_search(
        &mut self,
        board: Board,
        features: &E::Features,
        candidates: &mut [Candidate],
        table_moves: [Option<Square>; 2],
        (depth, mobility): (u32, MobilityWorth),
    ) {
        // The table's move is likely to be good, which saves a close look at the others.
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
            let features = self.evaluator.after(features, square, candidate.flips);
            let replies = mobility.of(child);
            let beta = -(best + replies - RANK_TOLERANCE).max(-INFINITE);
            let value = -self.probe(child, &features, depth, -INFINITE, beta);
            candidate.rank = value - replies;
            best = best.max(candidate.rank);
        }
        promote(candidates, table_moves);
    }

    /// A plain alpha-beta of a few plies whose value orders moves; its positions count as probes.
    fn probe(
        &mut self,
        board: Board,
        features: &E::Features,
        depth: u32,
        mut alpha: Score,
        beta: Score,
    ) -> Score {
        self.probes += 1;
        if depth == 0 {
            return self.evaluator.evaluate_within(board, features, (alpha, beta));
        }
        let moves = board.legal_moves();
        if moves == 0 {
            let passed = board.passed();
            if passed.legal_moves() == 0 {
                return board.final_score() * DISC;
            }
            let features = self.evaluator.passed(features);
            return -self.probe(passed, &features, depth, -beta, -alpha);
        }
        if depth == 1 {
            return self.probe_leaves(board, features, moves, beta);
        }
        let mut best = -INFINITE;
        let mut candidates = Candidates::new(board, moves);
        rank_by_mobility(board, candidates.left_mut(), [None; 2], 0);
        while let Some(candidate) = candidates.pick() {
            let child = board.after(candidate.square, candidate.flips);
            let features = self.evaluator.after(features, candidate.square, candidate.flips);
            let score = if child.player == 0 {
                MAX
            } else {
                -self.probe(child, &features, depth - 1, -beta, -alpha)
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

    /// One ply above the leaves of a probe; as `best_leaf` in `midgame`.
    #[inline(always)]
    fn probe_leaves(
        &mut self,
        board: Board,
        features: &E::Features,
        moves: u64,
        beta: Score,
    ) -> Score {
        let mut best = -INFINITE;
        for square in Squares(moves) {
            let flips = board.flips(square);
            let child = board.after(square, flips);
            self.probes += 1;
            let features = self.evaluator.after(features, square, flips);
            let score = -self.evaluator.evaluate_within(child, &features, (-beta, -best));
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

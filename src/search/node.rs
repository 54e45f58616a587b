//! Alpha-beta above the last empties: principal variation search with null windows below the principal variation.

use super::Selectivity;
use super::endgame;
use super::moves::MoveList;
use super::parallel::split::Node;
use super::parameters::Parameters;
use super::searcher::Searcher;
use crate::board::bitboard::Squares;
use crate::board::{Board, Move, Square};
use crate::evaluation::patterns::Features;
use crate::score::{DISC, INFINITE, Score};
use crate::transposition::Draft;

/// Up to this depth nodes keep what they find in the thread's own table.
const SHALLOW_DEPTH: u32 = 3;

// A reduced node must store its result in the table that the search probes when it comes back at full depth.
const _: () = {
    let Parameters { iir_min_depth, iir_reduction, .. } = Parameters::DEFAULT;
    assert!(iir_min_depth - iir_reduction > SHALLOW_DEPTH);
};

/// C-squares and X-squares: tried last at nodes one ply above the leaves.
const BESIDE_CORNERS: u64 = 0x42C3_0000_0000_C342;

impl Searcher<'_> {
    pub(super) fn draft(&self, depth: u32, n_empties: u32) -> Draft {
        Draft { depth: depth.min(n_empties) as u8, confidence: self.selectivity.level() }
    }

    /// A node of the principal variation: full window, no cut-off by the table, so that the variation is complete.
    pub(super) fn pvs(
        &mut self,
        board: Board,
        features: &Features,
        depth: u32,
        (mut alpha, beta): (Score, Score),
        ply: usize,
    ) -> Score {
        self.nodes += 1;
        self.poll(depth);
        if self.stopped {
            return alpha;
        }
        self.pv_table[ply].clear();
        let moves = board.legal_moves();
        if moves == 0 {
            let passed = board.passed();
            if passed.legal_moves() == 0 {
                return board.final_score() * DISC;
            }
            let features = features.passed();
            let score = -self.pvs(passed, &features, depth, (-beta, -alpha), ply + 1);
            self.update_pv(ply, Move::Pass);
            return score;
        }
        if depth == 0 {
            return self.evaluation.evaluate(board, features);
        }
        let n_empties = board.n_empties();
        let depth = depth.min(n_empties);
        let window = (alpha, beta);
        let table_moves = self.table.probe(board).map_or([None; 2], |hit| hit.moves);
        let mut candidates = MoveList::new(board, moves);
        self.rank(board, features, candidates.left_mut(), table_moves, depth);
        let mut best = (-INFINITE, None);
        while let Some(candidate) = candidates.pick() {
            let child = board.after(candidate.square, candidate.flips);
            let after = features.after(candidate.square, candidate.flips);
            let score = self.pvs_child(child, &after, depth, (alpha, beta), ply, best.1.is_none());
            if self.stopped {
                return alpha;
            }
            if score > best.0 {
                best = (score, Some(candidate.square));
                if score > alpha {
                    alpha = score;
                    self.update_pv(ply, Move::Place(candidate.square));
                    if score >= beta {
                        break;
                    }
                }
            }
            if self.may_split_pv(depth, candidates.n_picked()) && candidates.n_left() > 0 {
                let node = Node {
                    board,
                    features: *features,
                    depth,
                    window: (alpha, beta),
                    selectivity: self.selectivity,
                    pv_ply: Some(ply),
                };
                best = self.split_rest(node, &mut candidates, best);
                if self.stopped {
                    return alpha;
                }
                break;
            }
        }
        self.table.store(board, self.draft(depth, n_empties), window, best.0, best.1);
        best.0
    }

    /// The value of a move at a node of the principal variation: the first move with the full window, the others only if the null
    /// window says that they are better.
    pub(super) fn pvs_child(
        &mut self,
        child: Board,
        features: &Features,
        depth: u32,
        (alpha, beta): (Score, Score),
        ply: usize,
        is_first: bool,
    ) -> Score {
        if !is_first {
            self.pv_table[ply + 1].clear();
            let score = -self.nws(child, features, depth - 1, -alpha - 1);
            if score <= alpha || score >= beta || self.stopped {
                return score;
            }
        }
        -self.pvs(child, features, depth - 1, (-beta, -alpha), ply + 1)
    }

    pub(super) fn update_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.pv_table.split_at_mut(ply + 1);
        head[ply].clear();
        head[ply].push(mv);
        head[ply].extend_from_slice(&tail[0]);
    }

    /// Null window search: is the value above `alpha`? Fail-soft: a result above `alpha` is a lower bound, else an upper
    /// bound.
    pub(super) fn nws(
        &mut self,
        board: Board,
        features: &Features,
        mut depth: u32,
        alpha: Score,
    ) -> Score {
        // Step 1. Few empty squares: the endgame solver.
        let n_empties = board.n_empties();
        if depth >= n_empties && n_empties <= endgame::MAX_EMPTIES {
            // A result in whole discs is above alpha exactly if it is above alpha rounded down to whole discs.
            return self.solve(board, n_empties, alpha.div_euclid(DISC)) * DISC;
        }
        // Step 2. Leaves: the evaluation.
        self.nodes += 1;
        if depth == 0 {
            return self.evaluation.compare(board, features, alpha);
        }
        // Step 3. Limits of the search, and the other threads.
        self.poll(depth);
        if self.stopped {
            return alpha;
        }
        // Step 4. Stability cutoff: the opponent keeps its stable discs.
        if let Some(bound) = endgame::stability_cutoff(board, n_empties, alpha.div_euclid(DISC)) {
            return bound * DISC;
        }
        // Step 5. Transposition table.
        let (bounds, table_moves) = self.probe(board, depth, n_empties);
        if bounds.0 > alpha {
            return bounds.0;
        }
        if bounds.1 <= alpha {
            return bounds.1;
        }
        // Step 6. Passes, and the end of the game.
        let moves = board.legal_moves();
        if moves == 0 {
            let passed = board.passed();
            if passed.legal_moves() == 0 {
                return board.final_score() * DISC;
            }
            let features = features.passed();
            return -self.nws(passed, &features, depth, -alpha - 1);
        }
        // Step 7. The leaves' parents, without a move list.
        if depth == 1 {
            return self.best_leaf(board, features, moves, alpha);
        }
        // Step 8. Internal iterative reduction: a node without a table move is searched two plies shallower. If the search comes back,
        // in this iteration or the next, the table has a move and the node gets its full depth.
        if table_moves[0].is_none() && self.reduces_without_table_move(depth, n_empties) {
            depth -= self.parameters().iir_reduction;
        }
        // Step 9. ProbCut.
        if self.selectivity != Selectivity::FULL
            && let Some(score) = self.probcut(board, features, depth, alpha)
        {
            return score;
        }
        // Step 10. Enhanced transposition cutoff.
        let mut candidates = MoveList::new(board, moves);
        if depth >= self.parameters().etc_min_depth
            && let Some(score) = self.enhanced_cutoff(board, &candidates, depth, alpha)
        {
            return score;
        }
        // Step 11. Move ordering. The table's move mostly is good enough: the others are ranked only if it is not.
        let mut is_ranked = !candidates.prefer(table_moves[0]);
        if is_ranked {
            self.rank(board, features, candidates.left_mut(), table_moves, depth);
        }
        // Step 12. The moves, late ones reduced.
        let mut best = (-INFINITE, None);
        while let Some(candidate) = candidates.pick() {
            let child = board.after(candidate.square, candidate.flips);
            self.prefetch(child, depth - 1);
            let after = features.after(candidate.square, candidate.flips);
            let n_before = candidates.n_picked() - 1;
            let score = self.nws_child(child, &after, depth, alpha, n_before);
            if self.stopped {
                return alpha;
            }
            if score > best.0 {
                best = (score, Some(candidate.square));
                if score > alpha {
                    break;
                }
            }
            if !is_ranked {
                self.rank(board, features, candidates.left_mut(), table_moves, depth);
                is_ranked = true;
            }
            // Step 13. Split point: other threads may take the rest.
            if self.may_split(depth) && candidates.n_left() > 0 {
                let (features, selectivity) = (*features, self.selectivity);
                let window = (alpha, alpha + 1);
                let node = Node { board, features, depth, window, selectivity, pv_ply: None };
                best = self.split_rest(node, &mut candidates, best);
                if self.stopped {
                    return alpha;
                }
                break;
            }
        }
        // Step 14. Store.
        self.store(board, (depth, n_empties), alpha, best);
        best.0
    }

    #[inline(always)]
    fn reduces_without_table_move(&self, depth: u32, n_empties: u32) -> bool {
        depth >= self.parameters().iir_min_depth && self.may_reduce(depth, n_empties)
    }

    /// Whether a search to `depth` may use reductions: with bold forward pruning, and not to the end.
    #[inline(always)]
    fn may_reduce(&self, depth: u32, n_empties: u32) -> bool {
        depth < n_empties && self.selectivity <= Selectivity::BOLD
    }

    /// What the tables know of a position: bounds that hold for a search to this depth, and the best moves.
    #[inline(always)]
    fn probe(
        &self,
        board: Board,
        depth: u32,
        n_empties: u32,
    ) -> ((Score, Score), [Option<Square>; 2]) {
        const UNKNOWN: (Score, Score) = (-INFINITE, INFINITE);
        // The leaves' parents are too cheap to be worth a place in a table.
        if depth == 1 {
            (UNKNOWN, [None; 2])
        } else if depth <= SHALLOW_DEPTH {
            self.own.shallow.probe(board).map_or((UNKNOWN, [None; 2]), |known| {
                let bounds =
                    if known.depth >= depth { (known.lower, known.upper) } else { UNKNOWN };
                (bounds, [known.best, None])
            })
        } else {
            self.table.probe(board).map_or((UNKNOWN, [None; 2]), |hit| {
                let bounds = if hit.covers(self.draft(depth, n_empties)) {
                    (hit.lower, hit.upper)
                } else {
                    UNKNOWN
                };
                (bounds, hit.moves)
            })
        }
    }

    /// Keeps what a search with the null window above `alpha` has found: the score and the best move.
    #[inline(always)]
    fn store(
        &mut self,
        board: Board,
        (depth, n_empties): (u32, u32),
        alpha: Score,
        (score, best): (Score, Option<Square>),
    ) {
        if depth <= SHALLOW_DEPTH {
            self.own.shallow.store(board, depth, alpha, score, best);
        } else {
            let draft = self.draft(depth, n_empties);
            self.table.store(board, draft, (alpha, alpha + 1), score, best);
        }
    }

    /// Asks for the memory that a search of a position to this depth will want first.
    #[inline(always)]
    fn prefetch(&self, board: Board, depth: u32) {
        if depth > SHALLOW_DEPTH {
            self.table.prefetch(board);
        } else if depth > 1 {
            self.own.shallow.prefetch(board);
        }
    }

    /// The value of a move at a null-window node after `n_before` others. Late moves are hardly ever better than alpha:
    /// with bold forward pruning they are searched at reduced depth first, and at full depth only if that is above
    /// alpha (late move reductions).
    #[inline(always)]
    pub(super) fn nws_child(
        &mut self,
        child: Board,
        features: &Features,
        depth: u32,
        alpha: Score,
        n_before: usize,
    ) -> Score {
        let n_empties = child.n_empties() + 1;
        let &Parameters { lmr_min_depth, lmr_min_moves, lmr_reduction, .. } = self.parameters();
        if n_before >= lmr_min_moves && depth >= lmr_min_depth && self.may_reduce(depth, n_empties)
        {
            let score = -self.nws(child, features, depth - 1 - lmr_reduction, -alpha - 1);
            if score <= alpha || self.stopped {
                return score;
            }
        }
        -self.nws(child, features, depth - 1, -alpha - 1)
    }

    /// One ply above the leaves: every move's evaluation, without a function call or an ordering. `ordering_leaves` does the same for
    /// ordering searches.
    #[inline(always)]
    fn best_leaf(&mut self, board: Board, features: &Features, moves: u64, alpha: Score) -> Score {
        let n_empties = board.n_empties() as usize;
        let killer = moves & self.killers[n_empties];
        let rest = moves & !killer;
        let mut best = -INFINITE;
        for set in [killer, rest & !BESIDE_CORNERS, rest & BESIDE_CORNERS] {
            for square in Squares(set) {
                let flips = board.flips(square);
                let child = board.after(square, flips);
                self.nodes += 1;
                let features = features.after(square, flips);
                let score = -self.evaluation.compare(child, &features, -alpha);
                if score > best {
                    best = score;
                    if score > alpha {
                        self.killers[n_empties] = square.bit();
                        return best;
                    }
                }
            }
        }
        best
    }

    /// A lower bound above `alpha` from the table's entry of a position after a move, if one is deep enough for a
    /// search of `depth` plies (enhanced transposition cut-off; Plaat et al. 1996).
    #[inline(always)]
    fn enhanced_cutoff(
        &self,
        board: Board,
        candidates: &MoveList,
        depth: u32,
        alpha: Score,
    ) -> Option<Score> {
        let draft = self.draft(depth - 1, board.n_empties() - 1);
        candidates.as_slice().iter().find_map(|candidate| {
            let child = board.after(candidate.square, candidate.flips);
            let hit = self.table.probe(child)?;
            (hit.covers(draft) && -hit.upper > alpha).then_some(-hit.upper)
        })
    }
}

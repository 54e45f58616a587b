//! The windows of an iteration, and the search of the root moves within one.

use std::cmp::Reverse;

use super::Root;
use super::schedule::STEP;
use crate::board::{Move, Square};
use crate::evaluation::Evaluator;
use crate::score::{DISC, INFINITE, Score};
use crate::search::ordering::Candidate;
use crate::search::searcher::Searcher;
use crate::search::searcher::split::Node;
use crate::search::{Bound, Line, Selectivity};

impl<F> Root<F> {
    /// Searches the moves from `first` on with a window around the expected value, widened as often as needed.
    pub(super) fn aspire<E: Evaluator<Features = F>>(
        &mut self,
        searcher: &mut Searcher<'_, E>,
        first: usize,
        depth: u32,
        (floor, ceiling): (Score, Score),
    ) {
        let exact = depth >= self.board.n_empties();
        // Without a value of an earlier iteration there is nothing to aspire to.
        let expected = &self.moves[first].line;
        let is_known = expected.bound == Bound::Exact && expected.depth + STEP >= depth.min(4);
        let center = if exact { (expected.score + DISC) & !(2 * DISC - 1) } else { expected.score };
        let mut below = if exact { DISC } else { 3 * DISC };
        let mut above = below;
        if !is_known {
            (below, above) = (2 * INFINITE, 2 * INFINITE);
        }
        loop {
            let alpha = (center - below).clamp(floor, ceiling - 1);
            let beta = (center + above).clamp(floor + 1, ceiling);
            let score = self.try_window(searcher, first, depth, (alpha, beta));
            if searcher.stopped {
                return;
            }
            if score <= alpha && alpha > floor {
                below = below * 3 + (center - below - score).max(0);
            } else if score >= beta && beta < ceiling {
                above = above * 3 + (score - center - above).max(0);
            } else {
                if score <= alpha {
                    // No move is above the floor: the one with the highest bound gives the bound of all.
                    let bounds = self.moves[first..].iter().enumerate();
                    let highest = bounds.max_by_key(|(index, mv)| (mv.line.score, Reverse(*index)));
                    let highest = highest.map_or(0, |(index, _)| index);
                    self.moves[first..=first + highest].rotate_right(1);
                }
                return;
            }
        }
    }

    /// Principal variation search over the root moves from `first` on; the best comes to `first`.
    fn try_window<E: Evaluator<Features = F>>(
        &mut self,
        searcher: &mut Searcher<'_, E>,
        first: usize,
        depth: u32,
        (alpha, beta): (Score, Score),
    ) -> Score {
        let n_empties = self.board.n_empties();
        let depth = depth.min(n_empties);
        let selectivity = searcher.selectivity;
        let exact = depth == n_empties && selectivity == Selectivity::FULL;
        let target = Target { window: (alpha, beta), depth, selectivity, exact };
        searcher.nodes += 1;
        let mut best = -INFINITE;
        let mut low = alpha;
        for index in first..self.moves.len() {
            let is_first = index == first;
            if searcher.shares_variation(depth, index - first) {
                return self.share_others(searcher, (first, index), target, best);
            }
            let mv = &self.moves[index];
            let score = searcher.pvs_child(mv.child, &mv.features, depth, (low, beta), 0, is_first);
            if searcher.stopped {
                return low;
            }
            best = best.max(score);
            let mv = &mut self.moves[index];
            // The first move's value is wanted even as a bound; of the others only that they are no better.
            if score > low || is_first {
                low = low.max(score);
                mv.line = target.line(mv.square, score, &searcher.variations[1]);
                self.moves[first..=index].rotate_right(1);
                if score >= beta {
                    break;
                }
            } else {
                mv.line = target.refutation(mv.square, score);
            }
        }
        self.store(searcher, first, target, best);
        best
    }

    /// The part of [`Root::try_window`] from a move on, together with other threads; `best` is the best score of those before.
    fn share_others<E: Evaluator<Features = F>>(
        &mut self,
        searcher: &mut Searcher<'_, E>,
        (first, next): (usize, usize),
        target: Target,
        best: Score,
    ) -> Score {
        let (alpha, beta) = target.window;
        let others = &mut self.moves[next..];
        let candidates = others
            .iter()
            .map(|mv| Candidate { square: mv.square, flips: self.board.flips(mv.square), rank: 0 })
            .collect();
        let node = Node {
            board: self.board,
            features: searcher.evaluator.features(self.board),
            depth: target.depth,
            window: (alpha.max(best), beta),
            selectivity: target.selectivity,
            variation_at: Some(0),
        };
        let split = searcher.share(node, candidates, (next - first, best));
        // What was found before a stop counts.
        let mut better = Vec::new();
        for (index, mv) in others.iter_mut().enumerate() {
            let Some(tried) = split.result(index) else { continue };
            mv.line = if tried.score > tried.alpha {
                better.push((tried.score, mv.square));
                target.line(mv.square, tried.score, &tried.variation)
            } else {
                target.refutation(mv.square, tried.score)
            };
        }
        better.sort_by_key(|&(score, _)| score);
        for (_, square) in better {
            let index = self.moves.iter().position(|mv| mv.square == square).unwrap_or(first);
            self.moves[first..=index].rotate_right(1);
        }
        let best = split.best().0;
        if !searcher.stopped {
            self.store(searcher, first, target, best);
        }
        best
    }

    fn store<E: Evaluator<Features = F>>(
        &self,
        searcher: &Searcher<'_, E>,
        first: usize,
        target: Target,
        best: Score,
    ) {
        // Later lines are the best of a part of the moves only, as all are where some are excluded.
        if first == 0 && searcher.shared.limits.exclude == 0 {
            let draft = searcher.draft(target.depth, self.board.n_empties());
            let best_move = Some(self.moves[0].square);
            searcher.table.store(self.board, draft, target.window, best, best_move);
        }
    }
}

/// What the root moves are searched for.
#[derive(Clone, Copy)]
struct Target {
    window: (Score, Score),
    depth: u32,
    selectivity: Selectivity,
    exact: bool,
}

impl Target {
    /// The line of a move that is better than those before, with the moves after it.
    fn line(&self, square: Square, score: Score, variation: &[Move]) -> Line {
        let (alpha, beta) = self.window;
        let bound = if score >= beta {
            Bound::AtLeast
        } else if score <= alpha {
            Bound::AtMost
        } else {
            Bound::Exact
        };
        let mut line = Line { bound, ..self.refutation(square, score) };
        if bound != Bound::AtMost {
            line.pv.extend_from_slice(variation);
        }
        line
    }

    /// The line of a move that is no better than those before.
    fn refutation(&self, square: Square, score: Score) -> Line {
        let Target { depth, selectivity, exact, .. } = *self;
        let mv = Move::Place(square);
        Line { mv, score, bound: Bound::AtMost, depth, selectivity, exact, pv: vec![mv] }
    }
}

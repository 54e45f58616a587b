//! The searches behind the facts of a book.

use anyhow::Context;

use crate::board::Board;
use crate::book::{Leaf, Origin};
use crate::evaluation::Evaluation;
use crate::score::MAX;
use crate::search::{Bound, Limits, Search, Selectivity, Stop, Threads};
use crate::transposition::Table;

/// Confidence in percent of searches that do not prove their results.
pub const CONFIDENCE: u32 = 73;

/// With at most so many empty squares beyond its depth, a search goes to the end; with at most [`PROOF`], without pruning.
const REACH: u32 = 8;
const PROOF: u32 = 2;

/// Searches positions for a book, one after the other, with a table that it keeps.
pub struct Seeker<'a> {
    evaluation: &'a Evaluation,
    table: Table,
    threads: Threads,
    stop: &'a Stop,
}

/// The depth for a position with so many empty squares if `depth` plies are asked for: all searches that do not reach the end of the
/// game stop with the same parity of empty squares, so that their values compare.
pub const fn depth_for(depth: u32, n_empties: u32) -> u32 {
    if n_empties <= depth + REACH {
        n_empties
    } else if n_empties % 2 == depth % 2 || depth < 2 {
        depth
    } else {
        depth - 1
    }
}

/// Whether a search of about `depth` plies would be better than the known fact `leaf` of a board.
pub fn is_shallow(board: Board, leaf: Leaf, depth: u32) -> bool {
    let n_empties = board.n_empties();
    let is_deeper = u32::from(leaf.depth) < depth_for(depth, n_empties);
    !leaf.is_proven(n_empties) && (is_deeper || n_empties <= depth + PROOF)
}

impl<'a> Seeker<'a> {
    pub fn new(
        evaluation: &'a Evaluation,
        hash_megabytes: usize,
        stop: &'a Stop,
    ) -> anyhow::Result<Seeker<'a>> {
        let table = Table::try_new(hash_megabytes)
            .with_context(|| format!("cannot allocate a table of {hash_megabytes} MiB"))?;
        Ok(Seeker { evaluation, table, threads: Threads::new(1), stop })
    }

    /// The best move besides those in `exclude`, by a search of about `depth` plies; `None` if there is none or the search is stopped.
    pub fn fact(&mut self, board: Board, exclude: u64, depth: u32) -> Option<Leaf> {
        self.table.age();
        let n_empties = board.n_empties();
        let limits = Limits {
            exclude,
            depth: depth_for(depth, n_empties).max(1),
            selectivity: Selectivity::from_percent(CONFIDENCE),
            exact_from: depth + PROOF,
            ..Limits::default()
        };
        let search =
            Search { evaluation: self.evaluation, table: &self.table, threads: &self.threads };
        let outcome = search.run(board, &limits, self.stop, &mut |_| {});
        let line = outcome.best().filter(|_| !outcome.interrupted)?;
        debug_assert!(line.bound == Bound::Exact);
        Some(Leaf {
            square: line.mv.square()?,
            score: line.score.clamp(-MAX, MAX) as i16,
            depth: line.depth.min(n_empties) as u8,
            selectivity: line.selectivity,
            origin: Origin::Search,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Evaluation;

    #[test]
    fn a_fact_is_shallow_until_it_is_searched_as_deep() {
        let never = Stop::new();
        let mut seeker = Seeker::new(Evaluation::embedded(), 1, &never).unwrap();
        let mut board = Board::START;
        while board.legal_moves() != 0 {
            for depth in 1..4 {
                let leaf = seeker.fact(board, 0, depth).unwrap();
                assert!(!is_shallow(board, leaf, depth), "{board} {depth}");
                let deeper = depth_for(depth + 2, board.n_empties()) > u32::from(leaf.depth);
                assert!(!deeper || is_shallow(board, leaf, depth + 2), "{board} {depth}");
            }
            let square = board.moves().next().unwrap();
            board = board.after(square, board.flips(square));
        }
    }

    #[test]
    fn depths_end_on_one_parity() {
        for n_empties in 31..60 {
            assert_eq!((n_empties - depth_for(22, n_empties)) % 2, 0);
            assert!((21..=22).contains(&depth_for(22, n_empties)));
        }
        assert_eq!((depth_for(22, 30), depth_for(22, 9)), (30, 9));
        assert_eq!((depth_for(1, 60), depth_for(1, 59)), (1, 1));
    }
}

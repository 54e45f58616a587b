//! What a player must know by heart to play an opening.
//!
//! The number is Umigame's value (<https://umigamep.github.io/BookAdviser/>), which Egaroucid calls the minimum memorization number: where
//! the player is to move it knows one move, the one that needs least; where the opponent is to move it is ready for all that are good
//! enough. Here both sides may lose some discs, and a position that several orders of moves reach counts once.

use std::collections::{HashMap, HashSet};

use super::{After, Book};
use crate::board::Board;
use crate::board::symmetry::canonical;
use crate::score::Score;

/// How much each side may lose with a move against the best one that the book knows, in 1/128 disc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance {
    /// The player who learns.
    pub own: Score,
    /// The opponent.
    pub other: Score,
}

/// The positions in which a player must know the move, from `board` on until the book ends; `is_own` tells whether the
/// player is to move there. The player's moves are those for which a count of each order of moves by itself is least; they stay in the book
/// while that loses no more than it may.
pub fn positions_to_know(
    book: &Book,
    board: Board,
    is_own: bool,
    tolerance: Tolerance,
) -> HashSet<Board> {
    let mut counter = Counter { book, tolerance, counts: HashMap::new() };
    let mut known = HashSet::new();
    let (mut seen, mut open) = (HashSet::new(), vec![(canonical(board), is_own)]);
    while let Some((board, is_own)) = open.pop() {
        if !seen.insert((board, is_own)) {
            continue;
        }
        let Some(next) = counter.next(board, is_own) else { continue };
        if is_own {
            known.insert(board);
            open.extend(
                next.into_iter().min_by_key(|&(board, own)| (counter.count(board, own), board)),
            );
        } else {
            open.extend(next);
        }
    }
    known
}

struct Counter<'a> {
    book: &'a Book,
    tolerance: Tolerance,
    counts: HashMap<(Board, bool), u64>,
}

impl Counter<'_> {
    /// The positions of the book after the moves that lose little, and whether the player is to move there; `None` if the book knows no move.
    fn next(&self, board: Board, is_own: bool) -> Option<HashSet<(Board, bool)>> {
        let moves = self.book.moves(board);
        let best = moves.first()?;
        let most = if is_own { self.tolerance.own } else { self.tolerance.other };
        let is_good = |score: i16| Score::from(best.value.score) - Score::from(score) <= most;
        let good = moves.iter().filter(|mv| !mv.is_leaf && is_good(mv.value.score));
        let next = good.filter_map(|mv| match After::play(board, mv.square) {
            After::Other(after) => Some((after, !is_own)),
            After::Same(after) => Some((after, is_own)),
            After::End(_) => None,
        });
        Some(next.collect())
    }

    /// Positions to know, each as often as orders of moves reach it.
    fn count(&mut self, board: Board, is_own: bool) -> u64 {
        if let Some(&count) = self.counts.get(&(board, is_own)) {
            return count;
        }
        let Some(next) = self.next(board, is_own) else { return 0 };
        let behind = next.into_iter().map(|(board, is_own)| self.count(board, is_own));
        let count = if is_own {
            1 + behind.min().unwrap_or(0)
        } else {
            behind.fold(0, u64::saturating_add)
        };
        self.counts.insert((board, is_own), count);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Entry;
    use crate::book::sections::Sections;
    use crate::book::tests::searched;
    use crate::formats::transcript;
    use crate::score::DISC;

    fn board(moves: &str) -> Board {
        transcript::game(moves).unwrap().position().board
    }

    /// A book of the positions after these moves, each with a best move that leads out and its score in discs.
    fn book(positions: &[(&str, i16)]) -> Book {
        let entry = |&(moves, discs): &(&str, i16)| {
            let board = canonical(board(moves));
            let out = |square: &crate::board::Square| {
                let after = After::play(board, *square).board();
                positions.iter().all(|(moves, _)| after != Some(canonical(self::board(moves))))
            };
            let leaf = board.moves().find(out).map(|out| searched(out, discs * 128, 10, 73));
            Entry { leaf, ..Entry::new(board) }
        };
        Book::of(Sections::new(positions.iter().map(entry)).derived())
    }

    #[test]
    fn the_player_knows_one_move_and_is_ready_for_all_good_ones() {
        // White answers f5 by three moves, of which f4 loses 3 discs. After d6 Black may go on by c3, which needs a position more, or
        // by c5 for a disc less.
        let tree = [
            ("", -20),
            ("f5", -20),
            ("f5d6", -20),
            ("f5f6", -2),
            ("f5f4", 1),
            ("f5d6c3", 2),
            ("f5d6c5", 3),
            ("f5d6c3d3", -2),
            // Black must pass after h6.
            ("f5f6d3g5h5h4f7", -20),
            ("f5f6d3g5h5h4f7h6pa", -2),
        ];
        let book = book(&tree);
        let number = |moves: &str, is_own, own: Score, other: Score| {
            let tolerance = Tolerance { own: own * DISC, other: other * DISC };
            positions_to_know(&book, board(moves), is_own, tolerance).len()
        };
        assert_eq!(number("f5f4d3", true, 9, 9), 0, "nothing is known");
        for (moves, is_own, own, other, expected) in [
            ("f5f6", true, 0, 0, 1),
            ("f5", false, 0, 0, 3),
            ("f5", false, 1, 0, 2),
            ("f5", false, 0, 3, 4),
            ("", true, 0, 0, 4),
            ("", false, 0, 0, 1),
            ("f5f6d3g5h5h4f7", true, 0, 0, 2),
            ("f5f6d3g5h5h4f7", false, 0, 0, 0),
        ] {
            assert_eq!(number(moves, is_own, own, other), expected, "{moves} {own} {other}");
        }
    }
}

//! The entry of a position in a book: its best move, its value, its symmetries and the positions after it.

use crate::board::bitboard::CENTER;
use crate::board::symmetry::{canonical, transform};
use crate::board::{Board, Square};
use crate::score::{DISC, MAX, Score};
use crate::search::Selectivity;

/// Where a fact ([`Leaf`]) comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Another program's book, which does not tell how it searched.
    Import,
    /// A search of this program.
    Search,
    /// A person, who outranks every search.
    Person,
}

impl Origin {
    /// All origins, by their numbers in files.
    pub const ALL: [Origin; 3] = [Origin::Import, Origin::Search, Origin::Person];
}

/// A fact: `square` was the best of the moves that led out of the book when a search or a person found it.
///
/// Once the position after this move is in the book, the score is still an upper bound for the other moves that led out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The move, on the board as it is stored.
    pub square: Square,
    /// Its score in 1/128 disc for the side to move.
    pub score: i16,
    /// Plies searched; the number of empty squares for a search to the end.
    pub depth: u8,
    /// Confidence of the search.
    pub selectivity: Selectivity,
    /// Where it comes from.
    pub origin: Origin,
}

impl Leaf {
    /// Whether the score is the proven result of a game with so many empty squares left.
    pub fn is_proven(self, n_empties: u32) -> bool {
        u32::from(self.depth) >= n_empties && self.selectivity == Selectivity::FULL
    }

    /// The value of the move: exact if proven, else with bounds at twice the standard error, as in Edax: 2 discs, or 1 at the end.
    pub fn value(self, n_empties: u32) -> Value {
        let error = if self.is_proven(n_empties) {
            0
        } else if u32::from(self.depth) >= n_empties {
            DISC
        } else {
            2 * DISC
        };
        let score = Score::from(self.score);
        Value {
            score: self.score,
            lower: whole((score - error).div_euclid(DISC)),
            upper: whole(-(-score - error).div_euclid(DISC)),
        }
    }

    /// Whether to keep this fact rather than `other`, given the moves that stay in the book (`links`). The criteria in order:
    /// a move that still leads out; the more reliable search; the lower score, which is that of the search with more moves
    /// excluded; the lower square. The order is total, so facts can be merged in any order and repeatedly.
    pub fn is_better(self, other: Leaf, links: u64, n_empties: u32) -> bool {
        let rank = |leaf: Leaf| {
            let leads_out = leaf.square.bit() & links == 0;
            let merit = (leads_out, leaf.origin == Origin::Person, leaf.is_proven(n_empties));
            let search = (leaf.depth, leaf.selectivity, leaf.origin);
            (merit, search, -Score::from(leaf.score), 63 - leaf.square.index())
        };
        rank(self) > rank(other)
    }
}

/// The value of a position or a move, derived from facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Best score in 1/128 disc for the side to move.
    pub score: i16,
    /// The true value is most likely this or more, in discs; certainly if `lower` and `upper` are the same.
    pub lower: i8,
    /// The true value is most likely this or less, in discs.
    pub upper: i8,
}

impl Value {
    /// The result of a finished game in discs.
    pub const fn result(discs: i32) -> Value {
        let discs = whole(discs);
        Value { score: discs as i16 * DISC as i16, lower: discs, upper: discs }
    }

    /// Whether it is certain enough to choose a move by: both bounds are within 4 discs of the score, a disc more than after
    /// any search. Bounds are wider where moves were never searched, or only together with better ones.
    pub const fn is_settled(self) -> bool {
        let (score, room) = (self.score as Score, 4 * DISC);
        score - self.lower as Score * DISC <= room && self.upper as Score * DISC - score <= room
    }

    /// Whether it is proven.
    pub const fn is_proven(self) -> bool {
        self.lower == self.upper
    }

    /// The same seen by the other side.
    #[must_use]
    pub const fn of_other_side(self) -> Value {
        Value { score: -self.score, lower: -self.upper, upper: -self.lower }
    }

    /// The value of having the choice between this and another one.
    #[must_use]
    pub fn or(self, other: Value) -> Value {
        Value {
            score: self.score.max(other.score),
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
        }
    }
}

const fn whole(discs: i32) -> i8 {
    if discs > 64 {
        64
    } else if discs < -64 {
        -64
    } else {
        discs as i8
    }
}

/// A position of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position as the least of its eight images; the side to move has a move.
    pub board: Board,
    /// The best move out of the book, if it is known.
    pub leaf: Option<Leaf>,
    /// Games through the position that the side to move won, drew and lost.
    pub games: [u32; 3],
    /// Derived: the value; `None` as long as nobody has searched the moves that lead out of the book.
    pub value: Option<Value>,
    /// Derived: number of ways out of the book from here.
    pub lines: u32,
}

impl Entry {
    /// A position of which nothing is known yet, in any orientation.
    pub fn new(board: Board) -> Entry {
        Entry { board: canonical(board), leaf: None, games: [0; 3], value: None, lines: 0 }
    }

    /// The value, if it is settled (see [`Value::is_settled`]).
    pub fn settled(&self) -> Option<Value> {
        self.value.filter(|value| value.is_settled())
    }

    /// Whether it is valid: a possible board in its least image, a legal move, a legal leaf, scores in range.
    pub fn is_sound(&self) -> bool {
        let Board { player, opponent } = self.board;
        let is_position = player & opponent == 0
            && self.board.empties() & CENTER == 0
            && canonical(self.board) == self.board
            && self.board.legal_moves() != 0;
        let in_range = |score: i16| Score::from(score).abs() <= MAX;
        let is_leaf = self.leaf.is_none_or(|leaf| {
            is_position
                && self.board.legal_moves() & leaf.square.bit() != 0
                && in_range(leaf.score)
                && leaf.depth <= 60
        });
        let is_value = self.value.is_none_or(|value| {
            in_range(value.score) && value.lower <= value.upper && value.lower >= -64
        });
        is_position && is_leaf && is_value
    }
}

/// Number of discs. Books sort their positions by it, because it only grows in a game.
pub const fn n_discs(board: Board) -> u32 {
    64 - board.n_empties()
}

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// To the end of the game, with this result in discs for the mover.
    End(i32),
    /// To a position with the other side to move, as the least of its images.
    Other(Board),
    /// To a position with the same side to move, because the other one must pass; as the least of its images.
    Same(Board),
}

impl After {
    /// Where a legal move leads.
    pub fn play(board: Board, square: Square) -> After {
        let after = board.after(square, board.flips(square));
        if after.legal_moves() != 0 {
            After::Other(canonical(after))
        } else if after.passed().legal_moves() != 0 {
            After::Same(canonical(after.passed()))
        } else {
            After::End(-after.final_score())
        }
    }

    /// The position; `None` at the end of the game.
    pub const fn board(self) -> Option<Board> {
        match self {
            After::Other(board) | After::Same(board) => Some(board),
            After::End(_) => None,
        }
    }

    /// The value for the mover; `of` returns the value of the position after the move.
    pub fn value(self, of: impl FnOnce(Board) -> Option<Value>) -> Option<Value> {
        match self {
            After::End(discs) => Some(Value::result(discs)),
            After::Other(board) => of(board).map(Value::of_other_side),
            After::Same(board) => of(board),
        }
    }
}

/// The symmetry that turns a board into the least of its images.
pub fn orientation(board: Board) -> usize {
    let least = canonical(board);
    let turns_to_least = |&k: &usize| crate::board::symmetry::transform_board(board, k) == least;
    (0..8).find(turns_to_least).unwrap_or(0)
}

/// A square under symmetry `k`.
pub fn turned(square: Square, k: usize) -> Square {
    Square::lowest(transform(square.bit(), k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::tests::searched;

    #[test]
    fn values_have_room_for_errors() {
        let square = Square::at(3, 2).unwrap();
        let leaf = |score, depth, percent| searched(square, score, depth, percent);
        let bounds = |leaf: Leaf, n_empties| {
            let value = leaf.value(n_empties);
            (value.lower, value.upper, value.is_proven())
        };
        assert_eq!(bounds(leaf(256, 20, 100), 20), (2, 2, true));
        assert_eq!(bounds(leaf(256, 20, 73), 20), (1, 3, false));
        assert_eq!(bounds(leaf(257, 19, 100), 20), (0, 5, false));
        assert_eq!(bounds(leaf(-257, 19, 100), 20), (-5, 0, false));
        assert_eq!(bounds(leaf(8192, 19, 100), 20), (62, 64, false));
        let (a, b) = (Value::result(3), Value { score: 500, lower: -1, upper: 7 });
        assert_eq!(a.or(b), Value { score: 500, lower: 3, upper: 7 });
        assert_eq!(b.of_other_side(), Value { score: -500, lower: -7, upper: 1 });
    }

    #[test]
    fn moves_lead_to_positions_passes_and_ends() {
        let start = Board::START;
        let children: Vec<After> = start.moves().map(|square| After::play(start, square)).collect();
        assert_eq!(children.len(), 4);
        assert!(children.iter().all(|after| *after == children[0]));
        // Black takes the last white disc.
        let board = Board { player: 1, opponent: 2 };
        let end = After::play(board, Square::at(2, 0).unwrap());
        assert_eq!((end, end.value(|_| None)), (After::End(64), Some(Value::result(64))));
        // After a1 c1 white has no move, and black still has one.
        let board = Board { player: 0b1, opponent: 0b10 | 1 << 40 | 1 << 48 };
        let after = After::play(board, Square::at(2, 0).unwrap());
        assert!(matches!(after, After::Same(_) | After::End(_)));
    }

    #[test]
    fn the_better_fact_is_the_same_in_any_order() {
        let leaf = |square: &str, score, depth| {
            searched(Square::parse(square.as_bytes()).unwrap(), score, depth, 73)
        };
        let (deep, shallow) = (leaf("d3", 10, 12), leaf("d3", -50, 10));
        assert!(deep.is_better(shallow, 0, 60) && !shallow.is_better(deep, 0, 60));
        let other = leaf("c4", 90, 4);
        assert!(other.is_better(deep, deep.square.bit(), 60));
        assert!(leaf("c4", 9, 12).is_better(deep, 0, 60));
        assert!(!deep.is_better(deep, 0, 60));
        let person = Leaf { origin: Origin::Person, depth: 0, ..shallow };
        assert!(person.is_better(deep, 0, 60));
    }
}

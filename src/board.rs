//! The rules of Othello on bitboards, seen from the side to move.
//!
//! Knows nothing of players, clocks or the history of a game: a [`Board`] is two sets of discs, a [`Position`] adds the color
//! of the side to move.

pub mod bitboard;
pub mod flip;
pub mod hash;
pub mod last_flip;
pub mod mobility;
pub mod parse;
pub mod perft;
pub mod square;
pub mod stability;
pub mod symmetry;

#[cfg(test)]
pub(crate) mod tests;

use bitboard::Squares;
pub use square::{Color, Move, Square};

/// The discs of the side to move and of its opponent; the two sets never overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
}

impl Board {
    /// The standard start: White on d4 and e5, Black, who is to move, on d5 and e4.
    pub const START: Board =
        Board { player: 0x0000_0008_1000_0000, opponent: 0x0000_0010_0800_0000 };

    /// Squares on which the side to move may place a disc.
    #[inline(always)]
    pub fn legal_moves(self) -> u64 {
        mobility::legal_moves(self.player, self.opponent)
    }

    /// Discs turned by a disc on the empty `square`; 0 if that is illegal.
    #[inline(always)]
    pub fn flips(self, square: Square) -> u64 {
        flip::flips(square, self.player, self.opponent)
    }

    /// The board after placing a disc on `square` and turning `flips`, seen from the other side.
    #[inline(always)]
    #[must_use]
    pub fn after(self, square: Square, flips: u64) -> Board {
        debug_assert!((self.player | self.opponent) & square.bit() == 0);
        Board { player: self.opponent ^ flips, opponent: self.player ^ (flips | square.bit()) }
    }

    /// The board after a move, or `None` if the move is illegal; a pass is legal only for a side without a move.
    pub fn play(self, mv: Move) -> Option<Board> {
        match mv {
            Move::Pass => (self.legal_moves() == 0).then(|| self.passed()),
            Move::Place(square) => {
                if (self.player | self.opponent) & square.bit() != 0 {
                    return None;
                }
                let flips = self.flips(square);
                (flips != 0).then(|| self.after(square, flips))
            }
        }
    }

    /// The same discs with the other side to move.
    #[inline(always)]
    #[must_use]
    pub const fn passed(self) -> Board {
        Board { player: self.opponent, opponent: self.player }
    }

    /// The set of empty squares.
    #[inline(always)]
    pub const fn empties(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// Number of empty squares, 0 to 64.
    #[inline(always)]
    pub const fn n_empties(self) -> u32 {
        self.empties().count_ones()
    }

    /// Whether neither side can move.
    pub fn is_over(self) -> bool {
        self.legal_moves() == 0 && self.passed().legal_moves() == 0
    }

    /// Legal squares in ascending order.
    pub fn moves(self) -> Squares {
        Squares(self.legal_moves())
    }

    /// Discs of the side to move less the opponent's, -64 to 64, empty squares counted for neither.
    pub const fn disc_difference(self) -> i32 {
        self.player.count_ones() as i32 - self.opponent.count_ones() as i32
    }

    /// The result of a finished game in discs for the side to move, empty squares counted for the winner.
    #[inline(always)]
    pub const fn final_score(self) -> i32 {
        let difference = self.disc_difference();
        let n_empties = self.n_empties() as i32;
        if difference > 0 {
            difference + n_empties
        } else if difference < 0 {
            difference - n_empties
        } else {
            0
        }
    }
}

/// A board together with the color of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The discs, seen from the side to move.
    pub board: Board,
    /// The side to move.
    pub side: Color,
}

impl Position {
    /// The standard start position, Black to move.
    pub const START: Position = Position { board: Board::START, side: Color::Black };

    /// A position from absolute sets of discs, which must not overlap.
    pub const fn new(black: u64, white: u64, side: Color) -> Position {
        debug_assert!(black & white == 0);
        let board = match side {
            Color::Black => Board { player: black, opponent: white },
            Color::White => Board { player: white, opponent: black },
        };
        Position { board, side }
    }

    /// The discs of one color.
    pub const fn discs(self, color: Color) -> u64 {
        match (color, self.side) {
            (Color::Black, Color::Black) | (Color::White, Color::White) => self.board.player,
            _ => self.board.opponent,
        }
    }

    /// The same discs with `side` to move.
    #[must_use]
    pub const fn with_side(self, side: Color) -> Position {
        Position::new(self.discs(Color::Black), self.discs(Color::White), side)
    }

    /// The position after a move, or `None` if the move is illegal.
    pub fn play(self, mv: Move) -> Option<Position> {
        Some(Position { board: self.board.play(mv)?, side: self.side.opposite() })
    }

    /// The result of a finished game in discs for Black, empty squares counted for the winner.
    pub fn final_score_for_black(self) -> i32 {
        self.board.final_score() * self.side.sign()
    }
}

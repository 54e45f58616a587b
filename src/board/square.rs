//! Squares, colors and moves: the vocabulary of every other module.

use std::fmt;

/// One of the 64 squares; index 0 is a1 (top left), 7 is h1, 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square of an index from 0 to 63, else `None`.
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The square of the lowest set bit of `bits`, which must not be zero.
    #[inline(always)]
    pub const fn lowest(bits: u64) -> Square {
        debug_assert!(bits != 0);
        Square(bits.trailing_zeros() as u8)
    }

    /// The square in a column and row, both from 0 to 7, else `None`.
    pub const fn at(column: u8, row: u8) -> Option<Square> {
        if column < 8 && row < 8 { Some(Square(row * 8 + column)) } else { None }
    }

    /// Index from 0 to 63.
    #[inline(always)]
    pub const fn index(self) -> usize {
        // The mask tells the compiler what the constructors guarantee, so that tables of 64 need no check.
        (self.0 & 63) as usize
    }

    /// The bit of this square in a bitboard.
    #[inline(always)]
    pub const fn bit(self) -> u64 {
        1 << self.index()
    }

    /// Column from 0 (a) to 7 (h).
    pub const fn column(self) -> u8 {
        self.0 & 7
    }

    /// Row from 0 (row 1, the top) to 7.
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }

    /// Reads `f5` or `F5`; anything else, also surplus characters, is `None`.
    pub fn parse(text: &[u8]) -> Option<Square> {
        let &[column, row] = text else { return None };
        let column = column.to_ascii_lowercase().checked_sub(b'a')?;
        Square::at(column, row.checked_sub(b'1')?)
    }

    /// All squares from a1 to h8.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..64).map(Square)
    }
}

/// Lower case, as in `f5`; the alternate form `{:#}` gives `F5`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = if f.alternate() { b'A' } else { b'a' };
        write!(f, "{}{}", char::from(first + self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The owner of a disc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// Moves first in the standard start position.
    Black,
    /// The other side.
    White,
}

impl Color {
    /// The other color.
    #[must_use]
    pub const fn opposite(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// `black` or `white`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Black => "black",
            Color::White => "white",
        }
    }

    /// 0 for Black, 1 for White: an index for arrays of two.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Turns a value for this color into one for Black, and back.
    pub fn sign(self) -> i32 {
        match self {
            Color::Black => 1,
            Color::White => -1,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a side does when it is on turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// Places a disc.
    Place(Square),
    /// Has no legal square.
    Pass,
}

impl Move {
    /// The square, or `None` for a pass.
    pub const fn square(self) -> Option<Square> {
        match self {
            Move::Place(square) => Some(square),
            Move::Pass => None,
        }
    }

    /// How programs and people spell a pass, in any case.
    pub const PASSES: [&str; 14] = [
        "pa", "ps", "p", "pp", "pass", "passe", "passed", "passes", "skip", "--", "---", "@@",
        "@@@@", "パス",
    ];

    /// Reads a square or one of [`Move::PASSES`].
    pub fn parse(text: &[u8]) -> Option<Move> {
        if Move::PASSES.iter().any(|pass| text.eq_ignore_ascii_case(pass.as_bytes())) {
            return Some(Move::Pass);
        }
        Square::parse(text).map(Move::Place)
    }
}

/// Lower case, as in `f5` or `pa`; the alternate form `{:#}` gives `F5` and `PA`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Place(square) => fmt::Display::fmt(square, f),
            Move::Pass => f.write_str(if f.alternate() { "PA" } else { "pa" }),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

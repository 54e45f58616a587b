//! Positions as text: 64 cells row by row from a1, then the side to move.

use std::fmt;

use super::square::Color;
use super::{Board, Position};

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// There are not exactly 64 cells; the number found.
    #[error("a board has 64 cells, found {0}")]
    CellCount(usize),
    /// A character that is neither a cell nor a blank.
    #[error("'{}' is not a cell", .0.escape_default())]
    Cell(char),
    /// The side to move is missing or not one of `X * B O W`.
    #[error("the side to move is missing (X or O)")]
    Side,
}

/// A cell: `Some(Some(color))` for a disc, `Some(None)` for an empty square, `None` for anything else.
pub const fn cell(byte: u8) -> Option<Option<Color>> {
    match byte {
        b'X' | b'x' | b'*' | b'B' | b'b' => Some(Some(Color::Black)),
        b'O' | b'o' | b'0' | b'W' | b'w' => Some(Some(Color::White)),
        b'-' | b'.' | b'_' => Some(None),
        _ => None,
    }
}

impl Position {
    /// Reads 64 cells (`X x * B` Black, `O o 0 W` White, `- . _` empty; blanks between them are ignored) and the side to move
    /// in the same letters.
    ///
    /// # Errors
    /// If there are not 64 cells followed by exactly one side, or something else stands in the text.
    pub fn parse(text: &[u8]) -> Result<Position, ParseError> {
        let mut discs = [0u64; 2];
        let mut side = None;
        let mut n_cells = 0;
        for &byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
            let content = cell(byte).ok_or(ParseError::Cell(char::from(byte)))?;
            if n_cells < 64 {
                if let Some(color) = content {
                    discs[color.index()] |= 1 << n_cells;
                }
            } else if n_cells == 64 {
                side = content;
                if side.is_none() {
                    return Err(ParseError::Side);
                }
            }
            n_cells += 1;
        }
        match (n_cells, side) {
            (65, Some(side)) => Ok(Position::new(discs[0], discs[1], side)),
            (64, _) => Err(ParseError::Side),
            _ => Err(ParseError::CellCount(n_cells)),
        }
    }

    /// The character of a square: `X` Black, `O` White, `-` empty.
    pub fn cell(self, index: usize) -> char {
        let bit = 1 << index;
        if self.discs(Color::Black) & bit != 0 {
            'X'
        } else if self.discs(Color::White) & bit != 0 {
            'O'
        } else {
            '-'
        }
    }

    /// The 64 cells without the side to move.
    pub fn cells(self) -> String {
        (0..64).map(|index| self.cell(index)).collect()
    }
}

/// 64 cells, a blank and the side to move, as [`Position::parse`] reads them.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Color::Black => 'X',
            Color::White => 'O',
        };
        write!(f, "{} {side}", self.cells())
    }
}

/// As [`Position`]'s, with the side to move taken for Black.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Position { board: *self, side: Color::Black }, f)
    }
}

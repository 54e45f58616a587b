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
    /// A number stands where the side to move is expected: programs disagree on which side it is, or mean a score.
    #[error("'{0}' is no side to move: expected X, B or * for Black, O or W for White")]
    Number(String),
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

/// The number alone with which a text begins: one of a move has a mark or the move behind it.
fn lone_number(text: &[u8]) -> Option<ParseError> {
    let text = text.strip_prefix(b",").unwrap_or(text).trim_ascii_start();
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b']');
    let word = &text[..text.iter().position(is_end).unwrap_or(text.len())];
    let is_number = word.last()?.is_ascii_digit()
        && word.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'));
    is_number.then(|| ParseError::Number(String::from_utf8_lossy(word).into()))
}

/// Whether the last symbol stands alone, as the side to move does.
fn ends_apart(text: &[u8]) -> bool {
    matches!(text.trim_ascii_end(), [.., blank, _] if blank.is_ascii_whitespace())
}

impl Position {
    /// Reads 64 cells (`X x * B` Black, `O o 0 W` White, `- . _` empty; blanks between them are ignored) and the side to move
    /// in the same letters but `0`, and nothing else.
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
                side = content.filter(|_| byte != b'0');
                if side.is_none() {
                    return Err(ParseError::Side);
                }
            }
            n_cells += 1;
        }
        match (n_cells, side) {
            (65, Some(side)) => Ok(Position::new(discs[0], discs[1], side)),
            (64, _) if !ends_apart(text) => Err(ParseError::Side),
            (64, _) => Err(ParseError::CellCount(63)),
            _ => Err(ParseError::CellCount(n_cells)),
        }
    }

    /// Reads a position at the start of a text as people and servers print it, and returns what follows. Besides the form of
    /// [`Position::parse`] there may be brackets and the size of the board, as in GGF and on GGS (`[8 -------- ... *]`), and the side may
    /// be a word, but no number. Without a side Black is to move; then blanks may only separate rows, so that no side is taken for a missing cell.
    pub fn parse_prefix(text: &[u8]) -> Result<(Position, &[u8]), ParseError> {
        let (discs, side, rest) = parts(text)?;
        Ok((Position::new(discs[0], discs[1], side.unwrap_or(Color::Black)), rest))
    }

    /// Whether a text that is a position says who is to move.
    pub fn names_side(text: &[u8]) -> bool {
        parts(text).is_ok_and(|(_, side, _)| side.is_some())
    }

    /// Reads a text that is a position as [`Position::parse_prefix`] reads it, and no more.
    pub fn parse_any(text: &[u8]) -> Result<Position, ParseError> {
        let (position, rest) = Position::parse_prefix(text)?;
        match rest.trim_ascii() {
            [] => Ok(position),
            [byte, ..] if cell(*byte).is_none() => Err(ParseError::Cell(char::from(*byte))),
            rest => Err(ParseError::CellCount(
                64 + rest.iter().take_while(|byte| cell(**byte).is_some()).count(),
            )),
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

/// The discs of Black and White, the side to move if there is one, and what follows.
type Parts<'a> = ([u64; 2], Option<Color>, &'a [u8]);

fn parts(text: &[u8]) -> Result<Parts<'_>, ParseError> {
    let opened = text.trim_ascii_start();
    let mut rest = opened.strip_prefix(b"[").unwrap_or(opened).trim_ascii_start();
    if let Some(after) = rest.strip_prefix(b"8")
        && after.first().is_some_and(u8::is_ascii_whitespace)
    {
        rest = after;
    }
    let mut discs = [0u64; 2];
    let mut n_cells = 0;
    let mut has_even_rows = true;
    while n_cells < 64 {
        let cells = rest.trim_ascii_start();
        has_even_rows &= cells.len() == rest.len() || n_cells % 8 == 0;
        let (&byte, after) = cells.split_first().ok_or(ParseError::CellCount(n_cells))?;
        let content = cell(byte).ok_or(ParseError::Cell(char::from(byte)))?;
        if let Some(color) = content {
            discs[color.index()] |= 1 << n_cells;
        }
        n_cells += 1;
        rest = after;
    }
    let word = rest.trim_ascii_start();
    if let Some(error) = lone_number(word) {
        return Err(error);
    }
    let (side, length) = match word {
        // The `b` of a move.
        [_, b'1'..=b'8', ..] => (None, 0),
        _ if word.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"black")) => {
            (Some(Color::Black), 5)
        }
        _ if word.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"white")) => {
            (Some(Color::White), 5)
        }
        [byte, ..] => (cell(*byte).flatten(), 1),
        [] => (None, 0),
    };
    let rest = if side.is_some() { &word[length..] } else { rest };
    if side.is_none() && !has_even_rows {
        let is_short = word.is_empty() && ends_apart(text);
        return Err(if is_short { ParseError::CellCount(63) } else { ParseError::Side });
    }
    let closing = rest.trim_ascii_start();
    let rest = closing.strip_prefix(b"]").unwrap_or(rest);
    Ok((discs, side, rest))
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

//! Move lists such as `f5d6c3`, with or without the position they start from, as people and programs write them.

mod games;
mod passage;
mod pgn;
mod scan;
#[cfg(test)]
mod tests;

pub use games::Games;

use super::{Headers, Item, Record, ReplayError, excerpt};
use crate::board::Position;
use crate::board::parse::{ParseError, cell};
use crate::game::Game;

/// Why a text is not a transcript.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranscriptError {
    /// The text before the moves is not a position.
    #[error("bad position: {0}")]
    Position(#[source] ParseError),
    /// The tag of PGN for the start is no position; its value.
    #[error("no position in [FEN \"{0}\"]")]
    Fen(String),
    /// The text starting at the first invalid move.
    #[error("no move at '{0}'")]
    Move(String),
    /// A line is too long; its length in bytes.
    #[error("a game of {0} bytes is too long")]
    Long(usize),
}

/// Why a text is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// It is no text of moves.
    #[error(transparent)]
    Text(#[from] TranscriptError),
    /// A move is illegal.
    #[error(transparent)]
    Move(#[from] ReplayError),
}

/// Reads a text of moves and nothing else, in the spellings of `scan`. A position, as [`Position::parse_prefix`] reads it, may precede;
/// without one the game has the standard start. Passes may be left out. Illegal moves are not detected here, but by [`Record::replay`].
pub fn read(text: &[u8]) -> Result<Record, TranscriptError> {
    let text = str::from_utf8(text).map_err(|_| TranscriptError::Move(excerpt(text)))?;
    let found = scan::scan(passage::Text::new(text).whole())?;
    if let Some(remark) = found.remark {
        return Err(TranscriptError::Move(remark));
    }
    // Signs beside moves, without any.
    if found.moves.is_empty() && found.start.is_none() && !text.trim().is_empty() {
        return Err(TranscriptError::Move(excerpt(text.as_bytes())));
    }
    let items = found.moves.into_iter().map(Item::of).collect();
    let start = found.start.unwrap_or(Position::START);
    Ok(Record { start, items, headers: Headers::default() })
}

/// Reads and plays a game, as [`read`] and [`Record::replay`] do.
pub fn game(text: &str) -> Result<Game, GameError> {
    Ok(read(text.as_bytes())?.replay()?)
}

/// Whether a line holds moves, among whatever else.
pub fn has_moves(line: &[u8]) -> bool {
    let found = scan::scan(passage::Text::new(&String::from_utf8_lossy(line)).whole());
    found
        .map_or_else(|error| matches!(error, TranscriptError::Move(_)), |found| found.has_squares())
}

/// The position at the start of a text, if there is one, and the rest of the text.
fn split_position(text: &str) -> Result<(Option<Position>, &str), TranscriptError> {
    // Among moves no more than a few cell characters follow each other: `b` of a square, the dashes of passes.
    const MIN_CELLS: usize = 16;
    // The side, and the `b` of a move.
    const MAX_CELLS: usize = 66;
    let opened = text.trim_start();
    let opened = opened.strip_prefix('[').unwrap_or(opened).trim_start();
    let cells = opened.strip_prefix("8 ").unwrap_or(opened);
    let cells = cells.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let cells = cells.take_while(|&byte| cell(byte).is_some()).take(MAX_CELLS + 1);
    let mut cells = cells.collect::<Vec<u8>>();
    let n_cells = cells.len();
    cells.dedup();
    // A board may be full of one color.
    let is_ruler = match cells[..] {
        [byte] => cell(byte) == Some(None) || !matches!(n_cells, 64 | 65),
        _ => false,
    };
    if n_cells < MIN_CELLS || is_ruler {
        return Ok((None, text));
    }
    if n_cells > MAX_CELLS {
        return Err(TranscriptError::Position(ParseError::CellCount(n_cells)));
    }
    let (position, rest) =
        Position::parse_prefix(text.as_bytes()).map_err(TranscriptError::Position)?;
    Ok((Some(position), &text[text.len() - rest.len()..]))
}

/// Writes the moves in lower case without passes or blanks, after the start position unless it is the standard one. A last pass is lost.
pub fn write(game: &Game) -> String {
    let moves = game.plies().iter().filter_map(|ply| ply.mv.square());
    let moves: String = moves.map(|square| square.to_string()).collect();
    if game.start() == Position::START {
        moves
    } else {
        format!("{} {moves}", game.start()).trim_end().into()
    }
}

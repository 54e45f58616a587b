//! Plain move lists such as `f5d6c3`, with or without the position they start from.

#[cfg(test)]
mod tests;

use super::{Headers, Item, Record, excerpt};
use crate::board::parse::{ParseError, cell};
use crate::board::{Move, Position};
use crate::game::{Game, Note};

/// Why a text is not a transcript.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranscriptError {
    /// The text before the moves is not a position.
    #[error("bad position: {0}")]
    Position(#[source] ParseError),
    /// The text starting at the first invalid move.
    #[error("no move at '{0}'")]
    Move(String),
}

/// Reads moves in any case; blanks and commas between them do not count. Passes may be left out or written `pa`, `ps`,
/// `--`, `@@` or `pass`. A position (64 cells and the side to move, as [`Position::parse`] reads it) may precede;
/// without one the game has the standard start.
///
/// # Errors
/// If there is anything else. Illegal moves are not detected here, but by [`Record::replay`].
pub fn read(text: &[u8]) -> Result<Record, TranscriptError> {
    let (start, mut rest) = split_position(text)?;
    let mut items = Vec::new();
    loop {
        let is_filler = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b',';
        rest = &rest[rest.iter().take_while(is_filler).count()..];
        if rest.is_empty() {
            return Ok(Record { start, items, headers: Headers::default() });
        }
        // `pass` also begins with `pa`.
        let found = [4, 2].into_iter().find_map(|length| {
            let (word, after) = rest.split_at_checked(length)?;
            Some((Move::parse(word)?, after))
        });
        let (mv, after) = found.ok_or_else(|| TranscriptError::Move(excerpt(rest)))?;
        items.push(Item { color: None, mv, note: Note::default() });
        rest = after;
    }
}

/// The position at the start of a text, or the standard one, and the rest of the text.
fn split_position(text: &[u8]) -> Result<(Position, &[u8]), TranscriptError> {
    // Among moves no more than a few cell characters follow each other: `b` of a square, the dashes of two passes.
    const MIN_CELLS: usize = 8;
    let mut n_cells = 0;
    let mut end = 0;
    for (at, &byte) in text.iter().enumerate() {
        if cell(byte).is_some() {
            n_cells += 1;
            end = at + 1;
        } else if !byte.is_ascii_whitespace() {
            break;
        }
        // 64 cells and the side; what follows may be the `b` of a move.
        if n_cells == 65 {
            break;
        }
    }
    if n_cells < MIN_CELLS {
        return Ok((Position::START, text));
    }
    let (position, rest) = text.split_at(end);
    Ok((Position::parse(position).map_err(TranscriptError::Position)?, rest))
}

/// Writes the moves in lower case without passes or blanks, after the start position and a blank if it is not the
/// standard one. A pass at the end of the game is lost.
pub fn write(game: &Game) -> String {
    let moves = game.plies().iter().filter_map(|ply| ply.mv.square());
    let moves: String = moves.map(|square| square.to_string()).collect();
    if game.start() == Position::START {
        moves
    } else {
        format!("{} {moves}", game.start()).trim_end().into()
    }
}

//! Games that others have played, whose positions self-play begins from.

use std::path::Path;

use anyhow::{Context, ensure};

use crate::board::{Board, Square};
use crate::formats::{ggf, transcript, wthor};
use crate::game::Game;

/// The moves of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    start: Board,
    /// Without passes, which follow from the rules.
    squares: Vec<Square>,
}

impl Line {
    fn new(game: &Game) -> Line {
        let squares = game.plies().iter().filter_map(|ply| ply.mv.square()).collect();
        Line { start: game.start().board, squares }
    }

    /// The position with so many discs beyond the first four, with a legal move for the side to move; `None` if the game has
    /// no such position.
    pub fn position(&self, n_discs: u32) -> Option<Board> {
        let mut board = self.start;
        for &square in &self.squares {
            if board.n_empties() + n_discs <= 60 {
                break;
            }
            board = with_move(board)?;
            board = board.after(square, board.flips(square));
        }
        if board.n_empties() + n_discs == 60 { with_move(board) } else { None }
    }
}

/// The board for the side that is to move, after a pass if there must be one; `None` if the game is over.
pub fn with_move(board: Board) -> Option<Board> {
    [board, board.passed()].into_iter().find(|board| board.legal_moves() != 0)
}

/// Reads the games of a file: WTHOR (`.wtb`; games with illegal moves are passed over), GGF (`.ggf`), or else a transcript a
/// line (blank lines and lines beginning `#` are passed over).
///
/// # Errors
/// With the line or game that is no legal game, or if there is none.
pub fn read(path: &Path) -> anyhow::Result<Vec<Line>> {
    let context = || format!("games file {}", path.display());
    let bytes = std::fs::read(path).with_context(context)?;
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    let lines = match extension.as_deref().and_then(|extension| extension.to_str()) {
        Some("wtb") => from_wthor(&bytes),
        Some("ggf") => from_ggf(&bytes),
        _ => from_transcripts(&bytes),
    };
    let lines = lines.with_context(context)?;
    ensure!(!lines.is_empty(), "{}: no games in it", context());
    Ok(lines)
}

fn from_wthor(bytes: &[u8]) -> anyhow::Result<Vec<Line>> {
    Ok(wthor::games(bytes)?.filter_map(|game| game.replay()).map(|game| Line::new(&game)).collect())
}

fn from_ggf(bytes: &[u8]) -> anyhow::Result<Vec<Line>> {
    let read = |(index, record)| {
        let game = || -> anyhow::Result<Game> { Ok(ggf::read(record)?.replay()?) };
        Ok(Line::new(&game().with_context(|| format!("game {}", index + 1))?))
    };
    ggf::games(bytes).enumerate().map(read).collect()
}

fn from_transcripts(bytes: &[u8]) -> anyhow::Result<Vec<Line>> {
    let texts = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).enumerate();
    let texts = texts.filter(|(_, text)| !text.is_empty() && !text.starts_with(b"#"));
    let read = |(index, text)| {
        let game = || -> anyhow::Result<Game> { Ok(transcript::read(text)?.replay()?) };
        Ok(Line::new(&game().with_context(|| format!("line {}", index + 1))?))
    };
    texts.map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second move after Black's pass is c5.
    const WITH_PASS: &[u8] = b"f5f6d3g5h5h4f7h6c5";

    #[test]
    fn positions_are_those_of_the_game() {
        let line = &from_transcripts(WITH_PASS).unwrap()[0];
        let game = transcript::read(WITH_PASS).unwrap().replay().unwrap();
        for position in game.positions() {
            let board = position.board;
            if board.legal_moves() != 0 {
                assert_eq!(line.position(60 - board.n_empties()), Some(board));
            }
        }
        assert_eq!(line.position(10), None);
        // A wipe-out: nobody can move after the last ply.
        let lost = &from_transcripts(b"e6f4e3f6g5d6e7f5c5").unwrap()[0];
        assert!(lost.position(8).is_some() && lost.position(9).is_none());
    }

    #[test]
    fn bad_games_are_named() {
        let error = from_transcripts(b"f5d6\n\n# x\nf5a1\n").unwrap_err();
        assert!(format!("{error:#}").contains("line 4"), "{error:#}");
        let error = from_ggf(b"(;GM[Othello]BO[8 what];)").unwrap_err();
        assert!(format!("{error:#}").contains("game 1"), "{error:#}");
    }
}

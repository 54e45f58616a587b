//! Games of others, from whose positions self-play starts.

use std::path::Path;

use anyhow::Context;

use crate::board::{Board, Square};
use crate::files::games::GameFile;
use crate::game::Game;

/// The moves of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    start: Board,
    /// Without passes, which the rules imply.
    squares: Vec<Square>,
}

impl Line {
    fn new(game: &Game) -> Line {
        let squares = game.plies().iter().filter_map(|ply| ply.mv.square()).collect();
        Line { start: game.start().board, squares }
    }

    /// The position with this many discs beyond the first four and a legal move for the side to move; `None` if the game has no
    /// such position.
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

/// The board for the side to move, after a forced pass if necessary; `None` if the game is over.
pub fn with_move(board: Board) -> Option<Board> {
    [board, board.passed()].into_iter().find(|board| board.legal_moves() != 0)
}

/// Reads the games of a file in any format.
///
/// # Errors
/// If a game is illegal, naming its line or number, or if there is none.
pub fn read(path: &Path) -> anyhow::Result<Vec<Line>> {
    let games = GameFile::read(path, None, false).and_then(|file| file.legal_games());
    let games = games.with_context(|| format!("games file {}", path.display()))?;
    Ok(games.iter().map(Line::new).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::transcript;

    /// The second move after Black's pass is c5.
    const WITH_PASS: &[u8] = b"f5f6d3g5h5h4f7h6c5";

    #[test]
    fn positions_are_those_of_the_game() {
        let game = |text: &[u8]| transcript::read(text).unwrap().replay().unwrap();
        let line = Line::new(&game(WITH_PASS));
        let game_with_pass = game(WITH_PASS);
        for position in game_with_pass.positions() {
            let board = position.board;
            if board.legal_moves() != 0 {
                assert_eq!(line.position(60 - board.n_empties()), Some(board));
            }
        }
        assert_eq!(line.position(10), None);
        // A wipe-out: nobody can move after the last ply.
        let lost = Line::new(&game(b"e6f4e3f6g5d6e7f5c5"));
        assert!(lost.position(8).is_some() && lost.position(9).is_none());
    }
}

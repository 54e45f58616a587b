//! WTHOR game files (`.wtb`): a header of 16 bytes and 68 bytes a game, passes left out.

use std::fmt;

use crate::board::{Move, Square};
use crate::game::{Game, Note};

const HEADER: usize = 16;
const GAME: usize = 68;

/// Why a file is no WTHOR game file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WthorError {
    /// Shorter than its header.
    Header,
    /// Of another board size than 8.
    Size(u8),
    /// The header counts more games than there are.
    Games {
        /// By the header.
        expected: usize,
        /// In the file.
        found: usize,
    },
}

impl fmt::Display for WthorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WthorError::Header => f.write_str("the file is shorter than a WTHOR header"),
            WthorError::Size(size) => write!(f, "a board of size {size} is not supported"),
            WthorError::Games { expected, found } => {
                write!(f, "the header counts {expected} games, the file has {found}")
            }
        }
    }
}

impl std::error::Error for WthorError {}

/// A game as it stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WthorGame<'a> {
    record: &'a [u8],
}

/// The games of a file.
///
/// # Errors
/// If the file is no WTHOR file of 8x8 games, or is cut.
pub fn games(file: &[u8]) -> Result<impl Iterator<Item = WthorGame<'_>>, WthorError> {
    let (header, rest) = file.split_at_checked(HEADER).ok_or(WthorError::Header)?;
    if !matches!(header[12], 0 | 8) {
        return Err(WthorError::Size(header[12]));
    }
    let expected = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
    let found = rest.len() / GAME;
    if found < expected {
        return Err(WthorError::Games { expected, found });
    }
    Ok(rest.chunks_exact(GAME).take(expected).map(|record| WthorGame { record }))
}

impl WthorGame<'_> {
    /// Black's discs at the end, the empty squares counted for the winner, 0 to 64.
    pub const fn black_discs(&self) -> u8 {
        self.record[6]
    }

    /// The moves without passes; `None` for a byte that names no square.
    pub fn moves(&self) -> impl Iterator<Item = Option<Square>> + '_ {
        self.record[8..]
            .iter()
            .take_while(|&&byte| byte != 0)
            .map(|&byte| Square::at((byte % 10).checked_sub(1)?, (byte / 10).checked_sub(1)?))
    }

    /// The game, with the passes put in; `None` if a move is illegal.
    pub fn replay(&self) -> Option<Game> {
        let mut game = Game::default();
        for square in self.moves() {
            let mv = Move::Place(square?);
            let side = game.position().side;
            let played = game.play(mv, Note::default())
                || game.play_as(side.opposite(), mv, Note::default());
            if !played {
                return None;
            }
        }
        Some(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(n_games: u8, games: &[&[u8]]) -> Vec<u8> {
        let mut file = vec![20, 26, 11, 21, n_games, 0, 0, 0, 0, 0, 234, 7, 8, 0, 22, 0];
        for moves in games {
            let mut record = vec![0; GAME];
            record[6] = 33;
            record[8..8 + moves.len()].copy_from_slice(moves);
            file.extend(record);
        }
        file
    }

    #[test]
    fn games_are_read_with_their_passes() {
        // f5f6d3g5h5h4f7h6, Black passes, c5.
        let bytes = file(1, &[&[56, 66, 34, 57, 58, 48, 76, 68, 53]]);
        let all: Vec<_> = games(&bytes).unwrap().collect();
        assert_eq!((all.len(), all[0].black_discs()), (1, 33));
        assert_eq!(all[0].replay().unwrap().plies().len(), 10);
        assert!(games(&file(1, &[&[56, 99]])).unwrap().next().unwrap().replay().is_none());
    }

    #[test]
    fn damaged_files_are_refused() {
        assert_eq!(games(b"short").err(), Some(WthorError::Header));
        assert_eq!(
            games(&file(2, &[&[56]])).err(),
            Some(WthorError::Games { expected: 2, found: 1 })
        );
        let mut ten = file(0, &[]);
        ten[12] = 10;
        assert_eq!(games(&ten).err(), Some(WthorError::Size(10)));
    }
}

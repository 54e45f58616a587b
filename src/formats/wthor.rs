//! WTHOR: files of games (`.wtb`), of players' names (`.jou`) and of tournaments' names (`.trn`).
//!
//! Every file has a header of 16 bytes; a game takes 68 bytes and refers to its players and tournament by their numbers in the
//! other two files. Passes are left out, and every game is turned so that its first move is f5.

mod names;
#[cfg(test)]
mod tests;

use crate::board::{Move, Position, Square, symmetry};
use crate::game::{Game, Note};
pub use names::{NameKind, Names};

const HEADER: usize = 16;

/// Bytes of a game.
pub const GAME: usize = 68;

/// Where the moves begin in a game.
const MOVES: usize = 8;

const FIRST_MOVE: &[u8] = b"f5";

/// Why a file is not a valid WTHOR file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WthorError {
    /// Shorter than its header.
    #[error("the file is shorter than a WTHOR header")]
    Header,
    /// Of another board size than 8.
    #[error("a board of size {0} is not supported")]
    Size(u8),
    /// The header counts more or fewer games than the file holds.
    #[error("the header counts {expected} games, the file has {found}")]
    Games {
        /// According to the header.
        expected: usize,
        /// In the file.
        found: usize,
    },
    /// The header counts more names than the file holds.
    #[error("the header counts {expected} names, the file has {found}")]
    Names {
        /// According to the header.
        expected: usize,
        /// In the file.
        found: usize,
    },
}

/// The header of a file of games, without their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// When the file was made: century, year, month, day.
    pub created: [u8; 4],
    /// The year in which the games were played.
    pub year: u16,
    /// Board size: 8, or 0, which means the same.
    pub size: u8,
    /// 0 for games, 1 for solitaires.
    pub kind: u8,
    /// The number of empty squares from which the theoretical score assumes best play; 0 means 22.
    pub depth: u8,
}

impl Default for Header {
    fn default() -> Header {
        Header { created: [0; 4], year: 0, size: 8, kind: 0, depth: 0 }
    }
}

impl Header {
    /// The 16 bytes at the start of a file with this many games.
    pub fn to_bytes(self, n_games: u32) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&self.created);
        bytes[4..8].copy_from_slice(&n_games.to_le_bytes());
        bytes[10..12].copy_from_slice(&self.year.to_le_bytes());
        bytes[12..15].copy_from_slice(&[self.size, self.kind, self.depth]);
        bytes
    }
}

/// A file of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Archive<'a> {
    /// The header.
    pub header: Header,
    /// The number of games in the header.
    pub expected: usize,
    /// The number of games that the file holds.
    pub found: usize,
    records: &'a [u8],
}

impl<'a> Archive<'a> {
    /// Reads a file. Anything after the number of games in the header is no game of it; a file that is cut has fewer.
    pub fn read(file: &'a [u8]) -> Result<Archive<'a>, WthorError> {
        let (header, rest) = file.split_first_chunk::<HEADER>().ok_or(WthorError::Header)?;
        if !matches!(header[12], 0 | 8) {
            return Err(WthorError::Size(header[12]));
        }
        let expected = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        let found = rest.len() / GAME;
        let header = Header {
            created: [header[0], header[1], header[2], header[3]],
            year: u16::from_le_bytes([header[10], header[11]]),
            size: header[12],
            kind: header[13],
            depth: header[14],
        };
        let records = &rest[..expected.min(found) * GAME];
        Ok(Archive { header, records, expected, found })
    }

    /// Whether the file has as many games as its header counts.
    pub const fn check(&self) -> Result<(), WthorError> {
        let (expected, found) = (self.expected, self.found);
        if expected == found { Ok(()) } else { Err(WthorError::Games { expected, found }) }
    }

    /// The games in order.
    pub fn games(&self) -> impl ExactSizeIterator<Item = WthorGame<'a>> + use<'a> {
        self.records.chunks_exact(GAME).map(|record| WthorGame { record })
    }
}

/// The games of a file; fails as [`Archive::read`] does, or if the header counts others.
pub fn games(file: &[u8]) -> Result<impl Iterator<Item = WthorGame<'_>>, WthorError> {
    let archive = Archive::read(file)?;
    archive.check()?;
    Ok(archive.games())
}

/// The data of a game besides its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// Number of the tournament in the file of tournaments.
    pub tournament: u16,
    /// Numbers of the players in the file of players, by [`crate::board::Color::index`].
    pub players: [u16; 2],
    /// Black's discs at the end, the empty squares counted for the winner, 0 to 64.
    pub black_discs: u8,
    /// Black's discs after best play from the depth in the header.
    pub theoretical: u8,
}

/// A game as in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WthorGame<'a> {
    record: &'a [u8],
}

/// A game with an illegal move.
#[derive(Clone, Debug, thiserror::Error)]
#[error("move {} of the game is illegal: {text}", n_discs_placed(.played) + 1)]
pub struct BadMove {
    /// The game up to there.
    pub played: Game,
    /// The illegal move: a square, or an invalid byte.
    pub text: String,
}

fn n_discs_placed(game: &Game) -> usize {
    game.plies().iter().filter(|ply| ply.mv != Move::Pass).count()
}

impl WthorGame<'_> {
    /// Players, tournament and scores.
    pub fn labels(&self) -> Labels {
        let number = |at: usize| u16::from_le_bytes([self.record[at], self.record[at + 1]]);
        Labels {
            tournament: number(0),
            players: [number(2), number(4)],
            black_discs: self.record[6],
            theoretical: self.record[7],
        }
    }

    /// Black's discs at the end, the empty squares counted for the winner, 0 to 64.
    pub const fn black_discs(&self) -> u8 {
        self.record[6]
    }

    /// The game with passes inserted; fails at the first byte that is not a legal move.
    pub fn game(&self) -> Result<Game, Box<BadMove>> {
        let mut game = Game::default();
        // A zero before other moves is one that is lost.
        let last = self.record.iter().rposition(|&byte| byte != 0).unwrap_or(0);
        for &byte in self.record.get(MOVES..=last).unwrap_or_default() {
            let mv = square(byte).map(Move::Place);
            let side = game.position().side;
            let is_played = mv.is_some_and(|mv| {
                game.play(mv, Note::default()) || game.play_as(side.opposite(), mv, Note::default())
            });
            if !is_played {
                let text = mv.map_or_else(|| format!("the byte {byte}"), |mv| format!("{mv:#}"));
                return Err(Box::new(BadMove { played: game, text }));
            }
        }
        Ok(game)
    }

    /// The game with passes inserted; `None` if a move is illegal.
    pub fn replay(&self) -> Option<Game> {
        self.game().ok()
    }
}

/// The square of a byte: ten times the row and the column, both from 1.
fn square(byte: u8) -> Option<Square> {
    Square::at((byte % 10).checked_sub(1)?, (byte / 10).checked_sub(1)?)
}

/// The 68 bytes of a game, turned so that its first move is f5; `None` for a game that does not begin at the standard start.
pub fn write(game: &Game, labels: Labels) -> Option<[u8; GAME]> {
    if game.start() != Position::START {
        return None;
    }
    let mut record = [0; GAME];
    let numbers = [labels.tournament, labels.players[0], labels.players[1]];
    for (place, number) in record.chunks_exact_mut(2).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    record[6] = labels.black_discs;
    record[7] = labels.theoretical;
    let moves = || game.plies().iter().filter_map(|ply| ply.mv.square());
    let turn = moves().next().map_or(0, turn_to_first_move);
    for (place, square) in record[MOVES..].iter_mut().zip(moves()) {
        let square = turned(square, turn);
        *place = 10 * (square.row() + 1) + square.column() + 1;
    }
    Some(record)
}

/// The symmetry of the start position that makes a first move f5.
fn turn_to_first_move(first: Square) -> usize {
    let keeps_start = |&turn: &usize| {
        symmetry::transform_board(Position::START.board, turn) == Position::START.board
    };
    let mut turns = (0..symmetry::N_SYMMETRIES).filter(keeps_start);
    turns.find(|&turn| Some(turned(first, turn)) == Square::parse(FIRST_MOVE)).unwrap_or(0)
}

fn turned(square: Square, turn: usize) -> Square {
    Square::lowest(symmetry::transform(square.bit(), turn))
}

/// The file's number of black discs for a result in discs from Black's view, with empty squares counted for the winner.
pub fn black_discs(result: i32) -> u8 {
    ((64 + result.clamp(-64, 64)) / 2) as u8
}

/// The result in discs from Black's view for a file's number of black discs.
pub fn result(black_discs: u8) -> i32 {
    2 * i32::from(black_discs.min(64)) - 64
}

/// Black's discs of an unfinished game, scored by its final position with empty squares counted for the leader.
pub fn standing(game: &Game) -> u8 {
    let position = game.position();
    black_discs(position.board.final_score() * position.side.sign())
}

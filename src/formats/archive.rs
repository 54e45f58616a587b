//! Files of many games in any format: detecting the format, reading the games one by one, and writing them in another format.
//!
//! A bad game does not end the reading: it yields an error with its position in the file and its legal part.

mod lost;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

use std::fmt;

use super::wthor::Labels;
use super::{Headers, transcript};
use crate::board::bitboard::CENTER;
use crate::board::{Move, Position};
use crate::game::Game;
pub use lost::{Lost, lost};
pub use reader::{Reader, decode, recognize};
pub use writer::{WriteError, WthorWriter, write};

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Generic Game Format.
    Ggf,
    /// Smart Game Format, `GM[2]`.
    Sgf,
    /// WTHOR files of games.
    Wthor,
    /// Test positions, one per line.
    Obf,
    /// Move lists, one per line.
    Transcript,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] =
        [Format::Ggf, Format::Sgf, Format::Wthor, Format::Obf, Format::Transcript];

    /// Its name in arguments.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Ggf => "ggf",
            Format::Sgf => "sgf",
            Format::Wthor => "wthor",
            Format::Obf => "obf",
            Format::Transcript => "transcript",
        }
    }

    /// The format implied by a file's extension.
    pub fn from_extension(extension: &str) -> Option<Format> {
        Some(match extension.to_ascii_lowercase().as_str() {
            "ggf" => Format::Ggf,
            "sgf" => Format::Sgf,
            "wtb" => Format::Wthor,
            "obf" | "scr" => Format::Obf,
            "txt" | "transcript" | "moves" => Format::Transcript,
            _ => return None,
        })
    }

    /// The format that the start of a file shows; `None` where it shows none.
    pub fn guess(text: &[u8]) -> Option<Format> {
        let head = &text[..text.len().min(4096)];
        let contains =
            |words: &[u8]| head.windows(words.len()).any(|part| part.eq_ignore_ascii_case(words));
        // First: any text may stand among the bytes of games. Boards of size 10 are refused later; there the date tells them from UTF-16.
        let is_size = |head: &[u8]| {
            matches!(head[12], 0 | 8) || head[12] == 10 && head[2] < 13 && head[3] < 32
        };
        if text.len() >= 16 && is_size(text) && text[15] == 0 {
            Some(Format::Wthor)
        } else if contains(b"GM[Othello]") {
            Some(Format::Ggf)
        } else if contains(b"GM[2]") || (contains(b"(;") && contains(b"FF[")) {
            Some(Format::Sgf)
        } else if contains(b"(;") {
            // Without GGF's tag for the board, the game is in an old dialect of SGF.
            Some(if contains(b"BO[") { Format::Ggf } else { Format::Sgf })
        } else {
            reader::obf_lines(head).find_map(|line| match Position::parse_prefix(line) {
                // In OBF a semicolon ends the position.
                Ok((_, rest)) => rest.trim_ascii_start().starts_with(b";").then_some(Format::Obf),
                Err(_) => transcript::has_moves(line).then_some(Format::Transcript),
            })
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A game or a position of a file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The line where it starts, from 1, in text formats.
    pub line: Option<usize>,
    /// The game; one without moves for a test position.
    pub game: Game,
    /// Its headers.
    pub headers: Headers,
    /// The listed scores of the moves of a test position in discs for the side to move.
    pub scores: Vec<(Move, i32)>,
    /// The numeric data of a WTHOR file.
    pub labels: Option<Labels>,
}

impl Entry {
    /// A game that stands in no file.
    pub const fn of(game: Game, headers: Headers) -> Entry {
        Entry { number: 0, line: None, game, headers, scores: Vec::new(), labels: None }
    }

    /// Whether there are moves, but the game is unfinished.
    pub fn stops_early(&self) -> bool {
        !self.game.plies().is_empty() && !self.game.is_over()
    }
}

/// Why a game of a file is rejected, in the form `game 3 (line 12): move 14 of the game is illegal: B F5; accepted up to there: f5d6c3`.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "game {number}{}: {problem}{}",
    .line.map(|line| format!(" (line {line})")).unwrap_or_default(),
    .accepted.as_deref().map(moves_before).unwrap_or_default()
)]
pub struct EntryError {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The line where it starts, from 1, in text formats.
    pub line: Option<usize>,
    /// The problem.
    pub problem: String,
    /// The game up to the first illegal move, if it got that far.
    pub accepted: Option<Box<Game>>,
}

fn moves_before(game: &Game) -> String {
    let moves = transcript::write(game);
    format!("; accepted up to there: {}", if moves.is_empty() { "nothing" } else { &moves })
}

/// Why a position is impossible: discs never leave the board, so the center is never empty.
pub fn impossibility(position: Position) -> Option<&'static str> {
    let is_center_full = position.board.empties() & CENTER == 0;
    (!is_center_full).then_some("impossible position: a center square is empty")
}

/// The year of a date in any format: four digits from 1900 to 2100, or seconds since 1970.
pub fn year(date: &str) -> Option<u16> {
    /// Average seconds of a calendar year.
    const YEAR: u64 = 31_556_952;
    let mut numbers = date.split(|symbol: char| !symbol.is_ascii_digit());
    numbers.find_map(|digits| match digits.len() {
        4 => digits.parse().ok().filter(|year| (1900..=2100).contains(year)),
        8 => digits[..4].parse().ok().filter(|year| (1900..=2100).contains(year)),
        9 | 10 => digits.parse::<u64>().ok().map(|seconds| 1970 + (seconds / YEAR) as u16),
        _ => None,
    })
}

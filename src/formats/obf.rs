//! Test positions in OBF: one position per line, with the known scores of its moves.

use crate::board::parse::ParseError;
use crate::board::{Move, Position};
use crate::formats::excerpt;
use crate::support::text::unmarked;

/// A test position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The position.
    pub position: Position,
    /// Moves with their scores in discs for the side to move, exact or the best known; empty if none are given.
    pub scores: Vec<(Move, i32)>,
}

impl Problem {
    /// The best listed score.
    pub fn best_score(&self) -> Option<i32> {
        self.scores.iter().map(|(_, score)| *score).max()
    }

    /// Whether every legal move is listed.
    pub fn has_all_moves(&self) -> bool {
        let squares = self.scores.iter().filter_map(|(mv, _)| mv.square());
        let listed = squares.fold(0, |listed, square| listed | square.bit());
        let legal = self.position.board.legal_moves();
        legal != 0 && listed == legal
    }

    /// The listed score of a move.
    pub fn score_of(&self, mv: Move) -> Option<i32> {
        self.scores.iter().find(|(listed, _)| *listed == mv).map(|(_, score)| *score)
    }
}

/// Why a line is not a test position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObfError {
    /// The position cannot be read.
    #[error(transparent)]
    Position(ParseError),
    /// An item after the position is not `MOVE:SCORE`.
    #[error("'{0}' is not MOVE:SCORE")]
    Item(String),
    /// The score of a move that is not legal.
    #[error("{0:#} is illegal there")]
    Illegal(Move),
}

/// Parses a line; `Ok(None)` if it is blank or a comment. A byte order mark is dropped. `--:VALUE` means no such move and is skipped.
pub fn read_line(line: &[u8]) -> Result<Option<Problem>, ObfError> {
    let line = unmarked(line).split(|&byte| byte == b'%').next().unwrap_or_default().trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let mut parts = line.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
    let position =
        Position::parse_any(parts.next().unwrap_or_default()).map_err(ObfError::Position)?;
    let mut scores = Vec::new();
    for item in parts.filter(|item| !item.is_empty()) {
        let text = || ObfError::Item(excerpt(item));
        let colon = item.iter().position(|&byte| byte == b':').ok_or_else(text)?;
        let (mv, score) = (item[..colon].trim_ascii(), item[colon + 1..].trim_ascii());
        if mv == b"--" {
            continue;
        }
        let mv = Move::parse(mv).ok_or_else(text)?;
        let score: i32 = std::str::from_utf8(score)
            .ok()
            .and_then(|score| score.parse().ok())
            .ok_or_else(text)?;
        if !(-64..=64).contains(&score) {
            return Err(text());
        }
        if position.board.play(mv).is_none() {
            return Err(ObfError::Illegal(mv));
        }
        scores.push((mv, score));
    }
    Ok(Some(Problem { position, scores }))
}

/// Writes a test position in the form read by [`read_line`], without a line end.
pub fn write(problem: &Problem) -> String {
    let mut text = format!("{};", problem.position);
    for (mv, score) in &problem.scores {
        text += &format!(" {mv:#}:{score:+};");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "---------------------------OX------XO--------------------------- X; D3:+00; C4:-2; --:-127;";

    #[test]
    fn lines_round_trip() {
        let problem = read_line(LINE.as_bytes()).unwrap().unwrap();
        assert_eq!(problem.position, Position::START);
        assert_eq!(problem.best_score(), Some(0));
        assert_eq!(problem.score_of(Move::parse(b"c4").unwrap()), Some(-2));
        assert_eq!(problem.score_of(Move::parse(b"f5").unwrap()), None);
        assert_eq!(read_line(write(&problem).as_bytes()), Ok(Some(problem)));
        assert_eq!(read_line(b"  % only a comment"), Ok(None));
        assert_eq!(read_line(b""), Ok(None));
        assert_eq!(read_line(format!("\u{feff}{LINE}").as_bytes()), read_line(LINE.as_bytes()));
        let all = LINE.replace("C4:-2", "C4:-2; E6:+0; F5:+0");
        let has_all = |line: &str| read_line(line.as_bytes()).unwrap().unwrap().has_all_moves();
        assert!(has_all(&all) && !has_all(LINE) && !has_all(&LINE[..66]));
    }

    #[test]
    fn bad_items_are_named() {
        let with = |item: &str| read_line(format!("{} {item}", &LINE[..67]).as_bytes());
        for bad in ["D3=2", "D3:+99"] {
            assert_eq!(with(&format!("{bad};")), Err(ObfError::Item(bad.into())));
        }
        assert_eq!(with("A1:+0;"), Err(ObfError::Illegal(Move::parse(b"a1").unwrap())));
        assert!(matches!(read_line(b"XXO X;"), Err(ObfError::Position(_))));
    }
}

//! Books, tasks and answers as JSON, one line for each position.
//!
//! A position of a book:
//! `{"position":"...","score":1.25,"lower":-1,"upper":3,"leaf":{"move":"d3","score":0.5,"depth":22,"confidence":73},"lines":41,"games":[12,3,9]}`.
//! A task: `{"position":"...","exclude":["f5","d6"],"depth":22,"confidence":73}`. An answer repeats the task's position and moves and
//! adds `"move":"c4","score":-0.75`. All are read by the same reader, which also takes the lines of `analyze --batch`:
//! missing fields are unknown. Scores are in discs for the side to move.
//!
//! Behind the positions of a book, `{"fingerprints":["0123456789abcdef"]}` names the games that it counts.

use serde::{Deserialize, Serialize};

use super::entry::{Entry, Leaf, Origin, orientation, turned};
use super::growth::Task;
use crate::board::bitboard::Squares;
use crate::board::{Board, Color, Position, Square};
use crate::score::{DISC, MAX, Score, discs};
use crate::search::Selectivity;

/// A line as written.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Line {
    #[serde(default)]
    position: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    exclude: Vec<String>,
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    mv: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lower: Option<i8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    upper: Option<i8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    leaf: Option<LeafLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lines: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    games: Option<[u32; 3]>,
    #[serde(default, skip_serializing)]
    moves: Vec<Scored>,
    #[serde(default, skip_serializing)]
    message: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct LeafLine {
    #[serde(rename = "move")]
    mv: String,
    score: f64,
    depth: u32,
    confidence: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Scored {
    #[serde(rename = "move")]
    mv: String,
    score: f64,
}

/// What a line says of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct BookRecord {
    /// The position with its best move, if one is said, and its games.
    pub entry: Entry,
    /// Moves that were not searched, on the entry's board.
    pub exclude: u64,
    /// Plies to search, in a task.
    pub depth: Option<u32>,
    /// Confidence of the search in percent.
    pub confidence: Option<u32>,
    /// Whether it is a position of a book, which may have no move, or an answer.
    pub is_answer: bool,
    /// Other moves by the same search, the best first.
    others: Vec<(Square, i16)>,
}

impl BookRecord {
    /// The best move outside `linked`, or the best move of all if the line names no other.
    pub fn leaf(&self, linked: u64) -> Option<Leaf> {
        let leaf = self.entry.leaf?;
        if leaf.square.bit() & linked == 0 {
            return Some(leaf);
        }
        let other = self.others.iter().find(|(square, _)| square.bit() & linked == 0);
        let Some(&(square, score)) = other else { return Some(leaf) };
        let other = Leaf { square, score, ..leaf };
        // A search that solves the best move need not have solved the others; how deep it went there is not said.
        let is_solved = self.others.iter().all(|(_, score)| Score::from(*score) % DISC == 0);
        if leaf.is_proven(self.entry.board.n_empties()) && !is_solved {
            return Some(Leaf { depth: 0, selectivity: Selectivity::from_percent(73), ..other });
        }
        Some(other)
    }
}

/// The games that a book counts.
#[derive(Debug, Serialize, Deserialize)]
struct Games {
    /// In hexadecimal.
    fingerprints: Vec<String>,
}

/// The line that names the games of a book.
pub fn games(fingerprints: &[u64]) -> String {
    let fingerprints = fingerprints.iter().map(|print| format!("{print:016x}")).collect();
    serde_json::to_string(&Games { fingerprints }).unwrap_or_default()
}

/// The games that a line names; `None` if it is another line.
pub fn read_games(text: &[u8]) -> Option<Vec<u64>> {
    if !text.trim_ascii_start().starts_with(b"{\"fingerprints\"") {
        return None;
    }
    let Games { fingerprints } = serde_json::from_slice(text).ok()?;
    fingerprints.iter().map(|print| u64::from_str_radix(print, 16).ok()).collect()
}

/// Reads a line; `None` if it is blank or names games. The error says why it is no line of this kind.
pub fn read(text: &[u8]) -> Result<Option<BookRecord>, String> {
    if text.trim_ascii().is_empty() || read_games(text).is_some() {
        return Ok(None);
    }
    let line: Line = serde_json::from_slice(text).map_err(|error| format!("bad JSON: {error}"))?;
    if let Some(message) = line.message {
        return Err(format!("an error instead of an answer: {message}"));
    }
    let position = Position::parse(line.position.as_bytes()).map_err(|error| error.to_string())?;
    let board = position.board;
    let k = orientation(board);
    let square = |text: &str| -> Result<Square, String> {
        let square = Square::parse(text.as_bytes()).ok_or(format!("'{text}' is no move"))?;
        let is_legal = board.legal_moves() & square.bit() != 0;
        if is_legal { Ok(turned(square, k)) } else { Err(format!("{text} is illegal there")) }
    };
    let mut exclude = 0;
    for text in &line.exclude {
        exclude |= square(text)?.bit();
    }
    let mut entry = Entry::new(board);
    let said = match (line.leaf, line.mv, line.score) {
        (Some(leaf), ..) => Some(leaf),
        (None, Some(mv), Some(score)) => Some(LeafLine {
            mv,
            score,
            depth: line.depth.unwrap_or(0),
            confidence: line.confidence.unwrap_or(100),
            origin: None,
        }),
        _ => None,
    };
    if let Some(leaf) = said {
        if !(73..=100).contains(&leaf.confidence) {
            return Err(format!("a confidence of {} is not from 73 to 100", leaf.confidence));
        }
        entry.leaf = Some(Leaf {
            square: square(&leaf.mv)?,
            score: score(leaf.score)?,
            depth: leaf.depth.min(board.n_empties()) as u8,
            selectivity: Selectivity::from_percent(leaf.confidence),
            origin: match leaf.origin.as_deref() {
                None => Origin::Search,
                Some("import") => Origin::Import,
                Some("person") => Origin::Person,
                Some(other) => return Err(format!("'{other}' is no origin")),
            },
        });
    }
    entry.games = line.games.unwrap_or_default();
    let mut others = Vec::new();
    for scored in &line.moves {
        others.push((square(&scored.mv)?, score(scored.score)?));
    }
    if !entry.is_sound() {
        return Err(
            "not a position of a book: a side to move without a move, or an empty center".into()
        );
    }
    let Line { depth, confidence, lines, .. } = line;
    let is_answer = entry.leaf.is_some() || lines.is_some();
    Ok(Some(BookRecord { entry, exclude, depth, confidence, is_answer, others }))
}

fn score(discs: f64) -> Result<i16, String> {
    let score = (discs * f64::from(DISC)).round();
    if score.abs() <= f64::from(MAX) {
        Ok(score as i16)
    } else {
        Err(format!("a score of {discs}"))
    }
}

/// The line of a position.
pub fn position(entry: &Entry) -> String {
    let value = entry.value;
    text(&Line {
        position: at(entry.board),
        score: value.map(|value| discs(value.score.into())),
        lower: value.map(|value| value.lower),
        upper: value.map(|value| value.upper),
        leaf: entry.leaf.map(|leaf| LeafLine {
            mv: leaf.square.to_string(),
            score: discs(leaf.score.into()),
            depth: leaf.depth.into(),
            confidence: leaf.selectivity.percent(),
            origin: match leaf.origin {
                Origin::Import => Some("import".into()),
                Origin::Search => None,
                Origin::Person => Some("person".into()),
            },
        }),
        lines: Some(entry.lines),
        games: (entry.games != [0; 3]).then_some(entry.games),
        ..Line::default()
    })
}

/// The line of a task, to be searched so many plies deep with a confidence in percent.
pub fn task(task: &Task, depth: u32, confidence: u32) -> String {
    text(&Line {
        position: at(task.board),
        exclude: moves(task.exclude),
        depth: Some(depth),
        confidence: Some(confidence),
        ..Line::default()
    })
}

/// The line of an answer.
pub fn answer(board: Board, exclude: u64, leaf: Leaf) -> String {
    text(&Line {
        position: at(board),
        exclude: moves(exclude),
        mv: Some(leaf.square.to_string()),
        score: Some(discs(leaf.score.into())),
        depth: Some(leaf.depth.into()),
        confidence: Some(leaf.selectivity.percent()),
        ..Line::default()
    })
}

fn at(board: Board) -> String {
    Position { board, side: Color::Black }.to_string()
}

fn moves(set: u64) -> Vec<String> {
    Squares(set).map(|square| square.to_string()).collect()
}

fn text(line: &Line) -> String {
    serde_json::to_string(line).unwrap_or_default()
}

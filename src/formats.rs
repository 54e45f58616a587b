//! Game records as text, with a reader and a writer for each format.
//!
//! Reading has two steps. A reader parses any bytes into a [`Record`], which knows the format but not the rules;
//! [`Record::replay`] then returns a legal [`Game`] or the first illegal item. Writers take a game, so their output can always be
//! replayed. [`archive`] does both for files of many games in any format. Nothing here opens a file.

pub mod archive;
pub mod diagram;
pub mod fen;
pub mod ggf;
pub mod obf;
pub mod sgf;
pub mod transcript;
pub mod wthor;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use crate::board::{Color, Move, Position};
use crate::game::{Game, Note};
use crate::support::text::printable;
use ggf::GgfClock;

/// A game as in a file; the items may be illegal.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The position before the first item.
    pub start: Position,
    /// Moves and passes in order. Formats differ in whether they spell out passes.
    pub items: Vec<Item>,
    /// What else the file says.
    pub headers: Headers,
}

/// The data of a game besides its moves; unknown fields are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headers {
    /// The players' names, by [`Color::index`].
    pub names: [String; 2],
    /// The players' ratings as in the file, by [`Color::index`].
    pub ratings: [String; 2],
    /// Where the game was played: a server, a town; in formats without events also the event.
    pub place: String,
    /// The tournament.
    pub event: String,
    /// The date as in the file: every program has its own format.
    pub date: String,
    /// How it ended.
    pub result: Outcome,
    /// The players' clocks, by [`Color::index`].
    pub clocks: [Option<GgfClock>; 2],
    /// Comments, each with the number of discs placed before it: 0 for the whole game.
    pub comments: Vec<(usize, String)>,
    /// The names of tags that are passed over, wholly or but for one value.
    pub unread: BTreeSet<String>,
    /// Whether the file has other lines of moves, which are not read.
    pub has_branches: bool,
}

impl Headers {
    /// The event, or else the place: games without an event are sorted by place.
    pub fn tournament(&self) -> &str {
        if self.event.is_empty() { &self.place } else { &self.event }
    }
}

/// The result of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Black's discs minus White's, if the text gives a number.
    pub score: Option<f64>,
    /// The text as in the file.
    pub text: String,
}

impl Outcome {
    /// Black's discs minus White's: by the board of a finished game, even where the file adds komi; by the file if unfinished or forfeited.
    pub fn discs(&self, game: &Game) -> Option<f64> {
        let board = game.result().map(f64::from);
        let forfeited = self.forfeit().and(self.score);
        forfeited.or(board).or(self.score)
    }

    /// Who won, by any number of discs or because the other side forfeited, if the file gives no number.
    fn winner(&self) -> Option<Color> {
        let known = match self.text.as_str() {
            "B+" => Some(Color::Black),
            "W+" => Some(Color::White),
            _ => None,
        };
        known.or_else(|| self.forfeit().map(|(winner, _)| winner))
    }

    /// Who won because the other side forfeited, and how: by the letter behind the number in GGF (`-64:t`) or SGF's words (`W+Time`).
    fn forfeit(&self) -> Option<(Color, Forfeit)> {
        if let Some((_, reason)) = self.text.split_once(':') {
            let score = self.score.filter(|&score| score != 0.0)?;
            let winner = if score > 0.0 { Color::Black } else { Color::White };
            let how = Forfeit::ALL.into_iter().find(|how| how.letter() == reason.trim())?;
            return Some((winner, how));
        }
        let (winner, reason) = self.text.split_once('+')?;
        let winner = match winner {
            "B" | "b" => Color::Black,
            "W" | "w" => Color::White,
            _ => return None,
        };
        let is_word = |how: &Forfeit| {
            let word = how.word();
            reason.eq_ignore_ascii_case(word) || reason.eq_ignore_ascii_case(&word[..1])
        };
        Some((winner, Forfeit::ALL.into_iter().find(is_word)?))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forfeit {
    Time,
    Resign,
    Fault,
}

impl Forfeit {
    const ALL: [Forfeit; 3] = [Forfeit::Time, Forfeit::Resign, Forfeit::Fault];

    /// The letter of GGF.
    const fn letter(self) -> &'static str {
        match self {
            Forfeit::Time => "t",
            Forfeit::Resign => "r",
            Forfeit::Fault => "l",
        }
    }

    /// The word of SGF.
    const fn word(self) -> &'static str {
        match self {
            Forfeit::Time => "Time",
            Forfeit::Resign => "Resign",
            Forfeit::Fault => "Forfeit",
        }
    }
}

/// A move or a pass in a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// The side, if given.
    pub color: Option<Color>,
    /// The move.
    pub mv: Move,
    /// Its annotations.
    pub note: Note,
}

impl Item {
    /// A move of the side on turn.
    pub fn of(mv: Move) -> Item {
        Item { color: None, mv, note: Note::default() }
    }

    /// Plays it as [`Record::replay`] does; `false`, with nothing changed, if it is illegal.
    pub fn play_in(&self, game: &mut Game) -> bool {
        if self.mv == Move::Pass && game.is_over() {
            return true;
        }
        match self.color {
            Some(color) => game.play_as(color, self.mv, self.note),
            None => {
                let other = game.position().side.opposite();
                game.play(self.mv, self.note) || game.play_as(other, self.mv, self.note)
            }
        }
    }
}

/// In the form `B F5`, or `F5` without a side.
impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.color {
            Some(Color::Black) => f.write_str("B ")?,
            Some(Color::White) => f.write_str("W ")?,
            None => {}
        }
        write!(f, "{:#}", self.mv)
    }
}

/// An illegal item of a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {} of the game is illegal: {text}", .index + 1)]
pub struct ReplayError {
    /// Index into [`Record::items`].
    pub index: usize,
    /// The item, as in `B F5`.
    pub text: String,
}

impl Record {
    /// Plays all items. Passes are honored wherever they are legal, also at the end; where the side to move has none and the item is a
    /// move of the other side, the pass is inserted. Passes after the end, with which match tools for Go close a game, are left out.
    /// Fails on the first illegal item: a game without its end would be another game.
    pub fn replay(&self) -> Result<Game, ReplayError> {
        match self.replay_legal() {
            (game, None) => Ok(game),
            (_, Some(error)) => Err(error),
        }
    }

    /// Like [`Record::replay`], but returns the legal part up to the first illegal item.
    pub fn replay_legal(&self) -> (Game, Option<ReplayError>) {
        let mut game = Game::new(self.start);
        for (index, item) in self.items.iter().enumerate() {
            if !item.play_in(&mut game) {
                return (game, Some(ReplayError { index, text: item.to_string() }));
            }
        }
        (game, None)
    }
}

/// What a reader passes over without an error, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Lines of a move list without moves.
    pub lines: usize,
    /// Lines of a move list with something else beside their moves.
    pub remarks: usize,
    /// The first of these lines: its number, from 1, and its text.
    pub first: Option<(usize, String)>,
    /// Games with texts of an unknown encoding.
    pub undecoded: usize,
    /// Games with variations: only the first one is read.
    pub branched: usize,
    /// The names of tags or properties that are not read.
    pub tags: BTreeSet<String>,
}

/// The most names of tags in a message.
const SHOWN_TAGS: usize = 12;

/// In the form `2 lines without moves, 1 remark beside moves; line 1: 'Game 1'`; empty if nothing is left out.
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.lines, ["line without moves", "lines without moves"]),
            (self.remarks, ["remark beside moves", "remarks beside moves"]),
            (
                self.undecoded,
                ["game with texts that are not UTF-8", "games with texts that are not UTF-8"],
            ),
            (self.branched, ["game's variations", "games' variations"]),
        ];
        let counts = counts.into_iter().filter(|(n, _)| *n > 0);
        let mut parts: Vec<String> =
            counts.map(|(n, names)| format!("{n} {}", names[usize::from(n > 1)])).collect();
        if !self.tags.is_empty() {
            let names: Vec<&str> = self.tags.iter().take(SHOWN_TAGS).map(String::as_str).collect();
            let more = if self.tags.len() > SHOWN_TAGS { " and others" } else { "" };
            parts.push(format!("what {}{more} say", names.join(", ")));
        }
        f.write_str(&parts.join(", "))?;
        match &self.first {
            Some((line, text)) => write!(f, "; line {line}: '{text}'"),
            None => Ok(()),
        }
    }
}

/// A number as printed by programs in any locale: `-1.5`, `+1,25`, `1.234,5`, or with a typographic minus sign; only finite ones.
fn number(text: &[u8]) -> Option<f64> {
    let text = str::from_utf8(text.trim_ascii()).ok()?.replace('\u{2212}', "-").replace(',', ".");
    // All marks but the last can only group thousands.
    let plain = match text.rsplit_once('.') {
        Some((whole, fraction)) if whole.contains('.') => {
            format!("{}.{fraction}", whole.replace('.', ""))
        }
        _ => text,
    };
    plain.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Offending text for an error message: one printable line of at most 40 characters and an ellipsis.
fn excerpt(text: &[u8]) -> String {
    const MAX_CHARS: usize = 40;
    // A character takes at most four bytes, so texts of megabytes need not be copied.
    let head = String::from_utf8_lossy(&text[..text.len().min(4 * MAX_CHARS + 4)]);
    let shown = printable(&head.chars().take(MAX_CHARS).collect::<String>());
    if head.chars().nth(MAX_CHARS).is_some() { shown + "..." } else { shown }
}

/// Free text of a file: trimmed, with invalid UTF-8 replaced.
fn free_text(text: &[u8]) -> String {
    String::from_utf8_lossy(text.trim_ascii()).into_owned()
}

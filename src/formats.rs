//! Game records as text: what a record holds, and one reader and writer for each format.
//!
//! Reading has two steps. A reader takes any bytes and gives a [`Record`], which knows the format but not the rules;
//! [`Record::replay`] then gives a legal [`Game`] or says which item is illegal. Writers take a game, so that what they
//! write can be replayed. [`archive`] does both for files of many games in any format. Nothing here opens a file.

pub mod archive;
pub mod ggf;
pub mod obf;
pub mod sgf;
pub mod transcript;
pub mod wthor;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::board::{Color, Move, Position};
use crate::game::{Game, Note};
use ggf::GgfClock;

/// A game as it stands in a file; the items need not be legal.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The position before the first item.
    pub start: Position,
    /// Moves and passes in order. Formats differ in whether they spell out passes.
    pub items: Vec<Item>,
    /// What else the file says.
    pub headers: Headers,
}

/// What a record says about a game besides its moves; what is unknown is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headers {
    /// The players' names, by [`Color::index`].
    pub names: [String; 2],
    /// Where the game was played: a server, an event.
    pub place: String,
    /// When it was played, as it stood in the file: every program has its own spelling.
    pub date: String,
    /// How it ended.
    pub result: Outcome,
    /// The players' clocks, by [`Color::index`].
    pub clocks: [Option<GgfClock>; 2],
}

/// The result of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Discs for Black less those for White, where the text gives a number.
    pub score: Option<f64>,
    /// The text as it stood in the file.
    pub text: String,
}

/// A move or a pass in a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// The side that the record names, if it names one.
    pub color: Option<Color>,
    /// The move.
    pub mv: Move,
    /// What is known of it.
    pub note: Note,
}

/// As in `B F5`, or `F5` where the record names no side.
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

/// An item of a record that is illegal where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {} of the game is illegal: {text}", .index + 1)]
pub struct ReplayError {
    /// Index into [`Record::items`].
    pub index: usize,
    /// The item, as in `B F5`.
    pub text: String,
}

impl Record {
    /// Plays all items. Passes in the record are honored wherever they are legal, also at the end; where the side to
    /// move has none and the item is a move of the other side, the pass is inserted. Passes after the end of the game, with which
    /// match tools for Go close it, are left out.
    ///
    /// # Errors
    /// On the first illegal item: a game without its end would be another game.
    pub fn replay(&self) -> Result<Game, ReplayError> {
        match self.replay_legal() {
            (game, None) => Ok(game),
            (_, Some(error)) => Err(error),
        }
    }

    /// As [`Record::replay`], with what is legal up to the first illegal item.
    pub fn replay_legal(&self) -> (Game, Option<ReplayError>) {
        let mut game = Game::new(self.start);
        for (index, item) in self.items.iter().enumerate() {
            if item.mv == Move::Pass && game.is_over() {
                continue;
            }
            let side = game.position().side;
            let legal = match item.color {
                Some(color) => game.play_as(color, item.mv, item.note),
                None => {
                    game.play(item.mv, item.note)
                        || game.play_as(side.opposite(), item.mv, item.note)
                }
            };
            if !legal {
                return (game, Some(ReplayError { index, text: item.to_string() }));
            }
        }
        (game, None)
    }
}

/// A number as programs print it in any locale: `-1.5`, `+1,25`, `1.234,5`, and the minus sign of typographers. Only
/// finite ones count.
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
    // A character takes at most four bytes, so that a text of megabytes is not copied.
    let head = String::from_utf8_lossy(&text[..text.len().min(4 * MAX_CHARS + 4)]);
    let shown: String = head.chars().take(MAX_CHARS).flat_map(char::escape_debug).collect();
    if head.chars().nth(MAX_CHARS).is_some() { shown + "..." } else { shown }
}

/// Free text of a file: blanks around it do not count, and what is no UTF-8 is replaced.
fn free_text(text: &[u8]) -> String {
    String::from_utf8_lossy(text.trim_ascii()).into_owned()
}

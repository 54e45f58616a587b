//! The games of a file of move lists: one a line, a move a line, or lines under headers as in PGN.

use super::TranscriptError;
use super::passage::Text;
use super::pgn::{Tags, outcome, tags};
use super::scan::{Line, is_result, n_legal, scan};
use crate::board::Position;
use crate::formats::{Item, LeftOut, Outcome, Record, excerpt};
use crate::game::Game;

/// The games of a text, each with the line where its moves begin, from 1.
///
/// A line goes on with the game before it if its moves are legal there, and are no game from the start: all of them, if a blank line or a
/// heading stands between. Where both are possible, it goes on behind a header of PGN, with the next move number, and where every line is one
/// move; else it is a game of its own.
pub struct Games {
    text: Text,
    /// The offset and the number of the next line.
    at: usize,
    number: usize,
    /// The game that the next line may go on with.
    open: Option<Open>,
    /// Tags for the next game.
    tags: Option<Tags>,
    left_out: LeftOut,
}

/// A game of which the moves so far are read.
struct Open {
    line: usize,
    record: Record,
    /// The first misspelled move.
    error: Option<TranscriptError>,
    /// The board after the moves, without a misspelled or illegal one.
    game: Game,
    is_legal: bool,
    has_tags: bool,
    /// Each line so far is one move.
    is_list: bool,
    last_number: Option<usize>,
    /// A blank line or a heading has come since.
    is_interrupted: bool,
}

impl Games {
    /// Reads a text; bytes that are no UTF-8 cost the words that they are in.
    pub fn new(text: &[u8]) -> Games {
        let text = Text::new(&String::from_utf8_lossy(text));
        Games { text, at: 0, number: 1, open: None, tags: None, left_out: LeftOut::default() }
    }

    /// What has been left out so far.
    pub const fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    fn leave_out(&mut self, line: usize, text: &str) {
        self.left_out.first.get_or_insert_with(|| (line, excerpt(text.as_bytes())));
    }

    fn interrupt(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_interrupted = true;
        }
    }

    /// Begins a game; the one before it is complete.
    fn begin(&mut self, line: usize, found: Found, is_short: bool) -> Option<Open> {
        let tags = self.tags.take();
        let has_tags = tags.is_some();
        let (named, mut headers) = tags.unwrap_or_default().read();
        self.left_out.tags.append(&mut headers.unread);
        let own = found.as_ref().ok().and_then(|found| found.start);
        let (start, found) = match (own, named) {
            (Some(start), _) | (None, Ok(start)) => (start, found),
            (None, Err(error)) => (Position::START, Err(error)),
        };
        let record = Record { start, items: Vec::new(), headers };
        let mut open = Open {
            line,
            record,
            error: None,
            game: Game::new(start),
            is_legal: true,
            has_tags,
            is_list: is_short || found.is_ok(),
            last_number: None,
            is_interrupted: false,
        };
        open.add(found);
        self.open.replace(open)
    }

    /// Takes a line; a game that is complete with it.
    fn take(&mut self, line: usize, text: &str, scan: impl FnOnce() -> Found) -> Option<Open> {
        if text.is_empty() {
            self.interrupt();
            return None;
        }
        // A number alone stands before its move.
        if is_comment(text) || is_number(text.trim_end_matches('.')) {
            return None;
        }
        let tags = tags(text);
        if !tags.is_empty() {
            let own = self.tags.get_or_insert_default();
            tags.into_iter().for_each(|tag| own.add(tag));
            return self.open.take();
        }
        // A misspelled line too may be one move of many, or a game.
        let is_short = text.trim_start_matches(|symbol: char| !symbol.is_alphabetic()).len() < 4;
        let is_long = text.len() > MAX_LINE;
        let mut found = if is_long { Err(TranscriptError::Long(text.len())) } else { scan() };
        let is_going_on = self.open.as_ref().is_some_and(Open::is_going_on);
        if found.as_ref().is_ok_and(|line| line.is_slip && is_going_on) {
            found = Err(TranscriptError::Move(excerpt(text.as_bytes())));
        }
        if let Ok(found) = &mut found {
            let is_pass = !found.moves.is_empty() && is_going_on;
            if found.start.is_none() && !found.has_squares() && !is_pass {
                self.leave_out(line, text);
                if found.has_words || found.remark.is_none() {
                    self.left_out.lines += 1;
                    self.interrupt();
                } else {
                    self.left_out.remarks += 1;
                }
                return None;
            }
            if let Some(remark) = &found.remark {
                self.left_out.remarks += 1;
                self.leave_out(line, remark);
            }
            if found.follows_words && !self.open.as_ref().is_some_and(|open| open.takes(found)) {
                found.drop_names();
            }
        }
        let complete = match &mut self.open {
            Some(open) if open.goes_on_with(&found, is_short) => {
                open.add(found);
                None
            }
            _ => self.begin(line, found, is_short),
        };
        let last = text.split_whitespace().next_back().filter(|word| is_result(word));
        if let (Some(Open { record, .. }), Some(result)) = (&mut self.open, last)
            && record.headers.result == Outcome::default()
        {
            record.headers.result = outcome(result, record.start.side);
        }
        complete
    }
}

type Found = Result<Line, TranscriptError>;

impl Iterator for Games {
    type Item = (usize, Result<Record, TranscriptError>);

    fn next(&mut self) -> Option<Self::Item> {
        // The text is read while the game changes.
        let text = std::mem::take(&mut self.text);
        let mut complete = None;
        while complete.is_none()
            && let Some((line, length)) = text.line(self.at)
        {
            let number = self.number;
            self.number += 1 + text.plain[self.at..self.at + length].matches('\n').count();
            self.at += length + 1;
            complete = self.take(number, line.plain, || scan(line));
        }
        self.text = text;
        complete.or_else(|| self.open.take()).map(Open::finish)
    }
}

/// The longest line in bytes that is read.
const MAX_LINE: usize = 1 << 20;

/// Begin a line that is no part of any game.
const COMMENTS: [&str; 3] = ["%", "#", "//"];

pub(super) fn is_comment(line: &str) -> bool {
    COMMENTS.iter().any(|mark| line.starts_with(mark))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Blanks, and what ends files of DOS or begins those of Windows.
pub(super) fn is_blank(symbol: char) -> bool {
    symbol.is_whitespace() || matches!(symbol, '\u{1a}' | '\u{feff}' | '\0')
}

impl Open {
    fn is_going_on(&self) -> bool {
        !self.is_interrupted && !self.game.is_over()
    }

    /// Whether all moves of a line belong to this game.
    fn takes(&self, line: &Line) -> bool {
        let n_legal = || n_legal(&mut self.game.clone(), &line.moves);
        self.is_going_on() && (self.has_tags || n_legal() == line.moves.len())
    }

    fn goes_on_with(&self, found: &Found, is_short: bool) -> bool {
        let Ok(line) = found else {
            return self.is_going_on() && (self.has_tags || self.is_list && is_short);
        };
        if line.start.is_some() || line.first_number == Some(1) || self.game.is_over() {
            return false;
        }
        let follows = self.last_number.zip(line.first_number);
        let follows = follows
            .is_some_and(|(last, number)| number == last || last.checked_add(1) == Some(number));
        let is_game = n_legal(&mut Game::new(Position::START), &line.moves) == line.moves.len();
        let n_here = n_legal(&mut self.game.clone(), &line.moves);
        if self.is_interrupted && !follows {
            // What is a game only here goes on, as behind a blank line between pages.
            return self.is_legal && !is_game && n_here == line.moves.len();
        }
        let is_list = self.is_list && line.moves.len() == 1;
        let belongs = follows || self.has_tags || is_list;
        if !self.is_legal {
            return belongs;
        }
        match (is_game, n_here) {
            (true, n) => n == line.moves.len() && (belongs || self.record.items.is_empty()),
            (false, 0) => belongs,
            (false, _) => true,
        }
    }

    fn add(&mut self, found: Found) {
        match found {
            Ok(line) if self.error.is_none() => {
                self.is_interrupted = false;
                self.is_legal &= n_legal(&mut self.game, &line.moves) == line.moves.len();
                self.is_list &= line.moves.len() == 1;
                self.last_number = line.last_number.or(self.last_number);
                self.record.items.extend(line.moves.into_iter().map(Item::of));
            }
            Ok(_) => {}
            Err(error) => {
                self.is_legal = false;
                self.error.get_or_insert(error);
            }
        }
    }

    fn finish(self) -> (usize, Result<Record, TranscriptError>) {
        (self.line, self.error.map_or(Ok(self.record), Err))
    }
}

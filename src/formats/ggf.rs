//! The Generic Game Format: the archive format of game servers, also used by NBoard in `set game`.
//!
//! The reader accepts what programs send in practice (names are not escaped, numbers follow the user's locale) and takes the first
//! of several games. It supports only 8x8 boards.

mod clock;

#[cfg(test)]
mod tests;

use std::time::Duration;

use super::{Headers, Item, Outcome, Record, excerpt, free_text, number};
use crate::board::parse::ParseError;
use crate::board::{Color, Move, Position};
use crate::game::{Game, Note};
pub use clock::{GgfClock, parse_time};

/// Why a text is not a GGF game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GgfError {
    /// There is no `(;`.
    #[error("no game found: it begins with '(;'")]
    NoGame,
    /// The text ends, or another game begins, before `;)`.
    #[error("the game does not end with ';)'")]
    Unterminated,
    /// The game is not declared as Othello; the value of `GM`.
    #[error("{}", not_othello(.0))]
    NotOthello(String),
    /// The board is not 8x8 or the rules are not the standard ones; the value of `TY` or `BO`.
    #[error("'{0}' is not supported: only standard Othello on 8x8 squares")]
    Variant(String),
    /// There is no `BO`.
    #[error("the tag BO with the start position is missing")]
    NoBoard,
    /// `BO` is not a position.
    #[error("bad start position: {0}")]
    Board(#[source] ParseError),
    /// The value of a `B` or `W` that is not a move.
    #[error("'{0}' is not a move")]
    Item(String),
}

fn not_othello(game: &str) -> String {
    match game {
        "" => "the tag GM[Othello] is missing".into(),
        game => format!("'{game}' is not Othello"),
    }
}

/// Reads the first game of a text; ignores text before it, such as a count of games, and after it. Illegal moves are not detected
/// here, but by [`Record::replay`].
pub fn read(text: &[u8]) -> Result<Record, GgfError> {
    let start = text.windows(2).position(|pair| pair == b"(;").ok_or(GgfError::NoGame)?;
    let mut tags = Tags { rest: &text[start + 2..] };
    let mut game = None;
    let mut board = Err(GgfError::NoBoard);
    let mut items = Vec::new();
    let mut headers = Headers::default();
    let (mut shared_clock, mut clocks) = (None, [None, None]);
    while let Some((name, value)) = tags.next()? {
        if !is_read_whole(name, value.trim_ascii()) {
            headers.unread.insert(excerpt(name));
        }
        match name.to_ascii_uppercase().as_slice() {
            b"GM" => game = game.or(Some(value)),
            b"PC" => headers.place = free_text(value),
            b"DT" => headers.date = free_text(value),
            b"PB" => headers.names[Color::Black.index()] = free_text(value),
            b"PW" => headers.names[Color::White.index()] = free_text(value),
            b"RB" => headers.ratings[Color::Black.index()] = free_text(value),
            b"RW" => headers.ratings[Color::White.index()] = free_text(value),
            b"RE" => headers.result = Outcome { score: score(value), text: free_text(value) },
            b"TI" => shared_clock = GgfClock::parse(value),
            b"TB" => clocks[Color::Black.index()] = GgfClock::parse(value),
            b"TW" => clocks[Color::White.index()] = GgfClock::parse(value),
            b"TY" if !is_standard_type(value) => return Err(GgfError::Variant(excerpt(value))),
            b"TY" | b"KM" => {}
            b"BO" if board.is_err() => board = parse_board(value),
            b"BO" => {}
            // Brackets behind a name belong to it; behind a move there is nothing to skip.
            b"B" | b"W" if board.is_ok() && tags.rest.trim_ascii_start().starts_with(b"[") => {
                return Err(GgfError::Item(excerpt(tags.rest)));
            }
            b"B" => items.extend(parse_item(Color::Black, value, board.is_ok())?),
            b"W" => items.extend(parse_item(Color::White, value, board.is_ok())?),
            other if !value.trim_ascii().is_empty() => {
                headers.unread.insert(excerpt(other));
            }
            _ => {}
        }
    }
    let game = game.unwrap_or_default().trim_ascii();
    if !game.eq_ignore_ascii_case(b"othello") && !game.eq_ignore_ascii_case(b"reversi") {
        return Err(GgfError::NotOthello(excerpt(game)));
    }
    headers.clocks = clocks.map(|clock| clock.or(shared_clock));
    Ok(Record { start: board?, items, headers })
}

/// Whether nothing is lost of a value that is not kept as a text.
fn is_read_whole(name: &[u8], value: &[u8]) -> bool {
    let is_time = |time: &[u8]| time.is_empty() || parse_time(time).is_some();
    match name.to_ascii_uppercase().as_slice() {
        _ if matches!(value, b"" | b"?") => true,
        b"KM" => number(value) == Some(0.0),
        b"TY" => value == b"8",
        b"TI" | b"TB" | b"TW" => value.split(|&byte| byte == b'/').all(is_time),
        b"B" | b"W" => {
            let [_, value, time] = item_parts(value);
            (value.is_empty() || number(value).is_some()) && is_time(time)
        }
        _ => true,
    }
}

/// The games of a text, each from its beginning to that of the next, for [`read`].
pub fn games(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let start_of = |text: &[u8]| text.windows(2).position(|pair| pair == b"(;");
    let mut rest = start_of(text).map(|start| &text[start..]);
    std::iter::from_fn(move || {
        let text = rest?;
        let next = start_of(&text[2..]).map(|start| start + 2);
        rest = next.map(|next| &text[next..]);
        Some(&text[..next.unwrap_or(text.len())])
    })
}

/// A tag's name and value.
type Tag<'a> = (&'a [u8], &'a [u8]);

struct Tags<'a> {
    rest: &'a [u8],
}

impl<'a> Tags<'a> {
    /// The next tag; `None` at `;)`. Text outside of tags is skipped: usually the rest of a name with a `]`.
    fn next(&mut self) -> Result<Option<Tag<'a>>, GgfError> {
        loop {
            match self.rest {
                [] | [b'(', b';', ..] => return Err(GgfError::Unterminated),
                [b';', after @ ..] => {
                    if after.trim_ascii_start().first() == Some(&b')') {
                        return Ok(None);
                    }
                    self.rest = after;
                }
                [first, after @ ..] if !first.is_ascii_alphabetic() => self.rest = after,
                text => {
                    let n_letters =
                        text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
                    let (name, after) = text.split_at(n_letters);
                    self.rest = after;
                    if let [b'[', body @ ..] = after.trim_ascii_start() {
                        let end = value_end(name, body).ok_or(GgfError::Unterminated)?;
                        self.rest = &body[end + 1..];
                        return Ok(Some((name, &body[..end])));
                    }
                }
            }
        }
    }
}

/// The index of the `]` that ends a tag's value; names are not escaped and end at the last `]` before the next `[`.
fn value_end(name: &[u8], body: &[u8]) -> Option<usize> {
    let mut end = body.iter().position(|&byte| byte == b']')?;
    if name.eq_ignore_ascii_case(b"PB") || name.eq_ignore_ascii_case(b"PW") {
        let is_bracket = |byte: &u8| matches!(byte, b'[' | b']');
        while let Some(next) = body[end + 1..].iter().position(is_bracket) {
            if body[end + 1 + next] == b'[' {
                break;
            }
            end += 1 + next;
        }
    }
    Some(end)
}

/// Whether a `TY` such as `8` or `s8r20` (synchro, random start) means the standard rules; `a` is anti-Othello; no number: `BO` tells.
fn is_standard_type(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let Some(at) = value.iter().position(u8::is_ascii_digit) else { return true };
    let (prefix, rest) = value.split_at(at);
    let n_digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let suffix = rest[n_digits..].iter().take_while(|byte| byte.is_ascii_alphabetic());
    &rest[..n_digits] == b"8"
        && !prefix.iter().chain(suffix).any(|byte| matches!(byte, b'a' | b'A'))
}

/// The size, the cells and the side to move.
fn parse_board(value: &[u8]) -> Result<Position, GgfError> {
    let cells = match value.trim_ascii() {
        [b'8', cells @ ..] => cells,
        // A `0` is not a size but a white disc.
        [b'1'..=b'9', ..] => return Err(GgfError::Variant(format!("BO[{}]", excerpt(value)))),
        cells => cells,
    };
    Position::parse_any(cells).map_err(GgfError::Board)
}

/// A `B` or `W`; an empty move is a pass.
fn parse_item(color: Color, value: &[u8], after_board: bool) -> Result<Option<Item>, GgfError> {
    let parts = item_parts(value);
    let mv = if parts[0].is_empty() { Some(Move::Pass) } else { Move::parse(parts[0]) };
    match mv {
        Some(mv) => {
            let note = Note { value: number(parts[1]), time: parse_time(parts[2]) };
            Ok(Some(Item { color: Some(color), mv, note }))
        }
        // Moves follow the board; before it, this is part of a name.
        None if !after_board => Ok(None),
        None => Err(GgfError::Item(excerpt(value))),
    }
}

/// Parses `move/value/time`, with slashes or blanks, as in GGF and NBoard's `move`: a square or a pass, the mover's evaluation in
/// discs, its time. A missing or invalid value or time is `None`; the whole is `None` if there is no move.
pub fn parse_move_item(text: &[u8]) -> Option<(Move, Option<f64>, Option<Duration>)> {
    let [mv, value, time] = item_parts(text);
    Some((Move::parse(mv)?, number(value), parse_time(time)))
}

/// The three parts of an item. One separator is a slash with any blanks around it, or blanks alone.
fn item_parts(text: &[u8]) -> [&[u8]; 3] {
    let mut rest = text.trim_ascii();
    let mut next = || {
        let is_separator = |byte: &u8| *byte == b'/' || byte.is_ascii_whitespace();
        let (part, after) = rest.split_at(rest.iter().position(is_separator).unwrap_or(rest.len()));
        let after = after.trim_ascii_start();
        rest = after.strip_prefix(b"/").unwrap_or(after).trim_ascii_start();
        part
    };
    [next(), next(), next()]
}

/// The number in a result such as `+10.00`, `18` or `-12:r` (resigned).
fn score(value: &[u8]) -> Option<f64> {
    number(value.split(|&byte| byte == b':').next()?)
}

/// Writes a game as NBoard does, on one line without a line end. Unknown headers are left empty; the result of a
/// finished game is filled in. Values have two decimals, times two or three.
pub fn write(game: &Game, headers: &Headers) -> String {
    let [black, white] = &headers.names;
    // Nothing may be left of a text.
    let (place, event) = (clean(&headers.place), clean(&headers.event));
    let place = if place.is_empty() { event } else { place };
    let mut ratings = String::new();
    for (tag, rating) in ["RB", "RW"].into_iter().zip(headers.ratings.each_ref()) {
        let rating = clean(rating);
        if !rating.is_empty() {
            ratings += &format!("{tag}[{rating}]");
        }
    }
    let mut text = format!(
        "(;GM[Othello]PC[{place}]DT[{}]PB[{}]PW[{}]{ratings}RE[{}]{}TY[8]BO[8 {}]",
        clean(&headers.date),
        clean(black),
        clean(white),
        result_text(game, &headers.result),
        clock_tags(headers.clocks),
        game.start().to_string().replace('X', "*"),
    );
    for ply in game.plies() {
        let tag = if ply.before.side == Color::Black { 'B' } else { 'W' };
        let finite = ply.note.value.filter(|value| value.is_finite());
        let value = finite.map(|value| format!("{value:.2}")).unwrap_or_default();
        let time = ply.note.time.map(time_text).unwrap_or_default();
        let item = format!("{:#}/{value}/{time}", ply.mv);
        text += &format!("{tag}[{}]", item.trim_end_matches('/'));
    }
    text + ";)"
}

/// A time in seconds with two decimals, or with three if the last is not 0: short games are timed to the millisecond.
fn time_text(time: Duration) -> String {
    let decimals = if ((time.as_micros() + 500) / 1000).is_multiple_of(10) { 2 } else { 3 };
    format!("{:.decimals$}", time.as_secs_f64())
}

fn result_text(game: &Game, result: &Outcome) -> String {
    // Servers count a game that was forfeited without a number as lost by all discs.
    if let (Some((winner, how)), None) = (result.forfeit(), result.score) {
        let discs = if winner == Color::Black { 64.0 } else { -64.0 };
        return format!("{discs:+.2}:{}", how.letter());
    }
    match result.discs(game) {
        // The text contains more than the number, but only if it is in this format.
        Some(discs) if score(result.text.as_bytes()) == Some(discs) => clean(&result.text),
        Some(discs) => format!("{discs:+.2}"),
        None => "?".into(),
    }
}

fn clock_tags(clocks: [Option<GgfClock>; 2]) -> String {
    match clocks {
        [Some(black), Some(white)] if black == white => format!("TI[{black}]"),
        [black, white] => {
            let tag = |name, clock: Option<GgfClock>| {
                clock.map(|clock| format!("{name}[{clock}]")).unwrap_or_default()
            };
            tag("TB", black) + &tag("TW", white)
        }
    }
}

/// GGF has no escapes: brackets become parentheses, semicolons, which could end a game, commas, and control characters blanks, trimmed.
pub(super) fn clean(text: &str) -> String {
    let replace = |symbol: char| match symbol {
        '[' => '(',
        ']' => ')',
        ';' => ',',
        symbol if symbol.is_control() => ' ',
        symbol => symbol,
    };
    text.chars().map(replace).collect::<String>().trim_ascii().into()
}

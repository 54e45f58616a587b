//! A text of moves made plain, and the brackets in it that hold remarks.
//!
//! Brackets of all kinds nest, and reach over lines up to a tag of PGN, a blank line (but for the braces of PGN) or a game in one word. What
//! nothing closes there is no bracket. Within braces other brackets do not count: `{ a :( smile }`.

use super::games::{is_blank, is_comment};
use super::pgn::tags;
use super::scan::scan;
use crate::board::parse::ParseError;
use crate::board::{Move, Position, Square};

/// Stands for the bytes of `(...)` and `{...}`.
pub(super) const ASIDE: char = '\u{1}';

/// Stands for the bytes of `[...]` and `<...>`.
pub(super) const TAG: char = '\u{2}';

/// A text, or a line of it, with ends of lines in brackets.
#[derive(Clone, Copy)]
pub(super) struct Passage<'a> {
    /// The text as it is to be shown.
    pub plain: &'a str,
    /// Of the same length, with brackets masked.
    pub masked: &'a str,
}

#[derive(Default)]
pub(super) struct Text {
    pub plain: String,
    masked: String,
}

impl Text {
    /// Makes a text plain. If nothing outside of brackets is a move, the outermost ones hold the games, as in JSON, and are blanked.
    pub(super) fn new(text: &str) -> Text {
        const MAX_DEPTH: usize = 8;
        Text::open(normalize(text), MAX_DEPTH)
    }

    fn open(plain: String, depth: usize) -> Text {
        let asides = asides(&plain);
        let (mut masked, mut opened) = (plain.clone().into_bytes(), plain.clone().into_bytes());
        for &(at, end) in &asides {
            (opened[at], opened[end - 1]) = (b' ', b' ');
            let is_tag = matches!(masked[at], b'[' | b'<');
            if masked[at] != b'<'
                && Move::parse(masked[at + 1..end - 1].trim_ascii()) == Some(Move::Pass)
            {
                (masked[at], masked[end - 1]) = (b' ', b' ');
                continue;
            }
            let position = Position::parse_prefix(&masked[at..end]);
            let is_position = matches!(position, Ok(_) | Err(ParseError::Number(_)));
            if !(is_tag && is_position) {
                masked[at..end].fill(if is_tag { TAG } else { ASIDE } as u8);
            }
        }
        let text = Text { plain, masked: String::from_utf8(masked).unwrap_or_default() };
        if depth == 0 || asides.is_empty() || text.has_moves() {
            return text;
        }
        let inner = Text::open(String::from_utf8(opened).unwrap_or_default(), depth - 1);
        if inner.has_moves() { inner } else { text }
    }

    fn has_moves(&self) -> bool {
        self.masked.split('\n').any(|line| {
            let found = scan(Passage { plain: line, masked: line });
            found.map_or(true, |found| found.start.is_some() || found.has_squares())
        })
    }

    pub(super) fn whole(&self) -> Passage<'_> {
        Passage { plain: &self.plain, masked: &self.masked }
    }

    /// The line that begins at an offset, with those that its brackets reach over, and its length; `None` behind the last one.
    pub(super) fn line(&self, at: usize) -> Option<(Passage<'_>, usize)> {
        let line = self.masked.get(at..)?.split('\n').next()?;
        let masked = line.trim_start_matches(is_blank);
        let from = at + line.len() - masked.len();
        let masked = masked.trim_end_matches(is_blank);
        let plain = &self.plain[from..from + masked.len()];
        Some((Passage { plain, masked }, line.len()))
    }
}

/// The closed brackets of a text that are in no other one: where each opens, and where the text goes on behind it.
fn asides(text: &str) -> Vec<(usize, usize)> {
    const KINDS: [u8; 4] = *b"{([<";
    let mut asides: Vec<(usize, usize)> = Vec::new();
    // Open brackets: the kind, the place, and whether they must be closed on their line.
    let mut open: Vec<(usize, usize, bool)> = Vec::new();
    let mut n_open = [0; KINDS.len()];
    let (mut is_pgn, mut start) = (false, 0);
    for line in text.split_inclusive('\n') {
        let in_brace = |open: &[(usize, usize, bool)]| open.last().is_some_and(|last| last.0 == 0);
        let (bytes, trimmed) = (line.as_bytes(), line.trim());
        let is_tag = !tags(trimmed).is_empty();
        is_pgn |= is_tag;
        if is_tag || (trimmed.is_empty() || is_game(trimmed)) && !(is_pgn && in_brace(&open)) {
            open.clear();
            n_open = [0; KINDS.len()];
        }
        let mut is_remark = is_tag || open.is_empty() && is_comment(trimmed);
        for (at, &byte) in bytes.iter().enumerate().skip(if is_remark { bytes.len() } else { 0 }) {
            is_remark |= !in_brace(&open)
                && (matches!(byte, b';' | b'#' | b'%') || bytes[at..].starts_with(b"//"));
            let is_other = |kind: &usize| *kind > 0 && in_brace(&open);
            if let Some(kind) = KINDS.iter().position(|&kind| kind == byte) {
                if !is_other(&kind) {
                    open.push((kind, start + at, is_remark || byte == b'<'));
                    n_open[kind] += 1;
                }
                continue;
            }
            let kind = b"})]>".iter().position(|&kind| kind == byte);
            let Some(kind) = kind.filter(|kind| !is_other(kind) && n_open[*kind] > 0) else {
                continue;
            };
            while let Some((found, from, _)) = open.pop() {
                n_open[found] -= 1;
                if found == kind {
                    asides.push((from, start + at + 1));
                    break;
                }
            }
        }
        while let Some((kind, ..)) = open.pop_if(|bracket| bracket.2) {
            n_open[kind] -= 1;
        }
        start += line.len();
    }
    asides.sort_unstable();
    asides.dedup_by(|inner, outer| inner.0 < outer.1);
    asides
}

/// Whether a line begins with a game in one word, which no bracket that another line opens should hide.
fn is_game(line: &str) -> bool {
    let length = line.find(|symbol: char| !symbol.is_ascii_alphanumeric()).unwrap_or(line.len());
    length >= 8 && line.as_bytes()[..length].chunks(2).all(|pair| Square::parse(pair).is_some())
}

/// A text with full-width letters, blanks, dashes and line ends of any kind as plain ones.
fn normalize(text: &str) -> String {
    let plain = |symbol: char| match symbol {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(symbol) - 0xfee0).unwrap_or(symbol),
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{1a}' | '\u{1}' | '\u{2}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\r' => '\n',
        '\n' | '\t' => symbol,
        _ if symbol.is_whitespace() => ' ',
        _ => symbol,
    };
    text.replace("\r\n", "\n").chars().map(plain).collect()
}

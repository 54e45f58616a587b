//! One line of a move list: which of its words are moves.
//!
//! ```text
//! line     = [position] {part}
//! part     = moves | number | filler | brackets | stray
//! moves    = {[number] (square | pass)}       in one word: f5d6c3, 1f5
//! square   = a-h 1-8                          in either case
//! pass     = pa ps p pass passe passed passes skip -- --- @@ パス, also in brackets
//! number   = digits                           of a move, or of anything else
//! filler   = a blank, a separator, a sign, a quote, the name of a side
//! brackets = (...) {...} [...] <...>
//! stray    = any other word or symbol; % or # and what follows
//! ```
//!
//! The moves of a line are the longest sequence that nothing stray interrupts. What is stray before it (columns) and behind it (remarks)
//! is left out, as is what stands in brackets. A stray word between two moves is an error, so that a misspelled move ends no game. Full-width
//! letters count as plain ones.

use super::{TranscriptError, split_position};
use crate::board::{Move, Position};
use crate::formats::excerpt;

/// A line of a move list.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// The position before the moves, if the line begins with one.
    pub start: Option<Position>,
    /// The moves and the passes that are spelled out.
    pub moves: Vec<Move>,
    /// The number in front of the first move.
    pub first_number: Option<usize>,
    /// The last number in front of a move.
    pub last_number: Option<usize>,
    /// The line from its first brackets or stray word on.
    pub remark: Option<String>,
}

/// Moves in sequence.
#[derive(Debug, Default)]
struct Run {
    moves: Vec<Move>,
    first_number: Option<usize>,
    last_number: Option<usize>,
}

impl Run {
    fn n_squares(&self) -> usize {
        self.moves.iter().filter(|mv| mv.square().is_some()).count()
    }
}

/// The brackets of remarks.
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];

/// What a line begins with.
enum Part {
    Moves(Vec<(Option<usize>, Move)>),
    Number(usize),
    Filler,
    Brackets,
    Stray,
    /// A word that begins with moves, and the length of these.
    Misspelled(usize),
}

/// Reads a line, or a whole text as one line.
///
/// # Errors
/// If a position or a move in it is misspelled.
pub(super) fn scan(line: &str) -> Result<Line, TranscriptError> {
    let plain = normalize(line);
    let (start, text) = split_position(&plain)?;
    let mut found = scan_moves(text, false)?;
    if found.moves.is_empty() && found.remark.is_some() {
        // The list may stand in brackets as a whole.
        let inside = scan_moves(text, true)?;
        if !inside.moves.is_empty() {
            found = inside;
        }
    }
    Ok(Line { start, ..found })
}

fn scan_moves(text: &str, opens_brackets: bool) -> Result<Line, TranscriptError> {
    let mut runs = vec![Run::default()];
    // Behind each run but the last: the text from the stray words on, and their number.
    let mut strays: Vec<(&str, usize)> = Vec::new();
    let mut misspelled: Option<(usize, &str)> = None;
    // A number that no move has followed yet.
    let mut number: Option<(usize, &str)> = None;
    let mut remark = None;
    // Looked for once, since a text may be full of brackets that nothing closes.
    let closings = BRACKETS.map(|(_, closing)| text.rfind(closing).unwrap_or(0));
    let mut rest = text;
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let is_closed = |bracket: usize| !opens_brackets && closings[bracket] > at;
        let (part, length) = next_part(rest, is_closed);
        let index = runs.len() - 1;
        let run = &mut runs[index];
        match part {
            Part::Moves(moves) => {
                for (own_number, mv) in moves {
                    if let Some(number) = own_number.or(number.take().map(|(number, _)| number)) {
                        run.last_number = Some(number);
                        if run.moves.is_empty() {
                            run.first_number = Some(number);
                        }
                    }
                    run.moves.push(mv);
                }
            }
            Part::Number(found) => {
                remark = remark.or(number.map(|(_, text)| text));
                number = Some((found, rest));
            }
            Part::Filler => {}
            Part::Brackets => remark = remark.or(Some(rest)),
            Part::Stray | Part::Misspelled(_) => {
                remark = remark.or(number.take().map(|(_, text)| text)).or(Some(rest));
                if let Part::Misspelled(at) = part {
                    misspelled = misspelled.or(Some((index, &rest[at..])));
                }
                // Words without a move between them are one remark.
                match strays.last_mut() {
                    Some((_, n_words)) if run.moves.is_empty() => *n_words += 1,
                    _ => {
                        strays.push((rest, 1));
                        runs.push(Run::default());
                    }
                }
            }
        }
        rest = &rest[length..];
    }
    let last = runs.len() - 1;
    for (index, run) in runs.iter_mut().enumerate() {
        // Dashes beside a remark are no passes.
        let is_pass = |mv: &&Move| mv.square().is_none();
        if index > 0 {
            let n_leading = run.moves.iter().take_while(is_pass).count();
            run.moves.drain(..n_leading);
        }
        if index < last {
            let n_trailing = run.moves.iter().rev().take_while(is_pass).count();
            run.moves.truncate(run.moves.len() - n_trailing);
        }
    }
    let error = |text: &str| Err(TranscriptError::Move(excerpt(text.as_bytes())));
    // The first of the longest.
    let longest = (0..runs.len()).rev().max_by_key(|&index| runs[index].n_squares()).unwrap_or(0);
    if let Some((index, text)) = misspelled
        && index >= longest
    {
        return error(text);
    }
    for (index, (text, n_words)) in strays.iter().enumerate() {
        if *n_words == 1 && runs[index].n_squares() > 0 && runs[index + 1].n_squares() > 0 {
            return error(text);
        }
    }
    let Run { moves, first_number, last_number } = runs.swap_remove(longest);
    let remark = remark.or(number.map(|(_, text)| text)).map(|text| excerpt(text.as_bytes()));
    Ok(Line { start: None, moves, first_number, last_number, remark })
}

/// What a text begins with, and the length of that in bytes; `is_closed` says whether the bracket of this index is closed somewhere.
fn next_part(text: &str, is_closed: impl Fn(usize) -> bool) -> (Part, usize) {
    let symbol = text.chars().next().unwrap_or(' ');
    let width = symbol.len_utf8();
    match symbol {
        _ if symbol.is_alphanumeric() => {
            let length = text.find(|symbol: char| !symbol.is_alphanumeric()).unwrap_or(text.len());
            (read_word(&text[..length]), length)
        }
        '-' => {
            let length = text.len() - text.trim_start_matches('-').len();
            let part = if matches!(length, 2 | 3) { pass() } else { Part::Filler };
            (part, length)
        }
        '@' if text.starts_with("@@") => (pass(), 2),
        '%' | '#' => (Part::Stray, text.find('\n').unwrap_or(text.len())),
        '(' | '[' | '{' | '<' => {
            let bracket = BRACKETS.iter().position(|(opening, _)| *opening == symbol).unwrap_or(0);
            let end = if is_closed(bracket) { text.find(BRACKETS[bracket].1) } else { None };
            match end {
                // In HTML `<p>` begins a paragraph.
                Some(end) if symbol != '<' && is_pass(text[width..end].trim()) => (pass(), end + 1),
                Some(end) => (Part::Brackets, end + 1),
                None => (Part::Filler, width),
            }
        }
        _ if symbol.is_whitespace() || FILLERS.contains(symbol) => (Part::Filler, width),
        _ => (Part::Stray, width),
    }
}

/// Separators, signs and quotes.
const FILLERS: &str = ",;:.!?$|/\\\"'`*+=~_<>()[]{}«»“”„‘’、。・●○■□▲△→";

/// Words that name the side of the next move, or separate.
const SIDES: [&str; 12] =
    ["b", "w", "x", "o", "black", "white", "noir", "blanc", "noirs", "blancs", "黒", "白"];

const fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

fn pass() -> Part {
    Part::Moves(vec![(None, Move::Pass)])
}

/// Whether a whole word is a pass, in the spellings of people beside those of programs.
fn is_pass(word: &str) -> bool {
    let words = ["p", "passe", "passed", "passes", "skip", "---", "パス"];
    Move::parse(word.as_bytes()) == Some(Move::Pass)
        || words.iter().any(|pass| word.eq_ignore_ascii_case(pass))
}

fn read_word(word: &str) -> Part {
    if is_pass(word) {
        return pass();
    }
    if SIDES.iter().any(|side| word.eq_ignore_ascii_case(side)) {
        return Part::Filler;
    }
    let bytes = word.as_bytes();
    if bytes.iter().copied().all(is_digit) {
        // A number too large is none of a move.
        return Part::Number(word.parse().unwrap_or(usize::MAX));
    }
    let mut moves = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let n_digits = bytes[at..].iter().copied().take_while(|&byte| is_digit(byte)).count();
        let after = &bytes[at + n_digits..];
        // `pass` also begins with `pa`.
        let found = [4, 2]
            .into_iter()
            .find_map(|length| Some((Move::parse(after.get(..length)?)?, length)));
        let Some((mv, length)) = found else { break };
        moves.push((word[at..at + n_digits].parse().ok(), mv));
        at += n_digits + length;
    }
    let n_squares = moves.iter().filter(|(_, mv)| mv.square().is_some()).count();
    let rest = &bytes[at..];
    let is_pair =
        |pair: &[u8]| pair.len() == 1 || pair[0].is_ascii_alphabetic() && is_digit(pair[1]);
    if rest.is_empty() {
        Part::Moves(moves)
    } else if n_squares > 1 || n_squares == 1 && rest.chunks(2).all(is_pair) {
        Part::Misspelled(at)
    } else {
        Part::Stray
    }
}

/// A text with full-width letters, blanks and dashes of any kind as plain ones.
fn normalize(text: &str) -> String {
    let plain = |symbol: char| match symbol {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(symbol) - 0xfee0).unwrap_or(symbol),
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{1a}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ if symbol.is_whitespace() && symbol != '\n' => ' ',
        _ => symbol,
    };
    text.chars().map(plain).collect()
}

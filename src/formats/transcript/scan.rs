//! One line of a move list: which of its words are moves.
//!
//! ```text
//! line     = [position] {part}
//! part     = moves | number | filler | aside | stray
//! moves    = {[number] (square | pass)}       in one word: f5d6c3, 1f5
//! square   = a-h 1-8                          in either case
//! pass     = one that `Move::parse` reads, also in brackets
//! number   = digits                           of a move, or of anything else
//! filler   = a blank, a separator, a sign, a quote, the name of a side
//! aside    = (...) {...} [...] <...>          with all that is in it; ; or // and the rest of the line
//! stray    = any other word or symbol; % or # and what follows
//! ```
//!
//! The moves of a line are the longest sequence that nothing stray interrupts. What is stray before it (columns) and behind it (remarks)
//! is left out, as are asides. Words beside each single move, as in JSON, interrupt nothing. A stray word between two moves is an error, and so is one behind them that looks like a misspelled move, so
//! that none of these ends a game. Full-width letters count as plain ones.

use super::passage::{ASIDE, Passage, TAG};
use super::{TranscriptError, split_position};
use crate::board::{Move, Position};
use crate::formats::{Item, excerpt};
use crate::game::Game;

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
    /// The line from its first aside or stray word on.
    pub remark: Option<String>,
    /// Stray words or tags of HTML are in the line.
    pub has_words: bool,
    /// Stray words stand before the moves.
    pub follows_words: bool,
    /// The line is no more than a misspelled move.
    pub is_slip: bool,
}

impl Line {
    pub(super) fn has_squares(&self) -> bool {
        self.moves.iter().any(|mv| mv.square().is_some())
    }

    /// Drops squares that are no moves but part of the words before these, as in `Heath - C4 | F5d6C3`: the game is the longest legal one.
    pub(super) fn drop_names(&mut self) {
        let start = Game::new(self.start.unwrap_or(Position::START));
        let legal = |from: &usize| n_legal(&mut start.clone(), &self.moves[*from..]);
        let longest = (0..self.moves.len().min(5)).rev().max_by_key(legal);
        self.moves.drain(..longest.filter(|from| legal(from) > 1).unwrap_or(0));
    }
}

/// Plays moves as [`Record::replay`](crate::formats::Record::replay) does, and counts those up to the first illegal one.
pub(super) fn n_legal(game: &mut Game, moves: &[Move]) -> usize {
    moves.iter().take_while(|&&mv| Item::of(mv).play_in(game)).count()
}

/// Moves in sequence.
#[derive(Debug, Default)]
struct Run {
    moves: Vec<Move>,
    n_words: usize,
    first_number: Option<usize>,
    last_number: Option<usize>,
}

impl Run {
    fn n_squares(&self) -> usize {
        self.moves.iter().filter(|mv| mv.square().is_some()).count()
    }

    fn push(&mut self, number: Option<usize>, mv: Move) {
        self.last_number = number.or(self.last_number);
        if self.moves.is_empty() {
            self.first_number = number;
        }
        self.moves.push(mv);
    }

    /// Dashes beside words are no passes.
    fn drop_dashes(&mut self, follows_words: bool, precedes_words: bool) {
        let is_square = |mv: &Move| mv.square().is_some();
        if precedes_words {
            self.moves.truncate(self.moves.iter().rposition(is_square).map_or(0, |at| at + 1));
        }
        if follows_words {
            let n_leading = self.moves.iter().position(is_square).unwrap_or(self.moves.len());
            self.moves.drain(..n_leading);
        }
    }
}

/// The moves of all runs, if words stand beside each single move, as names and times do.
fn joined(runs: &[Run]) -> Option<Run> {
    let n_squares = runs.iter().map(Run::n_squares);
    let is_spread = n_squares.clone().max() == Some(1) && n_squares.sum::<usize>() > 2;
    let moves = runs.iter().flat_map(|run| run.moves.clone()).collect();
    let last_number = runs.iter().rev().find_map(|run| run.last_number);
    let first_number = runs.iter().find(|run| run.n_squares() > 0)?.first_number;
    is_spread.then_some(Run { moves, first_number, last_number, n_words: 1 })
}

/// Stray words without a move between them.
struct Stray<'a> {
    /// The text from the first of them on.
    text: &'a str,
    n_words: usize,
    /// The next column of a table whose column before is all moves.
    is_column: bool,
}

/// What a text begins with.
enum Part {
    Moves(Vec<(Option<usize>, Move)>),
    Number(usize),
    Filler,
    Aside,
    Stray,
    /// A word that begins with moves, and the length of these.
    Misspelled(usize),
}

/// Reads a line, or a whole text as one line; fails if a position or a move in it is misspelled.
pub(super) fn scan(line: Passage<'_>) -> Result<Line, TranscriptError> {
    let (start, text) = split_position(line.masked)?;
    let shown = |rest: &str| excerpt(&line.plain.as_bytes()[line.plain.len() - rest.len()..]);
    let mut runs = vec![Run::default()];
    // Behind each run but the last.
    let mut strays: Vec<Stray<'_>> = Vec::new();
    let mut misspelled: Option<(usize, &str)> = None;
    // A number that no move has followed yet.
    let mut number: Option<(usize, &str)> = None;
    let mut remark = None;
    let (mut has_tags, mut has_semicolon) = (false, false);
    let mut rest = text;
    while !rest.is_empty() {
        let before = &text[..text.len() - rest.len()];
        let index = runs.len() - 1;
        let run = &mut runs[index];
        let is_first = rest.starts_with(';') && !std::mem::replace(&mut has_semicolon, true);
        let n_squares = if is_first && index == 0 { run.n_squares() } else { 0 };
        let may_end = is_first && (before.is_empty() && start.is_none() || n_squares > 0);
        let (part, length) =
            if (may_end || rest.starts_with("//")) && is_remark(before, rest, n_squares) {
                (Part::Aside, line_length(rest))
            } else {
                next_part(rest)
            };
        match part {
            Part::Moves(moves) => {
                for (own, mv) in moves {
                    run.push(own.or(number.take().map(|(number, _)| number)), mv);
                }
                run.n_words += 1;
            }
            Part::Number(found) => {
                remark = remark.or(number.map(|(_, text)| text));
                number = Some((found, rest));
            }
            Part::Filler => {}
            Part::Aside => {
                has_tags |= rest.starts_with(TAG);
                remark = remark.or(Some(rest));
            }
            Part::Stray | Part::Misspelled(_) => {
                remark = remark.or(number.take().map(|(_, text)| text)).or(Some(rest));
                if let Part::Misspelled(at) = part {
                    misspelled = misspelled.or(Some((index, &rest[at..])));
                }
                // Words without a move between them are one remark.
                match strays.last_mut() {
                    Some(stray) if run.moves.is_empty() => stray.n_words += 1,
                    _ => {
                        let gap = before.trim_end_matches(|symbol: char| !symbol.is_alphanumeric());
                        let is_column = run.n_words == 1
                            && run.moves.len() > 1
                            && before[gap.len()..].contains([',', ';', '|', '\t']);
                        strays.push(Stray { text: rest, n_words: 1, is_column });
                        runs.push(Run::default());
                    }
                }
            }
        }
        rest = &rest[length..];
    }
    let last = runs.len() - 1;
    for (index, run) in runs.iter_mut().enumerate() {
        run.drop_dashes(index > 0, index < last);
    }
    let error = |rest: &str| Err(TranscriptError::Move(shown(rest)));
    let is_game = |moves: &[Move]| {
        n_legal(&mut Game::new(start.unwrap_or(Position::START)), moves) == moves.len()
    };
    if let Some(whole) = joined(&runs).filter(|whole| is_game(&whole.moves)) {
        runs = vec![whole];
        strays.clear();
    }
    // The first of the longest.
    let longest = (0..runs.len()).rev().max_by_key(|&index| runs[index].n_squares()).unwrap_or(0);
    if let Some((index, text)) = misspelled
        && index >= longest
    {
        return error(text);
    }
    for (index, stray) in strays.iter().enumerate() {
        // A square before it may be part of a name: `Heath C4 Rose F5d6C3`.
        let is_name = index > 0 && index < longest && is_game(&runs[longest].moves);
        let is_between = runs[index].n_squares() > 0 && runs[index + 1].n_squares() > 0;
        let is_last = index == longest && runs[index].n_squares() > 0;
        if is_between && stray.n_words == 1 && !is_name || is_last && stray.is_slip() {
            return error(stray.text);
        }
    }
    let is_slip = matches!(&strays[..], [stray] if stray.n_words == 1 && stray.is_slip());
    let has_words = has_tags || !strays.is_empty() || number.is_some();
    let Run { moves, first_number, last_number, .. } = runs.swap_remove(longest);
    let (remark, follows_words) = (remark.or(number.map(|(_, text)| text)), longest > 0);
    let remark = remark.map(shown);
    Ok(Line { moves, first_number, last_number, remark, has_words, follows_words, is_slip, start })
}

impl Stray<'_> {
    /// Whether it looks like a misspelled move: `c9`, `dd3`, or `c` alone.
    fn is_slip(&self) -> bool {
        let end = self.text.find(|symbol: char| !symbol.is_alphanumeric());
        let word = &self.text[..end.unwrap_or(self.text.len())];
        let digits = word.trim_start_matches(|symbol: char| symbol.is_ascii_alphabetic());
        let n_letters = word.len() - digits.len();
        let is_cut = self.n_words == 1 && n_letters == 1 && digits.is_empty();
        !self.is_column
            && (is_cut && matches!(word.as_bytes()[0].to_ascii_lowercase(), b'a'..=b'h')
                || matches!(n_letters, 1 | 2)
                    && matches!(digits.len(), 1 | 2)
                    && digits.bytes().all(is_digit))
    }
}

fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// Whether a text begins with a remark up to the end of the line: with slashes beside a blank, unlike those of `f5//1.5`, or as in PGN with
/// a semicolon behind moves or nothing, unless that separates moves or columns: there are others, and no words or only one move before.
fn is_remark(before: &str, text: &str, n_squares: usize) -> bool {
    let is_blank = |symbol: Option<char>| symbol.is_none_or(char::is_whitespace);
    let is_apart = is_blank(before.chars().next_back());
    if let Some(rest) = text.strip_prefix("//") {
        return is_apart || is_blank(rest.chars().next());
    }
    let tail = &text[1..line_length(text)];
    let is_word = |word: &str| word.len() > 2 && word.chars().all(char::is_alphabetic);
    let mut words = tail.split(|symbol: char| !symbol.is_alphanumeric());
    is_apart && !tail.contains(';') || (is_apart || n_squares > 1) && words.any(is_word)
}

/// What a text begins with, and the length of that in bytes.
fn next_part(text: &str) -> (Part, usize) {
    let symbol = text.chars().next().unwrap_or(' ');
    let width = symbol.len_utf8();
    match symbol {
        _ if is_result(text) => (Part::Filler, text.len()),
        _ if symbol.is_alphanumeric() => {
            let length = text.find(|symbol: char| !symbol.is_alphanumeric()).unwrap_or(text.len());
            (read_word(&text[..length]), length)
        }
        '-' | '@' => {
            let length = text.len() - text.trim_start_matches(symbol).len();
            match symbol {
                _ if is_pass(&text[..length]) => (pass(), length),
                '-' => (Part::Filler, length),
                _ => (Part::Stray, length),
            }
        }
        '%' | '#' => (Part::Stray, line_length(text)),
        // Drops of XBoard.
        'P' | 'p' if text[1..].starts_with('@') => (Part::Filler, 2),
        ASIDE | TAG => (Part::Aside, text.len() - text.trim_start_matches(symbol).len()),
        // Nothing says where the remark ends.
        '(' | '[' | '{' => (Part::Stray, width),
        _ if symbol.is_whitespace() || FILLERS.contains(symbol) => (Part::Filler, width),
        _ => (Part::Stray, width),
    }
}

/// Whether a text is the result of a game: `34-30`, or as in chess.
pub(super) fn is_result(text: &str) -> bool {
    let is_number = |text: &str| matches!(text.len(), 1 | 2) && text.bytes().all(is_digit);
    let text = if text.len() < 9 { text.trim_end() } else { "" };
    let numbers = text.split_once('-');
    text == "1/2-1/2" || numbers.is_some_and(|(own, other)| is_number(own) && is_number(other))
}

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

fn is_pass(word: &str) -> bool {
    Move::parse(word.as_bytes()) == Some(Move::Pass)
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

//! The Smart Game Format for Othello (`GM[2]`): a reader for the dialects in use and a writer in Quarry's.
//!
//! Quarry writes points as two letters with the row counted from the top (c4 is `cd`), and omits passes; Edax and GRhino write
//! squares such as `c4`, and passes. GoGui and gogui-twogtp write a game of Go on 8x8 points: without `GM`, and with the row counted
//! from the bottom, where their board has row 1 (c4 is `ce`). The reader follows the first variation at every branch.

#[cfg(test)]
mod tests;

use super::ggf::{GgfClock, parse_time};
use super::{Headers, Item, Outcome, Record, excerpt, free_text, number};
use crate::board::bitboard::{CENTER, Squares};
use crate::board::{Color, Move, Position, Square};
use crate::game::{Game, Note};

/// Why a text is not an SGF game of Othello.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SgfError {
    /// There is no `(;`.
    #[error("no game found: it begins with '(;'")]
    NoGame,
    /// The text ends within the game.
    #[error("the game does not end with ')'")]
    Unterminated,
    /// `GM` is not 2, or it is missing together with `SZ[8]`, which would mean Go; the value of `GM`.
    #[error("{}", not_othello(.0))]
    NotOthello(String),
    /// The board is not 8x8; the value of `SZ`.
    #[error("board size {0} is not supported, only 8")]
    Size(String),
    /// A value that is not a square of the board.
    #[error("'{0}' is not a square")]
    Point(String),
    /// A `B` or `W` with more than one value; the second.
    #[error("'{0}' is a second move in one place")]
    Moves(String),
    /// Discs are set up after the first move.
    #[error("discs are set up after the first move")]
    LateSetup,
}

fn not_othello(game: &str) -> String {
    match game {
        "" => "the property GM[2], which means Othello, is missing".into(),
        game => format!("GM[{game}] is not Othello, which is 2"),
    }
}

/// The direction in which the row of a two-letter point is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    FromTop,
    FromBottom,
}

/// Reads the main line of the first game of a text. With `until`, reading ends before the move of that number, counted from 1 as in
/// GTP's `loadsgf` and without implied passes; the text after it is not checked. Illegal moves are no error: [`Record::replay`] finds them.
///
/// Without set-up properties the game has the standard start. A set-up that puts a disc on one of the four center squares is the
/// whole position; any other one adds to the standard start.
///
/// Rows are counted from the top in a game with `GM[2]` and from the bottom in one without, unless only the other way gives legal moves.
/// From the standard start no game is legal both ways, but from a position that is set up whole every game is: then `GM` decides.
pub fn read(text: &[u8], until: Option<usize>) -> Result<Record, SgfError> {
    let is_legal = |record: &Record| record.replay_legal().1.is_none();
    let (from_top, names_game) = read_rows(text, until, Rows::FromTop)?;
    if names_game && is_legal(&from_top) {
        return Ok(from_top);
    }
    let (from_bottom, _) = read_rows(text, until, Rows::FromBottom)?;
    let (usual, other) = if names_game { (from_top, from_bottom) } else { (from_bottom, from_top) };
    Ok(if !is_legal(&usual) && is_legal(&other) { other } else { usual })
}

/// As [`read`] with this direction of rows; also returns whether the text says that the game is Othello.
fn read_rows(text: &[u8], until: Option<usize>, rows: Rows) -> Result<(Record, bool), SgfError> {
    let mut scanner = Scanner::new(text)?;
    let max_items = until.map_or(usize::MAX, |number| number.saturating_sub(1));
    let (mut names_game, mut names_size) = (false, false);
    let mut setup = Setup::default();
    let mut items = Vec::new();
    // The node of each item; values and comments with theirs.
    let (mut nodes, mut values_of, mut comments) = (Vec::new(), Vec::new(), Vec::new());
    let mut headers = Headers::default();
    while let Some((name, values)) = scanner.next()? {
        let Some(value) = values.first().map(|value| value.trim_ascii()) else { continue };
        let name = short_name(name);
        let node = scanner.n_nodes;
        if matches!(name.as_slice(), b"B" | b"W") {
            setup.begin_moves(node);
        }
        if values.len() > 1 && !matches!(name.as_slice(), b"AB" | b"AW" | b"AE") {
            headers.unread.insert(excerpt(&name));
        }
        match name.as_slice() {
            b"GM" if value != b"2" => return Err(SgfError::NotOthello(excerpt(value))),
            b"GM" => names_game = true,
            b"SZ" if value != b"8" && value != b"8:8" => {
                return Err(SgfError::Size(excerpt(value)));
            }
            b"SZ" => names_size = true,
            b"PB" => headers.names[Color::Black.index()] = free_text(value),
            b"PW" => headers.names[Color::White.index()] = free_text(value),
            b"BR" => headers.ratings[Color::Black.index()] = free_text(value),
            b"WR" => headers.ratings[Color::White.index()] = free_text(value),
            b"PC" => headers.place = free_text(value),
            b"EV" => headers.event = free_text(value),
            b"DT" => headers.date = free_text(value),
            b"RE" => headers.result = Outcome { score: score(value), text: free_text(value) },
            b"TM" if parse_time(value).is_some() => {
                headers.clocks = [parse_time(value).map(GgfClock::of); 2];
            }
            b"V" if let Some(value) = number(value) => values_of.push((node, value)),
            b"C" | b"GC" if !value.is_empty() => comments.push((node, free_text(value))),
            b"B" | b"W" if items.len() >= max_items => break,
            b"B" | b"W" if values.len() > 1 => return Err(SgfError::Moves(excerpt(&values[1]))),
            b"B" | b"W" => {
                let color = if name == b"B" { Color::Black } else { Color::White };
                items.push(parse_item(color, value, rows)?);
                nodes.push(node);
            }
            b"AB" | b"AW" | b"AE" if !items.is_empty() => return Err(SgfError::LateSetup),
            b"AB" => setup.add(Some(Color::Black), &values, rows)?,
            b"AW" => setup.add(Some(Color::White), &values, rows)?,
            b"AE" => setup.add(None, &values, rows)?,
            // After a move it says who moves next, not who began.
            b"PL" if !items.is_empty() => {}
            b"PL" => {
                setup.player =
                    parse_side(value).map(|side| (side, scanner.n_nodes)).or(setup.player)
            }
            b"KM" if number(value) == Some(0.0) => {}
            // Of the file itself, or the same in every game.
            b"FF" | b"CA" | b"AP" | b"ST" | b"RU" => {}
            // An empty DO or IT, though, marks a move.
            b"C" | b"GC" | b"KM" | b"TM" | b"V" if value.is_empty() => {}
            other => {
                headers.unread.insert(excerpt(other));
            }
        }
    }
    // GoGui writes `SZ[8]` for 8x8 points; without `GM` and `SZ`, the game is Go on 19x19.
    if !names_game && !names_size {
        return Err(SgfError::NotOthello(String::new()));
    }
    for (node, value) in values_of {
        if let Some(item) = nodes.iter().position(|&found| found == node) {
            let item: &mut Item = &mut items[item];
            item.note.value = Some(if item.color == Some(Color::White) { -value } else { value });
        } else {
            headers.unread.insert("V".into());
        }
    }
    headers.has_branches = scanner.has_branches;
    headers.comments = comments
        .into_iter()
        .map(|(node, text)| {
            let before = nodes.iter().zip(&items).take_while(|(found, _)| **found <= node);
            (before.filter(|(_, item)| item.mv.square().is_some()).count(), text)
        })
        .collect();
    Ok((Record { start: setup.position(items.first()), items, headers }, names_game))
}

/// The games of a collection, each from its opening parenthesis to the closing one or to the end of the text.
pub fn games(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.iter().position(|&byte| byte == b'(')?;
            rest = &rest[start..];
            if rest[1..].trim_ascii_start().starts_with(b";") {
                let (game, after) = rest.split_at(tree_end(rest));
                rest = after;
                return Some(game);
            }
            rest = &rest[1..];
        }
    })
}

/// The length of the game tree at the start of a text.
fn tree_end(text: &[u8]) -> usize {
    let (mut depth, mut in_value) = (0, false);
    let mut bytes = text.iter().zip(1..);
    while let Some((byte, n)) = bytes.next() {
        match byte {
            b'\\' if in_value => _ = bytes.next(),
            b']' => in_value = false,
            _ if in_value => {}
            b'[' => in_value = true,
            b'(' => depth += 1,
            b')' if depth == 1 => return n,
            b')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// A property's name and its values, escapes undone.
type Property<'a> = (&'a [u8], Vec<Vec<u8>>);

/// In `FF[1]` to `FF[3]`, lower-case letters do not count: `White` is `W`. A name in lower case only becomes upper case.
fn short_name(name: &[u8]) -> Vec<u8> {
    let capitals: Vec<u8> = name.iter().copied().filter(u8::is_ascii_uppercase).collect();
    if capitals.is_empty() { name.to_ascii_uppercase() } else { capitals }
}

/// The properties of the main line.
struct Scanner<'a> {
    rest: &'a [u8],
    n_nodes: usize,
    has_branches: bool,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a [u8]) -> Result<Scanner<'a>, SgfError> {
        let mut rest = text;
        while let Some(at) = rest.iter().position(|&byte| byte == b'(') {
            rest = rest[at + 1..].trim_ascii_start();
            if rest.starts_with(b";") {
                return Ok(Scanner { rest, n_nodes: 0, has_branches: false });
            }
        }
        Err(SgfError::NoGame)
    }

    /// The next property; `None` at the end of the main line.
    fn next(&mut self) -> Result<Option<Property<'a>>, SgfError> {
        loop {
            let &first = self.rest.first().ok_or(SgfError::Unterminated)?;
            // The first variation follows its node, so the first closing parenthesis ends the main line.
            if first == b')' {
                return Ok(None);
            }
            if !first.is_ascii_alphabetic() {
                self.n_nodes += usize::from(first == b';');
                self.has_branches |= first == b'(';
                self.rest = &self.rest[1..];
                continue;
            }
            let n_letters = self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            let (name, after) = self.rest.split_at(n_letters);
            self.rest = after;
            let mut values = Vec::new();
            while let [b'[', body @ ..] = self.rest.trim_ascii_start() {
                self.rest = body;
                values.push(self.value()?);
            }
            return Ok(Some((name, values)));
        }
    }

    /// The value whose opening bracket was just passed.
    fn value(&mut self) -> Result<Vec<u8>, SgfError> {
        let mut value = Vec::new();
        loop {
            let (byte, after) = self.rest.split_first().ok_or(SgfError::Unterminated)?;
            self.rest = after;
            match (byte, after) {
                (b']', _) => return Ok(value),
                // An escaped line end is removed.
                (b'\\', [b'\r', b'\n', after @ ..] | [b'\n', after @ ..]) => self.rest = after,
                (b'\\', [escaped, after @ ..]) => {
                    value.push(*escaped);
                    self.rest = after;
                }
                _ => value.push(*byte),
            }
        }
    }
}

#[derive(Default)]
struct Setup {
    discs: [u64; 2],
    named: u64,
    /// The side to move, and the node that says so.
    player: Option<(Color, usize)>,
}

impl Setup {
    /// Puts discs, or none, on the squares of a property.
    fn add(
        &mut self,
        color: Option<Color>,
        values: &[Vec<u8>],
        rows: Rows,
    ) -> Result<(), SgfError> {
        for value in values {
            let set = parse_squares(value, rows).ok_or_else(|| SgfError::Point(excerpt(value)))?;
            self.discs = self.discs.map(|discs| discs & !set);
            if let Some(color) = color {
                self.discs[color.index()] |= set;
            }
            self.named |= set;
        }
        Ok(())
    }

    /// Notes a move in this node. A side to move that the same node names is the one after the move, not that of the start.
    fn begin_moves(&mut self, node: usize) {
        self.player = self.player.filter(|&(_, named_by)| named_by != node);
    }

    /// The start position. Without a side to move in the set-up, the first item decides.
    fn position(&self, first: Option<&Item>) -> Position {
        let implied = if self.named == 0 { None } else { first.and_then(|item| item.color) };
        let side = self.player.map(|player| player.0).or(implied).unwrap_or(Color::Black);
        let [black, white] = self.discs;
        if (black | white) & CENTER != 0 {
            return Position::new(black, white, side);
        }
        let kept = |color| Position::START.discs(color) & !self.named;
        Position::new(black | kept(Color::Black), white | kept(Color::White), side)
    }
}

/// Two letters, or a letter and a digit, which counts from the top in all dialects.
fn parse_square(text: &[u8], rows: Rows) -> Option<Square> {
    if let &[column, row] = text
        && row.is_ascii_alphabetic()
    {
        let index = |letter: u8| letter.to_ascii_lowercase().wrapping_sub(b'a');
        let row = match rows {
            Rows::FromTop => index(row),
            Rows::FromBottom => 7u8.checked_sub(index(row))?,
        };
        return Square::at(index(column), row);
    }
    Square::parse(text)
}

/// A square, or a rectangle such as `aa:hb`.
fn parse_squares(text: &[u8], rows: Rows) -> Option<u64> {
    let mut corners =
        text.split(|&byte| byte == b':').map(|corner| parse_square(corner.trim_ascii(), rows));
    let first = corners.next()??;
    let last = corners.next().unwrap_or(Some(first))?;
    let (upper, lower) = match rows {
        Rows::FromTop => (first.row(), last.row()),
        Rows::FromBottom => (last.row(), first.row()),
    };
    let inside = |square: &Square| {
        (first.column()..=last.column()).contains(&square.column())
            && (upper..=lower).contains(&square.row())
    };
    Some(Square::all().filter(inside).fold(0, |set, square| set | square.bit()))
}

/// A `B` or `W`; a pass is empty, a word, or Go's `tt`, a point off the board.
fn parse_item(color: Color, value: &[u8], rows: Rows) -> Result<Item, SgfError> {
    let mv = if value.is_empty() || value.eq_ignore_ascii_case(b"tt") {
        Some(Move::Pass)
    } else {
        parse_square(value, rows).map(Move::Place).or_else(|| Move::parse(value))
    };
    let mv = mv.ok_or_else(|| SgfError::Point(excerpt(value)))?;
    Ok(Item { color: Some(color), mv, note: Note::default() })
}

fn parse_side(value: &[u8]) -> Option<Color> {
    match value.first()? {
        b'B' | b'b' | b'1' => Some(Color::Black),
        b'W' | b'w' | b'2' => Some(Color::White),
        _ => None,
    }
}

/// Discs for Black in a result such as `B+18`, `W+2` or `Draw`.
fn score(value: &[u8]) -> Option<f64> {
    match value {
        [b'B' | b'b', b'+', discs @ ..] => number(discs),
        [b'W' | b'w', b'+', discs @ ..] => number(discs).map(|discs| -discs),
        b"0" => Some(0.0),
        draw => draw.eq_ignore_ascii_case(b"draw").then_some(0.0),
    }
}

/// Writes a game in Quarry's dialect without a line end: no passes, no times, set-up only for another start than the standard one. Unknown
/// headers are left out, and the result of a finished game is filled in. Values have two decimals. A pass at the end is lost.
pub fn write(game: &Game, headers: &Headers) -> String {
    write_marked(game, headers, |_| "")
}

/// As [`write()`], with more properties of a ply, by its index.
pub fn write_marked(
    game: &Game,
    headers: &Headers,
    mark: impl Fn(usize) -> &'static str,
) -> String {
    let mut text = format!(
        "(;GM[2]FF[4]CA[UTF-8]AP[othellier:{}]SZ[8]PB[{}]PW[{}]",
        env!("CARGO_PKG_VERSION"),
        escape(&headers.names[Color::Black.index()]),
        escape(&headers.names[Color::White.index()]),
    );
    let result = result_text(game, &headers.result);
    let [black_rating, white_rating] = &headers.ratings;
    let clock = headers.clocks[0].filter(|_| headers.clocks[0] == headers.clocks[1]);
    let clock = clock.map(|clock| clock.initial.as_secs_f64().to_string()).unwrap_or_default();
    for (name, value) in [
        ("BR", black_rating),
        ("WR", white_rating),
        ("EV", &headers.event),
        ("PC", &headers.place),
        ("DT", &date(&headers.date)),
        ("RE", &result),
        ("TM", &clock),
    ] {
        let value = escape(value);
        if !value.is_empty() {
            text += &format!("{name}[{value}]");
        }
    }
    if game.start() != Position::START {
        text += &setup_properties(game.start());
    }
    let mut n_discs = 0;
    text += &comment(headers, n_discs);
    for (index, ply) in game.plies().iter().enumerate() {
        let Some(square) = ply.mv.square() else { continue };
        n_discs += 1;
        text += &format!(";{}[{}]", letter(ply.before.side), point(square));
        if let Some(value) = ply.note.value.filter(|value| value.is_finite()) {
            let for_black = if ply.before.side == Color::White { -value } else { value };
            text += &format!("V[{for_black:.2}]");
        }
        text += mark(index);
        text += &comment(headers, n_discs);
    }
    text + ")"
}

/// The comments behind a number of discs as one property.
fn comment(headers: &Headers, n_discs: usize) -> String {
    let texts = headers.comments.iter().filter(|(at, _)| *at == n_discs);
    let lines: Vec<String> = texts
        .flat_map(|(_, text)| text.lines())
        .map(escape)
        .filter(|line| !line.is_empty())
        .collect();
    if lines.is_empty() { String::new() } else { format!("C[{}]", lines.join("\n")) }
}

fn setup_properties(start: Position) -> String {
    let black = start.discs(Color::Black);
    let white = start.discs(Color::White);
    // Readers that add a set-up to the standard start need an explicitly empty center.
    let empty_center = CENTER & !(black | white);
    let mut text = String::new();
    for (name, set) in [("AB", black), ("AW", white), ("AE", empty_center)] {
        if set != 0 {
            text += name;
            text.extend(Squares(set).map(|square| format!("[{}]", point(square))));
        }
    }
    text + &format!("PL[{}]", letter(start.side))
}

fn result_text(game: &Game, result: &Outcome) -> String {
    // A forfeit keeps its words: readers would take a number for the result on the board.
    if let Some((winner, how)) = result.forfeit() {
        return format!("{}+{}", letter(winner), how.word());
    }
    match result.discs(game) {
        // The text may say more than the number, but only if it is in this format.
        Some(discs) if score(result.text.as_bytes()) == Some(discs) => result.text.clone(),
        Some(discs) if discs > 0.0 => format!("B+{discs}"),
        Some(discs) if discs < 0.0 => format!("W+{}", -discs),
        Some(_) => "Draw".into(),
        None => result.text.clone(),
    }
}

/// A date in the form of SGF, `2003-01-02`, from one with other marks and a time of day behind it; other texts stay as they are.
pub(super) fn date(text: &str) -> String {
    let text = text.trim_matches(|symbol: char| symbol.is_whitespace() || symbol.is_control());
    let head: Vec<char> = text.chars().take(10).collect();
    let is_date = head.len() == 10
        && head.iter().enumerate().all(|(at, symbol)| match at {
            4 | 7 => matches!(symbol, '.' | '-' | '/'),
            _ => symbol.is_ascii_digit(),
        });
    if is_date {
        head.into_iter().collect::<String>().replace(['.', '/'], "-")
    } else {
        text.into()
    }
}

const fn letter(color: Color) -> char {
    match color {
        Color::Black => 'B',
        Color::White => 'W',
    }
}

fn point(square: Square) -> String {
    [square.column(), square.row()].map(|index| char::from(b'a' + index)).iter().collect()
}

/// Escapes a text. Control characters become blanks, and blanks at both ends are removed.
fn escape(text: &str) -> String {
    let plain = text.replace(char::is_control, " ");
    let mut escaped = String::new();
    for symbol in plain.trim_ascii().chars() {
        if matches!(symbol, '\\' | ']') {
            escaped.push('\\');
        }
        escaped.push(symbol);
    }
    escaped
}

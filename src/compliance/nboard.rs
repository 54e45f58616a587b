//! An NBoard session with the engine under test: its lines, read as strictly as the front end reads them.

pub(super) mod cases;

use std::time::{Duration, Instant};

use super::engine::{Engine, Outcome, Stop};
use super::positions;
use crate::board::{Move, Position, Square};
use crate::game::Game;

/// The tags that the front end writes before the board.
const TAGS: &str = "PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[one]PW[two]RE[?]TI[5:00]TY[8]";

/// A line from the engine. The front end ignores lines with an unknown first word.
#[derive(Clone, Debug, PartialEq)]
enum Line {
    /// `set myname`, with everything after it.
    Name(String),
    /// `status`, with its text.
    Status(String),
    /// `search` or `book`.
    Hint(Hint),
    /// `===` with a move.
    Choice(Move),
    /// `pong` with its number.
    Pong(i64),
    /// `analysis` with the number of moves made and a value.
    Analysis(u32, f64),
    /// `learned`.
    Learned,
    /// `nodestats`, an empty line, or anything unknown.
    Other,
}

/// The contents of a `search` or `book` line.
#[derive(Clone, Debug, PartialEq)]
struct Hint {
    mv: Move,
    depth: String,
    is_book: bool,
}

impl Line {
    /// Reads a line; the error says what the front end would stumble over.
    fn parse(line: &[u8]) -> Result<Line, &'static str> {
        let text = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned();
        let mut words = text.split_ascii_whitespace();
        let first = words.next().unwrap_or("");
        let rest: Vec<&str> = words.collect();
        match first {
            "set" => match rest.split_first() {
                Some((&"myname", name)) if !name.is_empty() => Ok(Line::Name(name.join(" "))),
                _ => Err("no variable but myname, with a value"),
            },
            "status" => Ok(Line::Status(rest.join(" "))),
            "search" | "book" => Line::hint(first == "book", &rest),
            "pong" => match *rest {
                [number] => number.parse().map(Line::Pong).map_err(|_| "an integer after pong"),
                _ => Err("an integer after pong"),
            },
            "nodestats" => match *rest {
                [nodes, time, ..] if nodes.parse::<i64>().is_ok() && is_decimal(time) => {
                    Ok(Line::Other)
                }
                _ => Err("nodestats with an integer and a plain decimal"),
            },
            "analysis" => match *rest {
                [ply, value, ..] if is_decimal(value) => match (ply.parse(), value.parse()) {
                    (Ok(ply), Ok(value)) => Ok(Line::Analysis(ply, value)),
                    _ => Err("analysis with an integer and a plain decimal"),
                },
                _ => Err("analysis with an integer and a plain decimal"),
            },
            "learned" => Ok(Line::Learned),
            "===" => Line::choice(&rest.join("/")),
            _ if first.starts_with("===") => Err("a blank after ==="),
            _ => Ok(Line::Other),
        }
    }

    fn hint(is_book: bool, fields: &[&str]) -> Result<Line, &'static str> {
        let [pv, value, count, depth, ..] = *fields else {
            return Err("four fields after search or book");
        };
        let mv = leading_move(pv).ok_or("a move at the head of the line of play")?;
        if !is_evaluation(value) {
            return Err("a plain decimal, NaN or a pair with the larger first");
        }
        if count.parse::<i32>().is_err() {
            return Err("an integer between value and depth");
        }
        if !depth.starts_with(|character: char| character.is_ascii_digit()) {
            return Err("a depth that begins with digits");
        }
        Ok(Line::Hint(Hint { mv, depth: depth.to_owned(), is_book }))
    }

    fn choice(text: &str) -> Result<Line, &'static str> {
        let mut parts = text.split('/');
        let mv =
            parts.next().and_then(|mv| Move::parse(mv.as_bytes())).ok_or("a move after ===")?;
        // Blanks may stand for slashes or beside them, which leaves empty parts.
        if parts.all(|part| part.is_empty() || part == "NaN" || is_decimal(part)) {
            Ok(Line::Choice(mv))
        } else {
            Err("plain decimals after the move")
        }
    }
}

/// The move of which a line of play begins: its first two characters.
fn leading_move(pv: &str) -> Option<Move> {
    let head = pv.as_bytes().get(..2)?;
    if head.eq_ignore_ascii_case(b"PA") {
        return Some(Move::Pass);
    }
    Square::parse(head).map(Move::Place)
}

/// Whether a number has neither an exponent nor any decimal mark but a dot.
fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    !(whole.is_empty() && fraction.is_empty())
        && whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit())
}

fn is_evaluation(text: &str) -> bool {
    match text.split_once(',') {
        None => text == "NaN" || is_decimal(text),
        Some((larger, smaller)) => {
            is_decimal(larger)
                && is_decimal(smaller)
                && larger.parse::<f64>().ok() >= smaller.parse::<f64>().ok()
        }
    }
}

/// An engine in an NBoard session.
pub(super) struct Session<'a> {
    engine: &'a mut Engine,
    /// The number of the last ping of the handshakes.
    ping: i64,
}

impl Session<'_> {
    pub fn new(engine: &mut Engine) -> Session<'_> {
        // Numbers that the cases do not send themselves.
        Session { engine, ping: 1000 }
    }

    /// Whether the engine still answers.
    pub fn probe(&mut self) -> Outcome {
        self.sync()?;
        Ok(())
    }

    /// Begins as the front end does, at a small depth.
    fn open(&mut self) -> Outcome {
        self.open_at_depth(4)
    }

    fn open_at_depth(&mut self, depth: u32) -> Outcome {
        let mark = self.engine.sent_mark();
        self.engine.send("nboard 2\n");
        self.sync()?;
        self.engine.send(format!("set depth {depth}\n"));
        self.engine.forget_since(mark);
        Ok(())
    }

    fn send(&mut self, command: &str) {
        self.engine.send(format!("{command}\n"));
    }

    fn set_game(&mut self, game: &Game) {
        self.send(&format!("set game {}", positions::ggf(TAGS, game, &[])));
    }

    /// Parses a line from the engine.
    fn read(&self, line: &[u8]) -> Outcome<Line> {
        Line::parse(line).map_err(|expected| self.engine.mismatch(line, expected))
    }

    /// The next line.
    fn line(&mut self, limit: Duration, expected: &str) -> Outcome<Line> {
        let line = self.engine.line(limit, expected)?;
        self.read(&line)
    }

    /// The next line must be this one.
    fn expect_line(&mut self, expected: &str) -> Outcome {
        let line = self.engine.line(self.engine.limits.reply, expected)?;
        if line != expected.as_bytes() {
            return Err(self.engine.mismatch(line, expected));
        }
        Ok(())
    }

    /// Reads lines until one is `wanted`; returns it and those before it.
    fn lines_until(
        &mut self,
        limit: Duration,
        expected: &str,
        wanted: impl Fn(&Line) -> bool,
    ) -> Outcome<(Line, Vec<Line>)> {
        let deadline = Instant::now() + limit;
        let mut before = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.line(left, expected)?;
            if wanted(&line) {
                return Ok((line, before));
            }
            before.push(line);
        }
    }

    /// Sends `ping` with this number and waits for its `pong`; returns the lines before it.
    fn pong(&mut self, number: i64, limit: Duration) -> Outcome<Vec<Line>> {
        self.send(&format!("ping {number}"));
        let expected = format!("pong {number}");
        let (_, before) = self.lines_until(limit, &expected, |line| *line == Line::Pong(number))?;
        Ok(before)
    }

    /// Sends a ping that is not part of the case; returns the lines before its pong.
    fn sync(&mut self) -> Outcome<Vec<Line>> {
        let mark = self.engine.sent_mark();
        self.ping += 1;
        let before = self.pong(self.ping, self.engine.limits.reply)?;
        self.engine.forget_since(mark);
        Ok(before)
    }

    /// After a ping, as the front end does it, asks for a move, which must be legal in `position`.
    fn go(&mut self, position: Position) -> Outcome<Move> {
        self.sync()?;
        self.send("go");
        self.choice(position)
    }

    /// Awaits the answer to a `go`, which must be legal in `position`.
    fn choice(&mut self, position: Position) -> Outcome<Move> {
        let names: Vec<String> =
            position.board.moves().map(|square| format!("{square:#}")).collect();
        let expected = if names.is_empty() {
            "=== PA".to_owned()
        } else {
            format!("=== and one of {}", names.join(" "))
        };
        let is_choice = |line: &Line| matches!(line, Line::Choice(_));
        match self.lines_until(self.engine.limits.search, &expected, is_choice)? {
            (Line::Choice(mv), _) if position.play(mv).is_some() => Ok(mv),
            (Line::Choice(mv), _) => Err(self.engine.mismatch(format!("=== {mv:#}"), &expected)),
            _ => Err(self.engine.mismatch("no choice", &expected)),
        }
    }

    /// The lines until, after a first hint, nothing comes for half a second; or until `limit`, if no hint comes.
    fn hints(&mut self, limit: Duration) -> Outcome<Vec<Hint>> {
        const PAUSE: Duration = Duration::from_millis(500);
        let mut deadline = Instant::now() + limit;
        let mut hints = Vec::new();
        while let Some(line) = self.engine.line_before(deadline, "hints")? {
            if let Line::Hint(hint) = self.read(&line)? {
                hints.push(hint);
            }
            if !hints.is_empty() {
                deadline = Instant::now() + PAUSE;
            }
            if hints.len() > 10_000 {
                return Err(self.engine.mismatch("hints without end", "hints up to the depth"));
            }
        }
        Ok(hints)
    }

    /// A mismatch described in words.
    fn unlike(&self, got: impl Into<String>, expected: &str) -> Stop {
        Stop::Mismatch(self.engine.report(got.into(), expected))
    }
}

/// The rows of the front end's table after these hints: a new depth removes the rows of any other, except those from a book.
fn table(hints: &[Hint]) -> Vec<Hint> {
    let mut rows: Vec<Hint> = Vec::new();
    for hint in hints {
        rows.retain(|row| {
            row.mv != hint.mv && (hint.is_book || row.is_book || row.depth == hint.depth)
        });
        rows.push(hint.clone());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(mv: &str, depth: &str) -> Hint {
        let mv = Move::parse(mv.as_bytes()).expect("a move");
        Hint { mv, depth: depth.to_owned(), is_book: false }
    }

    #[test]
    fn lines_are_read_as_the_front_end_reads_them() {
        let read = |text: &str| Line::parse(text.as_bytes());
        assert_eq!(read("pong 7\r"), Ok(Line::Pong(7)));
        assert_eq!(read("search F5d6C3 -1.25 0 12 x y"), Ok(Line::Hint(hint("f5", "12"))));
        assert_eq!(read("search PA-e7 +2,1.5 0 100%W"), Ok(Line::Hint(hint("pa", "100%W"))));
        for choice in ["=== F5", "=== F5//0.01", "=== F5/1.2/3", "=== F5 -1.00 0.0", "=== F5 / 1"] {
            assert_eq!(read(choice), Ok(Line::Choice(hint("f5", "").mv)), "{choice}");
        }
        assert_eq!(read("=== PA"), Ok(Line::Choice(Move::Pass)));
        assert_eq!(read("analysis 3 -2.50"), Ok(Line::Analysis(3, -2.5)));
        assert_eq!(read("set myname A-1.0"), Ok(Line::Name("A-1.0".to_owned())));
        assert_eq!(read(""), Ok(Line::Other));
        assert_eq!(read("Loading 1e5 things"), Ok(Line::Other));
    }

    #[test]
    fn lines_that_trouble_the_front_end_are_refused() {
        for line in [
            "===F5",
            "=== F5/1,25/2",
            "=== F5/1e-5/0",
            "=== resign",
            "search I9 1 0 4",
            "search F5 1,2 0 4",
            "search F5 1.0 0 exact",
            "search F5 1.0 0",
            "book F5 1.0 99999999999 4",
            "nodestats 12 1e-05",
            "pong",
            "pong x",
            "set colour red",
            "set",
            "analysis 1 2,5",
        ] {
            assert!(Line::parse(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn a_new_depth_clears_the_table() {
        let rows = table(&[hint("f5", "4"), hint("d3", "4"), hint("f5", "6"), hint("c4", "6")]);
        assert_eq!(rows, [hint("f5", "6"), hint("c4", "6")]);
        let book = Hint { is_book: true, ..hint("e6", "20") };
        assert_eq!(
            table(&[hint("f5", "4"), book.clone(), hint("d3", "5")]),
            [book, hint("d3", "5")]
        );
    }
}

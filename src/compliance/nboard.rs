//! The lines of an engine that speaks NBoard, read as strictly as the front end reads them.

use crate::board::{Move, Square};

/// A line from the engine. The front end ignores lines with an unknown first word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// `search` or `book`.
    Hint(Hint),
    /// `analysis` with the number of moves made and a value.
    Analysis(u32, f64),
    /// Any other line of the right form, known or not.
    Other,
}

/// The contents of a `search` or `book` line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hint {
    pub mv: Move,
    depth: String,
    is_book: bool,
}

impl Line {
    /// Reads a line; the error describes what the front end expects instead.
    pub fn parse(line: &[u8]) -> Result<Line, &'static str> {
        let text = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned();
        let mut words = text.split_ascii_whitespace();
        let first = words.next().unwrap_or("");
        let rest: Vec<&str> = words.collect();
        match first {
            "set" if rest.len() < 2 || rest[0] != "myname" => {
                Err("no variable but myname, with a value")
            }
            "search" | "book" => Line::hint(first == "book", &rest),
            "pong" if rest.len() != 1 || rest[0].parse::<i64>().is_err() => {
                Err("an integer after pong")
            }
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
        parts.next().and_then(|mv| Move::parse(mv.as_bytes())).ok_or("a move after ===")?;
        // Blanks may stand instead of slashes or beside them, which leaves empty parts.
        if parts.all(|part| part.is_empty() || part == "NaN" || is_decimal(part)) {
            Ok(Line::Other)
        } else {
            Err("plain decimals after the move")
        }
    }
}

/// The move with which a variation begins: its first two characters.
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

/// The rows of the front end's table after these hints: a new depth removes the rows of any other, except those from a book.
pub(super) fn table(hints: &[Hint]) -> Vec<Hint> {
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
        assert_eq!(read("search F5d6C3 -1.25 0 12 x y"), Ok(Line::Hint(hint("f5", "12"))));
        assert_eq!(read("search PA-e7 +2,1.5 0 100%W"), Ok(Line::Hint(hint("pa", "100%W"))));
        assert_eq!(read("analysis 3 -2.50"), Ok(Line::Analysis(3, -2.5)));
        for line in [
            "pong 7\r",
            "=== F5",
            "=== F5//0.01",
            "=== F5/1.2/3",
            "=== F5 -1.00 0.0",
            "=== F5 / 1",
            "=== PA",
            "set myname A-1.0",
            "status",
            "learned",
            "",
            "Loading 1e5 things",
        ] {
            assert_eq!(read(line), Ok(Line::Other), "{line}");
        }
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

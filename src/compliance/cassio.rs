//! The results of an engine that speaks Cassio's protocol, read as strictly as the front end reads them.

use crate::board::{Color, Move, Position, Square};

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub mv: Move,
    pub depth: u32,
    /// The percentage with its sign, such as `100%`.
    pub precision: String,
}

impl Found {
    /// Reads a result line for `position`; the error describes what the front end expects instead.
    pub fn parse(line: &str, position: Position) -> Result<Found, &'static str> {
        if line.len() <= 80 {
            return Err("a result line of more than 80 characters");
        }
        let fields: Vec<&str> = line.split(", ").collect();
        let [text, mv, depth, precision, bounds, pv, nodes, time] = *fields else {
            return Err("eight fields between commas");
        };
        if text != text_of(position) {
            return Err("the position as it was sent");
        }
        let mv = mv.strip_prefix("move ").and_then(two_letter_move).ok_or("a move")?;
        let depth = depth.strip_prefix("depth ").and_then(|depth| depth.parse().ok());
        let precision = precision.strip_prefix('@').filter(|text| is_percentage(text));
        if !has_bounds(bounds) {
            return Err("bounds such as B-2.00 <= v <= B+4.00");
        }
        if pv.get(..2).and_then(two_letter_move) != Some(mv) {
            return Err("a line of play that begins with the move");
        }
        let nodes = nodes.strip_prefix("node ").and_then(|nodes| nodes.parse::<u64>().ok());
        let time = time.strip_prefix("time ").and_then(|time| time.trim().parse::<f64>().ok());
        if nodes.is_none() || time.is_none() {
            return Err("node and a number, time and a number");
        }
        Ok(Found {
            mv,
            depth: depth.ok_or("depth and a number")?,
            precision: precision.ok_or("a precision such as @73%")?.to_owned(),
        })
    }
}

fn two_letter_move(text: &str) -> Option<Move> {
    if text.eq_ignore_ascii_case("PA") {
        return Some(Move::Pass);
    }
    Square::parse(text.as_bytes()).map(Move::Place)
}

fn is_percentage(text: &str) -> bool {
    text.strip_suffix('%').is_some_and(|number| number.parse::<u32>().is_ok_and(|n| n <= 100))
}

/// Whether a text has the form `B-2.00 <= v <= B+4.00`; `<` and whole numbers are tolerated by the front end.
fn has_bounds(text: &str) -> bool {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [lower, first, "v", second, upper] = *words else { return false };
    let is_value = |text: &str| {
        text.strip_prefix(['B', 'W']).is_some_and(|value| {
            value.starts_with(['+', '-']) && value.parse::<f64>().is_ok_and(|v| v.abs() <= 64.0)
        })
    };
    [first, second].iter().all(|sign| ["<", "<="].contains(sign))
        && is_value(lower)
        && is_value(upper)
}

/// A position as 65 characters.
fn text_of(position: Position) -> String {
    let side = match position.side {
        Color::Black => 'X',
        Color::White => 'O',
    };
    format!("{}{side}", position.cells())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(rest: &str) -> String {
        format!("{}, {rest}", text_of(Position::START))
    }

    #[test]
    fn result_lines_are_read() {
        let text = line("move D3, depth 4, @73%, B-2.00 <= v < W+1, D3c3D2, node 215, time 0.000");
        let found = Found::parse(&text, Position::START).expect("a result");
        assert_eq!((found.depth, found.precision.as_str()), (4, "73%"));
        assert_eq!(found.mv, Move::parse(b"d3").expect("a move"));
    }

    #[test]
    fn results_that_the_front_end_ignores_are_refused() {
        for rest in [
            "move D3, depth 4, @73%, B-2.00 <= v <= B+1.00, C3d3D2, node 215, time 0.000",
            "move D3, depth x, @73%, B-2.00 <= v <= B+1.00, D3c3D2, node 215, time 0.000",
            "move D3, depth 4, 73%, B-2.00 <= v <= B+1.00, D3c3D2, node 215, time 0.000",
            "move D3, depth 4, @73%, 2.00 <= v <= 1.00, D3c3D2, node 215, time 0.000",
            "move D3, depth 4, @73%, B-2.00 <= v <= B+1.00, D3c3D2, node 215",
            "move D3",
        ] {
            assert!(Found::parse(&line(rest), Position::START).is_err(), "{rest}");
        }
        let other = Position::START.with_side(Color::White);
        let text = line("move D3, depth 4, @73%, B-2.00 <= v <= B+1.00, D3, node 215, time 0.000");
        assert!(Found::parse(&text, other).is_err());
    }
}

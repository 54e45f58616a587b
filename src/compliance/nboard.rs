//! The lines of an engine that speaks NBoard, read as strictly as the front end reads them.

use crate::board::{Move, Square};

/// Whether a word is as it must be, and what it must be.
type Field = (fn(&str) -> bool, &'static str);

const HINT: &[Field] = &[
    (|pv| leading_move(pv).is_some(), "a move at the head of the line of play"),
    (is_value, "a plain decimal, NaN or a pair with the larger first"),
    (is_integer, "an integer between value and depth"),
    (|depth| depth.starts_with(|c: char| c.is_ascii_digit()), "a depth that begins with digits"),
];

const MYNAME: &str = "no variable but myname, with a value";
const NODESTATS: &str = "nodestats with an integer and a plain decimal";
const ANALYSIS: &str = "analysis with an integer and a plain decimal";

/// The words after the first one. The front end ignores lines with an unknown first word, and words behind these.
const LINES: [(&str, &[Field]); 6] = [
    ("search", HINT),
    ("book", HINT),
    ("set", &[(|name| name == "myname", MYNAME), (|_| true, MYNAME)]),
    ("pong", &[(is_integer, "an integer after pong")]),
    ("nodestats", &[(is_integer, NODESTATS), (is_decimal, NODESTATS)]),
    ("analysis", &[(is_integer, ANALYSIS), (is_decimal, ANALYSIS)]),
];

/// Checks a line; the error describes what the front end expects instead.
pub(super) fn check(line: &str) -> Result<(), &'static str> {
    let mut words = line.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    if let Some((_, fields)) = LINES.iter().find(|form| form.0 == first) {
        let wrong = fields.iter().find(|field| !words.next().is_some_and(field.0));
        return wrong.map_or(Ok(()), |field| Err(field.1));
    }
    if first == "===" {
        // Blanks may stand instead of slashes or beside them, which leaves empty parts.
        let choice = words.collect::<Vec<_>>().join("/");
        let mut parts = choice.split('/');
        parts.next().and_then(|mv| Move::parse(mv.as_bytes())).ok_or("a move after ===")?;
        let are_numbers = parts.all(|part| part.is_empty() || part == "NaN" || is_decimal(part));
        return if are_numbers { Ok(()) } else { Err("plain decimals after the move") };
    }
    if first.starts_with("===") { Err("a blank after ===") } else { Ok(()) }
}

/// The move with which a variation begins: its first two characters.
pub(super) fn leading_move(pv: &str) -> Option<Move> {
    let head = pv.as_bytes().get(..2)?;
    if head.eq_ignore_ascii_case(b"PA") {
        return Some(Move::Pass);
    }
    Square::parse(head).map(Move::Place)
}

fn is_integer(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

/// Whether a number has neither an exponent nor any decimal mark but a dot.
fn is_decimal(text: &str) -> bool {
    text.parse::<f64>().is_ok()
        && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte))
}

fn is_value(text: &str) -> bool {
    match text.split_once(',') {
        None => text == "NaN" || is_decimal(text),
        Some((larger, smaller)) => {
            is_decimal(larger)
                && is_decimal(smaller)
                && larger.parse::<f64>().ok() >= smaller.parse::<f64>().ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn lines_are_read_as_the_front_end_reads_them() {
        let right = "search F5d6C3 -1.25 0 12 x y|search PA-e7 +2,1.5 0 100%W|analysis 3 -2.50|pong 7\r|\
            === F5|=== F5//0.01|=== F5/1.2/3|=== F5 -1.00 0.0|=== F5 / 1|=== PA|set myname A-1.0|status|learned||\
            Loading 1e5 things";
        let wrong = "===F5|=== F5/1,25/2|=== F5/1e-5/0|=== resign|search I9 1 0 4|search F5 1,2 0 4|\
            search F5 1.0 0 exact|search F5 1.0 0|book F5 1.0 x 4|nodestats 12 1e-05|pong|pong x|set colour red|set|\
            analysis 1 2,5";
        for (lines, is_right) in [(right, true), (wrong, false)] {
            for line in lines.split('|') {
                assert_eq!(check(line).is_ok(), is_right, "{line}");
            }
        }
    }
}

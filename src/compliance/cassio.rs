//! A Cassio session with the engine under test, and the cases C1 to C12.

use std::time::{Duration, Instant};

use super::engine::{Engine, Outcome, Output, PROMPT_EXIT, SETTLE};
use super::positions::{self, DRAWN, OVER_BLACK, PASS, replay};
use super::{Case, Check};
use crate::board::{Color, Move, Position, Square};

/// The word before every command.
const PREFIX: &str = "ENGINE-PROTOCOL";

/// The time after which a search surely runs.
const UNDERWAY: Duration = Duration::from_millis(300);

/// Any output of a stopped search would have come within this much silence.
const AFTERMATH: Duration = Duration::from_millis(500);

const fn case(
    number: &'static str,
    title: &'static str,
    check: fn(&mut Session) -> Outcome,
) -> Case {
    Case { number, title, check: Check::Cassio(check) }
}

/// Every case, in order.
pub(super) const CASES: &[Case] = &[
    case("C1", "version", version),
    case("C2", "a midgame search", midgame_search),
    case("C3", "an endgame search", endgame_search),
    case("C4", "a search where the side to move must pass", search_at_pass),
    case("C5", "a search after the end of the game", search_after_the_end),
    case("C6", "a search is stopped", stopped_search),
    case("C7", "questions during a search", questions_during_search),
    case("C8", "questions to an idle engine", questions_while_idle),
    case("C9", "a position of 63 squares", bad_position),
    case("C10", "unknown commands", unknown_commands),
    case("C11", "quit and the end of input", quit),
    case("C12", "feed-hash is silent", feed_hash),
];

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    mv: Move,
    depth: u32,
    precision: String,
}

impl Found {
    /// Reads a result line for `position`; the error says what the front end would stumble over.
    fn parse(line: &str, position: Position) -> Result<Found, &'static str> {
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

/// An engine in a Cassio session.
pub(super) struct Session<'a> {
    engine: &'a mut Engine,
}

impl Session<'_> {
    pub fn new(engine: &mut Engine) -> Session<'_> {
        Session { engine }
    }

    /// Whether the engine still answers.
    pub fn probe(&mut self) -> Outcome {
        self.engine.send("\n");
        self.until_ready(self.engine.limits.reply)?;
        Ok(())
    }

    /// Waits until the engine has started.
    fn open(&mut self) -> Outcome {
        let mark = self.engine.sent_mark();
        self.send("init");
        self.until_ready(self.engine.limits.reply)?;
        self.engine.forget_since(mark);
        Ok(())
    }

    fn send(&mut self, command: &str) {
        self.engine.send(format!("{PREFIX} {command}\n"));
    }

    fn line(&mut self, limit: Duration, expected: &str) -> Outcome<String> {
        let line = self.engine.line(limit, expected)?;
        let text = String::from_utf8_lossy(&line);
        Ok(text.trim_end_matches('\r').to_owned())
    }

    /// The next line must be this one.
    fn expect_line(&mut self, expected: &str) -> Outcome {
        let line = self.line(self.engine.limits.reply, expected)?;
        if line != expected {
            return Err(self.engine.mismatch(line, expected));
        }
        Ok(())
    }

    /// The lines before `ready.`.
    fn until_ready(&mut self, limit: Duration) -> Outcome<Vec<String>> {
        let deadline = Instant::now() + limit;
        let mut lines = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.line(left, "ready.")?;
            if line == "ready." {
                return Ok(lines);
            }
            lines.push(line);
        }
    }

    /// Waits for the line that `wanted` recognizes among lines of search results.
    fn among_results(&mut self, expected: &str, wanted: impl Fn(&str) -> bool) -> Outcome {
        let deadline = Instant::now() + self.engine.limits.reply;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.line(left, expected)?;
            if wanted(&line) {
                return Ok(());
            }
            if !line.contains(", move ") {
                return Err(self.engine.mismatch(line, expected));
            }
        }
    }

    /// The last result of a search for `position` that has been requested. All results are checked.
    fn found(&mut self, position: Position) -> Outcome<Found> {
        let lines = self.until_ready(self.engine.limits.search)?;
        let mut last = None;
        for line in &lines {
            // The front end shows these to the user.
            if ["DEBUG", "WARNING"].iter().any(|word| line.starts_with(word)) {
                continue;
            }
            let found = Found::parse(line, position)
                .map_err(|expected| self.engine.mismatch(line, expected))?;
            if position.play(found.mv).is_none() {
                return Err(self.engine.mismatch(line, "a legal move"));
            }
            last = Some(found);
        }
        last.ok_or_else(|| self.engine.mismatch("ready.", "a result line before ready."))
    }

    fn search(&mut self, command: &str, position: Position) -> Outcome<Found> {
        self.open()?;
        self.send(command);
        self.found(position)
    }

    /// Starts a search that takes long.
    fn search_long(&mut self) -> Outcome {
        self.open()?;
        let text = text_of(replay(positions::MIDGAME).position());
        self.send(&format!("midgame-search {text} -64.00 64.00 40 100"));
        std::thread::sleep(UNDERWAY);
        Ok(())
    }

    /// The next line must be an error.
    fn expect_error(&mut self) -> Outcome {
        let line = self.line(self.engine.limits.reply, "ERROR: ...")?;
        if !line.starts_with("ERROR") {
            return Err(self.engine.mismatch(line, "ERROR: ..."));
        }
        Ok(())
    }
}

fn version(cassio: &mut Session) -> Outcome {
    cassio.send("get-version");
    let line = cassio.line(cassio.engine.limits.reply, "version: NAME X.Y")?;
    let words = line.strip_prefix("version: ").map_or(0, |text| text.split_whitespace().count());
    if words < 2 {
        return Err(cassio.engine.mismatch(line, "version: NAME X.Y"));
    }
    cassio.expect_line("ready.")
}

fn midgame_search(cassio: &mut Session) -> Outcome {
    let position = Position::START;
    // The extra blank is the front end's.
    let command = format!(" midgame-search {} -64.00 64.00 6 90", text_of(position));
    let found = cassio.search(&command, position)?;
    if found.depth < 6 {
        let got = format!("depth {}", found.depth);
        return Err(cassio.engine.mismatch(got, "depth 6 or more in the last result"));
    }
    Ok(())
}

fn endgame_search(cassio: &mut Session) -> Outcome {
    const EMPTIES: usize = 10;
    let (moves, _) = DRAWN.split_at(2 * (60 - EMPTIES));
    let position = replay(moves).position();
    let command = format!("endgame-search {} -64 64 100", text_of(position));
    let found = cassio.search(&command, position)?;
    if found.depth as usize != EMPTIES || found.precision != "100%" {
        let got = format!("depth {}, @{}", found.depth, found.precision);
        let expected = format!("depth {EMPTIES}, @100% in the last result");
        return Err(cassio.engine.mismatch(got, &expected));
    }
    Ok(())
}

fn search_at_pass(cassio: &mut Session) -> Outcome {
    let position = replay(PASS).position();
    // Only a pass is legal.
    cassio.search(&format!("midgame-search {} -64.00 64.00 6 90", text_of(position)), position)?;
    Ok(())
}

fn search_after_the_end(cassio: &mut Session) -> Outcome {
    cassio.open()?;
    let position = replay(OVER_BLACK).position();
    cassio.send(&format!("midgame-search {} -64.00 64.00 6 90", text_of(position)));
    let lines = cassio.until_ready(cassio.engine.limits.reply)?;
    if lines != ["ERROR: game over"] {
        let got = [lines.as_slice(), &["ready.".to_owned()]].concat().join("\n");
        return Err(cassio.engine.mismatch(got, "ERROR: game over\nready."));
    }
    Ok(())
}

fn stopped_search(cassio: &mut Session) -> Outcome {
    cassio.search_long()?;
    cassio.send("stop");
    cassio.until_ready(cassio.engine.limits.reply)?;
    cassio.engine.measured = Some(cassio.engine.latency());
    cassio.engine.quiet(AFTERMATH)
}

fn questions_during_search(cassio: &mut Session) -> Outcome {
    cassio.search_long()?;
    cassio.engine.send("\n");
    cassio.among_results("ok.", |line| line == "ok.")?;
    cassio.send("get-search-infos");
    cassio.among_results("node N, time T", |line| {
        let parts = line.strip_prefix("node ").and_then(|rest| rest.split_once(", time "));
        parts.is_some_and(|(nodes, time)| {
            nodes.trim().parse::<u64>().is_ok() && time.trim().parse::<f64>().is_ok()
        })
    })?;
    cassio.send("stop");
    cassio.among_results("ready.", |line| line == "ready.")
}

fn questions_while_idle(cassio: &mut Session) -> Outcome {
    cassio.open()?;
    cassio.engine.send("\n");
    cassio.expect_line("ready.")?;
    for command in ["get-search-infos", "stop"] {
        cassio.send(command);
        cassio.expect_line("ready.")?;
    }
    cassio.engine.quiet(SETTLE)
}

fn bad_position(cassio: &mut Session) -> Outcome {
    cassio.open()?;
    let text = text_of(Position::START);
    cassio.send(&format!("midgame-search {} -64.00 64.00 6 90", &text[1..]));
    cassio.expect_error()?;
    cassio.expect_line("ready.")
}

fn unknown_commands(cassio: &mut Session) -> Outcome {
    cassio.open()?;
    cassio.send("foo");
    cassio.expect_error()?;
    cassio.expect_line("ready.")?;
    cassio.engine.send("hello\n");
    cassio.expect_error()?;
    cassio.engine.quiet(SETTLE)
}

fn quit(cassio: &mut Session) -> Outcome {
    cassio.open()?;
    cassio.send("quit");
    cassio.expect_line("bye bye.")?;
    cassio.engine.clean_exit(PROMPT_EXIT)?;

    cassio.engine.restart(&[], Output::Read)?;
    cassio.open()?;
    cassio.engine.close_input();
    cassio.engine.clean_exit(PROMPT_EXIT)
}

fn feed_hash(cassio: &mut Session) -> Outcome {
    cassio.open()?;
    let text = text_of(Position::START);
    // Two blanks before the command, as the front end writes it.
    cassio.send(&format!(" feed-hash {text} -12.00 12.00 15 100 ??"));
    cassio.send(" feed-hash and a few words of nonsense");
    cassio.engine.quiet(AFTERMATH)?;
    // Something must answer, or silence would mean nothing.
    cassio.engine.send("\n");
    cassio.expect_line("ready.")
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
        let other = replay(PASS).position();
        let text = line("move D3, depth 4, @73%, B-2.00 <= v <= B+1.00, D3, node 215, time 0.000");
        assert!(Found::parse(&text, other).is_err());
    }
}

//! The engine protocol of Cassio: positions with window, depth and precision in, one result line out.
//!
//! Cassio itself runs only on old Macs; the protocol is still used to drive engines from scripts.

use std::time::Duration;

use super::interrupts::Obeys;
use super::session::Session;
use super::{Action, Machine, Task, Urgency, echo, words};
use crate::board::{Color, Position};
use crate::engine::{Choice, Done, Event, Job, Think};
use crate::game::Game;
use crate::players::desk::Situation;
use crate::score::{DISC, MAX, Score};
use crate::search::{Bound, Limits, Line, Lines, Selectivity, Window};

/// The commands after `ENGINE-PROTOCOL`.
pub const COMMANDS: [&str; 10] = [
    "init",
    "get-version",
    "new-position",
    "midgame-search",
    "endgame-search",
    "stop",
    "get-search-infos",
    "feed-hash",
    "empty-hash",
    "quit",
];

const PREFIX: &[u8] = b"ENGINE-PROTOCOL";

/// The longest word of the input that an error repeats.
const MAX_TEXT: usize = 80;

struct Request {
    /// The position as written, without blanks.
    text: String,
    side: Color,
    nodes: u64,
}

/// The protocol's state.
#[derive(Default)]
pub(super) struct Cassio {
    request: Option<Request>,
    /// A `stop` line has ended a search, whose `ready.` was the reply to it: requests that come before that line are dropped.
    awaits_stop: bool,
}

pub(super) fn urgency(line: &[u8]) -> Urgency {
    let mut words = words(line);
    match (words.next(), words.next()) {
        (None, _) => Urgency::Immediate,
        (Some(PREFIX), Some(b"stop")) => Urgency::Interrupt,
        (Some(PREFIX), Some(b"get-search-infos")) => Urgency::Immediate,
        (Some(PREFIX), Some(b"quit")) => Urgency::Quit,
        _ => Urgency::Queue,
    }
}

impl Machine for Cassio {
    fn handle(&mut self, line: &[u8], session: &mut Session) -> Vec<Action> {
        let mut words = words(line);
        let Some(prefix) = words.next() else { return ready() };
        if prefix != PREFIX {
            return vec![Action::line("ERROR: a command begins with ENGINE-PROTOCOL")];
        }
        let command = words.next().unwrap_or_default();
        let arguments: Vec<&[u8]> = words.collect();
        // `get-search-infos` is answered in any case: during the search, its reply would have come at once.
        if self.awaits_stop && !matches!(command, b"stop" | b"get-search-infos") {
            return Vec::new();
        }
        match command {
            b"init" | b"get-search-infos" => ready(),
            b"get-version" => vec![Action::line(format!(
                "version: {} {}\nready.",
                session.name,
                env!("CARGO_PKG_VERSION")
            ))],
            // The next search is unrelated to the last one: the table ages by itself, a player forgets.
            b"new-position" => {
                session.forget();
                ready()
            }
            b"midgame-search" | b"endgame-search" => {
                match self.search(&arguments, command == b"endgame-search", session) {
                    Ok(action) => vec![action],
                    Err(error) => vec![Action::line(format!("ERROR: {error}\nready."))],
                }
            }
            b"stop" if std::mem::take(&mut self.awaits_stop) => Vec::new(),
            b"stop" => ready(),
            // Both are silent: a client that wants confirmation sends an empty line. Bounds from outside are not trusted.
            b"feed-hash" => Vec::new(),
            b"empty-hash" => {
                session.forget();
                vec![Action::Start(Task::Engine(Job::Forget), Obeys::UrgentLines)]
            }
            b"quit" => vec![Action::line("bye bye."), Action::Quit],
            _ => {
                let command = echo(command, MAX_TEXT);
                vec![Action::line(format!("ERROR: unknown command {command}\nready."))]
            }
        }
    }

    fn too_long(&mut self) -> Vec<Action> {
        vec![Action::line("ERROR: a line of over 2 MiB was dropped")]
    }

    fn while_searching(&mut self, line: &[u8], running: Duration) -> Vec<Action> {
        // Jobs other than searches are too short to report on.
        let Some(request) = &self.request else { return ready() };
        if words(line).next().is_none() {
            return vec![Action::line("ok.")];
        }
        let (nodes, seconds) = (request.nodes, running.as_secs_f64());
        vec![Action::line(format!("node {nodes}, time {seconds:.3}"))]
    }

    fn on_event(&mut self, event: Event, _: &mut Session) -> Vec<Action> {
        if let (Some(request), Event::Report(report)) = (&mut self.request, event) {
            request.nodes = report.nodes;
        }
        Vec::new()
    }

    fn on_finished(&mut self, done: Done, by: Option<&[u8]>, _: &mut Session) -> Vec<Action> {
        let Some(request) = self.request.take() else { return Vec::new() };
        self.awaits_stop = by.is_some();
        let text = match done {
            Done::Chosen(choice) => result_line(&request, &choice),
            Done::Failed(fault) => format!("ERROR: {fault}\n"),
            _ => String::new(),
        };
        vec![Action::Reply(format!("{text}ready.\n").into_bytes())]
    }

    fn on_end(&mut self, _: &mut Session) -> Vec<Action> {
        vec![Action::line("bye bye.")]
    }
}

impl Cassio {
    fn search(
        &mut self,
        arguments: &[&[u8]],
        is_endgame: bool,
        session: &Session,
    ) -> Result<Action, String> {
        // As in Edax, blanks may stand within a position, and more numbers may follow the ones that count.
        let is_number = |word: &&[u8]| word.iter().any(u8::is_ascii_digit);
        let n_words = arguments.iter().skip(1).take_while(|word| !is_number(word)).count() + 1;
        let (text, numbers) = arguments.split_at(n_words.min(arguments.len()));
        let numbers = numbers.iter().map(|word| number(word)).collect::<Result<Vec<f64>, _>>()?;
        let n_numbers = if is_endgame { 3 } else { 4 };
        if numbers.len() < n_numbers {
            return Err(format!("expected {n_numbers} numbers, found {}", numbers.len()));
        }
        let text = text.concat();
        let position = Position::parse(&text).map_err(|error| error.to_string())?;
        let (alpha, beta) = (bound(numbers[0]), bound(numbers[1]));
        let Some(window) = Window::new(alpha, beta) else {
            return Err("the window is empty".into());
        };
        let n_empties = position.board.n_empties();
        let (depth, precision) = if is_endgame {
            (n_empties, numbers[2])
        } else {
            (numbers[2].clamp(1.0, 60.0) as u32, numbers[3])
        };
        let selectivity = Selectivity::from_percent(precision.clamp(0.0, 100.0).ceil() as u32);
        let limits = Limits {
            lines: Lines::Bounded(window),
            exact_from: if is_endgame { 60 } else { 0 },
            exact_selectivity: selectivity,
            ..Limits::plies(depth, selectivity)
        };
        let text = String::from_utf8_lossy(&text).into_owned();
        let game = Game::new(position);
        if let Some(discs) = game.result() {
            let (letter, score) = (letter(position.side), discs * position.side.sign());
            return Ok(Action::line(format!(
                "{text}, move --, depth 0, @100%, {letter}{score:+}.00 <= v <= {letter}{score:+}.00, , node 0, time 0.000\nready."
            )));
        }
        self.request = Some(Request { text, side: position.side, nodes: 0 });
        let task = match session.situation() {
            // There is no window to search: the player's value is all there is.
            Some(situation) => Task::Move(Situation { game, ..situation }),
            None => Task::Engine(Job::Think(Think::new(position.board, limits))),
        };
        Ok(Action::Start(task, Obeys::UrgentLines))
    }
}

fn ready() -> Vec<Action> {
    vec![Action::line("ready.")]
}

fn number(word: &[u8]) -> Result<f64, String> {
    let number = str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    let number = number.filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("not a number: {}", echo(word, MAX_TEXT)))
}

/// A bound of the window in score units.
fn bound(discs: f64) -> Score {
    (discs.clamp(-64.0, 64.0) * f64::from(DISC)).round() as Score
}

const fn letter(side: Color) -> char {
    match side {
        Color::Black => 'B',
        Color::White => 'W',
    }
}

fn result_line(request: &Request, choice: &Choice) -> String {
    let Some(mv) = choice.mv() else { return String::new() };
    // The bounds of a move of which nothing was said are those of all values.
    let depth = choice.searched.depth.unwrap_or(0);
    let line = choice.line().unwrap_or_else(|| Line::new(mv, MAX, Bound::AtMost, depth));
    let bounds = choice.outcome.bounds(&line);
    let letter = letter(request.side);
    let discs = |score: Score| format!("{letter}{:+.2}", crate::score::discs(score));
    let pv: String = line.pv.iter().map(|mv| format!("{mv:#}")).collect();
    format!(
        "{}, move {:#}, depth {}, @{}%, {} <= v <= {}, {pv}, node {}, time {:.3}\n",
        request.text,
        line.mv,
        line.depth,
        line.selectivity.percent(),
        discs(bounds.lower),
        discs(bounds.upper),
        choice.n_nodes(),
        choice.elapsed.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::options::Options;

    #[test]
    fn a_question_that_comes_as_a_search_is_stopped_is_answered() {
        let mut session = Session::new(Options::default());
        let mut cassio = Cassio { request: None, awaits_stop: true };
        let mut replies = |command: &str| -> Vec<String> {
            let line = format!("ENGINE-PROTOCOL {command}");
            let actions = cassio.handle(line.as_bytes(), &mut session);
            actions.iter().map(|action| format!("{action:?}")).collect()
        };
        let ready: Vec<String> = ready().iter().map(|action| format!("{action:?}")).collect();
        let none = Vec::<String>::new();
        for (command, expected) in [
            ("get-search-infos", &ready),
            ("get-version", &none),
            ("get-search-infos", &ready),
            ("stop", &none),
            ("stop", &ready),
        ] {
            assert_eq!(&replies(command), expected, "{command}");
        }
    }
}

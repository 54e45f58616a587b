//! A player over NBoard, driven as the NBoard program does it.

use std::thread;
use std::time::{Duration, Instant};

use othellier::board::{Move, Position};
use othellier::formats::Headers;
use othellier::formats::ggf::{self, GgfClock};
use othellier::game::Game;

use super::{Answer, Conditions, Player, Time, end, whole_milliseconds};
use crate::harness::engine::Traffic;
use crate::harness::{Engine, program};

/// A player over NBoard, driven in the order of the NBoard program: state, `ping`, request.
pub struct NBoardPlayer {
    engine: Engine,
    /// Depth for choosing moves.
    depth: u32,
    /// Depth of the hints that the same engine gives while the opponent thinks; `None` for no hints.
    hint_depth: Option<u32>,
    sent_depth: Option<u32>,
    ping: u32,
    request: Request,
}

/// The last request, which decides what output is still allowed.
#[derive(Clone, Copy)]
enum Request {
    None,
    /// `go`, which has been answered.
    Go,
    /// `hint`, which may still be running in this position.
    Hint(Position),
}

impl NBoardPlayer {
    pub fn start(
        label: &'static str,
        traffic: &Traffic,
        depth: u32,
        hint_depth: Option<u32>,
    ) -> NBoardPlayer {
        let command = program(&["nboard", "--hash", "16"]);
        let mut engine = Engine::start_as(label, command, traffic);
        engine.send("nboard 2");
        let request = Request::None;
        NBoardPlayer { engine, depth, hint_depth, sent_depth: None, ping: 0, request }
    }

    /// Ends the process without `quit`, which the NBoard program does not send.
    pub fn leave(self) {
        end(self.engine);
    }

    /// The state commands before a request: the depth if it has changed, and a `ping`.
    fn preparation(&mut self, depth: u32) -> String {
        self.ping += 1;
        let ping = format!("ping {}", self.ping);
        if self.sent_depth.replace(depth) == Some(depth) {
            return ping;
        }
        format!("set depth {depth}\n{ping}")
    }

    /// Reads up to the `pong` of the last `ping`; the lines before it belong to the last request.
    fn await_pong(&mut self) {
        let pong = format!("pong {}", self.ping);
        loop {
            let line = self.engine.line();
            if line == pong {
                break;
            }
            match self.request {
                Request::Hint(position) => self.check_thinking(&line, position),
                Request::Go => self.check_words(&line, &["status", "set", "nodestats"]),
                Request::None => self.check_words(&line, &["status", "set"]),
            }
        }
        self.request = Request::None;
    }

    fn check_words(&self, text: &str, allowed: &[&str]) {
        let word = text.split(' ').next().unwrap_or_default();
        let is_name =
            word != "set" || (text.starts_with("set myname ") && text.split(' ').count() == 3);
        if !allowed.contains(&word) || !is_name {
            self.engine.fail(&format!("may not say '{text}' here"));
        }
    }

    /// Checks a line of a running search in `position`.
    fn check_thinking(&self, text: &str, position: Position) {
        self.check_words(text, &["status", "set", "nodestats", "search", "book"]);
        let fields: Vec<&str> = text.split(' ').collect();
        let is_good = match fields[..] {
            ["nodestats", nodes, seconds] => nodes.parse::<u64>().is_ok() && is_decimal(seconds),
            ["search" | "book", variation, value, games, depth, ..] => {
                // An illegal first move also reveals most lines of an older position.
                let first = variation.get(..2).and_then(|mv| Move::parse(mv.as_bytes()));
                first.is_some_and(|mv| position.play(mv).is_some())
                    && is_decimal(value)
                    && games.parse::<u32>().is_ok()
                    && depth.starts_with(|c: char| c.is_ascii_digit())
            }
            ["status" | "set", ..] => true,
            _ => false,
        };
        if !is_good {
            self.engine.fail(&format!("writes '{text}' in {position:?}"));
        }
    }
}

/// A number without an exponent, as the NBoard program reads it.
fn is_decimal(text: &str) -> bool {
    text.parse::<f64>().is_ok() && text.chars().all(|c| c.is_ascii_digit() || "+-.".contains(c))
}

/// `=== MOVE[/VALUE[/TIME]]` as move and value.
fn parse_choice(text: &str) -> Option<(Move, &str)> {
    let mut parts = text.strip_prefix("=== ")?.split('/');
    let mv = Move::parse(parts.next()?.as_bytes())?;
    let value = parts.next().unwrap_or_default();
    let time = parts.next().unwrap_or_default();
    let are_numbers = [value, time].iter().all(|number| number.is_empty() || is_decimal(number));
    (are_numbers && parts.next().is_none()).then_some((mv, value))
}

/// The game in the form that the NBoard program sends.
fn game_record(game: &Game, time: Option<Time>) -> String {
    let control = time.map_or("5:00".to_owned(), |Time { base, increment }| {
        let seconds = base.as_secs();
        format!("{}:{:02}/{}", seconds / 60, seconds % 60, increment.as_secs_f64())
    });
    let clocks = [GgfClock::parse(control.as_bytes()); 2];
    let names = ["one", "two"].map(str::to_owned);
    ggf::write(game, &Headers { place: "NBoard".into(), names, clocks, ..Headers::default() })
}

impl Player for NBoardPlayer {
    fn set_up(&mut self, game: &Game, conditions: Conditions) {
        self.engine.send(&format!("set game {}", game_record(game, conditions.time)));
    }

    fn choose(&mut self, game: &Game, _left: Option<Duration>) -> Answer {
        let preparation = self.preparation(self.depth);
        self.engine.send(&preparation);
        self.await_pong();
        // Late output of the last request would come about now. In a timed game, this wait counts for neither side.
        thread::sleep(Duration::from_millis(2));
        if self.engine.arrived_line().is_some() {
            self.engine.fail("writes without a request");
        }
        let asked = Instant::now();
        self.engine.send("go");
        let line = loop {
            let line = self.engine.timed_line();
            if line.text.starts_with("===") {
                break line;
            }
            self.check_thinking(&line.text, game.position());
        };
        self.request = Request::Go;
        let Some((mv, value)) = parse_choice(&line.text) else {
            self.engine.fail(&format!("moves '{}'", line.text))
        };
        Answer { mv, value: value.to_owned(), elapsed: whole_milliseconds(line.at - asked) }
    }

    fn confirm(&mut self, game: &Game, answer: &Answer) {
        self.inform(game, answer);
        if let Some(depth) = self.hint_depth.filter(|_| !game.is_over()) {
            let preparation = self.preparation(depth);
            self.engine.send(&format!("{preparation}\nhint 2"));
            self.await_pong();
            self.request = Request::Hint(game.position());
        }
    }

    fn inform(&mut self, _game: &Game, answer: &Answer) {
        let Answer { mv, value, elapsed } = answer;
        self.engine.send(&format!("move {mv:#}/{value}/{:.3}", elapsed.as_secs_f64()));
    }

    fn finish(&mut self, _game: &Game) {
        let preparation = self.preparation(self.depth);
        self.engine.send(&preparation);
        self.await_pong();
    }

    fn fail(&self, cause: &str) -> ! {
        self.engine.fail(cause)
    }
}

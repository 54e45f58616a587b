//! An engine that speaks NBoard.
//!
//! The whole game is sent before each move, with the times from which the engine derives its clock. This works with versions 1 and
//! 2 and avoids ambiguity about passes.

use std::time::{Duration, Instant};

use super::child::{Child, Until};
use crate::board::{Color, Position};
use crate::clock::{Clock, Control};
use crate::engine::Pace;
use crate::engine::level::MAX_LEVEL;
use crate::formats::ggf::{self, GgfClock};
use crate::formats::{Headers, Outcome};
use crate::game::{Game, Note};
use crate::players::spec::External;
use crate::players::{
    Answer, Cause, Choice, Fault, OnProgress, Player, Searched, Terms, Turn, Value,
};

struct Nboard {
    child: Child,
    depth: Option<u32>,
    set_depth: Option<u32>,
    n_pings: u64,
}

pub(super) fn greet(child: Child, external: &External) -> Result<Box<dyn Player>, Fault> {
    let mut nboard = Nboard { child, depth: external.depth, set_depth: None, n_pings: 0 };
    nboard.child.send("nboard 2");
    for line in &external.startup {
        nboard.child.send(line);
    }
    nboard.ping()?;
    nboard.child.has_started();
    Ok(Box::new(nboard))
}

impl Nboard {
    /// Waits until the engine has processed everything sent so far.
    fn ping(&mut self) -> Result<(), Fault> {
        self.n_pings += 1;
        let pong = format!("pong {}", self.n_pings);
        self.child.send(&format!("ping {}", self.n_pings));
        self.child.receive_where(self.child.soon(), |line| line.trim() == pong).map(|_| ())
    }
}

impl Player for Nboard {
    fn begin(&mut self, _: Position, terms: Terms) -> Result<(), Fault> {
        // An extension that other engines ignore: forget the last game.
        self.child.send("clear");
        let own = self.depth.or_else(|| (terms.pace != Pace::OWN).then_some(MAX_LEVEL));
        let depth = terms.pace.depth_or_level().or(own);
        if let Some(depth) = depth
            && self.set_depth != Some(depth)
        {
            self.set_depth = Some(depth);
            self.child.send(&format!("set depth {depth}"));
        }
        self.ping()
    }

    fn choose(&mut self, turn: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
        let side = turn.color();
        let record = record(turn.game, side, &turn.clocks[side.index()]);
        self.child.send(&format!("set game {record}"));
        self.ping()?;
        let start = Instant::now();
        self.child.send("go");
        let mut searched = Searched::default();
        let (time, line) = loop {
            let is_wanted = |line: &str| line.starts_with("===") || line.starts_with("nodestats ");
            let (time, line) = self.child.receive_where(Until::of(&turn), is_wanted)?;
            match line.strip_prefix("nodestats ") {
                Some(rest) => {
                    let n = rest.split_whitespace().next().and_then(|word| word.parse().ok());
                    searched.nodes = n.filter(|&n| n > 0).or(searched.nodes);
                }
                None => break (time, line),
            }
        };
        let item = line.trim_start_matches('=').trim();
        let (mv, value, _) = ggf::parse_move_item(item.as_bytes())
            .ok_or_else(|| self.child.fault(Cause::BadReply, "the reply to go is not a move"))?;
        let (value, elapsed) = (value.map(Value::result), time.saturating_duration_since(start));
        Ok(Choice { value, searched, elapsed, ..Answer::Move(mv).into() })
    }
}

/// The game as sent to the engine: the initial time and the times of its own moves determine its clock.
fn record(game: &Game, own: Color, clock: &Clock) -> String {
    let (told, own_time) = match clock.control() {
        Control::Unlimited => (None, None),
        Control::Game { main, increment } => (Some((main, increment)), None),
        // Each own move is recorded as taking the whole time, which the increment gives back: so this much is always left.
        Control::Move(time) => (Some((time, time)), Some(time)),
        // GGF has no byo-yomi, so the time left now is sent as the whole time.
        Control::Byoyomi { .. } => (Some((clock.left(), Duration::ZERO)), Some(Duration::ZERO)),
    };
    let mut copy = Game::new(game.start());
    for ply in game.plies() {
        let is_own = ply.before.side == own;
        let time = if is_own { own_time.or(ply.note.time) } else { ply.note.time };
        // Legal, because it comes from a game.
        copy.play(ply.mv, Note { value: None, time });
    }
    let clock = told.map(|(initial, increment)| GgfClock { increment, ..GgfClock::of(initial) });
    let mut headers = Headers {
        place: "othellier".into(),
        result: Outcome { score: None, text: "?".into() },
        clocks: [clock; 2],
        ..Headers::default()
    };
    headers.names[own.index()] = "engine".into();
    headers.names[own.opposite().index()] = "opponent".into();
    ggf::write(&copy, &headers)
}

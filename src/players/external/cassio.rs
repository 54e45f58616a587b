//! An engine that speaks Cassio's protocol: positions and depths, no game and no clock.

use std::time::Instant;

use super::child::{Child, Until};
use crate::board::{Move, Position};
use crate::engine::Pace;
use crate::players::spec::External;
use crate::players::{Answer, Cause, Choice, Fault, OnProgress, Player, Terms, Turn, Value};

/// The depth if neither the pace nor the player's specification sets one.
const DEFAULT_DEPTH: u32 = 8;

struct Cassio {
    child: Child,
    depth: Option<u32>,
    pace: Pace,
}

pub(super) fn greet(child: Child, external: &External) -> Result<Box<dyn Player>, Fault> {
    let mut cassio = Cassio { child, depth: external.depth, pace: Pace::OWN };
    for line in &external.startup {
        cassio.child.send(line);
    }
    cassio.ask("ENGINE-PROTOCOL init")?;
    cassio.child.has_started();
    Ok(Box::new(cassio))
}

impl Cassio {
    fn ask(&mut self, line: &str) -> Result<(), Fault> {
        self.child.send(line);
        self.child.receive_where(self.child.soon(), |line| line.trim() == "ready.").map(|_| ())
    }
}

impl Player for Cassio {
    fn begin(&mut self, _: Position, terms: Terms) -> Result<(), Fault> {
        self.pace = terms.pace;
        self.child.send("ENGINE-PROTOCOL empty-hash");
        self.ask("ENGINE-PROTOCOL new-position")
    }

    fn choose(&mut self, turn: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
        let depth = self.pace.depth_or_level().or(self.depth).unwrap_or(DEFAULT_DEPTH);
        let position = turn.game.position();
        let text: String = position.to_string().chars().filter(|symbol| *symbol != ' ').collect();
        let start = Instant::now();
        self.child.send(&format!("ENGINE-PROTOCOL midgame-search {text} -64.00 64.00 {depth} 100"));
        let mut best = None;
        let time = loop {
            let (time, line) = self.child.receive_where(Until::of(&turn), |line| {
                line.trim() == "ready." || line.starts_with("ERROR") || line.contains(", move ")
            })?;
            if line.trim() == "ready." {
                break time;
            }
            if line.starts_with("ERROR") {
                return Err(self.child.fault(Cause::BadReply, "the engine refused the search"));
            }
            best = read_result(&line).or(best);
        };
        let (mv, value) =
            best.ok_or_else(|| self.child.fault(Cause::BadReply, "the search returned no move"))?;
        let (value, elapsed) = (value.map(Value::result), time.saturating_duration_since(start));
        Ok(Choice { value, elapsed, ..Answer::Move(mv).into() })
    }
}

/// The move of a result line, and its lower bound in discs for the mover. The line may give the bound for either color.
fn read_result(line: &str) -> Option<(Move, Option<f64>)> {
    let mv = line.split(", ").find_map(|field| field.strip_prefix("move "))?;
    let mv = Move::parse(mv.trim().as_bytes())?;
    let mover = line.chars().nth(64)?;
    let bound = line.split(", ").find(|field| field.contains("<= v") || field.contains("< v"));
    let value = bound.and_then(|field| {
        let number: f64 = field.get(1..)?.split_whitespace().next()?.parse().ok()?;
        let is_movers = field.starts_with('B') == (mover == 'X');
        Some(if is_movers { number } else { -number })
    });
    Some((mv, value))
}

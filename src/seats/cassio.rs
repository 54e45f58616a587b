//! An engine that speaks Cassio's protocol: positions and depths, no game and no clock.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{Answer, Choice, Patience, Seat, Terms, at_start};
use crate::board::Move;
use crate::clock::Clock;
use crate::engine::pace::Pace;
use crate::game::Game;
use crate::seats::child::Child;
use crate::seats::fault::{Cause, Fault};
use crate::seats::spec::External;

/// The depth if neither the pace nor the player's specification sets one.
const DEFAULT_DEPTH: u32 = 8;

pub(super) struct Cassio {
    child: Child,
    patience: Duration,
    depth: Option<u32>,
    terms: Option<Terms>,
}

impl Cassio {
    /// Starts an engine and waits until it is ready.
    pub fn start(
        external: &External,
        errors: Option<&Path>,
        patience: &Patience,
    ) -> Result<Cassio, Fault> {
        let mut cassio = Cassio {
            child: Child::start(external, errors, patience.halt.clone())?,
            patience: patience.start,
            depth: external.depth,
            terms: None,
        };
        for line in &external.startup {
            cassio.child.send(line);
        }
        at_start(cassio.ask("ENGINE-PROTOCOL init"))?;
        cassio.patience = patience.reply;
        Ok(cassio)
    }

    fn ask(&mut self, line: &str) -> Result<(), Fault> {
        self.child.send(line);
        let deadline = Instant::now() + self.patience;
        self.child.receive_where(deadline, |line| line.trim() == "ready.").map(|_| ())
    }
}

impl Seat for Cassio {
    fn begin(&mut self, _: &Game, terms: Terms) -> Result<(), Fault> {
        self.terms = Some(terms);
        self.child.send("ENGINE-PROTOCOL empty-hash");
        self.ask("ENGINE-PROTOCOL new-position")
    }

    fn observe(&mut self, _: &Game) -> Result<(), Fault> {
        Ok(())
    }

    fn choose(&mut self, game: &Game, _: [Clock; 2], deadline: Instant) -> Result<Choice, Fault> {
        let position = game.position();
        let depth = match self.terms.map(|terms| terms.pace) {
            Some(Pace::Depth(n) | Pace::Level(n)) => n,
            _ => self.depth.unwrap_or(DEFAULT_DEPTH),
        };
        let text: String = position.to_string().chars().filter(|symbol| *symbol != ' ').collect();
        let start = Instant::now();
        self.child.send(&format!("ENGINE-PROTOCOL midgame-search {text} -64.00 64.00 {depth} 100"));
        let mut best = None;
        let time = loop {
            let (time, line) = self.child.receive_where(deadline, |line| {
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
        let elapsed = time.saturating_duration_since(start);
        Ok(Choice { answer: Answer::Move(mv), value, elapsed })
    }
}

/// The move of a result line and its lower bound in discs for the mover; the line may or may not use the mover's letter.
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

impl Drop for Cassio {
    fn drop(&mut self) {
        self.child.quit("ENGINE-PROTOCOL quit");
    }
}

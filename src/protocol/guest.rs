//! A player that plays instead of the engine, in jobs on the engine's thread, so that lines interrupt it like a search.
//!
//! Hints and analysis still come from the engine. A player ignores clocks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::board::{Board, Move};
use crate::engine::job::{Call, Purpose};
use crate::engine::{Event, Foreseen, Job, Result as JobResult, Thought};
use crate::game::Game;
use crate::players::Player;
use crate::players::spec::{self, SpecError};
use crate::players::thoughts::{Choice, Foreseen as Reply, Thoughts, Unit, Value};
use crate::score::{DISC, MAX, Score};
use crate::search::{Bound, Line, Outcome};

/// A player that plays instead of the engine.
#[derive(Clone, Debug)]
pub struct Guest {
    /// Used by one job at a time, and between jobs by the session.
    player: Arc<Mutex<Box<dyn Player>>>,
}

impl Guest {
    /// The player of a specification such as `minimax:rounds=3`.
    ///
    /// # Errors If there is no such player; the message lists them.
    pub fn new(text: &str, seed: u64) -> Result<Guest, SpecError> {
        let player = spec::parse(text, seed)?;
        Ok(Guest { player: Arc::new(Mutex::new(player)) })
    }

    /// The name by which [`Guest::new`] gives the same player.
    pub(super) fn name(&self) -> String {
        lock(&self.player).name()
    }

    /// This player.
    #[cfg(test)]
    pub(super) fn of(player: Box<dyn Player>) -> Guest {
        Guest { player: Arc::new(Mutex::new(player)) }
    }

    /// Forgets the last game.
    pub(super) fn new_game(&self) {
        lock(&self.player).new_game();
    }

    /// The job of choosing a move on `board`, which is the game's or the one after a pass of the side to move.
    pub(super) fn choose(&self, game: &Game, board: Board) -> Job {
        let mut game = game.clone();
        if game.position().board != board {
            game.play(Move::Pass, crate::game::Note::default());
        }
        let player = Arc::clone(&self.player);
        let run = Arc::new(move |stop: &_, _: &mut dyn FnMut(Event)| {
            let start = Instant::now();
            let choice = lock(&player).consider(&game, stop, &mut |_| {});
            JobResult::Thought(Box::new(thought(choice, start.elapsed())))
        });
        Job::Call(Call { purpose: Purpose::Choose(board), run })
    }

    /// The job of thinking on the opponent's time, if the player does so.
    pub(super) fn think_ahead(&self, game: &Game) -> Option<Job> {
        if !lock(&self.player).thinks_ahead() {
            return None;
        }
        let game = game.clone();
        let player = Arc::clone(&self.player);
        let run = Arc::new(move |stop: &_, report: &mut dyn FnMut(Event)| {
            let mut found = Vec::new();
            lock(&player).think_ahead(&game, stop, &mut |thoughts| {
                if let Thoughts::Foresaw(table) = thoughts {
                    found = table.iter().map(foreseen).collect();
                    report(Event::Foresaw(found.clone()));
                }
            });
            JobResult::Pondered(found)
        });
        Some(Job::Call(Call { purpose: Purpose::ThinkAhead, run }))
    }
}

/// A player that has panicked is used again like any other.
fn lock(player: &Mutex<Box<dyn Player>>) -> MutexGuard<'_, Box<dyn Player>> {
    player.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a line carries no value for its move: at most all discs.
pub(super) fn is_without_value(line: &Line) -> bool {
    line.bound == Bound::AtMost && line.score >= MAX
}

fn thought(choice: Option<Choice>, elapsed: Duration) -> Thought {
    // A player's own points are no scores.
    let in_discs = |value: &Value| value.unit == Unit::Discs;
    let line = |choice: Choice| {
        let (score, bound) = match choice.value.filter(in_discs) {
            Some(value) => (discs(value), value.bound),
            None => (MAX, Bound::AtMost),
        };
        Line::new(choice.mv, score, bound, choice.depth)
    };
    let nodes = choice.map_or(0, |choice| choice.nodes);
    let was_foreseen = choice.is_some_and(|choice| choice.was_foreseen);
    Thought { was_foreseen, ..Thought::new(outcome(choice.map(line), nodes, elapsed), elapsed) }
}

/// A row of the player's table, its value in the player's own points.
fn foreseen(reply: &Reply) -> Foreseen {
    let Reply { to, board, reply, value, depth } = *reply;
    let line = Line::new(Move::Place(reply), value.number * DISC, value.bound, depth);
    let outcome = outcome(Some(line), 0, Duration::ZERO);
    Foreseen { to: Move::Place(to), board, outcome, spent: Duration::ZERO }
}

/// Some players value a wipe-out above all discs.
fn discs(value: Value) -> Score {
    (value.number * DISC).clamp(-MAX, MAX)
}

fn outcome(line: Option<Line>, nodes: u64, elapsed: Duration) -> Outcome {
    let lines = line.into_iter().collect();
    Outcome { lines, nodes, elapsed, ..Outcome::default() }
}

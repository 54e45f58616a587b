//! A simple player that plays instead of the engine, in jobs on the engine's thread, so that lines interrupt it like a search.
//!
//! Hints and analysis still come from the engine. The player ignores clocks.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::board::{Board, Move};
use crate::engine::job::{Call, Purpose};
use crate::engine::{Done, Event, Job};
use crate::game::{Game, Note, must_pass};
use crate::players::simple::spec::SimpleSpec;
use crate::players::{Answer, Choice, Player, Progress, Turn};

/// A player that plays instead of the engine.
#[derive(Clone)]
pub struct SubstitutePlayer {
    name: String,
    ponders: bool,
    /// Used by one job at a time, and between jobs by the session.
    player: Arc<Mutex<Box<dyn Player>>>,
}

impl fmt::Debug for SubstitutePlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SubstitutePlayer").field(&self.name).finish()
    }
}

impl SubstitutePlayer {
    /// A player, its random choices decided by a seed.
    pub fn new(spec: SimpleSpec, seed: u64) -> SubstitutePlayer {
        SubstitutePlayer::of(spec.to_string(), spec.ponders(), spec.player(seed))
    }

    pub(super) fn of(name: String, ponders: bool, player: Box<dyn Player>) -> SubstitutePlayer {
        SubstitutePlayer { name, ponders, player: Arc::new(Mutex::new(player)) }
    }

    /// The text that gives the same player.
    pub(super) fn name(&self) -> String {
        self.name.clone()
    }

    pub(super) fn new_game(&self) {
        lock(&self.player).forget();
    }

    /// The job of choosing a move on `board`, which is the game's or the one after a pass of the side to move.
    pub(super) fn choose(&self, game: &Game, board: Board) -> Job {
        let mut game = game.clone();
        if game.position().board != board {
            game.play(Move::Pass, Note::default());
        }
        let player = Arc::clone(&self.player);
        let run = Arc::new(move |stop: &_, _: &mut dyn FnMut(Event)| {
            let start = Instant::now();
            let board = game.position().board;
            let choice = match board.legal_moves() {
                0 if must_pass(board) => Ok(Answer::Move(Move::Pass).into()),
                0 => Ok(Choice::default()),
                _ => lock(&player).choose(Turn::without_end(&game, stop), &mut |_| {}),
            };
            choice.map_or_else(Done::Failed, |choice| {
                Done::Chosen(Box::new(Choice { elapsed: start.elapsed(), ..choice }))
            })
        });
        Job::Call(Call { purpose: Purpose::Choose(board), run })
    }

    /// The job of thinking on the opponent's time, if the player does so.
    pub(super) fn ponder(&self, game: &Game) -> Option<Job> {
        let (game, player) = (game.clone(), Arc::clone(&self.player));
        let run = Arc::new(move |stop: &_, report: &mut dyn FnMut(Event)| {
            let mut found = Vec::new();
            lock(&player).ponder(Turn::without_end(&game, stop), &mut |progress| {
                if let Progress::Predicted(table) = progress {
                    found.clone_from(&table);
                    report(Event::Predicted(table));
                }
            });
            Done::Pondered(found)
        });
        self.ponders.then_some(Job::Call(Call { purpose: Purpose::ThinkAhead, run }))
    }
}

/// A player that has panicked is used again like any other.
fn lock(player: &Mutex<Box<dyn Player>>) -> MutexGuard<'_, Box<dyn Player>> {
    player.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::players::simple::spec;
    use crate::search::Stop;

    #[test]
    fn passes_and_ends_are_no_choices() {
        // Black must pass; White has two moves. White has no discs. The board is full.
        const FORCED: &[u8] = b"-------------------X-------XX--O---XXXOO-----X-O-----X---------- X";
        const WIPED: &[u8] =
            b"XXX----- -------- -------- -------- -------- -------- -------- -------- X";
        const FULL: &[u8] = b"XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX O";
        for name in spec::NAMES {
            let substitute = SubstitutePlayer::new(spec::parse(name).unwrap(), 1);
            for (text, expected) in [(FORCED, Some(Move::Pass)), (WIPED, None), (FULL, None)] {
                let game = Game::new(Position::parse(text).unwrap());
                let job = substitute.choose(&game, game.position().board);
                let Job::Call(call) = job else { panic!("{job:?}") };
                let result = (call.run)(&Stop::new(), &mut |_| {});
                let Done::Chosen(choice) = result else { panic!("{result:?}") };
                assert_eq!(choice.mv(), expected, "{name}");
            }
        }
    }
}

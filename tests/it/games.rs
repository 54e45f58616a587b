//! Complete games over pipes, refereed with the library's own rules.
//!
//! The referee knows the legal moves and keeps the clocks. An illegal move, an error reply, a line that the protocol does not
//! allow, endless silence, an early exit or a loss on time fails a test with the last lines of the traffic.
//!
//! `OTHELLIER_GAMES` sets the number of games of each kind (2 by default). Without gtp-rhino its tests end early, unless
//! `OTHELLIER_REQUIRE_ALL` is set.

mod gtp;
mod nboard;

use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use othellier::board::Move;
use othellier::formats::transcript;
use othellier::game::{Game, Note, must_pass};

use crate::harness::engine::Traffic;
use crate::harness::{Engine, has};
use gtp::{GtpEngine, GtpPlayer, RHINO};
use nboard::NBoardPlayer;

/// A lock for every test here: more than two engines at once would slow each other down, and their clocks would show it.
static ONE_GAME_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Opening moves, passes left out. The first and the third leave a side without a move at once.
const OPENINGS: [&str; 6] =
    ["f5f6d3g5h5h4f7h6", "f5d6c3d3c4", "e6f6c4e7e8d8g7f8", "f5f6e6f4", "", "f5d6c5f4e3c6"];

/// The treatment of a side without a move.
#[derive(Clone, Copy, PartialEq)]
enum Passes {
    /// It is asked for a pass, which the other side receives, as match tools do.
    Explicit,
    /// The pass is never mentioned, as in Quarry.
    Implied,
}

/// Base time and increment of each side.
#[derive(Clone, Copy)]
struct Time {
    base: Duration,
    increment: Duration,
}

const ONE_SECOND: Time =
    Time { base: Duration::from_secs(1), increment: Duration::from_millis(10) };

/// What both players receive before a game.
#[derive(Clone, Copy)]
struct Conditions {
    passes: Passes,
    time: Option<Time>,
}

/// A chosen move.
struct Answer {
    mv: Move,
    /// The evaluation as the engine wrote it, empty if it gave none.
    value: String,
    /// In whole milliseconds, so that the engine receives exactly the time charged to its clock.
    elapsed: Duration,
}

/// One side of a game, whatever its protocol.
trait Player {
    /// Starts a game whose opening has been played already.
    fn set_up(&mut self, game: &Game, conditions: Conditions);
    /// Asks for a move in the current position, where it is this player's turn.
    fn choose(&mut self, game: &Game, left: Option<Duration>) -> Answer;
    /// Sends the player its own move, if the protocol does that; `game` is after it.
    fn confirm(&mut self, _game: &Game, _answer: &Answer) {}
    /// Sends the player the opponent's move; `game` is after it.
    fn inform(&mut self, game: &Game, answer: &Answer);
    /// Checks that the player also considers the game over.
    fn finish(&mut self, game: &Game);
    /// Fails the test.
    fn fail(&self, cause: &str) -> !;
}

/// Plays one game to its end; the first player has Black.
fn referee(mut players: [&mut dyn Player; 2], opening: &str, conditions: Conditions) {
    let mut game = transcript::read(opening.as_bytes()).unwrap().replay().unwrap();
    let mut left = conditions.time.map(|time| [time.base; 2]);
    for player in &mut players {
        player.set_up(&game, conditions);
    }
    while !game.is_over() {
        if conditions.passes == Passes::Implied && must_pass(game.position().board) {
            assert!(game.play(Move::Pass, Note::default()));
            continue;
        }
        let mover = game.position().side.index();
        let answer = players[mover].choose(&game, left.map(|left| left[mover]));
        if let (Some(time), Some(left)) = (conditions.time, &mut left) {
            match left[mover].checked_sub(answer.elapsed) {
                Some(rest) => left[mover] = rest + time.increment,
                None => players[mover].fail(&format!(
                    "lost on time: {:?} used of {:?}, ply {}",
                    answer.elapsed,
                    left[mover],
                    game.plies().len() + 1
                )),
            }
        }
        if !game.play(answer.mv, Note::default()) {
            players[mover].fail(&format!("illegal move {} in {:?}", answer.mv, game.position()));
        }
        players[mover].confirm(&game, &answer);
        players[1 - mover].inform(&game, &answer);
    }
    for player in &mut players {
        player.finish(&game);
    }
}

/// Plays the games of a test, each player having Black in turn.
fn play_games(first: &mut dyn Player, second: &mut dyn Player, conditions: Conditions) {
    let games: usize = std::env::var("OTHELLIER_GAMES").map_or(2, |games| games.parse().unwrap());
    for number in 0..games {
        let opening = OPENINGS[number % OPENINGS.len()];
        // Over all games each opening is met from both sides.
        if (number + number / OPENINGS.len()).is_multiple_of(2) {
            referee([first, second], opening, conditions);
        } else {
            referee([second, first], opening, conditions);
        }
    }
}

fn wait_for_turn() -> MutexGuard<'static, ()> {
    // A failure in one test says nothing about the others.
    ONE_GAME_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn whole_milliseconds(duration: Duration) -> Duration {
    Duration::from_millis(duration.as_nanos().div_ceil(1_000_000) as u64)
}

/// Ends an engine by closing its input; it must write nothing more.
fn end(mut engine: Engine) {
    let (lines, status) = engine.end();
    if status != Some(0) {
        engine.fail(&format!("ended with status {status:?}"));
    }
    if !lines.is_empty() {
        engine.fail("writes after the end");
    }
}

// The tests

fn gtp_games(engines: [GtpEngine; 2], conditions: Conditions) {
    let _turn = wait_for_turn();
    let traffic = Traffic::new();
    let mut first = GtpPlayer::start("first", &traffic, engines[0]);
    let mut second = GtpPlayer::start("second", &traffic, engines[1]);
    play_games(&mut first, &mut second, conditions);
    first.quit();
    second.quit();
}

fn nboard_games(depth: u32, hint_depth: Option<u32>, time: Option<Time>) {
    let _turn = wait_for_turn();
    let traffic = Traffic::new();
    let mut first = NBoardPlayer::start("first", &traffic, depth, hint_depth);
    let mut second = NBoardPlayer::start("second", &traffic, depth, hint_depth);
    play_games(&mut first, &mut second, Conditions { passes: Passes::Explicit, time });
    first.leave();
    second.leave();
}

const AS_IN_QUARRY: Conditions = Conditions { passes: Passes::Implied, time: None };
const LEVEL_4: GtpEngine = GtpEngine::Othellier { level: Some(4) };

fn has_rhino() -> bool {
    has(RHINO, Path::new(RHINO).exists())
}

#[test]
fn referee_agrees_with_rhino() {
    if has_rhino() {
        gtp_games([GtpEngine::Rhino; 2], AS_IN_QUARRY);
    }
}

#[test]
fn gtp_games_against_rhino() {
    if has_rhino() {
        gtp_games([LEVEL_4, GtpEngine::Rhino], AS_IN_QUARRY);
        gtp_games([GtpEngine::Rhino, LEVEL_4], AS_IN_QUARRY);
    }
}

#[test]
fn gtp_games_with_explicit_passes() {
    gtp_games([LEVEL_4; 2], Conditions { passes: Passes::Explicit, time: None });
}

#[test]
fn gtp_games_with_implied_passes() {
    gtp_games([LEVEL_4; 2], AS_IN_QUARRY);
}

#[test]
#[ignore = "long: measures times"]
fn gtp_games_on_the_clock() {
    let conditions = Conditions { passes: Passes::Explicit, time: Some(ONE_SECOND) };
    gtp_games([GtpEngine::Othellier { level: None }; 2], conditions);
}

#[test]
fn nboard_games_with_hints_in_between() {
    nboard_games(4, Some(30), None);
}

#[test]
#[ignore = "long: measures times"]
fn nboard_games_on_the_clock() {
    nboard_games(60, None, Some(ONE_SECOND));
}

//! Playing an event: several games at a time, each by a thread with players of its own.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;

use super::event::{Event, Store};
use super::openings;
use super::record::{End, GameRecord, PlayerFault};
use super::referee::{self, Table, VerdictEnd};
use super::schedule::Fixture;
use crate::board::Color;
use crate::engine::pace::Pace;
use crate::formats::transcript;
use crate::seats::fault::Fault;
use crate::seats::halt::Halt;
use crate::seats::spec::PlayerSpec;
use crate::seats::{Patience, Seat, take_seat};

/// How long an engine may take to answer anything but a request for a move.
const REPLY_PATIENCE: Duration = Duration::from_secs(10);

/// What happens while an event runs.
pub trait Observer: Sync {
    /// A game has been finished and is on disk; `true` ends the event.
    fn on_game(&self, record: &GameRecord) -> bool;
}

/// Why an event ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All games are played.
    Complete,
    /// It was stopped before: from outside, by the observer or at a fault.
    Stopped,
}

struct Shared<'a> {
    event: &'a Event,
    specs: &'a [PlayerSpec],
    pace: Pace,
    waiting: Mutex<VecDeque<Fixture>>,
    store: Mutex<Option<Store>>,
    failure: Mutex<Option<anyhow::Error>>,
    observer: &'a dyn Observer,
    halt: &'a Halt,
}

/// Plays the games that `played` does not hold yet, `concurrency` at a time, until all are played or `halt` is called, which ends the
/// games in the middle of a move and keeps nothing of them. Without a store the games are only shown to the observer.
///
/// # Errors
/// If the event is not sound, or a game cannot be written.
pub fn run(
    event: &Event,
    store: Option<Store>,
    played: &[GameRecord],
    concurrency: usize,
    halt: &Halt,
    observer: &dyn Observer,
) -> anyhow::Result<Ended> {
    let specs = event.specs()?;
    let mut fixtures: VecDeque<_> = event.fixtures()?.into();
    let played: HashSet<u64> = played.iter().map(|record| record.id).collect();
    fixtures.retain(|fixture| !played.contains(&fixture.id));
    // Pondering players would take each other's processor time.
    let concurrency = if specs.iter().any(|spec| spec.ponders) { 1 } else { concurrency };
    let n_threads = concurrency.clamp(1, fixtures.len().max(1));
    let shared = Shared {
        event,
        specs: &specs,
        pace: event.pace()?,
        waiting: Mutex::new(fixtures),
        store: Mutex::new(store),
        failure: Mutex::new(None),
        observer,
        halt,
    };
    std::thread::scope(|scope| {
        for index in 0..n_threads {
            let shared = &shared;
            let thread = std::thread::Builder::new().name(format!("board {index}"));
            match thread.spawn_scoped(scope, move || work(shared)) {
                Ok(_) => {}
                Err(error) if index > 0 => {
                    log::warn!("playing {index} games at a time: {error}");
                    break;
                }
                Err(error) => {
                    fail(shared, anyhow::Error::new(error).context("cannot start a thread"));
                }
            }
        }
    });
    if let Some(error) = shared.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let is_complete = shared.waiting.into_inner().is_ok_and(|waiting| waiting.is_empty());
    Ok(if is_complete && !halt.is_called() { Ended::Complete } else { Ended::Stopped })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn fail(shared: &Shared<'_>, error: anyhow::Error) {
    lock(&shared.failure).get_or_insert(error);
    shared.halt.call();
}

/// One board: plays game after game. Players stay for the next game; those who are not in it leave.
fn work(shared: &Shared<'_>) {
    let mut seats: HashMap<usize, Box<dyn Seat>> = HashMap::new();
    while !shared.halt.is_called() {
        let Some(fixture) = lock(&shared.waiting).pop_front() else { return };
        seats.retain(|player, _| [fixture.black, fixture.white].contains(player));
        let record = match play(shared, &fixture, &mut seats) {
            Ok(Some(record)) => record,
            Ok(None) => return,
            Err(error) => return fail(shared, error),
        };
        if let Some(store) = lock(&shared.store).as_mut()
            && let Err(error) = store.add(&record)
        {
            return fail(shared, error);
        }
        let ends = shared.observer.on_game(&record);
        if ends || (shared.event.stop_at_fault && record.fault.is_some()) {
            shared.halt.call();
        }
    }
}

/// Plays a game; `None` if the event was stopped in the middle of it.
fn play(
    shared: &Shared<'_>,
    fixture: &Fixture,
    seats: &mut HashMap<usize, Box<dyn Seat>>,
) -> anyhow::Result<Option<GameRecord>> {
    let event = shared.event;
    let opening_text = &event.openings[fixture.opening];
    let opening =
        openings::replay(opening_text).with_context(|| format!("opening {opening_text}"))?;
    #[expect(clippy::disallowed_methods, reason = "a date in a record")]
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let players = [fixture.black, fixture.white];
    // Different in every pair, the same when the game is played again.
    let seed = event.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ fixture.id << 1;
    let mut taken = Vec::new();
    let mut late: Option<(Color, Fault)> = None;
    for (player, color) in players.into_iter().zip([Color::Black, Color::White]) {
        match seats.remove(&player).map_or_else(|| sit(shared, player), Ok) {
            Ok(seat) => taken.push((player, seat)),
            Err(fault) => {
                late.get_or_insert((color, fault));
            }
        }
    }
    let verdict = match (late, &mut taken[..]) {
        (None, [(_, black), (_, white)]) => {
            let mut table = Table {
                seats: [&mut **black, &mut **white],
                paces: players.map(|player| shared.specs[player].pace.unwrap_or(shared.pace)),
                seed,
            };
            referee::play(&opening, &mut table, &event.rules(), &|| shared.halt.is_called())
        }
        (late, _) => {
            let (color, fault) = late.unwrap_or_else(|| {
                (Color::Black, Fault::new(crate::seats::fault::Cause::Start, "no player came"))
            });
            referee::forfeit(&opening, color, fault)
        }
    };
    let names = players.map(|player| shared.specs[player].name.clone());
    let (end, fault) = match verdict.end {
        VerdictEnd::Stopped => return Ok(None),
        // A player that was halted fails. What went wrong by itself in the same moment does so again when the game is repeated.
        VerdictEnd::Fault(..) if shared.halt.is_called() => return Ok(None),
        VerdictEnd::Played => (End::Played, None),
        VerdictEnd::Adjudicated => (End::Adjudicated, None),
        VerdictEnd::Resigned => (End::Resigned, None),
        VerdictEnd::Fault(color, fault) => {
            log::warn!(
                "game {}: {} {}: {}",
                fixture.id,
                names[color.index()],
                fault.cause,
                fault.text
            );
            let blame = PlayerFault {
                player: names[color.index()].clone(),
                cause: fault.cause,
                text: fault.text,
            };
            (End::Fault, Some(blame))
        }
    };
    // After a fault the players start anew.
    if fault.is_none() {
        seats.extend(taken);
    }
    let plies = verdict.game.plies();
    let [black, white] = names;
    Ok(Some(GameRecord {
        id: fixture.id,
        pair: fixture.pair,
        black,
        white,
        opening: opening_text.clone(),
        moves: transcript::write(&verdict.game),
        score: verdict.score,
        end,
        fault,
        times: plies
            .iter()
            .map(|ply| ply.note.time.map_or(0.0, |time| time.as_secs_f64()))
            .collect(),
        values: plies.iter().map(|ply| ply.note.value).collect(),
        started,
    }))
}

fn sit(shared: &Shared<'_>, player: usize) -> Result<Box<dyn Seat>, Fault> {
    let spec = &shared.specs[player];
    let errors: Option<PathBuf> =
        lock(&shared.store).as_ref().map(|store| store.errors_of(&spec.name));
    let start = Duration::from_millis(shared.event.start_ms);
    let patience = Patience { start, reply: REPLY_PATIENCE, halt: shared.halt.clone() };
    take_seat(spec, errors.as_deref(), &patience)
}

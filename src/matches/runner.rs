//! Plays an event: several games at a time, each on a thread with its own players.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};

use super::event::{Event, Store};
use super::judge::Judge;
use super::openings;
use super::record::{End, GameRecord, PlayerFault};
use super::referee::{self, Table, VerdictEnd};
use super::schedule::Fixture;
use crate::batch::{self, Ended, Order, Pool};
use crate::board::Color;
use crate::engine::Pace;
use crate::formats::transcript;
use crate::game;
use crate::players::spec::PlayerKind;
use crate::players::start::{Logs, Patience, ReadyPlayer};
use crate::players::{Fault, Player, Pondering, Searched};
use crate::search::Stop;
use crate::support::text::printable;

/// The least time limit for answers other than moves.
const REPLY_PATIENCE: Duration = Duration::from_secs(10);

/// The most lines of an engine's error output in a message.
const SHOWN_LINES: usize = 10;

struct MatchContext<'a> {
    event: &'a Event,
    players: &'a [ReadyPlayer],
    pace: Pace,
    logs: Vec<Logs>,
    stop: Stop,
}

/// Plays the games that are not in `played` yet, `concurrency` at a time; setting `halt` ends games even within a move and
/// discards them. `on_game` receives each game once it is on disk, and returns `true` to end the event.
pub fn run(
    event: &Event,
    players: &[ReadyPlayer],
    mut store: Option<Store>,
    played: &[GameRecord],
    concurrency: usize,
    halt: &Stop,
    mut on_game: impl FnMut(&GameRecord) -> bool + Send,
) -> anyhow::Result<Ended> {
    let fixtures = open_fixtures(event, played)?;
    // Players that ponder in several games would compete for the processor.
    let concurrency =
        if players.iter().any(|player| player.spec.ponders) { 1 } else { concurrency };
    let logs_of = |player: &ReadyPlayer| {
        store.as_ref().map_or_else(Logs::default, |store| store.logs_of(&player.spec.name))
    };
    let logs = players.iter().map(logs_of).collect();
    let context = MatchContext { event, players, pace: event.pace()?, logs, stop: halt.clone() };
    let pool = Pool {
        n_threads: concurrency.clamp(1, fixtures.len().max(1)),
        order: Order::AsFinished,
        stop: halt,
    };
    let init = || Ok((Players::new(), event.judge()?));
    let work = |(players, judge): &mut (Players, Option<Judge>), &number: &u64| {
        if context.stop.is_stopped() {
            return Ok(None);
        }
        let fixture = &fixtures[number as usize];
        players.retain(|player, _| [fixture.black, fixture.white].contains(player));
        play(&context, fixture, players, judge.as_mut())
    };
    let ended = batch::run(0..fixtures.len() as u64, pool, init, work, |_, record| {
        if let Some(store) = &mut store {
            store.add(&record)?;
        }
        if on_game(&record) || (event.stop_at_fault && record.fault.is_some()) {
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(if context.stop.is_stopped() { Ended::Stopped } else { ended })
}

type Players = HashMap<usize, Box<dyn Player>>;

/// `None` if the event was stopped in the middle of the game.
fn play(
    context: &MatchContext<'_>,
    fixture: &Fixture,
    running: &mut Players,
    judge: Option<&mut Judge>,
) -> anyhow::Result<Option<GameRecord>> {
    let event = context.event;
    let opening_text = &event.openings[fixture.opening];
    let opening =
        openings::replay(opening_text).with_context(|| format!("opening {opening_text}"))?;
    #[expect(clippy::disallowed_methods, reason = "a date in a record")]
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let players = [fixture.black, fixture.white];
    // Differs between games, but is the same when a game is repeated.
    let seed = game::seed_of(event.seed, fixture.id);
    let mut take = |color: Color| {
        let player = players[color.index()];
        let taken = running.remove(&player).map_or_else(|| start_player(context, player), Ok);
        taken.map_err(|fault| (color, fault))
    };
    let mut taken = take(Color::Black).and_then(|black| Ok([black, take(Color::White)?]));
    let verdict = match &mut taken {
        Ok([black, white]) => {
            let mut table = Table {
                players: [&mut **black, &mut **white],
                paces: players
                    .map(|player| context.players[player].spec.pace.unwrap_or(context.pace)),
                judge,
                seed,
            };
            referee::play(&opening, &mut table, &event.rules(), &context.stop)
        }
        Err((color, fault)) => referee::forfeit(&opening, *color, fault.clone()),
    };
    let names = players.map(|player| context.players[player].spec.name.clone());
    let (end, fault) = match verdict.end {
        VerdictEnd::Stopped => return Ok(None),
        // A stopped player may fail. A real fault at the same moment happens again when the game is repeated.
        VerdictEnd::Fault(..) if context.stop.is_stopped() => return Ok(None),
        VerdictEnd::Played => (End::Played, None),
        VerdictEnd::Adjudicated => (End::Adjudicated, None),
        VerdictEnd::Resigned => (End::Resigned, None),
        VerdictEnd::Fault(color, fault) => {
            let player = names[color.index()].clone();
            log::warn!("game {}: {player} {fault}", fixture.id);
            let blame = PlayerFault { player, cause: fault.cause, text: fault.text };
            (End::Fault, Some(blame))
        }
    };
    // After a fault, players are restarted.
    if fault.is_none()
        && let Ok(taken) = taken
    {
        running.extend(players.into_iter().zip(taken));
    }
    let plies = verdict.game.plies();
    let [black, white] = names;
    Ok(Some(GameRecord {
        event: 0,
        id: fixture.id,
        pair: fixture.pair,
        black,
        white,
        opening: opening_text.clone(),
        moves: transcript::write(&verdict.game),
        result: verdict.score,
        end,
        fault,
        times: plies
            .iter()
            .map(|ply| ply.note.time.map_or(0.0, |time| time.as_secs_f64()))
            .collect(),
        scores: plies.iter().map(|ply| ply.note.value).collect(),
        depths: reported(plies.len(), &verdict.searched, |searched| searched.depth),
        nodes: reported(plies.len(), &verdict.searched, |searched| searched.nodes),
        lines: reported(plies.len(), &verdict.searched, |searched| {
            let line: String = searched.pv.iter().map(ToString::to_string).collect();
            (!line.is_empty()).then_some(line)
        }),
        started,
    }))
}

/// A column of what the players said, with a row for each ply; empty if they said nothing.
fn reported<T: Clone>(
    n_plies: usize,
    searched: &[Searched],
    field: impl Fn(&Searched) -> Option<T>,
) -> Vec<Option<T>> {
    let mut column: Vec<Option<T>> = searched.iter().map(field).collect();
    if column.iter().all(Option::is_none) {
        return Vec::new();
    }
    column.resize(n_plies, None);
    column
}

fn open_fixtures(event: &Event, played: &[GameRecord]) -> anyhow::Result<Vec<Fixture>> {
    let played: HashSet<u64> = played.iter().map(|record| record.id).collect();
    let mut fixtures = event.fixtures()?;
    fixtures.retain(|fixture| !played.contains(&fixture.id));
    Ok(fixtures)
}

/// Starts every command once that has games to play: one that cannot start would lose all of them.
pub fn try_commands(
    event: &Event,
    players: &[ReadyPlayer],
    played: &[GameRecord],
    stop: &Stop,
) -> anyhow::Result<()> {
    let fixtures = open_fixtures(event, played)?;
    let playing: BTreeSet<usize> =
        fixtures.iter().flat_map(|fixture| [fixture.black, fixture.white]).collect();
    for player in playing {
        let ReadyPlayer { spec, .. } = &players[player];
        if !matches!(spec.kind, PlayerKind::External(_)) {
            continue;
        }
        let path = format!("othellier-{}-{player}.txt", std::process::id());
        let path = std::env::temp_dir().join(path);
        // Everybody may write there, so what is there already is somebody else's.
        let errors = File::create_new(&path).is_ok().then_some(path);
        let logs = Logs { errors, traffic: None };
        let started = players[player].start(&logs, patience(event), stop);
        let said = logs.errors.as_ref().and_then(|path| fs::read(path).ok()).unwrap_or_default();
        logs.errors.map(fs::remove_file);
        match started {
            _ if stop.is_stopped() => return Ok(()),
            Ok(_) => {}
            Err(fault) => bail!("{} cannot start: {}{}", spec.name, fault.text, last_lines(&said)),
        }
    }
    Ok(())
}

/// The end of an engine's error output, as the end of a message.
fn last_lines(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let lines: Vec<&str> = said.lines().collect();
    let last = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    if last.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = last.iter().map(|line| format!("\n    {}", printable(line))).collect();
    format!("\nits error output ends with:{}", shown.concat())
}

fn patience(event: &Event) -> Patience {
    Patience {
        start: Duration::from_millis(event.start_ms),
        reply: event.rules().stall.max(REPLY_PATIENCE),
    }
}

fn start_player(context: &MatchContext<'_>, player: usize) -> Result<Box<dyn Player>, Fault> {
    let logs = &context.logs[player];
    let player = &context.players[player];
    let started = player.start(logs, patience(context.event), &context.stop)?;
    // External engines ponder in their own processes.
    let ponders_here = player.spec.ponders && !matches!(player.spec.kind, PlayerKind::External(_));
    Ok(if ponders_here { Box::new(Pondering::new(started)) } else { started })
}

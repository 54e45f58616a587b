//! An event on disk: `event.toml` holds its settings, `games.jsonl` and `games.ggf` the games played.
//!
//! Every finished game is written before the next one starts; one whose line a kill has cut is played again. One process plays at a time.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

use super::judge::Judge;
use super::openings;
use super::record::{End, GameRecord};
use super::referee::{LOST, Rules};
use super::schedule::{Fixture, Pairing, n_openings, schedule};
use crate::batch::shard::Shard;
use crate::board::Color;
use crate::engine::Pace;
use crate::files::growing::Growing;
use crate::files::replace::replace;
use crate::game::Game;
use crate::players::spec::{PlayerSpec, PlayerText};
use crate::players::start::Logs;
use crate::support::checksum::checksum;

/// Version of the format of `event.toml`.
pub const FORMAT: u32 = 1;

/// Default search depth of the judge, in plies.
const JUDGE_DEPTH: u32 = 22;

const EVENT: &str = "event.toml";
const GAMES: &str = "games.jsonl";
const GGF: &str = "games.ggf";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    pub format: u32,
    /// Games per pair of players.
    pub games: u64,
    pub pairing: Pairing,
    /// The clock or search limit of players without their own.
    pub clock: String,
    pub seed: u64,
    /// Milliseconds by which a clock may be exceeded.
    pub margin_ms: f64,
    /// Milliseconds without an answer after which a player has stalled.
    pub stall_ms: u64,
    /// Milliseconds that an engine may take to start.
    pub start_ms: u64,
    /// Moves for which both players must agree on the result to end a game early.
    pub adjudicate: Option<u32>,
    /// Moves and discs behind for which a player loses the game.
    pub resign: Option<(u32, f64)>,
    /// Moves and discs within which a game is drawn.
    pub draw: Option<(u32, f64)>,
    /// Empty squares at which a search judges the game.
    pub stop_at_empties: Option<u32>,
    /// In plies.
    pub judge_depth: Option<u32>,
    /// Bounds in Elo of a sequential test that ends the event.
    pub sprt: Option<(f64, f64)>,
    pub shard: Option<Shard>,
    #[serde(default)]
    pub stop_at_fault: bool,
    /// Transcripts, in the order of play.
    pub openings: Vec<String>,
    pub players: Vec<PlayerText>,
}

impl Event {
    pub fn specs(&self) -> anyhow::Result<Vec<PlayerSpec>> {
        let specs: Vec<_> =
            self.players.iter().map(PlayerSpec::parse_whole).collect::<anyhow::Result<_>>()?;
        ensure!(
            specs.len() >= 2,
            "a match needs two players, found {}; give --player twice or more",
            specs.len()
        );
        let mut names = BTreeSet::new();
        for spec in &specs {
            ensure!(
                names.insert(&spec.name),
                "two players are named '{}'; engines and commands can be renamed, with engine:name=X or name=X,cmd=...",
                spec.name
            );
        }
        Ok(specs)
    }

    pub fn pace(&self) -> anyhow::Result<Pace> {
        self.clock.parse().with_context(|| format!("clock {}", self.clock))
    }

    pub fn rules(&self) -> Rules {
        Rules {
            margin: Duration::try_from_secs_f64(self.margin_ms / 1000.0).unwrap_or_default(),
            stall: Duration::from_millis(self.stall_ms),
            adjudicate: self.adjudicate,
            resign: self.resign,
            draw: self.draw,
        }
    }

    /// The judge that ends games early, if `stop_at_empties` is set.
    pub(super) fn judge(&self) -> anyhow::Result<Option<Judge>> {
        let new = |at_empties| Judge::new(at_empties, self.judge_depth.unwrap_or(JUDGE_DEPTH));
        self.stop_at_empties.map(new).transpose()
    }

    pub fn fixtures(&self) -> anyhow::Result<Vec<Fixture>> {
        ensure!(self.games > 0, "the event has no games");
        let needed = n_openings(self.games);
        ensure!(self.openings.len() >= needed, "{} of {needed} openings", self.openings.len());
        let mut fixtures = schedule(self.players.len(), self.pairing, self.games);
        if let Some(shard) = self.shard {
            fixtures.retain(|fixture| shard.contains(fixture.unit()));
        }
        Ok(fixtures)
    }
}

/// The folder of an event, open for writing by this process alone.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    games: Growing,
    ggf: File,
    logs_traffic: bool,
}

impl Store {
    pub fn create(directory: &Path, event: &Event) -> anyhow::Result<Store> {
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot create the folder {}", directory.display()))?;
        // Lock before anything is written: of two processes that start at once, one is refused.
        let mut is_empty = true;
        let games = Growing::open(&directory.join(GAMES), |bytes| {
            is_empty = bytes.is_empty();
            bytes.len()
        })?;
        let path = directory.join(EVENT);
        ensure!(
            !path.exists(),
            "{} already exists; resume it with --resume {} or choose another folder",
            path.display(),
            directory.display()
        );
        ensure!(is_empty, "{} holds games of no event", directory.join(GAMES).display());
        let text = toml::to_string(event).context("cannot write the event")?;
        replace(&path, text.as_bytes())?;
        Store::new(directory, games)
    }

    /// Also returns the games played so far; cuts off an incomplete last line.
    pub fn resume(directory: &Path) -> anyhow::Result<(Event, Vec<GameRecord>, Store)> {
        let event = read_event(directory)?;
        let path = directory.join(GAMES);
        let mut records = Ok(Vec::new());
        let games = Growing::open(&path, |bytes| match games_in(&path, bytes, &event) {
            Ok((found, whole)) => {
                records = Ok(found);
                whole
            }
            Err(error) => {
                records = Err(error);
                bytes.len()
            }
        })?;
        let records = records?;
        // The GGF file may lack the last game or hold only a part of it, so rewrite it from the results.
        let text: String = records.iter().map(|record| record.ggf() + "\n").collect();
        replace(&directory.join(GGF), text.as_bytes())?;
        Ok((event, records, Store::new(directory, games)?))
    }

    fn new(directory: &Path, games: Growing) -> anyhow::Result<Store> {
        let path = directory.join(GGF);
        let ggf = File::options().create(true).append(true).open(&path);
        let ggf = ggf.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Store { directory: directory.to_path_buf(), games, ggf, logs_traffic: false })
    }

    /// Syncs a finished game to disk.
    pub fn add(&mut self, record: &GameRecord) -> anyhow::Result<()> {
        let line = serde_json::to_string(record).context("cannot write a game")? + "\n";
        let in_folder = || format!("cannot write to {}", self.directory.display());
        self.games.append(line.as_bytes())?;
        self.games.sync()?;
        self.ggf.write_all((record.ggf() + "\n").as_bytes()).with_context(in_folder)?;
        Ok(())
    }

    #[must_use]
    pub fn with_traffic(self, logs_traffic: bool) -> Store {
        Store { logs_traffic, ..self }
    }

    /// The files for a command's error output and traffic.
    pub(super) fn logs_of(&self, name: &str) -> Logs {
        let safe = |symbol: char| {
            if symbol.is_ascii_alphanumeric() || "-_.".contains(symbol) { symbol } else { '_' }
        };
        let mut safe: String = name.chars().map(safe).collect();
        if safe != name {
            // Other names may look the same then.
            safe += &format!("-{:08x}", checksum(name.as_bytes()) as u32);
        }
        let file = |kind| self.directory.join(format!("{kind}-{safe}.txt"));
        Logs { errors: Some(file("stderr")), traffic: self.logs_traffic.then(|| file("traffic")) }
    }
}

pub fn read_event(directory: &Path) -> anyhow::Result<Event> {
    let path = directory.join(EVENT);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("{} holds no event: cannot read {EVENT}", directory.display()))?;
    let event: Event =
        toml::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    ensure!(event.format == FORMAT, "{}: unknown format {}", path.display(), event.format);
    Ok(event)
}

pub fn read_games(directory: &Path, event: &Event) -> anyhow::Result<Vec<GameRecord>> {
    let path = directory.join(GAMES);
    match fs::read(&path) {
        Ok(bytes) => Ok(games_in(&path, &bytes, event)?.0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// The games, and the length of their complete lines in bytes.
fn games_in(path: &Path, bytes: &[u8], event: &Event) -> anyhow::Result<(Vec<GameRecord>, usize)> {
    let names: Vec<String> = event.specs()?.into_iter().map(|spec| spec.name).collect();
    let fixtures: HashMap<u64, Fixture> =
        event.fixtures()?.into_iter().map(|fixture| (fixture.id, fixture)).collect();
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut records = Vec::new();
    let mut ids = BTreeSet::new();
    for (index, line) in bytes[..whole].split(|&byte| byte == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let at = || format!("{} line {}", path.display(), index + 1);
        let record: GameRecord = serde_json::from_slice(line).with_context(at)?;
        if !ids.insert(record.id) {
            bail!("{}: game {} appears twice", at(), record.id);
        }
        let fixture = fixtures.get(&record.id);
        let wrong = fixture.map_or(Some("is not in the schedule"), |fixture| {
            let players = [fixture.black, fixture.white].map(|player| names[player].as_str());
            contradiction(&record, fixture, players, &event.openings[fixture.opening])
        });
        ensure!(wrong.is_none(), "{}: game {} {}", at(), record.id, wrong.unwrap_or_default());
        records.push(record);
    }
    Ok((records, whole))
}

/// How a record contradicts its place in the schedule or itself; `None` if it does not.
fn contradiction(
    record: &GameRecord,
    fixture: &Fixture,
    players: [&str; 2],
    opening: &str,
) -> Option<&'static str> {
    if [record.black.as_str(), &record.white] != players {
        return Some("is of other players");
    }
    if (record.pair, record.opening.as_str()) != (fixture.pair, opening) {
        return Some("has another opening");
    }
    let Some(game) = record.replay() else { return Some("has illegal moves") };
    let n_plies = game.plies().len();
    let begins = |opening: Game| {
        let moves = |game: &Game| game.plies().iter().map(|ply| ply.mv).collect::<Vec<_>>();
        moves(&game).starts_with(&moves(&opening))
    };
    // A player that fails before the first move leaves no moves at all.
    if n_plies > 0 && !openings::replay(opening).is_ok_and(begins) {
        return Some("does not begin with its opening");
    }
    if (record.times.len(), record.scores.len()) != (n_plies, n_plies) {
        return Some("has not a time and a value for each move");
    }
    if !record.times.iter().all(|time| (0.0..1e9).contains(time)) {
        return Some("has a time that no move takes");
    }
    let lost_by = |color: Color| record.result == -LOST * color.sign();
    let is_its_score = match (record.end, &record.fault) {
        (End::Played, None) => {
            game.is_over() && record.result == game.position().final_score_for_black()
        }
        (End::Adjudicated, None) => {
            record.result.abs() <= LOST
                && game.result().is_none_or(|result| result == record.result)
        }
        (End::Resigned, None) => lost_by(game.position().side),
        (End::Fault, Some(fault)) => [Color::Black, Color::White]
            .into_iter()
            .any(|color| players[color.index()] == fault.player && lost_by(color)),
        _ => false,
    };
    (!is_its_score).then_some("has a score that does not follow from its moves")
}

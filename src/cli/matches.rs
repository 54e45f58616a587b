//! `othellier match`.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use anyhow::{Context, bail};
use clap::Args;
use serde::Deserialize;
use serde_json::json;

use super::book_options::LearnOptions;
use super::printer::Printer;
use super::{FAILED, existing, misuse, number, progress};
use crate::batch::Ended;
use crate::batch::shard::Shard;
use crate::book::learner::Learner;
use crate::engine::Pace;
use crate::evaluation::Source;
use crate::files::replace::{NewFile, check_writable};
use crate::formats::transcript;
use crate::matches::event::{Event, FORMAT, Store};
use crate::matches::openings;
use crate::matches::record::{End, GameRecord};
use crate::matches::runner;
use crate::matches::schedule::{Pairing, n_openings};
use crate::matches::standing::Standing;
use crate::matches::statistics::elo::Summary;
use crate::matches::statistics::sprt::{Sprt, State};
use crate::players::spec::{PlayerKind, PlayerSpec, PlayerText, quoted};
use crate::players::start::ReadyPlayer;
use crate::protocol::Kind;
use crate::requests::row;
use crate::search::Stop;
use crate::support::text::{counted, printable_lines};

#[derive(Debug, Args)]
#[command(after_help = "Players:\n  \
    random, greedy, greedy:directions, minimizer, minimax[:rounds=N], minimax2\n  \
    classic[:open=E/N,middle=E/N,end=E/N,open-moves=N,end-empties=N,ponder=on],\n    \
    where E/N is an evaluation and a depth; evaluations are random, anti, discs,\n    \
    least-loss, win-loss, positional[discs=-1,moves=2,squares=1,unturnable=3]\n  \
    engine[:clock=C,depth=N,time=S,nodes=N,level=N,strength=N,elo=N,threads=N,\n    hash=MB,\
    ponder=on,weights=FILE,book=FILE|on,book-variety=DISCS,\n    randomness=DISCS,contempt=DISCS,repertoire=FILE,name=X]\n  \
    name=A,proto=gtp|nboard|cassio|auto,clock=C,depth=N,dir=D,fraction=yes|no,\n    \
    ponder=on,cmd=COMMAND\n\n\
    Clocks, levels and commands: docs/front-ends.md. Output and files: docs/formats.md.\n\n\
    Examples:\n  \
    othellier match --player engine:level=8 --games 20 --out results \\\n    \
    --player 'name=rhino,proto=gtp,clock=none,cmd=gtp-rhino -l 2 -b 0'\n  \
    othellier match --resume results\n  \
    othellier match --rank --games 200 random greedy minimax minimax2")]
pub(super) struct Arguments {
    /// A player; give two or more
    #[arg(long = "player", value_name = "SPEC")]
    players: Vec<String>,
    /// More players from a TOML file: `[[player]]` tables with `spec = "..."` and `startup = ["line", ...]`
    #[arg(long = "players", value_name = "FILE")]
    players_file: Option<PathBuf>,
    /// Keys for every engine and command, such as clock=30+0.1,ponder=on; a player's own keys override them
    #[arg(long, value_name = "KEYS")]
    each: Option<String>,
    /// Games per pair of players; every opening is played with both colors
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = number(1u64, 10_000_000))]
    games: u64,
    /// Play a round robin and print the players from weakest to strongest
    #[arg(long)]
    rank: bool,
    /// Players, as with --player
    #[arg(value_name = "SPEC")]
    names: Vec<String>,
    /// Play the first player against all others instead of a round robin
    #[arg(long)]
    gauntlet: bool,
    /// Clock or search limit: 30+0.1, move:0.1, byo:M/P/S, depth:N, nodes:N, level:N, unlimited or none
    #[arg(long, value_name = "CLOCK", default_value = "move:0.1")]
    clock: Pace,
    /// start, random:PLIES, book:FILE:PLIES (book:on:PLIES: the engine's own book), or a file of games in any format [default: random:8, or random:4 with --rank]
    #[arg(long, value_name = "OPENINGS")]
    openings: Option<String>,
    /// Use the first N plies of each opening in a file [default: all of a list of openings, 10 of games]
    #[arg(long, value_name = "N", value_parser = number(0usize, openings::MAX_PLIES))]
    opening_plies: Option<usize>,
    /// Pick openings from the file at random instead of in order
    #[arg(long)]
    shuffle: bool,
    /// Seed for all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games to play at a time; always 1 if a player ponders
    #[arg(short = 'j', long, value_name = "N", default_value_t = 1, value_parser = super::threads())]
    concurrency: usize,
    /// Store the event and its games in this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Resume the event in this folder, which holds its players, games, clock and rules; set --concurrency and output options again
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "players", "players_file", "each", "names", "games", "gauntlet", "clock", "openings", "opening_plies", "shuffle", "seed", "out",
        "shard", "sprt", "margin", "stall", "start_limit", "adjudicate", "resign", "draw",
        "stop_at_empties", "judge_depth", "stop_at_fault",
    ])]
    resume: Option<PathBuf>,
    /// Play only part K of N of the schedule
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Stop as soon as a sequential test between these Elo differences is decided, at most --games games (two players)
    #[arg(long, value_name = "E0,E1", allow_hyphen_values = true, value_parser = sprt)]
    sprt: Option<(f64, f64)>,
    /// Milliseconds by which a player may exceed its clock
    #[arg(long, value_name = "MS", default_value_t = 10.0, value_parser = number(0.0f64, 3_600_000.0))]
    margin: f64,
    /// Seconds without an answer, beyond the clock, after which a player has stalled; at least 10 where no move was asked for
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = number(0.001f64, 86_400.0))]
    stall: f64,
    /// Seconds that an engine may take to start; at most 3 for each protocol that is tried without proto=
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = number(0.001f64, 3600.0))]
    start_limit: f64,
    /// End a game when both players have agreed on its result for N moves each; engines that report no values never agree
    #[arg(long, value_name = "N", value_parser = number(1u32, 30))]
    adjudicate: Option<u32>,
    /// A player resigns when it has seen itself D discs behind for N of its moves; for engines that report values
    #[arg(long, value_name = "N,D", value_parser = moves_and_discs)]
    resign: Option<(u32, f64)>,
    /// End a game as a draw when both players have valued N moves each within D discs
    #[arg(long, value_name = "N,D", value_parser = moves_and_discs)]
    draw: Option<(u32, f64)>,
    /// End a game at N empty squares by a search of this program, for a quick test of the midgame
    #[arg(long, value_name = "N", value_parser = number(1u32, 59))]
    stop_at_empties: Option<u32>,
    /// Plies of that search [default: 22]
    #[arg(long, value_name = "PLIES", requires = "stop_at_empties", value_parser = number(1u32, 60))]
    judge_depth: Option<u32>,
    #[command(flatten)]
    learn: LearnOptions,
    /// With --out or --resume: log the lines to and from each command in traffic-NAME.txt
    #[arg(long)]
    traffic: bool,
    /// Stop at the first fault
    #[arg(long)]
    stop_at_fault: bool,
    /// Print only the first player's share of the points (two players)
    #[arg(long)]
    quiet: bool,
    /// Print one JSON object per line
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    /// Write an HTML page with all results and games
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Overwrite an existing page
    #[arg(long)]
    force: bool,
}

fn moves_and_discs(text: &str) -> Result<(u32, f64), String> {
    let parts = text.split_once(',');
    let parts = parts.and_then(|(moves, discs)| Some((moves.parse().ok()?, discs.parse().ok()?)));
    parts
        .filter(|(moves, discs)| (1..=30).contains(moves) && (0.0..=64.0).contains(discs))
        .ok_or_else(|| "expected moves from 1 to 30 and discs from 0 to 64, such as 3,20".into())
}

pub(super) fn sprt(text: &str) -> Result<(f64, f64), String> {
    let bounds =
        text.split_once(',').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    bounds
        .filter(|&(low, high)| Sprt::new(low, high).is_some())
        .ok_or_else(|| "expected two Elo differences E0,E1 from -1000 to 1000 with E0 < E1".into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayersFile {
    player: Vec<PlayerText>,
}

const QUIET: &str = "--quiet requires exactly two players";

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(page) = &arguments.html {
        check_writable(page, existing(arguments.force))?;
    }
    let learner = arguments.learn.open(Source::Embedded, None)?;
    let halt = super::stop_on_signal()?;
    let ready = |specs: Vec<PlayerSpec>| -> anyhow::Result<Vec<ReadyPlayer>> {
        specs.into_iter().map(ReadyPlayer::new).collect()
    };
    let (event, players, played, store) = match &arguments.resume {
        Some(directory) => {
            let (event, played, store) = Store::resume(directory)?;
            if arguments.quiet && event.players.len() > 2 {
                return misuse(QUIET);
            }
            let players = ready(event.specs()?)?;
            runner::try_commands(&event, &players, &played, &halt)?;
            (event, players, played, Some(store))
        }
        None => {
            let event = event(arguments)?;
            if arguments.quiet && event.players.len() > 2 {
                return misuse(QUIET);
            }
            if arguments.sprt.is_some() && event.players.len() > 2 {
                return misuse("--sprt requires exactly two players");
            }
            // Report mistakes before writing anything.
            let players = match event.specs().and_then(ready) {
                Ok(players) => players,
                Err(error) => return misuse(&format!("{error:#}")),
            };
            event.fixtures()?;
            // Before the folder is made, which a mistake in a command would block.
            runner::try_commands(&event, &players, &[], &halt)?;
            warn_of_levels(&players, event.pace()?);
            let store =
                arguments.out.as_deref().map(|out| Store::create(out, &event)).transpose()?;
            (event, players, Vec::new(), store)
        }
    };
    if arguments.traffic && store.is_none() {
        return misuse("--traffic needs --out, the folder for its files");
    }
    let store = store.map(|store| store.with_traffic(arguments.traffic));
    let specs = || players.iter().map(|player| &player.spec);
    if let Some(spec) = specs().find(|spec| spec.ponders)
        && arguments.concurrency > 1
    {
        super::warn(&format!("{} ponders, so games are played one at a time", spec.name));
    }
    let fixtures = event.fixtures()?;
    let standing = Standing::new(specs().map(|spec| spec.name.clone()));
    let mut course = Course::new(standing, event.sprt);
    for record in &played {
        course.add(record);
    }
    let bar = progress::over(Some(fixtures.len()), "games").with_position(played.len() as u64);
    if course.decision != State::Running {
        halt.set();
    }
    let on_game = |record: &GameRecord| {
        course.add(record);
        if let Err(error) = learn(learner.as_deref(), record) {
            bar.println(format!("game {}: not learned: {error}", record.id));
        }
        bar.set_message(headline(&course.standing));
        bar.inc(1);
        let is_hidden = bar.is_hidden();
        if is_hidden && !arguments.quiet || !is_hidden && record.fault.is_some() {
            bar.suspend(|| tell(&course, fixtures.len(), is_hidden));
        }
        course.decision != State::Running
    };
    let ended =
        runner::run(&event, &players, store, &played, arguments.concurrency, &halt, on_game);
    bar.finish_and_clear();
    // Games that were played are shown, even where files do not fit.
    let ended = if course.records.is_empty() { Ok(ended?) } else { ended };
    let page = write_page(arguments.html.as_deref(), arguments.force, &course);
    print(arguments, &course)?;
    course.warn_of_repeats();
    let ended = ended?;
    page?;
    study(learner.as_deref(), &halt)?;
    let is_complete = ended == Ended::Complete || course.records.len() == fixtures.len();
    if is_complete || course.decision != State::Running {
        return Ok(ExitCode::SUCCESS);
    }
    tell_of_the_rest(arguments, course.records.len(), fixtures.len());
    Ok(ExitCode::from(FAILED))
}

const FAULT: Style = AnsiColor::Red.on_default();

/// What is not ours is made safe, and faults are red.
fn game_line(record: &GameRecord, n_played: usize, n_games: usize) -> String {
    let GameRecord { black, white, result, fault, .. } = record;
    let line = format!("game {n_played} of {n_games}: Black {black} - White {white} {result:+}");
    let line = printable_lines(&line);
    match (fault, record.end) {
        (Some(fault), _) => {
            let text = format!("{} {}: {}", fault.player, fault.cause, fault.text);
            format!("{line}, {FAULT}{}{FAULT:#}", printable_lines(&text))
        }
        (None, End::Resigned) => format!("{line}, resigned"),
        (None, End::Adjudicated) => format!("{line}, adjudicated"),
        (None, _) => line,
    }
}

/// The fewest games between two standings.
const MIN_APART: usize = 5;

/// A line for the last game and, where there is no progress bar, the standing after every twentieth of the games.
fn tell(course: &Course, n_games: usize, has_standing: bool) {
    let n_played = course.records.len();
    if let Some(record) = course.records.last() {
        drop(writeln!(anstream::stderr(), "{}", game_line(record, n_played, n_games)));
    }
    let is_due = n_played.is_multiple_of(n_games.div_ceil(20).max(MIN_APART));
    if has_standing && (is_due || n_played == n_games) {
        let mut error = crate::cli::Shown(std::io::stderr());
        let games = counted(n_played, "game", "games");
        let names = course.standing.names();
        let name = if names.len() == 2 { format!("{} ", names[0]) } else { String::new() };
        drop(writeln!(error, "after {games}: {name}{}", headline(&course.standing)));
    }
}

fn tell_of_the_rest(arguments: &Arguments, n_played: usize, n_games: usize) {
    super::warn(&format!("stopped after {n_played} of {}", counted(n_games, "game", "games")));
    if let Some(directory) = arguments.out.as_ref().or(arguments.resume.as_ref()) {
        super::warn(&format!(
            "to continue: othellier match --resume {} --concurrency {}",
            quoted(&directory.display().to_string()),
            arguments.concurrency
        ));
    }
}

/// Adds a game without faults to the book that learns, if there is one.
fn learn(learner: Option<&dyn Learner>, record: &GameRecord) -> Result<(), String> {
    let Some(learner) = learner.filter(|_| record.fault.is_none()) else { return Ok(()) };
    let moves = transcript::read(record.moves.as_bytes()).map_err(|error| error.to_string())?;
    learner.take(&moves.replay_legal().0)
}

/// Searches the positions that the games have left open, until all are done or a signal comes.
fn study(learner: Option<&dyn Learner>, halt: &Stop) -> anyhow::Result<()> {
    let Some(learner) = learner else { return Ok(()) };
    learner.study(halt).map_err(anyhow::Error::msg)?;
    if learner.has_lessons() {
        super::warn("positions remain to be searched; run othellier book build --fix");
    }
    Ok(())
}

fn event(arguments: &Arguments) -> anyhow::Result<Event> {
    let mut players: Vec<PlayerText> = arguments
        .players
        .iter()
        .chain(&arguments.names)
        .map(|spec| PlayerText::from(spec.as_str()))
        .collect();
    if let Some(path) = &arguments.players_file {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let file: PlayersFile =
            toml::from_str(&text).with_context(|| format!("{}", path.display()))?;
        players.extend(file.player);
    }
    if let Some(each) = &arguments.each {
        players.iter_mut().for_each(|player| player.each.clone_from(each));
    }
    let default_openings = if arguments.rank { "random:4" } else { "random:8" };
    let text = arguments.openings.as_deref().unwrap_or(default_openings);
    let source = openings::source(text, arguments.opening_plies, super::warn)?;
    let openings = source.choose(n_openings(arguments.games), arguments.shuffle, arguments.seed);
    if let Some(n_empties) = arguments.stop_at_empties {
        for opening in &openings {
            let board = openings::replay(opening)?.position().board;
            anyhow::ensure!(
                board.n_empties() > n_empties,
                "--stop-at-empties {n_empties} leaves nothing to play after {opening}"
            );
        }
    }
    Ok(Event {
        format: FORMAT,
        games: arguments.games,
        pairing: if arguments.gauntlet { Pairing::Gauntlet } else { Pairing::RoundRobin },
        clock: arguments.clock.to_string(),
        seed: arguments.seed,
        margin_ms: arguments.margin,
        stall_ms: (arguments.stall * 1000.0).round() as u64,
        start_ms: (arguments.start_limit * 1000.0).round() as u64,
        adjudicate: arguments.adjudicate,
        resign: arguments.resign,
        draw: arguments.draw,
        stop_at_empties: arguments.stop_at_empties,
        judge_depth: arguments.judge_depth,
        sprt: arguments.sprt,
        shard: arguments.shard,
        stop_at_fault: arguments.stop_at_fault,
        openings,
        players,
    })
}

/// Warns of the commands that receive a level or depth, because it overrides their own arguments.
fn warn_of_levels(players: &[ReadyPlayer], pace: Pace) {
    let sent = players.iter().filter_map(|ReadyPlayer { spec, .. }| {
        let PlayerKind::External(external) = &spec.kind else { return None };
        // A Cassio command has no level of its own: every request sets the depth.
        let has_level = external.protocol != Some(Kind::Cassio);
        let pace = spec.pace.unwrap_or(pace);
        let is_level = pace.depth_or_level().is_some();
        (has_level && is_level).then(|| format!("{} ({pace})", spec.name))
    });
    let sent: Vec<_> = sent.collect();
    if !sent.is_empty() {
        super::warn(&format!(
            "the clock overrides the commands' own levels: {}; clock=none keeps them",
            sent.join(", ")
        ));
    }
}

pub(super) struct Course {
    pub standing: Standing,
    pub records: Vec<GameRecord>,
    sprt: Option<Sprt>,
    /// A decision is final, whatever the results of games still running.
    decision: State,
}

impl Course {
    /// Before the first game; `sprt` are the bounds in Elo of a sequential test.
    pub fn new(standing: Standing, sprt: Option<(f64, f64)>) -> Course {
        let sprt = sprt.and_then(|(low, high)| Sprt::new(low, high));
        Course { standing, records: Vec::new(), sprt, decision: State::Running }
    }

    /// The same players with the same colors and moves show nothing new.
    pub fn warn_of_repeats(&self) {
        let key = |record: &GameRecord| {
            (record.black.clone(), record.white.clone(), record.moves.clone())
        };
        let played = self.records.iter().filter(|record| record.fault.is_none());
        let n_played = played.clone().count();
        let n_different = played.map(key).collect::<HashSet<_>>().len();
        if n_different < n_played {
            super::warn(&format!(
                "{} of {} repeat an earlier one, so the intervals are too narrow; more openings make others",
                n_played - n_different,
                counted(n_played, "game", "games")
            ));
        }
    }

    pub fn add(&mut self, record: &GameRecord) {
        self.standing.add(record);
        self.records.push(record.clone());
        if let (Some(sprt), State::Running, Some((_, encounter))) =
            (self.sprt, self.decision, self.standing.encounters().next())
        {
            self.decision = sprt.state(encounter.tally.pentanomial());
        }
    }

    pub fn print_sprt(&self, printer: &mut Printer<impl Write>) -> std::io::Result<()> {
        if let (Some(sprt), Some((_, encounter))) = (self.sprt, self.standing.encounters().next()) {
            let pairs = encounter.tally.pentanomial();
            let (low, high) = sprt.bounds();
            let llr = sprt.log_likelihood_ratio(pairs);
            let decision = match self.decision {
                State::Running => "undecided",
                State::AcceptedH0 => "accepted E0",
                State::AcceptedH1 => "accepted E1",
            };
            let row =
                json!({ "sprt": decision, "llr": llr, "low": low, "high": high, "pairs": pairs });
            let text = format_args!(
                "sprt: {decision}, llr {llr:.2} in {low:.2} to {high:.2}, pairs {pairs:?}"
            );
            printer.show(&row, text)?;
        }
        Ok(())
    }
}

/// The standing in one line: the result of a match from its first player's side, or the three best players of a larger event.
fn headline(standing: &Standing) -> String {
    let names = standing.names();
    if let (2, Some((_, encounter))) = (names.len(), standing.encounters().next()) {
        let tally = &encounter.tally;
        let (wins, draws, losses) = (tally.wins(), tally.draws(), tally.losses());
        return format!("+{wins} ={draws} -{losses} {:#}", Summary::new(tally));
    }
    let best = standing.ranking().into_iter().rev().take(3);
    best.map(|(name, share)| format!("{name} {:.1}%", 100.0 * share)).collect::<Vec<_>>().join("  ")
}

fn print(arguments: &Arguments, course: &Course) -> anyhow::Result<()> {
    let standing = &course.standing;
    let mut printer = Printer::new(super::screen(), arguments.json);
    if arguments.quiet {
        let (points, games) = standing.points(0);
        anyhow::ensure!(games > 0, "no game was played");
        writeln!(printer.output, "{:.4}", points / games as f64)?;
        return Ok(());
    }
    if arguments.rank {
        course.print_sprt(&mut printer)?;
        for (rank, (name, share)) in (1..).zip(standing.ranking()) {
            let row = json!({ "rank": rank, "player": name, "share": share });
            printer.show(&row, format_args!("rank {rank} {name} {share:.4}"))?;
        }
        return Ok(());
    }
    if arguments.json {
        write_json(&mut printer.output, standing)?;
    }
    course.print_sprt(&mut printer)?;
    if standing.names().len() > 2 && !arguments.json {
        writeln!(anstream::stdout(), "{}", crate::matches::report::text(standing))?;
    }
    for line in standing.closing_lines() {
        printer.tell(line)?;
    }
    Ok(())
}

/// An object for every player and every pair.
pub(super) fn write_json(output: &mut impl Write, standing: &Standing) -> anyhow::Result<()> {
    let names = standing.names();
    let ratings = standing.ratings();
    for (player, name) in names.iter().enumerate() {
        let (points, games) = standing.points(player);
        let faults: serde_json::Map<_, _> = standing
            .faults()
            .filter(|fault| fault.0 == player)
            .map(|(_, cause, n)| (cause.to_string(), n.into()))
            .collect();
        let row = json!({
            "player": name,
            "points": points,
            "games": games,
            "time": row::time(Duration::from_secs_f64(standing.seconds()[player])),
            "elo": ratings[player].elo,
            "elo_error": ratings[player].error,
            "faults": faults,
        });
        writeln!(output, "{row}")?;
    }
    for ((a, b), encounter) in standing.encounters() {
        let tally = &encounter.tally;
        let summary = Summary::new(tally);
        let row = json!({
            "a": names[a],
            "b": names[b],
            "games": tally.games(),
            "wins": tally.wins(),
            "draws": tally.draws(),
            "losses": tally.losses(),
            "pairs": tally.pentanomial(),
            "share": summary.score.value,
            "share_low": summary.score.low,
            "share_high": summary.score.high,
            "elo": summary.elo.value,
            "elo_low": summary.elo.low,
            "elo_high": summary.elo.high,
            "los": summary.superiority,
            "discs": summary.discs.map(|discs| discs.value),
            "faults": encounter.faults,
        });
        writeln!(output, "{row}")?;
    }
    Ok(())
}

pub(super) fn write_page(path: Option<&Path>, force: bool, course: &Course) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let Course { standing, records, .. } = course;
    if records.is_empty() {
        bail!("no games to show in {}", path.display());
    }
    let page = crate::matches::report::html(standing, records);
    NewFile::save(path, existing(force), page.as_bytes())
}

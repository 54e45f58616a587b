//! `othellier selfplay`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgGroup, Args};
use serde_json::json;

use super::evaluation_options::EvaluationOptions;
use super::priority::Priority;
use super::{cores, duration, number, progress, warn};
use crate::batch::part::Part;
use crate::batch::shard::Shard;
use crate::files::contents;
use crate::files::replace::check_distinct;
use crate::search::Selectivity;
use crate::support::checksum::Checksum;
use crate::support::text::counted;
use crate::training::data::read_records;
use crate::training::openings::{self, Line};
use crate::training::parts::claim;
use crate::training::record::{LAST, Record};
use crate::training::selfplay::{Goal, Made, Settings, rescore, run as play};

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("goal").args(["duration", "positions", "games", "rescore"]).required(true).multiple(true),
    after_help = "Appends 24 bytes per position to FILE, and resumes where an earlier run was interrupted. The same settings \
    produce the same file with any number of threads. With --shard K/N, FILE holds every N-th game, and FILE.part beside it says \
    which; `othellier merge` makes of all N what one run makes.\n\n\
    Examples:\n  othellier selfplay -o games.bin --duration 30m --depth 6 --exact 14\n  \
    othellier selfplay -o better.bin --rescore games.bin --depth 8 --exact 16"
)]
pub(super) struct Arguments {
    /// The file to append to
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Play this long, such as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", conflicts_with = "positions", value_parser = duration)]
    duration: Option<Duration>,
    /// Play until the file holds N positions
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Play the games up to number N, or search those anew
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Only every N-th game, beginning with the K-th
    #[arg(long, value_name = "K/N", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Instead of playing, search the positions of this file again and update the values and results of those not yet proven
    #[arg(long, value_name = "FILE", conflicts_with_all = ["near", "opening_min", "opening_max"])]
    rescore: Option<PathBuf>,
    /// Search depth for each move, in plies
    #[arg(long, value_name = "D", default_value_t = 6, value_parser = number(1u32, 30))]
    depth: u32,
    /// Search depth for the first position after the opening [default: same as --depth]
    #[arg(long, value_name = "D", value_parser = number(1u32, 30))]
    first_depth: Option<u32>,
    /// Confidence of the searches in percent: 73, 87, 95, 98, 99 or 100
    #[arg(long, value_name = "P", default_value_t = 100, value_parser = number(1u32, 100))]
    confidence: u32,
    /// Solve positions with at most E empty squares
    #[arg(long, value_name = "E", default_value_t = 14, value_parser = number(1u32, 30))]
    exact: u32,
    /// Length of the shortest random opening in plies; only short ones provide data for the first moves
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number(0u32, 58))]
    opening_min: u32,
    /// Length of the longest random opening in plies
    #[arg(long, value_name = "N", default_value_t = 52, value_parser = number(0u32, 58))]
    opening_max: u32,
    /// Start a third of the games near positions from these files (.wtb, .ggf, or one transcript per line)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    near: Vec<PathBuf>,
    /// Seed for all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games to play at a time [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = super::threads())]
    concurrency: Option<usize>,
    #[command(flatten)]
    priority: Priority,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        arguments.opening_min <= arguments.opening_max,
        "--opening-min is greater than --opening-max"
    );
    let settings = Settings {
        seed: arguments.seed,
        opening: arguments.opening_min..=arguments.opening_max,
        depth: arguments.depth,
        first_depth: arguments.first_depth.unwrap_or(arguments.depth),
        selectivity: Selectivity::from_percent(arguments.confidence),
        exact: arguments.exact,
        evaluation: arguments.evaluation.source()?,
        games: read_games(&arguments.near)?,
    };
    let goal = Goal {
        shard: arguments.shard,
        games: arguments.games.unwrap_or(u64::MAX),
        positions: arguments.positions.unwrap_or(u64::MAX),
        time: arguments.duration,
    };
    claim(&arguments.output, arguments.shard, || part(arguments))?;
    let n_threads = arguments.concurrency.unwrap_or_else(cores);
    arguments.priority.adopt();
    let records = arguments.rescore.as_deref().map(|path| games_of(path, arguments)).transpose()?;
    let n_records = records.as_ref().map(|records| records.len() as u64);
    let (what, length) = match (arguments.positions, arguments.games) {
        (None, Some(number)) => ("games", Some(number / arguments.shard.n())),
        (positions, _) => ("positions", positions.or(n_records)),
    };
    let bar = progress::bar(what, length, goal.time);
    progress::speak(&bar);
    let mut on_progress = |made: Made| {
        bar.set_position(if what == "games" { made.games_held } else { made.positions_held });
        bar.set_message(format!("{:.0} positions/s", made.rate()));
    };
    let (out, on_progress) = (&arguments.output, &mut on_progress);
    let made = match &records {
        Some(records) => rescore(out, records, &settings, goal, n_threads, on_progress)?,
        None => play(out, &settings, goal, n_threads, on_progress)?,
    };
    bar.finish_and_clear();
    if made.games == 0 {
        warn(&format!("{}: already complete", out.display()));
    }
    writeln!(std::io::stdout(), "selfplay: {made}")?;
    Ok(ExitCode::SUCCESS)
}

/// The whole games of a file to search anew.
fn games_of(path: &Path, arguments: &Arguments) -> anyhow::Result<Vec<Record>> {
    check_distinct(&arguments.output, &arguments.rescore)?;
    let mut records = read_records(path)?;
    let n_whole = records.iter().rposition(|record| record.is(LAST)).map_or(0, |last| last + 1);
    anyhow::ensure!(n_whole > 0, "{}: no games", path.display());
    if n_whole < records.len() {
        let positions = counted(records.len() - n_whole, "position", "positions");
        warn(&format!("{}: {positions} of an unfinished game left out", path.display()));
        records.truncate(n_whole);
    }
    Ok(records)
}

/// The settings and the input that determine the games.
fn part(arguments: &Arguments) -> anyhow::Result<Part> {
    let mut job = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "depth": arguments.depth,
        "first_depth": arguments.first_depth.unwrap_or(arguments.depth),
        "confidence": arguments.confidence,
        "exact": arguments.exact,
        "evaluation": arguments.evaluation.name()?,
    });
    let mut input = String::new();
    if let Some(source) = &arguments.rescore {
        job["command"] = json!("rescore");
        input = checksum_of(std::slice::from_ref(source))?;
    } else {
        job["command"] = json!("selfplay");
        job["seed"] = json!(arguments.seed);
        job["opening"] = json!([arguments.opening_min, arguments.opening_max]);
        job["games"] = json!(checksum_of(&arguments.near)?);
    }
    Ok(Part { shard: arguments.shard, units: None, input, job })
}

pub(super) fn read_games(paths: &[PathBuf]) -> anyhow::Result<Vec<Line>> {
    let games: Vec<_> =
        paths.iter().map(|path| openings::read(path, warn)).collect::<anyhow::Result<_>>()?;
    Ok(games.concat())
}

pub(super) fn checksum_of(paths: &[PathBuf]) -> anyhow::Result<String> {
    let mut sum = Checksum::new();
    for path in paths {
        contents::add(&mut sum, path)?;
    }
    Ok(sum.to_string())
}

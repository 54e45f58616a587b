//! `othellier generate`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use serde_json::json;

use super::evaluation_options::EvaluationOptions;
use super::priority::Priority;
use super::{cores, number, progress};
use crate::batch::shard::Shard;
use crate::files::contents;
use crate::support::checksum::Checksum;
use crate::training::games::GAMES;
use crate::training::generate::{Goal, Settings, run as make};
use crate::training::openings::{self, Line};
use crate::training::selfplay::Made;

/// Arguments of `generate`.
#[derive(Debug, Args)]
#[command(
    after_help = "Each game begins with a random opening. FILE holds moves and values: 4.5 bytes per position with the \
    default shares, 3 with --leaves 0 --random 0. Positions are spread evenly over the plies from --ply-min to --ply-max. The same \
    settings make the same games with any number of threads; the same command resumes an interrupted run. Each shard needs a \
    FILE of its own; pass all of them to `train`.\n\n\
    Examples:\n  othellier generate --out games.oth --number 1000000 --depth 4 --mean\n  \
    othellier generate --out second.oth --number 1000000 --shard 2/4"
)]
pub(super) struct Arguments {
    /// The file to append to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Make the games up to number N, rounded up to a multiple of 32; about 24 positions each
    #[arg(long, value_name = "N", value_parser = number(1u64, 1 << 40))]
    number: u64,
    /// Make only every N-th block of 32 games, beginning with the K-th
    #[arg(long, value_name = "K/N", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Stop after M minutes
    #[arg(long, value_name = "M", value_parser = number(0.01f64, 1e6))]
    minutes: Option<f64>,
    /// Search depth in plies
    #[arg(long, value_name = "D", default_value_t = 4, value_parser = number(1u32, 30))]
    depth: u32,
    /// Take the mean of depths D and D+1, which evens out the swing between even and odd depths
    #[arg(long)]
    mean: bool,
    /// Solve positions with at most E empty squares
    #[arg(long, value_name = "E", default_value_t = 14, value_parser = number(0u32, 30))]
    exact: u32,
    /// Plies before the first position
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = number(0u32, 58))]
    ply_min: u32,
    /// Plies before the last position
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = number(0u32, 58))]
    ply_max: u32,
    /// Length of a game's line in plies
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = number(1u32, 60))]
    span: u32,
    /// Share of leaves of searches of 2 to 5 plies, in percent of all positions
    #[arg(long, value_name = "P", default_value_t = 30, value_parser = number(0u32, 75))]
    leaves: u32,
    /// Share of positions one or two random moves off the line, in percent of all positions
    #[arg(long, value_name = "P", default_value_t = 10, value_parser = number(0u32, 75))]
    random: u32,
    /// Start a third of the games near positions from these files (.wtb, .ggf, or one transcript per line)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,
    /// Seed for all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games to play at a time [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = number(1usize, 1024))]
    threads: Option<usize>,
    #[command(flatten)]
    priority: Priority,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    ensure!(arguments.ply_min <= arguments.ply_max, "--ply-min is greater than --ply-max");
    ensure!(
        arguments.leaves + arguments.random <= 75,
        "--leaves and --random together are more than 75 percent"
    );
    let settings = Settings {
        seed: arguments.seed,
        plies: arguments.ply_min..=arguments.ply_max,
        span: arguments.span,
        depth: arguments.depth,
        is_mean: arguments.mean,
        exact: arguments.exact,
        leaves: arguments.leaves,
        random: arguments.random,
        evaluation: arguments.evaluation.load()?,
        games: read_games(&arguments.games)?,
    };
    let identity = json!({
        "seed": settings.seed,
        "plies": [arguments.ply_min, arguments.ply_max],
        "span": settings.span,
        "depth": settings.depth,
        "mean": settings.is_mean,
        "exact": settings.exact,
        "leaves": settings.leaves,
        "random": settings.random,
        "block": GAMES,
        "evaluation": arguments.evaluation.name()?,
        "games": checksum_of(&arguments.games)?,
    });
    let goal = Goal {
        games: arguments.number,
        shard: arguments.shard,
        time: arguments.minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes)),
    };
    let n_threads = arguments.threads.unwrap_or_else(cores);
    arguments.priority.adopt();
    let bar = progress(None, "{spinner} {elapsed_precise}  {msg}");
    let mut on_progress = |made: Made| bar.set_message(made.to_string());
    let made = make(&arguments.out, &settings, &identity, goal, n_threads, &mut on_progress)?;
    bar.finish_and_clear();
    writeln!(std::io::stdout(), "generate: {made}")?;
    Ok(ExitCode::SUCCESS)
}

/// The games of files.
pub(super) fn read_games(paths: &[PathBuf]) -> anyhow::Result<Vec<Line>> {
    let games: Vec<_> =
        paths.iter().map(|path| openings::read(path)).collect::<anyhow::Result<_>>()?;
    Ok(games.concat())
}

/// The checksum of files in hexadecimal.
pub(super) fn checksum_of(paths: &[PathBuf]) -> anyhow::Result<String> {
    let mut sum = Checksum::new();
    for path in paths {
        contents::add(&mut sum, path)?;
    }
    Ok(sum.to_string())
}

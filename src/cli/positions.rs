//! `othellier positions`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use clap::Args;
use serde_json::json;

use super::evaluation_options::EvaluationOptions;
use super::priority::Priority;
use super::selfplay::{checksum_of, read_games};
use super::{cores, number, progress};
use crate::search::Selectivity;
use crate::training::problems::{Settings, run as make};

#[derive(Debug, Args)]
#[command(
    after_help = "Writes positions in OBF, each with the scores of all its moves: the mean of depths D and D+1, rounded to whole \
    discs. Positions are about even and have at least two moves. The same settings make the same file with any number of threads; \
    the same command resumes an interrupted run, and a larger --positions adds positions. `solve FILE --depth D` shows how much a \
    search loses on them.\n\n\
    Example:\n  othellier positions -o early.obf --positions 300 --depth 20 --confidence 73 --hash 256"
)]
pub(super) struct Arguments {
    /// The file to append to
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Make positions until the file holds N
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = number(1u64, 1_000_000))]
    positions: u64,
    /// The lesser of the two search depths, in plies
    #[arg(long, value_name = "D", default_value_t = 20, value_parser = number(1u32, 40))]
    depth: u32,
    /// Confidence of the searches in percent: 73, 87, 95, 98, 99 or 100
    #[arg(long, value_name = "P", default_value_t = 73, value_parser = number(1u32, 100))]
    confidence: u32,
    /// Solve positions with at most E empty squares
    #[arg(long, value_name = "E", default_value_t = 20, value_parser = number(0u32, 30))]
    exact: u32,
    /// Least number of plies before a position
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = number(0u32, 56))]
    ply_min: u32,
    /// Greatest number of plies before a position
    #[arg(long, value_name = "N", default_value_t = 22, value_parser = number(0u32, 56))]
    ply_max: u32,
    /// Largest score of a position, for either side, in discs
    #[arg(long, value_name = "DISCS", default_value_t = 10.0, value_parser = number(0.0f64, 64.0))]
    within: f64,
    /// Take a third of the positions from near these games (.wtb, .ggf, or one transcript per line)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    near: Vec<PathBuf>,
    /// Seed for all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Size of each thread's transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = super::megabytes())]
    hash: usize,
    /// Positions to search at a time [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = super::threads())]
    concurrency: Option<usize>,
    #[command(flatten)]
    priority: Priority,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    ensure!(arguments.ply_min <= arguments.ply_max, "--ply-min is greater than --ply-max");
    let settings = Settings {
        seed: arguments.seed,
        plies: arguments.ply_min..=arguments.ply_max,
        within: arguments.within,
        depth: arguments.depth,
        selectivity: Selectivity::from_percent(arguments.confidence),
        exact: arguments.exact,
        hash_megabytes: arguments.hash,
        evaluation: arguments.evaluation.source()?,
        games: read_games(&arguments.near)?,
    };
    let identity = json!({
        "seed": settings.seed,
        "plies": [arguments.ply_min, arguments.ply_max],
        "within": settings.within,
        "depths": [settings.depth, settings.depth + 1],
        "confidence": settings.selectivity.percent(),
        "exact": settings.exact,
        "hash": settings.hash_megabytes,
        "evaluation": arguments.evaluation.name()?,
        "games": checksum_of(&arguments.near)?,
    });
    let n_threads = arguments.concurrency.unwrap_or_else(cores);
    arguments.priority.adopt();
    let bar = progress::bar("positions", Some(arguments.positions), None);
    progress::speak(&bar);
    let head = format!("othellier positions {identity}");
    let mut on_position = |unit| bar.set_position(unit + 1);
    let n = make(
        &arguments.output,
        &settings,
        &head,
        arguments.positions,
        n_threads,
        &mut on_position,
    )?;
    bar.finish_and_clear();
    writeln!(std::io::stdout(), "positions: {n} made, {} wanted", arguments.positions)?;
    Ok(ExitCode::SUCCESS)
}

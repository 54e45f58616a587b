//! `othellier solve`.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use serde_json::{Value, json};

use super::batch_options::BatchOptions;
use super::evaluation_options::EvaluationOptions;
use super::{FAILED, SHOWN_ERRORS, USAGE, number, progress, warn};
use crate::batch::part::Summing;
use crate::batch::{self, Pool};
use crate::files::games::GameFile;
use crate::formats::obf::{Problem, read_line};
use crate::measure::solve::{Check, Settings, Solution, Solver, Totals};
use crate::page::pieces::counted;
use crate::score;
use crate::search::{Limits, Line, Selectivity, Stop, TimeLimit};
use crate::support::checksum::Checksum;

#[derive(Debug, Args)]
#[command(
    after_help = "Positions are solved exactly unless --depth or --selectivity is given. Nodes are tree nodes: positions \
    entered by a search function, and leaves of the last empties. Positions searched only to order moves are counted as probes.\n\n\
    Without --threads, all cores search, a position each; with it, positions are searched one by one. Each search begins with an \
    empty table, so rows come out the same, and in the same order, with any --concurrency. Seconds in the last line are those of \
    the searches, added up.\n\n\
    If FILE lists all moves of some positions, the last line but one summarizes these: by how many discs the chosen move is \
    worse than the best on average, and the mean of the score minus the best listed one.\n\n\
    Examples:\n  \
    othellier solve fforum-40-59.obf --threads 2 --hash 1024\n  \
    othellier solve 'OOOOOOOOOOOOOXXOOOOXXXOOOOXXOOOOXXXOOOOOXXXXOOOOX-OOOOO---OOOO-- X'"
)]
pub(super) struct Arguments {
    /// A file of positions in OBF or another format, or one position: 64 cells (X, O, -) and the side to move; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Search D plies instead of to the end
    #[arg(long, value_name = "D", value_parser = number(1u32, 60))]
    depth: Option<u32>,
    /// Confidence of the search in percent: 73, 87, 95, 98, 99 or 100
    #[arg(long, value_name = "P", default_value_t = 100, value_parser = number(1u32, 100))]
    selectivity: u32,
    /// Search at most K positions
    #[arg(long, value_name = "K")]
    limit: Option<usize>,
    /// Skip the first K positions
    #[arg(long, value_name = "K", default_value_t = 0)]
    skip: usize,
    /// Stop each search after S seconds
    #[arg(long, value_name = "S", value_parser = number(0.001f64, 1e6))]
    time_limit: Option<f64>,
    #[command(flatten)]
    batch: BatchOptions,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = super::megabytes())]
    hash: usize,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.batch.shard.is_some() && !arguments.json {
        warn("--shard needs --json, which othellier merge reads");
        return Ok(ExitCode::from(USAGE));
    }
    let file = GameFile::read_argument(&arguments.file, None, None)?;
    let text = file.positions()?;
    let mut problems = Vec::new();
    let mut n_bad = 0;
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        match read_line(line) {
            Ok(Some(problem)) => problems.push(problem),
            Ok(None) => {}
            Err(error) => {
                n_bad += 1;
                if n_bad <= SHOWN_ERRORS {
                    warn(&format!("{} line {}: {error}", file.name, index + 1));
                }
            }
        }
    }
    if n_bad > SHOWN_ERRORS {
        let more = n_bad - SHOWN_ERRORS;
        let more = counted(more, "more error", "more errors");
        warn(&format!("{}: {more}", file.name));
    }
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let problems: Vec<_> = problems.into_iter().skip(arguments.skip).take(limit).collect();
    ensure!(n_bad > 0 || !problems.is_empty(), "{}: no positions to solve", file.name);
    let selectivity = Selectivity::from_percent(arguments.selectivity);
    let time =
        arguments.time_limit.map(|seconds| TimeLimit::fixed(Duration::from_secs_f64(seconds)));
    let limits = match arguments.depth {
        Some(depth) => Limits::plies(depth, selectivity),
        None => Limits { exact_selectivity: selectivity, ..Limits::default() },
    };
    let limits = Limits { time, ..limits };
    let evaluation = arguments.evaluation.source()?;
    let settings = Settings {
        evaluation: &evaluation,
        limits,
        n_threads: arguments.batch.n_threads(),
        hash_megabytes: arguments.hash,
    };
    let batch = arguments.batch;
    let first = arguments.skip;
    let own: Vec<usize> =
        (0..problems.len()).filter(|index| batch.contains((first + index) as u64)).collect();
    let bar = progress::over(Some(own.len()), "positions");
    let mut output = Summing::new(std::io::stdout());
    if !arguments.json {
        writeln!(output, "{HEADING}")?;
    }
    let mut totals = Totals::default();
    let stop = Stop::new();
    let pool = batch.pool(&stop);
    let pool = Pool { n_threads: pool.n_threads.clamp(1, own.len().max(1)), ..pool };
    let work = |solver: &mut Solver<'_>, &index: &usize| Ok(Some(solver.solve(&problems[index])));
    let init = || Solver::new(settings);
    batch::run(own.into_iter(), pool, init, work, |index, solution| {
        let problem = &problems[index];
        let number = first + index + 1;
        let row = if arguments.json {
            json_row(number, problem, &solution)
        } else {
            row(number, problem, &solution)
        };
        bar.suspend(|| writeln!(output, "{row}").and_then(|()| output.flush()))?;
        totals.add(&solution);
        bar.inc(1);
        Ok(ControlFlow::Continue(()))
    })?;
    bar.finish_and_clear();
    if arguments.json {
        writeln!(output, "{}", json_totals(&totals))?;
        let units = (first + problems.len()) as u64;
        if let Some(part) = batch.part(units, || Checksum::of(&text), || job(arguments))? {
            let closing = part.closing_line(output.sum)?;
            writeln!(output, "{closing}")?;
        }
    } else {
        if let Some((loss, error)) = totals.means() {
            let n = totals.valued;
            writeln!(
                output,
                "moves: {n} positions, mean loss {loss:.3}, mean signed error {error:+.3}"
            )?;
        }
        writeln!(output, "{totals}")?;
    }
    Ok(if n_bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// The settings that determine the rows.
fn job(arguments: &Arguments) -> anyhow::Result<Value> {
    Ok(json!({
        "command": "solve",
        "version": env!("CARGO_PKG_VERSION"),
        "depth": arguments.depth,
        "selectivity": arguments.selectivity,
        "skip": arguments.skip,
        "limit": arguments.limit,
        "time_limit": arguments.time_limit,
        "threads": arguments.batch.n_threads(),
        "hash": arguments.hash,
        "evaluation": arguments.evaluation.name()?,
    }))
}

pub(super) fn json_totals(totals: &Totals) -> String {
    json!({
        "positions": totals.positions,
        "nodes": totals.nodes,
        "probes": totals.ordering_nodes,
        "time": totals.elapsed.as_secs_f64(),
        "seconds": totals.elapsed.as_secs_f64(),
        "checked": totals.checked,
        "wrong_moves": totals.wrong_moves,
        "wrong_scores": totals.wrong_scores,
        "mae": totals.error / (totals.checked.max(1) as f64),
        "within3": totals.within_3,
        "valued": totals.valued,
        "mean_loss": totals.means().map(|(loss, _)| loss),
        "mean_signed_error": totals.means().map(|(_, error)| error),
    })
    .to_string()
}

pub(super) fn add_row(totals: &mut Totals, row: &Value) {
    totals.positions += 1;
    totals.nodes += row["nodes"].as_u64().unwrap_or(0);
    totals.ordering_nodes += row["probes"].as_u64().unwrap_or(0);
    let seconds = row["time"]
        .as_f64()
        .or(row["seconds"].as_f64())
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    totals.elapsed += seconds.unwrap_or_default();
    if let (Some(is_best_move), Some(error)) = (row["best_move"].as_bool(), row["error"].as_f64()) {
        let loss = row["loss"].as_i64().map(|loss| loss as i32);
        totals.add_check(Check { is_best_move, error, loss });
    }
}

const HEADING: &str = "   # empties  depth   move  score         nodes   seconds   Mnps  check        principal variation";

fn depth(line: &Line) -> String {
    format!("{}@{}%", line.depth, line.selectivity.percent())
}

fn row(number: usize, problem: &Problem, solution: &Solution) -> String {
    let outcome = &solution.outcome;
    let seconds = outcome.elapsed.as_secs_f64();
    let n_empties = problem.position.board.n_empties();
    let Some(line) = outcome.best() else {
        let result = score::text(outcome.final_score.unwrap_or(0), true);
        return format!("{number:>4} {n_empties:>7}   over          {result}");
    };
    let check = match solution.check {
        None => String::new(),
        Some(check) if check.is_best_move && check.error == 0.0 => "ok".into(),
        Some(check) => {
            let verdict = if check.is_best_move { "move ok" } else { "bad move" };
            format!("{verdict} {:+.2}", check.error)
        }
    };
    let pv: Vec<String> = line.pv.iter().take(12).map(|mv| format!("{mv:#}")).collect();
    format!(
        "{number:>4} {n_empties:>7} {:>7} {:>5} {:>6} {:>13} {seconds:>9.3} {:>6.1}  {check:<12} {}",
        depth(line),
        format!("{:#}", line.mv),
        score::text(line.score, line.is_proven()),
        outcome.nodes,
        outcome.nodes as f64 / seconds.max(1e-9) / 1e6,
        pv.join(" ")
    )
}

fn json_row(number: usize, problem: &Problem, solution: &Solution) -> String {
    let outcome = &solution.outcome;
    let line = outcome.best();
    let pv: Vec<String> =
        line.map_or_else(Vec::new, |line| line.pv.iter().map(ToString::to_string).collect());
    json!({
        "number": number,
        "position": problem.position.to_string(),
        "move": line.map(|line| line.mv.to_string()),
        "score": line.map_or(outcome.final_score, |line| Some(line.score)).map(score::discs),
        "depth": line.map(|line| line.depth),
        "selectivity": line.map(|line| line.selectivity.percent()),
        "exact": line.is_none_or(Line::is_proven),
        "nodes": outcome.nodes,
        "probes": outcome.ordering_nodes,
        "time": outcome.elapsed.as_secs_f64(),
        "seconds": outcome.elapsed.as_secs_f64(),
        "pv": pv,
        "best_move": solution.check.map(|check| check.is_best_move),
        "error": solution.check.map(|check| check.error),
        "loss": solution.check.and_then(|check| check.loss),
    })
    .to_string()
}

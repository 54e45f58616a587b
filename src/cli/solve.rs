//! `othellier solve`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;

use super::evaluation_options::EvaluationOptions;
use super::{FAILED, complain, number, progress_target};
use crate::formats::obf::{Problem, read_line};
use crate::measure::solve::{Settings, Solution, Solver};
use crate::score;
use crate::search::{Budget, Horizon, Limits, Line, Pacing, Selectivity};

/// Arguments of `solve`.
#[derive(Debug, Args)]
#[command(
    after_help = "Positions are solved exactly unless --depth or --selectivity is given. Nodes are tree nodes: positions \
    entered by a search function, and leaves of the last empties. Positions searched only to order moves are counted as probes.\n\n\
    If FILE lists all moves of some positions, the last line but one summarizes these: by how many discs the chosen move is \
    worse than the best on average, and the mean of the score minus the best listed one.\n\n\
    Example:\n  othellier solve fforum-40-59.obf --threads 2 --hash 1024"
)]
pub(super) struct Arguments {
    /// A file of positions in OBF
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
    #[arg(long, value_name = "S", value_parser = number(1u64, 1_000_000))]
    time_limit: Option<u64>,
    /// Search threads
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = number(1usize, 1024))]
    threads: usize,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = number(1usize, 64 << 10))]
    hash: usize,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let text = std::fs::read(&arguments.file)
        .with_context(|| format!("cannot read {}", arguments.file.display()))?;
    let mut problems = Vec::new();
    let mut n_bad = 0;
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        match read_line(line) {
            Ok(Some(problem)) => problems.push(problem),
            Ok(None) => {}
            Err(error) => {
                n_bad += 1;
                complain(&format!("{} line {}: {error}", arguments.file.display(), index + 1));
            }
        }
    }
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let problems: Vec<_> = problems.into_iter().skip(arguments.skip).take(limit).collect();
    let selectivity = Selectivity::from_percent(arguments.selectivity);
    let time = arguments.time_limit.map(|seconds| Pacing::fixed(Duration::from_secs(seconds)));
    let budget = Budget { time, ..Budget::default() };
    let horizon = match arguments.depth {
        Some(depth) => Horizon::plies(depth, selectivity),
        None => Horizon { exact_selectivity: selectivity, ..Horizon::default() },
    };
    let limits = Limits { budget, ..horizon.into() };
    let mut solver = Solver::new(Settings {
        evaluation: arguments.evaluation.load()?,
        limits,
        n_threads: arguments.threads,
        hash_megabytes: arguments.hash,
    })?;
    let bar = ProgressBar::with_draw_target(Some(problems.len() as u64), progress_target());
    let mut output = std::io::stdout().lock();
    if !arguments.json {
        writeln!(output, "{HEADING}")?;
    }
    for (index, problem) in problems.iter().enumerate() {
        let solution = solver.solve(problem);
        let number = arguments.skip + index + 1;
        let row = if arguments.json {
            json_row(number, problem, &solution)
        } else {
            row(number, problem, &solution)
        };
        let written = bar.suspend(|| writeln!(output, "{row}").and_then(|()| output.flush()));
        written?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    if arguments.json {
        let totals = solver.totals();
        let row = json!({
            "positions": totals.positions,
            "nodes": totals.nodes,
            "probes": totals.probes,
            "seconds": totals.elapsed.as_secs_f64(),
            "checked": totals.checked,
            "wrong_moves": totals.wrong_moves,
            "wrong_scores": totals.wrong_scores,
            "mae": totals.error / (totals.checked.max(1) as f64),
            "within3": totals.within_3,
            "valued": totals.valued,
            "mean_loss": totals.means().map(|(loss, _)| loss),
            "mean_signed_error": totals.means().map(|(_, error)| error),
        });
        writeln!(output, "{row}")?;
    } else {
        let totals = solver.totals();
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
        "probes": outcome.probes,
        "seconds": outcome.elapsed.as_secs_f64(),
        "pv": pv,
        "best_move": solution.check.map(|check| check.is_best_move),
        "error": solution.check.map(|check| check.error),
        "loss": solution.check.and_then(|check| check.loss),
    })
    .to_string()
}

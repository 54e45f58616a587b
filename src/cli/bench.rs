//! `othellier bench`.

use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::evaluation_options::EvaluationOptions;
use super::printer::Printer;
use crate::measure::bench;
use crate::requests::row;

#[derive(Debug, Args)]
#[command(
    after_help = "Uses one thread and a fixed hash size, so node counts are the same in every run and every build variant.\n\n\
    Example:\n  othellier bench --json"
)]
pub(super) struct Arguments {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut printer = Printer::new(std::io::stdout().lock(), arguments.json);
    let evaluation = arguments.evaluation.source()?;
    let mut total = 0;
    for name in ["midgame", "endgame"] {
        let work = if name == "midgame" {
            bench::midgame(&evaluation)
        } else {
            bench::endgame(&evaluation)
        };
        let work = work.context("no memory for the transposition table")?;
        total += work.nodes;
        let rate = work.nodes_per_second();
        let row = json!({
            "part": name,
            "nodes": work.nodes,
            "probes": work.ordering_nodes,
            "time": row::time(work.elapsed),
            "nodes_per_second": rate,
        });
        let (nodes, probes) = (work.nodes, work.ordering_nodes);
        let text = format_args!("{name}: {nodes} nodes, {rate:.0} nodes/s, {probes} probes");
        printer.show(&row, text)?;
    }
    printer.show(&json!({"bench": total}), format_args!("Bench: {total}"))?;
    Ok(ExitCode::SUCCESS)
}

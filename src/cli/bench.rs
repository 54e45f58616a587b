//! `othellier bench`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::evaluation_options::EvaluationOptions;
use crate::protocol::json::row as rows;
use crate::measure::bench;

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
    let mut output = std::io::stdout().lock();
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
        if arguments.json {
            let row = json!({
                "part": name,
                "nodes": work.nodes,
                "probes": work.ordering_nodes,
                "time": rows::time(work.elapsed),
                "nodes_per_second": rate,
            });
            writeln!(output, "{row}")?;
        } else {
            writeln!(
                output,
                "{name}: {} nodes, {rate:.0} nodes/s, {} probes",
                work.nodes, work.ordering_nodes
            )?;
        }
    }
    if arguments.json {
        writeln!(output, "{}", json!({"bench": total}))?;
    } else {
        writeln!(output, "Bench: {total}")?;
    }
    Ok(ExitCode::SUCCESS)
}

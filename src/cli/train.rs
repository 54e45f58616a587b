//! `othellier train`.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::number;
use crate::evaluation::{Evaluator, terms::Terms, weights::File};
use crate::training::data::{Data, Selection, canonical_hash, read_first_positions};
use crate::training::fit::{Model, Settings, by_knot, total};

/// Arguments of `train`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  othellier train games.bin --out new.wts --epochs 10")]
pub(super) struct Arguments {
    /// Self-play files
    #[arg(value_name = "DATA", required = true)]
    data: Vec<PathBuf>,
    /// The weights file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Test on the first position of each game in this file as well
    #[arg(long, value_name = "FILE")]
    hold_out: Option<PathBuf>,
    /// Passes over the data
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = number(1u32, 1000))]
    epochs: u32,
    /// Step of the first pass
    #[arg(long, value_name = "R", default_value_t = 0.5, value_parser = number(0.0f32, 100.0))]
    rate: f32,
    /// Starting sum of squared gradients
    #[arg(long, value_name = "S", default_value_t = 5000.0, value_parser = number(1f32, 1e9))]
    inertia: f32,
    /// Share of the game's result in a target
    #[arg(long, value_name = "S", default_value_t = 0.7, value_parser = number(0f32, 1.0))]
    result_share: f32,
    /// Begin with the weights of this file
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,
    /// Of the draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let test = match &arguments.hold_out {
        Some(path) => read_first_positions(path)?,
        None => Vec::new(),
    };
    let excluded: HashSet<u64> = test.iter().map(|example| canonical_hash(example.board)).collect();
    let selection = Selection { result_share: arguments.result_share, hold_out: 33 };
    let mut data = Data::read(&arguments.data, &selection, &excluded)?;
    let n_training = data.training.len();
    let distinct = data.distinct();
    super::tell(&format!(
        "{n_training} positions, {distinct} distinct with many empties, {} held out, {} test",
        data.hold_out.len(),
        test.len()
    ));
    let mut groups = by_knot(std::mem::take(&mut data.training));
    let settings = Settings {
        epochs: arguments.epochs,
        rate: arguments.rate,
        inertia: arguments.inertia,
        seed: arguments.seed,
    };
    let start = match &arguments.init {
        Some(path) => Some(File::unpack(&std::fs::read(path)?)?),
        None => None,
    };
    let mut model = Model::new(start.as_ref().map(|file| &file.knots[..]), settings.inertia);
    for epoch in 0..settings.epochs {
        let clock = std::time::Instant::now();
        let training = total(&model.pass(&mut groups, &settings, epoch));
        let held = total(&model.losses(&data.hold_out));
        let tested = total(&model.losses(&test));
        super::tell(&format!(
            "epoch {epoch}: training {:.3} {:.2}, hold-out {:.3} {:.2}, test {:.3} {:.2}, {:.1} s",
            training.mae(),
            training.mse(),
            held.mae(),
            held.mse(),
            tested.mae(),
            tested.mse(),
            clock.elapsed().as_secs_f64()
        ));
    }
    for (stage, loss) in
        model.losses(if test.is_empty() { &data.hold_out } else { &test }).iter().enumerate()
    {
        super::tell(&format!("stage {stage}: {} {:.3} {:.2}", loss.n, loss.mae(), loss.mse()));
    }
    let held = total(&model.losses(&data.hold_out));
    let record = json!({ "positions": n_training, "distinct": distinct }).to_string();
    let file = File { error_model: Terms.error_model(), record, knots: model.knots() };
    let (bytes, checksum) = file.pack();
    std::fs::write(&arguments.out, &bytes).with_context(|| "cannot write")?;
    super::tell(&format!("{} bytes, checksum {checksum:016x}", bytes.len()));
    writeln!(
        std::io::stdout(),
        "train: positions {n_training}, epochs {}, hold-out mae {:.2} mse {:.2}",
        settings.epochs,
        held.mae(),
        held.mse()
    )?;
    Ok(ExitCode::SUCCESS)
}

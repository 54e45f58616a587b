//! `othellier fit-ranking`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::files::replace::{Existing, check_distinct, check_writable, replace};
use crate::training::data::for_each_record;
use crate::training::ranking::Positions;

#[derive(Debug, Args)]
#[command(
    after_help = "Trains on solved positions with 10 to 13 empty squares and writes the model. To build it into the program, copy \
    the file to src/evaluation/ranking.bin.\n\n\
    Example:\n  othellier fit-ranking games-0.bin games-1.bin --output ranking.bin"
)]
pub(super) struct Arguments {
    /// Self-play files
    #[arg(value_name = "DATA", required = true)]
    data: Vec<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    check_distinct(&arguments.output, &arguments.data)?;
    check_writable(&arguments.output, Existing::Replace)?;
    let mut positions = Positions::default();
    for path in &arguments.data {
        for_each_record(path, &mut |record| positions.add(&record))?;
    }
    let (learnt, held_back) = positions.len();
    anyhow::ensure!(learnt > 0, "no solved positions with 10 to 13 empty squares found");
    let fit = positions.fit();
    let written = replace(&arguments.output, &fit.bytes);
    writeln!(
        std::io::stdout(),
        "ranking: positions {learnt}, held back {held_back} with mae {:.2} mse {:.2}",
        fit.held_back.mae(),
        fit.held_back.mse()
    )?;
    written.map(|()| ExitCode::SUCCESS)
}

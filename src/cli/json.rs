//! `json`: requests for scores over a pipe.

use std::io::BufRead;
use std::process::ExitCode;

use clap::Args;

use super::batch_options::BatchOptions;
use super::book_options::BookOptions;
use super::evaluation_options::EvaluationOptions;
use super::{megabytes, stop_on_signal};
use crate::analyze::serve::{Server, serve};
use crate::analyze::{DEFAULT_TIME, Settings};

/// Options of `json`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    pool: BatchOptions,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = megabytes())]
    hash: usize,
    #[command(flatten)]
    evaluation: EvaluationOptions,
    #[command(flatten)]
    book: BookOptions,
}

pub(super) fn run(
    arguments: &Arguments,
    input: impl BufRead + Send + 'static,
) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signal()?;
    let evaluation = arguments.evaluation.source()?;
    let book = arguments.book.open()?;
    let settings = Settings {
        time: Some(DEFAULT_TIME),
        depth: None,
        n_threads: arguments.pool.n_threads(),
        hash_megabytes: arguments.hash,
    };
    let concurrency = arguments.pool.pool(&stop).n_threads;
    let server = Server {
        settings,
        concurrency,
        evaluation: &evaluation,
        book: book.as_deref(),
        stop: &stop,
    };
    serve(server, input, std::io::stdout())?;
    Ok(ExitCode::SUCCESS)
}

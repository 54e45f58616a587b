//! `json`: requests for scores over a pipe.

use std::io::BufRead;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::batch_options::BatchOptions;
use super::book_options::BookOptions;
use super::evaluation_options::EvaluationOptions;
use super::{megabytes, on_signal};
use crate::analyze::serve::{Closing, Queue};
use crate::analyze::{Analyst, DEFAULT_TIME, Settings};
use crate::search::Stop;

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
    let queue = Queue::new(std::io::stdout());
    let closed = Arc::clone(&queue);
    on_signal(move || closed.close(Closing::Quit))?;
    let evaluation = arguments.evaluation.source()?;
    let book = arguments.book.open()?;
    let settings = Settings {
        time: Some(DEFAULT_TIME),
        depth: None,
        n_threads: arguments.pool.n_threads(),
        hash_megabytes: arguments.hash,
    };
    let n = arguments.pool.pool(&Stop::new()).n_threads;
    let analysts: anyhow::Result<_> = (0..n).map(|_| Analyst::new(settings, &evaluation)).collect();
    queue.serve(analysts?, book.as_deref(), input)?;
    Ok(ExitCode::SUCCESS)
}

//! `json`: requests for scores over a pipe.

use std::ffi::OsString;
use std::io::BufRead;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::batch_options::BatchOptions;
use super::book_options::BookOptions;
use super::engine_options::name;
use super::evaluation_options::EvaluationOptions;
use super::setting_options::SettingOptions;
use super::unheard::when_unheard;
use super::{logging, megabytes, on_signal, replay};
use crate::analyze::Settings;
use crate::engine::{Config, Pace};
use crate::journal::{Closed, Entry};
use crate::protocol::json::{Closing, Queue};
use crate::requests::DEFAULT_TIME;
use crate::search::Stop;

/// Options of `json`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    effort: SettingOptions<0>,
    #[command(flatten)]
    pool: BatchOptions,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = megabytes())]
    hash: usize,
    #[command(flatten)]
    evaluation: EvaluationOptions,
    #[command(flatten)]
    book: BookOptions,
    /// Name in the answer to a request for the version
    #[arg(long, value_name = "NAME", default_value = "othellier", value_parser = name)]
    name: String,
    /// Log to the end of this file, also the traffic (> to the engine, < from it)
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

/// Answers the requests of an input; `words` are the command line.
pub(super) fn run(
    arguments: &Arguments,
    words: &[OsString],
    input: impl BufRead + Send + 'static,
) -> anyhow::Result<ExitCode> {
    let (recorder, log_failure) = match &arguments.log_file {
        Some(path) => logging::start(Some(path), None)?,
        None => Default::default(),
    };
    let evaluation = arguments.evaluation.source()?;
    let book = arguments.book.open()?;
    let settings = Settings {
        time: Some(DEFAULT_TIME),
        depth: None,
        n_threads: arguments.pool.n_threads(),
        hash_megabytes: arguments.hash,
    };
    let mut config = Config {
        n_threads: settings.n_threads,
        hash_megabytes: settings.hash_megabytes,
        evaluation: evaluation.clone(),
        ..Config::default()
    };
    arguments.effort.apply(&mut config)?;
    let effort = match config.pace {
        Pace::OWN => settings.effort(),
        pace => pace.effort(pace.clock(), Duration::ZERO),
    };
    recorder.note(|| {
        let words = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
        Entry::Header(replay::header(&config, words.collect()))
    });
    let queue = Queue::new(std::io::stdout(), arguments.name.clone(), effort, recorder.clone());
    let closed = Arc::clone(&queue);
    on_signal(move || closed.close(Closing::Quit))?;
    let closed = Arc::clone(&queue);
    when_unheard(move || closed.close(Closing::Quit))?;
    let n = arguments.pool.pool(&Stop::new()).n_threads;
    let searchers: anyhow::Result<_> = (0..n).map(|_| settings.searcher(&evaluation)).collect();
    queue.serve(searchers?, book.as_deref(), input)?;
    recorder.note(|| Entry::Closed(Closed::ByInput));
    match log_failure.get() {
        None => Ok(ExitCode::SUCCESS),
        Some((text, _)) => anyhow::bail!("{text}"),
    }
}

//! `othellier replay`.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;

use anyhow::Context;
use clap::{Args, Parser};

use super::engine_options::EngineOptions;
use super::{Cli, Command, FAILED, PROGRAM, logging, misuse, number};
use crate::engine::Config;
use crate::journal::{Header, Recorder};
use crate::protocol::Kind;
use crate::protocol::options::Options;
use crate::replay::{self, Difference, Recording};
use crate::support::cpu;

#[derive(Debug, Args)]
#[command(
    after_help = "The log holds the options of the session. Searches stop after the logged number of nodes, so a session with \
    one thread repeats exactly, even with a clock; times are not compared. A session with several threads, or with a player \
    that ponders by itself, may differ.\n\n\
    Exit status: 0 if the output is the same, 1 if it differs, 2 if the log cannot be read or run.\n\n\
    Examples:\n  \
    othellier gtp --log-file game.log         write a log\n  \
    othellier replay game.log\n  \
    othellier replay --session 1 game.log"
)]
pub(super) struct Arguments {
    /// A log written with --log-file
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// The session to run, from 1, if the log holds several [default: the last]
    #[arg(long, value_name = "N", value_parser = number(1usize, usize::MAX))]
    session: Option<usize>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let prepared = prepare(&arguments.log, arguments.session)
        .with_context(|| arguments.log.display().to_string());
    let (recording, kind, options) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            return misuse(&format!("{error:#}"));
        }
    };
    let then = &recording.header;
    let mut output = crate::cli::screen();
    let place = match recording.place {
        (1, 1) => String::new(),
        (number, n_sessions) => format!("session {number} of {n_sessions}, "),
    };
    writeln!(output, "log: {place}{}, othellier {}", program(then), then.arguments.join(" "))?;
    let now = header(&options.engine, then.arguments.clone());
    if now != *then {
        writeln!(output, "now: {}", program(&now))?;
    }
    let (sender, journal) = mpsc::channel();
    // Sending fails once all is compared and the receiver is gone.
    let recorder = Recorder::new(move |entry| drop(sender.send(entry)));
    logging::note_panics(&recorder);
    let verdict = replay::run(&recording, kind, Options { recorder, ..options }, &journal)?;
    let (n_inputs, n_compared) = (verdict.n_inputs, verdict.n_compared);
    let closing =
        format!("replay: {n_inputs} lines sent, {n_compared} lines and searches compared");
    let Some(Difference { line, expected, got }) = verdict.difference else {
        writeln!(output, "{closing}, the same")?;
        return Ok(ExitCode::SUCCESS);
    };
    let place = line.map_or_else(|| "at the end".into(), |line| format!("in line {line}"));
    let text = |text: Option<String>| text.unwrap_or_else(|| "(nothing)".into());
    writeln!(output, "expected: {}\ngot:      {}", text(expected), text(got))?;
    writeln!(output, "{closing}, different {place}")?;
    Ok(ExitCode::from(FAILED))
}

fn prepare(
    path: &Path,
    session: Option<usize>,
) -> anyhow::Result<(Recording, Option<Kind>, Options)> {
    let bytes = std::fs::read(path).context("cannot read the log")?;
    let recording = Recording::read(&String::from_utf8_lossy(&bytes), session)
        .context("not a log to replay")?;
    let words =
        std::iter::once(PROGRAM).chain(recording.header.arguments.iter().map(String::as_str));
    let cli = Cli::try_parse_from(words).context("cannot parse the options in the log")?;
    let (kind, options) = match cli.command {
        None => (None, cli.options),
        Some(Command::Nboard(options)) => (Some(Kind::Nboard), options),
        Some(Command::Gtp(options)) => (Some(Kind::Gtp), options),
        Some(Command::Cassio(options)) => (Some(Kind::Cassio), options),
        Some(Command::Edax(options)) => (Some(Kind::Edax), options),
        Some(Command::Xboard(options)) => (Some(Kind::Xboard), options),
        Some(_) => anyhow::bail!("the log's command does not speak a protocol"),
    };
    let options = options.resolve()?;
    Ok((recording, kind, options))
}

fn program(header: &Header) -> String {
    let Header { othellier, build, commit, evaluation, threads, hash, .. } = header;
    format!(
        "{othellier} ({build} build, commit {commit}), {evaluation}, threads {threads}, hash {hash}"
    )
}

pub(super) fn header(config: &Config, arguments: Vec<String>) -> Header {
    Header {
        othellier: env!("CARGO_PKG_VERSION").into(),
        build: cpu::BUILD_TIER.into(),
        commit: super::COMMIT.into(),
        evaluation: format!("weights {:016x}", config.evaluation.checksum()),
        threads: config.n_threads,
        hash: config.hash_megabytes,
        arguments,
    }
}

/// Without the program and the log file, with the seed.
pub(super) fn repeatable(
    arguments: &[OsString],
    options: &EngineOptions,
    seed: u64,
) -> Vec<String> {
    let mut repeatable = Vec::new();
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = words.next() {
        if word == "--log-file" {
            words.next();
        } else if !word.starts_with("--log-file=") {
            repeatable.push(word);
        }
    }
    if options.seed().is_none() {
        repeatable.extend(["--seed".into(), seed.to_string()]);
    }
    repeatable
}

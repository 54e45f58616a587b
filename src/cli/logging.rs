//! Where the log goes: to a file with `--log-file`, to standard error if `RUST_LOG` is set and the protocol allows it, else
//! nowhere. What happens in a session goes there too, among the notes.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use log::LevelFilter;

use crate::journal::{Entry, Recorder};
use crate::protocol::Kind;

/// Log targets of the entries, for `RUST_LOG`.
const STEPS: &str = "othellier::steps";
const TRAFFIC: &str = "othellier::traffic";

/// Sets the logger up and sends panic messages to it: an engine must not write to standard error unasked. Returns the recorder
/// whose entries are logged.
///
/// # Errors
/// If the log file cannot be created.
pub(super) fn start(file: Option<&Path>, kind: Option<Kind>) -> anyhow::Result<Recorder> {
    let mut builder = env_logger::Builder::new();
    builder.format(|buffer, record| {
        writeln!(buffer, "{} {:5} {}", buffer.timestamp_millis(), record.level(), record.args())
    });
    if let Some(path) = file {
        let file = File::create(path)
            .with_context(|| format!("cannot write the log file {}", path.display()))?;
        builder.filter_level(LevelFilter::Debug).target(env_logger::Target::Pipe(Box::new(file)));
    } else if kind.is_some_and(|kind| kind != Kind::Nboard) {
        builder.filter_level(LevelFilter::Off).parse_default_env();
    } else {
        // NBoard reads standard error as part of the protocol, and the first line may still select NBoard.
        builder.filter_level(LevelFilter::Off);
    }
    builder.try_init().context("cannot start the logger")?;
    let is_off = log::max_level() == LevelFilter::Off;
    let recorder = if is_off { Recorder::default() } else { Recorder::new(log) };
    note_panics(&recorder);
    Ok(recorder)
}

/// Sends panic messages to a recorder.
pub(super) fn note_panics(recorder: &Recorder) {
    let recorder = recorder.clone();
    std::panic::set_hook(Box::new(move |panic| recorder.error(panic)));
}

/// Writes an entry to the log.
fn log(entry: Entry) {
    let target = if matches!(entry, Entry::Step(_)) { STEPS } else { TRAFFIC };
    log::log!(target: target, entry.level(), "{entry}");
}

//! The log: at the end of a file with `--log-file`, on standard error if `RUST_LOG` is set and the protocol allows it,
//! else off. It holds the events of a session among the notes.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::Context;
use log::LevelFilter;

use super::warn;
use crate::journal::{Entry, Recorder, text};
use crate::protocol::Kind;

/// Log targets of the entries, for `RUST_LOG`.
const STEPS: &str = "othellier::steps";
const TRAFFIC: &str = "othellier::traffic";

/// Why the log is cut, once it is, and whether that was told.
pub(super) type LogFailure = Arc<OnceLock<(String, bool)>>;

/// A log file, whose first error is kept: the logger has no use for it. Nothing follows a line that is missing.
struct LogFile {
    file: File,
    name: String,
    failure: LogFailure,
    /// Whether the failure is told at once, on standard error.
    tells: bool,
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failure.get().is_none()
            && let Err(error) = self.file.write_all(bytes)
        {
            let text = format!("the log ends here: cannot write {}: {error}", self.name);
            if self.tells {
                warn(&text);
            }
            drop(self.failure.set((text, self.tells)));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sets the logger up, for panics too: an engine must not write to standard error unasked. Also returns where a failure of the file shows.
pub(super) fn start(
    file: Option<&Path>,
    kind: Option<Kind>,
) -> anyhow::Result<(Recorder, LogFailure)> {
    let failure = LogFailure::default();
    // NBoard reads standard error as part of the protocol, and the first line may still select NBoard.
    let tells = kind.is_some_and(|kind| kind != Kind::Nboard);
    let mut builder = env_logger::Builder::new();
    builder.format(|buffer, record| {
        let (time, process) = (buffer.timestamp_millis(), std::process::id());
        writeln!(buffer, "{time} {:5} [{process}] {}", record.level(), record.args())
    });
    if let Some(path) = file {
        let file =
            open(path).with_context(|| format!("cannot write the log file {}", path.display()))?;
        let (name, failure) = (path.display().to_string(), failure.clone());
        let file = LogFile { file, name, failure, tells };
        builder.filter_level(LevelFilter::Debug).target(env_logger::Target::Pipe(Box::new(file)));
    } else if tells {
        builder.filter_level(LevelFilter::Off).parse_default_env();
    } else {
        builder.filter_level(LevelFilter::Off);
    }
    builder.try_init().context("cannot start the logger")?;
    let is_off = log::max_level() == LevelFilter::Off;
    let recorder = if is_off { Recorder::default() } else { Recorder::new(log) };
    note_panics(&recorder);
    Ok((recorder, failure))
}

/// Opens a log to append to, or a new one. Several processes may append to the same one: each line is a single write.
fn open(path: &Path) -> io::Result<File> {
    let mut needs_line_end = false;
    // Devices and pipes hold nothing to check.
    if path.is_file() && path.metadata()?.len() > 0 {
        let mut old = File::open(path)?;
        let mut head = Vec::new();
        (&old).take(256).read_to_end(&mut head)?;
        if !text::is_log(&head) {
            return Err(io::Error::other("it holds something else than a log"));
        }
        let mut last = [0];
        old.seek(SeekFrom::End(-1))?;
        old.read_exact(&mut last)?;
        needs_line_end = last != *b"\n";
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if needs_line_end {
        // The last process was killed within a line.
        file.write_all(b"\n")?;
    }
    Ok(file)
}

pub(super) fn note_panics(recorder: &Recorder) {
    let recorder = recorder.clone();
    std::panic::set_hook(Box::new(move |panic| recorder.error(panic)));
}

fn log(entry: Entry) {
    let target = if matches!(entry, Entry::Step(_)) { STEPS } else { TRAFFIC };
    log::log!(target: target, entry.level(), "{entry}");
}

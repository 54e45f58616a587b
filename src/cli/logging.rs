//! Where the log goes: nowhere by default, to the error output where the protocol allows it and `RUST_LOG` asks for it, to a file
//! with `--log-file`.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};

use anyhow::Context;
use log::LevelFilter;

use crate::protocol::Kind;

/// Sets the logger up and sends panic messages to it: an engine must not write unasked to its error output.
///
/// # Errors
/// If the log file cannot be made.
pub(super) fn start(file: Option<&Path>, kind: Option<Kind>) -> anyhow::Result<()> {
    let mut builder = builder();
    if let Some(path) = file {
        let file = File::create(path)
            .with_context(|| format!("cannot write the log file {}", path.display()))?;
        builder.filter_level(LevelFilter::Debug).target(env_logger::Target::Pipe(Box::new(file)));
    } else if kind.is_some_and(|kind| kind != Kind::Nboard) {
        builder.filter_level(LevelFilter::Off).parse_default_env();
    } else {
        // NBoard reads the error output as if it were the protocol, and the first line may yet choose NBoard.
        builder.filter_level(LevelFilter::Off);
    }
    builder.try_init().context("cannot start the logger")
}

/// Sets the logger up so that this process reads what it would write to a log file, line by line.
///
/// # Errors
/// If there is a logger already.
pub(super) fn listen() -> anyhow::Result<Receiver<String>> {
    let (sender, lines) = mpsc::channel();
    let ear = Box::new(Ear { sender, rest: Vec::new() });
    let mut builder = builder();
    builder.filter_level(LevelFilter::Debug).target(env_logger::Target::Pipe(ear));
    builder.try_init().context("cannot start the logger")?;
    Ok(lines)
}

/// A logger's form, with panics in it.
fn builder() -> env_logger::Builder {
    std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    let mut builder = env_logger::Builder::new();
    builder.format(|buffer, record| {
        writeln!(buffer, "{} {:5} {}", buffer.timestamp_millis(), record.level(), record.args())
    });
    builder
}

/// Takes a log and passes its lines on.
struct Ear {
    sender: Sender<String>,
    rest: Vec<u8>,
}

impl Write for Ear {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            // Nobody listens any more once all is compared.
            drop(self.sender.send(String::from_utf8_lossy(&line[..end]).into_owned()));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

//! Where the log goes: nowhere by default, to the error output where the protocol allows it and `RUST_LOG` asks for it, to a file
//! with `--log-file`.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use log::LevelFilter;

use crate::protocol::Kind;

/// Sets the logger up and sends panic messages to it: an engine must not write unasked to its error output.
///
/// # Errors
/// If the log file cannot be made.
pub(super) fn start(file: Option<&Path>, kind: Option<Kind>) -> anyhow::Result<()> {
    std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
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
        // NBoard reads the error output as if it were the protocol, and the first line may yet choose NBoard.
        builder.filter_level(LevelFilter::Off);
    }
    builder.try_init().context("cannot start the logger")
}

//! Checksums of the contents of files.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Context;

use crate::support::checksum::Checksum;

/// Adds a file's bytes to a checksum, whatever its size.
///
/// # Errors
/// If it cannot be read.
pub fn add(sum: &mut Checksum, path: &Path) -> anyhow::Result<()> {
    let context = || format!("cannot read {}", path.display());
    let mut file = BufReader::new(File::open(path).with_context(context)?);
    loop {
        let bytes = file.fill_buf().with_context(context)?;
        if bytes.is_empty() {
            return Ok(());
        }
        sum.add(bytes);
        let n = bytes.len();
        file.consume(n);
    }
}

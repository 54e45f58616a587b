//! The contents of files.

use std::fs::{File, metadata};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::Context;

use crate::support::checksum::Checksum;

/// Fails for all but regular files: a pipe may never answer, a device may never end, and Windows does not say that it is a folder.
pub fn check_regular(path: &Path) -> io::Result<()> {
    if metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::other("not a regular file"))
}

/// Adds a file's bytes to a checksum, whatever its size.
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

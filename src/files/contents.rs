//! The contents of files.

use std::fs::{File, metadata};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, bail};

use crate::support::checksum::Checksum;

/// Fails for all but regular files: a pipe may never answer, a device may never end, and Windows does not say that it is a folder.
pub fn check_regular(path: &Path) -> io::Result<()> {
    if metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::other("not a regular file"))
}

/// How packed files begin, and the program that unpacks them and keeps them.
const PACKED: [(&[u8], &str); 4] = [
    (b"\x1f\x8b", "gunzip -k"),
    (b"BZh", "bunzip2 -k"),
    (b"\xfd7zXZ\0", "unxz -k"),
    (b"\x28\xb5\x2f\xfd", "unzstd"),
];

/// Fails for a packed file, of which `head` is the beginning, and says how to unpack it.
pub fn check_unpacked(path: &Path, head: &[u8]) -> anyhow::Result<()> {
    let name = path.display();
    match PACKED.iter().find(|(mark, _)| head.starts_with(mark)) {
        Some((_, program)) => bail!("{name} is packed; unpack it first: {program} {name}"),
        None => Ok(()),
    }
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

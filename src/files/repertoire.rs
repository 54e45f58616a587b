//! Repertoires on disk.

use std::fs;
use std::path::Path;

use anyhow::Context;

use super::contents::check_unpacked;
use crate::book::repertoire::Repertoire;
use crate::formats::archive::decode;

pub fn read(path: &Path) -> anyhow::Result<Repertoire> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    check_unpacked(path, &bytes)?;
    let text = decode(&bytes, None);
    Repertoire::parse(&String::from_utf8_lossy(&text)).with_context(|| path.display().to_string())
}

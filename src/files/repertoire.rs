//! Repertoires on disk.

use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::book::repertoire::Repertoire;

pub fn read(path: &Path) -> anyhow::Result<Repertoire> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Repertoire::parse(&String::from_utf8_lossy(&bytes)).with_context(|| path.display().to_string())
}

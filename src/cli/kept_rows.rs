//! The rows of a job in a file, so that a run that was killed goes on behind them.

use std::path::Path;

use anyhow::{Context, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::batch::part::Part;
use crate::files::growing::Growing;

/// A file whose first line tells the job, and each other line a row.
pub(super) struct KeptRows(Growing);

impl KeptRows {
    /// Opens the file, or begins it, and returns its rows. A file of another job, or with rows of other numbers, is left as it is.
    pub(super) fn open<R: DeserializeOwned>(
        path: &Path,
        part: &Part,
        numbers: impl Iterator<Item = u64>,
        number_of: impl Fn(&R) -> u64,
    ) -> anyhow::Result<(KeptRows, Vec<R>)> {
        let head = format!("{part}\n");
        let (mut rows, mut is_new) = (Ok(Vec::new()), false);
        let mut file = Growing::open(path, |bytes| {
            let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
            is_new = end == 0 && head.as_bytes().starts_with(bytes);
            if !is_new {
                rows = read(&bytes[..end], &head, part, numbers, number_of);
            }
            if rows.is_ok() { end } else { bytes.len() }
        })?;
        let rows =
            rows.with_context(|| format!("cannot go on in {}, name another file", path.display()))?;
        if is_new {
            file.append(head.as_bytes())?;
        }
        Ok((KeptRows(file), rows))
    }

    pub(super) fn append(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        self.0.append(format!("{}\n", serde_json::to_string(row)?).as_bytes())?;
        self.0.sync()
    }
}

fn read<R: DeserializeOwned>(
    bytes: &[u8],
    head: &str,
    part: &Part,
    numbers: impl Iterator<Item = u64>,
    number_of: impl Fn(&R) -> u64,
) -> anyhow::Result<Vec<R>> {
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let first = lines.next().unwrap_or_default();
    if first != head.as_bytes() {
        let held = Part::of_line(first).ok().context("it holds no rows of a job")?;
        bail!("it is of another run: {}", held.mismatch(part).unwrap_or("another shard".into()));
    }
    let next = |(line, number)| {
        let row = serde_json::from_slice(line).ok().filter(|row| number_of(row) == number);
        row.with_context(|| format!("row {number} is damaged"))
    };
    lines.zip(numbers).map(next).collect()
}

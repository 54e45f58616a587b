//! Self-play in shards: a file beside each file of records says which games it holds; [`merge`] makes one file of them.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::record::{LAST, Record, SIZE};
use crate::batch::part::{Part, path_beside, together};
use crate::batch::shard::Shard;
use crate::files::replace::replace;

/// Checks by the file beside it that a file of records is for this part alone, or writes the file beside a new one. Without
/// shards none is written, and `part`, which may have to read whole files, is not called.
pub fn claim(
    path: &Path,
    shard: Shard,
    part: impl FnOnce() -> anyhow::Result<Part>,
) -> anyhow::Result<()> {
    let name = path.display();
    if let Some(known) = Part::beside(path)? {
        ensure!(known.shard == shard, "{name} holds shard {}", known.shard);
        let difference = known.mismatch(&part()?);
        ensure!(difference.is_none(), "{name}: {}", difference.unwrap_or_default());
        return Ok(());
    }
    if shard == Shard::ALL {
        return Ok(());
    }
    let length = std::fs::metadata(path).map_or(0, |file| file.len());
    ensure!(length == 0, "{name} is no shard: {} is missing", path_beside(path).display());
    replace(&path_beside(path), format!("{}\n", part()?).as_bytes())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    pub games: u64,
    pub positions: u64,
    /// Games left out because an earlier one is not in its part yet.
    pub left_out: u64,
}

/// Writes the games of all parts in order, up to the first that is missing: the beginning of what one machine makes with these settings.
pub fn merge(paths: &[PathBuf], output: &mut dyn Write) -> anyhow::Result<Merged> {
    let beside = |path: &PathBuf| {
        let part = Part::beside(path)?;
        let part = part.with_context(|| format!("{} is missing", path_beside(path).display()))?;
        Ok((path.clone(), part))
    };
    let parts = together(paths.iter().map(beside).collect::<anyhow::Result<_>>()?)?;
    let mut sources = Vec::new();
    for (path, _) in &parts {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        sources.push((path, BufReader::new(file)));
    }
    let mut merged = Merged::default();
    // Each round takes a game of each part. Games after the first missing one are only counted.
    let mut is_complete = true;
    loop {
        let mut n_found = 0;
        for (path, input) in &mut sources {
            let game = next_game(input).with_context(|| path.display().to_string())?;
            n_found += u64::from(game.is_some());
            is_complete &= game.is_some();
            match game {
                Some(game) if is_complete => {
                    merged.games += 1;
                    merged.positions += (game.len() / SIZE) as u64;
                    output.write_all(&game)?;
                }
                Some(_) => merged.left_out += 1,
                None => {}
            }
        }
        if n_found == 0 {
            return Ok(merged);
        }
    }
}

fn next_game(input: &mut impl Read) -> anyhow::Result<Option<Vec<u8>>> {
    let mut game = Vec::new();
    loop {
        let mut bytes = [0; SIZE];
        match input.read_exact(&mut bytes) {
            // A game cut by a kill is played again when the shard goes on.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let record = Record::from_bytes(&bytes).context("not a file of self-play, or damaged")?;
        game.extend(bytes);
        if record.is(LAST) {
            return Ok(Some(game));
        }
    }
}

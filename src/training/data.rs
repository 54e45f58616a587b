//! Reading labelled positions for training: what is held back, what a position's target is.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::record::{FIRST, Record, SIZE};
use crate::board::Board;
use crate::board::hash::hash;
use crate::board::symmetry::canonical;
use crate::evaluation::trained::stage;
use crate::score;

/// A position to learn from or to test on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// The position.
    pub board: Board,
    /// What the evaluation should say, in discs.
    pub target: f32,
    /// Result of the game in discs.
    pub result: i8,
    /// Stage of the evaluation.
    pub stage: u8,
}

/// What becomes a target and what is held back.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Share of the game's result in a target; the rest is the search's value.
    pub result_share: f32,
    /// One of so many positions, up to symmetry, is held back; 0 for none.
    pub hold_out: u64,
}

/// Positions read.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// To learn from.
    pub training: Vec<Example>,
    /// Held back, their target the game's result.
    pub hold_out: Vec<Example>,
    /// Canonical hashes of the positions with more than [`MANY_EMPTIES`] empty squares.
    hashes: Vec<u64>,
}

/// Positions with more empty squares are those that must be learnt rather than solved.
pub const MANY_EMPTIES: u32 = 14;

/// A number that is the same for symmetric positions.
pub fn canonical_hash(board: Board) -> u64 {
    hash(canonical(board))
}

fn example(record: &Record, result_share: f32) -> Example {
    let result = f32::from(record.result);
    let value = score::discs(record.score) as f32;
    Example {
        board: record.board,
        target: result_share * result + (1.0 - result_share) * value,
        result: record.result,
        stage: stage(record.board.n_empties()) as u8,
    }
}

impl Data {
    /// Reads self-play files. Positions of `excluded` (canonical hashes) are left out.
    ///
    /// # Errors
    /// If a file cannot be read or holds something else.
    pub fn read(
        files: &[PathBuf],
        selection: &Selection,
        excluded: &HashSet<u64>,
    ) -> anyhow::Result<Data> {
        let mut data = Data::default();
        for path in files {
            for_each_record(path, |record| {
                let hash = canonical_hash(record.board);
                if excluded.contains(&hash) {
                    return;
                }
                if record.board.n_empties() > MANY_EMPTIES {
                    data.hashes.push(hash);
                }
                // The hash's upper bits: its lower ones choose nothing else.
                if selection.hold_out != 0 && (hash >> 32).is_multiple_of(selection.hold_out) {
                    data.hold_out.push(example(&record, 1.0));
                } else {
                    data.training.push(example(&record, selection.result_share));
                }
            })?;
        }
        Ok(data)
    }

    /// Number of positions with more than [`MANY_EMPTIES`] empty squares, distinct up to symmetry.
    pub fn distinct(&mut self) -> usize {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        self.hashes.len()
    }
}

/// The first position of each game in a file, its target the game's result.
///
/// # Errors
/// As [`Data::read`].
pub fn read_first_positions(path: &Path) -> anyhow::Result<Vec<Example>> {
    let mut examples = Vec::new();
    for_each_record(path, |record| {
        if record.is(FIRST) {
            examples.push(example(&record, 1.0));
        }
    })?;
    Ok(examples)
}

/// Calls `f` with each record of a file.
///
/// # Errors
/// As [`Data::read`].
pub fn for_each_record(path: &Path, mut f: impl FnMut(Record)) -> anyhow::Result<()> {
    let context = || format!("cannot read {}", path.display());
    let mut file = BufReader::with_capacity(1 << 20, File::open(path).with_context(context)?);
    let mut bytes = [0; SIZE];
    for index in 0_u64.. {
        match file.read_exact(&mut bytes) {
            Ok(()) => {}
            // A record that is being written, or was cut by a kill.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error).with_context(context),
        }
        match Record::from_bytes(&bytes) {
            Some(record) => f(record),
            None => bail!("{}: position {} is damaged", path.display(), index + 1),
        }
    }
    Ok(())
}

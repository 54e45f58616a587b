//! The state of a training, stored in a file after passes to resume after an interruption.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `OTHCKP04` |
//! | 4 + n | length and text of a JSON object: the identity of the training, its passes, the number of the best one |
//! | | the changes in the body since the start, for each 64 words of 8 bytes: a mask of those that changed, and these |
//! | 8 | checksum of all that comes before |
//!
//! The body is the parameters, weight and sum of squared gradients (`f32`, little-endian as all numbers), then the weights after the
//! best pass (`f32`). Few positions reach few of the millions of parameters.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fit::Loss;
use super::parameter::Parameter;
use crate::files::replace::replace;
use crate::support::checksum::{seal, unseal};

const MAGIC: &[u8; 8] = b"OTHCKP04";

#[derive(Clone, Debug)]
pub struct Checkpoint {
    path: PathBuf,
    /// Settings and data, which must match to resume.
    identity: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// Of training positions, each measured before training on it.
    pub training: Vec<Loss>,
    /// Of the positions held back, after the pass.
    pub hold_out: Vec<Loss>,
    /// Of the positions of the hold-out file, after the pass.
    pub test: Vec<Loss>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    pub pass: usize,
    /// The weights after it, from [`Model::numbers`](super::fit::Model::numbers).
    pub numbers: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub passes: Vec<Pass>,
    pub best: Best,
    pub parameters: Vec<Parameter>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    identity: Value,
    passes: Vec<Pass>,
    best: usize,
}

impl Checkpoint {
    /// Beside the weights file.
    pub fn beside(out: &Path, identity: Value) -> Checkpoint {
        Checkpoint { path: out.with_added_extension("checkpoint"), identity }
    }

    /// Reads the state of a training with this [`body`] at the start and number of parameters; `None` if there is no file.
    pub(super) fn read(&self, start: &[u8], n_parameters: usize) -> anyhow::Result<Option<State>> {
        let name = self.path.display();
        let bytes = match fs::read(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.with_context(|| format!("cannot read {name}"))?,
        };
        ensure!(
            bytes.starts_with(MAGIC),
            "{name} is not a checkpoint of this version; delete it to start afresh"
        );
        let (header, changes) = split(&bytes)
            .with_context(|| format!("{name} is damaged; delete it to start afresh"))?;
        ensure!(
            header.identity == self.identity,
            "{name} belongs to a training with other settings or data; delete it to start afresh"
        );
        let mut body = start.to_vec();
        ensure!(
            apply(&mut body, changes).is_some() && header.best < header.passes.len(),
            "{name} is damaged; delete it to start afresh"
        );
        let (parameters, numbers) = body.split_at(8 * n_parameters);
        let parameters = parameters.as_chunks::<8>().0.iter().map(|&[a, b, c, d, e, f, g, h]| {
            let (weight, squares) = ([a, b, c, d], [e, f, g, h]);
            Parameter { weight: f32::from_le_bytes(weight), squares: f32::from_le_bytes(squares) }
        });
        let numbers = numbers.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
        Ok(Some(State {
            passes: header.passes,
            best: Best { pass: header.best, numbers: numbers.collect() },
            parameters: parameters.collect(),
        }))
    }

    /// Replaces the state, as its changes since the `start`, atomically: after a kill, the file holds either the old or the new one.
    pub(super) fn write(
        &self,
        passes: &[Pass],
        best: &Best,
        parameters: &[Parameter],
        start: &[u8],
    ) -> anyhow::Result<()> {
        let (identity, passes) = (self.identity.clone(), passes.to_vec());
        let header = serde_json::to_vec(&Header { identity, passes, best: best.pass })?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        add_changes(&mut bytes, start, &body(parameters, &best.numbers));
        seal(&mut bytes);
        replace(&self.path, &bytes)
    }

    pub fn delete(&self) -> anyhow::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done.with_context(|| format!("cannot delete {}", self.path.display())),
        }
    }
}

/// Parameters and weights as bytes.
pub(super) fn body(parameters: &[Parameter], numbers: &[f32]) -> Vec<u8> {
    let pair = |parameter: &Parameter| [parameter.weight, parameter.squares];
    let parameters = parameters.iter().flat_map(pair).flat_map(f32::to_le_bytes);
    parameters.chain(numbers.iter().flat_map(|number| number.to_le_bytes())).collect()
}

/// Bytes of a word, the unit of changes.
const WORD: usize = 8;

/// Words of a mask.
const MASK: usize = 64;

/// Adds the words of `now` that differ from those of `start`.
fn add_changes(bytes: &mut Vec<u8>, start: &[u8], now: &[u8]) {
    for (start, now) in start.chunks(MASK * WORD).zip(now.chunks(MASK * WORD)) {
        let words = || start.chunks(WORD).zip(now.chunks(WORD)).enumerate();
        let changed = || words().filter(|(_, (start, now))| start != now);
        let mask = changed().fold(0, |mask, (index, _)| mask | 1u64 << index);
        bytes.extend(mask.to_le_bytes());
        bytes.extend(changed().flat_map(|(_, (_, now))| now));
    }
}

/// Makes these changes in `body`; `None` if they do not fit.
fn apply(body: &mut [u8], mut changes: &[u8]) -> Option<()> {
    for block in body.chunks_mut(MASK * WORD) {
        let mask;
        (mask, changes) = changes.split_first_chunk()?;
        let mask = u64::from_le_bytes(*mask);
        for (_, word) in block.chunks_mut(WORD).enumerate().filter(|(at, _)| mask >> at & 1 == 1) {
            let new;
            (new, changes) = changes.split_at_checked(word.len())?;
            word.copy_from_slice(new);
        }
    }
    changes.is_empty().then_some(())
}

/// The header of a checkpoint and the changes; `None` if it is damaged.
fn split(bytes: &[u8]) -> Option<(Header, &[u8])> {
    let rest = unseal(bytes)?.strip_prefix(MAGIC)?;
    let (length, rest) = rest.split_first_chunk()?;
    let (header, body) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((serde_json::from_slice(header).ok()?, body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::folder::Folder;
    use serde_json::json;

    #[test]
    fn states_come_back_to_their_own_training_only() {
        let folder = Folder::new("checkpoint");
        let out = folder.join("w.bin");
        let checkpoint = Checkpoint::beside(&out, json!({ "rate": 0.1_f32 }));
        // So many that all but a few changes would show in the size.
        let start = body(&[Parameter::default(); 1000], &[0.0; 2]);
        assert_eq!(checkpoint.read(&start, 1000).unwrap(), None);
        let mut loss = Loss::default();
        loss.add(1.0 / 3.0);
        let losses = vec![loss; 3];
        let pass = Pass { training: losses.clone(), hold_out: losses.clone(), test: losses };
        let mut state = State {
            passes: vec![pass; 2],
            best: Best { pass: 1, numbers: vec![-3.25, 400.0] },
            parameters: vec![Parameter::default(); 1000],
        };
        state.parameters[700] = Parameter { weight: -0.1, squares: 1e9 };
        checkpoint.write(&state.passes, &state.best, &state.parameters, &start).unwrap();
        assert_eq!(checkpoint.read(&start, 1000).unwrap(), Some(state));
        let refused = |checkpoint: &Checkpoint, n| {
            let start = &start[..start.len() - n];
            checkpoint.read(start, 1000 - n / WORD).unwrap_err().to_string()
        };
        let other = Checkpoint::beside(&out, json!({ "rate": 0.2 }));
        assert!(refused(&other, 0).contains("other settings"), "{}", refused(&other, 0));
        assert!(refused(&checkpoint, MASK * WORD).contains("damaged"));
        let whole = fs::read(&checkpoint.path).unwrap();
        assert!(whole.len() < 2500, "{} bytes", whole.len());
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&checkpoint.path, bytes).unwrap();
            let word = if bit < 64 { "is not a checkpoint" } else { "is damaged" };
            assert!(refused(&checkpoint, 0).contains(word), "bit {bit}");
        }
        for length in 0..whole.len() {
            fs::write(&checkpoint.path, &whole[..length]).unwrap();
            assert!(refused(&checkpoint, 0).contains("delete it"), "{length} bytes");
        }
        checkpoint.delete().unwrap();
        checkpoint.delete().unwrap();
        assert_eq!(checkpoint.read(&start, 1000).unwrap(), None);
    }
}

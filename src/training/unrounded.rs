//! What rounding took off the numbers of a weights file, in a file beside it. A training that starts from these weights goes on with both:
//! what one generation moves by less than half a step adds up over several.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `OTHRND01` |
//! | 8 | checksum of the weights file, little-endian as all numbers |
//! | | by number, a byte: what was taken off in 1/254 |
//! | 8 | checksum of all that comes before |

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::files::replace::replace;
use crate::support::checksum::{seal, unseal};

const MAGIC: &[u8; 8] = b"OTHRND01";
const STEPS: f32 = 254.0;

/// The file beside a weights file.
pub fn beside(weights: &Path) -> PathBuf {
    weights.with_added_extension("unrounded")
}

/// Keeps what rounding takes off the `numbers` of a weights file with this checksum. Beside a pipe or a device nothing is kept.
pub fn write(weights: &Path, of: u64, numbers: &[f32]) -> anyhow::Result<()> {
    if !weights.is_file() {
        return Ok(());
    }
    let mut bytes = [&MAGIC[..], &of.to_le_bytes()].concat();
    // Cut off, not rounded, so that no number comes back as one that is rounded otherwise.
    let rest = |number: &f32| ((number - number.round()) * STEPS) as i8;
    bytes.extend(numbers.iter().map(|number| rest(number).cast_unsigned()));
    seal(&mut bytes);
    replace(&beside(weights), &bytes)
}

/// The `numbers` of a weights file with this checksum as they were before they were rounded; `None` if there is no file, or if it belongs to
/// other weights. A damaged file is an error.
pub fn read(weights: &Path, of: u64, numbers: &[i16]) -> anyhow::Result<Option<Vec<f32>>> {
    let path = beside(weights);
    let name = path.display();
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        bytes => bytes.with_context(|| format!("cannot read {name}"))?,
    };
    let rest = unseal(&bytes).and_then(|content| content.strip_prefix(MAGIC)?.split_first_chunk());
    let (stored, rest) =
        rest.with_context(|| format!("{name} is damaged; delete it to start without it"))?;
    if u64::from_le_bytes(*stored) != of {
        return Ok(None);
    }
    ensure!(rest.len() == numbers.len(), "{name} does not fit the weights");
    let exact =
        |(&number, &rest): (&i16, &u8)| f32::from(number) + f32::from(rest.cast_signed()) / STEPS;
    Ok(Some(numbers.iter().zip(rest).map(exact).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::folder::Folder;
    use crate::training::fit::round;

    #[test]
    fn what_rounding_took_off_comes_back_to_its_own_weights() {
        let folder = Folder::new("unrounded");
        let path = folder.join("w.bin");
        let exact = [0.0, 0.5, -0.5, 3.499, -7.25, 126.9, 0.001];
        let numbers = round(&exact);
        assert_eq!(read(&path, 7, &numbers).unwrap(), None);
        fs::write(&path, "weights").unwrap();
        write(&path, 7, &exact).unwrap();
        let back = read(&path, 7, &numbers).unwrap().unwrap();
        assert!(
            back.iter().zip(exact).all(|(back, exact)| (back - exact).abs() < 0.005),
            "{back:?}"
        );
        assert_eq!(round(&back), numbers);
        assert_eq!(read(&path, 8, &numbers).unwrap(), None);
        let mut bytes = fs::read(beside(&path)).unwrap();
        bytes[20] ^= 1;
        fs::write(beside(&path), bytes).unwrap();
        assert!(read(&path, 7, &numbers).unwrap_err().to_string().contains("is damaged"));
    }
}

//! Files that grow by whole units, such as self-play games: one process writes at a time, and after a kill the next one goes on
//! behind the last whole unit.

use std::fs::OpenOptions;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::contents::check_regular;
use super::lock::Locked;

/// The longest unfinished unit in bytes: a kill leaves less than the block being written. More is another file or damage.
const MAX_TAIL: usize = 1 << 16;

#[derive(Debug)]
pub struct Growing {
    path: PathBuf,
    file: BufWriter<Locked>,
}

impl Growing {
    /// Opens a file, or makes an empty one, and cuts off a unit that an earlier run did not finish. `whole` gets the file's
    /// bytes and returns how many of them are whole units.
    pub fn open(path: &Path, whole: impl FnOnce(&[u8]) -> usize) -> anyhow::Result<Growing> {
        let context = || format!("cannot open {}", path.display());
        let file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path)
            .with_context(context)?;
        check_regular(path).with_context(context)?;
        let file = Locked::try_new(file, path)?;
        let mut bytes = Vec::new();
        (&*file).read_to_end(&mut bytes).with_context(context)?;
        let end = whole(&bytes);
        ensure!(
            bytes.len() - end <= MAX_TAIL,
            "{} holds something else from byte {end} on; it is left as it is",
            path.display()
        );
        if end < bytes.len() {
            log::info!("{}: cut {} bytes of an unfinished unit", path.display(), bytes.len() - end);
            file.set_len(end as u64).with_context(context)?;
        }
        Ok(Growing { path: path.to_path_buf(), file: BufWriter::new(file) })
    }

    /// Appends a unit. It may stay in memory for a while.
    pub fn append(&mut self, unit: &[u8]) -> anyhow::Result<()> {
        self.file.write_all(unit).with_context(|| format!("cannot write {}", self.path.display()))
    }

    pub fn sync(&mut self) -> anyhow::Result<()> {
        let written = self.file.flush().and_then(|()| self.file.get_ref().sync_data());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::folder::Folder;

    /// Units are lines.
    fn lines(bytes: &[u8]) -> usize {
        bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)
    }

    #[test]
    fn a_file_goes_on_behind_its_last_whole_unit() {
        let folder = Folder::new("growing");
        let path = folder.join("file");
        let mut file = Growing::open(&path, lines).unwrap();
        file.append(b"one\n").unwrap();
        file.sync().unwrap();
        let refused = Growing::open(&path, lines).unwrap_err().to_string();
        assert!(refused.ends_with("is being written by another process"), "{refused}");
        drop(file);
        std::fs::write(&path, "one\ntwo\nthr").unwrap();
        let mut file = Growing::open(&path, lines).unwrap();
        file.append(b"four\n").unwrap();
        drop(file);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nfour\n");
        // A file of another kind.
        std::fs::write(&path, vec![b'x'; MAX_TAIL + 1]).unwrap();
        assert!(Growing::open(&path, lines).unwrap_err().to_string().ends_with("left as it is"));
        assert_eq!(std::fs::metadata(&path).unwrap().len(), MAX_TAIL as u64 + 1);
    }
}

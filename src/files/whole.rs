//! Files that appear under their names only when they are complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

/// Whether a file that stands in the way may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays.
    Keep,
    /// It gives way.
    Replace,
}

/// A file that comes into being under its name only when it is complete.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    part: PathBuf,
    existing: Existing,
    output: BufWriter<File>,
}

impl NewFile {
    /// Begins a file beside the one that it is to become.
    ///
    /// # Errors
    /// If a file is in the way that must stay, or the folder cannot be written to.
    pub fn create(path: &Path, existing: Existing) -> anyhow::Result<NewFile> {
        check_absent(path, existing)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let file =
            File::create(&part).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(NewFile { path: path.into(), part, existing, output: BufWriter::new(file) })
    }

    /// As [`NewFile::finish`], but no file is replaced.
    ///
    /// # Errors
    /// As there.
    pub fn finish_new(self) -> anyhow::Result<()> {
        ensure!(
            fs::symlink_metadata(&self.path).is_err(),
            "{} is left as it is",
            self.path.display()
        );
        self.finish()
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If something came in the way, or the disk is full; nothing is left then.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let context = || format!("cannot write {}", self.path.display());
        self.output.flush().with_context(context)?;
        check_absent(&self.path, self.existing)?;
        fs::rename(&self.part, &self.path).with_context(context)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // After `finish` it is no longer there.
        drop(fs::remove_file(&self.part));
    }
}

/// Refuses to go on if a file is in the way that must stay.
///
/// # Errors
/// Then.
pub fn check_absent(path: &Path, existing: Existing) -> anyhow::Result<()> {
    ensure!(
        existing == Existing::Replace || fs::symlink_metadata(path).is_err(),
        "{} exists and is left as it is; --force replaces it",
        path.display()
    );
    Ok(())
}

/// Puts a whole file in the place of the one before, if there is one; after a kill there is the one or the other.
///
/// # Errors
/// If it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    let part = PathBuf::from(name);
    let write = || {
        let mut file = File::create(&part)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

//! Files that one process writes at a time.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::ops::Deref;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;

#[derive(Debug, thiserror::Error)]
#[error("{0} is being written by another process")]
pub struct Taken(String);

/// An open file that nobody else may lock. The lock ends with the value or the process; where the system has no locks there is no
/// protection.
#[derive(Debug)]
pub(super) struct Locked(File);

impl Locked {
    /// `path` is for messages.
    pub(super) fn try_new(file: File, path: &Path) -> anyhow::Result<Locked> {
        Locked::wait(file, path, Duration::ZERO)
    }

    /// Waits up to `patience` for another lock to end.
    pub(super) fn wait(file: File, path: &Path, patience: Duration) -> anyhow::Result<Locked> {
        let start = Instant::now();
        while matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let is_over = start.elapsed() >= patience;
            ensure!(!is_over, Taken(path.display().to_string()));
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Locked(file))
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that another thread is just starting has the file open for a moment as well,
        // and with it the lock.
        let _ = self.0.unlock();
    }
}

impl Deref for Locked {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Write for Locked {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::folder::Folder;

    #[test]
    fn the_lock_ends_though_a_starting_process_has_the_file_open() {
        let folder = Folder::new("lock");
        let path = folder.join("file");
        let open = || Locked::try_new(File::create(&path).unwrap(), &path);
        let first = open().unwrap();
        assert!(open().unwrap_err().to_string().ends_with("is being written by another process"));
        // A cloned handle shares the lock, as a forked process does.
        let inherited = first.try_clone().unwrap();
        drop(first);
        drop(open().unwrap());
        drop(inherited);
    }
}

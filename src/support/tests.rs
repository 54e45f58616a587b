//! What tests of several rooms need.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A folder of a test for its files, deleted at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// An empty folder. Each test has a name of its own.
    pub(crate) fn new(test: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("othellier-{test}-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir(&folder).unwrap();
        Folder(folder)
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.join(name), contents).unwrap();
        self.join(name)
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

//! Files that appear under their names only when they are complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::part::Part;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Then writing fails.
    Keep,
    Replace,
}

/// The file that a path leads to through all symbolic links, whether it exists or not: a new file must replace that file
/// and not a link to it.
pub fn resolve(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    // Systems follow no more links than this.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// Fails if an output is one of the inputs, which would be lost.
pub fn check_distinct<'a>(
    out: &Path,
    inputs: impl IntoIterator<Item = &'a PathBuf>,
) -> anyhow::Result<()> {
    let is_input = inputs.into_iter().any(|input| resolve(input) == resolve(out));
    ensure!(!is_input, "{} is both input and output", out.display());
    Ok(())
}

/// Fails if a file that would be replaced holds something else than files of this kind, which begin with `magic`.
#[cfg(feature = "training")]
pub fn check_kind(path: &Path, magic: &[u8]) -> anyhow::Result<()> {
    use std::io::Read;

    if is_stream(path) || !path.exists() {
        return Ok(());
    }
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(magic.len() as u64).read_to_end(&mut head))
        .with_context(|| format!("cannot read {}", path.display()))?;
    let is_of_kind = head.is_empty() || head == magic;
    ensure!(is_of_kind, "{} holds something else; it is left as it is", path.display());
    Ok(())
}

/// Whether a path is written to in place and not replaced: a pipe, a device, or an output of this program, be it a file.
fn is_stream(path: &Path) -> bool {
    let is_other = |data: fs::Metadata| !data.is_file() && !data.is_dir();
    let outputs = ["/dev/stdout", "/dev/stderr", "/dev/fd"];
    outputs.iter().any(|output| path.starts_with(output)) || fs::metadata(path).is_ok_and(is_other)
}

/// A file that comes into being under its name only when it is complete; pipes and devices are written to as they are.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    /// The unfinished file; `None` for a stream.
    part: Option<Part>,
    existing: Existing,
    output: BufWriter<File>,
}

impl NewFile {
    pub fn create(path: &Path, existing: Existing) -> anyhow::Result<NewFile> {
        check_absent(path, existing)?;
        ensure!(!path.is_dir(), "cannot write {}: it is a folder", path.display());
        let (path, opened) = if is_stream(path) {
            (path.into(), File::create(path).map(|file| (None, file)))
        } else {
            let path = resolve(path);
            let opened = Part::create(&path).map(|(part, file)| (Some(part), file));
            (path, opened)
        };
        let (part, file) = opened.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(NewFile { path, part, existing, output: BufWriter::new(file) })
    }

    /// Writes a whole file.
    pub fn save(path: &Path, existing: Existing, bytes: &[u8]) -> anyhow::Result<()> {
        let mut file = NewFile::create(path, existing)?;
        file.write_all(bytes)?;
        file.finish()
    }

    /// Like [`NewFile::finish`], but replaces no file.
    pub fn finish_new(self) -> anyhow::Result<()> {
        ensure!(
            self.part.is_none() || fs::symlink_metadata(&self.path).is_err(),
            "{} is left as it is",
            self.path.display()
        );
        self.finish()
    }

    pub fn finish(mut self) -> anyhow::Result<()> {
        let context = || format!("cannot write {}", self.path.display());
        self.output.flush().with_context(context)?;
        check_absent(&self.path, self.existing)?;
        self.part.map_or(Ok(()), |part| part.install(&self.path)).with_context(context)
    }
}

impl NewFile {
    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("cannot write {}: {error}", self.path.display()))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes).map_err(|error| self.named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush().map_err(|error| self.named(&error))
    }
}

pub fn check_absent(path: &Path, existing: Existing) -> anyhow::Result<()> {
    ensure!(
        existing == Existing::Replace || is_stream(path) || fs::symlink_metadata(path).is_err(),
        "{} exists and is left as it is; --force replaces it",
        path.display()
    );
    Ok(())
}

/// To ask before the work whose result the file is to hold. Nothing is left behind.
pub fn check_writable(path: &Path, existing: Existing) -> anyhow::Result<()> {
    // Whoever reads from a stream would take closing it for its end.
    if is_stream(path) { Ok(()) } else { NewFile::create(path, existing).map(drop) }
}

/// Replaces a file as a whole, or creates it; after a kill at any moment either the old or the new file is there.
pub fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_stream(path) {
        return fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()));
    }
    let path = &resolve(path);
    let write = || {
        let (part, mut file) = Part::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        part.install(path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Windows replaces a file that is open elsewhere only on its newer file systems. On the others the old file first gets a name of
/// its own, and is gone when the last reader closes it.
pub(super) fn rename(part: &Path, path: &Path) -> io::Result<()> {
    let renamed = fs::rename(part, path);
    let is_denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    if !cfg!(windows) || !renamed.as_ref().is_err_and(is_denied) {
        return renamed;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let old_name = |number| path.with_file_name(format!(".{name}.{number}.old"));
    // The names of those that are still open are taken.
    let Some(old) = (0..10).map(old_name).find(|old| fs::rename(path, old).is_ok()) else {
        return renamed;
    };
    let renamed = fs::rename(part, path);
    drop(if renamed.is_ok() { fs::remove_file(old) } else { fs::rename(old, path) });
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::folder::Folder;

    #[test]
    fn an_open_file_is_replaced_and_keeps_its_contents_for_the_reader() {
        let folder = Folder::new("open");
        let path = PathBuf::from(folder.write("file", "old"));
        for new in ["first", "second"] {
            let old = fs::read_to_string(&path).unwrap();
            let open = File::open(&path).unwrap();
            replace(&path, new.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), new);
            assert_eq!(io::read_to_string(open).unwrap(), old);
        }
    }

    #[test]
    fn a_file_that_came_meanwhile_is_left_as_it_is() {
        let folder = Folder::new("meanwhile");
        let path = folder.join("file");
        let new = NewFile::create(&path, Existing::Keep).unwrap();
        folder.write("file", "other");
        assert!(new.finish().is_err());
        assert_eq!(fs::read(&path).unwrap(), b"other");
        assert_eq!(fs::read_dir(&*folder).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn devices_are_written_to_and_not_replaced() {
        let device = Path::new("/dev/null");
        let mut new = NewFile::create(device, Existing::Keep).unwrap();
        new.write_all(b"lost").unwrap();
        new.finish_new().unwrap();
        let mut new = NewFile::create(device, Existing::Replace).unwrap();
        new.write_all(b"lost").unwrap();
        new.finish().unwrap();
        replace(device, b"lost").unwrap();
        assert!(!fs::metadata(device).unwrap().is_file());
        // `/dev/shm` is a file system in memory on Linux, with ordinary files.
        assert!(is_stream(Path::new("/dev/stdout")) && !is_stream(Path::new("/dev/shm/game")));
    }

    #[test]
    #[cfg(unix)]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let folder = Folder::new("whole");
        fs::create_dir(folder.join("far")).unwrap();
        let [link, chain, file] = ["link", "chain", "far/file"].map(|name| folder.join(name));
        std::os::unix::fs::symlink("far/file", &link).unwrap();
        std::os::unix::fs::symlink(&link, &chain).unwrap();
        // At first nothing is there, and yet the link stays as it is.
        assert!(NewFile::create(&link, Existing::Keep).is_err());
        for (path, text) in [(&link, "one"), (&chain, "two"), (&file, "three")] {
            NewFile::save(path, Existing::Replace, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            replace(path, b"whole").unwrap();
            assert_eq!(fs::read(&file).unwrap(), b"whole");
        }
        assert!(link.is_symlink() && chain.is_symlink() && !file.is_symlink());
        assert!(NewFile::create(&link, Existing::Keep).is_err());
        let n_files = |folder: &Path| fs::read_dir(folder).unwrap().count();
        assert_eq!((n_files(&folder), n_files(&folder.join("far"))), (3, 1));
    }
}

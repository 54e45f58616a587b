//! Files of games: reading them whatever their format, and writing without overwriting.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::formats::archive::{Format, Reader, decode};
use crate::formats::wthor::{NameKind, Names};

/// The name that means standard input or output.
pub(super) const STANDARD: &str = "-";

/// The files of names that go with all WTHOR games of a folder.
const WTHOR_LISTS: &str = "wth";

/// Reads the name of a format.
pub(super) fn format(text: &str) -> Result<Format, String> {
    Format::ALL.into_iter().find(|format| format.name() == text).ok_or_else(|| {
        let names = Format::ALL.map(Format::name);
        format!("expected {}", names.join(", "))
    })
}

/// The format that a path's extension promises.
pub(super) fn format_of(path: &Path) -> Option<Format> {
    Format::from_extension(path.extension()?.to_str()?)
}

/// A file of games in memory.
#[derive(Debug)]
pub(super) struct GameFile {
    /// What to call it.
    pub name: String,
    /// Its format.
    pub format: Format,
    bytes: Vec<u8>,
    /// Players and tournaments, if it is a WTHOR file.
    lists: [Option<Names>; 2],
}

impl GameFile {
    /// Reads a file, or the standard input for `-`. Without a format its extension decides, and without a known one its looks.
    ///
    /// # Errors
    /// If it cannot be read, or is a text in an encoding that cannot be.
    pub fn read(path: &Path, format: Option<Format>, is_latin1: bool) -> anyhow::Result<GameFile> {
        let is_standard = path.as_os_str() == STANDARD;
        let name = if is_standard { "standard input".into() } else { path.display().to_string() };
        let mut bytes = Vec::new();
        if is_standard {
            io::stdin().read_to_end(&mut bytes).context("cannot read the standard input")?;
        } else {
            bytes = fs::read(path).with_context(|| format!("cannot read {name}"))?;
        }
        let mut file = GameFile::from_text(name, bytes, format.or_else(|| format_of(path)));
        if file.format == Format::Wthor {
            if !is_standard {
                file.lists = wthor_lists(path)?;
            }
        } else {
            let text = decode(&file.bytes, is_latin1).map_err(anyhow::Error::msg);
            file.bytes = text.with_context(|| file.name.clone())?.into_owned();
        }
        Ok(file)
    }

    /// A text that stands in no file.
    pub fn from_text(name: String, bytes: Vec<u8>, format: Option<Format>) -> GameFile {
        let format = format.unwrap_or_else(|| Format::guess(&bytes));
        GameFile { name, format, bytes, lists: [None, None] }
    }

    /// Its games one by one.
    ///
    /// # Errors
    /// If it is a WTHOR file and damaged.
    pub fn games(&self) -> anyhow::Result<Reader<'_>> {
        Reader::new(self.format, &self.bytes, self.lists()).with_context(|| self.name.clone())
    }

    /// The file as it is.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Players and tournaments, if it is a WTHOR file that has them.
    pub fn lists(&self) -> [Option<&Names>; 2] {
        self.lists.each_ref().map(Option::as_ref)
    }
}

/// The lists beside a WTHOR file: of its own name, or `WTH.JOU` and `WTH.TRN` for a whole folder.
fn wthor_lists(path: &Path) -> anyhow::Result<[Option<Names>; 2]> {
    let own = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut files: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries.filter_map(Result::ok).map(|entry| entry.path()).collect(),
        Err(_) => Vec::new(),
    };
    files.sort();
    let find = |kind: NameKind| -> anyhow::Result<Option<Names>> {
        let named = |stem: &str| {
            files.iter().find(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
                name == format!("{stem}.{}", kind.extension())
            })
        };
        let Some(path) = named(&own).or_else(|| named(WTHOR_LISTS)) else { return Ok(None) };
        let context = || format!("cannot read {}", path.display());
        let file = fs::read(path).with_context(context)?;
        Names::read(kind, &file).map(Some).with_context(context)
    };
    Ok([find(NameKind::Players)?, find(NameKind::Tournaments)?])
}

/// Whether a file that stands in the way may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    /// It stays.
    Keep,
    /// It gives way.
    Replace,
}

/// A file that comes into being under its name only when it is complete.
#[derive(Debug)]
pub(super) struct NewFile {
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
pub(super) fn check_absent(path: &Path, existing: Existing) -> anyhow::Result<()> {
    ensure!(
        existing == Existing::Replace || fs::symlink_metadata(path).is_err(),
        "{} exists and is left as it is; --force replaces it",
        path.display()
    );
    Ok(())
}

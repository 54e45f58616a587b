//! Opening books on disk.
//!
//! A book `NAME` is a file that is only ever replaced as a whole, and a journal `NAME.log` that is only ever appended to. A kill at
//! any moment loses no more than the frame that was being written. `NAME.lock` lets only one process write at a time; any
//! number of others may read meanwhile.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::contents::{check_regular, check_unpacked};
use super::lock::Locked;
pub use super::lock::Taken;
use super::part::Part;
use super::replace::{Existing, check_absent, resolve};
use crate::book::layout::BookError;
use crate::book::sections::Sections;
use crate::book::snapshot::{Fetch, Snapshot};
use crate::book::wal::{self, Change, Wal, frame};
use crate::book::{Book, edax, egaroucid, pack};
use crate::support::checksum::Checksum;

/// Files up to this size in bytes are read whole, in 5 ms at most: later changes do no harm. Larger ones are read block by block.
const MAX_READ: u64 = 8 << 20;

/// The journal is synced to disk after this many frames at the latest, in case the power fails.
const FRAMES_TO_SYNC: u32 = 64;

/// A journal longer than this many bytes and than a twentieth of the file should be merged into the file.
const LONG_JOURNAL: u64 = 4 << 20;

/// How long a writer waits for another to end: a program that learns writes for moments only.
const PATIENCE: Duration = Duration::from_secs(2);

const CHANGES_TO_FRAME: usize = 4096;

/// Opens a book to play from: a file of this program as it is now, or one in the packed form.
pub fn open(path: &Path) -> anyhow::Result<Book> {
    let context = || format!("cannot read {}", path.display());
    let mut head = Vec::new();
    check_regular(path).with_context(context)?;
    File::open(path).and_then(|file| file.take(16).read_to_end(&mut head)).with_context(context)?;
    if pack::is_packed(&head) {
        let bytes = fs::read(path).with_context(context)?;
        return Book::unpack(&bytes).with_context(|| path.display().to_string());
    }
    ensure!(
        !edax::is_edax(&head) && !egaroucid::is_egaroucid(&head),
        "{}: a book of another program; othellier book import takes it into one of this program",
        path.display()
    );
    read(path)
}

/// With all that the journal says.
pub fn read(path: &Path) -> anyhow::Result<Book> {
    let path = &resolve(path);
    // Read the journal first: a process that merges it meanwhile replaces the file before it empties the journal.
    let bytes = read_journal(path)?;
    let (snapshot, _) = snapshot(path)?;
    let journal = Wal::read(&bytes, snapshot.sequence()).with_context(|| name(path, "log"))?;
    Ok(book(snapshot, &journal.changes))
}

/// Of the file and its journal.
pub fn checksum(path: &Path) -> anyhow::Result<Checksum> {
    let path = &resolve(path);
    let mut sum = Checksum::of(&read_journal(path)?);
    super::contents::add(&mut sum, path)?;
    Ok(sum)
}

#[derive(Debug)]
pub struct Salvaged {
    pub sections: Sections,
    /// One sentence each.
    pub faults: Vec<String>,
    /// Number of changes in the journal, which the values in the file do not reflect yet.
    pub n_waiting: usize,
}

/// Reads all that is sound of a book, also of one that was cut off. A file of the right length is opened only once, since another
/// process may replace it meanwhile.
pub fn salvage(path: &Path) -> anyhow::Result<Salvaged> {
    let path = &resolve(path);
    let bytes = read_journal(path)?;
    let (length, fetch) = source(path)?;
    let mut faults = Vec::new();
    let snapshot = match Snapshot::new(length, fetch) {
        Err(error @ BookError::Length { expected, found }) => {
            faults.push(format!("{}: {error}", path.display()));
            salvage_length(path, [expected, found], &mut faults)?
        }
        read => parse(read, path)?,
    };
    let changes = match Wal::read(&bytes, snapshot.sequence()) {
        Ok(journal) => journal.changes,
        Err(error) => {
            faults.push(format!("{}: {error}", name(path, "log")));
            wal::salvage(&bytes).0
        }
    };
    let (sections, lost) = book(snapshot, &changes).salvage();
    faults.extend(lost.map(|lost| format!("{}: {lost}", path.display())));
    Ok(Salvaged { sections, faults, n_waiting: changes.len() })
}

/// A file that is longer or shorter than its header says has no checksums left.
fn salvage_length(
    path: &Path,
    [expected, found]: [u64; 2],
    faults: &mut Vec<String>,
) -> anyhow::Result<Snapshot> {
    if found > expected {
        return parse(Snapshot::new(expected, source(path)?.1), path);
    }
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let kept = Snapshot::salvage_cut(&bytes).with_context(|| path.display().to_string());
    let (sections, sequence) = kept?;
    faults.push(format!(
        "{}: the checksums are lost with the end: {} positions cannot be verified",
        path.display(),
        sections.len()
    ));
    Ok(Snapshot::of(sections.to_bytes(sequence))?)
}

#[derive(Debug)]
pub struct BookFile {
    path: PathBuf,
    book: Book,
    journal: File,
    /// Of the last frame.
    sequence: u64,
    /// Bytes of the book's file and of the whole frames in the journal.
    lengths: [u64; 2],
    n_unsynced: u32,
    n_cut: usize,
    _lock: Locked,
}

impl BookFile {
    /// Opens a book to write, or makes one. A frame that an earlier process did not finish is cut off.
    pub fn open(path: &Path) -> anyhow::Result<BookFile> {
        let path = &resolve(path);
        // Checked first: no files are created beside something that is not a book.
        if path.exists() {
            source(path).and_then(|(length, fetch)| parse(Snapshot::new(length, fetch), path))?;
        }
        for extension in ["lock", "log"] {
            let is_link = path.with_added_extension(extension).is_symlink();
            ensure!(!is_link, "{} is a link, and left as it is", name(path, extension));
        }
        let lock_path = name(path, "lock");
        let context = || format!("cannot open {}", path.display());
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .with_context(|| format!("cannot write {lock_path}"))?;
        let lock = Locked::wait(lock, path, PATIENCE)?;
        let bytes = read_journal(path)?;
        if let Err(error) = fs::metadata(path) {
            ensure!(error.kind() == ErrorKind::NotFound, "{}: {error}", context());
            ensure!(
                bytes.len() <= wal::MAGIC.len(),
                "{} is gone, but its journal {} is there",
                path.display(),
                name(path, "log")
            );
            write_whole(path, &Sections::default(), 0)?;
        }
        let (snapshot, length) = snapshot(path)?;
        let read = Wal::read(&bytes, snapshot.sequence())
            .with_context(|| name(path, "log"))
            .context("it is left as it is; othellier book check --salvage keeps what is sound")?;
        let mut journal = OpenOptions::new()
            .create(true)
            .append(true)
            .open(name(path, "log"))
            .with_context(context)?;
        journal.set_len(read.whole as u64).with_context(context)?;
        let mut journal_length = read.whole as u64;
        if journal_length == 0 {
            journal.write_all(wal::MAGIC).with_context(context)?;
            journal_length = wal::MAGIC.len() as u64;
        }
        Ok(BookFile {
            path: path.into(),
            book: book(snapshot, &read.changes),
            journal,
            sequence: read.sequence,
            lengths: [length, journal_length],
            n_unsynced: 0,
            n_cut: bytes.len() - read.whole,
            _lock: lock,
        })
    }

    pub fn n_cut(&self) -> usize {
        self.n_cut
    }

    pub fn book(&self) -> &Book {
        &self.book
    }

    pub fn into_book(self) -> Book {
        self.book
    }

    /// Each group of up to 4,096 counts as a whole or not at all.
    pub fn change(&mut self, changes: &[Change]) -> anyhow::Result<()> {
        if let Some(damage) = self.book.damage() {
            bail!("{}: {damage}", self.path.display());
        }
        for changes in changes.chunks(CHANGES_TO_FRAME) {
            let bytes = frame(self.sequence + 1, changes);
            if let Err(error) = self.journal.write_all(&bytes) {
                // Cut off the incomplete frame, which would stand before the next one.
                drop(self.journal.set_len(self.lengths[1]));
                bail!("cannot write {}: {error}", name(&self.path, "log"));
            }
            self.sequence += 1;
            self.lengths[1] += bytes.len() as u64;
            changes.iter().for_each(|change| self.book.apply(change));
            self.n_unsynced += 1;
            if self.n_unsynced >= FRAMES_TO_SYNC {
                self.sync()?;
            }
        }
        Ok(())
    }

    pub fn sync(&mut self) -> anyhow::Result<()> {
        self.n_unsynced = 0;
        self.journal
            .sync_data()
            .with_context(|| format!("cannot write {}", name(&self.path, "log")))
    }

    /// Whether the journal has become so long that it should be merged into the file.
    pub fn is_long(&self) -> bool {
        let [file, journal] = self.lengths;
        journal > LONG_JOURNAL && journal > file / 20
    }

    pub fn compact(&mut self) -> anyhow::Result<()> {
        let sections = self.book.sections().with_context(|| self.path.display().to_string())?;
        self.replace(&sections)
    }

    pub fn replace(&mut self, sections: &Sections) -> anyhow::Result<()> {
        let context = || format!("cannot write {}", self.path.display());
        let part = write_part(&self.path, sections, self.sequence)?;
        // Some systems replace no file that is open.
        self.book = Book::default();
        install(part, &self.path)?;
        // From here on the file contains the journal's frames, whether the journal still has them or not.
        self.journal.set_len(wal::MAGIC.len() as u64).with_context(context)?;
        let (snapshot, length) = snapshot(&self.path)?;
        self.book = Book::new(snapshot);
        self.lengths = [length, wal::MAGIC.len() as u64];
        self.n_unsynced = 0;
        Ok(())
    }
}

pub fn create(path: &Path, existing: Existing, sections: &Sections) -> anyhow::Result<()> {
    check_absent(path, existing)?;
    write_whole(path, sections, 0)
}

fn name(path: &Path, extension: &str) -> String {
    path.with_added_extension(extension).display().to_string()
}

/// Empty if there is none.
fn read_journal(path: &Path) -> anyhow::Result<Vec<u8>> {
    match fs::read(path.with_added_extension("log")) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read.with_context(|| format!("cannot read {}", name(path, "log"))),
    }
}

fn snapshot(path: &Path) -> anyhow::Result<(Snapshot, u64)> {
    let (length, fetch) = source(path)?;
    let open = if length > MAX_READ { Snapshot::new } else { Snapshot::whole };
    Ok((parse(open(length, fetch), path)?, length))
}

fn parse(read: Result<Snapshot, BookError>, path: &Path) -> anyhow::Result<Snapshot> {
    read.with_context(|| path.display().to_string())
}

fn source(path: &Path) -> anyhow::Result<(u64, Fetch)> {
    let context = || format!("cannot read {}", path.display());
    check_regular(path).with_context(context)?;
    let mut file = File::open(path).with_context(context)?;
    let length = file.metadata().with_context(context)?.len();
    let mut head = Vec::new();
    (&mut file).take(16).read_to_end(&mut head).with_context(context)?;
    check_unpacked(path, &head)?;
    let file = Mutex::new(file);
    let fetch = move |bytes: &mut [u8], at| {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(bytes)).is_ok()
    };
    Ok((length, Box::new(fetch)))
}

fn book(snapshot: Snapshot, changes: &[Change]) -> Book {
    let mut book = Book::new(snapshot);
    changes.iter().for_each(|change| book.apply(change));
    book
}

fn write_whole(path: &Path, sections: &Sections, sequence: u64) -> anyhow::Result<()> {
    install(write_part(path, sections, sequence)?, path)
}

fn write_part(path: &Path, sections: &Sections, sequence: u64) -> anyhow::Result<Part> {
    let write = || {
        let (part, file) = Part::create(path)?;
        let mut output = BufWriter::new(file);
        sections.write(sequence, |piece| output.write_all(piece))?;
        output.flush()?;
        output.get_ref().sync_all()?;
        Ok::<Part, std::io::Error>(part)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

fn install(part: Part, path: &Path) -> anyhow::Result<()> {
    part.install(path).with_context(|| format!("cannot write {}", path.display()))?;
    // Sync the folder as well, so that the new name survives a power failure. Not every system can, so errors are ignored.
    if let Ok(folder) = File::open(super::folder_of(path)) {
        drop(folder.sync_all());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::book::Entry;
    use crate::book::tests::with_leaf;
    use crate::support::folder::Folder;

    /// A path for a book of its own, and the changes that add the start and the positions after some moves.
    fn scratch(test: &str) -> (Folder, PathBuf, Vec<Change>) {
        let folder = Folder::new(test);
        let mut board = Board::START;
        let mut changes = vec![Change::Put(Entry::new(board))];
        for _ in 0..8 {
            let square = board.moves().last().unwrap();
            board = board.after(square, board.flips(square));
            changes.push(Change::Put(Entry::new(board)));
        }
        let path = folder.join("a.othb");
        (folder, path, changes)
    }

    #[test]
    fn changes_are_there_after_a_kill_at_any_step_of_a_replacement() {
        let (_folder, path, changes) = scratch("book-file");
        let mut file = BookFile::open(&path).unwrap();
        file.change(&changes[..3]).unwrap();
        file.change(&changes[3..5]).unwrap();
        drop(file);
        let n = |path: &Path| read(path).unwrap().sections().unwrap().len();
        assert_eq!(n(&path), 5);
        let journal = fs::read(path.with_added_extension("log")).unwrap();
        let before = fs::read(&path).unwrap();
        let mut file = BookFile::open(&path).unwrap();
        // Killed while the new file was written.
        std::mem::forget(write_part(&path, &Sections::default(), 99).unwrap());
        file.compact().unwrap();
        drop(file);
        assert_ne!(fs::read(&path).unwrap(), before);
        assert_eq!(n(&path), 5);
        // Killed between the new file and the end of the old journal.
        fs::write(path.with_added_extension("log"), &journal).unwrap();
        assert_eq!(n(&path), 5);
        let mut file = BookFile::open(&path).unwrap();
        assert_eq!(file.book().n_changes(), 0);
        file.change(&changes[5..]).unwrap();
        drop(file);
        assert_eq!(n(&path), 9);
        // A file refuses the journal of a later state.
        let mut file = BookFile::open(&path).unwrap();
        file.compact().unwrap();
        file.change(&changes[..1]).unwrap();
        drop(file);
        fs::write(&path, &before).unwrap();
        assert!(format!("{:#}", read(&path).unwrap_err()).contains("belongs to another file"));
        assert!(BookFile::open(&path).is_err());
        fs::remove_file(&path).unwrap();
        let gone = BookFile::open(&path).unwrap_err().to_string();
        assert!(gone.contains("is gone, but its journal"), "{gone}");
    }

    #[test]
    fn a_journal_cut_anywhere_goes_on_behind_its_last_frame() {
        let (_folder, path, changes) = scratch("book-cut");
        let mut file = BookFile::open(&path).unwrap();
        changes.iter().for_each(|change| file.change(std::slice::from_ref(change)).unwrap());
        drop(file);
        let journal = fs::read(path.with_added_extension("log")).unwrap();
        for length in (0..=journal.len()).step_by(7) {
            fs::write(path.with_added_extension("log"), &journal[..length]).unwrap();
            let n_whole = read(&path).unwrap().n_changes();
            let mut file = BookFile::open(&path).unwrap();
            assert_eq!(file.book().n_changes(), n_whole);
            file.change(&changes).unwrap();
            drop(file);
            assert_eq!(read(&path).unwrap().n_changes(), changes.len());
        }
    }

    #[test]
    fn a_book_that_is_compacted_meanwhile_has_no_faults() {
        let (_folder, path, changes) = scratch("book-compacted");
        // The values of these entries are derived only when the book is compacted.
        let with_leaf = |change: &Change| match *change {
            Change::Put(entry) => Change::Put(with_leaf(entry.board, 9)),
            other => other,
        };
        let changes: Vec<Change> = changes.iter().map(with_leaf).collect();
        let mut file = BookFile::open(&path).unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for _ in 0..30 {
                    file.change(&changes).unwrap();
                    file.compact().unwrap();
                }
            });
            while !writer.is_finished() {
                let Salvaged { sections, faults, n_waiting } = salvage(&path).unwrap();
                assert_eq!(faults, [""; 0]);
                assert!(n_waiting > 0 || sections == sections.clone().derived());
            }
        });
    }

    #[test]
    fn a_file_overwritten_in_place_is_damaged_and_ends_nobody() {
        let (_folder, path, changes) = scratch("book-in-place");
        let entries = changes.iter().filter_map(|change| match change {
            Change::Put(entry) => Some(*entry),
            _ => None,
        });
        let mut sections = Sections::new(entries);
        sections.fingerprints = (0..MAX_READ / 8).collect();
        for contents in [&b"short"[..], &vec![7; MAX_READ as usize + 9000]] {
            drop(fs::remove_file(&path));
            write_whole(&path, &sections, 0).unwrap();
            let book = open(&path).unwrap();
            assert!(book.find(Board::START).is_some() && book.has_game(17));
            fs::write(&path, contents).unwrap();
            // Blocks that have been read stay valid; others fail their checksums.
            assert!(book.find(Board::START).is_some() && book.has_game(17));
            assert_eq!(book.damage(), None);
            assert!(!book.has_game(MAX_READ / 16 + 40_000));
            assert!(matches!(book.damage(), Some(BookError::Blocks(1.., _))));
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_book_behind_links_stays_there() {
        let (folder, path, changes) = scratch("book-links");
        fs::create_dir(folder.join("far")).unwrap();
        std::os::unix::fs::symlink("far/b.othb", &path).unwrap();
        let link = folder.join("link.othb");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut file = BookFile::open(&link).unwrap();
        file.change(&changes).unwrap();
        file.compact().unwrap();
        file.change(&changes[..1]).unwrap();
        let refused = BookFile::open(&folder.join("far/b.othb")).unwrap_err();
        assert!(refused.is::<Taken>(), "{refused}");
        drop(file);
        for path in [&link, &path, &folder.join("far/b.othb")] {
            assert_eq!(read(path).unwrap().n_changes(), 1);
            assert_eq!(read(path).unwrap().len(), changes.len());
        }
        assert!(link.is_symlink() && path.is_symlink());
        assert!(
            !link.with_added_extension("log").exists()
                && !path.with_added_extension("lock").exists()
        );
    }
}

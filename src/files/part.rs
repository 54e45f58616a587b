//! Unfinished files: nobody else's, not reached through links, and gone when a signal ends the program.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::lock::Locked;
use super::replace::rename;

/// Names for the unfinished files of one file: of so many processes that write it at a time.
const N_NAMES: usize = 10;

/// What a signal finds: signals, too, are of the whole process.
struct AtSignal {
    parts: Vec<PathBuf>,
    /// Called instead of ending the program.
    call: Option<Box<dyn FnMut() + Send>>,
    listens: bool,
}

static AT_SIGNAL: Mutex<AtSignal> =
    Mutex::new(AtSignal { parts: Vec::new(), call: None, listens: false });

fn at_signal() -> MutexGuard<'static, AtSignal> {
    AT_SIGNAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls this at each Ctrl-C and termination signal, in a thread of its own, instead of ending the program.
pub fn on_signal(call: impl FnMut() + Send + 'static) -> Result<(), ctrlc::Error> {
    let mut at_signal = at_signal();
    at_signal.call = Some(Box::new(call));
    if !at_signal.listens {
        ctrlc::set_handler(signalled)?;
        at_signal.listens = true;
    }
    Ok(())
}

fn signalled() {
    // Not locked during the call.
    let call = at_signal().call.take();
    let Some(mut call) = call else { end(130) };
    call();
    at_signal().call = Some(call);
}

/// Ends the program with this status, without the files that are unfinished.
pub fn end(status: i32) -> ! {
    // Locked to the end: no new ones come.
    let at_signal = at_signal();
    at_signal.parts.iter().for_each(|part| drop(fs::remove_file(part)));
    std::process::exit(status)
}

/// An unfinished file; dropping it removes the file.
#[derive(Debug)]
pub(super) struct Part {
    path: PathBuf,
    /// Tells other processes that it is no old one.
    file: Locked,
}

impl Part {
    /// Makes an unfinished file beside `path`, and removes those of processes that are gone.
    pub fn create(path: &Path) -> io::Result<(Part, File)> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let names = (0..N_NAMES).map(|number| match number {
            0 => path.with_file_name(format!(".{name}.part")),
            _ => path.with_file_name(format!(".{name}.{number}.part")),
        });
        let names: Vec<PathBuf> = names.collect();
        names.iter().for_each(|part| remove_old(part));
        let part = Part::first(&names)?;
        let file = part.file.try_clone()?;
        Ok((part, file))
    }

    fn first(names: &[PathBuf]) -> io::Result<Part> {
        // A signal waits until the file is in the list.
        let mut at_signal = at_signal();
        // Signals that somebody has set to be ignored, as nohup does, stay so.
        at_signal.listens = at_signal.listens || ctrlc::try_set_handler(signalled).is_ok();
        let mut taken = io::ErrorKind::AlreadyExists.into();
        for path in names {
            let file = match OpenOptions::new().write(true).create_new(true).open(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    taken = error;
                    continue;
                }
                opened => opened?,
            };
            // Another process may have taken it for an old one meanwhile.
            if let Ok(file) = Locked::try_new(file, path)
                && fs::symlink_metadata(path).is_ok()
            {
                at_signal.parts.push(path.clone());
                return Ok(Part { path: path.clone(), file });
            }
        }
        Err(taken)
    }

    /// Gives the finished file its name.
    pub fn install(self, path: &Path) -> io::Result<()> {
        rename(&self.path, path)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // An installed one is no longer there.
        drop(fs::remove_file(&self.path));
        at_signal().parts.retain(|part| *part != self.path);
    }
}

/// Removes an unfinished file that nobody writes any more.
fn remove_old(path: &Path) {
    let is_file = fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    let open = || OpenOptions::new().write(true).open(path);
    if is_file && open().is_ok_and(|file| file.try_lock().is_ok() && fs::remove_file(path).is_ok())
    {
        log::info!("removed {}, which an earlier process left unfinished", path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::folder::Folder;

    #[test]
    fn old_parts_are_removed_and_those_of_others_are_not() {
        let folder = Folder::new("part");
        let path = folder.join("file");
        folder.write(".file.part", "old");
        folder.write(".file.2.part", "old");
        fs::create_dir(folder.join(".file.1.part")).unwrap();
        let (first, _) = Part::create(&path).unwrap();
        let (second, _) = Part::create(&path).unwrap();
        let names = [".file.part", ".file.2.part"].map(|name| folder.join(name));
        assert_eq!([&first.path, &second.path], [&names[0], &names[1]]);
        second.install(&path).unwrap();
        drop(first);
        // The file and the folder.
        assert_eq!(fs::read_dir(&*folder).unwrap().count(), 2);
        let _others: Vec<Part> = (1..N_NAMES).map(|_| Part::create(&path).unwrap().0).collect();
        assert_eq!(Part::create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }
}

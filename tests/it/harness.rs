//! Running programs in tests: always on plain pipes, with time limits that only a hang exceeds.

// Programs that are talked with.
pub mod engine;
// Folders for the files of a test.
pub mod folder;
// The lines of the documents.
pub mod markdown;
// Programs that run to their end.
pub mod program;
// Positions and games that several tests give to the program.
pub mod samples;
// Sessions in text form, for the document and for whole dialogues.
pub mod session;

pub use engine::Engine;
pub use folder::Folder;
#[cfg(unix)]
pub use program::wait;
pub use program::{
    OTHELLIER, Output, PATIENCE, fake_engine, has, output, piped, program, run, run_unread, shared,
    wait_until, words,
};
#[cfg(target_os = "linux")]
pub use program::{program_with_signals, send};

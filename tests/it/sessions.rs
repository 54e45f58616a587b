//! Whole dialogues as the front ends and match tools lead them, one in each file of `tests/sessions`.

use std::path::Path;

use super::session_runner::{Session, run_all};

/// The sessions of a protocol, in the order of their names.
pub fn sessions(protocol: &str) -> Vec<Session> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions").join(protocol);
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "session"));
    files.sort();
    let read = |file: &Path| {
        let name = file.file_name().unwrap().to_string_lossy();
        let text = std::fs::read_to_string(file).unwrap();
        Session::parse(&format!("tests/sessions/{protocol}/{name}"), protocol, &text, 1)
    };
    let sessions: Vec<_> = files.iter().map(|file| read(file)).collect();
    assert!(!sessions.is_empty());
    sessions
}

#[test]
fn gtp() {
    run_all(&sessions("gtp"));
}

#[test]
fn nboard() {
    run_all(&sessions("nboard"));
}

#[test]
fn cassio() {
    run_all(&sessions("cassio"));
}

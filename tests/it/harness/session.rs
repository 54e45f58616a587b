//! Dialogues with the engine in text form, for the examples of `protocol.md` and the files of `tests/sessions`. The notation is that
//! of the protocol cases (`src/compliance/cases/README.md`), where every byte counts: further output, any error output and an
//! exit status other than 0 are failures.

use std::path::Path;
use std::time::{Duration, Instant};

use othellier::compliance::converse;
use othellier::protocol::Kind;

use super::program::OTHELLIER;

/// How long a line is waited for: longer than a busy machine takes. `OTHELLIER_PATIENCE` sets other seconds.
fn patience() -> Duration {
    let seconds = std::env::var("OTHELLIER_PATIENCE").map_or(60, |text| text.parse().unwrap());
    Duration::from_secs(seconds)
}

/// A dialogue.
pub struct Session {
    /// Where it is written, for messages: the file, and the line before its first one.
    pub name: String,
    pub line: usize,
    pub protocol: String,
    pub options: Vec<String>,
    pub text: String,
}

impl Session {
    /// Holds the dialogue, with more options of the command line.
    ///
    /// # Errors
    /// The line that failed and what came instead.
    pub fn run(&self, options: &[&str]) -> Result<(), String> {
        let words = [OTHELLIER, &self.protocol].into_iter().map(str::to_owned);
        let options = options.iter().map(|&option| option.to_owned());
        let command: Vec<String> = words.chain(self.options.clone()).chain(options).collect();
        let kind: Kind = self.protocol.parse().unwrap();
        let text = "\n".repeat(self.line) + &self.text;
        let outcome = converse(&command, kind, &text, patience());
        outcome.map_err(|error| format!("{}:{error:#}", self.name))
    }
}

/// Holds dialogues one after the other, up to the first in which the engine hangs.
///
/// # Panics
/// With all failures, if there are any.
pub fn run_all(sessions: &[Session]) {
    let mut failures = Vec::new();
    for session in sessions {
        let begin = Instant::now();
        failures.extend(session.run(&[]).err());
        if !failures.is_empty() && begin.elapsed() >= patience() {
            break;
        }
    }
    let (n_failures, n_sessions) = (failures.len(), sessions.len());
    assert!(n_failures == 0, "{n_failures} of {n_sessions} failed\n\n{}", failures.join("\n"));
}

/// The sessions of a protocol in `tests/sessions`, in the order of their names.
pub fn sessions(protocol: &str) -> Vec<Session> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions").join(protocol);
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "session"));
    files.sort();
    assert!(!files.is_empty());
    let read = |file: &std::path::PathBuf| Session {
        name: file.display().to_string(),
        line: 0,
        protocol: protocol.to_owned(),
        // The sessions expect searches, whatever the embedded book knows.
        options: vec!["--no-book".to_owned()],
        text: std::fs::read_to_string(file).unwrap(),
    };
    files.iter().map(read).collect()
}

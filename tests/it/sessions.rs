//! Whole dialogues of front ends and match tools, one in each file of `tests/sessions`.

use crate::harness::session::{run_all, sessions};

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

#[test]
fn edax() {
    run_all(&sessions("edax"));
}

/// A busy machine may take any time, so no session and no example of `protocol.md` expects a number of seconds.
#[test]
fn no_session_expects_a_time() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("protocol.md")];
    for protocol in ["gtp", "nboard", "cassio", "edax"] {
        let folder = std::fs::read_dir(root.join("tests/sessions").join(protocol)).unwrap();
        files.extend(folder.map(|entry| entry.unwrap().path()));
    }
    let names_a_time = |line: &&str| {
        let time = line.rsplit([' ', '/']).next().unwrap_or_default();
        let has_time = ["< === ", "< nodestats "].iter().any(|start| line.starts_with(start))
            || line.contains(", time ");
        has_time && time.contains("...") && time.starts_with(|c: char| c.is_ascii_digit())
    };
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().find(names_a_time), None, "{}", path.display());
    }
}

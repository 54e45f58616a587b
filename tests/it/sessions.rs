//! Whole dialogues as the front ends and match tools lead them, one in each file of `tests/sessions`.

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

/// Nobody knows how long a busy machine takes: no session expects seconds that begin with a digit.
#[test]
fn no_session_expects_a_time() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sessions");
    for protocol in ["gtp", "nboard", "cassio"] {
        for entry in std::fs::read_dir(format!("{folder}/{protocol}")).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let names_a_time = |line: &&str| {
                let time = line.rsplit([' ', '/']).next().unwrap_or_default();
                let follows = line.contains(", time ") || line.starts_with("< === ");
                follows && time.contains("...") && time.starts_with(|c: char| c.is_ascii_digit())
            };
            let found = text.lines().find(names_a_time);
            assert_eq!(found, None, "{}", path.display());
        }
    }
}

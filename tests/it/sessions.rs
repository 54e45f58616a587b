//! Whole dialogues of front ends and match tools, one in each file of `tests/sessions`.

use crate::harness::session::{Session, run_all, sessions};

fn all() -> Vec<Session> {
    ["gtp", "nboard", "cassio", "edax", "xboard"].into_iter().flat_map(sessions).collect()
}

#[test]
fn dialogues_go_as_written() {
    run_all(&all());
}

/// A busy machine may take any time, so no session and no example of `protocol.md` expects a number of seconds.
#[test]
fn no_session_expects_a_time() {
    let texts = all().into_iter().map(|session| (session.name, session.text));
    let document = ("protocol.md".into(), include_str!("../../protocol.md").into());
    let names_a_time = |line: &&str| {
        let time = line.rsplit([' ', '/']).next().unwrap_or_default();
        let has_time = ["< === ", "< nodestats "].iter().any(|start| line.starts_with(start))
            || line.contains(", time ");
        has_time && time.contains("...") && time.starts_with(|c: char| c.is_ascii_digit())
    };
    for (name, text) in texts.chain([document]) {
        assert_eq!(text.lines().find(names_a_time), None, "{name}");
    }
}

//! Files: documented at their head, short, named after their modules.

use std::path::Path;

use super::sources::{Source, sources};
use super::{Breach, check};

const LONGEST_FILE: usize = 600;

/// Every file begins with its documentation, is short, and is not called `mod.rs`.
fn form(source: &Source) -> Vec<Breach> {
    let mut breaches = Vec::new();
    if !source.lines.first().is_some_and(|line| line.starts_with("//!")) {
        breaches.push(Breach::new(1, "does not begin with a module documentation (//!)"));
    }
    let n_lines = source.lines.len();
    if n_lines > LONGEST_FILE {
        breaches.push(Breach::new(n_lines, format!("{n_lines} lines, over {LONGEST_FILE}")));
    }
    if source.path.ends_with("/mod.rs") {
        breaches.push(Breach::new(1, "named mod.rs instead of after its module"));
    }
    breaches
}

#[test]
fn files_are_documented_and_short() {
    check(&sources("src"), form);
    check(&sources("tests"), form);
    let build_script = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    assert!(!build_script.exists(), "there is a build.rs");
}

#[test]
fn bad_forms_are_found() {
    let n_breaches = |path: &str, text: &str| form(&Source::parse(path, text)).len();
    assert_eq!(n_breaches("src/a.rs", "// A\n"), 1);
    assert_eq!(n_breaches("src/a/mod.rs", "//! A\n"), 1);
    let long = "//! A\n".repeat(LONGEST_FILE + 1);
    assert_eq!(n_breaches("src/a.rs", &long), 1);
    assert_eq!(n_breaches("src/a.rs", &long[6..]), 0);
}

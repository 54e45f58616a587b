//! The invariants of the architecture, checked on the sources themselves, as far as no lint does it (see `clippy.toml`).
//!
//! Each rule is a function from sources to breaches, so that it can be tried on a bad example as well: a checker that finds
//! nothing because it is broken would be worse than none.

mod form;
mod layers;
mod places;
mod sources;

use sources::Source;

/// A place where an invariant does not hold.
#[derive(Debug)]
struct Breach {
    /// From 1.
    line: usize,
    message: String,
}

impl Breach {
    fn new(line: usize, message: impl Into<String>) -> Breach {
        Breach { line, message: message.into() }
    }
}

/// Fails with a line for each breach of a rule.
fn check(sources: &[Source], rule: impl Fn(&Source) -> Vec<Breach>) {
    let of_source = |source| {
        let breaches: Vec<Breach> = rule(source);
        breaches
            .into_iter()
            .map(|Breach { line, message }| format!("{}:{line}: {message}", source.path))
    };
    let breaches: Vec<String> = sources.iter().flat_map(of_source).collect();
    assert!(breaches.is_empty(), "{} breaches:\n{}", breaches.len(), breaches.join("\n"));
}

/// Expects breaches on the lines that say so in a comment, and on no other.
fn expect_marked(rule: impl Fn(&Source) -> Vec<Breach>, path: &str, text: &str) {
    let breaches = rule(&Source::parse(path, text));
    let mut found: Vec<usize> = breaches.iter().map(|breach| breach.line).collect();
    found.sort_unstable();
    let marked = text.lines().enumerate().filter(|(_, line)| line.ends_with("// bad"));
    let expected: Vec<usize> = marked.map(|(index, _)| index + 1).collect();
    assert_eq!(found, expected, "{path}: {breaches:?}");
    assert!(!expected.is_empty(), "nothing to be found in {path}");
}

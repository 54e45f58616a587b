//! The invariants of the architecture that no lint can check (see `clippy.toml`), checked on the sources.
//!
//! Each rule is a function from sources to breaches and has a test on a bad example, so that a broken rule cannot pass unnoticed.

mod form;
mod layers;
mod places;
mod sources;

use sources::Source;

/// A place that breaks a rule.
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

/// Expects breaches on exactly the lines that end with `// bad`.
fn expect_marked(rule: impl Fn(&Source) -> Vec<Breach>, path: &str, text: &str) {
    let breaches = rule(&Source::parse(path, text));
    let mut found: Vec<usize> = breaches.iter().map(|breach| breach.line).collect();
    found.sort_unstable();
    let marked = text.lines().enumerate().filter(|(_, line)| line.ends_with("// bad"));
    let expected: Vec<usize> = marked.map(|(index, _)| index + 1).collect();
    assert_eq!(found, expected, "{path}: {breaches:?}");
    assert!(!expected.is_empty(), "nothing to be found in {path}");
}

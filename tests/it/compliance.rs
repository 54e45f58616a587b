//! The numbered protocol cases against our own binary: every one of them must pass.

use othellier::compliance::{Protocol, Verdict, run};

/// Runs all cases of a protocol, one after the other because many of them measure times, and fails with a list of those that
/// did not pass.
#[track_caller]
fn all_cases_pass(protocol: Protocol, count: usize) {
    let command = [env!("CARGO_BIN_EXE_othellier"), protocol.name()].map(str::to_owned);
    let mut others = Vec::new();
    let summary = run(&command, protocol, &mut |result| {
        if result.verdict != Verdict::Passed {
            let took = result.measured.map_or(String::new(), |time| format!(" ({time:.3?})"));
            others.push(format!("{result:#} [{}]{took}", result.title));
        }
    })
    .expect("the binary starts");
    assert!(others.is_empty(), "{summary}\n{}", others.join("\n"));
    assert_eq!((summary.passed, summary.total()), (count, count));
}

#[test]
fn gtp_cases() {
    all_cases_pass(Protocol::Gtp, 56);
}

#[test]
fn nboard_cases() {
    all_cases_pass(Protocol::Nboard, 34);
}

#[test]
fn cassio_cases() {
    all_cases_pass(Protocol::Cassio, 12);
}

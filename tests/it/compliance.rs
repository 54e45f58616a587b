//! The numbered protocol cases against our own binary: every one of them must pass.

use othellier::compliance::{Verdict, run, run_case};
use othellier::protocol::Kind;

use crate::harness::OTHELLIER;

/// Runs all cases of a protocol, one after the other because many of them measure times, and fails with a list of those that
/// did not pass. What a busy machine has made too late gets a second and a third try.
#[track_caller]
fn all_cases_pass(protocol: Kind, count: usize) {
    let command = [OTHELLIER.to_owned(), protocol.to_string()];
    let mut failures = Vec::new();
    let summary = run(&command, protocol, &mut |result| {
        let mut result = result.clone();
        let mut tries = 1;
        while result.verdict != Verdict::Passed && tries < 3 {
            result = run_case(&command, protocol, result.number).expect("the binary starts");
            tries += 1;
        }
        if result.verdict != Verdict::Passed {
            let took = result.measured.map_or(String::new(), |time| format!(" ({time:.3?})"));
            failures.push(format!("{result:#} [{}]{took}", result.title));
        }
    })
    .expect("the binary starts");
    assert!(failures.is_empty(), "{summary}\n{}", failures.join("\n"));
    assert_eq!(summary.total(), count);
}

#[test]
#[ignore = "long: measures times"]
fn gtp_cases() {
    all_cases_pass(Kind::Gtp, 56);
}

#[test]
#[ignore = "long: measures times"]
fn nboard_cases() {
    all_cases_pass(Kind::Nboard, 34);
}

#[test]
#[ignore = "long: measures times"]
fn cassio_cases() {
    all_cases_pass(Kind::Cassio, 12);
}

//! The numbered protocol cases against our own binary: all must pass.

use std::collections::BTreeSet;

use crate::harness::{OTHELLIER, run};

/// Runs all cases of a protocol, one after the other because many measure times, and fails with a list of those that did not
/// pass. Cases that failed because a busy machine was late get a second and a third try.
#[track_caller]
fn all_cases_pass(protocol: &str, count: usize) {
    let first = verdicts(protocol, &[]);
    let numbers: BTreeSet<&str> = first.iter().map(|(number, _)| number.as_str()).collect();
    assert_eq!((first.len(), numbers.len()), (count, count));
    let mut failures = failed(first);
    for _ in 0..2 {
        if !failures.is_empty() {
            let cases: Vec<&str> = failures.iter().map(|(number, _)| number.as_str()).collect();
            failures = failed(verdicts(protocol, &cases));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Cases with the program's lines about them.
type Verdicts = Vec<(String, String)>;

/// Runs these cases, or all if there are none.
#[track_caller]
fn verdicts(protocol: &str, cases: &[&str]) -> Verdicts {
    let mut arguments = vec!["compliance", "--json", "--proto", protocol];
    arguments.extend(cases.iter().flat_map(|case| ["--case", case]));
    arguments.extend(["--", OTHELLIER, protocol]);
    let output = run(&arguments, "");
    let mut rows: Vec<&str> = output.stdout.lines().collect();
    assert!(rows.pop().is_some_and(|summary| summary.contains("\"not_offered\":")), "{output:?}");
    let number = |row: &str| {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        row["case"].as_str().unwrap().to_owned()
    };
    rows.into_iter().map(|row| (number(row), row.to_owned())).collect()
}

fn failed(verdicts: Verdicts) -> Verdicts {
    verdicts.into_iter().filter(|(_, row)| !row.contains("\"verdict\":\"passed\"")).collect()
}

#[test]
#[ignore = "long: measures times"]
fn gtp_cases() {
    all_cases_pass("gtp", 56);
}

#[test]
#[ignore = "long: measures times"]
fn nboard_cases() {
    all_cases_pass("nboard", 34);
}

#[test]
#[ignore = "long: measures times"]
fn cassio_cases() {
    all_cases_pass("cassio", 12);
}

//! Tells the program which commit it is made of: `OTHELLIER_COMMIT` if it is set, else that of the clone, else that of the package.

#![expect(clippy::disallowed_types, reason = "it asks git")]

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=OTHELLIER_COMMIT");
    // Each commit would make a debug build begin anew.
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = env::var("OTHELLIER_COMMIT").ok();
    let commit = commit.or_else(|| if is_release { of_clone().or_else(of_package) } else { None });
    println!("cargo::rustc-env=OTHELLIER_COMMIT={}", commit.as_deref().unwrap_or("not recorded"));
}

fn of_clone() -> Option<String> {
    // Not that of another project, in whose clone this is a folder.
    git(&["--show-prefix"]).filter(String::is_empty)?;
    println!("cargo::rerun-if-changed={}", git(&["--git-path", "logs/HEAD"])?);
    git(&["--short=10", "HEAD"])
}

fn git(what: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("rev-parse").args(what).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// As `cargo package` writes it.
fn of_package() -> Option<String> {
    const FILE: &str = ".cargo_vcs_info.json";
    let text = std::fs::read_to_string(FILE).ok()?;
    // A file that is not there counts as changed, in every build.
    println!("cargo::rerun-if-changed={FILE}");
    let (_, after) = text.split_once("\"sha1\": \"")?;
    after.get(..10).map(str::to_owned)
}

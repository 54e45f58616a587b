//! The launcher of packages, with scripts as builds. Needs the feature `launcher`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use othellier::cpu::LEVELS;

use crate::harness::{Folder, output, piped};

/// A package's folders with the launcher in `bin`.
struct Package(Folder);

impl Package {
    fn new(name: &str) -> Package {
        let root = Folder::new(&format!("launcher-{name}"));
        fs::create_dir_all(root.join("bin")).unwrap();
        fs::create_dir_all(root.join("lib/othellier")).unwrap();
        let launcher = env!("CARGO_BIN_EXE_othellier-launcher");
        shell(&format!("cp '{launcher}' bin/othellier"), &root);
        Package(root)
    }

    /// A build that prints its name, its arguments and its input, and exits with status 3.
    fn add(&self, folder: &str, level: &str) {
        let lines = format!("'#!/bin/sh' 'echo {level} \"$@\"' cat 'exit 3'");
        let path = format!("{folder}/othellier-{level}");
        shell(&format!("printf '%s\\n' {lines} >{path} && chmod 755 {path}"), &self.0);
    }

    /// Standard output, error output and status.
    fn run(&self, program: &Path) -> (String, String, Option<i32>) {
        self.0.write("input", "a line\n");
        let mut command = piped(Command::new(program));
        command.args(["one", "two 2"]).stdin(fs::File::open(self.0.join("input")).unwrap());
        let output = output(command, b"");
        (output.stdout, output.stderr, output.status)
    }
}

/// Writes a program from another process: if this process had it open for writing while another test starts something, it could
/// not be run.
fn shell(script: &str, folder: &Path) {
    let status = Command::new("sh").args(["-c", script]).current_dir(folder).status().unwrap();
    assert!(status.success(), "{script}");
}

#[test]
fn the_best_build_that_is_there_and_runs_is_started() {
    let package = Package::new("best");
    let program = package.0.join("bin/othellier");
    let (output, error, status) = package.run(&program);
    assert_eq!((output.as_str(), status), ("", Some(1)));
    assert!(error.contains("no build of othellier found beside it"), "{error}");
    let link = package.0.join("link");
    symlink(&program, &link).unwrap();
    // Add builds from the lowest level up, in both places.
    for (level, folder) in LEVELS.iter().zip(["lib/othellier", "bin", "lib/othellier"]) {
        package.add(folder, level.name);
        let able = LEVELS.iter().take_while(|level| level.missing().is_empty());
        let added = LEVELS.iter().position(|other| other.name == level.name).unwrap();
        let Some(best) = able.take(added + 1).last() else { continue };
        for program in [&program, &link] {
            let expected = (format!("{} one two 2\na line\n", best.name), String::new(), Some(3));
            assert_eq!(package.run(program), expected);
        }
    }
}

//! Every command line printed in the documents and the help runs as it stands. Stand-ins replace the reader's files.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use crate::harness::markdown::{documents, prose};
use crate::harness::samples::START;
use crate::harness::{Folder, OTHELLIER, output, piped, run};

/// A command that still runs after so many seconds began without an error, and is ended.
const SECONDS: &str = "4";

/// The exit status of `timeout` for a command that it has ended.
const STILL_RUNS: i32 = 124;

/// The command that a line begins with, without a remark behind it.
fn command(line: &str) -> Option<String> {
    let line = line.trim();
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let line = line.split("    ").next()?.trim();
    let is_one = |line: &str| line == "othellier" || line.starts_with("othellier ");
    let is_piped = line.starts_with("printf ") && line.split("| ").skip(1).any(is_one);
    // A synopsis has brackets and names of arguments in capitals.
    let is_synopsis = line.contains(['[', '<']) && !line.contains("< ")
        || line.contains("...")
        || line.contains("COMMAND")
        || line.contains("FILE")
        || line
            .split(' ')
            .any(|word| word.len() > 2 && word.bytes().all(|b| b.is_ascii_uppercase()));
    ((is_one(line) || is_piped) && !is_synopsis).then(|| line.to_owned())
}

/// The commands of indented lines; a backslash at the end of a line joins the next to it.
fn of_lines(text: &str, commands: &mut BTreeSet<String>) {
    let mut joined = String::new();
    for line in text.lines() {
        if joined.is_empty() && !line.starts_with("  ") {
            continue;
        }
        let line = line.trim();
        match line.strip_suffix('\\') {
            Some(part) => joined += part,
            None => {
                joined += line;
                commands.extend(command(&joined));
                joined.clear();
            }
        }
    }
}

/// All command lines that are printed.
fn printed() -> BTreeSet<String> {
    let mut commands = BTreeSet::new();
    for (_, text) in documents(&["README.md", "protocol.md"]) {
        of_lines(&text, &mut commands);
        let spans = prose(&text).flat_map(|line| line.split('`').skip(1).step_by(2));
        // In a sentence `othellier book compact` is a name.
        let is_name = |line: &String| {
            line.split(' ').all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()))
        };
        commands.extend(spans.filter_map(command).filter(|line| !is_name(line)));
    }
    let mut waiting = vec![Vec::new()];
    while let Some(path) = waiting.pop() {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = run(&arguments, "").success().stdout;
        if let Some((_, examples)) = help.split_once("Examples:") {
            of_lines(examples, &mut commands);
        }
        // Rows of commands are indented by two blanks, their texts by more.
        let rows = help.split("Options:").next().unwrap_or_default().lines();
        let rows = rows.filter_map(|row| row.strip_prefix("  "));
        for name in rows.filter_map(|row| row.trim_start_matches("othellier ").split(' ').next()) {
            if path.len() < 2 && !name.is_empty() && name != "help" && !name.starts_with(['<', '['])
            {
                waiting.push([path.clone(), vec![name.to_owned()]].concat());
            }
        }
    }
    commands
}

/// The file or folder that a command makes anew.
fn output_of(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split(' ').collect();
    let place =
        words.iter().position(|word| matches!(*word, "--out" | "-o" | "--obf" | "export"))?;
    words.get(place + if words[place] == "export" { 2 } else { 1 }).copied()
}

/// A folder with the files that the commands name.
fn stand_ins() -> Folder {
    let folder = Folder::new("printed");
    let weights = concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluation/weights.bin");
    let game = "f5d6c3d3c4f4f6f3e6e7\n";
    folder.write("moves.txt", game.repeat(2400));
    folder.write("positions.txt", format!("{START}\n"));
    folder.write("openings.txt", "f5d6\nf5f4\n");
    folder.write("mistakes.obf", format!("{START}; D3:+0; C4:-1;\n"));
    folder.write(
        "fforum-40-59.obf",
        "-XXXXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOOXXXXOOOOOXXXOOOOOOX-OOOOOOO- X;\n",
    );
    folder.write("make", format!(
        "set -e\n\
        mkdir bin home home/.zfunc\n\
        mkdir -p home/.local/share/man/man1 home/.local/share/bash-completion/completions home/.config/fish/completions\n\
        ln -s '{OTHELLIER}' bin/othellier; printf '#!/bin/sh\\n' > bin/man\n\
        printf '#!/bin/sh\\nexec othellier gtp --level 1\\n' > bin/gtp-rhino\n\
        chmod +x bin/man bin/gtp-rhino\n\
        export PATH=\"$PWD/bin:$PATH\"\n\
        for year in 2024 2025; do othellier convert moves.txt WTH_$year.wtb; done\n\
        head -n 2 moves.txt > few.txt\n\
        othellier convert few.txt games.ggf; othellier convert few.txt game.ggf; othellier convert few.txt game.sgf\n\
        othellier book add my.othb few.txt; othellier book export my.othb book.dat\n\
        othellier selfplay --output games.bin --positions 500 --depth 1 --exact 4\n\
        cp games.bin games-1.bin\n\
        cp '{weights}' new.wts; cp '{weights}' generation-0.bin\n\
        meet() {{ othellier match --player random --player greedy --games 6 --out \"$@\"; }}\n\
        meet results\n\
        for part in 1 2; do meet results-$part --shard $part/2; done\n\
        for part in 1 2 3; do meet shard-$part --shard $part/3; done\n\
        othellier analyze --batch few.txt --depth 1 --shard 1/2 > 1.jsonl\n\
        othellier analyze --batch few.txt --depth 1 --shard 2/2 > 2.jsonl\n\
        printf 'genmove black\\n' | othellier gtp --level 1 --log-file game.log\n"));
    let mut make = piped(Command::new("sh"));
    make.arg("make").current_dir(&*folder);
    let made = output(make, b"");
    assert_eq!(made.status, Some(0), "{made:?}");
    folder
}

#[test]
fn every_printed_command_runs() {
    let commands = printed();
    assert!(commands.len() >= 50, "{commands:#?}");
    let model = stand_ins();
    let queue = Mutex::new(commands.into_iter());
    let failures = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some(line) = queue.lock().unwrap().next() else { break };
            let folder = Folder::new("printed-run");
            let mut copy = Command::new("cp");
            assert!(copy.arg("-R").arg(model.join(".")).arg(&*folder).status().unwrap().success());
            if let Some(written) = output_of(&line) {
                drop(fs::remove_file(folder.join(written)));
                drop(fs::remove_dir_all(folder.join(written)));
            }
            let path = format!("{}:{}", folder.file("bin"), std::env::var("PATH").unwrap());
            let mut timeout = piped(Command::new("timeout"));
            timeout.args(["-k", "60", SECONDS, "sh", "-c", &line]).current_dir(&*folder);
            let input = fs::File::open(folder.join("positions.txt")).unwrap();
            timeout.env("PATH", path).env("HOME", folder.join("home")).stdin(input);
            let ended = output(timeout, b"");
            if !matches!(ended.status, Some(0 | STILL_RUNS)) {
                failures.lock().unwrap().push(format!("{line}\n{ended:?}"));
            }
        }
    };
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

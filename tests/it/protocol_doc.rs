//! `protocol.md` against the program: it describes the commands of the code, and its examples run.

use othellier::protocol::{cassio, gtp, nboard};

use crate::harness::markdown::{self, documents};
use crate::harness::run;
use crate::harness::session::{Session, run_all};

const DOCUMENT: &str = include_str!("../../protocol.md");

/// The most characters of a line.
const WIDTH: usize = 120;

/// The examples with their protocols.
fn examples() -> Vec<Session> {
    let mut examples: Vec<Session> = Vec::new();
    let mut last = 0;
    for (number, block, line) in markdown::lines(DOCUMENT) {
        let Some(protocol) = block.and_then(|words| words.strip_prefix("session ")) else {
            continue;
        };
        if number != last + 1 {
            let (name, protocol) = ("protocol.md".into(), protocol.into());
            let (options, text) = (Vec::new(), String::new());
            examples.push(Session { name, line: number - 1, protocol, options, text });
        }
        last = number;
        if let Some(example) = examples.last_mut() {
            example.text += &format!("{line}\n");
        }
    }
    examples
}

/// The output for an input that is written at once.
fn output(protocol: &str, input: &str) -> String {
    run(&[protocol, "--level", "1"], input).success().stdout
}

#[test]
fn every_command_has_one_heading_and_every_heading_a_command() {
    let named = |protocol: &str, names: &[&str]| -> Vec<String> {
        names.iter().map(|name| format!("{protocol}: {name}")).collect()
    };
    let commands = [
        named("nboard", &nboard::COMMANDS),
        named("gtp", &gtp::names().collect::<Vec<_>>()),
        named("cassio", &cassio::COMMANDS),
    ]
    .concat();
    let headings: Vec<_> = DOCUMENT.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    for command in &commands {
        let n_headings = headings.iter().filter(|heading| *heading == command).count();
        assert_eq!(n_headings, 1, "headings of {command}");
        let (protocol, name) = command.split_once(": ").unwrap();
        let section =
            |part: &&str| part.to_lowercase().starts_with(&format!("{protocol}: commands"));
        let table = DOCUMENT.split("\n## ").find(section).unwrap();
        let cells = table.lines().filter_map(|row| row.strip_prefix("| ")?.split(" | ").next());
        let n_rows = cells
            .flat_map(|cell| cell.split('`').skip(1).step_by(2))
            .filter(|span| *span == name || span.starts_with(&format!("{name} ")))
            .count();
        assert_eq!(n_rows, 1, "rows of {command} in its table of commands");
    }
    for heading in headings {
        assert!(commands.iter().any(|command| command == heading), "no such command: {heading}");
    }
}

#[test]
fn every_gtp_command_of_the_list_is_known_to_the_program() {
    let names: Vec<_> = gtp::names().collect();
    // Lists first: no later reply begins with their ids. `quit` ends the input, so it is last.
    let mut input = format!("1001 list_commands\n1002 known_command {}\n", names[0]);
    let but_quit = || names.iter().zip(1..).filter(|(name, _)| **name != "quit");
    for (name, id) in but_quit() {
        input += &format!("{id} {name}\n{} known_command {name}\n", id + 2000);
    }
    input += "1003 quit\n";
    let output = output("gtp", &input);
    let replies: Vec<_> = output.split("\n\n").collect();
    let reply = |id: usize| {
        let is_reply = |reply: &&&str| {
            let digits = reply.trim_start_matches(['=', '?']).split([' ', '\n']).next();
            digits == Some(id.to_string().as_str())
        };
        *replies.iter().find(is_reply).unwrap_or_else(|| panic!("no reply {id} in {output}"))
    };
    assert_eq!(reply(1001), format!("=1001 {}", names.join("\n")));
    assert_eq!(reply(1003), "=1003 ");
    for (name, id) in but_quit() {
        assert!(!reply(id).contains("unknown command"), "{name}");
        assert_eq!(reply(id + 2000), format!("={} true", id + 2000), "{name}");
    }
}

#[test]
fn every_cassio_command_of_the_list_is_known_to_the_program() {
    let commands = cassio::COMMANDS.map(|name| format!("ENGINE-PROTOCOL {name}\n"));
    assert!(commands[commands.len() - 1].contains("quit"));
    let output = output("cassio", &commands.concat());
    assert!(!output.contains("unknown command"), "{output}");
    assert!(output.ends_with("bye bye.\n"), "{output}");
}

#[test]
fn the_examples_run_as_shown() {
    let examples = examples();
    assert!(examples.len() >= 20);
    run_all(&examples);
}

#[test]
fn lines_are_short_enough() {
    for (name, text) in documents(&["protocol.md"]) {
        for (number, line) in (1..).zip(text.lines()) {
            // A row of a table cannot be broken.
            let is_row = name != "protocol.md" && line.starts_with('|');
            assert!(is_row || line.chars().count() <= WIDTH, "{name}:{number} is too long");
        }
    }
}

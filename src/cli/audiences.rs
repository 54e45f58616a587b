//! How the help is arranged: commands by audience, options by purpose.

use clap::{Arg, Command};

/// Headings with an example of each command, in order, between `|`. Commands not listed here come last.
const AUDIENCES: [(&str, &str); 5] = [
    (
        "Commands for players",
        "play --strength 20|analyze game.ggf|book show -|convert games.ggf games.sgf",
    ),
    (
        "Commands for front ends",
        "nboard --threads 4|gtp --level 12|cassio|edax -l 16|xboard|json < requests.jsonl",
    ),
    (
        "Commands for matches",
        "match --player engine --player greedy|report results --html page.html|compliance --proto gtp -- ./engine",
    ),
    (
        "Commands for developers",
        "solve positions.obf|bench|perft 9|replay session.log|merge part-1 part-2 -o all|selfplay -o games.bin --duration 2h|\
        train games.bin -o weights.bin|weights inspect weights.bin|fit-probcut games.bin|fit-ranking games.bin -o ranking.bin|\
        positions -o early.obf",
    ),
    ("Commands for the shell", "completions bash|man man1|help analyze"),
];

/// Headings with the options below them, by name. Others stand first.
const PURPOSES: [(&str, &str); 5] = [
    (
        "Input",
        "batch summary game format encoding from skip limit near rescore memory hold_out hold_out_one_of openings \
        opening_plies shuffle players_file",
    ),
    (
        "Output",
        "json output out force html ggf sgf min_loss quiet traffic record log_file to check salvage pass",
    ),
    (
        "Search",
        "time depth nodes confidence level strength elo player clock threads hash weights ponder randomness seed window wld lines \
        first_depth exact judge_depth overhead resign",
    ),
    (
        "Book",
        "book no_book book-variety learn learn_depth repertoire side cost until sum deviate deepen fix",
    ),
    ("Work", "concurrency shard resume duration nice games positions finish sandbox"),
];

/// Width of an example with its trailing gap.
const EXAMPLE_COLUMNS: usize = 50;

pub(super) fn grouped(command: Command) -> Command {
    let list = list(&command);
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\
        Options:\n{{options}}{{after-help}}"
    );
    // Those of the engine stand in the help of each protocol.
    let command = command.mut_args(|arg| {
        let is_global = arg.is_global_set();
        arg.hide(!is_global)
    });
    command.mut_subcommands(by_purpose).help_template(template)
}

fn by_purpose(command: Command) -> Command {
    let command = command.mut_args(|arg| match purpose(&arg) {
        Some(heading) if !arg.is_positional() => arg.help_heading(heading),
        _ => arg,
    });
    command.mut_subcommands(by_purpose)
}

fn purpose(arg: &Arg) -> Option<&'static str> {
    let is_listed = |names: &str| names.split_whitespace().any(|name| arg.get_id() == name);
    PURPOSES.iter().find(|(_, names)| is_listed(names)).map(|(heading, _)| *heading)
}

fn list(command: &Command) -> String {
    let about = |name: &str| {
        if name == "help" {
            return Some("Print this message or the help of a command".to_owned());
        }
        let found = command.find_subcommand(name)?;
        Some(found.get_about().map(ToString::to_string).unwrap_or_default())
    };
    let name = |example: &str| example.split(' ').next().unwrap_or_default().to_owned();
    let mut text = String::new();
    let mut add = |heading: &str, examples: &mut dyn Iterator<Item = &str>| {
        let row = |example: &str| {
            let example_of = format!("{} {example}", super::PROGRAM);
            Some(format!("  {example_of:<EXAMPLE_COLUMNS$}{}\n", about(&name(example))?))
        };
        let rows: String = examples.filter_map(row).collect();
        if !rows.is_empty() {
            text += &format!("{heading}:\n{rows}\n");
        }
    };
    for (heading, examples) in AUDIENCES {
        add(heading, &mut examples.split('|'));
    }
    let is_listed = |known: &str| {
        AUDIENCES
            .iter()
            .any(|(_, examples)| examples.split('|').any(|example| name(example) == known))
    };
    let shown = command.get_subcommands().filter(|known| !known.is_hide_set());
    let others = shown.map(Command::get_name);
    add("Other commands", &mut others.filter(|name| !is_listed(name)));
    text
}

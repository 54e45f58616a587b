//! The help's list of commands, grouped by audience.

use clap::Command;

/// Headings with their commands in order. Commands not listed here come last.
const AUDIENCES: [(&str, &str); 5] = [
    ("Commands for front ends", "nboard gtp cassio edax xboard json"),
    ("Commands for players", "play analyze book convert"),
    ("Commands for matches", "match report compliance"),
    (
        "Commands for developers",
        "bench perft solve replay selfplay train weights fit-probcut fit-ranking positions merge",
    ),
    ("Commands for the shell", "completions man help"),
];

/// Width of a name with its trailing gap.
const NAME_COLUMNS: usize = 14;

pub(super) fn grouped(command: Command) -> Command {
    let list = list(&command);
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\
        Options:\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

fn list(command: &Command) -> String {
    let about = |name: &str| {
        if name == "help" {
            return Some("Print this message or the help of a command".to_owned());
        }
        let found = command.find_subcommand(name)?;
        Some(found.get_about().map(ToString::to_string).unwrap_or_default())
    };
    let mut text = String::new();
    let mut add = |heading: &str, names: &mut dyn Iterator<Item = &str>| {
        let rows: String = names
            .filter_map(|name| Some(format!("  {name:<NAME_COLUMNS$}{}\n", about(name)?)))
            .collect();
        if !rows.is_empty() {
            text += &format!("{heading}:\n{rows}\n");
        }
    };
    for (heading, names) in AUDIENCES {
        add(heading, &mut names.split(' '));
    }
    let is_listed = |name: &str| {
        AUDIENCES.iter().any(|(_, names)| names.split(' ').any(|listed| listed == name))
    };
    let shown = command.get_subcommands().filter(|known| !known.is_hide_set());
    let others = shown.map(Command::get_name);
    add("Other commands", &mut others.filter(|name| !is_listed(name)));
    text
}

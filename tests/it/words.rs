//! One word for one thing: the keys of JSON that commands print.

use std::collections::BTreeSet;

use othellier::engine::settings::SETTINGS;
use serde_json::Value;

use crate::harness::markdown::documents;
use crate::harness::samples::{START, rows};
use crate::harness::{Folder, OTHELLIER, output, run};

fn add_keys(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                keys.insert(key.clone());
                add_keys(value, keys);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_keys(item, keys)),
        _ => {}
    }
}

#[test]
fn every_setting_is_an_option_and_has_its_row() {
    let documents = documents(&[]);
    let (_, engine) = documents.iter().find(|(name, _)| name == "docs/engine.md").unwrap();
    let help = run(&["gtp", "--help"], "").success().stdout;
    // A rung is for measuring strengths.
    for name in SETTINGS.iter().map(|setting| setting.name).filter(|name| *name != "rung") {
        let (option, key) = (format!("--{name}"), format!("`{name}="));
        let is_row = |line: &str| line.starts_with("| ") && line.contains(&key);
        let has_row = engine.lines().any(|line| is_row(line) && line.contains(&option));
        assert!(has_row && help.contains(&option), "{name}");
    }
}

#[test]
fn every_key_is_documented() {
    let folder = Folder::new("words");
    folder.write("games.txt", "f5d6c3d3c4f4f6f3e6e7\nf5f6e6f4\n");
    folder.write("start.obf", format!("{START}; F5:+0;\nX\n"));
    folder.write(
        "requests.json",
        "{\"id\":1,\"moves\":\"f5\",\"book\":true,\"report_every\":0}\n{\"id\":2}\n{\"action\":\"status\"}\n{\"action\":\"version\"}\n",
    );
    let compliance =
        format!("compliance --proto gtp --case G1 --json -- {OTHELLIER} gtp --level 1");
    let mut keys = BTreeSet::new();
    for line in [
        "perft 2 --json",
        "bench --json",
        "solve start.obf --depth 4 --json",
        "solve start.obf --depth 4 --wld --json",
        "match --player random --player greedy --games 2 --json --out event",
        "match --player random --player greedy --games 2 --json --sprt 0,5",
        "match --rank --games 2 --json random greedy",
        "report event --json",
        "analyze games.txt --depth 2 --json",
        "analyze --batch start.obf --depth 2",
        "analyze --summary games.txt --depth 2 --json",
        "book add my.othb games.txt --search --until 50 --depth 1 --json",
        "book show my.othb --json",
        "book memorize my.othb --json",
        "book stats my.othb --json",
        "book check my.othb --compare games.txt --json",
        "book todo my.othb --until 40",
        "book export my.othb - --to jsonl",
        &compliance,
    ] {
        let output = output(folder.command(line), &[]);
        assert!(!output.stdout.is_empty(), "{line}: {}", output.stderr);
        rows(&output.stdout).iter().for_each(|row| add_keys(row, &mut keys));
    }
    let answers = run(&["json"], folder.read("requests.json")).success().stdout;
    rows(&answers).iter().for_each(|row| add_keys(row, &mut keys));
    rows(&folder.text("event/games.jsonl")).iter().for_each(|row| add_keys(row, &mut keys));

    let is_other = |symbol: char| !symbol.is_alphanumeric() && symbol != '_';
    let texts = documents(&["README.md", "protocol.md"]);
    let spans = texts.iter().flat_map(|(_, text)| text.split('`').skip(1).step_by(2));
    let known: BTreeSet<&str> = spans.flat_map(|span| span.split(is_other)).collect();
    let unknown: Vec<_> = keys.iter().filter(|key| !known.contains(key.as_str())).collect();
    assert!(unknown.is_empty(), "keys that no document explains: {unknown:?}");
    for other in "selectivity error seconds value values number line err n".split(' ') {
        assert!(!keys.contains(other), "'{other}' has another name");
    }
}

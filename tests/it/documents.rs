//! The documents: links have targets, the table of contents of `protocol.md` is complete, the README is short.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::harness::markdown::{documents, prose};

/// Those for users are in the folder `docs` besides.
const DOCUMENTS: [&str; 6] = [
    "README.md",
    "protocol.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benches/README.md",
    "benches/experiments.md",
];

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            title.chars().filter(kept).collect::<String>().replace(' ', "-")
        })
        .collect()
}

/// The targets of all links and pictures.
fn targets(text: &str) -> Vec<&str> {
    let of_line = |line| str::split(line, "](").skip(1).filter_map(|rest| rest.split(')').next());
    prose(text).flat_map(of_line).collect()
}

/// The path of a link's target from the root of the repository.
fn resolve(document: &str, target: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in Path::new(document).parent().unwrap().join(target).components() {
        if part == Component::ParentDir {
            path.pop();
        } else {
            path.push(part);
        }
    }
    path
}

#[test]
fn links_lead_to_files_and_headings_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let documents = documents(&DOCUMENTS);
    let texts: BTreeMap<_, _> =
        documents.iter().map(|(name, text)| (PathBuf::from(name), text)).collect();
    for (document, text) in &documents {
        for target in targets(text) {
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { document.into() } else { resolve(document, file) };
            assert!(root.join(&path).exists(), "{document}: no file {target}");
            if !anchor.is_empty() {
                let text = texts
                    .get(&path)
                    .unwrap_or_else(|| panic!("{document}: {target} is not checked"));
                assert!(anchors(text).contains(anchor), "{document}: no heading {target}");
            }
        }
    }
}

#[test]
fn the_table_of_contents_names_every_section_of_protocol_md() {
    let text = include_str!("../../protocol.md");
    let contents = targets(text.split("\n## ").next().unwrap());
    let sections: String =
        prose(text).filter(|line| line.starts_with("## ")).collect::<Vec<_>>().join("\n");
    for anchor in anchors(&sections) {
        let n_links =
            contents.iter().filter(|target| target.strip_prefix('#') == Some(&anchor)).count();
        assert_eq!(n_links, 1, "links to #{anchor} in the table of contents");
    }
}

/// The README's first command names no binary, although there are two.
#[test]
fn cargo_run_starts_the_engine() {
    let manifest: toml::Table = include_str!("../../Cargo.toml").parse().unwrap();
    assert_eq!(manifest["package"]["default-run"].as_str(), Some("othellier"));
}

#[test]
fn the_readme_is_short() {
    let n_lines = include_str!("../../README.md").lines().count();
    assert!(
        n_lines <= 170,
        "README.md has {n_lines} lines; figures belong to benches, details to docs and protocol.md"
    );
}

#[test]
fn every_figure_has_a_command_in_the_script() {
    let script = include_str!("../../benches/measure.sh");
    let (head, commands) = script.split_once("\nmeasure() {").unwrap();
    let known: BTreeSet<_> = ["\nnames=(", "\nendurance=("]
        .iter()
        .map(|list| head.split_once(list).unwrap().1.split(')').next().unwrap())
        .flat_map(str::split_whitespace)
        .collect();
    let rows = include_str!("../../benches/README.md").lines().filter(|row| row.starts_with("| "));
    let names: BTreeSet<_> = rows.map(|row| row.split('|').nth(1).unwrap().trim()).collect();
    assert!(names.len() >= 10);
    for name in names.into_iter().filter(|&name| name != "name") {
        assert!(known.contains(name), "measure.sh does not know {name}");
        let is_listed = head.lines().any(|line| line.starts_with(&format!("{name} ")));
        assert!(is_listed, "measure.sh --list does not explain {name}");
        let has_command = commands.lines().any(|line| line.starts_with(&format!("    {name})")));
        assert!(has_command, "no command for {name} in measure.sh");
    }
}

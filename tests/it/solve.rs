//! `othellier solve`: rows, totals, comparison with listed scores, bad lines.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Three endings with the scores of all their moves, and lines that hold no position.
const POSITIONS: &str = "\
% a comment

XOOOOOOOXXXOOOXOXXOXXOXOXOXXXXXOXXXOOXXOXXXXXXX-XXXXX---XXXXXX-- X;
XOOOOOOOXXXOOOXOXXOXXOXOXOXXXXXOXXXOOXXOXXXXXXX-XXXXX---XXXXXX-- O; --:-127;
";

fn run(name: &str, text: &str, arguments: &[&str]) -> Output {
    let path: PathBuf =
        std::env::temp_dir().join(format!("othellier-solve-{name}-{}.obf", std::process::id()));
    fs::write(&path, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_othellier"))
        .arg("solve")
        .arg(&path)
        .args(arguments)
        .output()
        .unwrap();
    fs::remove_file(&path).unwrap();
    output
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn every_position_has_a_row_and_the_totals_come_last() {
    let output = run("rows", POSITIONS, &[]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 2 + 1, "{text}");
    assert!(lines[3].starts_with("total: 2 positions, "), "{text}");
    assert!(lines[3].ends_with(" Mnps"), "without scores nothing is compared: {text}");
}

#[test]
fn listed_scores_are_compared() {
    let bare = stdout(&run("bare", POSITIONS, &["--json"]));
    let first: serde_json::Value = serde_json::from_str(bare.lines().next().unwrap()).unwrap();
    let (mv, score) = (first["move"].as_str().unwrap(), first["score"].as_f64().unwrap());
    assert_eq!(first["exact"], true);
    let position = POSITIONS.lines().nth(2).unwrap();
    let right = format!("{position} {mv}:{score:+};\n");
    let text = stdout(&run("right", &right, &[]));
    assert!(
        text.ends_with(", wrong moves 0, wrong scores 0, mae 0.00, within3 100.0%\n"),
        "{text}"
    );
    let wrong = format!("{position} {mv}:{:+};\n", score - 4.0);
    let text = stdout(&run("wrong", &wrong, &[]));
    assert!(text.ends_with(", wrong moves 0, wrong scores 1, mae 4.00, within3 0.0%\n"), "{text}");
}

#[test]
fn bad_lines_are_named_and_passed_over() {
    let text = format!("{POSITIONS}this is no position\n{}x\n", POSITIONS.lines().nth(2).unwrap());
    let output = run("bad", &text, &[]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("line 5:") && errors.contains("line 6:"), "{errors}");
    assert!(stdout(&output).lines().last().unwrap().starts_with("total: 2 positions"));
    let missing = Command::new(env!("CARGO_BIN_EXE_othellier"))
        .args(["solve", "/nonexistent.obf"])
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn positions_can_be_chosen_and_searched_to_a_depth() {
    let text = stdout(&run("skip", POSITIONS, &["--skip", "1", "--limit", "1"]));
    assert!(text.lines().nth(1).unwrap().trim_start().starts_with("2 "), "{text}");
    let start = "---------------------------OX------XO--------------------------- X;\n";
    let text = stdout(&run("depth", start, &["--depth", "8", "--selectivity", "73", "--json"]));
    let row: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!((row["depth"].as_u64(), row["selectivity"].as_u64()), (Some(8), Some(73)));
    assert_eq!(row["exact"], false);
}

//! `othellier solve`: rows, totals, comparison with listed scores, bad lines.

use crate::harness::samples::{START, rows, timeless};
use crate::harness::{self, Folder, Output};

/// Two endings without scores of legal moves, and lines that hold no position.
const POSITIONS: &str = "\
% a comment

XOOOOOOOXXXOOOXOXXOXXOXOXOXXXXXOXXXOOXXOXXXXXXX-XXXXX---XXXXXX-- X;
XOOOOOOOXXXOOOXOXXOXXOXOXOXXXXXOXXXOOXXOXXXXXXX-XXXXX---XXXXXX-- O; --:-127;
";

fn run(name: &str, text: &str, arguments: &[&str]) -> Output {
    let folder = Folder::new(&format!("solve-{name}"));
    let path = folder.write("positions.obf", text);
    harness::run(&[&["solve", &path], arguments].concat(), "")
}

#[test]
fn every_position_has_a_row_and_the_totals_come_last() {
    let output = run("rows", POSITIONS, &[]);
    assert_eq!(output.status, Some(0));
    let text = output.stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 2 + 1, "{text}");
    assert!(lines[3].starts_with("total: 2 positions, "), "{text}");
    assert!(lines[3].ends_with(" Mnps"), "without scores nothing is compared: {text}");
}

#[test]
fn listed_scores_are_compared() {
    let bare = run("bare", POSITIONS, &["--json"]).stdout;
    let first = &rows(&bare)[0];
    let (mv, score) = (first["move"].as_str().unwrap(), first["score"].as_f64().unwrap());
    assert_eq!(first["exact"], true);
    let position = POSITIONS.lines().nth(2).unwrap();
    let right = format!("{position} {mv}:{score:+};\n");
    let text = run("right", &right, &[]).stdout;
    assert!(
        text.ends_with(", wrong moves 0, wrong scores 0, mae 0.00, within3 100.0%\n"),
        "{text}"
    );
    let wrong = format!("{position} {mv}:{:+};\n", score - 4.0);
    let text = run("wrong", &wrong, &[]).stdout;
    assert!(text.ends_with(", wrong moves 0, wrong scores 1, mae 4.00, within3 0.0%\n"), "{text}");
    assert!(!text.contains("mean loss"), "other moves have no values: {text}");
}

#[test]
fn the_loss_of_the_move_is_shown_where_all_moves_have_values() {
    let position = format!("{START};");
    let text = format!("{position} D3:+1; C4:+1; F5:+1; E6:+1;\n{position} D3:-2; C4:-2; F5:-2;\n");
    let solved = run("loss", &text, &["--depth", "1"]).stdout;
    let lines: Vec<&str> = solved.lines().collect();
    assert!(lines[3].starts_with("moves: 1 positions, mean loss 0.000, mean signed error "));
    assert!(lines[4].starts_with("total: 2 positions, "), "{solved}");
    // One move is as good as any other by symmetry; here the one that is played is four discs worse than the best.
    let played = lines[1].split_whitespace().nth(3).unwrap();
    let scores =
        ["D3", "C4", "F5", "E6"].map(|mv| format!(" {mv}:{:+};", if mv == played { 2 } else { 6 }));
    let solved = run("lost", &(position + &scores.concat() + "\n"), &["--depth", "1", "--json"]);
    let rows = rows(&solved.stdout);
    let is_played = rows[0]["move"].as_str().unwrap().eq_ignore_ascii_case(played);
    let loss = if is_played { 4.0 } else { 0.0 };
    assert_eq!((rows[0]["loss"].as_f64(), rows[1]["mean_loss"].as_f64()), (Some(loss), Some(loss)));
    assert_eq!(rows[1]["valued"], 1);
}

#[test]
fn bad_lines_are_named_and_passed_over() {
    let text = format!("{POSITIONS}this is no position\n{}x\n", POSITIONS.lines().nth(2).unwrap());
    let output = run("bad", &text, &[]);
    assert_eq!(output.status, Some(1));
    let errors = &output.stderr;
    assert!(errors.contains("line 5:") && errors.contains("line 6:"), "{errors}");
    assert!(output.last_line().starts_with("total: 2 positions"));
    assert_eq!(harness::run(&["solve", "/nonexistent.obf"], "").status, Some(1));
}

#[test]
fn positions_can_be_chosen_and_searched_to_a_depth_or_for_a_time() {
    let text = run("skip", POSITIONS, &["--skip", "1", "--limit", "1"]).stdout;
    assert!(text.lines().nth(1).unwrap().trim_start().starts_with("2 "), "{text}");
    let start = &format!("{START};\n");
    let text = run("depth", start, &["--depth", "8", "--confidence", "73", "--json"]).stdout;
    let row = &rows(&text)[0];
    assert_eq!((row["depth"].as_u64(), row["confidence"].as_u64()), (Some(8), Some(73)));
    assert_eq!(row["exact"], false);
    let brief = ["--depth", "20", "--confidence", "73", "--time", "0.001", "--json"];
    let depth = rows(&run("time", start, &brief).stdout)[0]["depth"].as_u64();
    assert!(depth < Some(20), "{depth:?}");
}

#[test]
fn rows_do_not_depend_on_the_number_of_searches_at_a_time() {
    let late = POSITIONS.lines().nth(2).unwrap();
    let text = [late, START, late, START, START, late, START].join("\n");
    let solve = |more: &[&str]| {
        let arguments = [&["--depth", "7", "--confidence", "73", "--json", "--hash", "1"], more];
        let output = run("concurrency", &text, &arguments.concat()).success();
        timeless(&output.stdout)
    };
    let one = solve(&["--threads", "1"]);
    assert_eq!(one.len(), 8);
    let numbers: Vec<_> = one[..7].iter().map(|row| row["id"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7]);
    // Each search begins afresh.
    assert_eq!((&one[0]["nodes"], &one[1]["nodes"]), (&one[5]["nodes"], &one[6]["nodes"]));
    for more in [&["--concurrency", "1"][..], &["--concurrency", "3"], &[]] {
        assert_eq!(solve(more), one, "{more:?}");
    }
}

/// Three empty squares.
const ENDING: &str = "-XXXXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOOXXXXOOOOOXXXOOOOOOX-OOOOOOO- X";

#[test]
fn a_position_is_solved_wherever_it_comes_from() {
    let folder = Folder::new("solve-one");
    let path = folder.write("one.obf", format!("{ENDING};\n"));
    let solved = |arguments: &[&str], input: &str| {
        let text =
            harness::run(&[&["solve"], arguments, &["--json"]].concat(), input).success().stdout;
        let row = &rows(&text)[0];
        (row["position"].clone(), row["move"].clone(), row["score"].clone())
    };
    let expected = solved(&[&path], "");
    assert_eq!(expected.0, ENDING);
    assert_eq!(solved(&[ENDING], ""), expected);
    assert_eq!(solved(&["-"], ENDING), expected);
    assert_eq!(solved(&["--time", "0.5", ENDING], ""), expected);
}

/// Programs that start Edax cut these columns, or wait for the second rule.
#[test]
fn edax_solves_in_its_own_columns() {
    let rule = "------+-----+--------------+-------------+----------+---------------------\n";
    let input = format!("{ENDING}; pa:+64;\n% a comment\n\n{ENDING}\n");
    let solve = |more: &[&str]| {
        let words = ["-n", "1", "-solve", "/dev/stdin", "-level", "60"];
        harness::run(&[&words, more].concat(), &input).success().stdout
    };
    let rows = solve(&[]);
    let lines: Vec<&str> = rows.lines().collect();
    let head = " # | depth|score|       time   |  nodes (N)  |   N/s    | principal variation";
    assert_eq!(lines[0], head);
    assert!(lines[2].starts_with("  1|    3   ") && lines[2].contains("Erroneous"), "{rows}");
    assert_eq!(lines[2].as_bytes()[4 + 28 + 13], b' ', "{rows}");
    assert!(lines[3].starts_with("  2|"), "{rows}");
    assert_eq!(rows.matches(rule).count(), 2, "{rows}");
    assert!(rows.contains("/dev/stdin: ") && rows.contains(" nodes/s).\n"), "{rows}");
    let all = solve(&["-verbose", "3"]);
    assert!(all.starts_with("\n*** problem # 1 ***\n\n  A B C D E F G H\n"), "{all}");
    assert_eq!(all.matches(&format!("\n{rule}")).count(), 4, "{all}");
    assert!(solve(&["-q"]).lines().count() <= 3);
    let bad = harness::run(&["-solve", "-"], format!("{ENDING}\nnonsense\n"));
    assert_eq!(bad.status, Some(1), "{}", bad.stderr);
    assert!(bad.stdout.contains("\n  1|") && bad.stderr.contains("left out: "), "{}", bad.stderr);
    let folder = Folder::new("edax-solve-log");
    let log = folder.file("log");
    let rows = solve(&["-depth", "2", "-ui-log-file", &log]);
    assert!(rows.contains("\n  2|    2   "), "{rows}");
    let log = folder.text("log");
    assert!(log.contains(&format!("> {ENDING}\n")) && log.contains("<   2|    2   "), "{log}");
}

#[test]
fn a_window_gives_bounds_against_which_known_scores_are_held() {
    let solve = |position: &str, more: &[&str]| {
        let output = run("window", position, more).success().stdout;
        let json = run("window-json", position, &[more, &["--json"]].concat()).success().stdout;
        (output, rows(&json))
    };
    let exact = &solve(ENDING, &[]).1[0];
    let (score, mv) = (exact["score"].as_f64().unwrap() as i64, exact["move"].as_str().unwrap());
    for (alpha, beta, listed, bound, n_wrong) in [
        (-4, -2, 0, ">= ", 0),
        (-4, -2, -4, ">= ", 1),
        (2, 4, 0, "<= ", 0),
        (2, 4, 6, "<= ", 1),
        (-2, 2, 0, "", 0),
        (-2, 2, 2, "", 1),
    ] {
        let [alpha, beta, listed] = [alpha, beta, listed].map(|offset| score + offset);
        let window = format!("{alpha},{beta}");
        let (text, rows) = solve(&format!("{ENDING}; {mv}:{listed:+};"), &["--window", &window]);
        let [lower, upper] = ["lower", "upper"].map(|key| rows[0][key].as_f64().unwrap() as i64);
        assert!(lower <= score && score <= upper, "{}", rows[0]);
        assert_eq!(rows[1]["wrong_scores"].as_i64(), Some(n_wrong), "{bound} {listed}");
        let value = if bound == ">= " { lower } else { upper };
        let shown =
            if bound.is_empty() { format!(" {score:+} ") } else { format!(" {bound}{value} ") };
        assert!(text.contains(&shown), "{shown}: {text}");
    }
    let draw = format!("{}{} X", "X".repeat(32), "O".repeat(32));
    let mut all: Vec<&str> = POSITIONS.lines().skip(2).collect();
    all.extend([ENDING, &draw]);
    let (exact, wld) = (solve(&all.join("\n"), &[]).1, solve(&all.join("\n"), &["--wld"]).0);
    for (row, line) in exact.iter().zip(wld.lines().skip(1)).take(all.len()) {
        let score = row["score"].as_f64().unwrap();
        let word = if score > 0.0 { "win" } else { ["draw", "loss"][usize::from(score < 0.0)] };
        assert!(line.contains(&format!(" {word}")), "{score}: {line}");
    }
    // A search to a depth proves nothing: this position is a win by 6.
    let unsolved = "OOOXXXO-OOOOXOOOO-OOOXOOOOOOXOXOOOOXOOXO-OXOXXXOOXOXXX-OX--X---O O";
    for more in [["--wld", "--depth", "4"], ["--window=-1,1", "--depth", "4"]] {
        let (text, rows) = solve(unsolved, &more);
        assert!(text.contains(" <= -2."), "{text}");
        assert!(rows[0]["lower"].is_null() && rows[0]["upper"].is_null(), "{}", rows[0]);
        assert_eq!(rows[0]["bound"].as_str(), Some("upper"), "{}", rows[0]);
    }
    for bad in ["1", "2,2", "3,1", "-65,0", "a,b"] {
        run("bad-window", ENDING, &["--window", bad]).refuses(2, "two numbers of discs");
    }
}

#[test]
fn a_run_that_was_cut_short_goes_on() {
    let folder = Folder::new("solve-resume");
    let path = folder.write("p.obf", format!("{POSITIONS}{ENDING}\n"));
    let kept = folder.file("kept.jsonl");
    let solve = |more: &[&str]| {
        harness::run(&[&["solve", &path, "--json", "--resume", &kept], more].concat(), "")
    };
    let whole = solve(&[]).success().stdout;
    let file = folder.text("kept.jsonl");
    let head = file.find('\n').unwrap() + 1;
    assert_eq!(file[head..], whole[..whole.rfind("{").unwrap()], "the rows, without totals");
    for length in [0, 9, head, head + 9, file.len() - 9, file.len()] {
        folder.write("kept.jsonl", &file[..length]);
        let again = solve(&[]).success().stdout;
        assert_eq!(timeless(&again), timeless(&whole), "{length}");
        assert_eq!(timeless(&folder.text("kept.jsonl")), timeless(&file));
    }
    let other = folder.write("other.obf", POSITIONS);
    for (held, path, more, words) in [
        (&*file, &path, &["--wld"][..], "of another run: window [-128,128] beside null"),
        (&file, &path, &["--skip", "1"], "of another run: skip 1 beside 0"),
        (&file, &path, &["--shard", "1/2"], "of another run: shard 1/2 beside 1/1"),
        (&file, &other, &[], "of another run: another input"),
        ("notes", &path, &[], "holds no rows of a job"),
        (&file.replace("\"id\":2", "\"id\":7"), &path, &[], "row 2 is damaged"),
    ] {
        folder.write("kept.jsonl", held);
        let arguments = [&["solve", path, "--json", "--resume", &kept][..], more].concat();
        harness::run(&arguments, "").refuses(1, words);
        assert_eq!(folder.text("kept.jsonl"), held, "{words}");
    }
}

//! Tests without an engine, and verdicts on shell scripts that hang, die or flood.

#[cfg(unix)]
use std::time::{Duration, Instant};

use super::*;

#[test]
fn the_cases_are_numbered_in_order() {
    for (protocol, letter, n_cases, n_house_rules) in [
        (Play(Kind::Gtp), 'G', 56, 4),
        (Play(Kind::Nboard), 'N', 34, 1),
        (Play(Kind::Cassio), 'C', 12, 2),
        (Play(Kind::Edax), 'E', 25, 0),
        (Play(Kind::Xboard), 'X', 10, 0),
        (Json, 'J', 25, 0),
    ] {
        let cases = cases(protocol);
        let numbers = (1..=n_cases).map(|number| format!("{letter}{number}"));
        assert!(cases.iter().map(|case| case.number).eq(numbers));
        assert!(cases.iter().all(|case| !case.title.is_empty()));
        assert_eq!(cases.iter().filter(|case| case.is_house_rule).count(), n_house_rules);
    }
}

#[test]
fn results_and_the_closing_line_have_their_fixed_forms() {
    let mismatch = Mismatch {
        sent: "play black c4 extra\\n".to_owned(),
        got: "= \\n\\n".to_owned(),
        expected: "? syntax error\\n\\n".to_owned(),
    };
    let result = |verdict| CaseResult { number: "G1", title: "x", verdict, before: Vec::new() };
    let told =
        r"G1 failed: sent 'play black c4 extra\n' got '= \n\n' expected '? syntax error\n\n'";
    let mut summary = Summary::new(Play(Kind::Gtp));
    for (verdict, line) in [
        (Verdict::Passed, "G1 passed"),
        (Verdict::Passed, "G1 passed"),
        (Verdict::Failed(mismatch.clone()), told),
        (Verdict::Differs(mismatch), "G1 differs"),
        (Verdict::NotOffered, "G1 not offered"),
    ] {
        summary.add(&verdict);
        assert_eq!(result(verdict).to_string(), line);
    }
    assert_eq!(summary.to_string(), "gtp: 2 passed, 1 failed, 1 differ, 1 not offered of 5");
}

#[test]
fn texts_of_reports_are_escaped_and_shortened() {
    assert_eq!(engine::readable(b"= 2\r\n\xff\"x\""), r#"= 2\r\n\xff"x""#);
    let long = engine::readable(&[b'a'; 5000]);
    assert!(long.len() < 300 && long.contains("(4760 bytes)"), "{long}");
}

/// A GTP engine in shell: knows `name`, hangs at `protocol_version`, dies at `foo`, answers `play black c4 extra`.
#[cfg(unix)]
const SHELL_ENGINE: &str = r#"
while read -r first rest; do
    case "$first $rest" in
        "name "*) printf '= Shell\n\n' ;;
        "7 name") printf '=7 Shell\n\n' ;;
        "list_commands "*) printf '= name\nlist_commands\n\n' ;;
        "protocol_version "*) sleep 600 ;;
        "foo "*) echo 'panic' >&2; exit 3 ;;
        "play "*) printf '= \n\n' ;;
        *) printf '? unknown command\n\n' ;;
    esac
done
"#;

#[cfg(unix)]
fn verdict_on_shell_engine(number: &str, script: &str, patience: Option<Duration>) -> Verdict {
    let command = ["sh", "-c", script].map(str::to_owned);
    let is_its = |kind: &Protocol| select(*kind, &[number.to_owned()]).is_ok();
    let protocol = Kind::ALL.map(Play).into_iter().find(is_its).expect("a case");
    let case = &select(protocol, &[number.to_owned()]).expect("a case")[0];
    conduct(&command, protocol, case, patience).expect("sh starts").0
}

#[cfg(unix)]
#[test]
fn verdicts_on_a_shell_engine() {
    let verdict = |number| verdict_on_shell_engine(number, SHELL_ENGINE, None);
    assert_eq!(verdict("G2"), Verdict::Passed);
    assert_eq!(verdict("G9"), Verdict::Passed);
    assert_eq!(verdict("G34"), Verdict::NotOffered);
    assert!(matches!(verdict("G56"), Verdict::Differs(_)));
    let [sent, got, expected] =
        [r"play white f4\n", r"= \n\n", r"? illegal move\n\n"].map(str::to_owned);
    assert_eq!(verdict("G23"), Verdict::Failed(Mismatch { sent, got, expected }));
}

#[cfg(unix)]
#[test]
fn keys_of_json_may_come_in_any_order() {
    let steps = vec![(">", "x"), ("<", r#"{"a":NUMBER,"b":"..."...}"#)];
    let case = Case { steps, ..cases(Json).remove(0) };
    let verdict = |answer: &str| {
        let command = ["sh", "-c", &format!("read x; echo '{answer}'")].map(str::to_owned);
        conduct(&command, Json, &case, None).expect("sh starts").0
    };
    assert_eq!(verdict(r#" { "b" : "x", "c": 1, "a": 0.5 }"#), Verdict::Passed);
    assert!(matches!(verdict(r#"{"b":"x"}"#), Verdict::Failed(_)));
    assert!(matches!(verdict("a"), Verdict::Failed(_)));
}

#[cfg(unix)]
#[test]
fn a_case_of_time_is_tried_again_and_tells_how_it_failed() {
    let mark = std::env::temp_dir().join(format!("othellier-late-{}", std::process::id()));
    let case = |number: &str| select(Play(Kind::Gtp), &[number.to_owned()]).unwrap();
    // At its first start it does not end with its input; it never knows its version.
    let script = format!(
        "while read -r line; do printf '= x\\n\\n'; done; [ -e '{0}' ] && exit 0; : >'{0}'; sleep 600",
        mark.display()
    );
    let command = ["sh".into(), "-c".into(), script];
    let mut results = Vec::new();
    for number in ["G15", "G1"] {
        let on_result = &mut |result: &CaseResult| results.push(result.clone());
        run(&command, Play(Kind::Gtp), &case(number), on_result).unwrap();
    }
    std::fs::remove_file(mark).unwrap();
    let [late, wrong] = &results[..] else { panic!("{results:?}") };
    assert!(late.verdict == Verdict::Passed && !late.before.is_empty(), "{late}");
    assert!(late.to_string().starts_with("G15 passed; failed before: sent "), "{late}");
    assert!(matches!(wrong.verdict, Verdict::Failed(_)) && wrong.before.is_empty(), "{wrong}");
}

#[cfg(unix)]
const C2: &str = "---------------------------OX------XO---------------------------X, move (one of D3 C4 F5 E6), \
    depth 6, @NUMBER%, BOUND <... v <... BOUND, the move..., node NUMBER, time NUMBER";

/// Both scripts answer, but know no rules.
#[cfg(unix)]
#[test]
fn verdicts_on_shell_engines_of_nboard_and_cassio() {
    let nboard = r#"
while read -r first rest; do
    case "$first" in
        ping) echo "pong $rest" ;;
        go) echo "=== A1" ;;
        hint) echo "search A1 1,5 0 4" ;;
        quit) exit 3 ;;
    esac
done
"#;
    let cassio = r#"
while read -r first command rest; do
    case "$command" in
        midgame-search) echo "ERROR: over"; echo "ready." ;;
        quit) echo "bye." ;;
        *) echo "ready." ;;
    esac
done
"#;
    for (number, script, expected) in [
        ("N3", nboard, None),
        // The script reads the carriage return as a part of the number.
        ("N25", nboard, Some("pong 4")),
        ("N1", nboard, Some("set myname $NAME")),
        ("N10", nboard, Some("=== PA")),
        ("N14", nboard, Some("=== (one of D3 C4 F5 E6)")),
        ("N16", nboard, Some("a plain decimal, NaN or a pair with the larger first")),
        ("N20", nboard, Some("status $TEXT")),
        ("N32", nboard, Some("exit status: 0")),
        ("C8", cassio, None),
        ("C9", cassio, None),
        ("C2", cassio, Some(C2)),
        ("C6", cassio, Some("no output")),
        ("C7", cassio, Some("ok.")),
        ("C11", cassio, Some("bye bye.")),
    ] {
        let verdict = verdict_on_shell_engine(number, script, None);
        match (&verdict, expected) {
            (Verdict::Passed, None) => {}
            (Verdict::Failed(mismatch), Some(expected)) if mismatch.expected == expected => {}
            _ => panic!("{number}: {verdict:?}"),
        }
    }
    // The script still answers afterwards, so it differs from a house rule without failing.
    let verdict = verdict_on_shell_engine("C5", cassio, None);
    assert!(matches!(verdict, Verdict::Differs(_)), "{verdict:?}");
}

#[cfg(unix)]
#[test]
fn engines_that_hang_die_or_flood_fail_and_are_ended() {
    // Endless waits get a short limit, finite ones all the time they need.
    let brief = Some(Duration::from_millis(700));
    let verdict = |number, script| verdict_on_shell_engine(number, script, brief);
    let patient = |number, script| verdict_on_shell_engine(number, script, None);
    let started = Instant::now();
    let got = |verdict| {
        if let Verdict::Failed(mismatch) = verdict { mismatch.got } else { String::new() }
    };
    assert_eq!(got(verdict("G1", SHELL_ENGINE)), "nothing within 0.7 s");
    let half = "read line; printf '= half'; sleep 600";
    assert_eq!(got(verdict("G1", half)), "= half, then nothing within 0.7 s");
    let end = r"nothing, then the end of output, exit status: 3, stderr: panic\n";
    assert_eq!(got(patient("G7", SHELL_ENGINE)), end);
    // An engine that dies at a house rule does not merely differ.
    let dying = "read line; exit 1";
    assert!(matches!(patient("G56", dying), Verdict::Failed(_)));
    // Neither reads nor answers, while a line of ten megabytes is sent.
    assert!(matches!(verdict("G8", "sleep 600"), Verdict::Failed(_)));
    let deaf = "read line; printf '= Deaf\\n\\n'; sleep 600";
    assert!(matches!(verdict("G13", deaf), Verdict::Failed(_)));
    // Answers endlessly, by a process that outlives the shell.
    let flood = "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done | cat";
    assert!(matches!(patient("G1", flood), Verdict::Failed(_)));
    assert!(started.elapsed() < Duration::from_secs(500), "{:?}", started.elapsed());
}

#[test]
fn a_command_that_cannot_be_started_is_an_error() {
    let command = ["/nonexistent/engine".to_owned()];
    let cases = select(Play(Kind::Gtp), &["g1".to_owned()]).unwrap();
    assert!(run(&command, Play(Kind::Gtp), &cases, &mut |_| {}).is_err());
    assert!(run(&[], Play(Kind::Gtp), &cases, &mut |_| {}).is_err());
}

#[test]
fn cases_are_selected_by_number() {
    let numbers = |selected: &[&str]| {
        let selected: Vec<String> = selected.iter().map(|&number| number.to_owned()).collect();
        select(Play(Kind::Gtp), &selected)
            .map(|cases| cases.iter().map(|case| case.number).collect::<Vec<_>>())
    };
    assert_eq!(numbers(&["g12", "G3"]).unwrap(), ["G12", "G3"]);
    assert_eq!(numbers(&[]).unwrap().len(), 56);
    assert_eq!(numbers(&["G1", "N1"]).unwrap_err().to_string(), "there is no gtp case 'N1'");
}

#[cfg(unix)]
#[test]
fn a_dialogue_counts_every_byte_and_ends_with_the_engine() {
    let held = |script: &str, dialogue: &str| {
        let command = ["sh", "-c", script].map(str::to_owned);
        let held = converse(&command, Kind::Gtp, dialogue, Duration::from_secs(60));
        held.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let cat = "echo \"= $1\"; echo; cat";
    let long = "# first\n! x A\n< = A\n<\n> a\n> b\n< ...\n< b\n> c\n< c";
    for (script, dialogue, error) in [
        (cat, long, ""),
        (cat, "! x A\n< ...", ""),
        (cat, "! x A\n< = A", "4: sent '' got '\\n' expected 'no more output'"),
        (cat, "! x A\n< = A\n< ", ""),
        (cat, "! x A\n< = A ", "2: sent '' got '= A' expected '= A '"),
        (
            "cat; exit 3",
            "> a\n< a",
            "5: sent 'a\\n' got 'exit status: 3' expected 'exit status: 0'",
        ),
        ("cat; echo b >&2", "> a\n< a", "6: sent 'a\\n' got 'b\\n' expected 'no output on stderr'"),
        ("cat", "> a\n< b", "2: sent 'a\\n' got 'a' expected 'b'"),
        ("true", "dance", "1"),
    ] {
        let got = held(script, dialogue);
        assert!(
            if error.is_empty() { got.is_empty() } else { got.starts_with(error) },
            "{dialogue}: {got}"
        );
    }
}

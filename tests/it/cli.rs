//! The command line: help, version, wrong arguments, the measuring commands and their exit statuses.

use std::fs;
use std::process::{Command, Stdio};

use anstream::adapter::strip_str;

use crate::harness::samples::{PASS, START, rows};
use crate::harness::{Folder, output, piped, program, run, run_unread, words};

/// The subcommands as the help lists them.
fn commands() -> Vec<String> {
    let help = run(&["--help"], "").success().stdout;
    // There is a list for each audience, with an empty line after it.
    let lists = help.split("\nCommands for ").skip(1);
    let names = lists.flat_map(|list| list.lines().skip(1).take_while(|line| !line.is_empty()));
    let names = names.filter_map(|line| line.split_whitespace().nth(1));
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

// Help and version

const ENGINE_OPTIONS: &str = "--level --depth --nodes --strength --elo --player --clock --threads --hash \
    --ponder --randomness --seed --resign --overhead --weights --log-file --finish";

/// Arguments and options in the help of a subcommand, if it exists.
const ARGUMENTS: [(&str, &str); 19] = [
    ("nboard", ENGINE_OPTIONS),
    ("gtp", ENGINE_OPTIONS),
    ("cassio", ENGINE_OPTIONS),
    ("perft", "<N> --from --json"),
    ("bench", "--json"),
    ("solve", "--depth --confidence --limit --skip --time --json --concurrency --shard"),
    (
        "match",
        "--player --games --openings --clock --concurrency --out --resume --shard --sprt --rank",
    ),
    ("report", "--html --sprt"),
    ("merge", "<PART> --output --force"),
    ("replay", "<LOG> status"),
    ("compliance", "--proto"),
    (
        "selfplay",
        "--output --duration --positions --depth --exact --seed --shard --near --games --opening-min --first-depth --nice",
    ),
    ("train", "--output --hold-out --memory --patience --init --measure --nice FILE.checkpoint"),
    ("weights", "inspect pack compare"),
    ("fit-ranking", "--output 13 empty squares"),
    ("positions", "--output --positions --depth"),
    ("play", "--black --white --clock --plain"),
    ("analyze", "--game --time --depth --threads --hash --html --batch --json"),
    ("convert", "--output --format --to --force --encoding --check --concurrency"),
];

#[test]
fn help_names_commands_and_options() {
    let help = run(&["--help"], "").success().stdout;
    for word in
        ["Usage: othellier", "NBoard", "GTP", "Cassio", "--version", "\nCommands for players:\n"]
    {
        assert!(help.contains(word), "no {word} in\n{help}");
    }
    let commands = commands();
    assert!(!help.contains("Other commands"), "a command has no audience:\n{help}");
    for command in ["nboard", "gtp", "cassio", "bench", "perft"] {
        assert!(commands.iter().any(|name| name == command), "no {command} in {commands:?}");
    }
}

#[test]
fn help_of_each_command_names_its_arguments() {
    for command in commands() {
        let help = run(&[&command, "--help"], "").success().stdout;
        let arguments =
            ARGUMENTS.iter().find(|(name, _)| *name == command).map_or("", |found| found.1);
        let usage = format!("Usage: othellier {command}");
        for word in arguments.split(' ').chain([usage.as_str()]) {
            assert!(help.contains(word), "no {word} in\n{help}");
        }
        assert!(help.contains("\nExample"), "no example in\n{help}");
        assert!(help.lines().count() <= 60 || command == "match", "{command}: too long\n{help}");
        assert!(run(&["help", &command], "").success().stdout.contains(&usage));
    }
}

#[test]
fn completions_name_commands_and_options() {
    for (shell, own) in [("bash", "complete -F"), ("zsh", "#compdef"), ("fish", "complete -c")] {
        let script = run(&["completions", shell], "").success().stdout;
        assert!(script.contains(own), "{shell}: no {own}");
        for word in commands().iter().map(String::as_str).chain(["confidence", "othellier"]) {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
    let script = run(&["completions", "bash"], "").success().stdout;
    for values in ["ggf sgf wthor obf transcript", "en fr", "black white"] {
        assert!(script.contains(&format!("\"{values}\"")), "no {values}");
    }
    let mut bash = piped(Command::new("bash"));
    bash.arg("-n");
    if Command::new("bash").arg("--version").stdout(Stdio::null()).status().is_ok() {
        output(bash, script.as_bytes()).success();
    }
    assert_eq!(run(&["completions", "tcsh"], "").status, Some(2));
    assert_eq!(run_unread(&["completions", "zsh"], "").status, Some(0));
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new("man");
    let path = folder.to_str().unwrap();
    let output = run(&["man", path], "").success();
    let commands = commands();
    let below = ["book-build", "book-show", "book-check"];
    let n_pages = fs::read_dir(path).unwrap().count();
    assert!(n_pages > commands.len() + below.len());
    assert_eq!(output.stdout, format!("man: {n_pages} pages in {path}\n"));
    assert!(folder.text("othellier.1").contains(".TH othellier 1"));
    for command in commands.iter().map(String::as_str).chain(below) {
        let page = folder.text(&format!("othellier-{command}.1"));
        assert!(page.contains(&format!(".TH othellier-{command} 1")), "{page}");
        assert!(page.contains("Example"), "{page}");
    }
    run(&["man", path], "").fails(1, "--force");
    run(&["man", path, "--force"], "").success();
}

#[test]
fn version_tells_the_build() {
    let version = run(&["--version"], "").success().stdout;
    let begin = concat!("othellier ", env!("CARGO_PKG_VERSION"), " (");
    assert!(version.starts_with(begin), "{version}");
    assert_eq!(version.lines().count(), 1, "{version}");
    let weights = othellier::evaluation::weights::stored_checksum(othellier::evaluation::EMBEDDED);
    let weights = format!("weights {weights:016x}");
    // The commit differs from build to build; a build without a known commit says "not recorded".
    let commit = option_env!("OTHELLIER_COMMIT").unwrap_or("not recorded");
    assert!(version.contains(&format!("commit {commit},")), "{version}");
    for word in [othellier::cpu::BUILD_TIER, "build", "commit", &weights] {
        assert!(version.contains(word), "no {word} in {version}");
    }
    assert_eq!(run(&["-V"], "").success().stdout, version);
}

// Wrong usage

#[test]
fn wrong_usage_is_explained_with_status_2() {
    // Each with words that the message must hold: what is allowed, or at least what was meant.
    for (arguments, words) in [
        ("--level 0", "--level|from 1 to 60"),
        ("--level 61", "--level|from 1 to 60"),
        ("gtp --level x", "--level"),
        ("--depth 0", "--depth|from 1 to 60"),
        ("--nodes 0", "--nodes|from 1 to"),
        ("--threads 0", "--threads|from 1 to"),
        ("nboard --threads -1", "-1"),
        ("--strength 0", "--strength|from 1 to 60"),
        ("--elo 1", "--elo|from "),
        ("--elo 1000 --strength 5", "--elo|--strength"),
        ("--player classic:open=discs/99", "--player|'open=discs/99'|from 1 to 60"),
        ("--player nobody", "--player|'nobody'|minimax"),
        ("--player cmd=x", "--player|command"),
        ("--clock nonsense", "--clock|30+0.1|move:|byo:|depth:|nodes:|level:"),
        ("--clock level:61", "--clock|level:"),
        ("--hash 0", "--hash|from 1 to"),
        ("--randomness 65", "--randomness|0 to 64"),
        ("--resign few", "--resign|0 to 64"),
        ("--seed x", "--seed"),
        ("--overhead x", "--overhead"),
        ("--log-file", "--log-file|FILE"),
        ("frobnicate", "frobnicate|--help"),
        ("--frobnicate", "--frobnicate|--help"),
        ("gtp --frobnicate", "--frobnicate|--help"),
        ("gtp -nobok", "--help"),
        ("gtp -hash 99", "-hash|from 0 to 32"),
        ("--name [x]", "--name|brackets"),
        ("-gtp -x", "-x|-level|-threads|-hash|-nobook|-book-usage|-eval-file|-q|-mode"),
        ("perft", "<N>"),
        ("perft x", "<N>"),
        ("perft -1", "-1"),
        ("perft 21", "<N>|from 0 to 20"),
        ("perft 3 4", "4"),
        ("perft 3 --from abc", "--from|'abc'"),
        ("perft 3 --from ---", "--from|64"),
        ("bench 1", "'1'"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = run(&arguments, "");
        assert!(output.status == Some(2) && output.is_silent(), "{arguments:?} {output:?}");
        for word in words.split('|') {
            assert!(output.stderr.contains(word), "{arguments:?}: no {word} in\n{}", output.stderr);
        }
        assert!(!output.stderr.contains("panicked"), "{arguments:?} {}", output.stderr);
    }
}

#[test]
fn habitual_flags_of_other_engines_are_understood() {
    for (arguments, input, expected) in [
        ("-gtp -l 3 -t 2 -hash 16 -nobook -q", "name\nquit\n", "= Othellier 3\n\n= \n\n"),
        // What a match script appends to a command of ours.
        ("gtp --level 2 --threads 1 -quiet -nobook -l 3 -t 2", "name\n", "= Othellier 3\n\n"),
        ("-gtp -level 0 -book-usage off -eval-file none.dat", "1 name\n", "=1 Othellier 1\n\n"),
        ("-nboard -n 1 -level 60 --hash 2", "ping 3\nquit\n", "pong 3\n"),
        ("-cassio -threads 1", "ENGINE-PROTOCOL quit\n", "bye bye.\n"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        assert_eq!(run(&arguments, input).success().stdout, expected, "{arguments:?}");
    }
}

#[test]
fn options_of_ones_own_are_for_all_commands_that_have_them() {
    for (own, line, input, status, said) in [
        ("--level 3 --name Ada", "gtp", "name", 0, "= Ada\n"),
        ("--level 3", "", "name", 0, "= Othellier 3\n"),
        // Flags override it, and who is careful takes none.
        ("--level 3", "gtp --level 5", "name", 0, "= Othellier 5\n"),
        ("-l3", "-gtp -l 4", "name", 0, "= Othellier 4\n"),
        ("--depth 8", "gtp --level 5", "name", 0, "= Othellier 5\n"),
        ("--strength 20", "gtp --elo 1500", "name", 0, "= Othellier strength 28\n"),
        ("--level 3", "gtp --sandbox", "name", 0, "= Othellier\n"),
        // Others do not have them.
        ("--level 3 --hash 1", "perft 1", "", 0, "perft 1: 4"),
        ("--hash 1", "solve f5d6 --depth 1", "", 0, "total: 1 positions"),
        ("--threads 0", "gtp", "", 2, "OTHELLIER_OPTIONS: invalid value '0' for '--threads <N>'"),
        ("--depht 3", "perft 1", "", 2, "OTHELLIER_OPTIONS: unexpected argument '--depht'"),
        ("--name \"A", "gtp", "", 2, "OTHELLIER_OPTIONS: a quote is not closed"),
    ] {
        let mut command = program(&words(line));
        command.env("OTHELLIER_OPTIONS", own);
        let output = output(command, input.as_bytes());
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(output.status == Some(status) && text.contains(said), "{own} {line}: {text}");
    }
}

#[test]
fn a_game_alone_is_analyzed() {
    for game in ["f5d6", "---------------------------OX------XO--------------------------- X"] {
        let output = run(&[game, "--depth", "1", "--no-book"], "").success();
        assert!(output.stdout.contains("f5") && output.stdout.contains("move"), "{output:?}");
    }
    run(&[&START[1..]], "").refuses(1, "a board has 64 cells, found 63");
    for (line, status, said) in [
        ("f5d9", 1, "no move at 'd9'"),
        ("analyze f5 d6 --depth 1 --no-book", 0, "2  white  d6"),
        ("analyze --batch f5 d6 --depth 1 --no-book", 0, "\"ply\":2"),
        ("analyze --batch f5 README.md", 2, "several files need --summary"),
        ("f5 d6 c3 x9", 1, "no move at 'x9'"),
        ("solve x --depth 1", 1, "cannot read x"),
        ("paly", 2, "similar subcommands exist"),
        ("edax -solve no.obf", 1, "no.obf"),
        ("analyze .pictures/play.png", 1, "is a picture"),
        ("no-file.ggf", 1, "cannot read no-file.ggf"),
        ("book show f5d6", 0, "opening: Perpendicular"),
        ("book memorize f5d6", 0, "positions to know as black"),
        ("match random greedy --sprt 500,1500", 2, "from -1000 to 1000 with E0 < E1"),
        ("match random greedy --quiet", 0, ""),
        ("match randum greedy", 2, "'randum' is not a player; did you mean random?"),
        ("match engine:levl=3 greedy", 2, "unknown key 'levl'; did you mean level?"),
        ("analyze README.mb", 1, "did you mean README.md?"),
    ] {
        let output = run(&words(line), "");
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(output.status == Some(status) && text.contains(said), "{line}: {text}");
    }
}

#[test]
fn the_name_is_told_in_every_protocol() {
    for (options, gtp, nboard) in [
        (&[][..], "Othellier", "Othellier"),
        (&["--level", "12"], "Othellier 12", "Othellier-12"),
        (&["--depth", "8"], "Othellier depth 8", "Othellier-d8"),
        (&["--strength", "20", "--level", "4"], "Othellier strength 20", "Othellier-s20"),
        (&["--player", "minimax2"], "Othellier minimax2", "Othellier-minimax2"),
        (&["--clock", "level:7"], "Othellier 7", "Othellier-7"),
        (&["--depth", "8", "--player", "engine:level=7"], "Othellier 7", "Othellier-7"),
        (&["--clock", "move:4", "--player", "engine:level=7"], "Othellier 7", "Othellier-7"),
        (&["--name", "Ada B.", "--level", "3"], "Ada B.", "Ada-B."),
    ] {
        let say = |protocol: &str, input: &str| {
            run(&[&[protocol], options].concat(), input).success().stdout
        };
        assert_eq!(say("gtp", "name\n"), format!("= {gtp}\n\n"));
        assert_eq!(say("nboard", "nboard 2\nquit\n"), format!("set myname {nboard}\nstatus\n"));
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            say("cassio", "ENGINE-PROTOCOL get-version\nENGINE-PROTOCOL quit\n"),
            format!("version: {gtp} {version}\nready.\nbye bye.\n")
        );
    }
}

// Perft

const PERFT: [u64; 9] = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390_216];

#[test]
fn perft_rows_are_json() {
    let rows = rows(&run(&["perft", "8", "--json"], "").success().stdout);
    assert_eq!(rows.len(), PERFT.len());
    for (depth, row) in rows.iter().enumerate() {
        assert_eq!((&row["depth"], &row["leaves"]), (&depth.into(), &PERFT[depth].into()), "{row}");
        assert!(row["time"].is_number() && row["leaves_per_second"].is_number(), "{row}");
    }
}

#[test]
fn perft_starts_anywhere() {
    // A pass first; a game that is over; a last empty square.
    let over = format!("{} O", "X".repeat(64));
    let full = format!("-O{} X", "X".repeat(62));
    for (text, leaves) in [(PASS, [1, 1, 2, 8]), (&over, [1; 4]), (&full, [1; 4])] {
        let rows = rows(&run(&["perft", "3", "--from", text, "--json"], "").success().stdout);
        assert!(rows.iter().map(|row| &row["leaves"]).eq(&leaves), "{text}: {rows:?}");
    }
}

// Bench

#[test]
fn bench_repeats_its_node_count() {
    let texts = [(); 2].map(|()| run(&["bench"], "").success());
    let [first, second] = texts.each_ref().map(|output| output.last_line());
    assert_eq!(first, second);
    let total: u64 = first.strip_prefix("Bench: ").and_then(|n| n.parse().ok()).expect(first);
    let nodes = |part: &str| -> u64 {
        let line = texts[0].stdout.lines().find_map(|line| line.strip_prefix(part)).expect(part);
        let (nodes, rest) = line.split_once(" nodes, ").expect(line);
        assert!(rest.contains(" nodes/s"), "{line}");
        nodes.parse().expect(line)
    };
    assert_eq!(nodes("midgame: ") + nodes("endgame: "), total);

    let rows = rows(&run(&["bench", "--json"], "").success().stdout);
    assert_eq!(rows.last().unwrap()["bench"], total);
    let sum: u64 = rows.iter().filter_map(|row| row["nodes"].as_u64()).sum();
    assert_eq!(sum, total, "{rows:?}");
}

// An output that nobody reads

#[test]
fn a_closed_output_is_a_quiet_end() {
    for arguments in [
        &["perft", "6"][..],
        &["perft", "6", "--json"],
        &["bench", "--json"],
        &["--help"],
        &["--version"],
        &["gtp"],
        &["nboard"],
        &["cassio"],
        // They would search for minutes, as they do on Windows, which does not tell that nobody reads.
        &["json"],
        &["analyze", "--batch", "-", "--time", "600"],
        &["solve", "--time", "600", "--depth", "60", "-"],
    ] {
        let input = match arguments[0] {
            "json" => r#"{"id":1,"moves":"f5d6","time":600}"#,
            "analyze" | "solve" => START,
            "gtp" => "name\nname\ngenmove black\n",
            "nboard" => "nboard 2\nping 1\ngo\n",
            "cassio" => "ENGINE-PROTOCOL init\n",
            _ => "",
        };
        if cfg!(windows) && (input.contains("600") || arguments.contains(&"600")) {
            continue;
        }
        let output = run_unread(arguments, input);
        assert_eq!((output.status, output.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn options_hold_where_the_first_line_is_a_request() {
    let asked = |arguments: &[&str], own: &str, input: &str| {
        let mut command = program(arguments);
        command.env("OTHELLIER_OPTIONS", own);
        output(command, input.as_bytes())
    };
    let request = r#"{"id":1,"moves":"f5","depth":1,"book":true}"#;
    for (arguments, own, has_book) in
        [(&[][..], "", true), (&["--no-book"], "", false), (&[], "--no-book", false)]
    {
        let answer = asked(arguments, own, request).success().stdout;
        assert_eq!(answer.contains("\"book\":"), has_book, "{arguments:?} {own}: {answer}");
    }
    let named = asked(&["--name", "Mine"], "", r#"{"action":"version"}"#).success().stdout;
    assert!(named.contains(r#""name":"Mine""#), "{named}");
    for (arguments, key) in
        [(["--depth", "3"], r#""depth":3,"#), (["--level", "2"], r#""depth":2,"#)]
    {
        let answer = asked(&arguments, "", r#"{"moves":"f5"}"#).success().stdout;
        assert!(answer.contains(key), "{arguments:?}: {answer}");
    }
    let refused = asked(&["--ponder"], "", request);
    assert_eq!(refused.status, Some(2));
    assert!(refused.stderr.contains("'--ponder'"), "{}", refused.stderr);
    let folder = Folder::new("requests-log");
    let logged = folder.command("--log-file log");
    output(logged, request.as_bytes()).success();
    let log = String::from_utf8(folder.read("log")).unwrap();
    assert!(log.contains(&format!("> {request}")) && log.contains("< {\"id\":1"), "{log}");
}

#[test]
fn contempt_is_an_option_and_ranges_have_negative_numbers() {
    run(&["gtp", "--contempt", "-2"], "quit\n").success();
    let refused = run(&["gtp", "--randomness", "-1"], "").stderr;
    assert!(refused.contains("from 0 to 64"), "{refused}");
}

#[test]
fn colors_are_for_terminals() {
    let folder = Folder::new("colors");
    folder.write("solved.obf", format!("{START}; D3:+1; C4:+1; F5:+1; E6:+1;\n"));
    let players = "--player random --player greedy --player minimax2";
    output(folder.command(&format!("match --out event {players}")), b"").success();
    for (line, closing) in [
        ("analyze f5d6c3d3c4b3b2 --depth 8", "black: "),
        // Solved rows are kept, with their times.
        ("solve solved.obf --depth 1 --resume rows", "total: "),
        ("report event", "result: "),
    ] {
        let run = |choice: &str, variable: &str| {
            let mut command = folder.command(&format!("{choice} {line}"));
            command.env(variable, "1");
            output(command, b"").success().stdout
        };
        let (plain, colored) = (run("", "NO_COLOR"), run("--color=always", "NO_COLOR"));
        assert!(!plain.contains('\u{1b}') && colored.contains("\u{1b}[3"), "{colored}");
        assert_eq!(strip_str(&colored).to_string(), plain);
        assert_eq!(run("--color never", "CLICOLOR_FORCE"), plain);
        let closing = plain.lines().find(|line| line.starts_with(closing)).unwrap();
        assert!(colored.lines().any(|line| line == closing), "{colored}");
    }
    run(&["perft", "1", "--color", "some"], "").refuses(2, "auto, always, never");
}

#[test]
fn options_may_stand_before_the_command() {
    run(&["--color", "never", "--json", "perft", "1"], "").success();
    let output = run(&["--level", "3", "gtp", "--no-book"], "othellier-settings\nname\nquit\n");
    assert!(output.status == Some(0) && output.stdout.contains("Othellier"), "{output:?}");
    // The name of an engine is no protocol.
    let output = run(&["--name", "gtp"], "name\nquit\n").success();
    assert_eq!(output.stdout, "= gtp\n\n= \n\n");
}

#[test]
fn nboard_shows_why_an_engine_did_not_start() {
    for (arguments, words) in [
        (&["nboard", "--book", "/no/such/book"][..], "/no/such/book"),
        (&["nboard", "--levle", "3"], "unexpected argument '--levle'"),
        (&["-nboard", "-selfplay"], "unknown flag -selfplay"),
    ] {
        let output = run(arguments, "");
        assert_ne!(output.status, Some(0));
        let lines: Vec<&str> = output.stdout.lines().collect();
        assert!(lines.len() == 1 && lines[0].starts_with("status ") && lines[0].contains(words));
        assert!(output.stderr.contains(words), "{output:?}");
        let gtp: Vec<String> = arguments.iter().map(|word| word.replace("nboard", "gtp")).collect();
        let gtp: Vec<&str> = gtp.iter().map(String::as_str).collect();
        assert_eq!(run(&gtp, "").stdout, "");
    }
    assert!(!run(&["nboard", "--help"], "").stdout.starts_with("status"));
}

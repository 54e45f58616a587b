//! The protocols on their pipes: choosing one, the start and the end, odd bytes, logs, pondering and idling.
//!
//! The sessions and the numbered cases test the replies. Machines that run tests are busy, so most tests use endless
//! searches, which prove by ending that they were cut short; only ignored tests measure times.

use std::thread;
use std::time::{Duration, Instant};

use othellier::board::{Move, Position};

use crate::harness::samples::set_up;
use crate::harness::{Engine, Folder, output, program, run, wait_until};

/// Answers that need no search come within this time.
const AT_ONCE: Duration = Duration::from_millis(250);

/// Attempts to meet a time limit on a machine that may be busy.
const ATTEMPTS: usize = 5;

/// The replies of a GTP session as a list of their texts.
#[track_caller]
fn replies(arguments: &[&str], input: &str) -> Vec<String> {
    let output = run(arguments, input).success();
    let replies = output.stdout.split_terminator("\n\n");
    replies.map(|reply| reply.strip_prefix("= ").expect(reply).to_owned()).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn the_threads_of_searches_run_before_a_clock_does() {
    let engine = Engine::start(&["gtp", "--threads", "9", "--hash", "1"]);
    let tasks = format!("/proc/{}/task", engine.id());
    let is_helper = |task: std::io::Result<std::fs::DirEntry>| {
        let name = std::fs::read_to_string(task.ok()?.path().join("comm")).ok()?;
        name.starts_with("search ").then_some(())
    };
    let n_helpers = || std::fs::read_dir(&tasks).unwrap().filter_map(is_helper).count();
    wait_until("8 helpers run", || n_helpers() >= 8);
}

// The choice of the protocol

#[test]
fn the_first_line_chooses_the_protocol() {
    for (input, expected) in [
        ("nboard 2\nquit\n", "set myname Othellier-2\nstatus\n"),
        ("\r\n  \n# a comment\nping 7\nquit\n", "pong 7\n"),
        ("learn\nquit\n", "learned\n"),
        ("move f5\nping 1\nquit\n", "pong 1\n"),
        ("set depth 3\nping 1\nquit\n", "pong 1\n"),
        ("ENGINE-PROTOCOL init\nENGINE-PROTOCOL quit\n", "ready.\nbye bye.\n"),
        ("version\nping 7\nquit\n", "= VERSION\n\n? unknown command\n\n= \n\n"),
        ("\n# a comment\n3 protocol_version\nquit\n", "=3 2\n\n= \n\n"),
        ("frobnicate\nquit\n", "? unknown command\n\n= \n\n"),
        // Lines may end in carriage returns.
        ("komi 6\r\n\r\n2 protocol_version\r\nquit\r\n", "= \n\n=2 2\n\n= \n\n"),
        ("nboard 2\r\nmove f5\r\nping 4\r\nquit\r\n", "set myname Othellier-2\nstatus\npong 4\n"),
        ("ENGINE-PROTOCOL  init\r\nENGINE-PROTOCOL  quit\r\n", "ready.\nbye bye.\n"),
    ] {
        let expected = expected.replace("VERSION", env!("CARGO_PKG_VERSION"));
        // Options do not choose the protocol.
        assert_eq!(run(&["--level", "2"], input).success().stdout, expected, "{input:?}");
        let expected = expected.replace("Othellier-2", "Othellier");
        assert_eq!(run(&[], input).success().stdout, expected, "{input:?}");
    }
}

#[test]
fn the_first_argument_chooses_the_protocol() {
    for form in ["", "--", "-"] {
        let speak = |protocol: &str, input: &str| {
            run(&[&format!("{form}{protocol}")], input).success().stdout
        };
        assert_eq!(speak("gtp", "ping 7\nquit\n"), "? unknown command\n\n= \n\n");
        assert_eq!(speak("nboard", "name\nping 7\nquit\n"), "pong 7\n");
        assert_eq!(
            speak("cassio", "name\nENGINE-PROTOCOL quit\n").lines().collect::<Vec<_>>(),
            ["ERROR: a command begins with ENGINE-PROTOCOL", "bye bye."]
        );
    }
}

// The start and the end

#[test]
fn nothing_is_said_without_input() {
    for arguments in [&[][..], &["gtp"], &["nboard"], &["--ponder"]] {
        for input in ["", "\n \n# a comment\n"] {
            let output = run(arguments, input).success();
            assert_eq!(output.stdout, "", "{arguments:?} {input:?}");
        }
    }
}

#[test]
#[ignore = "long: measures times"]
fn the_first_reply_comes_at_once() {
    for (arguments, input) in [
        (&[][..], "nboard 2"),
        (&["nboard", "--hash", "1024"], "ping 1"),
        (&["gtp", "--hash", "1024", "--threads", "2"], "name"),
        (&["cassio"], "ENGINE-PROTOCOL init"),
    ] {
        let mut times = (0..ATTEMPTS).map(|_| {
            let start = Instant::now();
            let mut engine = Engine::start(arguments);
            engine.send(input);
            engine.line();
            start.elapsed()
        });
        assert!(times.any(|time| time < AT_ONCE), "{arguments:?}: not within {AT_ONCE:?}");
    }
}

/// A time for a move that no test waits for: a search that ends was cut short.
const ENDLESS: [&str; 3] = ["gtp", "--clock", "move:3600"];

/// A time for a move that distinguishes an interrupted search from a complete one.
const SLOW: [&str; 4] = ["gtp", "--no-book", "--clock", "move:1"];
const WHOLE_SEARCH: Duration = Duration::from_millis(700);

#[test]
fn the_end_of_the_input_cuts_searches_short() {
    for (input, n_moves) in
        [("genmove black\n", 1), ("genmove b", 1), ("genmove b\ngenmove w\ngenmove b\n", 3)]
    {
        let output = run(&ENDLESS, input).success();
        let moves = output.stdout.split_terminator("\n\n");
        let moves: Vec<_> = moves.map(|reply| Move::parse(&reply.as_bytes()[2..])).collect();
        assert!(moves.len() == n_moves && moves.iter().all(Option::is_some), "{}", output.stdout);
    }
    let start = Position::START;
    let input = format!("ENGINE-PROTOCOL midgame-search {}X -64 64 40 100\n", start.cells());
    let output = run(&["cassio"], &input).success();
    assert!(output.stdout.starts_with(&format!("{}X, move ", start.cells())), "{}", output.stdout);
    assert!(output.stdout.contains("\nready.\n"), "{}", output.stdout);
}

/// Edax's console answers scripts whole, however long that takes, but only as long as somebody can read it.
#[test]
#[cfg(unix)]
fn nobody_thinks_when_both_pipes_are_closed() {
    use std::io::Write;
    use std::process::Stdio;

    let mut command = program(&["edax", "--no-book"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"level 60\nf5\nd6\nc3\ngo\n").unwrap();
    drop(child.stdout.take());
    crate::harness::wait(&mut child, &command);
}

#[test]
fn in_the_place_of_edax_nboard_has_its_words() {
    let start = "---------------------------O*------*O---------------------------";
    let game = format!("game (;GM[Othello]BO[8 {start} *]B[F5];)");
    let input = format!("nboard 1\nset depth 1\n{game}\ngo\nset depth 1\nhint 1\nquit\n");
    let told = run(&["-nboard", "-n", "1", "-book-usage", "off"], input).success().stdout;
    let lines: Vec<&str> = told.lines().filter(|line| !line.starts_with("nodestats")).collect();
    let [name, _, again, begun, .., hint] = &lines[..] else { panic!("{told}") };
    assert_eq!((*name, *again), ("set myname Othellier", "set myname Othellier-1"), "{told}");
    assert_eq!(told.matches(again).count(), 2, "{told}");
    assert_eq!((*begun, *hint), ("status Edax is thinking", "status Edax is waiting"), "{told}");
    let at = lines.iter().position(|line| line.starts_with("=== ")).unwrap();
    let words = crate::harness::words(lines[at]);
    assert!(words.len() == 4 && "d6 f4 f6".contains(words[1]), "{told}");
    assert_eq!(lines[at + 1], "status Edax is waiting", "{told}");
}

#[test]
fn each_row_of_a_hint_has_nodes_of_its_own() {
    let words = ["edax", "-q", "-n", "1", "-book-usage", "off", "-l", "5"];
    let told = run(&words, "play f5d6c3d3\nhint 3\nhint 1\nquit\n").success().stdout;
    let rows = told.lines().filter(|line| line.len() > 60);
    let nodes: Vec<u64> = rows.map(|row| row[28..41].trim().parse().expect(row)).collect();
    let [first, second, third, alone] = nodes[..] else { panic!("{told}") };
    assert!(first != second && second != third && third > 0, "{told}");
    assert!(first > second + third && first > alone / 2, "{told}");
}

#[test]
fn a_search_before_quit_is_finished_and_with_finish_every_one() {
    for (more, input) in [(&[][..], "genmove black\nquit\n"), (&["--finish"], "genmove black\n")] {
        let output = run(&[&SLOW[..], more].concat(), input).success();
        assert!(output.elapsed > WHOLE_SEARCH, "{output:?}");
    }
    // A move that is due when the input ends is played.
    for (protocol, input, told) in
        [("xboard", "new\nusermove d3\n", "\nmove "), ("edax", "mode 0\nf5\n", "Edax plays ")]
    {
        let output = run(&[protocol, "--level", "2", "--no-book", "--finish"], input).success();
        assert!(output.stdout.contains(told), "{output:?}");
    }
    // Nothing after `quit` is read.
    assert_eq!(replies(&["gtp"], "quit\nname\n"), [""]);
}

#[test]
fn what_any_line_ends_ends_with_the_input_even_with_finish() {
    for input in ["lz-analyze 10\n", "name\nkata-analyze\n", "set_level 3\ngenmove black\n"] {
        let output = run(&["gtp", "--no-book", "--ponder", "--finish"], input).success();
        assert!(output.stdout.ends_with("\n\n"), "{output:?}");
    }
    let input = "set depth 3\ngo\n";
    let output = run(&["nboard", "--no-book", "--ponder", "--finish"], input).success();
    assert!(output.last_line().starts_with("==="), "{output:?}");
}

#[test]
fn nboard_is_silent_after_the_end() {
    // The front end is gone: no move, and hints end at once.
    for request in ["go", "hint 1", "analyze"] {
        let input = format!("set depth 40\nping 1\n{request}\n");
        let output = run(&["nboard", "--no-book"], &input).success();
        assert!(!output.stdout.contains("==="), "{}", output.stdout);
        assert!(!output.stdout.contains("analysis"), "{}", output.stdout);
    }
    let mut engine = Engine::start(&["nboard", "--no-book"]);
    engine.send("nboard 2\nset depth 40\nhint 1");
    engine.read_to("search ");
    // Rows may still come, but no answer.
    let (lines, status) = engine.end();
    assert_eq!(status, Some(0));
    assert!(lines.iter().all(|line| !line.starts_with("===")), "{lines:?}");
}

#[test]
fn nboard_answers_before_quit_and_with_finish() {
    for (arguments, end) in
        [(&["nboard", "--no-book"][..], "quit\n"), (&["nboard", "--no-book", "--finish"], "")]
    {
        let output = run(arguments, format!("set depth 5\ngo\n{end}")).success();
        assert!(output.last_line().starts_with("=== "), "{}", output.stdout);
        let output = run(arguments, format!("set depth 5\nhint 1\n{end}")).success();
        let last = output.stdout.lines().rfind(|line| line.starts_with("search "));
        assert!(last.is_some_and(|line| line.ends_with(" 0 5")), "{}", output.stdout);
    }
}

// Odd input

#[test]
fn any_bytes_are_survived() {
    let output = run(&[], b"\xff\xfe\xc3( name\nna\0me\n\0\n\0\xff\nquit\n").success();
    assert_eq!(output.stdout, "? unknown command\n\n= Othellier\n\n? unknown command\n\n= \n\n");
    let output =
        run(&["nboard"], b"ping 1\nmove \xff\xff\n\0\xc3\nset game (;\0\xff\nping 2\nquit\n")
            .success();
    let lines: Vec<_> = output.stdout.lines().filter(|line| !line.starts_with("status ")).collect();
    assert_eq!(lines, ["pong 1", "pong 2"]);
    let output =
        run(&["cassio"], b"\xff\nENGINE-PROTOCOL \xff\0\nENGINE-PROTOCOL quit\n").success();
    let lines: Vec<_> = output.stdout.lines().filter(|line| !line.starts_with("ERROR")).collect();
    assert_eq!((lines, output.stdout.matches("ERROR").count()), (vec!["ready.", "bye bye."], 2));
}

#[test]
fn a_very_long_line_gets_one_error() {
    let long = "a".repeat(5 << 20);
    let output = run(&[], format!("{long}\nname\nquit\n")).success();
    assert_eq!(output.stdout, "? unknown command\n\n= Othellier\n\n= \n\n");
    // An analysis that the long line ends closes its own reply first.
    let mut engine = Engine::start(&["gtp"]);
    engine.send("lz-analyze 1");
    engine.read_to("info move");
    engine.send(&long);
    engine.send("version\nquit");
    let (mut lines, status) = engine.end();
    lines.retain(|line| !line.starts_with("info move"));
    let version = format!("= {}", env!("CARGO_PKG_VERSION"));
    let expected = ["", "? unknown command", "", &version, "", "= ", ""];
    assert_eq!((lines, status), (expected.map(str::to_owned).to_vec(), Some(0)));
    let output = run(&["nboard"], format!("ping 1\nset game {long}\nping 2\nquit\n")).success();
    let lines: Vec<_> = output.stdout.lines().collect();
    assert!(
        matches!(lines[..], ["pong 1", status, "pong 2"] if status.starts_with("status ")),
        "{lines:?}"
    );
    let output =
        run(&["cassio"], format!("{long}\nENGINE-PROTOCOL init\nENGINE-PROTOCOL quit\n")).success();
    let lines: Vec<_> = output.stdout.lines().collect();
    assert!(
        matches!(lines[..], [error, "ready.", "bye bye."] if error.starts_with("ERROR")),
        "{lines:?}"
    );
}

// The error output and the log

#[test]
fn nboard_keeps_the_error_output_empty() {
    let input = "nboard 2\nset depth 4\nmove f5\nhint 2\nmove a1\nset game garbage\nfrobnicate\nlearn\nset game\n\
                 analyze\ngo\nping\nquit\n";
    for arguments in [&["nboard"][..], &["-nboard"], &[]] {
        let mut command = program(arguments);
        command.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "1");
        // `success` looks at the error output.
        let output = output(command, input.as_bytes()).success();
        assert!(output.stdout.contains("\nlearned\n"), "{}", output.stdout);
    }
}

#[test]
fn the_log_holds_the_traffic_with_its_times() {
    for (protocol, input, sent, received) in [
        ("gtp", "name\ngenmove black\nquit\n", "> genmove black", "< = Othellier 2"),
        ("nboard", "ping 12\nmove f5\nquit\n", "> move f5", "< pong 12"),
        ("cassio", "ENGINE-PROTOCOL init\n", "> ENGINE-PROTOCOL init", "< ready."),
    ] {
        let folder = Folder::new(&format!("log-{protocol}"));
        let path = folder.file("engine.log");
        run(&[protocol, "--level", "2", "--log-file", &path], input).success();
        let log = folder.text("engine.log");
        for line in [sent, received] {
            let found = log.lines().find(|entry| entry.ends_with(line)).expect(line);
            // As in 2026-01-31T23:59:59.999Z.
            let time = found.split(' ').next().unwrap();
            let shape: String =
                time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{found}");
        }
    }
}

// Options that change the play

/// Games of a session that the engine begins by itself, in a list of their first moves.
fn games(protocol: &str, options: &[&str]) -> Vec<String> {
    let start = "---------------------------OX------XO--------------------------- *";
    let game = format!("set game (;GM[Othello]PC[x]PB[b]PW[w]RE[?]TY[8]BO[8 {start}];)");
    let mut engine = Engine::start(&[&[protocol, "--no-book", "--hash", "1"], options].concat());
    let mut played = vec![String::new(); 3];
    for moves in &mut played {
        if protocol == "gtp" {
            engine.ask("clear_board");
        } else {
            engine.send(&game);
        }
        for color in ["black", "white"].repeat(10) {
            *moves += &if protocol == "gtp" {
                engine.ask(&format!("genmove {color}"))
            } else {
                engine.send("go");
                let mv = engine.read_to("=== ")[4..6].to_owned();
                engine.send(&format!("move {mv}"));
                mv
            };
        }
    }
    played
}

#[test]
fn random_games_of_a_session_differ_and_repeat_by_their_seed() {
    for options in [&["--strength", "25"][..], &["--elo", "1200"], &["--randomness", "4", "-l1"]] {
        for protocol in ["gtp", "nboard"] {
            let seeded = |seed| games(protocol, &[options, &["--seed", seed]].concat());
            let one = seeded("1");
            let mut all = [one.clone(), games(protocol, options)].concat();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), 6, "{protocol} {options:?}: {all:?}");
            assert_eq!(one, seeded("1"), "{protocol} {options:?}");
            assert_ne!(one, seeded("2"), "{protocol} {options:?}");
        }
    }
}

#[test]
fn a_game_draws_by_its_number_however_it_is_set_up() {
    let expected = games("gtp", &["--strength", "10", "--seed", "3"]);
    let mut engine = Engine::start(&["gtp", "--no-book", "--hash", "1", "--strength", "10"]);
    engine.ask("genmove black");
    engine.ask("set_seed 3");
    for game in expected {
        let mut moves = Vec::new();
        for color in ["black", "white"].repeat(10) {
            // Some controllers set up the whole game before each move.
            engine.ask("clear_cache");
            engine.ask("clear_board");
            moves.iter().for_each(|mv: &String| _ = engine.ask(mv));
            let mv = engine.ask(&format!("genmove {color}"));
            moves.push(format!("play {color} {mv}"));
        }
        let played: String = moves.iter().map(|mv| &mv[11..]).collect();
        assert_eq!(played, game);
    }
}

/// Lost by 28 discs and won by 32 with 14 empty squares.
const LOST: &str = "OOOOOO---OXOOOO-XXOXX---XXXXXXXX-XOOOOXX-OXXOXO-O-XXXXOO--O-XXXO X";
const WON: &str = "OX--OXXX-XXOXXXXOXOXXXOO-OXOOXO-OXXOXO--OOXOOOO-XXOOO---XXXO-O-- X";

#[test]
fn only_lost_games_are_resigned_and_only_when_asked() {
    let choose = |position: &str, options: &[&str]| {
        let position = Position::parse(position.as_bytes()).unwrap();
        let input = set_up(position) + "genmove black\nquit\n";
        replies(&[&["gtp", "--level", "8"], options].concat(), &input)[2].clone()
    };
    assert_eq!(choose(LOST, &["--resign", "28"]), "resign");
    for (position, options) in
        [(LOST, &[][..]), (LOST, &["--resign", "28.1"]), (WON, &["--resign", "1"])]
    {
        let mv = choose(position, options);
        let parsed = Move::parse(mv.as_bytes()).unwrap_or_else(|| panic!("{mv}"));
        assert!(Position::parse(position.as_bytes()).unwrap().play(parsed).is_some(), "{mv}");
    }
}

// Files

#[test]
fn in_a_sandbox_no_command_reaches_a_file() {
    let file = "tests/sessions/gtp/pass_inside.sgf";
    let load = |options: &[&str], file: &str| {
        let output = run(&[&["gtp"], options].concat(), format!("loadsgf {file}\nname\n"));
        output.success().stdout
    };
    assert_eq!(load(&[], file), "= black\n\n= Othellier\n\n");
    let refused = "? cannot load file: files are closed (--sandbox)\n\n= Othellier\n\n";
    // The reply does not even tell whether there is such a file.
    for file in [file, "/no/such/file", "/dev/stdin", "/proc/self/environ"] {
        assert_eq!(load(&["--sandbox"], file), refused, "{file}");
    }
    // Files named on the command line are allowed.
    let folder = Folder::new("sandbox");
    assert_eq!(load(&["--sandbox", "--log-file", &folder.file("engine.log")], file), refused);
    let logged = folder.text("engine.log");
    assert!(logged.contains("> loadsgf tests/"), "{logged}");
}

#[test]
fn no_command_of_a_protocol_opens_or_starts_anything_by_its_argument() {
    let folder = Folder::new("strangers");
    for (protocol, prefix, commands) in [
        ("gtp", "", othellier::protocol::gtp::names().collect()),
        ("nboard", "", othellier::protocol::nboard::COMMANDS.to_vec()),
        ("cassio", "ENGINE-PROTOCOL ", othellier::protocol::cassio::COMMANDS.to_vec()),
    ] {
        let mut input = String::new();
        for command in commands.iter().filter(|name| **name != "quit") {
            let file = folder.join(command.replace(' ', "-"));
            input += &format!(
                "{prefix}{command} {0}\n{prefix}{command} cmd=touch {0}\n",
                file.display()
            );
        }
        let output = run(&[protocol, "--level", "1"], input + prefix + "quit\n").success();
        assert!(protocol != "gtp" || output.stdout.matches("? ").count() > 50, "{output:?}");
    }
    assert_eq!(folder.names(), [""; 0]);
}

// Thinking ahead and idling

/// The words of each row of the replies that a pondering engine foresees.
fn foreseen(engine: &mut Engine) -> Vec<Vec<String>> {
    let table = engine.ask("foreseen_replies");
    table.lines().map(|row| row.split(' ').map(str::to_owned).collect()).collect()
}

#[test]
fn a_foreseen_move_is_answered_at_once() {
    let thinking_time =
        |engine: &mut Engine| engine.ask("cputime").parse::<f64>().expect("seconds");
    let mut engine = Engine::start(&["gtp", "--no-book", "--level", "18", "--ponder"]);
    let first = engine.ask("genmove black");
    let mut rows = Vec::new();
    wait_until("all three moves are foreseen", || {
        // A busy machine may need longer; asking only interrupts the pondering.
        thread::sleep(Duration::from_millis(300));
        rows = foreseen(&mut engine);
        assert!(!rows.is_empty() && rows.iter().all(|row| row.len() == 4), "{rows:?}");
        rows.len() == 3 && rows.iter().all(|row| row[2] == "18")
    });
    let parse = |text: &str| Move::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
    let position = Position::START.play(parse(&first)).unwrap();
    for row in &rows {
        let next = position.play(parse(&row[0])).expect("a legal move").play(parse(&row[1]));
        assert!(next.is_some() && row[3].parse::<f64>().is_ok(), "{row:?}");
    }
    let (answer, reply) = (&rows[1][0], &rows[1][1]);
    let before = thinking_time(&mut engine);
    assert_eq!(engine.ask(&format!("play white {answer}")), "");
    assert_eq!(&engine.ask("genmove black"), reply);
    let foreseen = thinking_time(&mut engine) - before;

    let mut fresh = Engine::start(&["gtp", "--no-book", "--level", "18"]);
    fresh.ask(&format!("gogui-play_sequence b {first} w {answer}"));
    fresh.ask("genmove black");
    let searched = thinking_time(&mut fresh);
    assert!(foreseen * 5.0 < searched, "{foreseen} s when foreseen, {searched} s when not");
}

#[test]
fn a_player_thinks_ahead_as_well() {
    let mut engine = Engine::start(&["gtp", "--player", "classic:open=discs/2", "--ponder"]);
    // The first move in the order of its program.
    assert_eq!(engine.ask("genmove black"), "E6");
    let mut rows = Vec::new();
    wait_until("all three moves are foreseen", || {
        thread::sleep(Duration::from_millis(50));
        rows = foreseen(&mut engine);
        rows.len() == 3 && rows.iter().all(|row| row[2].parse::<u32>().unwrap() > 2)
    });
    // The player goes on deepening, so its table at the time of the move counts.
    let (likely, play) = (&rows[0][0], format!("play white {}", rows[0][0]));
    engine.send(&format!("foreseen_replies\n{play}\ngenmove black"));
    let table = engine.reply("foreseen_replies");
    let row = table.lines().find(|row| row.starts_with(likely.as_str())).expect("known before");
    assert_eq!(engine.reply(&play), "");
    assert_eq!(Some(engine.reply("genmove black").as_str()), row.split(' ').nth(1));
    // Another player, and the engine again.
    assert_eq!(engine.ask("set_player minimizer"), "");
    assert_eq!(engine.ask("set_player off"), "");
    engine.send("set_player engine:book=x");
    engine.read_to("? the engine has commands of its own");
    assert_eq!(engine.line(), "");
    assert_eq!(engine.ask("ponder off"), "");
    assert_eq!(engine.ask("clear_board"), "");
    assert_eq!(engine.ask("set_player minimax"), "");
    assert_eq!(engine.ask("genmove black"), "D3");
}

#[cfg(target_os = "linux")]
#[test]
fn an_idle_engine_uses_no_processor_time() {
    let start = |options: &[&str]| {
        let mut engine = Engine::start(
            &[&["gtp", "--no-book", "--level", "30", "--nodes", "100000"], options].concat(),
        );
        engine.ask("genmove black");
        engine
    };
    let idle = start(&[]);
    // On a busy machine the reply may be there before the engine has gone to sleep.
    thread::sleep(Duration::from_millis(200));
    let before = idle.processor_time();
    thread::sleep(Duration::from_millis(500));
    // One step of the clock, 10 ms, may have begun before.
    let used = idle.processor_time() - before;
    assert!(used <= Duration::from_millis(10), "{used:?}");
    // The same measurement shows the thinking of a pondering engine.
    let ponders = start(&["--ponder"]);
    let before = ponders.processor_time();
    wait_until("it ponders", || ponders.processor_time() - before > Duration::from_millis(10));
}

#[test]
fn pings_end_deep_searches_at_once() {
    let mut engine = Engine::start(&["nboard", "--no-book", "--threads", "2"]);
    engine.send("nboard 2\nset depth 60");
    // How soon is measured by the numbered cases: without the ping these searches would go on for hours.
    for number in 1..=20 {
        engine.send(if number % 2 == 0 { "go" } else { "hint 4" });
        // Thinking has begun.
        engine.read_to("search ");
        engine.send(&format!("ping {number}"));
        engine.read_to(&format!("pong {number}"));
    }
    // Nothing comes after the last pong.
    engine.send("learn");
    assert_eq!(engine.line(), "learned");
}

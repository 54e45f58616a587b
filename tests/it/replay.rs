//! Logs as bug reports: a session repeats from its log alone, and differences are found.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::harness::session::sessions;
use crate::harness::{Engine, Folder, Output, run, wait_until};

/// A log that is removed with the test.
struct Log {
    folder: Folder,
    path: String,
}

impl Log {
    fn new(name: &str) -> Log {
        let folder = Folder::new(&format!("replay-{name}"));
        let path = folder.file("engine.log");
        Log { folder, path }
    }

    fn path(&self) -> &str {
        &self.path
    }

    fn text(&self) -> String {
        self.folder.text("engine.log")
    }

    /// Runs the program with a log, and without a book, so that moves are searched.
    #[track_caller]
    fn keep(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
        run(&[arguments, &["--no-book", "--log-file", self.path()]].concat(), input).success()
    }

    fn start(&self, arguments: &[&str]) -> Engine {
        Engine::start(&[arguments, &["--no-book", "--log-file", self.path()]].concat())
    }

    fn replay(&self) -> Output {
        run(&["replay", self.path()], "")
    }

    #[track_caller]
    fn expect_the_same(&self) {
        let output = self.replay();
        let is_same = output.last_line().ends_with(", the same");
        assert!(output.status == Some(0) && is_same, "{output:?}\n{}", self.text());
    }

    /// The searches' results and nodes, without times.
    fn searches(&self) -> Vec<String> {
        let text = self.text();
        let steps = text.lines().filter_map(|line| line.split_once(" * ")).map(|found| found.1);
        let mut searches = Vec::new();
        for step in steps {
            let (found, rest) = step.split_once(" time ").expect(step);
            searches.push(format!("{found}{}", rest.trim_start_matches(|c| c != ' ')));
        }
        searches
    }
}

/// A whole game of the engine against itself over GTP.
fn game() -> String {
    // This waits for the weights while no clock runs.
    "clear_cache\n".to_owned()
        + &"genmove black\ngenmove white\n".repeat(32)
        + "final_score\nquit\n"
}

#[test]
fn a_game_at_a_limit_of_nodes_or_depth_repeats_to_the_node() {
    for (name, options) in [
        ("nodes", &["--nodes", "20000"][..]),
        ("depth", &["--depth", "5"]),
        ("level", &["--level", "4", "--randomness", "2", "--seed", "3"]),
        ("strength", &["--strength", "30", "--seed", "5"]),
    ] {
        let logs = ["one", "two"].map(|run| Log::new(&format!("{name}-{run}")));
        let arguments = [&["gtp"], options].concat();
        let [one, two] = logs.each_ref().map(|log| log.keep(&arguments, game()).stdout);
        assert_eq!(one, two, "{name}");
        let [one, two] = logs.each_ref().map(Log::searches);
        assert!(one.len() > 40, "{name}: {one:?}");
        assert_eq!(one, two, "{name}");
    }
}

#[test]
fn games_without_a_seed_repeat_from_their_log() {
    for options in [["--level", "2", "--randomness", "6"], ["--level", "2", "--strength", "20"]] {
        let log = Log::new("seed");
        log.keep(
            &[&["gtp"], &options[..]].concat(),
            game().replace("quit", "clear_board") + &game(),
        );
        log.expect_the_same();
    }
}

#[test]
fn a_game_by_the_clock_repeats_from_its_log() {
    // A game's clock mostly ends searches after an iteration, a move's within one.
    for (clock, end) in [("0.5+0.01", " after "), ("move:0.05", " within")] {
        let log = Log::new("clock");
        log.keep(&["gtp", "--clock", clock, "--hash", "4"], game());
        let searches = log.searches();
        assert!(searches.iter().any(|step| step.contains(end)), "{clock}: {searches:?}");
        log.expect_the_same();
    }
}

#[test]
fn pondering_repeats_from_its_log() {
    let log = Log::new("ponder");
    let mut engine = log.start(&["gtp", "--clock", "1+0.02", "--ponder", "--hash", "4"]);
    for _ in 0..6 {
        let mv = engine.ask("genmove black");
        // Each question ends the pondering, which then goes on.
        wait_until("it ponders", || !engine.ask("foreseen_replies").is_empty());
        thread::sleep(Duration::from_millis(10));
        // Any reply: the first legal move.
        let moves = engine.ask("gogui-rules_legal_moves");
        let reply = moves.split(' ').next().expect(&mv).to_owned();
        engine.ask(&format!("play white {reply}"));
    }
    engine.send("quit");
    assert_eq!(engine.end().1, Some(0));
    assert!(log.searches().iter().any(|step| step.contains(" stopped")));
    log.expect_the_same();
}

#[test]
fn bursts_of_lines_in_which_pondering_may_begin_repeat_from_their_logs() {
    for round in 0..4 {
        let log = Log::new("bursts");
        let mut engine = log.start(&["gtp", "--ponder", "--level", "6", "--hash", "4"]);
        for number in 0u64..20 {
            // Between two bursts there is no time to ponder, hardly any, or enough.
            for burst in ["genmove black\nname", "version\nforeseen_replies\ngenmove white\nname"] {
                engine.send(burst);
                engine.read_to("= Othellier");
                thread::sleep(Duration::from_micros((number * 3 + round) % 7 * 300));
            }
        }
        engine.send("quit");
        assert_eq!(engine.end().1, Some(0));
        assert!(log.text().contains(" ~ "), "{}", log.text());
        log.expect_the_same();
    }
}

#[test]
fn bursts_of_lines_that_are_answered_during_a_search_or_after_it_repeat_from_their_logs() {
    let position = "----------OOXO-----OXOOO---XXOOO--XOXO---X-XOX---OXXXOX----X-OO-O";
    for round in 0..4 {
        let log = Log::new("at once");
        let mut engine = log.start(&["cassio", "--hash", "1", "--level", "2"]);
        for depth in (1..=6).cycle().take(24) {
            let search = format!("ENGINE-PROTOCOL midgame-search {position} -64 64 {depth} 90");
            engine.send(&format!("{search}\n\nENGINE-PROTOCOL get-search-infos"));
            thread::sleep(Duration::from_micros(round * 200));
            engine
                .send("\nENGINE-PROTOCOL stop\nENGINE-PROTOCOL stop\nENGINE-PROTOCOL get-version");
            engine.read_to("version: ");
        }
        engine.send("ENGINE-PROTOCOL quit");
        assert_eq!(engine.end().1, Some(0));
        log.expect_the_same();
    }
}

#[test]
fn the_end_of_the_input_in_the_middle_of_lines_repeats_from_its_log() {
    for input in ["go\n", "set depth 3\ngo\nmove D3\ngo", "set depth 40\nhint 3\nping 1\ngo\n"] {
        for _ in 0..4 {
            let log = Log::new("end");
            log.keep(&["nboard", "--hash", "4"], input);
            log.expect_the_same();
        }
    }
}

#[test]
fn interrupted_searches_repeat_from_their_logs() {
    let log = Log::new("nboard");
    let mut engine = log.start(&["nboard", "--hash", "4"]);
    engine.send("nboard 2\nset depth 40");
    for (request, pong) in [("hint 3", "1"), ("go", "2"), ("hint 1", "3")] {
        engine.send(request);
        engine.read_to("search ");
        thread::sleep(Duration::from_millis(30));
        engine.send(&format!("ping {pong}"));
        engine.read_to(&format!("pong {pong}"));
    }
    // A move sent during the search makes `go` answer.
    engine.send("go");
    engine.read_to("search ");
    engine.send("move f5");
    engine.read_to("===");
    engine.send("set depth 4\ngo");
    engine.read_to("===");
    // The input ends during a search.
    engine.send("set depth 40\nhint 2");
    engine.read_to("search ");
    assert_eq!(engine.end().1, Some(0));
    assert!(log.searches().iter().filter(|step| step.contains(" stopped")).count() >= 5);
    log.expect_the_same();

    let log = Log::new("cassio");
    let mut engine = log.start(&["cassio", "--hash", "4"]);
    let position = "---------------------------OX------XO---------------------------X";
    engine.send(&format!("ENGINE-PROTOCOL midgame-search {position} -64 64 40 73"));
    thread::sleep(Duration::from_millis(50));
    engine.send("ENGINE-PROTOCOL stop");
    engine.read_to("ready.");
    engine.send(&format!("ENGINE-PROTOCOL midgame-search {position} -64 64 6 100"));
    engine.read_to("ready.");
    assert_eq!(engine.end().1, Some(0));
    log.expect_the_same();
}

#[test]
fn the_dialogues_of_front_ends_repeat_from_their_logs() {
    let log = Log::new("dialogues");
    for session in ["gtp", "nboard", "cassio", "edax", "xboard"].into_iter().flat_map(sessions) {
        session.run(&["--log-file", log.path()]).unwrap();
        log.expect_the_same();
    }
}

#[test]
fn odd_input_and_files_are_in_the_log() {
    let log = Log::new("odd");
    let sgf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions/gtp/pass_inside.sgf");
    let copy = log.folder.write("copy.sgf", fs::read(sgf).unwrap());
    let mut input = format!("name\r\nloadsgf {copy}\nloadsgf /nonexistent\n").into_bytes();
    input.extend_from_slice(b"\xff\xfe play\nechoed \\x41\n\n# comment\n7 \xc3(\n");
    input.extend(vec![b'x'; 3 << 20]);
    input.extend_from_slice(b"\ngenmove black\nshowboard");
    log.keep(&["gtp", "--level", "3"], input);
    fs::remove_file(copy).unwrap();
    log.expect_the_same();
}

#[test]
fn a_log_that_breaks_off_repeats_as_far_as_it_goes() {
    let log = Log::new("broken");
    let mut engine = log.start(&["gtp", "--level", "5", "--hash", "4"]);
    engine.ask("genmove black");
    engine.send("set_level 60\ngenmove white");
    thread::sleep(Duration::from_millis(50));
    // Dropping the engine kills it.
    drop(engine);
    let mut text = log.text();
    assert!(!text.contains("closed:"), "{text}");
    // The search that was killed would take half a minute to its end.
    text = text.replace("set_level 60", "set_level 6");
    fs::write(log.path(), text).unwrap();
    log.expect_the_same();
}

#[test]
fn the_first_difference_is_shown() {
    let log = Log::new("difference");
    log.keep(&["gtp", "--level", "4"], "genmove black\ngenmove white\nquit\n");
    let text = log.text();
    let number_of = |part: &str| {
        1 + text.lines().position(|line| line.contains(part)).unwrap_or_else(|| panic!("{text}"))
    };
    let reply = text.lines().find(|line| line.contains(" < = ")).unwrap();
    let mv = reply.rsplit(' ').next().unwrap();
    let n_nodes = text.split(" nodes ").nth(1).unwrap().split(' ').next().unwrap();
    for (place, got, expected) in [
        (" < = ", format!("= {mv}"), "= A1"),
        (" nodes ", format!("nodes {n_nodes} "), "nodes 77 "),
    ] {
        let number = number_of(place);
        fs::write(log.path(), text.replacen(&got, expected, 1)).unwrap();
        let output = log.replay();
        assert_eq!((output.status, output.stderr.as_str()), (Some(1), ""), "{output:?}");
        let mut lines = output.stdout.lines().rev();
        let place = lines.next().unwrap();
        assert!(place.ends_with(&format!(", different in line {number}")), "{place}");
        for (word, text) in [("got:", got.as_str()), ("expected:", expected)] {
            let line = lines.next().unwrap();
            assert!(line.starts_with(word) && line.contains(text), "{line}");
        }
    }
    // The replay of a log from another build says so.
    fs::write(log.path(), text.replacen("\"build\":\"", "\"build\":\"other ", 1)).unwrap();
    let output = log.replay().success();
    assert!(output.stdout.lines().any(|line| line.starts_with("now: ")), "{output:?}");
}

#[test]
fn a_log_goes_on_behind_what_it_holds() {
    let log = Log::new("sessions");
    let replay = |number: &str| run(&["replay", log.path(), "--session", number], "");
    log.keep(&["gtp", "--level", "1"], "genmove black\nquit\n");
    log.keep(&["nboard"], "nboard 2\nping 5\nquit\n");
    // Cut the last line end, as if the program had been killed within a line.
    let text = log.text();
    fs::write(log.path(), text.strip_suffix('\n').unwrap()).unwrap();
    // Two engines at the same time, as with front ends that ask for the name first.
    let mut engines = [(); 2].map(|()| log.start(&["gtp", "--level", "2"]));
    for engine in &mut engines {
        engine.ask("name");
    }
    for engine in &mut engines {
        engine.ask("genmove black");
    }
    for mut engine in engines {
        engine.send("quit");
        assert_eq!(engine.end().1, Some(0));
    }
    let starts: Vec<String> = ["1", "2", "3", "4"]
        .map(|number| {
            let output = replay(number).success();
            assert!(output.last_line().ends_with(", the same"), "{output:?}");
            output.stdout.lines().next().unwrap().to_owned()
        })
        .into();
    assert!(starts[1].starts_with("log: session 2 of 4, "), "{starts:?}");
    assert!(starts[1].contains("othellier nboard"), "{starts:?}");
    assert_eq!(log.replay().success().stdout, replay("4").stdout);
    let output = replay("5");
    output.fails(2, "no session 5, only 4");
}

#[test]
fn a_file_that_is_no_log_is_left_as_it_is() {
    let log = Log::new("games");
    let games = "f5d6c3d3c4\nf5f6e6f4\n";
    fs::write(log.path(), games).unwrap();
    run(&["gtp", "--log-file", log.path()], "name\n").refuses(1, "something else than a log");
    assert_eq!(log.text(), games);
    let none = "/nonexistent/othellier.log";
    run(&["gtp", "--log-file", none], "name\n").refuses(1, none);
    // A device is no file.
    run(&["gtp", "--log-file", "/dev/null"], "name\n").success();
}

#[test]
fn what_cannot_be_replayed_has_a_status_of_its_own() {
    let log = Log::new("unreadable");
    log.keep(&["gtp", "--level", "1"], "genmove black\nquit\n");
    let text = log.text();
    let (_, rest) = text.split_once('\n').unwrap();
    for (text, word) in [
        (rest.to_owned(), "no header"),
        (String::new(), "no header"),
        (text.replacen("\"--level\"", "\"--lever\"", 1), "--lever"),
        (text.replacen("\"gtp\",\"--level\",\"1\"", "\"perft\",\"1\"", 1), "option"),
        (text.replacen("\"gtp\",", "\"gtp\",\"--weights\",\"/nonexistent\",", 1), "/nonexistent"),
    ] {
        fs::write(log.path(), text).unwrap();
        let output = log.replay();
        output.refuses(2, word);
    }
    let output = run(&["replay", "/nonexistent"], "");
    assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""));
}

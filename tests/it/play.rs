//! `othellier play`: the line mode over pipes, and the full screen in a terminal from tmux.

mod files;
mod resumed;
#[cfg(target_os = "linux")]
mod terminal;

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::{
    Folder, OTHELLIER, Output, PATIENCE, fake_engine, has, output, program, run, run_unread,
};

/// Runs the line mode on this input.
#[track_caller]
fn plain(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut command = program(&[&["play", "--plain"], arguments].concat());
    command.env("LC_ALL", "C");
    output(command, input.as_ref())
}

/// Checks that a text has these parts, which `|` separates, one after the other.
#[track_caller]
fn assert_contains(text: &str, words: &str) {
    let mut rest = text;
    for word in words.split('|') {
        let Some(at) = rest.find(word) else { panic!("no '{word}' in order in\n{text}") };
        rest = &rest[at + word.len()..];
    }
}

#[test]
fn lines_play_a_game_and_wrong_ones_are_asked_again() {
    let output = plain(&["--black", "human"], "z9\na1\nd4\nD3\nhello there\nc5\nq\n").success();
    assert_contains(
        &output.stdout,
        "    A B C D E F G H|  1 . . . . . . . .    Turn 1: Black to move\
        |  3 . . . + . . . .    X Black   2  0:00  human\
        |  4 . . + O X . . .    O White   2  0:00  human\
        |Black> z9\n'z9' is neither a square\
        |Black> a1\na1 is illegal: it flips no disc\
        |Black> d4\nd4 is illegal: the square is occupied\
        |Black> D3\nBlack plays d3, flipping 1 disc\
        |White> hello there\n'hello there' is neither a square\
        |White> c5\nWhite plays c5, flipping 1 disc|Turn 2: Black to move|Black> q\n",
    );
}

#[test]
fn the_french_board_is_that_of_the_older_programs() {
    let mut command = program(&["play", "--plain", "--black", "human"]);
    command.env("LC_ALL", "fr_FR.UTF-8");
    let french = output(command, b"a1\nq\n").success().stdout;
    assert_contains(
        &french,
        "  3 . . . # . . . .    N Noir |  4 . . # B N . . .    B Blanc|a1 est interdit",
    );
    // The first variable that is set decides, and the option overrides them all.
    let mut command = program(&["play", "--plain", "--language", "en"]);
    command.env_remove("LC_ALL").env("LC_MESSAGES", "fr_FR").env("LANG", "C");
    assert!(output(command, b"q\n").success().stdout.contains("Black"));
    let mut command = program(&["play", "--plain"]);
    command.env_remove("LC_ALL").env("LC_MESSAGES", "fr_FR").env("LANG", "C");
    assert!(output(command, b"q\n").success().stdout.contains("Noir"));
}

#[test]
fn two_programs_play_to_the_end_without_anybody() {
    let players = ["--black", "minimax2", "--white", "engine:level=2"];
    let output = plain(&players, "").success();
    let n_moves = output.stdout.lines().filter(|line| line.contains(" plays ")).count();
    assert!((40..=60).contains(&n_moves), "{n_moves}");
    assert_contains(&output.stdout, "depth 2@100%|wins: Black |game over");
    let stepped = plain(&players, "step\nstep\nback\nq\n").success().stdout;
    assert_contains(&stepped, "Black plays|White plays|taken back: 1|White> q");
    assert_eq!(stepped.matches(" plays ").count(), 2);
}

#[test]
fn players_of_every_kind_sit_down() {
    for (player, shown) in [
        ("classic", "classic"),
        ("classic:ponder=off", "classic:ponder=off"),
        ("engine:strength=5", "Computer 5, about 800"),
        ("engine:elo=1000", "engine:elo=1000"),
        ("engine:time=0.1", "Computer, full strength, 0.1 s a move"),
        ("minimax:rounds=3", "minimax:rounds=3"),
    ] {
        let output = plain(&["--white", player], "f5\nq\n").success().stdout;
        assert_contains(&output, &format!("{shown}|White plays|Black> q"));
    }
}

#[test]
fn moves_are_taken_back_and_played_again() {
    let script = "f5\nc4\nundo 2\nredo\nmoves\nfirst\nundo\nlast\nswap\nq\n";
    let output = plain(&["--white", "minimax"], script).success().stdout;
    assert_contains(
        &output,
        "Black> undo 2\ntaken back: 4|redo\nplayed again: 2|  1. Black  f5|  2. White  \
        |first\ntaken back: 2|undo\nnothing to undo|last\nplayed again: 4\
        |sides swapped; you are White|Black plays|White> q",
    );
}

#[test]
fn words_of_other_consoles_are_known() {
    let people = ["--black", "human", "--white", "human", "--advice", "1"];
    let script = "hint 2\nbook\nscore\nf5\nd6\nanalyze\nadvice 2\n\
        setboard -XXXXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOOXXXXOOOOOXXXOOOOOOX-OOOOOOO- X\nscore\nlevel 3\nq\n";
    let output = plain(&people, script).success().stdout;
    assert_contains(
        &output,
        "> hint 2|, |> book|c4 |> score|Black 2, White 2|> analyze|   1  black  f5|white: |> setboard|loaded|> score\nBlack 33, White 28|> level 3|> q",
    );
    let output = plain(&["--white", "engine:level=1"], "level 2\nf5\nq\n").success().stdout;
    assert_contains(&output, "White is now engine:level=2|> f5|White plays");
}

#[test]
fn hints_and_values_come_before_the_next_line() {
    let output = plain(&["--black", "human", "--advice", "4"], "hint\nvalues\nq\n").success();
    assert_contains(&output.stdout, "hint: |depth 4: |values\n|d3 |f5 |> q");
}

#[test]
fn games_can_be_given_up_and_begun_again() {
    let script = "f5\nresign\nd6\nnew\nd3\nclock move:5\nlevel 3\nblack greedy\nq\n";
    let output = plain(&["--black", "human"], script).success().stdout;
    assert_contains(
        &output,
        "White resigns; Black wins|the game is over|new game|Black plays d3|(0:05)\
        |Black is now greedy",
    );
}

#[test]
fn another_engine_plays_and_follows_when_moves_are_taken_back() {
    for protocol in ["gtp", "nboard"] {
        let spec = format!("name=other,proto={protocol},cmd=\"{OTHELLIER}\" {protocol} --level 1");
        let script = "f5\nundo\nd3\nundo\nf5\nundo\nf5\nmoves\nq\n";
        let output = plain(&["--white", &spec], script).success().stdout;
        assert_eq!(output.matches("White plays").count(), 4, "{output}");
        assert!(!output.contains("cannot continue"), "{output}");
    }
    let output =
        plain(&["--white", "proto=gtp,cmd=/nonexistent/engine"], "f5\nstart\nq\n").success().stdout;
    assert_contains(&output, "White cannot continue: start: cannot start|> start|cannot continue");
}

/// The input of a fake engine in a game whose clock changes, up to its first move and then up to its second.
fn read_by_an_engine(protocol: &str, before: &str, after: &str) -> [String; 2] {
    let folder = Folder::new("play-clock");
    let command = format!("{} tell \"{}\"", fake_engine(), folder.file("read"));
    let spec = format!("name=fake,proto={protocol},cmd={command}");
    // Its move is always illegal, so that it is asked for the same one again.
    let script = format!("f5\nclock {after}\nstart\nq\n");
    let output = plain(&["--white", &spec, "--clock", before], &script).success().stdout;
    assert_eq!(output.matches("illegal").count(), 2, "{output}");
    let read = folder.text("read");
    let mut rounds = read.split(if protocol == "gtp" { "genmove" } else { "go\n" });
    [rounds.next().unwrap().into(), rounds.next().unwrap().into()]
}

#[test]
fn a_clock_once_told_to_another_engine_is_taken_back() {
    for before in ["30", "30+5", "move:10", "byo:20/10/3"] {
        // Engines with clocks in whole seconds are not told the last of these.
        for after in ["unlimited", "none", "level:3", "depth:3", "nodes:100", "move:2"] {
            let [first, second] = read_by_an_engine("gtp", before, after);
            assert!(first.contains("time_settings "), "{before}: {first}");
            assert!(second.contains("time_settings 0 1 0\n"), "{before} {after}: {second}");
            assert!(!second.contains("time_left"), "{before} {after}: {second}");
        }
        let [_, second] = read_by_an_engine("gtp", before, "60");
        assert!(second.contains("time_settings 60 0 0\n"), "{before}: {second}");
        let [first, second] = read_by_an_engine("nboard", before, "unlimited");
        assert!(first.contains("TI[") && !second.contains("TI["), "{before}: {first}{second}");
    }
    let [first, second] = read_by_an_engine("gtp", "unlimited", "none");
    assert!(!first.contains("time_") && !second.contains("time_"), "{first}{second}");
}

#[test]
fn the_game_is_left_while_a_program_thinks() {
    // Left alone, these would think for an hour. Scripts get their move all the same, even on a busy machine.
    for input in ["f5\n", "f5\nq\n", "f5\nhint\nq\n"] {
        let output = plain(&["--white", "engine:time=3600"], input).success();
        assert_contains(&output.stdout, "Black plays f5|White plays");
    }
    let output = plain(&["--black", "human", "--advice", "60"], "hint\n").success();
    assert_contains(&output.stdout, "Black> hint|hint:");
    // An engine that never answers is given up after twenty seconds, but leaving does not wait for that.
    let deaf = "name=deaf,proto=gtp,cmd=sleep 1000";
    for input in ["f5\n", "f5\nq\n"] {
        let output = plain(&["--white", deaf], input).success();
        assert!(!output.stdout.contains("cannot go on"), "{}", output.stdout);
    }
}

#[test]
fn wrong_arguments_say_what_there_is() {
    for (arguments, words) in [
        ("--black nobody", &["nobody", "human", "random", "engine"][..]),
        ("--clock soon", &["--clock", "30+0.1"]),
        ("--advice 61", &["--advice", "from 1 to 60"]),
        ("--language de", &["--language", "en, fr"]),
    ] {
        let arguments: Vec<&str> = ["play"].into_iter().chain(arguments.split(' ')).collect();
        let output = run(&arguments, "");
        assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""), "{output:?}");
        for word in words {
            assert!(output.stderr.contains(word), "no {word} in {}", output.stderr);
        }
    }
}

#[test]
fn a_closed_output_and_odd_input_are_a_quiet_end() {
    let unread = run_unread(&["play", "--plain", "--black", "human"], "f5\n");
    assert_eq!((unread.status, unread.stderr.as_str()), (Some(0), ""));
    let mut input = vec![0xff, 0xfe, b'\n'];
    input.extend(std::iter::repeat_n(b'x', 1_000_000));
    input.extend(b"\nf5\nq");
    let read = plain(&["--black", "human"], &input).success();
    assert_contains(&read.stdout, "neither a square|neither a square|Black plays f5");
}

// The full screen

/// A terminal for a command.
pub(super) struct Tmux {
    socket: String,
}

impl Tmux {
    /// Starts a command; `None` without tmux.
    pub(super) fn start(name: &str, size: (u16, u16), command: &str) -> Option<Tmux> {
        let has_tmux = Command::new("tmux").arg("-V").stdout(Stdio::null()).status().is_ok();
        if cfg!(windows) || !has("tmux", has_tmux) {
            return None;
        }
        let tmux = Tmux { socket: format!("othellier-{name}-{}", std::process::id()) };
        let (width, height) = (size.0.to_string(), size.1.to_string());
        tmux.call(&["new-session", "-d", "-x", &width, "-y", &height, command]);
        Some(tmux)
    }

    fn call(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-L", &self.socket, "-f", "/dev/null"])
            .args(arguments)
            .env("LC_ALL", "C.UTF-8")
            .env_remove("TMUX")
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(super) fn keys(&self, keys: &[&str]) {
        self.call(&[&["send-keys"], keys].concat());
    }

    fn screen(&self) -> String {
        self.call(&["capture-pane", "-p"])
    }

    /// Waits until the screen satisfies a condition, and returns it.
    #[track_caller]
    fn wait(&self, what: &str, condition: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if condition(&screen) {
                return screen;
            }
            assert!(start.elapsed() < PATIENCE, "no {what} in\n{screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    pub(super) fn wait_for(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.call(&["kill-server"]);
    }
}

/// A shell command that plays and reports its end.
fn playing(arguments: &str) -> String {
    format!("LC_ALL=C.UTF-8 '{OTHELLIER}' play {arguments}; echo \"left with $?\"; sleep 1000")
}

#[test]
fn a_game_on_the_full_screen() {
    let Some(tmux) = Tmux::start("game", (80, 24), &playing("")) else { return };
    let start = tmux.wait_for("[ Start ]");
    assert!(start.contains("White             Computer 15, about 1110"), "{start}");
    // To the other side and back, and a stronger opponent.
    tmux.keys(&["Down", "Right"]);
    tmux.wait_for("Black             Computer 15");
    tmux.keys(&["Left", "Down", "Down", "2", "0", "?"]);
    tmux.wait_for("20?_");
    tmux.keys(&["BSpace", "Enter", "?"]);
    tmux.wait_for("from 1 to 60");
    tmux.keys(&["x", "End", "Down", "Down", "Down", "Down", "Down", "Enter"]);
    tmux.wait_for("Your move: _");
    tmux.keys(&["d"]);
    tmux.wait_for("Your move: d_");
    tmux.keys(&["3"]);
    tmux.wait_for("1 X d3");
    let replied = tmux.wait_for("2 O ");
    assert!(replied.contains("White: last search") && replied.contains("Computer 20"), "{replied}");
    tmux.keys(&["a", "1"]);
    tmux.wait_for("a1 is illegal");
    tmux.keys(&["i"]);
    tmux.wait_for("hint: ");
    tmux.keys(&["u"]);
    tmux.wait("a board of the start", |screen| screen.contains("taken back: 2"));
    // Any key closes the help; then resign.
    tmux.keys(&["?"]);
    tmux.wait_for("settings: players");
    tmux.keys(&["x", "k", "y"]);
    let over = tmux.wait_for("Enter new game");
    assert!(over.contains("Black resigns; White wins"), "{over}");
    tmux.keys(&["Enter"]);
    tmux.wait("the next game", |screen| {
        screen.contains("Your move: _") && !screen.contains("Enter new game")
    });
    tmux.keys(&["q"]);
    let left = tmux.wait_for("left with 0");
    assert!(!left.contains("Black"), "the screen is not given back:\n{left}");
}

#[test]
fn two_programs_start_pause_and_step_on_the_full_screen() {
    let arguments = "--black engine:level=3 --white greedy";
    let Some(tmux) = Tmux::start("show", (120, 40), &playing(arguments)) else { return };
    tmux.wait_for("press Space");
    tmux.keys(&["t"]);
    tmux.wait_for(" 1 X ");
    tmux.keys(&["t"]);
    let stepped = tmux.wait_for(" 2 O ");
    assert!(stepped.contains("paused") && !stepped.contains(" 3 X "), "{stepped}");
    tmux.keys(&["Space"]);
    tmux.wait_for("Enter new game");
    tmux.keys(&["q"]);
    tmux.wait_for("left with 0");
}

#[test]
fn a_small_or_poor_terminal_gets_the_plain_board() {
    for (at, (width, term)) in
        [(60, "TERM=screen"), (80, "TERM=dumb"), (80, "TERM="), (80, "env -u TERM")]
            .iter()
            .enumerate()
    {
        let command = format!("{term} {}", playing("--strength 10 --advice 1"));
        let Some(tmux) = Tmux::start(&format!("plain-{at}"), (*width, 50), &command) else {
            return;
        };
        tmux.wait_for("Black>");
        tmux.keys(&["d3", "Enter"]);
        tmux.wait_for("White plays");
        tmux.keys(&["a", "Enter"]);
        let table = tmux.wait_for("white: ");
        assert!(!table.contains("\\r") && !table.contains("\\u"), "{table}");
        tmux.keys(&["quit", "Enter"]);
        tmux.wait_for("left with 0");
    }
}

#[test]
fn mistakes_are_shown_on_the_board_and_written_to_a_page() {
    let folder = Folder::new("play-mistakes");
    let game = "e6f4e3f6g5d6e7f5c5";
    let command = format!("cd '{}'; {}", folder.display(), playing(game));
    let Some(tmux) = Tmux::start("mistakes", (80, 24), &command) else { return };
    tmux.wait_for("a mistakes");
    tmux.keys(&["a"]);
    tmux.wait_for("what each move lost");
    tmux.wait("the end of the analysis", |screen| screen.contains("??") && !screen.contains("/9"));
    tmux.keys(&["Home", "n"]);
    tmux.wait_for(" and loses ");
    tmux.keys(&["s"]);
    tmux.wait_for(".html_");
    tmux.keys(&["Enter"]);
    tmux.wait_for("open it in a browser");
    assert!(folder.names().iter().any(|name| name.ends_with(".html")), "{:?}", folder.names());
    tmux.keys(&["Escape", "q"]);
    tmux.wait_for("left with 0");
}

#[test]
fn a_pasted_text_is_no_keys_and_a_suspended_board_comes_back() {
    let command = format!(
        "bash -c \"set -m; LC_ALL=C.UTF-8 '{OTHELLIER}' play --color both; echo stopped; read; fg; echo left with \\$?; sleep 1000\""
    );
    let Some(tmux) = Tmux::start("paste", (80, 24), &command) else { return };
    tmux.wait_for("Your move: _");
    for (text, shown) in
        [("Quick game: see www.example.com/x", "is no game"), ("f5d6c3d3c4", "the other one?")]
    {
        tmux.call(&["set-buffer", text]);
        tmux.call(&["paste-buffer", "-p"]);
        tmux.wait_for(shown);
    }
    tmux.keys(&["y"]);
    tmux.wait_for("5 X c4");
    tmux.keys(&["C-z"]);
    tmux.wait("the shell", |screen| screen.contains("stopped") && !screen.contains("5 X c4"));
    tmux.keys(&["Enter"]);
    tmux.wait_for("5 X c4");
    tmux.keys(&["q", "q"]);
    tmux.wait_for("left with 0");
}

#[test]
fn positions_are_practised() {
    let folder = Folder::new("play-puzzles");
    let position = "---------------------------OX------XO--------------------------- X;";
    let with = folder.write("a.obf", format!("{position} D3:+2; C4:-1; E6:+2; F5:+1;\n"));
    let typed = "?\nc4\nnext\nq\n";
    let output = plain(&["--puzzles", &with, "--advice", "2"], typed).success().stdout;
    assert_contains(
        &output,
        "1 of 1: find Black's best move|  next  |c4 loses 3 discs. d3 +2, e6 +2, f5 +1, c4 -1. The best line: d3 |right: 0 of 1",
    );
    let without = folder.write("b.obf", position);
    run(&["play", "--puzzles", &without], "").fails(1, "has no values of moves");
    run(&["convert", "-", &folder.file("c.wtb")], "f5d6c3");
    run(&["play", "--puzzles", &folder.file("c.wtb")], "").fails(1, "has no values of moves");
}

#[test]
fn opponents_are_named_by_strength_and_people_by_color() {
    for (arguments, words) in [
        ("--color white", "Computer 15|human"),
        ("--strength 3 --color white", "Computer 3, about|human"),
        ("--elo 1000", "human|engine:elo=1000"),
        ("--level 2", "human|engine:level=2"),
        ("--color none --strength 1", "Computer 1|Computer 1"),
        ("--color both", "human|human"),
        ("--white 12", "human|Computer 12"),
    ] {
        let output =
            plain(&arguments.split(' ').collect::<Vec<_>>(), "pause\nq\n").success().stdout;
        assert_contains(&output, words);
    }
    let output = plain(&["--strength", "5"], "strength 7\nmoves\nq\n").success().stdout;
    assert_contains(&output, "Computer 5, about|White is now engine:strength=7");
    run(&["gtp", "--color", "white"], "")
        .fails(2, "--color black, white, both and none are for play");
}

#[test]
fn a_small_terminal_is_survived_and_a_large_one_used() {
    let Some(tmux) = Tmux::start("size", (80, 24), &playing("--black human")) else { return };
    tmux.wait_for("q quit");
    for (width, height) in [("60", "20"), ("120", "40"), ("10", "3"), ("100", "50")] {
        tmux.call(&["resize-window", "-x", width, "-y", height]);
        let expected = if width.len() == 2 { "needs" } else { "q quit" };
        tmux.wait_for(expected);
    }
    tmux.keys(&["C-c"]);
    tmux.call(&["resize-window", "-x", "80", "-y", "24"]);
    tmux.wait_for("left with 0");
}

#[test]
fn without_colors_there_are_none() {
    let command = format!("NO_COLOR=1 LC_ALL=C '{OTHELLIER}' play --black human");
    let Some(tmux) = Tmux::start("colors", (80, 24), &command) else { return };
    let screen = tmux.wait_for("q quit");
    assert!(screen.is_ascii() && screen.contains("/XX\\") && screen.contains("/OO\\"), "{screen}");
    let styled = tmux.call(&["capture-pane", "-p", "-e"]);
    // 39 and 49 restore the default colors.
    for color in (30..=38).chain(40..=48) {
        for mark in [format!("[{color}m"), format!(";{color}m"), format!("[{color};")] {
            assert!(!styled.contains(&mark), "color {mark}");
        }
    }
}

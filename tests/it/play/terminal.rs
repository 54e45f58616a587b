//! The full screen when its terminal changes or goes away, and when signals end it.

use std::fs;
use std::process::Command;

use rustix::process::Signal;

use super::Tmux;
use crate::faults::{public_folder, public_program, stranger};
use crate::harness::{Folder, OTHELLIER, send, wait_until};

/// A shell command that plays, with a prefix before the program, and reports its end and whether the terminal is restored: lines
/// with an echo.
fn leaving(before: &str, program: &str) -> String {
    format!(
        "{before} '{program}' play --black human --white human; echo \"left with $?\"; \
        case $(stty -a) in *-icanon*|*' -echo '*) echo spoilt;; *) echo as it was;; esac; sleep 1000"
    )
}

/// A prefix of a program that writes its process id to a file.
fn writing_pid(file: &str) -> String {
    format!("LC_ALL=C.UTF-8 sh -c 'echo $$ > \"$0\"; exec \"$@\"' '{file}'")
}

/// Sends a signal to the process whose id is in a file.
fn signal(pid_file: &str, signal: Signal) {
    send(fs::read_to_string(pid_file).unwrap().trim().parse().unwrap(), signal);
}

/// On a busy machine, keys and a change of the size may reach the program at the same time.
#[test]
fn keys_that_come_with_a_change_of_the_size_are_not_lost() {
    let folder = Folder::new("play-together");
    let pid_file = folder.file("pid");
    let command = leaving(&writing_pid(&pid_file), OTHELLIER);
    let Some(tmux) = Tmux::start("together", (80, 24), &command) else { return };
    tmux.wait_for("Your move: _");
    let seen = [("d", "Your move: d_"), ("3", "1 X d3"), ("c", "Your move: c_"), ("5", "2 O c5")];
    for (round, (key, shown)) in seen.into_iter().enumerate() {
        let (width, height) = if round % 2 == 0 { ("100", 50) } else { ("80", 24) };
        signal(&pid_file, Signal::STOP);
        if round < 2 {
            tmux.keys(&[key]);
        }
        tmux.call(&["resize-window", "-x", width, "-y", &height.to_string()]);
        if round >= 2 {
            tmux.keys(&[key]);
        }
        signal(&pid_file, Signal::CONT);
        tmux.wait("the key and the new size", |screen| {
            // The help is in the bottom line.
            let bottom = screen.lines().position(|line| line.contains("q quit"));
            screen.contains(shown) && bottom == Some(height - 1)
        });
    }
    signal(&pid_file, Signal::STOP);
    tmux.keys(&["C-c"]);
    tmux.call(&["resize-window", "-x", "100", "-y", "30"]);
    signal(&pid_file, Signal::CONT);
    tmux.wait_for("as it was");
}

#[test]
fn a_terminal_of_any_size_costs_little_memory() {
    let command =
        format!("stty rows 65535 cols 65535; {}", leaving("ulimit -v 900000;", OTHELLIER));
    let Some(tmux) = Tmux::start("huge", (80, 24), &command) else { return };
    tmux.wait_for("q quit");
    tmux.keys(&["C-c"]);
    tmux.wait_for("left with 0");
}

/// The content of a window that becomes smaller is lost, even if the old size is back when the program sees the change.
#[test]
fn a_window_that_changes_and_changes_back_is_drawn_again() {
    let folder = Folder::new("play-back");
    let pid_file = folder.file("pid");
    let command = leaving(&writing_pid(&pid_file), OTHELLIER);
    let Some(tmux) = Tmux::start("back", (80, 24), &command) else { return };
    let is_whole = |screen: &str| {
        let bottom = screen.lines().position(|line| line.contains("q quit"));
        screen.contains("Black") && screen.contains("Your move: _") && bottom == Some(23)
    };
    tmux.wait("the board", is_whole);
    let terminal = tmux.call(&["display", "-p", "#{pane_tty}"]);
    signal(&pid_file, Signal::STOP);
    for (width, height) in [("40", "10"), ("80", "24")] {
        tmux.call(&["resize-window", "-x", width, "-y", height]);
        let size = || Command::new("stty").args(["-F", terminal.trim(), "size"]).output().unwrap();
        let expected = format!("{height} {width}\n").into_bytes();
        wait_until("the terminal has its size", || size().stdout == expected);
    }
    assert!(!is_whole(&tmux.screen()));
    signal(&pid_file, Signal::CONT);
    tmux.wait("the board again", is_whole);
    // Ctrl-L removes what another program has written over the screen.
    fs::write(terminal.trim(), "\x1b[2;1Hsomebody was here").unwrap();
    tmux.wait_for("somebody");
    tmux.keys(&["C-l"]);
    tmux.wait("the board alone", |screen| is_whole(screen) && !screen.contains("somebody"));
}

#[test]
fn the_terminal_is_given_back_on_every_way_out() {
    let folder = Folder::new("play-leave");
    let pid_file = folder.file("pid");
    let before = writing_pid(&pid_file);
    for way in ["q", "C-c", "TERM", "HUP"] {
        let name = format!("leave-{way}");
        let Some(tmux) = Tmux::start(&name, (80, 24), &leaving(&before, OTHELLIER)) else { return };
        tmux.wait_for("q quit");
        match way {
            "TERM" => signal(&pid_file, Signal::TERM),
            "HUP" => signal(&pid_file, Signal::HUP),
            key => tmux.keys(&[key]),
        }
        let left = tmux.wait_for("as it was");
        assert!(left.contains("left with 0") && !left.contains("q quit"), "{way}:\n{left}");
    }
}

/// The system refuses the thread that waits for signals, before the screen is set up, or the one that reads keys, after that.
#[test]
fn the_terminal_is_given_back_when_starting_fails() {
    // Only root can run the program as another user, whose threads can be limited.
    if !rustix::process::getuid().is_root() {
        return;
    }
    let folder = public_folder("play-refused");
    let program = public_program(&folder);
    for n_threads in [1, 2] {
        let user = stranger();
        let before = format!(
            "LC_ALL=C.UTF-8 setpriv --reuid={user} --regid={user} --clear-groups \
            prlimit --nproc={n_threads}:{n_threads}"
        );
        let name = format!("refused-{n_threads}");
        let Some(tmux) = Tmux::start(&name, (80, 24), &leaving(&before, &program)) else { return };
        let left = tmux.wait_for("left with");
        let left = tmux.wait("the terminal's state", |screen| {
            screen.contains("as it was") || screen.contains("spoilt")
        }) + &left;
        assert!(left.contains("as it was") && left.contains("left with 1"), "{n_threads}:\n{left}");
        assert!(left.contains("othellier: ") && !left.contains("q quit"), "{n_threads}:\n{left}");
    }
}

#[test]
fn a_terminal_that_goes_away_ends_the_game() {
    let folder = Folder::new("play-gone");
    let status = folder.join("status");
    let play = format!("'{OTHELLIER}' play --black engine:level=60 --white human");
    // The shell outlives the terminal, to tell how the game ended.
    let command = format!("trap '' HUP; LC_ALL=C.UTF-8 {play}; echo $? > '{}'", status.display());
    let Some(tmux) = Tmux::start("gone", (80, 24), &command) else { return };
    tmux.wait_for("Black: thinking");
    drop(tmux);
    wait_until("it has ended", || fs::read_to_string(&status).is_ok_and(|text| text == "0\n"));
}

//! Files that are unfinished: what stands in their way, and what a signal leaves of them.

use rustix::process::Signal;

use super::after;
use crate::harness::{
    Engine, Folder, OTHELLIER, output, program_with_signals, send, wait_until, words,
};

/// Names that an unfinished file might have; `$$` is the process that writes it.
const GUESSES: [&str; 5] = ["W.part", ".W.part", ".W.1.part", ".W.$$.part", ".W.$$.1.part"];

#[test]
fn nothing_is_written_through_a_link_that_stands_in_the_way() {
    let folder = Folder::new("links");
    folder.write("one.txt", "f5d6c3\n");
    for (line, written) in [
        ("book add z.othb one.txt", &["z.othb"][..]),
        ("book compact z.othb", &["z.othb"]),
        ("book export z.othb z.jsonl", &["z.jsonl"]),
        ("convert one.txt z.wtb", &["z.wtb", "z.jou", "z.trn"]),
        (
            "analyze one.txt --depth 1 --html z.html --ggf z.ggf --sgf z.sgf",
            &["z.html", "z.ggf", "z.sgf"],
        ),
        ("match --player random --player greedy --games 2 --html m.html", &["m.html"]),
        ("man z", &["z/othellier.1"]),
    ] {
        folder.write("precious", "precious");
        let target = folder.file("precious");
        let plant = |name: &str| {
            let (at, name) = name.split_once('/').unwrap_or((".", name));
            let guesses =
                GUESSES.map(|guess| format!("ln -sf {target} {}", guess.replace('W', name)));
            format!("mkdir -p {at}; cd {at}; {}; cd {}; ", guesses.join("; "), folder.display())
        };
        let setting: String = written.iter().map(|name| plant(name)).collect();
        let mut command = after(&setting, &words(line));
        command.current_dir(&*folder);
        let ran = output(command, b"");
        assert_eq!(ran.status, Some(0), "{line}: {ran:?}");
        assert_eq!(folder.text("precious"), "precious", "{line}");
        for name in written {
            let path = folder.join(name);
            assert!(path.is_file() && !path.is_symlink(), "{line}: {name}");
        }
    }
    // What a command says before the first game.
    let player = format!("name=a,proto=gtp,cmd={OTHELLIER}");
    let line = ["match", "--player", &player, "--player", "random", "--clock", "level:1"];
    let setting = "export TMPDIR=$PWD; ln -s precious othellier-$$-0.txt";
    let mut command = after(setting, &line);
    command.current_dir(&*folder);
    assert_eq!(output(command, b"").status, Some(0));
    assert_eq!(folder.text("precious"), "precious");
    // Of a book, the files that stay beside it.
    for name in ["y.othb.log", "y.othb.lock"] {
        folder.write("precious", "");
        let link = folder.join(name);
        std::os::unix::fs::symlink(folder.join("precious"), &link).unwrap();
        let refused = output(folder.command("book add y.othb one.txt"), b"");
        refused.refuses(1, "is a link");
        assert_eq!(folder.text("precious"), "");
        std::fs::remove_file(link).unwrap();
    }
}

#[test]
fn a_signal_leaves_nothing_unfinished_and_the_next_run_what_a_kill_left() {
    let folder = Folder::new("unfinished");
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::KILL] {
        let line = "analyze f5d6 --depth 60 --ggf z.ggf";
        let mut command = program_with_signals(&words(line));
        command.current_dir(&*folder);
        let mut engine = Engine::start_command(command);
        wait_until("the file is begun", || folder.names() == [".z.ggf.part"]);
        send(engine.id(), signal);
        engine.wait();
        let left = if signal == Signal::KILL { &[".z.ggf.part"][..] } else { &[] };
        assert_eq!(folder.names(), left, "{signal:?}");
    }
    output(folder.command("analyze f5 --depth 1 --ggf z.ggf"), b"").success();
    assert_eq!(folder.names(), ["z.ggf"]);
}

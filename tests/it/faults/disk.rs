//! Disks that are full or read-only while games are written, and files that change while they are used.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use othellier::evaluation::EMBEDDED;
use serde_json::Value;

use super::{after, first_move, public_folder, public_program, set_mode, without_rights};
use crate::harness::{Engine, output, run, words};

const N_GAMES: u64 = 40;

/// The head of a command line for a match whose games repeat.
const EVENT: &str = "match --player engine:depth=2,name=two --player engine:depth=1,name=one --games 40 --concurrency 2";

#[cfg(feature = "training")]
const SELFPLAY: &str = "selfplay --positions 4000 --depth 1 --exact 6 --nice 0";

/// The moves of an event's games by number.
fn games(folder: &str) -> BTreeMap<u64, String> {
    let text = fs::read_to_string(Path::new(folder).join("games.jsonl")).unwrap();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let game = |line: &str| -> (u64, String) {
        let record: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        (record["id"].as_u64().unwrap(), record["moves"].as_str().unwrap().to_owned())
    };
    whole.map(game).collect()
}

/// Shell code that limits files to this many kilobytes; writing more is an error, as on a full disk.
fn small_files(kilobytes: u32) -> String {
    // `ulimit -f` counts blocks of 512 bytes.
    format!("trap '' XFSZ\nulimit -f {}", 2 * kilobytes)
}

/// Runs a match on a disk that is full after a few games, and resumes it with room.
fn fill_and_resume(
    calm: &BTreeMap<u64, String>,
    out: &str,
    run_limited: impl Fn(&[&str]) -> Command,
) {
    let mut arguments = [&words(EVENT)[..], &["--out", out]].concat();
    let mut n_before = 0;
    // The second run finds the disk as full as the first has left it.
    for _ in 0..2 {
        let stopped = output(run_limited(&arguments), b"");
        stopped.fails(1, "cannot");
        assert!(!stopped.stderr.contains("panicked"), "{stopped:?}");
        let kept = games(out);
        assert!(kept.len() >= n_before && kept.len() < calm.len(), "{} games", kept.len());
        assert!(kept.iter().all(|(id, moves)| calm[id] == *moves));
        n_before = kept.len();
        arguments = vec!["match", "--resume", out, "--concurrency", "2"];
    }
    assert!(n_before > 0);
}

#[test]
fn a_match_on_a_full_disk_loses_nothing_and_resumes() {
    let folder = public_folder("full-match");
    let (calm, out) = (folder.file("calm"), folder.file("out"));
    run(&[&words(EVENT)[..], &["--out", &calm]].concat(), "").success();
    let calm = games(&calm);
    assert_eq!(calm.len() as u64, N_GAMES);
    fill_and_resume(&calm, &out, |arguments| after(&small_files(8), arguments));
    run(&["match", "--resume", &out], "").success();
    assert_eq!(games(&out), calm);
    assert_eq!(folder.text("out/games.ggf").matches("(;GM[Othello]").count() as u64, N_GAMES);
    // Repeat on a real full file system, where one may be mounted.
    let small = folder.file("small");
    fs::create_dir(&small).unwrap();
    let mount = "mount -t tmpfs -o size=256k none";
    let is_mounted = |command: &str| {
        let shell = Command::new("sh").args(["-c", &format!("{command} {small} 2>&1")]).output();
        shell.is_ok_and(|output| output.status.success())
    };
    if is_mounted(mount) {
        let out = format!("{small}/out");
        let result = std::panic::catch_unwind(|| {
            fs::write(format!("{small}/filler"), vec![0; 232 << 10]).unwrap();
            fill_and_resume(&calm, &out, |arguments| after(":", arguments));
            fs::remove_file(format!("{small}/filler")).unwrap();
            run(&["match", "--resume", &out], "").success();
            assert_eq!(games(&out), calm);
        });
        assert!(is_mounted("umount"), "it stays mounted");
        result.unwrap();
    }
}

#[cfg(feature = "training")]
#[test]
fn self_play_on_a_full_disk_loses_nothing_and_goes_on() {
    let folder = public_folder("full-selfplay");
    let (calm, cut) = (folder.file("calm.bin"), folder.file("cut.bin"));
    run(&[&words(SELFPLAY)[..], &["--output", &calm]].concat(), "").success();
    let arguments = [&words(SELFPLAY)[..], &["--output", &cut]].concat();
    let calm = folder.read("calm.bin");
    for kilobytes in [20, 20, 50] {
        let stopped = output(after(&small_files(kilobytes), &arguments), b"");
        stopped.fails(1, "cannot write");
        let kept = folder.read("cut.bin");
        assert!(kept.len() > (kilobytes as usize - 10) << 10 && calm.starts_with(&kept));
    }
    run(&arguments, "").success();
    assert_eq!(folder.read("cut.bin"), calm);
}

#[test]
fn a_read_only_disk_is_named_and_nothing_changes() {
    let folder = public_folder("read-only");
    let program = public_program(&folder);
    let (out, log) = (folder.file("event/out"), folder.file("event/engine.log"));
    let event = folder.file("event");
    run(&[&words(EVENT)[..], &["--out", &event]].concat(), "").success();
    let cut = {
        let text = folder.text("event/games.jsonl");
        let end = text.match_indices('\n').nth(9).unwrap().0 + 1;
        // Ten games and a half.
        text[..end + 30].to_owned()
    };
    fs::write(folder.file("event/games.jsonl"), &cut).unwrap();
    for name in ["games.jsonl", "games.ggf", "event.toml"] {
        set_mode(&folder.join("event").join(name), 0o444);
    }
    set_mode(&folder.join("event"), 0o555);
    let data = folder.file("event/data.bin");
    let mut commands = vec![
        [&words(EVENT)[..], &["--out", &out]].concat(),
        vec!["match", "--resume", &event],
        vec!["gtp", "--log-file", &log],
    ];
    if cfg!(feature = "training") {
        commands.push(vec!["selfplay", "--positions", "100", "--output", &data]);
    }
    for arguments in commands {
        let words = [&[program.as_str()], &arguments[..]].concat();
        let output = output(without_rights(&words, None), b"");
        output.fails(1, "Permission denied");
        assert!(output.stderr.contains(&event), "{arguments:?} {output:?}");
    }
    assert_eq!(folder.text("event/games.jsonl"), cut);
    // Once the files may be written again, the match goes on.
    set_mode(&folder.join("event"), 0o755);
    for name in ["games.jsonl", "games.ggf"] {
        set_mode(&folder.join("event").join(name), 0o644);
    }
    run(&["match", "--resume", &event], "").success();
    assert_eq!(games(&event).len() as u64, N_GAMES);
}

#[test]
fn a_log_that_cannot_be_written_does_not_disturb_the_game_and_is_told_once() {
    let folder = public_folder("full-log");
    let log = folder.file("engine.log");
    let nboard = "ping 1\n".repeat(1000) + "go\nquit\n";
    for (arguments, input, log, reply) in [
        (&["gtp"][..], "genmove black\nquit\n", "/dev/full", "= "),
        (&["nboard"], &nboard, &log, "=== "),
        (&[], "genmove black\nquit\n", "/dev/full", "= "),
    ] {
        let arguments = [arguments, &["--level", "3", "--log-file", log]].concat();
        let output = output(after(&small_files(4), &arguments), input.as_bytes());
        assert_eq!(output.status, Some(1), "{output:?}");
        assert!(output.stdout.lines().any(|line| line.starts_with(reply)), "{output:?}");
        assert_eq!(output.stderr.matches(log).count(), 1, "{output:?}");
        assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
    }
}

#[test]
fn pipes_and_devices_are_not_read_where_files_are_kept() {
    let folder = public_folder("devices");
    let pipe = folder.file("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for name in [&pipe, "/dev/zero", "/dev/full", "."] {
        let gtp = run(&["gtp"], format!("loadsgf {name}\nset_book {name}\nquit\n")).success();
        assert_eq!(gtp.stdout.matches("not a regular file").count(), 2, "{gtp:?}");
        let play = ["play", "--plain", "--black", "human", "--white", "human"];
        let played = run(&play, format!("load {name}\nquit\n")).success();
        assert!(played.stdout.contains("not a regular file"), "{played:?}");
        if cfg!(feature = "training") && name != "." {
            run(&["selfplay", "--positions", "1", "--output", name], "")
                .fails(1, "not a regular file");
        }
    }
}

#[test]
fn weights_that_change_during_a_run_do_not_matter() {
    let folder = public_folder("weights");
    let path = folder.file("weights.bin");
    let moves = "genmove black\ngenmove white\n";
    let expected =
        run(&["gtp", "--no-book", "--level", "6"], format!("{moves}quit\n")).success().stdout;
    // Overwritten in place, replaced by another file, gone.
    for change in ["overwrite", "cut", "replace", "remove"] {
        fs::write(&path, EMBEDDED).unwrap();
        let mut engine = Engine::start(&["gtp", "--no-book", "--level", "6", "--weights", &path]);
        assert_eq!(engine.ask("name"), "Othellier 6");
        match change {
            "overwrite" => fs::write(&path, vec![0x55; EMBEDDED.len()]).unwrap(),
            "cut" => fs::write(&path, b"").unwrap(),
            "replace" => {
                let other = folder.file("other.bin");
                fs::write(&other, b"something else").unwrap();
                fs::rename(other, &path).unwrap();
            }
            _ => fs::remove_file(&path).unwrap(),
        }
        let mut text = String::new();
        for command in moves.lines() {
            text += &format!("= {}\n\n", engine.ask(command));
        }
        assert_eq!(text + "= \n\n", expected, "{change}");
        // A new table and other settings do not read the file again.
        engine.ask("clear_board");
        engine.ask("set_hash 8");
        engine.ask("clear_cache");
        first_move(&format!("= {}\n", engine.ask("genmove black")));
        drop(engine);
        // An engine started later sees the change.
        let late = run(&["gtp", "--weights", &path], "quit\n");
        assert_eq!(late.status, Some(1), "{change}: {late:?}");
    }
}

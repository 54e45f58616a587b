//! Self-play, training and weights files from outside, on tiny data: what is made depends on nothing but the settings, survives
//! a kill, and damage is named.

mod weights;

use std::fs;

use othellier::evaluation::ErrorModel;
use othellier::evaluation::weights::{File, UNMEASURED};
use serde_json::Value;

use crate::harness::{Folder, Output, output, run};

/// Bytes of a position in a self-play file.
const RECORD: u64 = 24;

impl Folder {
    #[track_caller]
    fn run(&self, line: &str) -> Output {
        output(self.command(line), b"")
    }

    /// The error of a command that must fail.
    #[track_caller]
    fn fail(&self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(output.status, Some(1), "{output:?}");
        output.stderr
    }

    /// Makes a self-play file.
    #[track_caller]
    fn play(&self, name: &str, more: &str) {
        let line = format!("selfplay --output {name} --depth 1 --exact 6 {more}");
        self.run(&line).success();
    }
}

/// The numbers of the closing line of `train`.
fn closing(output: &Output) -> [f64; 4] {
    let line = output.last_line();
    let rest = line.strip_prefix("train: positions ").expect(line);
    let (positions, rest) = rest.split_once(", epochs ").expect(line);
    let (epochs, rest) = rest.split_once(", hold-out mae ").expect(line);
    let (mae, mse) = rest.split_once(" mse ").expect(line);
    [positions, epochs, mae, mse].map(|number| number.parse().expect(line))
}

// Self-play

#[test]
fn self_play_depends_on_no_threads_and_no_kill() {
    let folder = Folder::new("selfplay");
    let endless = "selfplay --output cut.bin --positions 1000000000 --depth 1 --exact 6 \
                   --concurrency 2";
    let n_bytes = folder.kill(endless, "cut.bin", 1000 * RECORD);
    let goal = n_bytes / RECORD + 2000;
    folder.play("cut.bin", &format!("--positions {goal} --concurrency 2"));
    folder.play("one.bin", &format!("--positions {goal} --concurrency 1"));
    folder.play("two.bin", &format!("--positions {goal} --concurrency 2"));
    let whole = folder.read("one.bin");
    assert!(whole.len() as u64 >= goal * RECORD && (whole.len() as u64).is_multiple_of(RECORD));
    assert!(whole == folder.read("two.bin"), "threads change the games");
    assert!(whole == folder.read("cut.bin"), "a kill changes the games");
    let one = folder.file("one.bin");
    let again = run(&["selfplay", "--output", &one, "--positions", &goal.to_string()], "");
    assert!(again.stderr.contains("at nice 19,") && again.stderr.contains("already complete"));
    folder.play("other.bin", &format!("--positions {goal} --seed 2"));
    assert!(whole != folder.read("other.bin"), "the seed changes nothing");
}

#[test]
fn self_play_begins_from_games_of_others() {
    let folder = Folder::new("games");
    folder.write("games.txt", "# a comment\nf5f6d3g5h5h4f7h6c5\n");
    let borrowed = "--positions 2000 --near games.txt";
    folder.play("one.bin", &format!("{borrowed} --concurrency 1"));
    folder.play("two.bin", &format!("{borrowed} --concurrency 2"));
    folder.play("none.bin", "--positions 2000");
    assert!(folder.read("one.bin") == folder.read("two.bin"));
    assert!(folder.read("one.bin") != folder.read("none.bin"));
    folder.write("games.txt", "f5f6d3\nf5a1\n");
    let error = folder.fail("selfplay --output x.bin --positions 9 --near games.txt");
    assert!(error.contains("games.txt") && error.contains("line 2"), "{error}");
}

#[test]
fn positions_are_searched_again() {
    let folder = Folder::new("rescore");
    folder.play("games.bin", "--positions 3000");
    let rescore = |name: &str, more: &str| {
        let line = "selfplay --rescore games.bin --depth 2 --exact 8";
        let output = folder.run(&format!("{line} --output {name} {more}"));
        assert_eq!(output.status, Some(0), "{output:?}");
        folder.read(name)
    };
    let (before, after) = (folder.read("games.bin"), rescore("one.bin", "--concurrency 1"));
    assert_eq!(before.len(), after.len());
    let (mut n_changed, mut n_proven) = (0, 0);
    let records = |bytes: &[u8]| bytes.as_chunks::<{ RECORD as usize }>().0.to_vec();
    for (before, after) in records(&before).iter().zip(records(&after)) {
        assert_eq!(before[..16], after[..16], "another board");
        let is_proven = |record: &[u8; RECORD as usize]| record[20] & 2 != 0;
        if is_proven(before) {
            assert_eq!(*before, after, "proven before");
        } else {
            let score = f64::from(i16::from_le_bytes([after[16], after[17]])) / 128.0;
            assert!((score - f64::from(after[18] as i8)).abs() <= 0.5, "{after:?}");
            n_changed += usize::from(before[16..18] != after[16..18]);
            n_proven += usize::from(is_proven(&after));
        }
    }
    assert!(n_changed > 500 && n_proven > 100, "{n_changed} {n_proven}");
    rescore("two.bin", "--positions 1000 --concurrency 2");
    let part = folder.read("two.bin").len();
    assert!((24_000..after.len()).contains(&part), "{part}");
    assert!(rescore("two.bin", "--concurrency 2") == after, "threads or a stop change the result");
    assert!(rescore("two.bin", "--concurrency 3") == after, "nothing is left to do");
}

#[test]
fn test_positions_have_the_values_of_all_moves() {
    let folder = Folder::new("positions");
    let line = "positions --depth 2 --hash 1 --positions";
    let made = folder.run(&format!("{line} 5 --output a.obf --concurrency 2")).success();
    assert_eq!(made.last_line(), "positions: 5 made, 5 wanted");
    folder.run(&format!("{line} 2 --output b.obf")).success();
    folder.run(&format!("{line} 5 --output b.obf")).success();
    assert!(folder.read("a.obf") == folder.read("b.obf"), "an interruption changes the positions");
    let solved = folder.run("solve a.obf --depth 2").success().stdout;
    assert!(solved.contains("\nmoves: 5 positions, mean loss "), "{solved}");
    let error = folder.fail(&format!("{line} 9 --output a.obf --seed 3"));
    assert!(error.contains("a.obf") && error.contains("other settings"), "{error}");
}

// Training

#[test]
fn training_follows_from_data_and_settings() {
    let folder = Folder::new("train");
    folder.play("data.bin", "--positions 6000");
    folder.play("test.bin", "--positions 2000 --seed 5");
    let line = "train data.bin --hold-out test.bin --epochs 3 --output";
    let mut command = folder.command(&format!("{line} one.bin"));
    command.env("RAYON_NUM_THREADS", "1");
    let first = output(command, b"").success();
    let second = folder.run(&format!("{line} two.bin")).success();
    assert!(folder.read("one.bin") == folder.read("two.bin"), "threads change the weights");
    assert_eq!(closing(&first), closing(&second));
    let [positions, epochs, mae, mse] = closing(&first);
    assert!(positions > 5000.0 && epochs == 3.0 && mae > 0.0 && mse >= mae * mae, "{first:?}");
    assert!(!folder.join("one.bin.checkpoint").exists() && !folder.join("one.bin.part").exists());

    let record: Value =
        serde_json::from_str(&File::unpack(&folder.read("one.bin")).unwrap().record).unwrap();
    assert_eq!(record["positions"], positions as u64);
    assert_eq!(record["data"][0]["name"], "data.bin");
    let judged = record["hold_out_file"]["mae"].as_f64().unwrap();
    assert!((judged - mae).abs() < 0.01, "{judged} {mae}");

    // Another seed, and a share of the positions at a time, give other weights of about the same error.
    for other in ["--seed 2", "--memory 1000"] {
        let line =
            format!("train data.bin --hold-out test.bin --epochs 3 {other} --output three.bin");
        let [n, _, error, _] = closing(&folder.run(&line).success());
        assert!(n == positions && (error - mae).abs() < 1.5, "{other}: {error} for {mae}");
        assert!(folder.read("three.bin") != folder.read("one.bin"), "{other}");
    }
}

#[test]
#[ignore = "long: kills trainings"]
fn a_killed_training_goes_on_as_if_nothing_had_been() {
    let folder = Folder::new("checkpoint");
    folder.play("data.bin", "--positions 5000");
    folder.run("train data.bin --epochs 1 --output first.weights").success();
    for more in ["--memory 1000", "--memory 1000000", "--init first.weights --prior 3"] {
        // Several times as long as it takes until the first checkpoint.
        let line =
            |out: &str| format!("train data.bin --epochs 100 --patience 100 {more} --output {out}");
        let whole = folder.run(&line("whole.bin")).success();
        folder.kill(&line("cut.bin"), "cut.bin.checkpoint", 1);
        assert!(!folder.join("cut.bin").exists(), "the training ended before it was killed");
        let other = folder.fail(&format!("{} --rate 0.4", line("cut.bin")));
        assert!(other.contains("cut.bin.checkpoint belongs to a training with other"), "{other}");
        let resumed = folder.run(&line("cut.bin")).success();
        assert!(folder.read("cut.bin") == folder.read("whole.bin"), "{more}");
        let lines = |output: &Output| output.stdout.replace("cut.bin", "whole.bin");
        assert_eq!(lines(&resumed), lines(&whole));
        assert!(!folder.join("cut.bin.checkpoint").exists());
        fs::remove_file(folder.join("cut.bin")).unwrap();
    }
}

#[test]
fn training_stops_when_the_error_no_longer_falls() {
    let folder = Folder::new("patience");
    // So few positions and so large steps that the error soon rises.
    folder.play("data.bin", "--positions 1500");
    let line =
        "train data.bin --hold-out-one-of 3 --rate 3 --epochs 60 --patience 2 --output w.bin";
    let stopped = folder.run(line).success();
    let [_, epochs, ..] = closing(&stopped);
    assert!(epochs < 60.0, "{stopped:?}");
    let record: Value =
        serde_json::from_str(&File::unpack(&folder.read("w.bin")).unwrap().record).unwrap();
    assert_eq!(record["passes"], epochs as u64);
    assert_eq!(record["best_pass"], epochs as u64 - 2);
}

#[test]
fn generations_add_up() {
    let folder = Folder::new("generations");
    folder.play("first.bin", "--positions 1500");
    folder.play("second.bin", "--positions 2500 --seed 2");
    folder.run("train first.bin --epochs 1 --output first.weights").success();
    folder
        .run("weights pack first.weights --output first.weights --error-model 1.5,-0.02,-0.08,0.3")
        .success();
    folder
        .run("train second.bin --epochs 1 --init first.weights --output second.weights")
        .success();
    let file = |name: &str| File::unpack(&folder.read(name)).unwrap();
    let record = |name: &str| serde_json::from_str::<Value>(&file(name).record).unwrap();
    let (first, second) = (record("first.weights"), record("second.weights"));
    assert_eq!(second["before"], first);
    for field in ["positions", "distinct"] {
        let sum = first[field].as_u64().unwrap() + second[field].as_u64().unwrap();
        assert_eq!(second[format!("total_{field}")], sum);
    }
    assert_eq!(first["date"], "1970-01-02");
    let error_model = ErrorModel { base: 1.5, empties: -0.02, shallow: -0.08, growth: 0.3 };
    assert_eq!(file("second.weights").error_model, error_model);
}

#[test]
fn what_weights_have_learned_can_count() {
    let folder = Folder::new("prior");
    folder.play("first.bin", "--positions 1500");
    folder.play("second.bin", "--positions 1500 --seed 2");
    folder.run("train first.bin --epochs 3 --output first.weights").success();
    let numbers = |name: &str| File::unpack(&folder.read(name)).unwrap().numbers;
    let first = numbers("first.weights");
    let change = |prior: &str| {
        let line = format!("train second.bin --epochs 2 {prior} --output second.weights");
        folder.run(&line).success();
        let pairs = first.iter().zip(numbers("second.weights"));
        pairs.map(|(&before, after)| f64::from(before.abs_diff(after))).sum::<f64>()
    };
    let changes = ["--init", "--prior 1 --init", "--prior 30 --init", "--prior 1e6 --init"]
        .map(|options| change(&format!("{options} first.weights")));
    assert!(changes.is_sorted_by(|a, b| *a > 1.1 * b), "{changes:?}");
    folder.run("train second.bin --prior 3 --output third.weights").fails(2, "--init");
}

#[test]
fn the_error_model_is_that_of_the_new_weights() {
    let folder = Folder::new("error-model");
    folder.play("data.bin", "--positions 6000");
    let model = |line: &str, n_threads: &str| {
        let mut command =
            folder.command(&format!("train data.bin --epochs 1 --output w.bin {line}"));
        command.env("RAYON_NUM_THREADS", n_threads);
        let output = output(command, b"").success();
        let is_measured = output.stdout.contains("\nerror model: measured on ");
        (File::unpack(&folder.read("w.bin")).unwrap().error_model, is_measured)
    };
    assert_eq!(model("--measure 0", "2"), (UNMEASURED, false));
    let (own, is_measured) = model("--measure 40 --hold-out-one-of 10", "1");
    assert!(is_measured && own != UNMEASURED);
    // After so little training, the weights err by several discs, and by more at greater depths.
    let near_and_far = [own.deviation(30, 2, 4), own.deviation(30, 2, 8)];
    assert!(1.0 < near_and_far[0] && near_and_far[1] < 60.0, "{own:?}");
    assert_eq!(model("--measure 40 --hold-out-one-of 10", "2"), (own, true));
    // Without positions held back, the training positions are measured.
    assert!(model("--measure 40 --hold-out-one-of 0", "2").1);
    fs::copy(folder.join("w.bin"), folder.join("first.bin")).unwrap();
    let kept = File::unpack(&folder.read("first.bin")).unwrap().error_model;
    assert_eq!(model("--measure 0 --init first.bin", "2"), (kept, false));
}

#[test]
fn a_ranking_is_learnt_from_solved_positions() {
    let folder = Folder::new("ranking");
    folder.run("selfplay --output solved --depth 1 --exact 13 --positions 4000").success();
    let line = folder.run("fit-ranking solved --output one").success();
    assert!(line.last_line().starts_with("ranking: positions "), "{line:?}");
    folder.run("fit-ranking solved --output two").success();
    let (one, two) = (folder.read("one"), folder.read("two"));
    assert!(one == two && one.len() == 52_488 && one.iter().any(|&byte| byte != 0));
    folder.play("unsolved", "--positions 500");
    let error = folder.fail("fit-ranking unsolved --output three");
    assert!(error.contains("no solved positions"), "{error}");
    assert!(!folder.join("three").exists());
}

#[test]
fn damaged_data_is_named() {
    let folder = Folder::new("damage");
    folder.play("data.bin", "--positions 300");
    // A square, the value, the result, a flag, the checksum.
    for byte in [3, 16, 18, 20, 22] {
        let mut bytes = folder.read("data.bin");
        bytes[41 * RECORD as usize + byte] ^= 1;
        folder.write("damaged.bin", bytes);
        let error = folder.fail("train damaged.bin --output w.bin");
        assert!(error.contains("damaged.bin: position 42 is damaged"), "{error}");
        let damaged = folder.read("damaged.bin");
        let error = folder.fail("selfplay --output damaged.bin --games 1 --depth 1 --exact 6");
        assert!(error.contains("damaged.bin is damaged; it is left as it is"), "{error}");
        assert_eq!(folder.read("damaged.bin"), damaged);
    }
    assert!(!folder.join("w.bin").exists());
    // Nothing is written over what it is made of, nor over other files.
    let rescored = "selfplay --rescore data.bin --depth 1 --output data.bin";
    for line in ["train data.bin --output data.bin", rescored] {
        assert!(folder.fail(line).contains("data.bin is both input and output"), "{line}");
    }
    folder.write("notes.txt", "precious");
    for line in ["train data.bin", "weights zero", "selfplay --games 1"] {
        let error = folder.fail(&format!("{line} --output notes.txt"));
        assert!(error.contains("it is left as it is"), "{error}");
    }
    let error = folder.fail("selfplay --rescore notes.txt --output new.bin");
    assert!(error.contains("notes.txt: no games"), "{error}");
    folder.write("empty.bin", "");
    assert!(folder.fail("train empty.bin --output w.bin").contains("no positions"));
    assert!(folder.fail("train missing.bin --output w.bin").contains("missing.bin"));
}

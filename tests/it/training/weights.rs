//! Weights files from outside: inspected, packed, compared, and refused when they are damaged or absurd.

use othellier::evaluation::network::WIDTH;
use othellier::evaluation::weights::{File, WeightsError, n_numbers};
use othellier::evaluation::{EMBEDDED, ErrorModel};
use serde_json::Value;

use crate::harness::{Folder, output, words};
use crate::hostile::properties::sealed;

#[test]
fn weights_are_inspected_packed_and_compared() {
    let folder = Folder::new("weights");
    let embedded = folder.run("weights inspect").success().stdout;
    for key in words("version checksum bytes knots free_weights error_model.base record.") {
        let is_listed = embedded.lines().any(|line| line.starts_with(key));
        assert!(is_listed, "no {key} in\n{embedded}");
    }
    folder.write("a.bin", EMBEDDED);
    assert_eq!(folder.run("weights inspect a.bin").success().stdout, embedded);
    folder.write("record.json", "{\"positions\": 7}");
    folder.write("a.bin", blank()); // Packing the embedded ones takes many seconds.
    folder.run("weights pack a.bin --output b.bin --record record.json").success();
    let row = folder.run("weights inspect b.bin --json").success().stdout;
    let row: Value = serde_json::from_str(&row).unwrap();
    assert_eq!(row["record"], serde_json::json!({ "positions": 7 }));
    folder.write("record.json", "seven");
    assert!(
        folder
            .fail("weights pack a.bin --output b.bin --record record.json")
            .contains("record.json")
    );

    let position = "---------------------------OX------XO--------------------------- X; D3:+00;\n";
    folder.write("start.obf", position);
    let same = folder.run("weights compare a.bin b.bin --positions start.obf").success();
    assert!(same.stdout.contains("positions: 1\nmean absolute difference: 0.000\n"), "{same:?}");
    folder.play("games.bin", "--positions 1000");
    folder.run("weights zero --output zero.bin").success();
    let row =
        folder.run("weights compare embedded zero.bin --positions games.bin --json").success();
    let row: Value = serde_json::from_str(&row.stdout).unwrap();
    assert!(row["correlation"].is_null(), "to weights of zero all positions are even: {row}");
    assert!(row["positions"].as_u64() >= Some(1000) && row["a"]["positions"] == row["positions"]);
    // Learnt from such games, the embedded weights judge them better.
    assert!(row["a"]["mse"].as_f64() < row["b"]["mse"].as_f64(), "{row}");
}

#[test]
fn damaged_and_foreign_weights_are_refused_with_a_reason() {
    let folder = Folder::new("refused");
    let inspect = |bytes: &[u8]| {
        folder.write("w.bin", bytes);
        folder.fail("weights inspect w.bin")
    };
    let with = |at: usize, byte: u8| {
        let mut bytes = EMBEDDED.to_vec();
        bytes[at] = byte;
        bytes
    };
    let middle = EMBEDDED.len() / 2;
    for (bytes, reason) in [
        (with(middle, EMBEDDED[middle] ^ 4), "is damaged"),
        (EMBEDDED[..middle].to_vec(), "is damaged"),
        (EMBEDDED[..12].to_vec(), "is damaged"),
        (with(0, b'X'), "not a weights file"),
        (with(7, b'9'), "an unsupported version"),
        (Vec::new(), "not a weights file"),
        (b"RIFF....WAVE".to_vec(), "not a weights file"),
    ] {
        let error = inspect(&bytes);
        assert!(error.contains("w.bin") && error.contains(reason), "{error}");
    }
    for line in ["bench --weights w.bin", "weights compare w.bin embedded --positions w.bin"] {
        let error = folder.fail(line);
        assert!(error.contains("not a weights file"), "{error}");
    }
    assert!(folder.fail("weights inspect missing.bin").contains("missing.bin"));
}

#[test]
fn weights_that_cannot_be_used_are_refused_before_anything_else() {
    let folder = Folder::new("unusable");
    // Intact files for these patterns, but with weights whose sums overflow or an error model that misleads pruning.
    let usable = File::unpack(&blank()).unwrap();
    let mut large = usable.clone();
    large.numbers[n_numbers() - WIDTH..].fill(i16::MAX);
    let astray = ErrorModel { base: -800.0, ..usable.error_model };
    let astray = File { error_model: astray, ..usable };
    folder.play("data.bin", "--positions 300");
    let position = "---------------------------OX------XO--------------------------- X; D3:+00;\n";
    folder.write("start.obf", position);
    for file in [large, astray] {
        folder.write("w.bin", file.pack().0);
        for (line, status) in [
            ("bench --weights w.bin", 1),
            ("gtp --weights w.bin", 1),
            ("nboard --weights w.bin", 1),
            ("--weights w.bin", 1),
            ("gtp --player engine:weights=w.bin", 2),
            ("play --plain --black engine:weights=w.bin", 2),
            ("solve start.obf --weights w.bin", 1),
            ("analyze f5d6 --weights w.bin", 1),
            ("match --player engine:weights=w.bin --player random", 2),
            ("selfplay --output x.bin --positions 9 --weights w.bin", 1),
            ("fit-probcut data.bin --weights w.bin", 1),
            ("train data.bin --output x.bin --init w.bin", 1),
            ("weights inspect w.bin", 1),
            ("weights pack w.bin --output x.bin", 1),
            ("weights compare w.bin embedded --positions data.bin", 1),
        ] {
            let output = output(folder.command(line), b"genmove black\n");
            assert_eq!(output.status, Some(status), "{line}");
            assert!(output.is_silent(), "{line}: {output:?}");
            let is_named = output.stderr.contains("w.bin");
            assert!(
                is_named && output.stderr.contains("holds invalid numbers"),
                "{line}: {output:?}"
            );
            assert!(!folder.join("x.bin").exists(), "{line}");
        }
    }
}

/// A weights file whose numbers are all 0, with `RECORD TEXT` as its record.
fn blank() -> Vec<u8> {
    let error_model = ErrorModel { base: 0.0, empties: 0.0, shallow: 0.0, growth: 0.0 };
    let numbers = vec![0; n_numbers()];
    File { error_model, record: "RECORD TEXT".into(), numbers }.pack().0
}

#[test]
fn absurd_lengths_are_refused() {
    let blank = blank();
    assert!(File::unpack(&sealed(blank.clone())).is_ok());
    let record = blank.windows(11).position(|bytes| bytes == b"RECORD TEXT").unwrap();
    for at in [record - 4, record + 11] {
        for length in [1_u32, 1 << 20, u32::MAX / 2, u32::MAX] {
            let mut bytes = blank.clone();
            bytes[at..at + 4].copy_from_slice(&length.to_le_bytes());
            let refused = File::unpack(&sealed(bytes)).unwrap_err();
            let is_reason = matches!(refused, WeightsError::Damaged | WeightsError::Patterns);
            assert!(is_reason, "{length} at {at}: {refused}");
        }
    }
}

#[test]
fn no_change_of_a_byte_makes_the_reader_panic() {
    let blank = blank();
    let packed = blank.windows(11).position(|bytes| bytes == b"RECORD TEXT").unwrap() + 15;
    for at in 16..blank.len().min(400) {
        // Fewer changes in the packed part, which a library reads.
        for change in if at < packed { &[0x01, 0x80, 0xFF][..] } else { &[0xFF] } {
            let mut bytes = blank.clone();
            bytes[at] ^= change;
            // Some bytes may be anything, such as those of the record.
            drop(File::unpack(&sealed(bytes)));
        }
    }
}

//! Tests of transcripts.

use super::*;
use crate::formats::tests::{PASS, moves, replayed};

fn read_ok(text: &str) -> Record {
    read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn moves_in_every_spelling() {
    for text in ["f5d6c3", "F5D6C3", "f5 d6 c3", " f5,d6, C3\r\n", "f5\td6\n\nc3,"] {
        assert_eq!(moves(&read_ok(text)), "f5d6c3");
    }
    assert_eq!(moves(&read_ok("")), "");
    assert_eq!(moves(&read_ok("papassPS--@@b1")), "papapapapab1");
}

#[test]
fn passes_may_be_implied() {
    let explicit = replayed(read_ok("f5f6d3g5h5h4f7h6pae7"));
    let implied = read_ok("f5f6d3g5h5h4f7h6e7").replay().unwrap();
    assert_eq!(implied.position().to_string(), explicit);
    assert_eq!(write(&implied), "f5f6d3g5h5h4f7h6e7");
    assert_eq!(replayed(read_ok("f5f6d3g5h5h4f7h6")), PASS);
    assert_eq!(replayed(read_ok("f5f5")), "move 2 of the game is illegal: F5");
}

#[test]
fn a_position_may_precede() {
    let spread = PASS.as_bytes().chunks(8).map(|row| str::from_utf8(row).unwrap());
    let spread = spread.collect::<Vec<_>>().join("\n");
    for text in [format!("{PASS} e7"), format!("{PASS}e7"), format!("\n{spread},PA E7")] {
        let game = read_ok(&text).replay().unwrap();
        assert_eq!(write(&game), format!("{PASS} e7"));
    }
    assert_eq!(write(&Game::new(read_ok(PASS).start)), PASS);
    // The b of a move is also a cell.
    let start = Position::START.with_side(crate::board::Color::White).to_string();
    let record = read_ok(&format!("{start}b3 b4"));
    assert_eq!((record.start.to_string(), moves(&record)), (start, "b3b4".into()));
}

#[test]
fn what_is_no_transcript() {
    let check = |text: &[u8], error: &str| {
        assert_eq!(read(text).unwrap_err().to_string(), error);
    };
    check(b"f5d6x1c3", "no move at 'x1c3'");
    check(b"f5d", "no move at 'd'");
    check(b"f\0", "no move at 'f\\0'");
    check(&PASS.as_bytes()[1..], "bad position: the side to move is missing (X or O)");
    check(&PASS.as_bytes()[..30], "bad position: a board has 64 cells, found 30");
}

#[test]
fn openings_of_the_shared_folder() {
    // Beside the checkout only where the project is developed.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/openings/xot-large.txt");
    let Ok(text) = std::fs::read(path) else { return };
    for line in text.split(|&byte| byte == b'\n') {
        let game = read(line).unwrap().replay().unwrap();
        assert_eq!(write(&game).as_bytes(), line.trim_ascii());
    }
}

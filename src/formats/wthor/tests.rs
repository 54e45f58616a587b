//! Tests of WTHOR files: games with their passes, headers, names, damage.

use super::*;
use crate::board::Color;
use crate::formats::transcript;

fn file(n_games: u8, games: &[&[u8]]) -> Vec<u8> {
    let mut file = vec![20, 26, 11, 21, n_games, 0, 0, 0, 0, 0, 234, 7, 8, 0, 22, 0];
    for moves in games {
        let mut record = vec![0; GAME];
        record[..8].copy_from_slice(&[1, 0, 2, 1, 3, 0, 33, 34]);
        record[8..8 + moves.len()].copy_from_slice(moves);
        file.extend(record);
    }
    file
}

#[test]
fn files_round_trip() {
    // f5f6d3g5h5h4f7h6, Black passes, c5; f5.
    let bytes = file(2, &[&[56, 66, 34, 57, 58, 48, 76, 68, 53], &[56]]);
    let archive = Archive::read(&bytes).unwrap();
    assert_eq!((archive.header.year, archive.header.depth), (2026, 22));
    let game = archive.games().next().unwrap();
    assert_eq!((game.black_discs(), game.replay().unwrap().plies().len()), (33, 10));
    let labels = game.labels();
    assert_eq!((labels.tournament, labels.players, labels.theoretical), (1, [258, 3], 34));
    let mut written = archive.header.to_bytes(2).to_vec();
    for game in archive.games() {
        written.extend(write(&game.replay().unwrap(), game.labels()).unwrap());
    }
    assert_eq!(written, bytes);
}

#[test]
fn every_first_move_becomes_f5() {
    let moves = |text: &str| {
        let game = transcript::read(text.as_bytes()).unwrap().replay().unwrap();
        write(&game, Labels::default()).unwrap()[MOVES..MOVES + 4].to_vec()
    };
    for text in ["f5d6c3d3", "d3c5f6f5", "c4e3f6e6", "e6f4c3c4"] {
        assert_eq!(moves(text), [56, 64, 33, 34], "{text}");
    }
    let start = Position { side: Color::White, ..Position::START };
    assert_eq!(write(&Game::new(start), Labels::default()), None);
}

#[test]
fn bad_moves_are_named_with_what_came_before() {
    for (moves, error, played) in [
        ([56, 64, 11], "move 3 of the game is illegal: A1", "f5d6"),
        ([56, 90, 11], "move 2 of the game is illegal: the byte 90", "f5"),
    ] {
        let bytes = file(1, &[&moves]);
        let game = games(&bytes).unwrap().next().unwrap();
        assert!(game.replay().is_none());
        let found = game.game().unwrap_err();
        assert_eq!((&*found.to_string(), &*transcript::write(&found.played)), (error, played));
    }
}

#[test]
fn damaged_files_are_refused() {
    assert_eq!(games(b"short").err(), Some(WthorError::Header));
    assert_eq!(games(&file(2, &[&[56]])).err(), Some(WthorError::Games { expected: 2, found: 1 }));
    let mut ten = file(0, &[]);
    ten[12] = 10;
    assert_eq!(games(&ten).err(), Some(WthorError::Size(10)));
    assert_eq!(Names::read(NameKind::Players, b"short", None), Err(WthorError::Header));
    let mut cut = Names::new(NameKind::Players, [0; 4]).to_bytes();
    cut.pop();
    assert_eq!(
        Names::read(NameKind::Players, &cut, None),
        Err(WthorError::Names { expected: 1, found: 0 })
    );
}

#[test]
fn names_round_trip() {
    for kind in [NameKind::Players, NameKind::Tournaments] {
        let mut names = Names::new(kind, [20, 26, 2, 16]);
        let long = "x".repeat(60);
        let known = ["", "???", "Pérenchies", " Pérenchies ", "Łódź", &long];
        let numbers = known.map(|name| names.number(name).unwrap());
        assert_eq!((numbers, names.get(0)), ([0, 0, 1, 1, 2, 3], None));
        assert_eq!(names.get(2), Some("?ód?"));
        assert_eq!(names.get(3).map(str::len), Some(kind.width() - 1));
        let longest = "x".repeat(kind.width() - 1);
        assert!(kind.holds(&longest) && !kind.holds(&(longest + "x")));
        let bytes = names.to_bytes();
        assert_eq!(bytes.len(), HEADER + 4 * kind.width());
        let read = Names::read(kind, &bytes, None).unwrap();
        assert_eq!((read.get(1), read.count(), read.get(4)), (Some("Pérenchies"), 4, None));
        assert_eq!(read.to_bytes(), bytes);
    }
}

#[test]
fn results_are_discs_of_black() {
    for (discs, result_of) in [(32, 0), (64, 64), (0, -64), (33, 2)] {
        assert_eq!((black_discs(result_of), result(discs)), (discs, result_of));
    }
    for (moves, discs) in [("f5d6", 32), ("f5", 63), ("f5d6c3", 62), ("f5f6e6f4", 3)] {
        let game = transcript::read(moves.as_bytes()).unwrap().replay().unwrap();
        assert_eq!(standing(&game), discs, "{moves}");
    }
}

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
fn games_are_read_with_their_passes() {
    // f5f6d3g5h5h4f7h6, Black passes, c5.
    let bytes = file(1, &[&[56, 66, 34, 57, 58, 48, 76, 68, 53]]);
    let all: Vec<_> = games(&bytes).unwrap().collect();
    assert_eq!((all.len(), all[0].black_discs()), (1, 33));
    assert_eq!(all[0].replay().unwrap().plies().len(), 10);
    assert!(games(&file(1, &[&[56, 99]])).unwrap().next().unwrap().replay().is_none());
}

#[test]
fn files_round_trip() {
    let bytes = file(2, &[&[56, 66, 34, 57, 58, 48, 76, 68, 53], &[56]]);
    let archive = Archive::read(&bytes).unwrap();
    assert_eq!((archive.header.year, archive.header.depth), (2026, 22));
    let labels = archive.games().next().unwrap().labels();
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
        assert_eq!(moves(text)[0], 56, "{text}");
    }
    assert_eq!(moves("c4e3f6e6"), moves("f5d6c3d3"));
    assert_eq!(moves("d3c5f6f5"), moves("f5d6c3d3"));
    let start = Position { side: Color::White, ..Position::START };
    assert_eq!(write(&Game::new(start), Labels::default()), None);
}

#[test]
fn bad_moves_are_named_with_what_came_before() {
    let error = |moves: &[u8]| {
        let bytes = file(1, &[moves]);
        let error = games(&bytes).unwrap().next().unwrap().game().unwrap_err();
        (error.to_string(), transcript::write(&error.played))
    };
    assert_eq!(error(&[56, 64, 11]), ("move 3 of the game is illegal: A1".into(), "f5d6".into()));
    assert_eq!(
        error(&[56, 90]),
        ("move 2 of the game is illegal: the byte 90".into(), "f5".into())
    );
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
        assert_eq!((names.number(""), names.number("???"), names.get(0)), (Some(0), Some(0), None));
        assert_eq!(names.number("Pérenchies"), Some(1));
        assert_eq!(names.number(" Pérenchies "), Some(1));
        assert_eq!(names.number("Łódź"), Some(2));
        assert_eq!(names.number(&"x".repeat(60)), Some(3));
        assert_eq!(names.get(2), Some("?ód?"));
        assert_eq!(names.get(3).map(str::len), Some(kind.width() - 1));
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
    let game = transcript::read(b"f5d6").unwrap().replay().unwrap();
    assert_eq!(standing(&game), 32);
}

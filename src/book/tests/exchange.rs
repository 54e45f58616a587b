//! Books of other programs: bytes as their programs write them, round trips, and what is wrong with files.

use proptest::prelude::*;

use super::{random_book, searched, with_leaf};
use crate::board::symmetry::{canonical, transform_board};
use crate::board::{Board, Position, Square};
use crate::book::entry::After;
use crate::book::foreign::{Flaw, ForeignError};
use crate::book::pack::{PackError, pack, unpack};
use crate::book::sections::Sections;
use crate::book::values::derive;
use crate::book::{Entry, Leaf, Origin, edax, egaroucid, lines};
use crate::formats::transcript;
use crate::score::{DISC, Score};

fn square(text: &str) -> Square {
    Square::parse(text.as_bytes()).unwrap()
}

fn leaf(text: &str, discs: i16, depth: u8) -> Leaf {
    let leaf = searched(square(text), discs * DISC as i16, depth, 73);
    Leaf { origin: Origin::Import, ..leaf }
}

/// The start with the best move c4, worth -1 disc by a search of 20 plies.
fn one_position() -> Sections {
    let entry =
        Entry { leaf: Some(leaf("c4", -1, 20)), games: [5, 1, 2], ..Entry::new(Board::START) };
    Sections::new([entry])
}

/// As [`one_position`], with the position after c4, whose best move is worth 1 disc.
fn two_positions() -> Sections {
    let after = Board::START.after(square("c4"), Board::START.flips(square("c4")));
    let mut child = Entry::new(after);
    let move_of_child = child.board.moves().next().unwrap();
    child.leaf = Some(leaf(&move_of_child.to_string(), 1, 20));
    Sections::new(one_position().iter().copied().chain([child]))
}

fn edax_head(n_empties: u8, n: u8) -> Vec<u8> {
    let mut bytes = b"XADEKOOB\x04\x04\xEA\x07\x01\x01\0\0\0\0".to_vec();
    for number in [20, n_empties, 2, 1, 0, n] {
        bytes.extend([number, 0, 0, 0]);
    }
    bytes
}

#[test]
fn edax_gets_the_bytes_that_it_reads() {
    let mut expected = edax_head(61, 1);
    expected.extend([0, 0, 0, 0x10, 8, 0, 0, 0, 0, 0, 0, 8, 0x10, 0, 0, 0]);
    for number in [5, 1, 2, 1] {
        expected.extend([number, 0, 0, 0]);
    }
    // Value -1, between -3 and 1; no links, level 20; c4 is worth -1.
    expected.extend([255, 255, 253, 255, 1, 0, 0, 20, 255, 26]);
    let exported = edax::write(&one_position());
    assert_eq!(exported.bytes, expected);
    assert_eq!(exported.n_positions, 1);
    let imported = edax::read(&expected).unwrap();
    assert!(imported.flaws.is_empty());
    assert_eq!(imported.sections, one_position());
}

#[test]
fn edax_gets_all_links_of_symmetric_moves() {
    let exported = edax::write(&two_positions());
    let bytes = &exported.bytes;
    assert_eq!(bytes[38], 2);
    // The four first moves are links, all worth -1, and there is no other move.
    assert_eq!(bytes[42 + 38], 4);
    assert_eq!(bytes[42 + 40..42 + 50], [255, 19, 255, 26, 255, 37, 255, 44, 129, 65]);
    let imported = edax::read(bytes).unwrap();
    assert!(imported.flaws.is_empty(), "{:?}", imported.flaws);
    assert_eq!(imported.sections.len(), 2);
}

#[test]
fn edax_gets_the_games_of_a_pass_for_the_side_that_passes() {
    let after = |moves| with_leaf(transcript::game(moves).unwrap().position().board, 0);
    let (before, child) = (after("f5f6d3g5h5h4f7"), after("f5f6d3g5h5h4f7h6pa"));
    let sections = Sections::new([before, Entry { games: [5, 1, 2], ..child }]);
    let bytes = edax::write(&sections).bytes;
    for games in [[5, 1, 2], [2, 1, 5]] {
        let games = games.map(|n| [n, 0, 0, 0]).concat();
        assert_eq!(bytes.windows(12).filter(|part| *part == games).count(), 1);
    }
}

#[test]
fn egaroucid_gets_the_bytes_that_it_reads() {
    let mut expected = b"DICUORAGE\x03\x01\0\0\0".to_vec();
    expected.extend([0, 0, 0, 0x10, 8, 0, 0, 0, 0, 0, 0, 8, 0x10, 0, 0, 0]);
    expected.extend([255, 20, 1, 0, 0, 0, 255, 26, 20]);
    assert_eq!(egaroucid::write(&one_position()), expected);
    // Version 2 lists the links.
    let mut older = expected[..30].to_vec();
    older[9] = 2;
    older.extend([255, 20, 1, 255, 26]);
    for bytes in [expected, older] {
        let entry = egaroucid::read(&bytes).unwrap().sections.find(canonical(Board::START));
        assert_eq!(entry.unwrap().leaf, Some(leaf("c4", -1, 20)));
    }
}

#[test]
fn a_bound_on_other_moves_becomes_no_move_that_was_searched() {
    let solved = |board: Board, discs: i16| {
        let mut entry = Entry::new(board);
        let best = entry.board.moves().next().unwrap();
        let n_empties = entry.board.n_empties() as u8;
        entry.leaf = Some(searched(best, discs * DISC as i16, n_empties, 100));
        (entry, After::play(entry.board, best).board().unwrap())
    };
    let (parent, after) = solved(transcript::game("f5").unwrap().position().board, 4);
    let sections = Sections::new([parent, solved(after, -4).0]);
    let of_edax = edax::read(&edax::write(&sections).bytes);
    for imported in [of_edax, egaroucid::read(&egaroucid::write(&sections))] {
        let sections = imported.unwrap().sections;
        let entry = sections.find(parent.board).unwrap();
        let derived = derive(entry.board, entry.leaf, &sections.links(entry.board));
        assert!(!derived.leads_out && !derived.value.unwrap().is_proven(), "{entry:?}");
        assert_eq!(derived.value.map(|value| value.score), Some(4 * DISC as i16));
    }
}

#[test]
fn a_position_with_nothing_but_a_value_becomes_a_move() {
    let mut bytes = egaroucid::write(&two_positions());
    // The second position: no other move is known.
    let at = 14 + 25;
    bytes[at + 22..at + 25].copy_from_slice(&[130, 125, 255]);
    // And of the first one.
    bytes[14 + 22..14 + 25].copy_from_slice(&[130, 125, 255]);
    let imported = egaroucid::read(&bytes).unwrap();
    assert_eq!(imported.sections.len(), 1);
    let entry = imported.sections.find(canonical(Board::START)).unwrap();
    assert_eq!(entry.leaf.map(|leaf| leaf.score), Some(-(DISC as i16)));
}

#[test]
fn no_byte_of_a_record_makes_a_value_that_no_game_has() {
    let sound = egaroucid::write(&two_positions());
    for at in 14..sound.len() {
        for byte in 0..=u8::MAX {
            let mut bytes = sound.clone();
            bytes[at] = byte;
            let imported = egaroucid::read(&bytes).unwrap();
            let mut leaves = imported.sections.iter().filter_map(|entry| entry.leaf);
            assert!(leaves.all(|leaf| leaf.score.abs() <= 64 * DISC as i16), "{at} {byte}");
        }
    }
}

/// The flaws of a book of Edax with some bytes changed, counted from the first position on.
fn flaws(bytes: &[u8], changes: &[(usize, u8)]) -> Vec<Flaw> {
    let mut bytes = bytes.to_vec();
    for &(at, byte) in changes {
        bytes[42 + at] = byte;
    }
    edax::read(&bytes).unwrap().flaws.into_keys().collect()
}

#[test]
fn what_is_wrong_with_a_file_is_named() {
    let bytes = edax::write(&two_positions()).bytes;
    assert_eq!(flaws(&bytes, &[]), []);
    // A disc of both sides.
    assert!(flaws(&bytes, &[(4, 8 | 0x10)]).contains(&Flaw::Board));
    // The leaf of the second position: illegal, or none.
    let last = 50 + 40;
    assert_eq!(flaws(&bytes, &[(last + 1, 0)]), [Flaw::Move, Flaw::NoLeaf]);
    assert_eq!(flaws(&bytes, &[(last, 129), (last + 1, 65)]), [Flaw::NoLeaf]);
    // A link twice, an illegal one, one with another score.
    assert_eq!(flaws(&bytes, &[(41, 26)]), [Flaw::RepeatedMove]);
    assert_eq!(flaws(&bytes, &[(41, 20)]), [Flaw::Move]);
    assert_eq!(flaws(&bytes, &[(40, 7)]), [Flaw::Score]);
    // A link to a position that is not there.
    let mut alone = bytes[..42 + 50].to_vec();
    alone[38] = 1;
    let imported = edax::read(&alone).unwrap();
    assert_eq!(imported.flaws.into_iter().collect::<Vec<_>>(), [(Flaw::Missing, 4)]);
    assert_eq!(imported.sections.find(canonical(Board::START)).unwrap().leaf.unwrap().score, -128);
    // The same position twice, and turned.
    let mut twice = [&bytes[..], &bytes[42..42 + 50]].concat();
    twice[38] = 3;
    assert_eq!(flaws(&twice, &[]), [Flaw::Repeated]);
    let mut turned = bytes.clone();
    let board = transform_board(Board::START, 1);
    turned[42..50].copy_from_slice(&board.player.to_le_bytes());
    turned[50..58].copy_from_slice(&board.opponent.to_le_bytes());
    let moves: Vec<u8> = board.moves().map(|square| square.index() as u8).collect();
    for (at, square) in moves.into_iter().enumerate() {
        turned[42 + 41 + 2 * at] = square;
    }
    assert_eq!(flaws(&turned, &[]), [Flaw::Orientation]);
}

#[test]
fn files_cut_anywhere_are_refused() {
    for bytes in [edax::write(&two_positions()).bytes, egaroucid::write(&two_positions())] {
        for length in 0..bytes.len() {
            let cut = &bytes[..length];
            assert!(edax::read(cut).is_err() && egaroucid::read(cut).is_err(), "{length}");
        }
    }
    let mut newer = edax::write(&one_position()).bytes;
    newer[8] = 5;
    assert_eq!(edax::read(&newer), Err(ForeignError::Version(5)));
}

#[test]
fn of_the_moves_of_an_answer_the_best_out_of_the_book_counts() {
    let line = r#"{"position":"START","move":"d3","score":2,"depth":8,"moves":[{"move":"d3","score":2},{"move":"c4","score":-1}]}"#;
    let line = line.replace("START", &Position::START.to_string());
    let said = lines::read(line.as_bytes()).unwrap().unwrap();
    for (linked, mv, discs) in [(0, "d3", 2), (square("d3").bit(), "c4", -1)] {
        let found = said.leaf(linked).map(|leaf| (leaf.square, Score::from(leaf.score)));
        assert_eq!(found, Some((square(mv), discs * DISC)));
    }
    // Solved is what has a whole score, and if others have none, nobody knows how deep they were searched.
    let solved = line.replace("\"depth\":8", "\"depth\":60").replace("\"confidence\":73,", "");
    for (other, depth) in [("-1", 60), ("-1.5", 0)] {
        let line = solved.replace("\"c4\",\"score\":-1", &format!("\"c4\",\"score\":{other}"));
        let said = lines::read(line.as_bytes()).unwrap().unwrap();
        assert_eq!(said.leaf(square("d3").bit()).map(|leaf| leaf.depth), Some(depth), "{line}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whole_discs_go_to_others_and_back(seed: u64) {
        let whole = |score: i16| score / DISC as i16 * DISC as i16;
        let sections = random_book(seed, 30, 16).map(|entry| {
            let leaf = entry.leaf.map(|leaf| Leaf { score: whole(leaf.score), ..leaf });
            Some(Entry { leaf, ..entry })
        });
        let exported = edax::write(&sections);
        let by_edax = edax::read(&exported.bytes).unwrap();
        prop_assert!(by_edax.flaws.keys().all(|flaw| *flaw == Flaw::NoLeaf), "{:?}", by_edax.flaws);
        let by_egaroucid = egaroucid::read(&egaroucid::write(&sections)).unwrap();
        for other in [&by_edax.sections, &by_egaroucid.sections] {
            for entry in sections.iter().filter(|entry| entry.value.is_some()) {
                let found = other.find(entry.board).and_then(|entry| entry.value);
                let score = |value: crate::book::Value| Score::from(value.score);
                prop_assert_eq!(found.map(score), entry.value.map(score), "{}", entry.board);
            }
        }
    }

    #[test]
    fn a_packed_book_is_small_and_comes_back(seed: u64) {
        let sections = random_book(seed, 30, 16);
        let (bytes, n) = pack(&sections);
        prop_assert_eq!((n, bytes.len()), (sections.len(), 24 + 5 * n - 1));
        let unpacked = unpack(&bytes).unwrap();
        prop_assert_eq!(&pack(&unpacked).0, &bytes);
        for (entry, other) in sections.iter().zip(unpacked.iter()) {
            prop_assert_eq!(entry.board, other.board);
            let known = |entry: &Entry| entry.leaf.map(|leaf| (leaf.square, leaf.score));
            prop_assert_eq!(known(entry), known(other));
            let claim = |entry: &Entry| entry.leaf.map(|leaf| (leaf.depth, leaf.selectivity));
            if let Some((claimed, searched)) = claim(other).zip(claim(entry)) {
                prop_assert!(claimed.0 <= searched.0 && claimed.1 <= searched.1, "{claimed:?} {searched:?}");
            }
            let score = |entry: &Entry| entry.value.map(|value| value.score);
            prop_assert_eq!(score(entry), score(other));
        }
        for length in 0..bytes.len() {
            let error = unpack(&bytes[..length]).unwrap_err();
            prop_assert_eq!(error, if length < 24 { PackError::Foreign } else { PackError::Damaged });
        }
    }

    #[test]
    fn lines_lose_nothing(seed: u64) {
        let sections = random_book(seed, 20, 12);
        let read = |entry: &Entry| lines::read(lines::position(entry).as_bytes()).unwrap().unwrap().entry;
        let copy = Sections::new(sections.iter().map(read));
        prop_assert!(copy.iter().eq(sections.iter()));
    }
}

//! Properties of books: bytes and back, look-up in all orientations, values, damage.

mod choice;
mod exchange;
mod growth;

use std::collections::HashMap;

use proptest::prelude::*;

use super::layout::{BLOCK, BookError, COUNTS, HEADER, RECORD};
use super::sections::Sections;
use super::snapshot::Snapshot;
use super::values::{Link, derive};
use super::wal::{Change, MAGIC, Wal, WalError, frame, salvage};
use super::*;
use crate::board::symmetry::{N_SYMMETRIES, canonical, transform_board};
use crate::game::Note;
use crate::score::{DISC, Score};

/// A small generator of arbitrary numbers.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// What a search found.
pub(crate) fn searched(square: Square, score: i16, depth: u8, percent: u32) -> Leaf {
    let selectivity = Selectivity::from_percent(percent);
    Leaf { square, score, depth, selectivity, origin: Origin::Search }
}

/// A position with a fact about its first move, by a search of ten plies.
pub(crate) fn with_leaf(board: Board, score: i16) -> Entry {
    let mut entry = Entry::new(board);
    entry.leaf = entry.board.moves().next().map(|square| searched(square, score, 10, 73));
    entry
}

/// A book of random games from the start, with a leaf of arbitrary value where there is a move left for one.
pub(super) fn random_book(seed: u64, n_games: usize, n_plies: u32) -> Sections {
    let mut numbers = Numbers::new(seed);
    let mut entries = Vec::new();
    for _ in 0..n_games {
        let mut board = Board::START;
        for _ in 0..=n_plies {
            let moves: Vec<Square> = board.moves().collect();
            if moves.is_empty() {
                break;
            }
            entries.push(Entry::new(board));
            let square = moves[numbers.below(moves.len() as u64) as usize];
            let after = board.after(square, board.flips(square));
            board = if after.legal_moves() == 0 { after.passed() } else { after };
        }
    }
    let sections = Sections::new(entries);
    let facts = |entry: Entry| {
        let board = entry.board;
        let leads_out = |square: &Square| {
            After::play(board, *square).board().is_some_and(|child| sections.find(child).is_none())
        };
        let moves: Vec<Square> = board.moves().filter(leads_out).collect();
        // Some positions are not searched yet, and some have a fact whose move has come into the book.
        let choice = numbers.below(8);
        let square = match choice {
            0 => None,
            1 => board.moves().next(),
            _ => moves.get(numbers.below(moves.len().max(1) as u64) as usize).copied(),
        };
        let leaf = square.map(|square| {
            let score = (numbers.below(41) as i16 - 20) * DISC as i16 / 2;
            searched(square, score, numbers.below(30) as u8, [73, 100][numbers.below(2) as usize])
        });
        let games = [0, 1, 2].map(|_: u32| numbers.below(3) as u32);
        Some(Entry { leaf, games, ..entry })
    };
    let mut sections = sections.map(facts);
    sections.fingerprints = (0..n_games as u64).map(|n| n * 77).collect();
    sections
}

/// The value of a board by plain recursion.
fn negamax(
    sections: &Sections,
    board: Board,
    known: &mut HashMap<Board, Option<Score>>,
) -> Option<Score> {
    let least = canonical(board);
    if let Some(value) = known.get(&least) {
        return *value;
    }
    let entry = sections.find(least)?;
    let mut best: Option<Score> = None;
    let (mut has_others, mut wins_all) = (false, false);
    let bounds = |child| sections.find(child).and_then(|entry| entry.value);
    for square in least.moves() {
        wins_all |= match After::play(least, square) {
            After::End(discs) => discs == 64,
            After::Other(child) => bounds(child).is_some_and(|value| value.upper == -64),
            After::Same(child) => bounds(child).is_some_and(|value| value.lower == 64),
        };
        let value = match After::play(least, square) {
            After::End(discs) => Some(discs * DISC),
            After::Other(child) => negamax(sections, child, known).map(|value| -value),
            After::Same(child) => negamax(sections, child, known),
        };
        let leaf = entry.leaf.filter(|leaf| leaf.square == square).map(|leaf| leaf.score.into());
        best = best.max(value.or(leaf));
        has_others |= value.is_none();
    }
    // What nobody has searched may be worth more than anything but all discs, if they are proven.
    if entry.leaf.is_none() && has_others && !wins_all {
        best = None;
    }
    known.insert(least, best);
    best
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_are_those_of_plain_recursion(seed: u64) {
        let sections = random_book(seed, 40, 12);
        let mut known = HashMap::new();
        for entry in sections.iter() {
            let expected = negamax(&sections, entry.board, &mut known);
            prop_assert_eq!(entry.value.map(|value| value.score.into()), expected);
        }
    }

    #[test]
    fn bytes_and_back_change_nothing(seed: u64) {
        let sections = random_book(seed, 30, 20);
        let bytes = sections.to_bytes(7);
        let snapshot = Snapshot::of(bytes).unwrap();
        prop_assert_eq!(snapshot.sequence(), 7);
        prop_assert_eq!(snapshot.n_positions(), sections.len());
        prop_assert!(snapshot.has_game(77) && !snapshot.has_game(78));
        prop_assert_eq!(snapshot.sections().unwrap(), sections);
    }

    #[test]
    fn positions_are_found_in_all_orientations_with_their_moves_turned(seed: u64) {
        let sections = random_book(seed, 20, 14);
        let book = Book::new(Snapshot::of(sections.to_bytes(0)).unwrap());
        for entry in sections.iter() {
            let moves = book.moves(entry.board);
            if let Some(value) = entry.value {
                prop_assert_eq!(moves.first().map(|mv| mv.value.score), Some(value.score));
            }
            for k in 0..N_SYMMETRIES {
                let image = transform_board(entry.board, k);
                prop_assert_eq!(book.find(image), Some(*entry));
                let sorted = |moves: &[BookMove], turn: &dyn Fn(Square) -> Square| {
                    let mut all: Vec<_> = moves.iter().map(|mv| (turn(mv.square), mv.value, mv.is_leaf)).collect();
                    all.sort_by_key(|(square, ..)| square.index());
                    all
                };
                let found = sorted(&book.moves(image), &|square| square);
                prop_assert_eq!(found, sorted(&moves, &|square| turned(square, k)));
            }
        }
        prop_assert_eq!(book.find(Board { player: 1, opponent: 0x0000_0018_1800_0000 }), None);
    }

    #[test]
    fn a_book_with_changes_is_the_changed_book(seed: u64) {
        let (old, new) = (random_book(seed, 10, 10), random_book(seed ^ 1, 10, 10));
        let mut book = Book::new(Snapshot::of(old.to_bytes(0)).unwrap());
        for entry in old.iter().filter(|entry| new.find(entry.board).is_none()) {
            book.apply(&Change::Remove(entry.board));
        }
        new.iter().for_each(|entry| book.apply(&Change::Put(*entry)));
        let changed = book.sections().unwrap();
        prop_assert!(changed.iter().eq(new.iter()));
        let mut copy = book.clone();
        prop_assert!(copy == book);
        copy.apply(&Change::Game(1));
        prop_assert!(copy != book);
        prop_assert!(new.iter().all(|entry| book.find(entry.board) == Some(*entry)));
    }

    #[test]
    fn merging_is_commutative_and_idempotent(a: u64, b: u64, c: u64) {
        let [a, b, mut c] = [a, b, c].map(|seed| random_book(seed, 12, 10));
        // Games of its own in one case, and games without names in another.
        c.fingerprints = [Vec::new(), vec![1, 2], vec![77]][(a.len() + b.len()) % 3].clone();
        let all = [a.clone(), b.clone(), c.clone()];
        prop_assert_eq!(Sections::union(&all), Sections::union(&[c, a.clone(), b.clone()]));
        let merged = |a: &Sections, b: &Sections| Sections::union(&[a.clone(), b.clone()]).0;
        let ab = merged(&a, &b);
        prop_assert_eq!(&ab, &merged(&b, &a));
        prop_assert_eq!(&ab, &merged(&ab, &b));
        prop_assert_eq!(&ab, &merged(&a, &ab));
        prop_assert_eq!(&a, &merged(&a, &a));
    }
}

#[test]
fn games_of_several_books_count_once() {
    let book = |fingerprints: &[u64], won| {
        let mut book = Sections::new([Entry { games: [won, 0, 0], ..Entry::new(Board::START) }]);
        book.fingerprints = fingerprints.to_vec();
        book
    };
    let (first, second, both) = (book(&[1], 1), book(&[2], 2), book(&[1, 3], 5));
    let unnamed = book(&[], 4);
    for (books, won) in [
        (&[&first, &second][..], 3),
        (&[&first, &second, &both], 7),
        (&[&both, &second, &first], 7),
        (&[&unnamed, &unnamed], 4),
        (&[&unnamed, &first, &second], 4),
    ] {
        let books: Vec<Sections> = books.iter().copied().cloned().collect();
        let entry = Sections::union(&books).0.find(Board::START);
        assert_eq!(entry.map(|entry| entry.games), Some([won, 0, 0]), "{books:?}");
    }
}

#[test]
fn a_flipped_bit_is_found_and_what_is_sound_is_kept() {
    let sections = random_book(3, 2500, 30);
    let bytes = sections.to_bytes(0);
    assert!(bytes.len() > HEADER + 20 * BLOCK, "{}", bytes.len());
    let n_blocks = (bytes.len() - HEADER).div_ceil(BLOCK + 4);
    for block in 0..n_blocks {
        let mut damaged = bytes.clone();
        damaged[HEADER + block * BLOCK + 1234.min(block * 77)] ^= 4;
        let snapshot = Snapshot::of(damaged).unwrap();
        for entry in sections.iter().step_by(101) {
            let found = snapshot.find(entry.board);
            assert!(found.is_none() || found == Some(*entry));
        }
        assert!(matches!(snapshot.sections(), Err(BookError::Blocks(1, _))), "block {block}");
        let (kept, lost) = snapshot.salvage();
        assert!(lost.is_some());
        // A block holds the games of more positions than it holds records.
        assert!(kept.len() + BLOCK / COUNTS + 2 >= sections.len());
        assert!(kept.iter().all(|entry| sections.find(entry.board) == Some(*entry)));
    }
}

#[test]
fn the_start_of_a_file_that_was_cut_off_is_kept() {
    let sections = random_book(7, 700, 12);
    let bytes = sections.to_bytes(5);
    let in_order: Vec<Entry> = sections.iter().copied().collect();
    let mut numbers = Numbers::new(3);
    for _ in 0..40 {
        let length = HEADER + 1 + numbers.below((bytes.len() - HEADER - 1) as u64) as usize;
        let (kept, sequence) = Snapshot::salvage_cut(&bytes[..length]).unwrap();
        let n_whole = ((length - HEADER) / RECORD).min(in_order.len());
        assert_eq!((kept.len(), sequence), (n_whole, 5));
        let facts = |entry: &Entry| (entry.board, entry.leaf);
        assert!(kept.iter().zip(&in_order).all(|(kept, entry)| facts(kept) == facts(entry)));
    }
    for length in [0, 11, HEADER, bytes.len()] {
        assert!(Snapshot::salvage_cut(&bytes[..length]).is_err(), "{length}");
    }
}

#[test]
fn other_files_are_refused_with_the_reason() {
    let sections = random_book(5, 5, 8);
    let bytes = sections.to_bytes(0);
    let refusal = |bytes: &[u8]| Snapshot::of(bytes.to_vec()).unwrap_err();
    assert_eq!(refusal(b"XADEKOOB and more"), BookError::Foreign);
    for length in 0..bytes.len() {
        let error = refusal(&bytes[..length]);
        assert!(
            matches!(error, BookError::Foreign | BookError::Length { .. }),
            "{length}: {error}"
        );
    }
    assert!(matches!(refusal(&[&bytes[..], b"x"].concat()), BookError::Length { .. }));
    for at in 0..HEADER {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        let error = refusal(&damaged);
        let expected = match at {
            0..8 => matches!(error, BookError::Foreign),
            8..12 => matches!(error, BookError::Version(_)),
            _ => error == BookError::Header,
        };
        assert!(expected, "byte {at}: {error}");
    }
    // A version of the other byte order is another version.
    let mut foreign = bytes;
    foreign[8..12].reverse();
    assert_eq!(refusal(&foreign), BookError::Version(1 << 24));
}

/// Changes the records of a file.
type Damage = fn(&mut [u8]);

#[test]
fn records_out_of_place_are_refused_even_with_the_right_checksum() {
    let sections = random_book(5, 5, 8);
    let bytes = sections.to_bytes(0);
    let sealed = |change: Damage| {
        let mut bytes = bytes.clone();
        let end = bytes.len() - 4;
        change(&mut bytes[HEADER..end]);
        let sum = crc32fast::hash(&bytes[HEADER..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        Snapshot::of(bytes).unwrap().sections()
    };
    assert!(sealed(|_| {}).is_ok());
    // Another number of discs, an illegal leaf, a stray byte, the order.
    let changes: [Damage; 4] = [
        |data| data[0] |= 0x10,
        |data| data[22] = 27,
        |data| data[26] = 1,
        |data| data[RECORD..7 * RECORD].rotate_left(RECORD),
    ];
    for (index, change) in changes.iter().enumerate() {
        assert!(matches!(sealed(*change), Err(BookError::Records(_))), "{index}");
    }
}

fn some_frames() -> (Vec<Vec<u8>>, Vec<Vec<Change>>) {
    let sections = random_book(9, 4, 6);
    let entries: Vec<Entry> = sections.iter().copied().collect();
    let change = |(n, part): (usize, &[Entry])| {
        let more = [Change::Game(n as u64), Change::Remove(part[0].board)];
        part.iter().map(|entry| Change::Put(*entry)).chain(more).collect()
    };
    let changes: Vec<Vec<Change>> = entries.chunks(3).enumerate().map(change).collect();
    let frames = (5..).zip(&changes).map(|(number, changes)| frame(number, changes)).collect();
    (frames, changes)
}

/// A whole journal.
fn journal(frames: &[Vec<u8>]) -> Vec<u8> {
    [&MAGIC[..], &frames.concat()].concat()
}

#[test]
fn a_journal_cut_anywhere_keeps_its_whole_frames() {
    let (frames, changes) = some_frames();
    assert!(frames.len() > 4);
    let bytes = journal(&frames);
    for length in 0..=bytes.len() {
        let read = Wal::read(&bytes[..length], 4).unwrap();
        let ends_within = |&n: &usize| journal(&frames[..n]).len() <= length;
        let n_whole = (1..=frames.len()).take_while(ends_within).count();
        assert_eq!(read.changes, changes[..n_whole].concat(), "{length}");
        assert_eq!(read.sequence, 4 + n_whole as u64);
    }
    // Frames that the file contains are passed over.
    let read = Wal::read(&bytes, 6).unwrap();
    assert_eq!((read.changes, read.whole), (changes[2..].concat(), bytes.len()));
    let read = Wal::read(&bytes, 1000).unwrap();
    assert_eq!((read.changes.len(), read.sequence), (0, 1000));
    assert_eq!(Wal::read(&bytes, 3), Err(WalError::Gap { journal: 4, file: 3 }));
    assert_eq!(Wal::read(b"something", 0), Err(WalError::Foreign));
}

#[test]
fn damage_within_a_journal_is_told_from_a_torn_end() {
    let (frames, changes) = some_frames();
    let bytes = journal(&frames);
    let last = bytes.len() - frames[frames.len() - 1].len();
    for at in MAGIC.len()..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        let read = Wal::read(&damaged, 4);
        if at >= last {
            assert_eq!(read.unwrap().sequence, 4 + frames.len() as u64 - 1, "{at}");
            continue;
        }
        assert!(matches!(read, Err(WalError::Damaged(..))), "{at}: {read:?}");
        let (kept, n_frames) = salvage(&damaged[MAGIC.len()..]);
        assert_eq!(n_frames, frames.len() - 1);
        assert!(kept.iter().all(|change| changes.concat().contains(change)));
    }
}

#[test]
fn likely_bounds_prove_nothing() {
    let links = |upper| -> Vec<Link> {
        let link = |square: Square| {
            let proven = Value { score: 6 * 128, lower: 6, upper: 6 };
            let likely = Value { score: -256, lower: -8, upper };
            let value = if square == Square::parse(b"d3").unwrap() { proven } else { likely };
            Link { bit: square.bit(), after: After::play(Board::START, square), value, lines: 1 }
        };
        Board::START.moves().map(link).collect()
    };
    let value = derive(Board::START, None, &links(4)).value.unwrap();
    assert!(!value.is_proven() && value.lower == 6);
    assert!(derive(Board::START, None, &links(-8)).value.unwrap().is_proven());
}

#[test]
fn the_same_game_has_one_fingerprint_however_it_is_turned() {
    let print = |moves: &[Square]| {
        let mut game = Game::default();
        for &square in moves {
            game.play(Move::Place(square), Note::default());
        }
        fingerprint(&game)
    };
    let squares = |text: &str| -> Vec<Square> {
        text.as_bytes().chunks(2).map(|square| Square::parse(square).unwrap()).collect()
    };
    let game = squares("f5d6c3d3c4");
    for k in 0..N_SYMMETRIES {
        if transform_board(Board::START, k) == Board::START {
            let image: Vec<Square> = game.iter().map(|&square| turned(square, k)).collect();
            assert_eq!(print(&game), print(&image));
        }
    }
    assert_ne!(print(&game), print(&game[..4]));
    assert_ne!(print(&game), print(&squares("f5d6c3d3c5")));
}

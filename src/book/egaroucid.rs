//! Books of Egaroucid: `.egbk3` read and written, `.egbk2` read.
//!
//! Egaroucid numbers squares in the opposite order, which is a turn by 180 degrees. Both programs keep the least of a
//! position's eight images, so the numbers in the files are the same. Only `.egbk2` files have links; neither has passes.

use super::foreign::{
    Effort, ForeignError, Imported, NO_SEARCH, Raw, import, other_move, whole_discs,
};
use super::layout::{board_at, u32_at};
use super::sections::Sections;
use super::values::linked;

const MAGIC: &[u8; 9] = b"DICUORAGE";
const HEAD: usize = 14;
const RECORD: usize = 25;
const NO_VALUE: i8 = -126;
const NO_MOVE: u8 = 125;
/// The square of the best other move if all moves stay in the book.
const NO_OTHER_MOVE: u8 = 65;
/// -1.
const NO_LEVEL: u8 = u8::MAX;
const PERSON: u8 = 70;
const EXACT: u8 = 60;

/// Whether bytes begin as a book of Egaroucid does.
pub fn is_egaroucid(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a book of version 2 or 3.
pub fn read(bytes: &[u8]) -> Result<Imported, ForeignError> {
    if bytes.len() < HEAD || !is_egaroucid(bytes) {
        return Err(ForeignError::Foreign("Egaroucid"));
    }
    let said = u64::from(u32_at(bytes, 10));
    let raws = match bytes[9] {
        3 => read_3(&bytes[HEAD..])?,
        2 => read_2(&bytes[HEAD..])?,
        version => return Err(ForeignError::Version(version)),
    };
    let found = raws.len() as u64;
    if found != said {
        return Err(ForeignError::Number { said, found });
    }
    Ok(import(raws))
}

fn read_3(bytes: &[u8]) -> Result<Vec<Raw>, ForeignError> {
    let records = bytes.chunks_exact(RECORD);
    if !records.remainder().is_empty() {
        return Err(ForeignError::Torn(records.len()));
    }
    let raw = |record: &[u8]| Raw {
        board: board_at(record, 0),
        value: value(record[16], record[17]),
        leaf: value(record[22], record[24])
            .filter(|_| !matches!(record[23], NO_MOVE | NO_OTHER_MOVE))
            .map(|(discs, effort)| (record[23], discs, effort)),
        links: Vec::new(),
        games: [0; 3],
        wants_leaf: false,
    };
    Ok(records.map(raw).collect())
}

fn read_2(bytes: &[u8]) -> Result<Vec<Raw>, ForeignError> {
    let mut raws = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let torn = ForeignError::Torn(raws.len());
        let (head, after) = rest.split_at_checked(19).ok_or(torn.clone())?;
        let (links, after) = after.split_at_checked(2 * usize::from(head[18])).ok_or(torn)?;
        raws.push(Raw {
            board: board_at(head, 0),
            value: value(head[16], head[17]),
            leaf: None,
            links: links.chunks_exact(2).map(|link| (link[1], i32::from(link[0] as i8))).collect(),
            games: [0; 3],
            wants_leaf: false,
        });
        rest = after;
    }
    Ok(raws)
}

/// A value with its level; `None` if it is undefined.
fn value(discs: u8, level: u8) -> Option<(i32, Effort)> {
    let discs = discs as i8;
    let effort = match level {
        PERSON => Effort::Person,
        EXACT => Effort::Proven,
        level => Effort::Level((level as i8).max(0) as u8),
    };
    (discs.unsigned_abs() <= 64).then_some((discs.into(), effort))
}

/// Writes a book of version 3: all positions with a value. Games, fractions of discs and confidence are lost.
pub fn write(sections: &Sections) -> Vec<u8> {
    let mut bytes = [&MAGIC[..], &[3, 0, 0, 0, 0]].concat();
    let mut n = 0u32;
    for entry in sections.iter() {
        let Some(value) = entry.value else { continue };
        let n_empties = entry.board.n_empties();
        let links = sections.links(entry.board);
        let level = |effort| match effort {
            Effort::Person => PERSON,
            Effort::Proven => EXACT,
            Effort::Level(level) => level.clamp(NO_SEARCH + 1, EXACT - 1),
        };
        let own = entry.leaf.map(|leaf| level(Effort::of(leaf, n_empties)));
        bytes.extend(entry.board.player.to_le_bytes());
        bytes.extend(entry.board.opponent.to_le_bytes());
        let value_level = match own {
            _ if value.is_proven() => EXACT,
            // The best move out of the book alone is solved.
            Some(EXACT) => EXACT - 1,
            own => own.unwrap_or(NO_LEVEL),
        };
        bytes.extend([whole_discs(value.score) as i8 as u8, value_level]);
        bytes.extend(entry.lines.to_le_bytes());
        bytes.extend(match other_move(entry, &links) {
            Some(other) => {
                let own = own.filter(|_| other.is_searched).unwrap_or(NO_SEARCH);
                [other.discs as i8 as u8, other.square, own]
            }
            None => {
                let linked = linked(&links);
                let all_linked = entry.board.legal_moves() & !linked == 0;
                let square = if all_linked { NO_OTHER_MOVE } else { NO_MOVE };
                [NO_VALUE as u8, square, NO_LEVEL]
            }
        });
        n += 1;
    }
    bytes[10..14].copy_from_slice(&n.to_le_bytes());
    bytes
}

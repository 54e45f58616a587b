//! Books of Edax: `book.dat`, version 4.
//!
//! Edax keeps forced passes and finished games as positions of their own and lists all links. It aborts or searches again if a file
//! differs from what it would write itself: boards are the least of their images; every link leads to a position of the file; a forced
//! pass is the only link; a leaf is legal and no link; scores agree; a finished game has its result as the score of the leaf "no move".

use std::collections::BTreeMap;

use super::entry::{After, Entry, n_discs};
use super::foreign::{Effort, ForeignError, Imported, NO_SEARCH, Raw, import, other_move};
use super::layout::{board_at, u32_at};
use super::sections::Sections;
use crate::board::Board;
use crate::board::symmetry::canonical;

const MAGIC: &[u8; 8] = b"XADEKOOB";
const VERSION: u8 = 4;
const HEAD: usize = 42;
const RECORD: usize = 42;
const PASS: u8 = 64;
const NO_MOVE: u8 = 65;
const NO_SCORE: i8 = -127;

/// Whether bytes begin as a book of Edax does.
pub fn is_edax(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a book.
pub fn read(bytes: &[u8]) -> Result<Imported, ForeignError> {
    if bytes.len() < HEAD || !is_edax(bytes) {
        return Err(ForeignError::Foreign("Edax"));
    }
    if bytes[8] != VERSION {
        return Err(ForeignError::Version(bytes[8]));
    }
    let mut raws = Vec::new();
    let mut rest = &bytes[HEAD..];
    while !rest.is_empty() {
        let torn = ForeignError::Torn(raws.len());
        let (head, after) = rest.split_at_checked(RECORD - 2).ok_or(torn.clone())?;
        let (moves, after) = after.split_at_checked(2 * usize::from(head[38]) + 2).ok_or(torn)?;
        raws.push(read_position(head, moves));
        rest = after;
    }
    let (said, found) = (u64::from(u32_at(bytes, 38)), raws.len() as u64);
    if said != found {
        return Err(ForeignError::Number { said, found });
    }
    Ok(import(raws))
}

/// A position from the part before its moves, and the moves with the leaf as the last one.
fn read_position(head: &[u8], moves: &[u8]) -> Raw {
    let discs = |at: usize| i32::from(i16::from_le_bytes([head[at], head[at + 1]]));
    let [value, lower, upper] = [32, 34, 36].map(discs);
    let effort = if lower == upper { Effort::Proven } else { Effort::Level(head[39]) };
    let mut moves: Vec<(u8, i32)> =
        moves.chunks_exact(2).map(|mv| (mv[1], i32::from(mv[0] as i8))).collect();
    let leaf = moves.pop().filter(|(square, _)| *square != NO_MOVE);
    Raw {
        board: board_at(head, 0),
        value: Some((value, effort)),
        // Only the score of the best move is proven.
        leaf: leaf.map(|(square, score)| {
            let is_best = score == value && head[39] != NO_SEARCH;
            (square, score, if is_best { effort } else { Effort::Level(head[39]) })
        }),
        links: moves,
        games: [16, 20, 24].map(|at| u32_at(head, at)),
        wants_leaf: true,
    }
}

/// A position as Edax stores it; scores and bounds are in discs.
struct Written {
    games: [u32; 3],
    lines: u32,
    value: i32,
    bounds: [i32; 2],
    links: Vec<(i32, u8)>,
    leaf: (i8, u8),
    /// Whether the leaf has a bound instead of a score.
    is_bound: bool,
}

/// A book written for Edax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The file.
    pub bytes: Vec<u8>,
    /// Number of positions in it, including forced passes and finished games.
    pub n_positions: usize,
}

/// Writes a book whose values are derived. Scores are rounded to whole discs; the most frequent depth is the level of all positions whose
/// best other move was searched.
pub fn write(sections: &Sections) -> Exported {
    let mut written: BTreeMap<(u32, Board), Written> = BTreeMap::new();
    let mut depths = [0u32; 61];
    let mut least_empties = 60;
    for entry in sections.iter().rev().filter(|entry| entry.value.is_some()) {
        least_empties = least_empties.min(entry.board.n_empties());
        if let (true, Some(leaf)) = (add(&mut written, sections, entry), entry.leaf) {
            depths[usize::from(leaf.depth.min(60))] += 1;
        }
    }
    let levels = (0u8..).zip(depths).filter(|(_, n)| *n > 0);
    let level = levels.max_by_key(|(_, n)| *n).map_or(0, |(level, _)| level).max(NO_SEARCH + 1);
    let mut bytes = MAGIC.to_vec();
    bytes.extend([VERSION, 4]);
    // The date (year, month, day, hour, minute, second) is constant, so that the same book gives the same bytes.
    bytes.extend(2026i16.to_le_bytes());
    bytes.extend([1, 1, 0, 0, 0, 0]);
    let n_positions = written.len();
    for number in [i32::from(level), least_empties as i32 + 1, 2, 1, 0, n_positions as i32] {
        bytes.extend(number.to_le_bytes());
    }
    for ((_, board), position) in &written {
        bytes.extend(board.player.to_le_bytes());
        bytes.extend(board.opponent.to_le_bytes());
        for number in position.games.into_iter().chain([position.lines]) {
            bytes.extend(number.to_le_bytes());
        }
        let [lower, upper] = position.bounds;
        for number in [position.value, lower.min(position.value), upper.max(position.value)] {
            bytes.extend((number as i16).to_le_bytes());
        }
        bytes.extend([
            position.links.len() as u8,
            if position.is_bound { NO_SEARCH } else { level },
        ]);
        for &(score, mv) in &position.links {
            bytes.extend([score as i8 as u8, mv]);
        }
        bytes.extend([position.leaf.0 as u8, position.leaf.1]);
    }
    Exported { bytes, n_positions }
}

/// Adds a position, and one for each link after which the other side must pass or the game is over; returns whether the best other move
/// was searched.
fn add(written: &mut BTreeMap<(u32, Board), Written>, sections: &Sections, entry: &Entry) -> bool {
    let board = entry.board;
    let known = sections.links(board);
    let mut links = Vec::new();
    for link in &known {
        let square = crate::board::Square::lowest(link.bit);
        let after = board.after(square, board.flips(square));
        let key = (n_discs(after), canonical(after));
        match link.after {
            After::Other(_) => {}
            After::Same(child) => {
                if let Some(child) = written.get(&(n_discs(child), child)) {
                    let pass = Written {
                        games: [child.games[2], child.games[1], child.games[0]],
                        lines: child.lines,
                        value: -child.value,
                        bounds: [-child.bounds[1], -child.bounds[0]],
                        links: vec![(-child.value, PASS)],
                        leaf: (NO_SCORE, NO_MOVE),
                        is_bound: false,
                    };
                    written.insert(key, pass);
                }
            }
            After::End(discs) => {
                let end = Written {
                    games: [0; 3],
                    lines: 0,
                    value: -discs,
                    bounds: [-discs; 2],
                    links: Vec::new(),
                    leaf: (-discs as i8, NO_MOVE),
                    is_bound: false,
                };
                written.insert(key, end);
            }
        }
        if let Some(child) = written.get(&key) {
            links.push((-child.value, square.index() as u8));
        }
    }
    let best = links.iter().map(|link| link.0).max();
    let leaf = other_move(entry, &known);
    let value = best.into_iter().chain(leaf.map(|leaf| leaf.discs)).max().unwrap_or(0);
    let bounds = entry.value.map_or([-64, 64], |value| [value.lower.into(), value.upper.into()]);
    let position = Written {
        games: entry.games,
        // In Edax the greatest number means that the number of lines is unknown.
        lines: entry.lines.min(u32::MAX - 1),
        value,
        bounds,
        links,
        leaf: leaf.map_or((NO_SCORE, NO_MOVE), |leaf| (leaf.discs as i8, leaf.square)),
        is_bound: leaf.is_some_and(|leaf| !leaf.is_searched),
    };
    written.insert((n_discs(board), board), position);
    leaf.is_some_and(|leaf| leaf.is_searched)
}

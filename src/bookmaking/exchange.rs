//! Books as files of other programs, and as text.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};

use crate::board::symmetry::canonical;
use crate::board::{Board, Square};
use crate::book::foreign::Imported;
use crate::book::sections::Sections;
use crate::book::{Entry, edax, egaroucid, lines, pack};
use crate::files::contents::check_unpacked;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Edax,
    /// Egaroucid, version 3.
    Egaroucid,
    /// JSON, a line for each position: nothing is lost.
    Lines,
    /// Move lists with value and depth, one for each position at which the book ends.
    Moves,
    /// The compact tree of moves that can be embedded in a program.
    Packed,
}

impl Form {
    pub const ALL: [Form; 5] =
        [Form::Edax, Form::Egaroucid, Form::Lines, Form::Moves, Form::Packed];

    pub const fn name(self) -> &'static str {
        match self {
            Form::Edax => "edax",
            Form::Egaroucid => "egaroucid",
            Form::Lines => "jsonl",
            Form::Moves => "moves",
            Form::Packed => "packed",
        }
    }

    pub fn of(path: &Path) -> Option<Form> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "dat" => Some(Form::Edax),
            "egbk3" | "egbk2" => Some(Form::Egaroucid),
            "jsonl" => Some(Form::Lines),
            "txt" => Some(Form::Moves),
            "bin" => Some(Form::Packed),
            _ => None,
        }
    }
}

/// Reads a book of Edax or Egaroucid, a packed one, or lines of JSON, told apart by their first bytes.
pub fn import(path: &Path) -> anyhow::Result<Imported> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    check_unpacked(path, &bytes)?;
    if edax::is_edax(&bytes) {
        return edax::read(&bytes).with_context(|| name.to_string());
    }
    if egaroucid::is_egaroucid(&bytes) {
        return egaroucid::read(&bytes).with_context(|| name.to_string());
    }
    if pack::is_packed(&bytes) {
        let sections = pack::unpack(&bytes).with_context(|| name.to_string())?;
        return Ok(Imported { sections, ..Imported::default() });
    }
    if !bytes.trim_ascii_start().starts_with(b"{") {
        bail!("{name}: not a book of Edax (.dat) or Egaroucid (.egbk3, .egbk2), nor lines of JSON");
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut fingerprints = BTreeSet::new();
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        fingerprints.extend(lines::read_games(line).into_iter().flatten());
        match lines::read(line) {
            Ok(Some(said)) => entries.push(said.entry),
            Ok(None) => {}
            Err(error) => bail!("{name} line {number}: {error}"),
        }
    }
    let mut sections = Sections::new(entries);
    sections.fingerprints = fingerprints.into_iter().collect();
    Ok(Imported { sections, ..Imported::default() })
}

pub struct Export {
    pub bytes: Vec<u8>,
    /// Number of positions in it, or of lines for [`Form::Moves`].
    pub n: usize,
    /// Number of positions that the form has no place for: without a value, or for [`Form::Packed`] and [`Form::Moves`] out of reach from
    /// the start.
    pub n_left_out: usize,
}

pub fn export(sections: &Sections, form: Form) -> Export {
    let n_unvalued = sections.iter().filter(|entry| entry.value.is_none()).count();
    match form {
        Form::Edax => {
            let edax::Exported { bytes, n_positions } = edax::write(sections);
            Export { bytes, n: n_positions, n_left_out: n_unvalued }
        }
        Form::Egaroucid => {
            let bytes = egaroucid::write(sections);
            let n = sections.len() - n_unvalued;
            Export { bytes, n, n_left_out: n_unvalued }
        }
        Form::Lines => {
            let positions = sections.iter().map(lines::position);
            let prints = &sections.fingerprints;
            let games = (!prints.is_empty()).then(|| lines::games(prints));
            let text: String = positions.chain(games).map(|line| line + "\n").collect();
            Export { bytes: text.into(), n: sections.len(), n_left_out: 0 }
        }
        Form::Packed => {
            let (bytes, n) = pack::pack(sections);
            Export { bytes, n, n_left_out: sections.len() - n }
        }
        Form::Moves => {
            let mut text = String::new();
            let (mut n, mut n_unsearched) = (0, 0);
            let n_seen = ends(sections, Board::START, &mut |moves, entry| {
                let line: String = moves.iter().map(Square::to_string).collect();
                if let (Some(value), Some(leaf)) = (entry.value, entry.leaf) {
                    let score = crate::score::text(value.score.into(), value.is_proven());
                    text += &format!("{line} {score} {}\n", leaf.depth);
                    n += 1;
                } else {
                    n_unsearched += 1;
                }
            });
            let n_left_out = sections.len() - n_seen + n_unsearched;
            Export { bytes: text.into(), n, n_left_out }
        }
    }
}

/// Visits the positions of a book, each by the first way to it, and calls `tell` for those without a link. Returns the number of all.
fn ends(sections: &Sections, start: Board, tell: &mut dyn FnMut(&[Square], &Entry)) -> usize {
    let mut seen = BTreeSet::new();
    let mut stack = vec![(start, Vec::new())];
    while let Some((board, moves)) = stack.pop() {
        let Some(entry) = sections.find(canonical(board)) else { continue };
        if !seen.insert(entry.board) {
            continue;
        }
        let mut is_end = true;
        let squares: Vec<Square> = board.moves().collect();
        for square in squares.into_iter().rev() {
            let after = board.after(square, board.flips(square));
            let next = if after.legal_moves() == 0 { after.passed() } else { after };
            if sections.find(canonical(next)).is_some() {
                is_end = false;
                stack.push((next, [&moves[..], &[square]].concat()));
            }
        }
        if is_end {
            tell(&moves, &entry);
        }
    }
    seen.len()
}

//! A player's repertoire: moves that it always plays, prefers or avoids, with or without a book.
//!
//! The text has one rule per line: `always`, `prefer` or `avoid`; `black`, `white` or `both`; and moves from the start, or the name of an
//! opening. `#` begins a comment.
//!
//! ```text
//! prefer black f5d6c3d3c4   # Tiger
//! avoid white f5f6
//! always white Parallel
//! ```
//!
//! `always` and `prefer` apply at each position of their line where that side is to move, by any order of moves. `avoid`
//! forbids the side every move to the position after its last move of the line. All apply in any orientation of the board.

use std::collections::HashSet;

use super::openings;
use crate::board::symmetry::canonical;
use crate::board::{Board, Color, Move};
use crate::formats::transcript;
use crate::game::{Game, Ply};
use crate::score::{DISC, Score};
use crate::search::{Bound, Line};

/// What a preferred move may lose against the best one, in 1/128 disc.
pub const MAX_LOSS: Score = 2 * DISC;

/// Why a text is no repertoire.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct RepertoireError {
    /// From 1.
    line: usize,
    reason: String,
}

/// What a repertoire says of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepertoireRules {
    /// Squares not to play on. At least one legal move is left.
    pub exclude: u64,
    /// Squares to play on rather than on others, none of them excluded.
    pub prefer: u64,
}

impl RepertoireRules {
    /// Whether no move is excluded or preferred.
    pub const fn is_empty(self) -> bool {
        self.exclude == 0 && self.prefer == 0
    }

    /// The index of the line to play among `lines`, sorted best first: the first with a preferred move that loses little and
    /// keeps a proven result, otherwise the best.
    pub fn pick(self, lines: &[Line]) -> usize {
        let Some(best) = lines.first() else { return 0 };
        let keeps_result =
            |line: &Line| !best.exact || line.exact && line.score.signum() >= best.score.signum();
        let is_wished = |line: &Line| {
            let is_preferred =
                line.mv.square().is_some_and(|square| square.bit() & self.prefer != 0);
            let is_near = line.bound != Bound::AtMost && line.score >= best.score - MAX_LOSS;
            is_preferred && is_near && keeps_result(line)
        };
        lines.iter().position(is_wished).unwrap_or(0)
    }
}

/// A move of a side as the least images of the positions before and after it.
type Step = (Color, Board, Board);

/// The rules of a repertoire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repertoire {
    always: HashSet<Step>,
    prefer: HashSet<Step>,
    /// The side and the positions that it must not move to.
    avoid: HashSet<(Color, Board)>,
}

#[derive(Clone, Copy)]
enum Kind {
    Always,
    Prefer,
    Avoid,
}

impl Repertoire {
    /// Reads a text; fails at the first line that is no rule.
    pub fn parse(text: &str) -> Result<Repertoire, RepertoireError> {
        let mut repertoire = Repertoire::default();
        for (line, text) in (1..).zip(text.lines()) {
            let rule = text.split('#').next().unwrap_or_default().trim();
            if !rule.is_empty() {
                repertoire.add(rule).map_err(|reason| RepertoireError { line, reason })?;
            }
        }
        Ok(repertoire)
    }

    fn add(&mut self, rule: &str) -> Result<(), String> {
        let (kind, rest) = split_word(rule);
        let (side, line) = split_word(rest);
        let kind = match kind.to_ascii_lowercase().as_str() {
            "always" => Kind::Always,
            "prefer" => Kind::Prefer,
            "avoid" => Kind::Avoid,
            _ => return Err(format!("'{kind}' is not always, prefer or avoid")),
        };
        let sides = match side.to_ascii_lowercase().as_str() {
            "black" => &[Color::Black][..],
            "white" => &[Color::White],
            "both" => &[Color::Black, Color::White],
            _ => return Err(format!("'{side}' is not black, white or both")),
        };
        let game = game(line)?;
        for &side in sides {
            let is_own = |ply: &&Ply| ply.before.side == side && ply.mv != Move::Pass;
            let mut steps = game.plies().iter().filter(is_own).filter_map(|ply| {
                let board = ply.before.board;
                Some((side, canonical(board), canonical(board.play(ply.mv)?)))
            });
            let last = steps.clone().next_back();
            let last = last.ok_or_else(|| format!("{} has no move in '{line}'", side.name()))?;
            match kind {
                Kind::Always => self.always.extend(&mut steps),
                Kind::Prefer => self.prefer.extend(&mut steps),
                Kind::Avoid => drop(self.avoid.insert((side, last.2))),
            }
        }
        Ok(())
    }

    /// What the rules say of a board on which `color` is to move.
    pub fn rules(&self, board: Board, color: Color) -> RepertoireRules {
        let before = canonical(board);
        let (mut always, mut prefer, mut avoid) = (0, 0, 0);
        for square in board.moves() {
            let after = canonical(board.after(square, board.flips(square)));
            let set = |is_in: bool| if is_in { square.bit() } else { 0 };
            always |= set(self.always.contains(&(color, before, after)));
            prefer |= set(self.prefer.contains(&(color, before, after)));
            avoid |= set(self.avoid.contains(&(color, after)));
        }
        let legal = board.legal_moves();
        let allowed = match (always, legal & !avoid) {
            (0, 0) => legal,
            (0, others) => others,
            (always, _) => always,
        };
        RepertoireRules { exclude: legal & !allowed, prefer: prefer & allowed }
    }
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// The game of a line: the name of an opening, or moves.
fn game(line: &str) -> Result<Game, String> {
    let moves = match openings::named(line)[..] {
        _ if line.is_empty() => return Err("moves or the name of an opening are missing".into()),
        [] => line,
        [moves] => moves,
        _ => return Err(format!("'{line}' names several openings; write its moves")),
    };
    let record = transcript::read(moves.as_bytes())
        .map_err(|error| format!("'{line}' is no opening, and {error}"))?;
    record.replay().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;
    use crate::board::symmetry::{N_SYMMETRIES, transform_board};
    use crate::book::turned;

    fn position(moves: &str) -> (Board, Color) {
        let game = transcript::read(moves.as_bytes()).unwrap().replay().unwrap();
        let position = game.position();
        (position.board, position.side)
    }

    fn squares(set: u64) -> Vec<String> {
        let squares = Square::all().filter(|square| set & square.bit() != 0);
        squares.map(|square| square.to_string()).collect()
    }

    /// The moves that are left after some moves, and those preferred, with dashes between.
    fn wished(rules: &str, moves: &str) -> [String; 2] {
        let (board, color) = position(moves);
        let RepertoireRules { exclude, prefer } =
            Repertoire::parse(rules).unwrap().rules(board, color);
        [board.legal_moves() & !exclude, prefer].map(|set| squares(set).join("-"))
    }

    #[test]
    fn rules_hold_at_each_position_of_their_line() {
        let rules = "\u{20}# mine\n\nprefer black f5d6c3d3c4  # Tiger\r\nALWAYS White F5 F4\navoid both f5d6c4\n";
        let (first, all) = ("d3-c4-f5-e6", "f4-d6-f6");
        for (rules, moves, left, preferred) in [
            (rules, "", first, first),
            (rules, "f5", "f4", ""),
            (rules, "f5d6", "c3-c5-c6-c7", "c3"),
            (rules, "f5d6c3d3", "c2-e3-c4-c5-c6-c7", "c4"),
            (rules, "f5d6c3", "d3-f3-f4-g5", ""),
            (rules, "f5f6", "d3-c4-e6-f7", ""),
            // The other side may play what it likes.
            ("avoid black f5d6c4\nprefer white f5d6", "f5d6c3", "d3-f3-f4-g5", ""),
            // Other orders of moves lead to the same rules: by c4 first and c3 later.
            ("prefer white Tiger\nalways white f5d6c3d3c4f4", "f5d6c4d3c3", "f4", ""),
            ("avoid black Tiger", "f5d6c3", "d3-f3-f4-g5", ""),
            ("avoid black Tiger", "f5d6c4d3", "c2-e2-c5-c6-e6-c7", ""),
            // A move is always left.
            ("", "f5", all, ""),
            ("avoid white f5d6\navoid white f5f4\navoid white f5f6", "f5", all, ""),
            ("avoid white f5d6\navoid white f5f4", "f5", "f6", ""),
            // What is always played is not avoided, and of several such moves each may be.
            ("avoid white f5d6\nalways white f5d6", "f5", "d6", ""),
            ("always white f5f4\nalways white f5d6", "f5", "f4-d6", ""),
            ("avoid white f5d6\nprefer white f5d6", "f5", "f4-f6", ""),
        ] {
            assert_eq!(wished(rules, moves), [left, preferred], "{rules}: {moves}");
        }
    }

    #[test]
    fn rules_turn_with_the_board() {
        let rules = "avoid white Parallel\nprefer white Diagonal\nalways black f5d6c3";
        let repertoire = Repertoire::parse(rules).unwrap();
        for (moves, color) in [("f5", Color::White), ("f5d6", Color::Black), ("", Color::Black)] {
            let (board, side) = position(moves);
            assert_eq!(side, color);
            let turn = |set: u64, k: usize| {
                let squares = Square::all().filter(|square| set & square.bit() != 0);
                squares.fold(0, |set, square| set | turned(square, k).bit())
            };
            let rules = repertoire.rules(board, color);
            for k in 0..N_SYMMETRIES {
                let expected = RepertoireRules {
                    exclude: turn(rules.exclude, k),
                    prefer: turn(rules.prefer, k),
                };
                assert_eq!(repertoire.rules(transform_board(board, k), color), expected);
            }
            assert!(repertoire.rules(board, color.opposite()).is_empty());
        }
    }

    #[test]
    fn a_preferred_move_loses_little_and_no_result() {
        let line = |text: &str, score, exact| Line {
            exact,
            ..Line::new(Move::parse(text.as_bytes()).unwrap(), score, Bound::Exact, 1)
        };
        let near = [line("f4", 300, false), line("d6", 44, false), line("f6", 43, false)];
        let drawn = [
            line("f4", 0, true),
            line("d6", 0, true),
            line("f6", -256, true),
            line("c4", -1, false),
        ];
        for (lines, prefer, index) in [
            (&near[..], "d6", 1),
            (&near, "f6", 0),
            (&near, "a1", 0),
            (&[], "d6", 0),
            (&drawn, "d6", 1),
            (&drawn, "f6", 0),
            (&drawn, "c4", 0),
        ] {
            let prefer = Square::parse(prefer.as_bytes()).unwrap().bit();
            assert_eq!(RepertoireRules { prefer, exclude: 0 }.pick(lines), index);
        }
    }

    #[test]
    fn mistakes_are_named_with_their_lines() {
        for (rules, message) in [
            ("prefer black f5\n\nlike black f5", "line 3: 'like' is not always, prefer or avoid"),
            ("prefer red f5", "line 1: 'red' is not black, white or both"),
            ("prefer", "line 1: '' is not black, white or both"),
            ("avoid both # f5", "line 1: moves or the name of an opening are missing"),
            ("avoid white f5", "line 1: white has no move in 'f5'"),
            ("always black f5f5", "line 1: move 2 of the game is illegal: F5"),
            ("always black Tigre", "line 1: 'Tigre' is no opening, and no move at 'Tigre'"),
            ("always black Bat", "line 1: 'Bat' names several openings; write its moves"),
            (
                "always black f5 d6 +0.00",
                "line 1: 'f5 d6 +0.00' is no opening, and no move at '0.00'",
            ),
        ] {
            assert_eq!(Repertoire::parse(rules).unwrap_err().to_string(), message);
        }
        assert_eq!(Repertoire::parse("# nothing\n\n"), Ok(Repertoire::default()));
    }
}

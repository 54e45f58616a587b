//! The names of openings, as players use them.
//!
//! The common names from the literature with their sequences, all with f5 first; positions are recognized in any order and orientation.

use std::collections::HashMap;

use crate::board::symmetry::canonical;
use crate::board::{Board, Move};
use crate::formats::transcript;
use crate::game::Game;

/// Sequences and names; the most common of several names comes first.
const OPENINGS: [(&str, &str); 77] = [
    ("f5f6", "Diagonal"),
    ("f5f6e6f4g7", "X-square"),
    ("f5f6e6f4g6", "Snake, Peasant"),
    ("f5f6e6f4g6c6", "Lysons"),
    ("f5f6e6f4g6c5g4g5f3e3c4", "Pyramid, Checkerboarding Peasant"),
    ("f5f6e6f4g5", "Heath, Tobidashi"),
    ("f5f6e6f4g5e7f7c5e3f3c4d3c2", "Mimura Variation II"),
    ("f5f6e6f4g5e7e3", "Heath-Bat"),
    ("f5f6e6f4g5e7d7", "Iwasaki Variation"),
    ("f5f6e6f4g5d6", "Heath-Chimney"),
    ("f5f6e6f4g4", "Raccoon Dog"),
    ("f5f6e6f4g3", "Rocket"),
    ("f5f6e6f4g3f3g4", "Hamilton"),
    ("f5f6e6f4g3d6", "Lollipop"),
    ("f5f6e6f4e3", "Cow"),
    ("f5f6e6f4e3d6", "Chimney"),
    ("f5f6e6f4e3c5g5", "Cow Bat, Cambridge"),
    ("f5f6e6f4e3c5g5g3g4f3g6", "Bat, Piau Continuation 2"),
    ("f5f6e6f4e3c5g5g3g4f3c4", "Melnikov, Bat, Piau Continuation 1"),
    ("f5f6e6f4e3c5g5f3g4g6g3d6f7h5h4h3e7", "Bat, Kling Continuation"),
    ("f5f6e6f4e3c5g5d6g6", "Bat, Kling Alternative"),
    ("f5f6e6f4e3c5c4", "Rose-v-Toth"),
    ("f5f6e6f4e3c5c4e7", "Tanida"),
    ("f5f6e6f4e3c5c4e7g4", "Aircraft, Feldborg"),
    ("f5f6e6f4e3c5c4e7b5e2", "Sailboat"),
    ("f5f6e6f4e3c5c4d3f3e2", "Maruoka"),
    ("f5f6e6f4e3c5c4d3c3", "Landau"),
    ("f5f6e6f4c3", "Buffalo, Kenichi Variation"),
    ("f5f6e6f4c3d7f3", "Maruoka Buffalo"),
    ("f5f6e6f4c3d6f3c4c5b4", "Tanida Buffalo"),
    ("f5f6e6f4c3c4", "Hokuriku Buffalo"),
    ("f5f6d3f4", "Wing Variation"),
    ("f5f6c4f4", "Semi-Wing Variation"),
    ("f5f4", "Parallel"),
    ("f5d6", "Perpendicular"),
    ("f5d6c5f4e3d3", "Mimura"),
    ("f5d6c5f4e3c6f3", "Shaman, Danish"),
    ("f5d6c5f4e3c6e6", "Inoue"),
    ("f5d6c5f4e3c6e6f6", "Iago"),
    ("f5d6c5f4e3c6d7", "Bhagat"),
    ("f5d6c5f4e3c6d3f6e6d7", "Rose"),
    ("f5d6c5f4e3c6d3f6e6d7g4", "Flat"),
    ("f5d6c5f4e3c6d3f6e6d7g4c4", "Rotating Flat"),
    ("f5d6c5f4e3c6d3f6e6d7g4c4g6", "Murakami Variation"),
    ("f5d6c5f4e3c6d3f6e6d7g4c4g5c3f7d2e7f2", "Rotating Flat, Kling Continuation"),
    ("f5d6c5f4e3c6d3f6e6d7g3c4", "Rose-Birth"),
    ("f5d6c5f4e3c6d3f6e6d7g3c4g5c3b4e2", "Brightstein"),
    ("f5d6c5f4e3c6d3f6e6d7g3c4b4", "Rose-Birdie, Rose-Tamenori"),
    ("f5d6c5f4e3c6d3f6e6d7g3c4b4c3", "Rose-Tamenori-Kling"),
    ("f5d6c5f4e3c6d3f6e6d7e7", "Greenberg, Dawg"),
    ("f5d6c5f4e3c6d3f3", "Ralle"),
    ("f5d6c5f4d3", "Horse"),
    ("f5d6c4g5", "Ganglion, No-Cat"),
    ("f5d6c4g5c6", "Swallow"),
    ("f5d6c4g5c6c5d7d3b4c3e3f3", "No-Cat Continuation"),
    ("f5d6c4d3e6", "Italian"),
    ("f5d6c4d3c5", "Cat"),
    ("f5d6c4d3c5f4e3f3c2c6", "Sakaguchi"),
    ("f5d6c4d3c5f4e3f3c2b4b3", "Berner"),
    ("f5d6c3g5", "Bent Ganglion"),
    ("f5d6c3d3c4", "Tiger"),
    ("f5d6c3d3c4f4f6", "Stephenson"),
    ("f5d6c3d3c4f4f6g5", "No-Kung"),
    ("f5d6c3d3c4f4f6g5e3f3g4h3g3f2", "No-Kung Continuation"),
    ("f5d6c3d3c4f4f6f3", "Comp'Oth"),
    ("f5d6c3d3c4f4f6f3e6e7d7g6f8f7g5h6h4g4h3h5h7", "F.A.T. Draw"),
    ("f5d6c3d3c4f4f6f3e3", "Lightning Bolt"),
    ("f5d6c3d3c4f4f6b4", "Kung"),
    ("f5d6c3d3c4f4e6", "Leader's Tiger"),
    ("f5d6c3d3c4f4e3", "Brightwell"),
    ("f5d6c3d3c4f4c5b4b5c6f3e6e3", "Ishii"),
    ("f5d6c3d3c4f4c5b4b5c6f3e6e3g6f6g5d7g3", "Mainline Tiger"),
    ("f5d6c3d3c4f4c5b3c2", "Rose-Bill"),
    ("f5d6c3d3c4f4c5b3c2e6", "Tamenori"),
    ("f5d6c3d3c4f4c5b3c2b4", "Central Rose-Bill, Dead Draw"),
    ("f5d6c3d3c4b3", "Aubrey, Tanaka"),
    ("f5d6c3d3c4b3d2f4", "Aubrey, Feldborg Continuation"),
];

/// The moves of the openings called `name`, in any case: a whole entry such as `Snake, Peasant`, or else one name of it.
pub fn named(name: &str) -> Vec<&'static str> {
    let is_name = |known: &str| known.trim().eq_ignore_ascii_case(name);
    let whole = OPENINGS.iter().find(|(_, known)| is_name(known));
    let in_part = OPENINGS.iter().filter(|(_, known)| known.split(',').any(is_name));
    whole.map_or_else(|| in_part.map(|(moves, _)| *moves).collect(), |(moves, _)| vec![*moves])
}

/// The table, indexed by position.
#[derive(Debug)]
pub struct Openings {
    names: HashMap<Board, &'static str>,
}

impl Default for Openings {
    fn default() -> Openings {
        let positions = OPENINGS.iter().filter_map(|(moves, name)| {
            let game = transcript::game(moves).ok()?;
            Some((canonical(game.position().board), *name))
        });
        let mut names = HashMap::new();
        for (board, name) in positions {
            names.entry(board).or_insert(name);
        }
        Openings { names }
    }
}

impl Openings {
    /// The name of a position.
    pub fn name(&self, board: Board) -> Option<&'static str> {
        self.names.get(&canonical(board)).copied()
    }

    /// The opening's name after each ply: the last name reached so far.
    pub fn names(&self, game: &Game) -> Vec<Option<&'static str>> {
        let mut last = None;
        let positions = game.positions().skip(1);
        positions
            .map(|position| {
                last = self.name(position.board).or(last);
                last
            })
            .collect()
    }

    /// The most specific name of a game's opening, and its moves.
    pub fn of(&self, game: &Game) -> Option<(&'static str, String)> {
        let named = game
            .positions()
            .enumerate()
            .filter_map(|(ply, position)| self.name(position.board).map(|name| (ply, name)));
        let (n_plies, name) = named.last()?;
        let moves = game.plies()[..n_plies].iter().map(|ply| ply.mv);
        Some((name, moves.filter(|mv| *mv != Move::Pass).map(|mv| mv.to_string()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(moves: &str) -> Option<(&'static str, String)> {
        let game = transcript::game(moves).unwrap();
        Openings::default().of(&game)
    }

    #[test]
    fn every_sequence_is_legal_and_names_one_position() {
        let mut seen: HashMap<Board, &str> = HashMap::new();
        for (moves, name) in OPENINGS {
            let game = transcript::game(moves);
            let game = game.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(moves.starts_with("f5") && game.plies().len() * 2 == moves.len(), "{name}");
            let other = seen.insert(canonical(game.position().board), name);
            assert_eq!(other, None, "{name}");
        }
        assert_eq!(Openings::default().names.len(), OPENINGS.len());
    }

    #[test]
    fn openings_are_recognized_however_the_board_is_turned() {
        for moves in ["f5d6c3d3c4", "c4e3f6e6f5", "d3c5f6f5e6", "e6f4c3c4d3"] {
            assert_eq!(opening(moves), Some(("Tiger", moves.into())));
        }
        assert_eq!(opening("f5d6c3d3c4f4f6").map(|found| found.0), Some("Stephenson"));
        assert_eq!(opening("f5f6e6f4e3").map(|found| found.0), Some("Cow"));
        assert_eq!(opening("f5f4").map(|found| found.0), Some("Parallel"));
        // The last name that was reached.
        assert_eq!(opening("f5d6c3d3c4b5"), Some(("Tiger", "f5d6c3d3c4".into())));
        assert_eq!(opening("f5"), None);
    }

    #[test]
    fn names_lead_to_their_moves() {
        for (moves, name) in OPENINGS {
            assert_eq!(named(name), [moves]);
            assert_eq!(named(&name.to_uppercase()), [moves]);
        }
        assert_eq!(named("tobidashi"), ["f5f6e6f4g5"]);
        assert_eq!(named("Aubrey").len(), 2);
        assert!(named("Nobody").is_empty() && named("").is_empty());
    }

    #[test]
    fn names_stay_until_a_better_one_comes() {
        let game = transcript::game("f5d6c3d3c4b5").unwrap();
        let names = Openings::default().names(&game);
        let [none, perpendicular, tiger] = [None, Some("Perpendicular"), Some("Tiger")];
        assert_eq!(names, [none, perpendicular, perpendicular, perpendicular, tiger, tiger]);
    }
}

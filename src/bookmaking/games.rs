//! Adds games to a book, and judges games by a book.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Board;
use crate::board::symmetry::canonical;
use crate::book::sections::Sections;
use crate::book::{Book, BookMove, Entry, fingerprint, n_discs};
use crate::game::Game;
use crate::score::{DISC, Score};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Games that were not counted before.
    pub new: usize,
    pub known: usize,
    /// New games that stop before their end: they count for no side, whatever a file says of their results.
    pub unfinished: usize,
}

/// The place of a result among games won, drawn and lost; `own` are the discs by which the side to move has won.
pub(super) const fn outcome_index(own: i32) -> usize {
    match own {
        1.. => 0,
        0 => 1,
        _ => 2,
    }
}

/// Counts games in a book and adds the positions that at least `min_games` of them reach with `least_empties` empty squares or more.
/// A game counts once in a position, however often it is added and however it is turned.
pub fn add(
    sections: &mut Sections,
    games: impl IntoIterator<Item = Game>,
    min_games: u32,
    least_empties: u32,
) -> Counted {
    let mut known: BTreeSet<u64> = sections.fingerprints.iter().copied().collect();
    let mut seen = BTreeSet::new();
    let mut found: BTreeMap<(u32, Board), Found> = BTreeMap::new();
    let mut counted = Counted::default();
    for game in games {
        let print = fingerprint(&game);
        let is_new = known.insert(print);
        *(if is_new { &mut counted.new } else { &mut counted.known }) += 1;
        // A known game still counts in positions that the book has left out so far.
        if !seen.insert(print) {
            continue;
        }
        let result = game.result();
        counted.unfinished += usize::from(is_new && result.is_none());
        for position in game.positions() {
            let board = canonical(position.board);
            if !belongs(board, least_empties) {
                continue;
            }
            let found = found.entry((n_discs(board), board)).or_default();
            found.n_games += 1;
            if let Some(result) = result {
                let index = outcome_index(result * position.side.sign());
                found.results[index] = found.results[index].saturating_add(1);
                found.new[index] = found.new[index].saturating_add(u32::from(is_new));
            }
        }
    }
    let mut entries: Vec<Entry> = sections.iter().copied().collect();
    for entry in &mut entries {
        if let Some(Found { new, .. }) = found.remove(&(n_discs(entry.board), entry.board)) {
            entry.games = [0, 1, 2].map(|i| entry.games[i].saturating_add(new[i]));
        }
    }
    let missing = found.into_iter().filter(|(_, found)| found.n_games >= min_games);
    let entry =
        |((_, board), found): (_, Found)| Entry { games: found.results, ..Entry::new(board) };
    entries.extend(missing.map(entry));
    *sections = Sections::new(entries);
    sections.fingerprints = known.into_iter().collect();
    counted
}

/// Games through a position.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// Games that the side to move won, drew and lost.
    results: [u32; 3],
    /// Those of them that the book has not counted yet.
    new: [u32; 3],
    /// Unfinished games included.
    n_games: u32,
}

/// The positions of games that belong into a book, as the least of their images.
pub fn boards<'a>(
    games: impl IntoIterator<Item = &'a Game>,
    least_empties: u32,
) -> BTreeSet<Board> {
    let boards = games.into_iter().flat_map(Game::positions).map(|position| position.board);
    boards.map(canonical).filter(|board| belongs(*board, least_empties)).collect()
}

/// How many moves of games a book judges as good or bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Moves from positions of the book that lose less than [`BAD`] against its best one.
    pub good: usize,
    /// Moves that lose that or more.
    pub bad: usize,
    /// Moves from positions of the book that the book does not know, or cannot judge.
    pub missing: usize,
}

/// The least that a bad move loses, in 1/128 disc.
pub const BAD: Score = 2 * DISC;

pub fn judge(book: &Book, games: &[Game]) -> Judged {
    let mut judged = Judged::default();
    for ply in games.iter().flat_map(Game::plies) {
        let Some(entry) = book.find(ply.before.board) else { continue };
        let Some(square) = ply.mv.square() else { continue };
        // Without a settled value the book cannot judge: its moves were only played, not searched.
        let is_searched = entry.settled().is_some();
        let moves = if is_searched { book.moves(ply.before.board) } else { Vec::new() };
        let score = |known: &BookMove| Score::from(known.value.score);
        let played = moves.iter().find(|known| known.square == square).map(score);
        match (moves.first().map(score), played) {
            (Some(best), Some(played)) if best - played < BAD => judged.good += 1,
            (_, Some(_)) => judged.bad += 1,
            (_, None) => judged.missing += 1,
        }
    }
    judged
}

pub(super) fn belongs(board: Board, least_empties: u32) -> bool {
    board.n_empties() >= least_empties && Entry::new(board).is_sound()
}

/// A game of the moves, as far as they are legal; passes may be left out.
#[cfg(test)]
pub(super) fn game(moves: &str) -> Game {
    let record = crate::formats::transcript::read(moves.as_bytes());
    record.map(|record| record.replay_legal().0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::book::tests::with_leaf;

    #[test]
    fn a_game_counts_once_however_it_is_turned() {
        let mut sections = Sections::default();
        let (first, turned) = (game("f5d6c3d3c4"), game("e6f4c3c4d3"));
        let counted = add(&mut sections, [first.clone(), turned, first.clone()], 1, 40);
        assert_eq!(counted, Counted { new: 1, known: 2, unfinished: 1 });
        assert_eq!(sections.len(), 6);
        // An unfinished game counts for no side.
        assert!(sections.iter().all(|entry| entry.games == [0; 3]));
        let won = game("e6f4e3f6g5d6e7f5c5");
        assert_eq!(won.result(), Some(64));
        assert_eq!(add(&mut sections, [won], 1, 40).unfinished, 0);
        assert_eq!(
            sections.find(canonical(Board::START)).map(|entry| entry.games),
            Some([1, 0, 0])
        );
        assert_eq!(add(&mut sections, [first], 1, 40), Counted { known: 1, ..Counted::default() });
    }

    #[test]
    fn a_move_that_loses_two_discs_is_bad() {
        for (lost, good) in [(BAD as i16 - 1, 2), (BAD as i16, 1)] {
            let positions = [("f5", -20 * 128), ("f5d6", 0), ("f5f4", lost)];
            let entry = |(moves, score)| with_leaf(game(moves).position().board, score);
            let book = Book::of(Sections::new(positions.map(entry)).derived());
            let judged = judge(&book, &["f5d6", "f5f4"].map(game));
            assert_eq!((judged.good, judged.bad), (good, 2 - good), "{lost}");
        }
    }

    #[test]
    fn rare_and_late_positions_are_left_out() {
        let mut sections = Sections::default();
        let games = ["f5d6c3d3c4", "f5d6c3d3c5", "f5f6e6f4g6"].map(game);
        add(&mut sections, games.clone(), 2, 57);
        // The start, f5, f5d6, f5d6c3.
        assert_eq!(sections.len(), 4);
        assert_eq!(boards(&games, 57).len(), 6);
        // They come with a smaller number, and known games are not counted again.
        assert_eq!(add(&mut sections, games.clone(), 1, 57).known, 3);
        assert_eq!(sections.len(), boards(&games, 57).len());
        let with_pass = game("f5f6d3g5h5h4f7h6c5");
        assert_eq!(with_pass.plies()[8].mv, Move::Pass);
        assert_eq!(boards([&with_pass], 0).len(), with_pass.plies().len());
    }
}

//! Openings: transcripts, game files, opening books, random plies or the start position.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use crate::board::symmetry::canonical;
use crate::board::{Board, Move, Square};
use crate::book::Book;
use crate::files::games::GameFile;
use crate::formats::archive::Format;
use crate::formats::transcript;
use crate::game::{Game, Note};
use crate::score::{DISC, Score};
use crate::support::random::{draw, shuffle};
use crate::support::text::counted;

/// Plies taken from a whole game used as an opening, by default.
pub const DEFAULT_PLIES: usize = 10;

/// The fewest empty squares that an opening leaves: with fewer the games would not tell who is stronger.
const MIN_EMPTIES: u32 = 20;

/// The longest openings that are made up or cut, in plies from the start.
pub const MAX_PLIES: usize = 60 - MIN_EMPTIES as usize;

/// A source of openings, which are transcripts to be replayed with [`replay`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Start,
    Random(usize),
    List(Vec<String>),
}

impl Source {
    /// The first `plies` plies of each game of a file; by default all of a list of openings, and [`DEFAULT_PLIES`] of other games. `tell`
    /// hears what is left out. Fails if an opening leaves too little to play.
    pub fn read(path: &Path, plies: Option<usize>, tell: impl Fn(&str)) -> anyhow::Result<Source> {
        let context = || format!("openings file {}", path.display());
        let file = GameFile::read(path, None, None).with_context(context)?;
        let games = file.legal_games(tell).with_context(context)?;
        // A move list holds openings or games, of which some are over.
        let is_list = file.format == Format::Transcript && !games.iter().any(Game::is_over);
        let most = plies.unwrap_or(if is_list { usize::MAX } else { DEFAULT_PLIES });
        let mut list: Vec<String> = games.iter().map(|game| cut(game, most)).collect();
        if file.format == Format::Wthor {
            // Thousands of games share their openings.
            list.sort_unstable();
            list.dedup();
        }
        for opening in &list {
            let n = replay(opening)?.position().board.empties().count_ones();
            ensure!(
                n >= MIN_EMPTIES,
                "{}: the opening {opening} leaves {}, fewer than {MIN_EMPTIES}",
                context(),
                counted(n as usize, "empty square", "empty squares")
            );
        }
        Ok(Source::List(list))
    }

    /// The first `n` openings: in order, or shuffled by `seed`. None repeats before all have been used.
    pub fn choose(&self, n: usize, shuffled: bool, seed: u64) -> Vec<String> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        match self {
            Source::Start => vec![String::new(); n],
            Source::Random(plies) => (0..n).map(|_| random_opening(*plies, &mut random)).collect(),
            Source::List(list) => {
                let mut chosen = Vec::with_capacity(n);
                let mut order: Vec<usize> = (0..list.len()).collect();
                while chosen.len() < n {
                    if shuffled {
                        shuffle(&mut order, &mut random);
                    }
                    let left = n - chosen.len();
                    chosen.extend(order.iter().take(left).map(|&index| list[index].clone()));
                }
                chosen
            }
        }
    }
}

pub fn replay(opening: &str) -> anyhow::Result<Game> {
    let game = transcript::game(opening)?;
    ensure!(!game.is_over(), "the game is over after the opening");
    Ok(game)
}

/// The transcript of the first `plies` plies of a game, or of fewer if the game is over after them.
fn cut(game: &Game, plies: usize) -> String {
    let mut copy = Game::new(game.start());
    for ply in game.plies().iter().take(plies) {
        copy.play(ply.mv, Note::default());
        if copy.is_over() {
            copy.undo();
            break;
        }
    }
    transcript::write(&copy)
}

fn random_opening(plies: usize, random: &mut Xoshiro256PlusPlus) -> String {
    loop {
        let mut game = Game::default();
        for _ in 0..plies {
            let moves: Vec<Square> = game.position().board.moves().collect();
            let mv = match moves.len() {
                0 => Move::Pass,
                n => Move::Place(moves[draw(random, n as u64) as usize]),
            };
            if !game.play(mv, Note::default()) {
                break;
            }
        }
        if !game.is_over() {
            return transcript::write(&game);
        }
    }
}

/// The default largest value in discs, for either side, of a book opening that counts as even.
const EVEN: f64 = 2.0;

/// Parses what follows `book:`: a file, or `on` for the embedded book, the plies, and optionally the largest value.
fn from_book(text: &str) -> anyhow::Result<Source> {
    let form = || {
        format!(
            "openings book:{text}: expected book:FILE:PLIES or book:FILE:PLIES:DISCS with PLIES from 0 to {MAX_PLIES} and DISCS from 0 to 64"
        )
    };
    let (rest, last) = text.rsplit_once(':').with_context(form)?;
    let with_discs =
        rest.rsplit_once(':').and_then(|(path, plies)| Some((path, plies.parse().ok()?, last)));
    let (path, plies, discs): (&str, usize, f64) = match with_discs {
        Some((path, plies, discs)) => (path, plies, discs.parse().ok().with_context(form)?),
        None => (rest, last.parse().ok().with_context(form)?, EVEN),
    };
    ensure!(plies <= MAX_PLIES && (0.0..=64.0).contains(&discs), form());
    let book = match path {
        "on" => Book::embedded(),
        path => Arc::new(crate::files::book::open(Path::new(path))?),
    };
    let list = even(&book, plies, (discs * f64::from(DISC)) as Score);
    ensure!(
        !list.is_empty(),
        "{path}: no position after {plies} plies that is worth up to {discs} discs for either side"
    );
    Ok(Source::List(list))
}

/// Games to positions after `plies` moves worth at most `margin` for either side: one a position up to symmetry, the most even first.
fn even(book: &Book, plies: usize, margin: Score) -> Vec<String> {
    let mut games = BTreeMap::from([(canonical(Board::START), Game::default())]);
    for _ in 0..plies {
        let mut longer = BTreeMap::new();
        for game in games.values() {
            let board = game.position().board;
            for known in book.moves(board).iter().filter(|known| !known.is_leaf) {
                let mut game = game.clone();
                game.play(Move::Place(known.square), Note::default());
                if crate::game::must_pass(game.position().board) {
                    game.play(Move::Pass, Note::default());
                }
                longer.entry(canonical(game.position().board)).or_insert(game);
            }
        }
        games = longer;
    }
    let value = |game: &Game| {
        let value = book.find(game.position().board)?.settled()?;
        Some(Score::from(value.score).abs()).filter(|score| *score <= margin && !game.is_over())
    };
    let mut list: Vec<(Score, String)> =
        games.values().filter_map(|game| Some((value(game)?, transcript::write(game)))).collect();
    list.sort();
    list.into_iter().map(|(_, moves)| moves).collect()
}

/// Parses `start`, `random:N`, `book:FILE|on:PLIES[:DISCS]` or the path of a file; `tell` hears what is left out of that.
pub fn source(text: &str, plies: Option<usize>, tell: impl Fn(&str)) -> anyhow::Result<Source> {
    let source = match text.split_once(':') {
        _ if text == "start" => Source::Start,
        Some(("random", n)) => match n.parse::<usize>() {
            Ok(n) if n <= MAX_PLIES => Source::Random(n),
            _ => bail!("openings {text}: expected random:N with N from 0 to {MAX_PLIES}"),
        },
        Some(("book", rest)) => from_book(rest)?,
        _ => return Source::read(Path::new(text), plies, tell),
    };
    ensure!(plies.is_none(), "openings {text}: only openings of a file are cut after some plies");
    Ok(source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Entry;
    use crate::book::sections::Sections;
    use crate::book::tests::with_leaf;
    use crate::support::folder::Folder;

    #[test]
    fn lists_are_used_up_before_they_repeat() {
        let list = Source::List(["f5d6", "f5f6", "f5f4"].map(String::from).to_vec());
        assert_eq!(list.choose(4, false, 0), ["f5d6", "f5f6", "f5f4", "f5d6"]);
        let mut shuffled = list.choose(3, true, 5);
        assert_eq!(list.choose(3, true, 5), shuffled);
        shuffled.sort();
        assert_eq!(shuffled, ["f5d6", "f5f4", "f5f6"]);
        assert_eq!(Source::Start.choose(2, false, 0), ["", ""]);
    }

    #[test]
    fn random_openings_are_legal_and_repeat_by_seed() {
        let openings = Source::Random(12).choose(50, false, 7);
        assert_eq!(openings, Source::Random(12).choose(50, false, 7));
        assert!(openings.iter().all(|opening| replay(opening).unwrap().plies().len() >= 12));
    }

    #[test]
    fn the_embedded_book_has_even_openings_for_everyone() {
        let Ok(Source::List(list)) = source("book:on:10", None, |_| ()) else { panic!("no list") };
        assert!(list.len() >= 200, "{}", list.len());
        assert!(list.iter().all(|opening| replay(opening).unwrap().plies().len() >= 10));
    }

    #[test]
    fn books_give_each_even_position_once() {
        let board = |moves: &str| replay(moves).unwrap().position().board;
        let positions = [("f5d6", 300), ("f5f6", -40), ("f5f4", 10)];
        let ends = positions.map(|(moves, score)| with_leaf(board(moves), score));
        let inner = ["", "f5"].map(|moves| Entry::new(board(moves)));
        let sections = Sections::new(ends.into_iter().chain(inner));
        let folder = Folder::new("even");
        let path = folder.join("book.othb");
        crate::files::book::create(&path, crate::files::replace::Existing::Keep, &sections)
            .unwrap();
        let text = |rest: &str| format!("book:{}:{rest}", path.display());
        let read = |rest: &str| match source(&text(rest), None, |_| ()) {
            Ok(Source::List(list)) => list,
            other => panic!("{other:?}"),
        };
        let classes = |list: &[String]| -> Vec<Board> {
            list.iter().map(|moves| canonical(board(moves))).collect()
        };
        let even = ["f5f4", "f5f6"].map(|moves| canonical(board(moves)));
        assert_eq!(classes(&read("2")), even);
        assert_eq!(classes(&read("2:0.1")), even[..1]);
        assert_eq!(read("2:3").len(), 3);
        assert_eq!(read("0:64"), [""]);
        for (rest, reason) in [
            ("3", "no position after 3 plies"),
            ("2:0.01", "no position"),
            ("two", "expected book:FILE:PLIES"),
            ("41", "expected book:FILE:PLIES"),
            ("2:65", "DISCS from 0 to 64"),
        ] {
            let error = format!("{:#}", source(&text(rest), None, |_| ()).unwrap_err());
            assert!(error.contains(reason), "{rest}: {error}");
        }
        std::fs::remove_file(&path).unwrap();
        let error = format!("{:#}", source(&text("2"), None, |_| ()).unwrap_err());
        assert!(error.contains("cannot read"), "{error}");
        assert!(source("random:4", Some(2), |_| ()).is_err());
    }

    #[test]
    fn files_of_all_formats_are_openings() {
        let folder = Folder::new("openings");
        let read =
            |text: &str, plies| Source::read(folder.write("list", text).as_ref(), plies, |_| ());
        let passes = "f5f6d3g5h5h4f7h6c5";
        let list = Source::List(vec!["f5d6".into(), passes.into()]);
        assert_eq!(read(&format!("f5d6\n\n# x\n{passes}\n"), None).unwrap(), list);
        assert_eq!(replay(passes).unwrap().plies().len(), 10);
        let error = format!("{:#}", read("f5d6\n\n# x\nf5a1\n", None).unwrap_err());
        assert!(error.contains("line 4"), "{error}");
        assert!(read("# nothing\n", None).is_err());
        let sgf = "(;GM[2]SZ[8];B[fe];W[df];B[cd])";
        assert!(matches!(read(sgf, Some(2)).unwrap(), Source::List(list) if list[0].len() == 4));
        // The plies that end a game are left out.
        let over = "e6f4e3f6g5d6e7f5c5";
        assert_eq!(read(over, None).unwrap(), Source::List(vec![over[..16].into()]));
        assert!(replay(over).is_err());
        // With a game that is over, all of a list are games.
        let tiger = "f5d6c3d3c4f4f6f3e6e7";
        let games = format!("{over}\n{tiger}d7\n");
        let cut = Source::List(vec![over[..16].into(), tiger.into()]);
        assert_eq!(read(&games, None).unwrap(), cut);
        let late = format!("{}O{} X", "X".repeat(46), "-".repeat(17));
        let error = format!("{:#}", read(&format!("f5d6\n{late}"), None).unwrap_err());
        assert!(error.contains(&late) && error.contains("fewer than 20"), "{error}");
    }
}

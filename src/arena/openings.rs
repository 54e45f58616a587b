//! Where games begin: move strings, game files, random plies or the start position.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use crate::board::{Move, Square};
use crate::formats::{ggf, transcript, wthor};
use crate::game::{Game, Note};
use crate::support::draw::draw;

/// Plies that are taken from a whole game when it serves as an opening.
pub const DEFAULT_PLIES: usize = 10;

/// Openings as transcripts, ready to be replayed with [`replay`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The standard start position.
    Start,
    /// So many random plies.
    Random(usize),
    /// These transcripts.
    List(Vec<String>),
}

impl Source {
    /// Reads a file: GGF (`.ggf`), WTHOR (`.wtb`), both cut after `plies`, or else a transcript a line (blank lines and lines
    /// beginning `#` are passed over).
    ///
    /// # Errors
    /// With the line or game that is no legal opening, or if there is none.
    pub fn read(path: &Path, plies: Option<usize>) -> anyhow::Result<Source> {
        let context = || format!("openings file {}", path.display());
        let text = std::fs::read(path).with_context(context)?;
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let list = match extension.as_deref().and_then(|extension| extension.to_str()) {
            Some("ggf") => from_ggf(&text, plies.unwrap_or(DEFAULT_PLIES)),
            Some("wtb") => from_wthor(&text, plies.unwrap_or(DEFAULT_PLIES)),
            _ => from_lines(&text, plies),
        };
        let list = list.with_context(context)?;
        ensure!(!list.is_empty(), "{}: no openings in it", context());
        Ok(Source::List(list))
    }

    /// The first `n` openings: in order, or drawn by `seed` when `shuffled`, without repeating one before all were used.
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
                        // Fisher and Yates.
                        for last in (1..order.len()).rev() {
                            order.swap(last, draw(&mut random, last as u64 + 1) as usize);
                        }
                    }
                    let left = n - chosen.len();
                    chosen.extend(order.iter().take(left).map(|&index| list[index].clone()));
                }
                chosen
            }
        }
    }
}

/// The game after an opening.
///
/// # Errors
/// If it is no transcript or not legal, or if the game is over after it.
pub fn replay(opening: &str) -> anyhow::Result<Game> {
    let game = transcript::read(opening.as_bytes())?.replay()?;
    ensure!(!game.is_over(), "the game is over after the opening");
    Ok(game)
}

fn from_lines(text: &[u8], plies: Option<usize>) -> anyhow::Result<Vec<String>> {
    let mut list = Vec::new();
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let text = String::from_utf8_lossy(line);
        let game = replay(&text).with_context(|| format!("line {}", index + 1))?;
        list.push(cut(&game, plies.unwrap_or(usize::MAX)));
    }
    Ok(list)
}

fn from_ggf(text: &[u8], plies: usize) -> anyhow::Result<Vec<String>> {
    let mut list = Vec::new();
    for (index, record) in ggf::games(text).enumerate() {
        let read = || -> anyhow::Result<String> { Ok(cut(&ggf::read(record)?.replay()?, plies)) };
        list.push(read().with_context(|| format!("game {}", index + 1))?);
    }
    Ok(list)
}

fn from_wthor(text: &[u8], plies: usize) -> anyhow::Result<Vec<String>> {
    let mut list: Vec<String> = wthor::games(text)?
        .filter_map(|game| game.replay())
        .map(|game| cut(&game, plies))
        .collect();
    // Thousands of games share their openings.
    list.sort_unstable();
    list.dedup();
    Ok(list)
}

/// The transcript of the first plies of a game, so few that the game is not over.
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

/// Reads `start`, `random:N` or the path of a file.
///
/// # Errors
/// If the file cannot be used.
pub fn source(text: &str, plies: Option<usize>) -> anyhow::Result<Source> {
    match text.split_once(':') {
        _ if text == "start" => Ok(Source::Start),
        Some(("random", n)) => match n.parse::<usize>() {
            Ok(n) if n <= 40 => Ok(Source::Random(n)),
            _ => bail!("openings {text}: expected random:N with N from 0 to 40"),
        },
        _ => Source::read(Path::new(text), plies),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn bad_lines_are_named() {
        let error = from_lines(b"f5d6\n\n# x\nf5a1\n", None).unwrap_err();
        assert!(format!("{error:#}").contains("line 4"), "{error:#}");
        let passes = from_lines(b"f5f6d3g5h5h4f7h6c5\n", None).unwrap();
        assert_eq!(replay(&passes[0]).unwrap().plies().len(), 10);
        assert!(replay("e6f4e3f6g5d6e7f5c5").is_err());
    }
}

//! The results of an event for people: a table for the terminal, and a page that needs nothing but a browser.
//!
//! Both show the same [`Standing`]; the page holds the games besides, to be clicked through on a board. Everything is text made
//! in memory: nothing here opens a file or prints.

mod charts;
mod games;
mod page;
mod tables;
mod terminal;
#[cfg(test)]
mod tests;

use super::standing::Standing;
use super::statistics::rating::Rating;
use crate::arena::record::GameRecord;

/// One self-contained page without anything from the network: tables, charts and all games on a board.
///
/// The fragment `#game=12&ply=20` of its address opens a game; of games of the same number, which are of different events,
/// `#game=12.2` is the second.
pub fn html(title: &str, standing: &Standing, records: &[GameRecord]) -> String {
    page::page(title, standing, records)
}

/// The players from the strongest to the weakest and, of more than two, who made what against whom. Lines take at most 100
/// columns; there is no newline after the last one.
pub fn text(standing: &Standing) -> String {
    terminal::text(standing)
}

/// A player's place in the rating list.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    /// Index of the player in the standing.
    player: usize,
    rating: Rating,
    seconds: f64,
    faults: u64,
}

impl Ranked {
    /// The share of the points, 0 to 1; `None` without games.
    fn score(&self) -> Option<f64> {
        (self.rating.games > 0).then(|| self.rating.points / self.rating.games as f64)
    }
}

/// The players from the strongest to the weakest, those without games last.
fn ranked(standing: &Standing) -> Vec<Ranked> {
    let mut players: Vec<Ranked> = standing
        .ratings()
        .into_iter()
        .enumerate()
        .map(|(player, rating)| Ranked {
            player,
            rating,
            seconds: standing.seconds()[player],
            faults: standing.faults().filter(|fault| fault.0 == player).map(|fault| fault.2).sum(),
        })
        .collect();
    players.sort_by(|a, b| {
        let played = |player: &Ranked| player.rating.games > 0;
        played(b).cmp(&played(a)).then(b.rating.elo.total_cmp(&a.rating.elo))
    });
    players
}

/// Seconds in the unit that suits them.
fn duration(seconds: f64) -> String {
    // The limits are those at which the rounded number would reach the next unit.
    if seconds <= 0.0 {
        "0 s".into()
    } else if seconds < 0.009_95 {
        format!("{:.2} ms", 1000.0 * seconds)
    } else if seconds < 0.999_5 {
        format!("{:.0} ms", 1000.0 * seconds)
    } else if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else if seconds < 3599.5 {
        let seconds = seconds.round() as u64;
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    } else {
        let minutes = (seconds / 60.0).round() as u64;
        format!("{} h {:02} min", minutes / 60, minutes % 60)
    }
}

/// A number with its sign and so many decimals; no sign if that shows zeros only.
fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    if text[1..].bytes().all(|byte| matches!(byte, b'0' | b'.')) { text[1..].into() } else { text }
}

/// A share as per cent with one decimal.
fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

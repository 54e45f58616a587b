//! One game: the only judge of rules, clocks and faults.

use std::time::{Duration, Instant};

use crate::board::{Color, Move};
use crate::clock::{Clock, Control};
use crate::engine::pace::Pace;
use crate::game::{Game, Note, must_pass};
use crate::seats::fault::{Cause, Fault};
use crate::seats::{Answer, Seat, Terms};

/// The referee's settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Time by which a clock may be exceeded, to allow for the manager's own overhead.
    pub margin: Duration,
    /// Time without an answer, beyond any clock, after which a player has stalled.
    pub stall: Duration,
    /// Moves for which each player must agree on the result to end a game early.
    pub adjudicate: Option<u32>,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            margin: Duration::from_millis(10),
            stall: Duration::from_secs(60),
            adjudicate: None,
        }
    }
}

/// The outcome of a game.
#[derive(Debug)]
pub(super) struct Verdict {
    pub game: Game,
    /// Discs for Black.
    pub score: i32,
    pub end: VerdictEnd,
}

#[derive(Debug)]
pub(super) enum VerdictEnd {
    Played,
    Adjudicated,
    Resigned,
    Fault(Color, Fault),
    /// The event was stopped; there is no result.
    Stopped,
}

/// The score of a game lost by a fault.
const LOST: i32 = 64;

/// Values within this many discs of each other agree.
const AGREEMENT: f64 = 2.0;

/// The players by color, each with its limits.
pub(super) struct Table<'a> {
    pub seats: [&'a mut dyn Seat; 2],
    pub paces: [Pace; 2],
    /// Seed for random choices in this game.
    pub seed: u64,
}

/// Plays a game from the end of its opening.
pub(super) fn play(
    opening: &Game,
    table: &mut Table<'_>,
    rules: &Rules,
    is_stopped: &dyn Fn() -> bool,
) -> Verdict {
    let mut game = Game::new(opening.start());
    let faulty = |game: Game, color: Color, fault: Fault| Verdict {
        game,
        score: -LOST * color.sign(),
        end: VerdictEnd::Fault(color, fault),
    };
    let mut clocks = table.paces.map(|pace| match pace {
        Pace::Time(control) => Clock::new(control),
        _ => Clock::new(Control::Unlimited),
    });
    for color in [Color::Black, Color::White] {
        let terms = Terms {
            color,
            pace: table.paces[color.index()],
            seed: table.seed ^ color.index() as u64,
        };
        if let Err(fault) = table.seats[color.index()].begin(&game, terms) {
            return faulty(game, color, fault);
        }
    }
    for ply in opening.plies() {
        game.play(ply.mv, Note::default());
        if let Err((color, fault)) = announce(&game, table) {
            return faulty(game, color, fault);
        }
    }
    let mut agreement = Agreement::default();
    while !game.is_over() {
        if is_stopped() {
            return Verdict { game, score: 0, end: VerdictEnd::Stopped };
        }
        let position = game.position();
        let color = position.side;
        if must_pass(position.board) {
            game.play(Move::Pass, Note::default());
        } else {
            let clock = &mut clocks[color.index()];
            let limit =
                if clock.is_limited() { clock.left() + rules.margin } else { Duration::MAX };
            let deadline = Instant::now()
                + limit.min(Duration::from_secs(1 << 30)).saturating_add(rules.stall);
            let deadline = if clock.is_limited() { deadline } else { Instant::now() + rules.stall };
            let clocks_now = clocks;
            let choice = match table.seats[color.index()].choose(&game, clocks_now, deadline) {
                Ok(choice) => choice,
                Err(fault) => return faulty(game, color, fault),
            };
            if choice.elapsed > limit {
                let over =
                    choice.elapsed.as_secs_f64() - clocks[color.index()].left().as_secs_f64();
                let text = format!("exceeded its time by {:.3} s", over);
                return faulty(game, color, Fault::new(Cause::Time, text));
            }
            clocks[color.index()].spend(choice.elapsed);
            let mv = match choice.answer {
                Answer::Move(mv) => mv,
                Answer::Resign => {
                    return Verdict {
                        game,
                        score: -LOST * color.sign(),
                        end: VerdictEnd::Resigned,
                    };
                }
            };
            // In records, a time of zero means a move of the opening.
            let time = choice.elapsed.max(Duration::from_micros(1));
            if !game.play(mv, Note { value: choice.value, time: Some(time) }) {
                let text = format!("{mv:#} is illegal in {position}");
                return faulty(game, color, Fault::new(Cause::IllegalMove, text));
            }
            if let Some(moves) = rules.adjudicate
                && let Some(score) = agreement.note(color, choice.value, moves)
            {
                return Verdict { game, score, end: VerdictEnd::Adjudicated };
            }
        }
        if let Err((color, fault)) = announce(&game, table) {
            return faulty(game, color, fault);
        }
    }
    let score = game.position().final_score_for_black();
    Verdict { game, score, end: VerdictEnd::Played }
}

/// A game that could not begin because a player is missing.
pub(super) fn forfeit(opening: &Game, color: Color, fault: Fault) -> Verdict {
    Verdict {
        game: opening.clone(),
        score: -LOST * color.sign(),
        end: VerdictEnd::Fault(color, fault),
    }
}

/// Tells both players of the last ply.
fn announce(game: &Game, table: &mut Table<'_>) -> Result<(), (Color, Fault)> {
    // Nobody needs the last ply, and a bad answer to it would lose a game that is already over.
    if game.is_over() {
        return Ok(());
    }
    for color in [Color::Black, Color::White] {
        table.seats[color.index()].observe(game).map_err(|fault| (color, fault))?;
    }
    Ok(())
}

/// Tracks for how long both players have agreed on the result.
#[derive(Default)]
struct Agreement {
    /// The last value of each side in discs for Black.
    values: [Option<f64>; 2],
    n_moves: u32,
}

impl Agreement {
    /// Adds a value; returns the result for Black once both have agreed for `moves` moves each.
    fn note(&mut self, color: Color, value: Option<f64>, moves: u32) -> Option<i32> {
        self.values[color.index()] = value.map(|value| value * f64::from(color.sign()));
        let [Some(black), Some(white)] = self.values else {
            self.n_moves = 0;
            return None;
        };
        let same_winner =
            black.round().signum() == white.round().signum() || black.round() == white.round();
        if !same_winner || (black - white).abs() > AGREEMENT {
            self.n_moves = 0;
            return None;
        }
        self.n_moves += 1;
        // Results are even, because empty squares go to the winner.
        (self.n_moves >= 2 * moves).then(|| (((black + white) / 4.0).round() * 2.0) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_needs_both_sides_for_long_enough() {
        let mut agreement = Agreement::default();
        assert_eq!(agreement.note(Color::Black, Some(10.0), 2), None);
        for (color, value) in [(Color::White, -10.5), (Color::Black, 9.0), (Color::White, -10.0)] {
            assert_eq!(agreement.note(color, Some(value), 2), None);
        }
        assert_eq!(agreement.note(Color::Black, Some(10.0), 2), Some(10));
        assert_eq!(agreement.note(Color::White, Some(-2.0), 2), None);
        assert_eq!(agreement.note(Color::Black, None, 1), None);
    }
}

//! Plays one game, and alone decides on rules, clocks and faults.

use std::time::{Duration, Instant};

use super::judge::Judge;
use crate::board::{Color, Move};
use crate::engine::Pace;
use crate::game::{Game, Note, must_pass};
use crate::players::{Cause, Fault, Player, Searched, Terms, Turn, Unit};
use crate::search::Stop;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Time by which a clock may be exceeded, to allow for the manager's own overhead.
    pub margin: Duration,
    /// Time without an answer, beyond any clock, after which a player has stalled.
    pub stall: Duration,
    /// Moves for which each player must agree on the result to end a game early.
    pub adjudicate: Option<u32>,
    /// Moves, and discs by which a player must see itself behind for as many moves to lose the game.
    pub resign: Option<(u32, f64)>,
    /// Moves, and discs within which both players must value as many moves to draw the game.
    pub draw: Option<(u32, f64)>,
}

#[derive(Debug)]
pub(super) struct Verdict {
    pub game: Game,
    /// Discs for Black.
    pub score: i32,
    pub end: VerdictEnd,
    /// What the players said of their moves, by ply; plies of the opening, passes and the last ones may be missing.
    pub searched: Vec<Searched>,
}

impl Verdict {
    const fn new(game: Game, score: i32, end: VerdictEnd) -> Verdict {
        Verdict { game, score, end, searched: Vec::new() }
    }
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

/// A deadline this far away never comes.
const MAX_TURN: Duration = Duration::from_secs(1 << 30);

/// The score of a game lost by a fault.
pub(super) const LOST: i32 = 64;

/// Values within this many discs of each other agree.
const AGREEMENT: f64 = 2.0;

/// The players by color, each with its limits.
pub(super) struct Table<'a> {
    pub players: [&'a mut dyn Player; 2],
    pub paces: [Pace; 2],
    pub judge: Option<&'a mut Judge>,
    pub seed: u64,
}

/// Plays a game from the end of its opening; `stop` ends it, even within a move.
pub(super) fn play(opening: &Game, table: &mut Table<'_>, rules: &Rules, stop: &Stop) -> Verdict {
    let mut searched = Vec::new();
    let verdict = play_on(opening, table, rules, stop, &mut searched);
    Verdict { searched, ..verdict }
}

fn play_on(
    opening: &Game,
    table: &mut Table<'_>,
    rules: &Rules,
    stop: &Stop,
    searched: &mut Vec<Searched>,
) -> Verdict {
    let faulty = |game: Game, color: Color, fault: Fault| {
        Verdict::new(game, -LOST * color.sign(), VerdictEnd::Fault(color, fault))
    };
    let mut clocks = table.paces.map(|pace| pace.clock());
    for color in [Color::Black, Color::White] {
        let index = color.index();
        // Each color has its own seed. Multiplied by an odd number, the seeds of successive games still lie evenly.
        let seed = table.seed.wrapping_mul([1, 3][index]);
        let terms = Terms { color, pace: table.paces[index], seed };
        if let Err(fault) = table.players[index].begin(opening.start(), terms) {
            return faulty(Game::new(opening.start()), color, fault);
        }
    }
    let mut game = Game::new(opening.start());
    for ply in opening.plies() {
        game.play(ply.mv, Note::default());
    }
    let (mut agreement, mut outlook) = (Agreement::default(), Outlook::default());
    loop {
        // Do not send the last ply: a bad answer to it would lose a game that is already over.
        if game.is_over() {
            let score = game.position().final_score_for_black();
            return Verdict::new(game, score, VerdictEnd::Played);
        }
        for color in [Color::Black, Color::White] {
            if let Err(fault) = table.players[color.index()].follow(&game) {
                return faulty(game, color, fault);
            }
        }
        let position = game.position();
        if must_pass(position.board) {
            game.play(Move::Pass, Note::default());
            continue;
        }
        if let Some(judge) = table.judge.as_mut().filter(|judge| judge.ends(position)) {
            let score = judge.judge(position, stop);
            let end = if stop.is_stopped() { VerdictEnd::Stopped } else { VerdictEnd::Adjudicated };
            return Verdict::new(game, score, end);
        }
        let color = position.side;
        if rules.resign.is_some_and(|(moves, _)| outlook.n_lost[color.index()] >= moves) {
            return Verdict::new(game, -LOST * color.sign(), VerdictEnd::Resigned);
        }
        if rules.draw.is_some_and(|(moves, _)| outlook.n_even >= 2 * moves) {
            return Verdict::new(game, 0, VerdictEnd::Adjudicated);
        }
        let clock = clocks[color.index()];
        let limit = clock.is_limited().then(|| clock.left() + rules.margin);
        let patience = limit.map_or(Duration::ZERO, |limit| limit.min(MAX_TURN)) + rules.stall;
        let turn = Turn { game: &game, clocks, deadline: Instant::now() + patience, stop };
        let choice = table.players[color.index()].choose(turn, &mut |_| {});
        // A stopped player is not to blame for its answer.
        if stop.is_stopped() {
            return Verdict::new(game, 0, VerdictEnd::Stopped);
        }
        let choice = match choice {
            Ok(choice) => choice,
            Err(fault) => return faulty(game, color, fault),
        };
        if limit.is_some_and(|limit| choice.elapsed > limit) {
            let over = choice.elapsed.as_secs_f64() - clock.left().as_secs_f64();
            let text = format!("exceeded its time by {over:.3} s");
            return faulty(game, color, Fault::new(Cause::Time, text));
        }
        clocks[color.index()].spend(choice.elapsed);
        let Some(mv) = choice.mv() else {
            return Verdict::new(game, -LOST * color.sign(), VerdictEnd::Resigned);
        };
        let value =
            choice.value.filter(|value| value.unit == Unit::Result).map(|value| value.number);
        // In records, a time of zero means a move of the opening.
        let time = choice.elapsed.max(Duration::from_micros(1));
        if !game.play(mv, Note { value, time: Some(time) }) {
            let text = format!("{mv:#} is illegal in {position}");
            return faulty(game, color, Fault::new(Cause::IllegalMove, text));
        }
        searched.resize(game.plies().len() - 1, Searched::default());
        searched.push(choice.searched);
        outlook.note(color, value, rules);
        if let Some(moves) = rules.adjudicate
            && let Some(score) = agreement.note(color, value, moves)
            // A finished board has its result.
            && !game.is_over()
        {
            return Verdict::new(game, score, VerdictEnd::Adjudicated);
        }
    }
}

/// A game that could not begin because a player is missing.
pub(super) fn forfeit(opening: &Game, color: Color, fault: Fault) -> Verdict {
    Verdict::new(opening.clone(), -LOST * color.sign(), VerdictEnd::Fault(color, fault))
}

/// For how long the players have seen the game as lost or even.
#[derive(Default)]
struct Outlook {
    /// Successive own moves, by color, after which the player saw itself far behind.
    n_lost: [u32; 2],
    /// Successive moves of both that were valued as even.
    n_even: u32,
}

impl Outlook {
    fn note(&mut self, color: Color, value: Option<f64>, rules: &Rules) {
        let count = |n: &mut u32, holds: bool| *n = if holds { *n + 1 } else { 0 };
        let is = |rule: Option<(u32, f64)>, holds: fn(f64, f64) -> bool| {
            rule.zip(value).is_some_and(|((_, discs), value)| holds(value, discs))
        };
        count(&mut self.n_lost[color.index()], is(rules.resign, |value, discs| value <= -discs));
        count(&mut self.n_even, is(rules.draw, |value, discs| value.abs() <= discs));
    }
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
    use crate::board::Position;
    use crate::players::{Choice, OnProgress, Value};
    use crate::search::Bound;

    const RULES: Rules = Rules {
        margin: Duration::from_secs(1),
        stall: Duration::from_secs(60),
        adjudicate: None,
        resign: None,
        draw: None,
    };

    /// Plays the first legal move, with the same value and the same time each turn, whatever it really takes.
    #[derive(Default)]
    struct Scripted {
        value: f64,
        seconds: u64,
        terms: Option<Terms>,
    }

    impl Player for Scripted {
        fn begin(&mut self, _: Position, terms: Terms) -> Result<(), Fault> {
            self.terms = Some(terms);
            Ok(())
        }

        fn choose(&mut self, turn: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
            let square = turn.game.position().board.moves().next().expect("it can move");
            let value = Value { number: self.value, bound: Bound::Exact, unit: Unit::Result };
            let elapsed = Duration::from_secs(self.seconds);
            Ok(Choice { value: Some(value), elapsed, ..square.into() })
        }
    }

    /// The result of a game, its end, and the plies until then.
    fn play_scripted(
        values: [f64; 2],
        seconds: [u64; 2],
        clock: &str,
        rules: &Rules,
    ) -> (i32, String, usize) {
        let [mut black, mut white] = [Color::Black, Color::White].map(|color| {
            let index = color.index();
            Scripted { value: values[index], seconds: seconds[index], terms: None }
        });
        let players: [&mut dyn Player; 2] = [&mut black, &mut white];
        let mut table = Table { players, paces: [clock.parse().unwrap(); 2], judge: None, seed: 7 };
        let verdict = play(&Game::default(), &mut table, rules, &Stop::new());
        let [black, white] = [black, white].map(|player| player.terms.unwrap());
        assert_eq!([black.color, white.color], [Color::Black, Color::White]);
        assert_ne!(black.seed, white.seed, "each player draws for itself");
        let end = match verdict.end {
            VerdictEnd::Fault(color, fault) => format!("{color} {}", fault.cause),
            end => format!("{end:?}"),
        };
        (verdict.score, end, verdict.game.plies().len())
    }

    #[test]
    fn values_end_a_game_for_the_side_that_they_speak_for() {
        let [resign, draw, adjudicate] = [
            Rules { resign: Some((2, 10.0)), ..RULES },
            Rules { draw: Some((2, 1.0)), ..RULES },
            Rules { adjudicate: Some(2), ..RULES },
        ];
        for (rules, values, score, end, n_plies) in [
            (&RULES, [-20.0, 20.0], -26, "Played", 64),
            (&resign, [-10.0, 20.0], -64, "Resigned", 4),
            (&resign, [10.0, -20.0], 64, "Resigned", 5),
            (&draw, [1.0, -1.0], 0, "Adjudicated", 4),
            (&adjudicate, [10.0, -11.0], 10, "Adjudicated", 5),
            (&adjudicate, [-30.0, 30.0], -30, "Adjudicated", 5),
            // Near to each other, but each sees itself ahead.
            (&adjudicate, [1.0, 1.0], -26, "Played", 64),
        ] {
            let found = play_scripted(values, [0, 0], "none", rules);
            assert_eq!(found, (score, end.to_owned(), n_plies), "{values:?} {rules:?}");
        }
    }

    #[test]
    fn a_finished_board_counts_whatever_the_players_agree_on() {
        let mut n_finished = 0;
        for n in 0..30 {
            let (opening, moves) = (["f5d6", "f5f6", "f5f4"][n % 3], 20 + n as u32 / 3);
            let [mut black, mut white] =
                [10.0, -10.0].map(|value| Scripted { value, ..Scripted::default() });
            let players: [&mut dyn Player; 2] = [&mut black, &mut white];
            let mut table = Table { players, paces: [Pace::OWN; 2], judge: None, seed: 7 };
            let opening = crate::formats::transcript::game(opening).unwrap();
            let rules = Rules { adjudicate: Some(moves), ..RULES };
            let verdict = play(&opening, &mut table, &rules, &Stop::new());
            let is_played = matches!(verdict.end, VerdictEnd::Played);
            assert_eq!(verdict.game.is_over(), is_played, "{moves}");
            n_finished += u32::from(is_played);
        }
        assert!(n_finished > 0);
    }

    #[test]
    fn a_clock_runs_down_by_the_moves_of_its_own_side() {
        for (clock, seconds, score, end, n_plies) in [
            // Five moves of 2 s leave none of 10 s, and the margin is 1 s.
            ("10", [2, 1], -64, "black time", 10),
            ("10", [1, 2], 64, "white time", 11),
            ("10", [11, 0], -64, "black time", 2),
            ("10+2", [2, 2], -26, "Played", 64),
            ("10+1", [3, 1], -64, "black time", 10),
            ("move:2", [3, 3], -26, "Played", 64),
            ("none", [1000, 1000], -26, "Played", 64),
        ] {
            let found = play_scripted([0.0, 0.0], seconds, clock, &RULES);
            assert_eq!(found, (score, end.to_owned(), n_plies), "{clock} {seconds:?}");
        }
    }

    #[test]
    fn an_interrupted_judgement_is_no_result() {
        let mut judge = Judge::new(60, 1).unwrap();
        for (is_stopped, expected) in [(false, "Adjudicated"), (true, "Stopped")] {
            let stop = Stop::new();
            if is_stopped {
                stop.set();
            }
            let mut table = Table {
                players: [&mut Scripted::default(), &mut Scripted::default()],
                paces: [Pace::OWN; 2],
                judge: Some(&mut judge),
                seed: 0,
            };
            let verdict = play(&Game::default(), &mut table, &RULES, &stop);
            assert_eq!(format!("{:?}", verdict.end), expected);
        }
    }

    #[test]
    fn an_outlook_must_last() {
        let rules = Rules { resign: Some((2, 10.0)), draw: Some((1, 1.0)), ..RULES };
        let mut outlook = Outlook::default();
        for (color, value, lost, even) in [
            (Color::Black, Some(-10.0), 1, 0),
            (Color::White, Some(0.5), 0, 1),
            (Color::Black, Some(-12.0), 2, 0),
            (Color::White, None, 0, 0),
            (Color::Black, Some(-9.5), 0, 0),
            (Color::White, Some(-1.0), 0, 1),
            (Color::Black, Some(0.0), 0, 2),
        ] {
            outlook.note(color, value, &rules);
            let found = (outlook.n_lost[color.index()], outlook.n_even);
            assert_eq!(found, (lost, even), "{color} {value:?}");
        }
    }

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

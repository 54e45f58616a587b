//! GoGui's commands: the rules of the game, set-up, views of the engine's analysis, live graphics.
//!
//! GoGui draws row 1 at the bottom, so boards are sent with row 8 first.

use std::num::NonZero;

use super::{Action, Answer, Done, Gtp, Purpose, Session, color_of, move_of, syntax_error};
use crate::board::{Color, Move, Position, Square, stability};
use crate::game::Game;
use crate::protocol::edax::screen::counts;
use crate::protocol::interrupts::Obeys;
use crate::protocol::session::MOVE_CAP;
use crate::score;
use crate::search::{Line, Outcome, Report};

/// The entries of GoGui's analysis menu, one per line: type, label, command. They contain no `%`, which would ask the user for
/// something; `%w`, for example, is a file to save.
pub(super) const ANALYZE_COMMANDS: [&str; 11] = [
    "string/Evaluation/othellier-evaluation",
    "pspairs/Best moves/othellier-best_moves",
    "sboard/Score of every move/othellier-move_values",
    "gfx/Principal variation/othellier-variation",
    "cboard/Stable discs/othellier-stable_discs",
    "string/Foreseen replies/foreseen_replies table",
    "string/Book moves/book_moves table",
    "none/Live graphics on/live_gfx on",
    "none/Live graphics off/live_gfx off",
    // Before the end this is a text, while `final_score` gives the standard's error.
    "string/Final score/gogui-rules_final_result",
    "param/Settings/othellier-settings",
];

pub(super) enum View {
    Evaluation,
    BestMoves,
    MoveValues,
    Variation,
}

impl Gtp {
    /// Plays moves, each as a command of its own for undo; if one is illegal, plays none.
    pub(super) fn play_sequence(&mut self, arguments: &[&str], session: &mut Session) -> Answer {
        if !arguments.len().is_multiple_of(2) {
            return syntax_error();
        }
        let moves: Option<Vec<_>> =
            arguments.chunks(2).map(|pair| Some((color_of(pair[0])?, move_of(pair[1])?))).collect();
        let Some(moves) = moves else { return syntax_error() };
        let last_search = self.last_search.clone();
        for (n_played, (color, mv)) in moves.into_iter().enumerate() {
            if let Err(error) = self.play_move(color, mv, session) {
                self.undo(n_played, session)?;
                self.last_search = last_search;
                return Err(error);
            }
        }
        Ok(String::new())
    }

    /// Exactly the discs named, with Black to move until `gogui-setup_player` says otherwise.
    pub(super) fn setup(&mut self, arguments: &[&str], session: &mut Session) -> Answer {
        if !arguments.len().is_multiple_of(2) {
            return syntax_error();
        }
        let mut discs = [0; 2];
        for pair in arguments.chunks(2) {
            let square = Square::parse(pair[1].as_bytes());
            let (Some(color), Some(square)) = (color_of(pair[0]), square) else {
                return syntax_error();
            };
            if (discs[0] | discs[1]) & square.bit() != 0 {
                return Err(format!("{square:#} is named twice"));
            }
            discs[color.index()] |= square.bit();
        }
        self.new_game(Position::new(discs[0], discs[1], Color::Black), session);
        Ok(String::new())
    }

    pub(super) fn setup_player(&mut self, arguments: &[&str], session: &mut Session) -> Answer {
        let [color] = arguments else { return syntax_error() };
        let Some(color) = color_of(color) else { return syntax_error() };
        self.new_game(session.game.position().with_side(color), session);
        Ok(String::new())
    }
}

pub(super) fn board(position: Position) -> String {
    rows(
        |square| match position.cell(square.index()) {
            '-' => ".".into(),
            disc => disc.to_string(),
        },
        "",
    )
}

pub(in crate::protocol) fn final_result(game: &Game) -> String {
    match game.result() {
        Some(0) => "Draw 32-32".into(),
        Some(discs) => {
            let winner = if discs > 0 { "Black" } else { "White" };
            format!("{winner} wins {}-{}", 32 + discs.abs() / 2, 32 - discs.abs() / 2)
        }
        None => "The game is not over".into(),
    }
}

/// GoGui shows both numbers beside the clocks: in Othello, the discs. The first, what Black has captured, stands beside a white stone.
pub(super) fn captured_count(position: Position) -> String {
    let n_discs = |color| position.discs(color).count_ones();
    format!("{} {}", n_discs(Color::White), n_discs(Color::Black))
}

/// The best moves: 5 if the arguments name no number.
pub(super) fn best_moves(arguments: &[&str], session: &Session) -> Done {
    let n = match arguments {
        [] => Some(5),
        [n] => n.parse::<NonZero<usize>>().map(NonZero::get).ok(),
        _ => None,
    };
    n.map_or_else(|| syntax_error().into(), |n| view(View::BestMoves, n, session))
}

pub(super) fn view(view: View, n_lines: usize, session: &Session) -> Done {
    let task = session.analyze(session.game.position().board, n_lines.clamp(1, 64), MOVE_CAP);
    Done::Started(Purpose::View(view), Action::Start(task, Obeys::UrgentLines))
}

impl View {
    pub fn show(&self, position: Position, outcome: &Outcome) -> String {
        let lines = &outcome.lines;
        let Some(best) = lines.first() else {
            return match self {
                View::MoveValues => rows(|_| "\"\"".into(), " "),
                View::Evaluation => {
                    let score = outcome.final_score.map(|score| score::text(score, true));
                    score.map_or_else(String::new, |score| score + " (game over)")
                }
                View::BestMoves | View::Variation => String::new(),
            };
        };
        match self {
            View::Evaluation => {
                let pv: Vec<_> = best.pv.iter().map(|&mv| super::vertex(Some(mv))).collect();
                format!("{} depth {} {}", value(best), best.depth, pv.join(" "))
            }
            View::BestMoves => {
                let pairs = lines
                    .iter()
                    .map(|line| format!("{} {}", super::vertex(Some(line.mv)), label(line)));
                pairs.collect::<Vec<_>>().join("\n")
            }
            View::MoveValues => rows(
                |square| {
                    let line = lines.iter().find(|line| line.mv == Move::Place(square));
                    line.map_or_else(|| "\"\"".into(), label)
                },
                " ",
            ),
            View::Variation => variation(position.side, best, usize::MAX),
        }
    }
}

/// The search behind a move, in the form `+1.25 depth 10 nodes 4217 D3 C5`.
pub(super) fn searched(line: &Line, nodes: u64) -> String {
    let pv: Vec<_> = line.pv.iter().map(|&mv| super::vertex(Some(mv))).collect();
    format!("{} depth {} nodes {nodes} {}", value(line), line.depth, pv.join(" "))
}

fn value(line: &Line) -> String {
    score::text(line.score, line.is_proven())
}

/// A value that fits a square of the board.
fn label(line: &Line) -> String {
    score::short(line.score, line.is_proven(), 1)
}

/// `VAR` of GoGui's graphics: up to `most` moves with their colors.
fn variation(side: Color, line: &Line, most: usize) -> String {
    let mut text = String::from("VAR");
    let mut color = side;
    for &mv in line.pv.iter().take(most) {
        let letter = if color == Color::Black { 'b' } else { 'w' };
        text += &format!(" {letter} {}", super::vertex(Some(mv)));
        color = color.opposite();
    }
    text
}

/// The most moves of live graphics: more are not followed by the eye while they change.
const LIVE_MOVES: usize = 5;

pub(super) fn live(side: Color, report: &Report) -> Option<Action> {
    let best = report.lines.first()?;
    Some(Action::Live(format!(
        "gogui-gfx:\n{}\nLABEL {} {}\nTEXT depth {} score {} nodes {} time {:.1}\n\n",
        variation(side, best, LIVE_MOVES),
        super::vertex(Some(best.mv)),
        label(best),
        best.depth,
        value(best),
        report.nodes,
        report.elapsed.as_secs_f64()
    )))
}

fn rows(cell: impl Fn(Square) -> String, separator: &str) -> String {
    let row = |row: u8| {
        let cells: Vec<_> =
            (0..8).filter_map(|column| Square::at(column, row)).map(&cell).collect();
        cells.join(separator)
    };
    (0..8).rev().map(row).collect::<Vec<_>>().join("\n")
}

/// In upper case, `pass`, or nothing at the end of the game.
pub(super) fn legal_moves(position: Position) -> String {
    if position.board.is_over() {
        return String::new();
    }
    let squares: Vec<_> = position.board.moves().map(|square| format!("{square:#}")).collect();
    if squares.is_empty() { "pass".into() } else { squares.join(" ") }
}

pub(super) fn stable_discs(position: Position) -> String {
    let [black, white] = [Color::Black, Color::White].map(|color| {
        stability::stable_discs(position.discs(color), position.discs(color.opposite()))
    });
    rows(
        |square| {
            if black & square.bit() != 0 {
                "black".into()
            } else if white & square.bit() != 0 {
                "white".into()
            } else {
                "\"\"".into()
            }
        },
        " ",
    )
}

/// For people: row 1 at the top, as usual in Othello. The reply has no empty lines.
pub(super) fn diagram(position: Position) -> String {
    let mut text = String::from("\n  A B C D E F G H\n");
    for row in 0..8 {
        text += &format!("{}", row + 1);
        for column in 0..8 {
            text.push(' ');
            text.push(match position.cell(row * 8 + column) {
                '-' => '.',
                disc => disc,
            });
        }
        // As in Edax, whose front ends read the numbers.
        let color = match row {
            3 => Some(position.side),
            4 => Some(position.side.opposite()),
            _ => None,
        };
        text += &color.map_or_else(String::new, |color| counts(position, color));
        text.push('\n');
    }
    let count = |color| position.discs(color).count_ones();
    text += &format!(
        "{} to move, Black (X) {}, White (O) {}",
        position.side,
        count(Color::Black),
        count(Color::White)
    );
    text
}

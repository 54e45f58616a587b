//! The player of pyReversi: three phases of the game, each with its own evaluation and depth, and pondering.
//!
//! * **Phases.** With d discs on the board when the opponent's turn began (at the start of the game, when the own one begins):
//!   the opening while d <= open-moves + 4, else the end while 64 - d <= end-empties, else the middle.
//! * **Evaluations** are described in [`evaluation`], the search in `search`; `random` just draws a legal move.
//! * **Thinking ahead.** The reply to every move of the opponent is searched at the phase's depth, then a ply deeper, and so on,
//!   the opponent's best move first from the second round on. Once the depth reaches the empty squares there is a last round with
//!   the end's evaluation. A reply that is in the table is played at once.

pub mod evaluation;
mod search;
mod text;

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use super::random::draw_square;
use crate::board::{Board, Move, Position, Square};
use crate::engine::Prediction;
use crate::players::{
    Choice, Fault, Goal, OnProgress, Player, Progress, Searched, Terms, Turn, Value,
};
use crate::score::DISC;
use crate::search::{Line, Outcome, Stop};
use crate::support::random::shuffle;
use evaluation::{Coefficients, Evaluation};
use search::{LastMove, Task};
pub(super) use text::FORM;

pub const MAX_DEPTH: u32 = 60;

/// How moves are chosen in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Any legal move, drawn evenly.
    Random,
    Search {
        evaluation: Evaluation,
        /// Moves looked ahead, 1 to [`MAX_DEPTH`].
        depth: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub open: Phase,
    pub middle: Phase,
    pub end: Phase,
    /// Moves, of both sides together, that the opening lasts.
    pub open_moves: u32,
    /// With this many empty squares or fewer, the end begins.
    pub end_empties: u32,
    pub ponder: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        let positional = Evaluation::Positional(Coefficients::default());
        Settings {
            open: Phase::Search { evaluation: positional, depth: 6 },
            middle: Phase::Search { evaluation: positional, depth: 4 },
            end: Phase::Search { evaluation: Evaluation::LeastLoss, depth: 8 },
            open_moves: 6,
            end_empties: 8,
            ponder: true,
        }
    }
}

impl Settings {
    /// The phase of an own move, by the number of discs when the opponent's turn before it began.
    pub fn phase(&self, n_discs: u32) -> Phase {
        if n_discs <= self.open_moves + 4 {
            self.open
        } else if 64 - n_discs <= self.end_empties {
            self.end
        } else {
            self.middle
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    /// The opponent's move.
    to: Square,
    /// The position after it.
    board: Board,
    reply: Square,
    /// Its value for the player who replies.
    value: Value,
    /// Plies searched.
    depth: u32,
    /// Whether it is from the last round.
    is_final: bool,
}

#[derive(Clone, Debug)]
pub struct Classic {
    settings: Settings,
    random: Xoshiro256PlusPlus,
    /// The position of the last pondering, and what it found.
    ahead_of: Option<Board>,
    table: Vec<Row>,
}

impl Classic {
    pub fn new(settings: Settings, seed: u64) -> Classic {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Classic { settings, random, ahead_of: None, table: Vec::new() }
    }

    /// The predictions, their values in the player's own points.
    fn predicted(&self) -> Progress {
        let prediction = |&Row { to, board, reply, value, depth, .. }: &Row| {
            let score = value.number as i32 * DISC;
            let line = Line::new(Move::Place(reply), score, value.bound, depth);
            let outcome = Outcome { lines: vec![line], ..Outcome::default() };
            Prediction { to: Move::Place(to), board, outcome, spent: Duration::ZERO }
        };
        Progress::Predicted(self.table.iter().map(prediction).collect())
    }

    /// A round of thinking ahead; `false` if it was stopped.
    fn round(
        &mut self,
        moves: &[(Square, Board)],
        round: Round,
        stop: &Stop,
        report: OnProgress<'_>,
    ) -> bool {
        let Round { evaluation, depth, is_final } = round;
        for &(to, board) in moves {
            let known = self.table.iter().position(|row| row.to == to);
            let is_done = |row: &Row| row.is_final || (!is_final && row.depth >= depth);
            if known.is_some_and(|index| is_done(&self.table[index])) {
                continue;
            }
            let task = Task { board, evaluation, depth, last_move: LastMove::FullWindow };
            let found = search::best(task, stop, &mut |_| {});
            if found.is_stopped {
                return false;
            }
            let row = Row { to, board, reply: found.square, value: found.value, depth, is_final };
            match known {
                Some(index) => self.table[index] = row,
                None => self.table.push(row),
            }
            report(self.predicted());
        }
        self.table.sort_by(|a, b| a.value.number.total_cmp(&b.value.number));
        report(self.predicted());
        !stop.is_stopped()
    }
}

#[derive(Clone, Copy)]
struct Round {
    evaluation: Evaluation,
    depth: u32,
    is_final: bool,
}

impl Player for Classic {
    fn begin(&mut self, _: Position, terms: Terms) -> Result<(), Fault> {
        *self = Classic::new(self.settings, terms.seed);
        Ok(())
    }

    fn forget(&mut self) {
        self.ahead_of = None;
        self.table.clear();
    }

    fn choose(&mut self, turn: Turn<'_>, report: OnProgress<'_>) -> Result<Choice, Fault> {
        let start = Instant::now();
        let board = turn.board();
        let before = turn.game.plies().last().map_or(board, |ply| ply.before.board);
        let choice = match self.settings.phase(n_discs(before)) {
            Phase::Random => draw_square(&mut self.random, board.legal_moves()).into(),
            Phase::Search { evaluation, depth } => {
                if let Some(row) = self.table.iter().find(|row| row.board == board) {
                    let value = Some(row.value.found(row.depth, board));
                    let searched = Searched::new(row.depth, 0);
                    Choice { value, searched, ponder_hit: true, ..row.reply.into() }
                } else {
                    let task = Task { board, evaluation, depth, last_move: LastMove::NullWindow };
                    let found = search::best(task, &turn.stop_in_time(), report);
                    let value = Some(found.value.found(depth, board));
                    let searched = Searched::new(depth, found.nodes);
                    Choice { value, searched, ..found.square.into() }
                }
            }
        };
        Ok(Choice { elapsed: start.elapsed(), ..choice })
    }

    fn ponder(&mut self, turn: Turn<'_>, report: OnProgress<'_>) {
        if !self.settings.ponder {
            return;
        }
        report(Progress::Began(Goal::default()));
        let board = turn.board();
        if self.ahead_of != Some(board) {
            self.table.clear();
            self.ahead_of = Some(board);
        }
        let phase = self.settings.phase(n_discs(board));
        let Phase::Search { evaluation, depth: first_depth } = phase else { return };
        let mut moves: Vec<(Square, Board)> = board
            .moves()
            .map(|square| (square, board.after(square, board.flips(square))))
            .filter(|(_, next)| next.legal_moves() != 0)
            .collect();
        if moves.is_empty() {
            return;
        }
        shuffle(&mut moves, &mut self.random);
        let mut round = Round { evaluation, depth: first_depth, is_final: false };
        while self.round(&moves, round, turn.stop, report) {
            if round.is_final {
                return;
            }
            moves.sort_by_key(|(to, _)| self.table.iter().position(|row| row.to == *to));
            round.depth += 1;
            if round.depth >= board.n_empties() {
                let Phase::Search { evaluation, .. } = self.settings.end else { return };
                round = Round { evaluation, is_final: true, ..round };
            }
        }
    }
}

fn n_discs(board: Board) -> u32 {
    64 - board.n_empties()
}

//! Replies of players and adviser.

use std::time::Instant;

use super::{Ending, Model};
use crate::board::Color;
use crate::game::Note;
use crate::play::event::{Id, Reply};
use crate::play::language::Message;
use crate::play::settings::MARGIN;
use crate::players::{Choice, Progress};
use crate::score;

impl Model {
    pub(super) fn replied(&mut self, color: Color, id: Id, reply: Reply, now: Instant) {
        let is_move = self.asked == Some((color, id));
        let is_pondering = self.pondering == Some((color, id));
        if !is_move && !is_pondering {
            return;
        }
        let thought = &mut self.thoughts[color.index()];
        match reply {
            Reply::Progress(Progress::Began(goal)) => {
                thought.goal = goal;
                thought.since = Some(now);
            }
            Reply::Progress(Progress::Report(report)) => thought.report = Some(report),
            Reply::Progress(Progress::Searching(searching)) => thought.searching = Some(searching),
            Reply::Progress(Progress::Predicted(table)) => thought.predictions = table,
            Reply::Chosen(choice) if is_move => {
                let due = self.last_shown.map(|shown| shown + self.settings.delay);
                if let Some(due) = due.filter(|&due| due > now && !self.steps) {
                    self.held = Some((choice, due));
                    return;
                }
                self.asked = None;
                self.chosen(color, choice, now);
            }
            Reply::Failed(text) if is_move => {
                self.asked = None;
                self.halt(Message::Failed(color, text));
            }
            // A player that fails while thinking ahead will report it again when asked for a move.
            Reply::Chosen(_) | Reply::Failed(_) | Reply::Judged(_) | Reply::Advised => {}
        }
    }

    pub(super) fn chosen(&mut self, color: Color, choice: Choice, now: Instant) {
        let thought = &mut self.thoughts[color.index()];
        thought.since = None;
        thought.report = choice.report().or(thought.report.take());
        thought.is_booked = choice.booked.is_some();
        let Some(mv) = choice.mv() else {
            return self.end(Ending::Resigned(color), now);
        };
        if self.is_out_of_time(color, choice.elapsed, MARGIN) {
            return self.end(Ending::Time(color), now);
        }
        if self.game.position().play(mv).is_none() {
            return self.halt(Message::PlayedIllegally(color, mv));
        }
        let value = choice.value.and_then(|value| value.discs());
        let note = Note { value, time: Some(choice.elapsed) };
        self.play(mv, note, now);
    }

    /// Pauses before the move of a player that cannot go on.
    fn halt(&mut self, message: Message) {
        self.abandon();
        self.clocks.reset_turn();
        self.is_paused = true;
        self.steps = false;
        self.say(message);
    }

    pub(super) fn advised(&mut self, id: Id, reply: Reply) {
        if let Some(review) = self.review.as_mut().filter(|review| review.id == id) {
            match reply {
                Reply::Judged(judged) => self.judge(*judged),
                Reply::Advised => review.is_running = false,
                Reply::Failed(text) => {
                    self.review = None;
                    self.say(Message::AdviserFailed(text));
                }
                Reply::Progress(_) | Reply::Chosen(_) => {}
            }
            return;
        }
        let Some(advice) = self.advice.as_mut().filter(|advice| advice.id == id) else { return };
        match reply {
            Reply::Progress(Progress::Report(report)) => {
                // An unfinished iteration does not compare all moves.
                if report.complete || advice.report.is_none() {
                    advice.report = Some(report);
                }
            }
            Reply::Advised => {
                advice.is_running = false;
                if advice.tells {
                    self.tell_hint();
                }
            }
            Reply::Failed(text) => {
                self.advice = None;
                self.say(Message::AdviserFailed(text));
            }
            Reply::Progress(_) | Reply::Chosen(_) | Reply::Judged(_) => {}
        }
    }

    pub(super) fn tell_hint(&mut self) {
        let Some(advice) = &mut self.advice else { return };
        advice.tells = false;
        let best = advice.report.as_ref().and_then(|report| report.lines.first());
        let Some(line) = best else { return };
        let Some(square) = line.mv.square() else { return };
        let pv = line.pv.clone();
        let message = Message::Hint {
            square,
            value: score::discs(line.score),
            depth: line.depth,
            is_exact: line.is_proven(),
            line: line.pv.clone(),
        };
        if self.tell_solution(&pv) {
            return;
        }
        self.hint = Some(square);
        self.cursor = square;
        self.say(message);
    }
}

//! What the moves of the game lost, and walking through it.

use std::time::Instant;

use super::Model;
use super::turns::Way;
use crate::analyze::{Class, Judged, of_ply};
use crate::board::{Color, Move, Position, Square};
use crate::play::event::{Command, Effect, Id, Role};
use crate::play::language::Message;

/// An analysis of the game on the board, and the place in it that is looked at.
#[derive(Clone, Debug)]
pub(in crate::play) struct Review {
    pub(super) id: Id,
    /// The moves judged so far: the last ones of the game, in their order.
    pub judged: Vec<Judged>,
    pub is_running: bool,
    /// Whether a person walks through it.
    pub is_open: bool,
    /// The plies before the position on the board; `None` at the end of the game.
    pub ply: Option<usize>,
}

/// A position on the board, with what led to it and what is said of the next move.
#[derive(Clone, Copy, Debug)]
pub(in crate::play) struct Shown {
    pub position: Position,
    /// The last move, unless it was a pass.
    pub last: Option<Square>,
    /// What it flipped.
    pub turned: u64,
    /// The move of a game that is walked through, with the sign of its class.
    pub played: Option<(Square, &'static str)>,
    /// A move that would have been better.
    pub better: Option<Square>,
}

impl Review {
    /// The judged move after this many plies.
    pub fn judged(&self, ply: usize) -> Option<&Judged> {
        of_ply(&self.judged, ply + 1)
    }
}

impl Model {
    /// The review that a person walks through.
    pub fn open_review(&self) -> Option<&Review> {
        self.review.as_ref().filter(|review| review.is_open)
    }

    /// What the board shows: the game as it stands, or a position of it that is looked at.
    pub fn shown(&self) -> Shown {
        let plies = self.game.plies();
        let review = self.open_review();
        let at = review.and_then(|review| review.ply).filter(|&ply| ply < plies.len());
        let n_plies = at.unwrap_or(plies.len());
        let last = plies[..n_plies].iter().rev().find(|ply| ply.mv != Move::Pass);
        let last = last.and_then(|ply| Some((ply.mv.square()?, ply.before.board)));
        let judged = at.and_then(|ply| review?.judged(ply));
        let sign = judged.map_or("", |judged| judged.class().sign());
        Shown {
            position: at.map_or_else(|| self.game.position(), |ply| plies[ply].before),
            last: last.map(|(square, _)| square),
            turned: last.map_or(0, |(square, board)| board.flips(square)),
            played: at.and_then(|ply| Some((plies[ply].mv.square()?, sign))),
            better: judged.and_then(|judged| judged.better()?.mv.square()),
        }
    }

    /// Judges the moves of the game, unless they are.
    pub(super) fn analyze(&mut self) {
        let n_plies = self.game.plies().len();
        if n_plies == 0 {
            return self.say(Message::NoMoves);
        }
        let is_wanted = |review: &Review| review.is_running || review.judged.len() == n_plies;
        if self.review.as_ref().is_some_and(is_wanted) {
            return;
        }
        self.stop_advice();
        let id = self.next_id();
        let judged = Vec::with_capacity(n_plies);
        self.review = Some(Review { id, judged, is_running: true, is_open: false, ply: None });
        self.effects.push(Effect::Analyze { id });
    }

    /// Opens the review, in which a game that goes on pauses.
    pub(super) fn walk(&mut self, now: Instant) {
        if self.ending.is_none() && !self.game.plies().is_empty() && !self.is_paused {
            self.abandon();
            self.is_paused = true;
            if self.is_human_turn() {
                self.clocks.halt(now);
            } else {
                self.clocks.reset_turn();
            }
        }
        self.analyze();
        if let Some(review) = &mut self.review {
            (review.is_open, review.ply) = (true, None);
            self.dialog = None;
            self.message = None;
        }
    }

    /// Takes a command that means something in a review, if it does.
    pub(super) fn walk_through(&mut self, command: &Command) -> bool {
        match command {
            Command::NextError => self.go_to_error(Way::On),
            Command::PreviousError => self.go_to_error(Way::Back),
            Command::WorstError => self.go_to_worse(),
            Command::Back => self.look_further(Way::Back, 1),
            Command::Forward => self.look_further(Way::On, 1),
            Command::First => self.look_further(Way::Back, usize::MAX),
            Command::Last => self.look_further(Way::On, usize::MAX),
            Command::Leave => self.leave_review(),
            _ => return false,
        }
        true
    }

    /// Ends an analysis that runs, which keeps its moves.
    pub(super) fn stop_review(&mut self) -> bool {
        let was_running =
            self.review.as_mut().is_some_and(|review| std::mem::take(&mut review.is_running));
        if was_running {
            self.effects.push(Effect::Stop(Role::Adviser));
        }
        was_running
    }

    /// Stops the analysis, or leaves the review if it does not run.
    fn leave_review(&mut self) {
        if self.stop_review() {
            return;
        }
        if let Some(review) = &mut self.review {
            review.is_open = false;
        }
        self.message = self.result();
    }

    pub(super) fn judge(&mut self, judged: Judged) {
        let Some(review) = &mut self.review else { return };
        let is_shown = review.is_open && review.ply == Some(judged.ply - 1);
        review.judged.insert(0, judged);
        if is_shown {
            self.tell_judgment();
        }
    }

    /// Whether the errors of a side are those of the person at the board.
    fn is_own(&self, color: Color) -> bool {
        self.origin.is_some() || self.settings.is_show() || self.settings.side(color).is_human()
    }

    /// Goes to the next or previous own error.
    fn go_to_error(&mut self, way: Way) {
        let Some(review) = self.open_review() else { return };
        let at = review.ply;
        let errors: Vec<usize> = self.own_errors(review).map(|judged| judged.ply - 1).collect();
        let next = match way {
            Way::Back => errors.iter().rev().find(|&&ply| at.is_none_or(|at| ply < at)),
            // From the end it begins again.
            Way::On => errors.iter().find(|&&ply| at.is_none_or(|at| ply > at)),
        };
        self.look_at_error(next.copied());
    }

    /// Goes from an own error to the next lesser one, from elsewhere to the worst.
    fn go_to_worse(&mut self) {
        let Some(review) = self.open_review() else { return };
        let mut errors: Vec<&Judged> = self.own_errors(review).collect();
        errors.sort_by_key(|judged| -judged.loss());
        let at = errors.iter().position(|judged| Some(judged.ply - 1) == review.ply);
        let next = errors.get(at.map_or(0, |at| at + 1)).map(|judged| judged.ply - 1);
        self.look_at_error(next);
    }

    fn own_errors<'a>(&'a self, review: &'a Review) -> impl Iterator<Item = &'a Judged> {
        let is_error =
            |judged: &&Judged| judged.class() != Class::Best && self.is_own(judged.side());
        review.judged.iter().filter(is_error)
    }

    fn look_at_error(&mut self, ply: Option<usize>) {
        let is_running = self.review.as_ref().is_some_and(|review| review.is_running);
        match ply {
            Some(ply) => self.look_at(Some(ply)),
            None => self.say(Message::NoErrors { is_running }),
        }
    }

    /// Goes so many plies on or back, to the end or to the start.
    fn look_further(&mut self, way: Way, n: usize) {
        let n_plies = self.game.plies().len();
        let at = self.open_review().and_then(|review| review.ply).unwrap_or(n_plies);
        let at = match way {
            Way::Back => at.saturating_sub(n),
            Way::On => at.saturating_add(n),
        };
        self.look_at((at < n_plies).then_some(at));
    }

    fn look_at(&mut self, ply: Option<usize>) {
        if let Some(review) = &mut self.review {
            review.ply = ply;
        }
        self.message = None;
        self.tell_judgment();
    }

    fn tell_judgment(&mut self) {
        let Some((review, ply)) =
            self.review.as_ref().and_then(|review| Some((review, review.ply?)))
        else {
            return;
        };
        let plies = self.game.plies();
        let mv = plies[ply].mv;
        if mv == Move::Pass {
            return self.message = Some(Message::Passes(plies[ply].before.side));
        }
        let number = plies[..=ply].iter().filter(|ply| ply.mv != Move::Pass).count();
        let judged = review.judged(ply).cloned().map(Box::new);
        self.message = Some(Message::Judged { number, color: plies[ply].before.side, mv, judged });
    }
}

//! Turns: moves, passes, undo and redo, clocks, the end of the game.

use std::time::{Duration, Instant};

use super::{Advice, Dialog, Ending, FLASH, Model, Thought};
use crate::board::{Color, Move, Square};
use crate::formats::archive::Entry;
use crate::game::{Game, Note, Ply, must_pass};
use crate::play::clocks::Clocks;
use crate::play::event::{Effect, Id, Role};
use crate::play::language::Message;
use crate::play::settings::Settings;

/// A turn lost on time can go on only if at least this much time was left at its start.
const SHORTEST_TURN: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Undo.
    Back,
    /// Redo.
    On,
}

impl Way {
    fn step(self, game: &mut Game) -> Option<Ply> {
        match self {
            Way::Back => game.undo(),
            Way::On => game.redo(),
        }
    }
}

impl Model {
    pub(super) fn begin(&mut self, game: Game, now: Instant) {
        self.abandon();
        self.effects.push(Effect::Forget);
        (self.game, self.origin, self.puzzles) = (game, None, None);
        self.clocks = Clocks::new(self.settings.controls());
        self.thoughts = [Thought::default(), Thought::default()];
        self.is_paused = self.settings.is_show();
        if self.is_paused {
            self.say(Message::PressStart);
        }
        self.settle(now);
    }

    pub(super) fn load(&mut self, entry: Entry, now: Instant) {
        let game = entry.game.clone();
        self.origin = Some(Box::new(entry));
        self.abandon();
        self.effects.push(Effect::Forget);
        self.clocks = Clocks::new(self.settings.controls());
        for ply in game.plies() {
            match (ply.mv, ply.note.time) {
                (Move::Pass, _) => self.clocks.pass(ply.before.side),
                (_, time) => self.clocks.play(ply.before.side, time.unwrap_or_default()),
            }
        }
        (self.game, self.puzzles) = (game, None);
        self.saved = self.moves();
        self.thoughts = [Thought::default(), Thought::default()];
        // A loaded game pauses to be looked at, but a person's turn can begin at once.
        self.is_paused = !self.settings.side(self.side()).is_human();
        self.settle(now);
    }

    /// Stops players and adviser before the position changes.
    pub(super) fn abandon(&mut self) {
        for color in [self.asked.take(), self.pondering.take()].into_iter().flatten() {
            self.thoughts[color.0.index()].since = None;
            self.effects.push(Effect::Stop(Role::Player(color.0)));
        }
        self.stop_advice();
        self.stop_review();
        self.review = None;
        self.hint = None;
        self.flash = None;
        self.typed = None;
        self.held = None;
    }

    pub(super) fn stop_advice(&mut self) {
        if self.advice.take().is_some_and(|advice| advice.is_running) {
            self.effects.push(Effect::Stop(Role::Adviser));
        }
    }

    pub(super) fn next_id(&mut self) -> Id {
        self.last_id += 1;
        self.last_id
    }

    /// Plays forced passes, detects the end and asks the side to move: to be called after changes, when nobody is thinking.
    pub(super) fn settle(&mut self, now: Instant) {
        // Step 1. Forced passes.
        while must_pass(self.game.position().board) {
            let side = self.side();
            // After undo, redo plays it and keeps what was undone after it.
            if self.game.redo().is_none() {
                self.game.play(Move::Pass, Note::default());
            }
            self.clocks.pass(side);
            self.say(Message::Passes(side));
        }
        // Step 2. The end of the game, or that it is not over any more.
        self.ending = None;
        if self.dialog == Some(Dialog::Over) {
            self.dialog = None;
        }
        if self.game.is_over() {
            return self.end(Ending::Played, now);
        }
        // Step 3. A person to move: a program may think ahead.
        let side = self.side();
        if self.settings.side(side).is_human() {
            self.clocks.start(now);
            if !self.settings.side(side.opposite()).is_human() && !self.is_paused {
                let id = self.next_id();
                self.pondering = Some((side.opposite(), id));
                self.effects.push(Effect::Ponder(side.opposite(), id));
            }
        } else if !self.is_paused || self.steps {
            // Step 4. A program to move.
            self.clocks.start(now);
            let id = self.next_id();
            self.asked = Some((side, id));
            let thought = &mut self.thoughts[side.index()];
            *thought = Thought {
                since: Some(now),
                // Its expected replies stay visible.
                predictions: std::mem::take(&mut thought.predictions),
                ..Thought::default()
            };
            self.effects.push(Effect::Ask(side, id));
        }
        // Step 5. The values of the moves, if they are shown.
        self.update_values();
    }

    pub(super) fn end(&mut self, ending: Ending, now: Instant) {
        self.abandon();
        self.ending = Some(ending);
        // An abandoned turn still uses its time.
        self.clocks.halt(now);
        self.steps = false;
        if let Some(result) = self.result() {
            self.say(result);
        }
        if self.dialog.is_none() {
            self.dialog = Some(Dialog::Over);
        }
    }

    pub(super) fn place(&mut self, square: Square, now: Instant) {
        if self.ending.is_some() {
            return self.say(Message::GameOver);
        }
        let side = self.side();
        if !self.settings.side(side).is_human() {
            return self.say(Message::NotYourTurn(side));
        }
        let board = self.game.position().board;
        if board.play(Move::Place(square)).is_none() {
            self.flash = Some((square, now + FLASH));
            let is_empty = board.empties() & square.bit() != 0;
            let of = if is_empty { Message::Illegal } else { Message::Occupied };
            return self.say(of(square));
        }
        if self.answer_puzzle(Some(Move::Place(square)), now) {
            return;
        }
        let elapsed = self.clocks.turn(now);
        if self.is_out_of_time(side, elapsed, Duration::ZERO) {
            return self.end(Ending::Time(side), now);
        }
        self.is_paused = false;
        self.play(Move::Place(square), Note { value: None, time: Some(elapsed) }, now);
    }

    pub(super) fn play(&mut self, mv: Move, note: Note, now: Instant) {
        let before = self.game.position();
        self.abandon();
        if !self.game.play(mv, note) {
            return;
        }
        self.clocks.play(before.side, note.time.unwrap_or_default());
        self.last_shown = Some(now);
        self.steps = false;
        if let Some(square) = mv.square() {
            let turned = before.board.flips(square).count_ones();
            let (color, value, time) = (before.side, note.value, note.time);
            let is_booked = self.is_booked(color);
            self.say(Message::Played { color, square, turned, value, time, is_booked });
        }
        self.settle(now);
    }

    pub(super) fn is_out_of_time(&self, color: Color, elapsed: Duration, margin: Duration) -> bool {
        let clock = self.clocks.at_turn()[color.index()];
        clock.is_limited() && elapsed > clock.left() + margin
    }

    pub(super) fn tick(&mut self, now: Instant) {
        if self.flash.is_some_and(|(_, until)| until <= now) {
            self.flash = None;
        }
        if let Some((choice, _)) = self.held.take_if(|(_, due)| *due <= now)
            && let Some((color, _)) = self.asked.take()
        {
            return self.chosen(color, choice, now);
        }
        // A program is judged by its own time when it answers.
        let side = self.side();
        if self.is_human_turn()
            && self.clocks.is_running()
            && self.is_out_of_time(side, self.clocks.turn(now), Duration::ZERO)
        {
            self.end(Ending::Time(side), now);
        }
    }

    /// Undoes `n` turns of a person, or `n` moves if only programs play.
    pub(super) fn undo(&mut self, n: usize, now: Instant) {
        if self.settings.is_show() {
            return self.browse(now, Way::Back, n);
        }
        self.travel(now, Way::Back, |model| {
            let has_undone = (0..n).take_while(|_| model.undo_turn()).count() > 0;
            // A program that made the first move would repeat it at once.
            model.is_paused = !model.settings.side(model.side()).is_human();
            has_undone
        });
    }

    /// Redoes what [`Model::undo`] undid.
    pub(super) fn redo(&mut self, n: usize, now: Instant) {
        if self.settings.is_show() {
            return self.browse(now, Way::On, n);
        }
        self.travel(now, Way::On, |model| (0..n).take_while(|_| model.redo_turn()).count() > 0);
    }

    /// Steps up to `n` moves back or forward, not counting passes, and pauses.
    pub(super) fn browse(&mut self, now: Instant, way: Way, n: usize) {
        self.travel(now, way, |model| {
            let mut n_left = n;
            let mut has_moved = false;
            while n_left > 0
                && let Some(ply) = way.step(&mut model.game)
            {
                has_moved = true;
                n_left -= usize::from(ply.mv != Move::Pass);
            }
            // Do not stop at a position where a pass is forced.
            while has_moved
                && must_pass(model.game.position().board)
                && way.step(&mut model.game).is_some()
            {}
            model.is_paused |= has_moved && !model.settings.side(model.side()).is_human();
            has_moved
        });
    }

    /// `change` moves within the game and returns whether it did.
    fn travel(&mut self, now: Instant, way: Way, change: impl FnOnce(&mut Model) -> bool) {
        let n_before = self.game.plies().len();
        // Undo first takes back a resignation or loss on time, alone unless the game would be lost again at once.
        let given_up = match self.ending {
            Some(Ending::Resigned(loser) | Ending::Time(loser)) if way == Way::Back => Some(loser),
            _ => None,
        };
        let is_undone_alone = given_up.is_some_and(|loser| self.can_go_on(loser));
        // A pass at the start is played again at once.
        let may_move = way == Way::On || self.game.plies().iter().any(|ply| ply.mv != Move::Pass);
        if !is_undone_alone && may_move && change(self) {
            self.abandon();
            let n_plies = self.game.plies().len();
            self.clocks.go_to(n_plies);
            let n = n_plies.abs_diff(n_before);
            self.say(match way {
                Way::Back => Message::TakenBack(n),
                Way::On => Message::PlayedAgain(n),
            });
            self.settle(now);
        } else if let Some(loser) = given_up {
            // A program would lose again.
            self.is_paused |= !self.settings.side(loser).is_human();
            if self.ending == Some(Ending::Time(loser)) {
                self.clocks.reset_turn();
            }
            self.say(if self.is_paused { Message::Paused } else { Message::GoesOn });
            self.settle(now);
        } else {
            self.say(match way {
                Way::Back => Message::NothingToUndo,
                Way::On => Message::NothingToRedo,
            });
        }
    }

    /// Whether a side that gave up or lost on time may go on from the start of its turn: a person with time to move.
    fn can_go_on(&self, loser: Color) -> bool {
        let clock = self.clocks.at_turn()[loser.index()];
        let has_time = !clock.is_limited() || clock.left() >= SHORTEST_TURN;
        self.settings.side(loser).is_human() && has_time
    }

    /// Undoes to the last turn of a person, or to the start if there was none.
    fn undo_turn(&mut self) -> bool {
        let mut has_undone = false;
        while let Some(ply) = self.game.undo() {
            has_undone = true;
            if ply.mv != Move::Pass && self.settings.side(ply.before.side).is_human() {
                break;
            }
        }
        has_undone
    }

    /// Redoes up to the next turn of a person, or to the end.
    fn redo_turn(&mut self) -> bool {
        let mut has_redone = false;
        while self.game.redo().is_some() {
            has_redone = true;
            let position = self.game.position();
            if self.settings.side(position.side).is_human() && !must_pass(position.board) {
                break;
            }
        }
        has_redone
    }

    pub(super) fn pause(&mut self, now: Instant) {
        if self.ending.is_some() {
            return self.say(Message::GameOver);
        }
        self.steps = false;
        self.is_paused ^= true;
        self.say(if self.is_paused { Message::Paused } else { Message::GoesOn });
        self.abandon();
        if self.is_human_turn() {
            // A person's clock stops while the game is paused.
            self.clocks.halt(now);
            if self.is_paused {
                return self.update_values();
            }
        } else {
            // A program starts its move again.
            self.clocks.reset_turn();
        }
        self.settle(now);
    }

    pub(super) fn step(&mut self, now: Instant) {
        if self.ending.is_some() {
            self.say(Message::GameOver);
        } else if self.is_human_turn() {
            self.say(Message::NotYourTurn(self.side()));
        } else {
            self.is_paused = true;
            self.steps = true;
            // If somebody thinks, this is the move in progress; the game pauses after it.
            if self.asked.is_none() {
                self.settle(now);
            }
        }
    }

    pub(super) fn swap(&mut self, now: Instant) {
        self.abandon();
        self.clocks.reset_turn();
        self.settings.sides.swap(0, 1);
        self.thoughts.swap(0, 1);
        let person = [Color::Black, Color::White]
            .into_iter()
            .find(|&color| self.settings.side(color).is_human());
        self.clocks.set_controls(self.settings.controls());
        if let Some(color) = person {
            self.is_paused = false;
            self.say(Message::Swapped(color));
        } else {
            let name = self.settings.caption(Color::Black);
            self.say(Message::Seated(Color::Black, name));
        }
        self.resume(now);
    }

    pub(super) fn change_settings(&mut self, settings: Settings, now: Instant) {
        let old = std::mem::replace(&mut self.settings, settings);
        let is_same_game = old.sides == self.settings.sides && old.pace == self.settings.pace;
        if is_same_game {
            if old.adviser_level != self.settings.adviser_level {
                self.stop_advice();
            }
            return self.update_values();
        }
        self.abandon();
        self.clocks.reset_turn();
        self.clocks.set_controls(self.settings.controls());
        if old.is_show() && !self.settings.is_show() {
            self.is_paused = false;
        } else if !old.is_show() && self.settings.is_show() {
            self.is_paused = true;
            self.say(Message::PressStart);
        }
        self.resume(now);
    }

    /// An ended game stays ended.
    fn resume(&mut self, now: Instant) {
        if self.ending.is_none() {
            self.settle(now);
        }
    }

    pub(super) fn resign(&mut self, sure: bool, now: Instant) {
        if self.ending.is_some() {
            return self.say(Message::GameOver);
        }
        let side = self.side();
        let person =
            [side, side.opposite()].into_iter().find(|&color| self.settings.side(color).is_human());
        match person {
            None => self.say(Message::NobodyResigns),
            Some(_) if !sure => self.dialog = Some(Dialog::Resign),
            Some(color) => {
                self.end(Ending::Resigned(color), now);
            }
        }
    }

    pub(super) fn hurry(&mut self) {
        if self.held.is_some() || self.stop_review() {
            // The move is known and comes in a moment; or it was the analysis.
            return;
        }
        let Some((color, _)) = self.asked else {
            return self.say(Message::NobodyThinks);
        };
        let side = self.settings.side(color);
        if side.can_hurry() {
            self.effects.push(Effect::Stop(Role::Player(color)));
        } else {
            self.say(Message::CannotHurry(side.name().into()));
        }
    }

    pub(super) fn ask_hint(&mut self) {
        if self.ending.is_some() {
            return self.say(Message::GameOver);
        }
        if self.asked.is_some() {
            return self.say(Message::NotYourTurn(self.side()));
        }
        if let Some(advice) = &mut self.advice
            && advice.all
        {
            // All moves are being evaluated; the best of them is the hint.
            advice.tells = true;
            if !advice.is_running {
                self.tell_hint();
            }
            return;
        }
        self.stop_advice();
        self.say(Message::Advising);
        self.advise(false);
    }

    fn advise(&mut self, all: bool) {
        self.stop_review();
        let id = self.next_id();
        self.advice = Some(Advice { id, all, tells: !all, report: None, is_running: true });
        self.effects.push(Effect::Advise { id, all });
    }

    /// Starts or stops the evaluation of all moves according to the settings.
    pub(super) fn update_values(&mut self) {
        let wanted = self.settings.shows_values && self.ending.is_none() && self.asked.is_none();
        match &self.advice {
            Some(advice) if advice.all && !wanted => self.stop_advice(),
            Some(advice) if advice.all => {}
            _ if wanted && self.has_game() => {
                self.stop_advice();
                self.advise(true);
            }
            _ => {}
        }
    }
}

//! Positions with known values of their moves, to practise with.

use std::time::Instant;

use super::Model;
use crate::board::Move;
use crate::formats::archive::Entry;
use crate::game::Note;
use crate::play::language::Message;

/// Positions that a person solves one after another.
#[derive(Clone, Debug)]
pub(in crate::play) struct Puzzles {
    entries: Vec<Entry>,
    /// The index of the one on the board.
    at: usize,
    n_right: usize,
    n_answered: usize,
    is_answered: bool,
    /// Not there if the person gave up.
    answer: Option<Move>,
}

impl Puzzles {
    /// With the number of the one on the board, and how many there are.
    pub fn place(&self) -> (usize, usize) {
        (self.at + 1, self.entries.len())
    }
}

impl Model {
    /// Sets up the first of the positions, all of which have values of their moves.
    pub(super) fn practise(&mut self, entries: Vec<Entry>, now: Instant) {
        self.puzzles = Some(Puzzles {
            entries,
            at: 0,
            n_right: 0,
            n_answered: 0,
            is_answered: false,
            answer: None,
        });
        self.set_up(now);
    }

    fn set_up(&mut self, now: Instant) {
        let Some(mut puzzles) = self.puzzles.take() else { return };
        puzzles.is_answered = false;
        let (number, of) = puzzles.place();
        self.load(puzzles.entries[puzzles.at].clone(), now);
        self.puzzles = Some(puzzles);
        self.say(Message::Puzzle { number, of, side: self.side() });
    }

    /// Goes to the next one, or tells the result after the last. Who has not answered is told the solution first.
    pub(super) fn next_puzzle(&mut self, now: Instant) {
        if self.answer_puzzle(None, now) {
            return;
        }
        let Some(puzzles) = &mut self.puzzles else { return };
        if puzzles.at + 1 < puzzles.entries.len() {
            puzzles.at += 1;
            return self.set_up(now);
        }
        let (n_right, n_answered) = (puzzles.n_right, puzzles.n_answered);
        self.say(Message::PuzzlesDone { n_right, n_answered });
    }

    /// Takes a move as the answer, or that the person gave up, if there was none yet, and plays the best one in its place.
    pub(super) fn answer_puzzle(&mut self, mv: Option<Move>, now: Instant) -> bool {
        let is_first = self.game.plies().is_empty();
        let Some(puzzles) = self.puzzles.as_mut().filter(|puzzles| !puzzles.is_answered) else {
            return false;
        };
        let scores = &puzzles.entries[puzzles.at].scores;
        let best = scores.iter().map(|(_, score)| *score).max();
        let Some(best) = best.filter(|_| is_first) else { return false };
        let right = mv.filter(|&mv| scores.contains(&(mv, best)));
        let best = scores.iter().find(|(_, score)| *score == best).map(|(best, _)| *best);
        (puzzles.is_answered, puzzles.answer) = (true, mv);
        puzzles.n_right += usize::from(right.is_some());
        puzzles.n_answered += 1;
        self.abandon();
        if let Some(shown) = right.or(best) {
            self.game.play(shown, Note::default());
        }
        self.clocks.go_to(0);
        self.settle(now);
        if self.ending.is_some() {
            self.tell_solution(&[]);
        } else {
            // How it goes on.
            self.ask_hint();
        }
        true
    }

    /// Tells what an answer is worth; the best line can be stepped through. `false` if nothing was answered.
    pub(super) fn tell_solution(&mut self, line: &[Move]) -> bool {
        let n_plies = self.game.plies().len();
        let Some(puzzles) = &self.puzzles else { return false };
        if !puzzles.is_answered || n_plies == 0 {
            return false;
        }
        let answer = puzzles.answer;
        let mut scores = puzzles.entries[puzzles.at].scores.clone();
        scores.sort_by_key(|(_, score)| -score);
        let mut n_played = 0;
        while line.get(n_played).is_some_and(|mv| self.game.play(*mv, Note::default())) {
            n_played += 1;
        }
        let line = self.game.plies().iter().map(|ply| ply.mv).collect();
        for _ in 0..n_played {
            self.game.undo();
        }
        self.say(Message::Solution { answer, scores, line });
        true
    }
}

//! The analysis of a move, and of all moves of a side.

use std::borrow::Borrow;

use crate::board::{Color, Move, Position};
use crate::score::{DISC, MAX_ESTIMATE, Score, discs, text};
use crate::search::Line;
use crate::support::text::counted;

/// The class of a move, by its loss against the best one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Less than a disc.
    Best,
    /// Less than 4 discs.
    Inaccuracy,
    /// Less than 8 discs.
    Mistake,
    /// 8 discs or more.
    Blunder,
}

impl Class {
    pub fn of(loss: Score) -> Class {
        let errors = [Class::Blunder, Class::Mistake, Class::Inaccuracy];
        errors.into_iter().find(|class| loss >= class.least_loss()).unwrap_or(Class::Best)
    }

    pub const fn least_loss(self) -> Score {
        DISC * match self {
            Class::Best => 0,
            Class::Inaccuracy => 1,
            Class::Mistake => 4,
            Class::Blunder => 8,
        }
    }

    /// The classes of errors that occur.
    pub fn errors_in<J: Borrow<Judged>>(moves: &[J]) -> impl Iterator<Item = Class> {
        let is_there = |class: &Class| moves.iter().any(|judged| judged.borrow().class() == *class);
        [Class::Inaccuracy, Class::Mistake, Class::Blunder].into_iter().filter(is_there)
    }

    /// The least loss, in words.
    pub fn least(self) -> String {
        counted(self.least_loss() / DISC, "disc", "discs")
    }

    pub const fn name(self) -> &'static str {
        match self {
            Class::Best => "best",
            Class::Inaccuracy => "inaccuracy",
            Class::Mistake => "mistake",
            Class::Blunder => "blunder",
        }
    }

    pub const fn sign(self) -> &'static str {
        match self {
            Class::Best => "",
            Class::Inaccuracy => "?!",
            Class::Mistake => "?",
            Class::Blunder => "??",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Booked {
    #[default]
    Unasked,
    Unknown,
    Known {
        /// Its best move, with the search behind the value. Of equally good moves it is the one that was played.
        best: Line,
        knows_played: bool,
    },
}

impl Booked {
    pub const fn best(&self) -> Option<&Line> {
        match self {
            Booked::Known { best, .. } => Some(best),
            Booked::Unasked | Booked::Unknown => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// From 1.
    pub ply: usize,
    pub before: Position,
    pub mv: Move,
    /// For the mover.
    pub score: Score,
    pub is_proven: bool,
    /// With its score for the mover, depth and variation.
    pub best: Line,
    pub nodes: u64,
    pub booked: Booked,
}

impl Judged {
    /// The loss against the best move, at least 0.
    pub fn loss(&self) -> Score {
        let (best, played) = (self.best.score, self.score);
        // An estimate cannot say 64, so it loses nothing against one that does.
        let is_wipe_out = best.min(played) >= MAX_ESTIMATE || best.max(played) <= -MAX_ESTIMATE;
        if is_wipe_out && !self.is_exact() { 0 } else { (best - played).max(0) }
    }

    /// Without a sign.
    pub fn loss_text(&self) -> String {
        text(self.loss(), self.is_exact()).replace('+', "")
    }

    /// The best move, if the one that was played loses against it.
    pub fn better(&self) -> Option<&Line> {
        (self.loss() > 0).then_some(&self.best)
    }

    pub fn class(&self) -> Class {
        Class::of(self.loss())
    }

    pub fn is_exact(&self) -> bool {
        self.is_proven && self.best.is_proven()
    }

    pub const fn side(&self) -> Color {
        self.before.side
    }
}

/// The judgment of a ply, from 1; an analysis that was stopped lacks the first ones.
pub fn of_ply(moves: &[Judged], ply: usize) -> Option<&Judged> {
    let at = moves.binary_search_by_key(&ply, |judged| judged.ply);
    at.ok().map(|at| &moves[at])
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Moves of each class, the best first.
    pub classes: [usize; 4],
    pub loss: Score,
}

impl Tally {
    /// Without passes.
    pub fn new(moves: &[Judged], side: Color) -> Tally {
        let mut tally = Tally::default();
        for judged in moves.iter().filter(|judged| judged.side() == side && judged.mv != Move::Pass)
        {
            tally.classes[judged.class() as usize] += 1;
            tally.loss += judged.loss();
        }
        tally
    }

    /// Moves that are not best.
    pub fn n_errors(&self) -> usize {
        self.classes[1..].iter().sum()
    }

    pub fn n_moves(&self) -> usize {
        self.classes.iter().sum()
    }

    /// The numbers of moves that are not best, in words.
    pub fn errors(&self) -> String {
        let [_, inaccuracies, mistakes, blunders] = self.classes;
        [
            counted(inaccuracies, "inaccuracy", "inaccuracies"),
            counted(mistakes, "mistake", "mistakes"),
            counted(blunders, "blunder", "blunders"),
        ]
        .join(", ")
    }

    pub fn mean_loss(&self) -> f64 {
        discs(self.loss) / self.n_moves().max(1) as f64
    }
}

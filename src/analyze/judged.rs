//! The analysis of a move, and of all moves of a side.

use crate::board::{Color, Move, Position};
use crate::page::pieces::counted;
use crate::score::{DISC, Score, discs};
use crate::search::Line;

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
    /// The class of a loss.
    pub fn of(loss: Score) -> Class {
        if loss < DISC {
            Class::Best
        } else if loss < 4 * DISC {
            Class::Inaccuracy
        } else if loss < 8 * DISC {
            Class::Mistake
        } else {
            Class::Blunder
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Best => "best",
            Class::Inaccuracy => "inaccuracy",
            Class::Mistake => "mistake",
            Class::Blunder => "blunder",
        }
    }

    /// The annotation symbol.
    pub const fn sign(self) -> &'static str {
        match self {
            Class::Best => "",
            Class::Inaccuracy => "?!",
            Class::Mistake => "?",
            Class::Blunder => "??",
        }
    }
}

/// What a book says of a ply.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Booked {
    /// No book was asked.
    #[default]
    Unasked,
    /// The book does not know the position.
    Unknown,
    /// The book knows the position.
    Known {
        /// Its best move, with the search behind the value. Of equally good moves it is the one that was played.
        best: Line,
        /// Whether it knows the move that was played.
        knows_played: bool,
    },
}

impl Booked {
    /// The book's best move, if it knows the position.
    pub const fn best(&self) -> Option<&Line> {
        match self {
            Booked::Known { best, .. } => Some(best),
            Booked::Unasked | Booked::Unknown => None,
        }
    }
}

/// An analyzed ply of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Its number, from 1.
    pub ply: usize,
    /// The position before it.
    pub before: Position,
    /// The move played.
    pub mv: Move,
    /// Its score for the mover.
    pub score: Score,
    /// Whether that score is a proven result.
    pub is_proven: bool,
    /// The best move, with its score for the mover, depth and variation.
    pub best: Line,
    /// Tree nodes spent on it.
    pub nodes: u64,
    /// What a book says of it.
    pub booked: Booked,
}

impl Judged {
    /// The loss against the best move, at least 0.
    pub fn loss(&self) -> Score {
        (self.best.score - self.score).max(0)
    }

    /// Its class.
    pub fn class(&self) -> Class {
        Class::of(self.loss())
    }

    /// Whether both scores are proven results.
    pub fn is_exact(&self) -> bool {
        self.is_proven && self.best.is_proven()
    }

    /// The side that moved.
    pub const fn side(&self) -> Color {
        self.before.side
    }
}

/// The moves of a side, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Moves of each class, the best first.
    pub classes: [usize; 4],
    /// The total loss.
    pub loss: Score,
}

impl Tally {
    /// Counts the moves of a side, without passes.
    pub fn new(moves: &[Judged], side: Color) -> Tally {
        let mut tally = Tally::default();
        for judged in moves.iter().filter(|judged| judged.side() == side && judged.mv != Move::Pass)
        {
            tally.classes[judged.class() as usize] += 1;
            tally.loss += judged.loss();
        }
        tally
    }

    /// Number of moves.
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

    /// The average loss of a move.
    pub fn mean_loss(&self) -> f64 {
        discs(self.loss) / self.n_moves().max(1) as f64
    }
}

//! A book that learns from games, as a session or a game at the terminal uses it.

use std::fmt::Debug;
use std::sync::Arc;

use super::Book;
use crate::game::Game;
use crate::search::Stop;

/// Adds games to a book, and searches the moves that they leave unexplored.
pub trait Learner: Debug + Send + Sync {
    /// Counts a game, once however often it is taken, and makes lessons of it. It is on disk afterwards; after an error nothing is changed.
    fn take(&self, game: &Game) -> Result<(), String>;

    /// Whether there are lessons left.
    fn has_lessons(&self) -> bool;

    /// Does the lessons until they are done or it is stopped; after an error none is left. Each search is on disk when the next one begins.
    fn study(&self, stop: &Stop) -> Result<(), String>;

    /// The book with all that has been learned.
    fn book(&self) -> Arc<Book>;
}

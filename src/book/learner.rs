//! A book that learns from games, as a session or a game at the terminal uses it.

use std::fmt::Debug;
use std::sync::Arc;

use super::Book;
use crate::game::Game;
use crate::search::Stop;

/// Adds games to a book, and searches the moves that they leave unexplored.
pub trait Learner: Debug + Send + Sync {
    /// Counts a game, only once if it is taken again, and makes lessons of its positions. The game is on disk afterwards.
    ///
    /// # Errors
    /// Why it cannot be written; then nothing is changed.
    fn take(&self, game: &Game) -> Result<(), String>;

    /// Whether there are lessons left.
    fn has_lessons(&self) -> bool;

    /// Does the lessons, until they are done or it is stopped. Each search is on disk when the next one begins.
    ///
    /// # Errors
    /// Why they cannot be done; then none is left.
    fn study(&self, stop: &Stop) -> Result<(), String>;

    /// The book with all that has been learned.
    fn book(&self) -> Arc<Book>;
}

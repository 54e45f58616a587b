//! The events and effects of the model.

use std::path::PathBuf;

use super::language::Language;
use super::settings::Side;
use crate::board::{Color, Square};
use crate::engine::Pace;
use crate::game::Game;
use crate::players::{Choice, Progress};

/// The number of a request to a player; answers to older requests are outdated.
pub(super) type Id = u64;

/// The receiver of a request: the player of a color, or the adviser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Player(Color),
    Adviser,
}

/// An event.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A person gave a command.
    Command(Command),
    /// A player or the adviser replied.
    Reply { role: Role, id: Id, reply: Reply },
    /// Writing a file has succeeded or failed.
    Saved { path: PathBuf, result: Result<(), SaveError> },
    /// Reading a file has succeeded or failed; boxed because a game is large.
    Loaded { path: PathBuf, result: Result<Box<Game>, String> },
    /// The book did not learn from a game, for this reason.
    NotLearned(String),
    /// Time has passed.
    Tick,
}

/// Why a game was not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SaveError {
    /// The file already exists.
    Exists,
    /// The extension is that of a format in which no game can be saved.
    Format,
    /// The system's error.
    Failed(String),
}

/// A person's command.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    /// Play a square.
    Place(Square),
    /// Move the cursor to a square and play it.
    Point(Square),
    /// Move the cursor.
    Cursor(Direction),
    /// Play the square under the cursor; with two programs, start or pause.
    Enter,
    /// A letter or digit of a square.
    Type(char),
    /// Undo this many of the person's turns.
    Undo(usize),
    /// The reverse of [`Command::Undo`].
    Redo(usize),
    /// Go back one move; pause if a program is to move.
    Back,
    /// Go forward one move; pause if a program is to move.
    Forward,
    /// Go to the start of the game.
    First,
    /// Go to the end of the game.
    Last,
    /// Ask the adviser for a move.
    Hint,
    /// Show or hide the values of all moves.
    Values,
    /// Swap the players of both colors.
    Swap,
    /// Make the thinking player move at once.
    MoveNow,
    /// Start a new game, with confirmation if one is running and `sure` is not set.
    NewGame { sure: bool },
    /// Pause, start or continue.
    Pause,
    /// Let a program make one move, with the game paused.
    Step,
    /// Resign, with confirmation unless `sure` is set.
    Resign { sure: bool },
    /// Ask for a file to save to.
    AskSave,
    /// Ask for a file to load.
    AskLoad,
    /// Write the game to a file; overwrite an existing one only with `force`.
    Save { path: PathBuf, force: bool },
    /// Read a game.
    Load(PathBuf),
    /// Open the settings.
    Settings,
    /// Change the player of a color.
    SetSide(Color, Side),
    /// Change the clock.
    SetPace(Pace),
    /// Change the level of hints and values.
    SetAdviser(u32),
    /// Change the language.
    SetLanguage(Language),
    /// Open the help.
    Help,
    /// Answer an open question or form.
    Dialog(DialogInput),
    /// Reject unintelligible input.
    Unknown(String),
    /// Leave, with confirmation if a game is running and `sure` is not set.
    Quit { sure: bool },
}

/// Directions of the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
    Left,
    Right,
}

/// Input to a question or a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DialogInput {
    Char(char),
    Backspace,
    /// Deletes the whole text.
    Clear,
    Move(Direction),
    Enter,
    Cancel,
    /// A click on a row, counted from the first one.
    Row(usize),
}

/// A reply of a player or the adviser.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// Interim results.
    Progress(Progress),
    /// A player's move.
    Chosen(Choice),
    /// The adviser is done.
    Advised,
    /// The player or the adviser has failed.
    Failed(String),
}

/// An effect of the model.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    /// Ask the player of a color for its move in the current position.
    Ask(Color, Id),
    /// Let the player of this color think ahead while its opponent thinks.
    Ponder(Color, Id),
    /// Cancel the current request of a player or the adviser.
    Stop(Role),
    /// Make the player of a color answer at once.
    Hurry(Color),
    /// Evaluate the moves of the current position: all, or only the best.
    Advise { id: Id, all: bool },
    /// Begin a new game: players forget the last one.
    Forget,
    /// Write the game to a file; overwrite an existing one only with `force`.
    Save { path: PathBuf, force: bool },
    /// Read a file.
    Load(PathBuf),
    /// Leave.
    Quit,
}

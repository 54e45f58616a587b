//! What happens to the model, and what it wants done.

use std::path::PathBuf;
use std::time::Duration;

use super::language::Language;
use super::settings::Side;
use crate::board::{Color, Move, Square};
use crate::engine::pace::Pace;
use crate::game::Game;
use crate::players::thoughts::Value;
use crate::search::Report;

/// Numbers the requests to players: an answer to an older one comes too late.
pub(super) type Id = u64;

/// Who is asked: the player of a color, or the adviser of the people at the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Player(Color),
    Adviser,
}

/// What happens.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A person wants something.
    Command(Command),
    /// A player or the adviser says something.
    Reply { role: Role, id: Id, reply: Reply },
    /// A file has been written, or not.
    Saved { path: PathBuf, result: Result<(), SaveError> },
    /// A file has been read, or not; boxed because a game is large.
    Loaded { path: PathBuf, result: Result<Box<Game>, String> },
    /// Time has passed.
    Tick,
}

/// Why a game was not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SaveError {
    /// There is such a file.
    Exists,
    /// The system's reason.
    Failed(String),
}

/// What a person can want.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    /// Play a square.
    Place(Square),
    /// Put the cursor on a square and play it.
    Point(Square),
    /// Move the cursor.
    Cursor(Direction),
    /// Play the square under the cursor; without anybody at the board, start or pause.
    Enter,
    /// A letter or digit of a square.
    Type(char),
    /// Take back to the person's last turn, so many times.
    Undo(usize),
    /// The reverse of [`Command::Undo`].
    Redo(usize),
    /// One ply back, with the game paused.
    Back,
    /// One ply on, with the game paused.
    Forward,
    /// To the start of the game.
    First,
    /// To its end.
    Last,
    /// Ask the adviser for a move.
    Hint,
    /// Show or hide the values of all moves.
    Values,
    /// Change colors.
    Swap,
    /// The player that thinks is to move at once.
    MoveNow,
    /// A new game; asked about first if one is going on and `sure` is not set.
    NewGame { sure: bool },
    /// Pause, or start and go on.
    Pause,
    /// One move of a program, with the game paused.
    Step,
    /// The person gives the game up; asked about first unless `sure`.
    Resign { sure: bool },
    /// Ask for a file to save to.
    AskSave,
    /// Ask for a file to load.
    AskLoad,
    /// Write the game to a file; one that exists only with `force`.
    Save { path: PathBuf, force: bool },
    /// Read a game.
    Load(PathBuf),
    /// Open the settings.
    Settings,
    /// Another player for a color.
    SetSide(Color, Side),
    /// Another clock.
    SetPace(Pace),
    /// Another level of hints and values.
    SetAdviser(u32),
    /// Another language.
    SetLanguage(Language),
    /// Open the help.
    Help,
    /// Answer an open question or form.
    Dialog(DialogInput),
    /// What was typed makes no sense.
    Unknown(String),
    /// Leave.
    Quit,
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
    Move(Direction),
    Enter,
    Cancel,
    /// A click on a row, counted from the first one.
    Row(usize),
}

/// What a player or the adviser says.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// It has begun; how far it means to go.
    Started(Goal),
    /// An intermediate result.
    Thinking(Report),
    /// How far a player that is no engine has come.
    Searching(Searching),
    /// Replies thought of in advance, the opponent's best move first.
    Foresaw(Vec<Reckoned>),
    /// Its move.
    Chosen(Choice),
    /// The adviser has come to its end.
    Advised,
    /// It cannot go on.
    Failed(String),
}

/// How far a player that is no engine has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Searching {
    /// The share that is done, 0 to 1.
    pub share: f64,
    /// Positions looked at.
    pub nodes: u64,
    /// The best move so far.
    pub best: Option<(Square, Value)>,
}

/// A reply thought of in advance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reckoned {
    /// The opponent's move.
    pub to: Move,
    /// The reply.
    pub reply: Move,
    /// Its value as people read it.
    pub value: String,
    /// Plies searched.
    pub depth: u32,
}

/// The move of a player.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// `None` resigns.
    pub mv: Option<Move>,
    /// Its value in discs for itself, if it says one.
    pub value: Option<f64>,
    /// What its search found, of players that tell.
    pub report: Option<Report>,
    /// From asking to the answer.
    pub elapsed: Duration,
}

/// How far a search means to go.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Goal {
    /// Depth of its last iteration.
    pub depth: Option<u32>,
    /// Tree nodes.
    pub nodes: Option<u64>,
    /// About how long it means to take.
    pub time: Option<Duration>,
}

/// What the model wants done.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    /// Ask the player of a color for its move in the current position.
    Ask(Color, Id),
    /// The opponent of this color thinks: its player may think ahead.
    Ponder(Color, Id),
    /// Whatever this one is doing is no longer wanted.
    Stop(Role),
    /// The player of a color is to answer at once.
    Hurry(Color),
    /// Value the moves of the current position: all, or the best.
    Advise { id: Id, all: bool },
    /// A new game begins: players forget the last one.
    Forget,
    /// Write the game to a file, over an existing one only with `force`.
    Save { path: PathBuf, force: bool },
    /// Read a file.
    Load(PathBuf),
    /// Leave.
    Quit,
}

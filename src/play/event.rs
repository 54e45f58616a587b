//! The events and effects of the model.

use std::path::PathBuf;

use super::language::Language;
use super::settings::Side;
use crate::analyze::Judged;
use crate::board::{Color, Square};
use crate::engine::Pace;
use crate::formats::archive::Entry;
use crate::players::{Choice, Progress};

/// The number of a request to a player; answers to older requests are outdated.
pub(super) type Id = u64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Player(Color),
    Adviser,
}

/// `Loaded` boxes the game because it is large; `NotLearned` says why the book did not learn from one.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Command(Command),
    Reply {
        role: Role,
        id: Id,
        reply: Reply,
    },
    Saved {
        path: PathBuf,
        result: Result<(), SaveError>,
    },
    Loaded {
        path: PathBuf,
        result: Result<Box<Entry>, String>,
    },
    /// A name for a file that does not exist yet.
    Named(String),
    NotLearned(String),
    Tick,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SaveError {
    Exists,
    /// The extension is that of a format in which no game can be saved.
    Format,
    /// A page needs an analysis of the whole game.
    Unjudged,
    Failed(String),
}

/// A person's command. With `sure` nothing is asked first, with `force` an existing file is overwritten. `Point` moves the cursor and
/// plays there; `Enter` plays under the cursor or, with two programs, starts or pauses. `Undo` and `Redo` count the person's turns; `Back`
/// and `Forward` go one move and pause if a program is to move. `Analyze` judges the moves, and `Review` lets a person walk through them, with
/// `NextError`, `PreviousError`, `WorstError` and the four before, until `Leave`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    Place(Square),
    Point(Square),
    Cursor(Direction),
    Enter,
    Type(char),
    Undo(usize),
    Redo(usize),
    Back,
    Forward,
    First,
    Last,
    Hint,
    Values,
    Analyze,
    Review,
    NextError,
    PreviousError,
    WorstError,
    Leave,
    NextPuzzle,
    /// A text that was pasted into the terminal.
    Paste(String),
    Swap,
    MoveNow,
    NewGame {
        sure: bool,
    },
    Pause,
    Step,
    Resign {
        sure: bool,
    },
    AskSave,
    AskLoad,
    Save {
        path: PathBuf,
        force: bool,
    },
    Load(PathBuf),
    Settings,
    SetSide(Color, Side),
    SetPace(Pace),
    SetAdviser(u32),
    SetLanguage(Language),
    Help,
    Dialog(DialogInput),
    Unknown(String),
    Quit {
        sure: bool,
    },
}

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

#[derive(Clone, Debug)]
pub(super) enum Reply {
    Progress(Progress),
    Chosen(Choice),
    /// A move of the game that is analyzed.
    Judged(Box<Judged>),
    /// The adviser is done.
    Advised,
    Failed(String),
}

/// What the model wants done. `Ponder` lets a player think ahead while its opponent thinks, `Stop` makes it answer at once; `Advise`
/// evaluates all moves of the position or only the best, `Analyze` judges those of the game, `Name` asks for the name of a new file, and
/// `force` overwrites an existing file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    Ask(Color, Id),
    Ponder(Color, Id),
    Stop(Role),
    Advise { id: Id, all: bool },
    Analyze { id: Id },
    Forget,
    Name { extension: &'static str },
    Save { path: PathBuf, force: bool },
    Load(PathBuf),
    Quit,
}

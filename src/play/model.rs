//! The state of a game at the board, and how events change it.
//!
//! [`Model::handle`] takes an event and the time and returns the effects; nothing here reads a clock, a file or a key.

mod dialog;
mod puzzles;
mod replies;
mod review;
#[cfg(test)]
mod tests;
mod turns;

use std::time::{Duration, Instant};

use super::clocks::Clocks;
use super::event::{Command, DialogInput, Direction, Effect, Event, Id, Role, SaveError};
use super::files::is_page;
use super::form::Form;
use super::language::Message;
use super::settings::{Begin, Settings};
use crate::board::{Color, Move, Square};
use crate::engine::Prediction;
use crate::formats::archive::Entry;
use crate::game::{Game, Ply};
use crate::players::{Choice, Goal, Searching};
use crate::search::{Line, Report};

pub(super) use super::language::Ending;
pub(super) use dialog::{Dialog, Prompt};
pub(super) use puzzles::Puzzles;
pub(super) use review::{Review, Shown};
use turns::Way;

/// How long an illegal square flashes.
const FLASH: Duration = Duration::from_millis(150);

#[derive(Clone, Debug, Default)]
pub(super) struct Thought {
    /// The depth, nodes or time to reach.
    pub goal: Goal,
    /// When it started thinking; `None` when idle.
    pub since: Option<Instant>,
    pub report: Option<Report>,
    /// Whether its last move came from an opening book.
    pub is_booked: bool,
    pub predictions: Vec<Prediction>,
    /// Progress of a simple player.
    pub searching: Option<Searching>,
}

/// The adviser's view of the current position.
#[derive(Clone, Debug)]
pub(super) struct Advice {
    id: Id,
    /// Whether all moves are evaluated; otherwise only the best is searched.
    pub all: bool,
    /// Whether to show the move once found.
    tells: bool,
    /// Results so far.
    pub report: Option<Report>,
    pub is_running: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Model {
    pub settings: Settings,
    pub game: Game,
    /// The game as it was loaded.
    pub origin: Option<Box<Entry>>,
    pub clocks: Clocks,
    pub ending: Option<Ending>,
    pub is_paused: bool,
    pub cursor: Square,
    /// The letter of a square being typed.
    pub typed: Option<char>,
    /// Whether a square has just been typed: Enter behind it says the same once more.
    ends_square: bool,
    pub dialog: Option<Dialog>,
    pub message: Option<Message>,
    /// A forced pass, told together with the move after it.
    pub passed: Option<Message>,
    /// An illegal square that flashes, and until when.
    pub flash: Option<(Square, Instant)>,
    /// By color.
    pub thoughts: [Thought; 2],
    pub advice: Option<Advice>,
    pub review: Option<Review>,
    pub puzzles: Option<Puzzles>,
    pub hint: Option<Square>,
    /// A game that was pasted, while a person is asked about it.
    pasted: Option<Box<Entry>>,
    /// Messages not yet taken.
    said: Vec<Message>,
    /// What is to be done, not yet taken.
    effects: Vec<Effect>,
    asked: Option<(Color, Id)>,
    pondering: Option<(Color, Id)>,
    /// The moves that are in a file.
    saved: Vec<Move>,
    /// A program's move that is shown a little later, and when.
    held: Option<(Choice, Instant)>,
    /// When the last move was shown.
    last_shown: Option<Instant>,
    /// Whether the program to move makes one move while the game is paused.
    steps: bool,
    last_id: Id,
}

impl Model {
    pub fn new(settings: Settings) -> Model {
        let form = Form::new(&settings, true);
        Model { dialog: Some(Dialog::Form(Box::new(form))), ..Model::bare(settings) }
    }

    /// With what is on the board. A game between programs waits to be started; a person's turn begins at once.
    pub fn started(settings: Settings, begin: Begin, now: Instant) -> (Model, Vec<Effect>) {
        let mut model = Model::bare(settings);
        match begin {
            Begin::New => model.begin(Game::default(), now),
            Begin::Game(entry) => model.load(*entry, now),
            Begin::Puzzles(entries) => model.practise(entries, now),
        }
        let effects = std::mem::take(&mut model.effects);
        (model, effects)
    }

    fn bare(settings: Settings) -> Model {
        Model {
            clocks: Clocks::new(settings.controls()),
            settings,
            game: Game::default(),
            origin: None,
            ending: None,
            is_paused: true,
            cursor: C4,
            typed: None,
            ends_square: false,
            dialog: None,
            message: None,
            passed: None,
            flash: None,
            thoughts: [Thought::default(), Thought::default()],
            advice: None,
            review: None,
            puzzles: None,
            hint: None,
            pasted: None,
            said: Vec::new(),
            effects: Vec::new(),
            asked: None,
            pondering: None,
            saved: Vec::new(),
            held: None,
            last_shown: None,
            steps: false,
            last_id: 0,
        }
    }

    pub fn handle(&mut self, event: Event, now: Instant) -> Vec<Effect> {
        match event {
            Event::Command(command) => self.command(command, now),
            Event::Reply { role: Role::Adviser, id, reply } => self.advised(id, reply),
            Event::Reply { role: Role::Player(color), id, reply } => {
                self.replied(color, id, reply, now)
            }
            Event::Saved { path, result } => match result {
                Ok(()) => {
                    if !is_page(&path) {
                        self.saved = self.moves();
                    }
                    self.say(Message::Saved(path));
                }
                Err(SaveError::Failed(text)) => self.say(Message::CannotSave(path, text)),
                Err(SaveError::Format) => self.say(Message::CannotSaveAs(path)),
                Err(SaveError::Unjudged) => self.say(Message::Unjudged),
                Err(SaveError::Exists) => {
                    self.say(Message::Exists(path.clone()));
                    self.dialog = Some(Dialog::Overwrite(path));
                }
            },
            Event::Loaded { path, result } => match result {
                Ok(entry) => {
                    self.say(Message::Loaded(path, entry.game.plies().len()));
                    self.load(*entry, now);
                }
                Err(text) => self.say(Message::CannotLoad(path, text)),
            },
            Event::Named(name) => self.dialog = Some(Dialog::Save(Prompt::suggesting(name))),
            Event::NotLearned(reason) => self.say(Message::NotLearned(reason)),
            Event::Tick => self.tick(now),
        }
        std::mem::take(&mut self.effects)
    }

    pub fn side(&self) -> Color {
        self.game.position().side
    }

    pub fn is_human_turn(&self) -> bool {
        self.ending.is_none() && self.settings.side(self.side()).is_human()
    }

    /// Whether a game has begun; before that there is the start screen.
    pub fn has_game(&self) -> bool {
        !matches!(&self.dialog, Some(Dialog::Form(form)) if form.is_start)
    }

    fn is_unfinished(&self) -> bool {
        self.ending.is_none() && !self.game.plies().is_empty()
    }

    /// Whether there are moves that no file has.
    fn is_unsaved(&self) -> bool {
        !self.game.plies().is_empty() && self.moves() != self.saved
    }

    fn moves(&self) -> Vec<Move> {
        self.game.plies().iter().map(|ply| ply.mv).collect()
    }

    pub fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether the adviser works, or judges the game.
    pub fn is_advising(&self) -> bool {
        self.advice.as_ref().is_some_and(|advice| advice.is_running)
            || self.review.as_ref().is_some_and(|review| review.is_running)
    }

    /// Whether the thinking player can be told to move; if none thinks, whether the adviser does, which ends by itself.
    pub fn can_hurry(&self) -> bool {
        self.asked.map_or(self.is_advising(), |(color, _)| self.settings.side(color).can_hurry())
    }

    /// Whether the display changes with time.
    pub fn is_moving(&self) -> bool {
        self.clocks.is_running() || self.flash.is_some() || self.asked.is_some()
    }

    pub fn result(&self) -> Option<Message> {
        let ending = self.ending?;
        let position = self.game.position();
        let result = match ending {
            Ending::Played => position.final_score_for_black(),
            Ending::Resigned(color) | Ending::Time(color) => -64 * color.sign(),
        };
        let [black, white] =
            [Color::Black, Color::White].map(|color| position.discs(color).count_ones());
        Some(Message::Over { ending, black, white, result })
    }

    pub fn take_said(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.said)
    }

    /// The last move, unless it was a pass.
    pub fn last_move(&self) -> Option<&Ply> {
        self.game.plies().iter().rev().find(|ply| ply.mv != Move::Pass)
    }

    /// The adviser's, of all moves; empty unless shown.
    pub fn values(&self) -> &[Line] {
        match &self.advice {
            Some(Advice { all: true, report: Some(report), .. }) if self.settings.shows_values => {
                &report.lines
            }
            _ => &[],
        }
    }

    /// A turn consists of Black's and White's move.
    pub fn turn_number(&self) -> usize {
        let of_black = |ply: &&Ply| ply.before.side == Color::Black;
        let n_black = self.game.plies().iter().filter(of_black).count();
        n_black + usize::from(self.side() == Color::Black)
    }

    /// Whether the last move of a color came from its program's book.
    pub fn is_booked(&self, color: Color) -> bool {
        self.thoughts[color.index()].is_booked && !self.settings.side(color).is_human()
    }

    /// The completed share of a search, 0 to 1.
    pub fn share(thought: &Thought, now: Instant) -> Option<f64> {
        let since = thought.since?;
        if let Some(searching) = thought.searching {
            return Some(searching.share.clamp(0.0, 1.0));
        }
        let report = thought.report.as_ref();
        let shares = [
            thought.goal.time.map(|time| {
                now.saturating_duration_since(since).as_secs_f64() / time.as_secs_f64().max(1e-3)
            }),
            thought.goal.nodes.map(|nodes| {
                report.map_or(0.0, |report| report.nodes as f64) / nodes.max(1) as f64
            }),
            thought.goal.depth.map(|depth| {
                let reached = report.and_then(|report| report.lines.first());
                reached.map_or(0.0, |line| f64::from(line.depth)) / f64::from(depth.max(1))
            }),
        ];
        shares.into_iter().flatten().reduce(f64::max).map(|share| share.min(1.0))
    }

    pub(super) fn say(&mut self, message: Message) {
        self.said.push(message.clone());
        let earlier = self.message.replace(message);
        let is_move = matches!(self.message, Some(Message::Played { .. }));
        self.passed = earlier.filter(|said| is_move && matches!(said, Message::Passes(_)));
    }

    fn command(&mut self, command: Command, now: Instant) {
        let ends_square = std::mem::take(&mut self.ends_square);
        if ends_square && matches!(command, Command::Enter | Command::Dialog(DialogInput::Enter)) {
            return;
        }
        if self.open_review().is_some() && self.walk_through(&command) {
            return;
        }
        match command {
            Command::Place(square) => self.place(square, now),
            Command::Point(square) => {
                self.cursor = square;
                self.place(square, now);
            }
            Command::Cursor(direction) => self.move_cursor(direction),
            Command::Enter => {
                if self.is_human_turn() {
                    self.place(self.cursor, now);
                } else {
                    self.command(Command::Pause, now);
                }
            }
            Command::Type(c) => self.type_square(c, now),
            Command::Undo(n) => self.undo(n, now),
            Command::Redo(n) => self.redo(n, now),
            Command::Analyze => self.analyze(),
            Command::Review => self.walk(now),
            Command::NextPuzzle => self.next_puzzle(now),
            Command::Paste(text) => self.paste(&text, now),
            Command::Back => self.browse(now, Way::Back, 1),
            Command::Forward => self.browse(now, Way::On, 1),
            Command::First => self.browse(now, Way::Back, usize::MAX),
            Command::Last => self.browse(now, Way::On, usize::MAX),
            Command::Hint => self.ask_hint(),
            Command::Values => {
                self.settings.shows_values ^= true;
                self.update_values();
            }
            Command::Swap => self.swap(now),
            Command::MoveNow => self.hurry(),
            Command::NewGame { sure } => {
                if !sure && self.is_unfinished() && self.is_unsaved() {
                    self.dialog = Some(Dialog::NewGame);
                } else {
                    self.say(Message::NewGame);
                    self.begin(Game::default(), now);
                }
            }
            Command::Pause => self.pause(now),
            Command::Step => self.step(now),
            Command::Resign { sure } => self.resign(sure, now),
            Command::AskSave => {
                let extension = if self.open_review().is_some() { "html" } else { "ggf" };
                self.effects.push(Effect::Name { extension });
            }
            Command::AskLoad => self.dialog = Some(Dialog::Load(Prompt::default())),
            Command::Save { path, force } => self.effects.push(Effect::Save { path, force }),
            Command::Load(path) => self.effects.push(Effect::Load(path)),
            Command::Settings => {
                self.dialog = Some(Dialog::Form(Box::new(Form::new(&self.settings, false))));
            }
            Command::SetSide(color, side) => {
                self.say(Message::Seated(color, side.name().into()));
                let mut settings = self.settings.clone();
                settings.sides[color.index()] = side;
                self.change_settings(settings, now);
            }
            Command::SetPace(pace) => {
                self.say(Message::Accepted);
                let settings = Settings { pace, ..self.settings.clone() };
                self.change_settings(settings, now);
            }
            Command::SetAdviser(adviser_level) => {
                self.say(Message::Accepted);
                let settings = Settings { adviser_level, ..self.settings.clone() };
                self.change_settings(settings, now);
            }
            Command::SetLanguage(language) => self.settings.language = language,
            Command::Help => self.dialog = Some(Dialog::Help),
            Command::Dialog(input) => self.dialog_input(input, now),
            Command::NextError | Command::PreviousError | Command::WorstError | Command::Leave => {}
            Command::Unknown(text) => self.say(Message::Unknown(text)),
            Command::Quit { sure } => self.quit(sure),
        }
    }

    fn quit(&mut self, sure: bool) {
        // The menu at the end offers to save; shows and puzzles are nobody's games.
        let is_nobodys = self.settings.is_show() || self.puzzles.is_some();
        let is_offered = self.dialog == Some(Dialog::Over) || is_nobodys;
        if !sure && self.has_game() && self.is_unsaved() && !is_offered {
            self.dialog = Some(Dialog::Quit);
        } else {
            self.effects.push(Effect::Quit);
        }
    }

    fn move_cursor(&mut self, direction: Direction) {
        let (column, row) = (self.cursor.column(), self.cursor.row());
        let (column, row) = match direction {
            Direction::Up => (column, (row + 7) % 8),
            Direction::Down => (column, (row + 1) % 8),
            Direction::Left => ((column + 7) % 8, row),
            Direction::Right => ((column + 1) % 8, row),
        };
        self.cursor = Square::at(column, row).unwrap_or(self.cursor);
    }

    fn type_square(&mut self, c: char, now: Instant) {
        let c = c.to_ascii_lowercase();
        match (self.typed.take(), c) {
            (_, 'a'..='h') => self.typed = Some(c),
            (Some(column), '1'..='8') => {
                let text = format!("{column}{c}");
                if let Some(square) = Square::parse(text.as_bytes()) {
                    self.command(Command::Point(square), now);
                    self.ends_square = true;
                }
            }
            (Some(column), _) => self.say(Message::Unknown(format!("{column}{c}"))),
            (None, _) => self.say(Message::Unknown(c.into())),
        }
    }
}

/// The initial square of the cursor: one of Black's first legal moves.
const C4: Square = match Square::at(2, 3) {
    Some(square) => square,
    None => Square::lowest(1),
};

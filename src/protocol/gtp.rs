//! The Go Text Protocol, version 2, as front ends and match tools for Othello use it.
//!
//! Every command gets one reply, in order. It supports both conventions of passing: controllers that send and expect `pass`
//! (GoGui, match tools), and those that never do and ask the same color again (Quarry).

mod commands;
mod gogui;
mod settings;
mod stream;
#[cfg(test)]
mod tests;

pub use commands::names;
pub(super) use gogui::final_result;

use std::time::Duration;

use super::pondering::Pondering;
use super::session::Session;
use super::{Action, Machine, Task, Urgency};
use crate::board::{Color, Move, Position};
use crate::clock::{Clock, Control};
use crate::engine::{self, Choice, Event};
use crate::formats::sgf;
use crate::game::{Game, Note};
use crate::protocol::interrupts::Obeys;

/// The text of a reply, or of an error.
type Answer = Result<String, String>;

fn syntax_error<T>() -> Result<T, String> {
    Err("syntax error".into())
}

struct Request {
    id: String,
    purpose: Purpose,
}

enum Purpose {
    Genmove(Color),
    /// Choose a move without playing it.
    RegGenmove,
    View(gogui::View),
    Stream(stream::Stream),
    /// Ponder, or search what learned games have left open.
    Idle,
    /// Empty the table, and reply when done.
    Forget,
}

#[derive(Default)]
pub(super) struct Gtp {
    request: Option<Request>,
    /// Number of plies before each command that moved, so that one `undo` takes back what one command did.
    checkpoints: Vec<usize>,
    /// The last `time_settings` with a byo-yomi time but no stones: `main` and `byo`.
    ambiguous_time: Option<(Duration, Duration)>,
    last_search: String,
    /// Whether searches send live graphics to the error output.
    live_gfx: bool,
    /// A stream has sent its last report; the next line closes it.
    open_stream: bool,
    pondering: Pondering,
}

pub(super) fn urgency(line: &[u8]) -> Urgency {
    let line = line.trim_ascii();
    if line == b"# interrupt" {
        return Urgency::Interrupt;
    }
    match parse(line) {
        Some(command) if command.name == "quit" => Urgency::Quit,
        _ => Urgency::Queue,
    }
}

struct Command {
    id: String,
    name: String,
    arguments: Vec<String>,
}

/// `None` for blank lines, comments and ids without a command. Control characters are dropped, a tab is a blank.
fn parse(line: &[u8]) -> Option<Command> {
    let text: Vec<u8> = line
        .iter()
        .take_while(|&&byte| byte != b'#')
        .filter(|&&byte| byte == b'\t' || !byte.is_ascii_control())
        .copied()
        .collect();
    let text = String::from_utf8_lossy(&text);
    let mut words = text.split_ascii_whitespace().peekable();
    let id = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let id = id.map_or_else(String::new, canonical_id);
    let name = words.next()?.to_string();
    Some(Command { id, name, arguments: words.map(str::to_string).collect() })
}

/// Ids are numbers of any length, repeated without leading zeros.
fn canonical_id(digits: &str) -> String {
    let trimmed = digits.trim_start_matches('0');
    if trimmed.is_empty() { "0".into() } else { trimmed.into() }
}

/// This form suits every controller: sign and id, a blank, the text, an empty line, all in one write.
fn reply(id: &str, answer: &Answer) -> Action {
    let (sign, text) = match answer {
        Ok(text) => ('=', text),
        Err(text) => ('?', text),
    };
    Action::Reply(format!("{sign}{id} {text}\n\n").into_bytes())
}

impl Machine for Gtp {
    fn handle(&mut self, line: &[u8], session: &mut Session) -> Vec<Action> {
        let mut actions = self.close_stream();
        let Some(command) = parse(line) else { return actions };
        let Command { id, name, arguments } = command;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match self.execute(&name, &arguments, session) {
            Done::Answer(answer) => actions.push(reply(&id, &answer)),
            Done::Also(answer, action) => {
                actions.push(action);
                actions.push(reply(&id, &answer));
            }
            Done::Quit => {
                actions.push(reply(&id, &Ok(String::new())));
                actions.push(Action::Quit);
            }
            Done::Started(purpose, start) => {
                if matches!(purpose, Purpose::Stream(_)) {
                    actions.push(Action::Reply(format!("={id} \n").into_bytes()));
                }
                self.request = Some(Request { id, purpose });
                actions.push(start);
            }
        }
        actions
    }

    fn too_long(&mut self) -> Vec<Action> {
        // Like any line, it ends a stream, whose reply must be complete before the next one.
        let mut actions = self.close_stream();
        actions.push(reply("", &Err("unknown command".into())));
        actions
    }

    fn on_event(&mut self, event: Event, session: &mut Session) -> Vec<Action> {
        match (self.request.as_mut().map(|request| &mut request.purpose), event) {
            (Some(Purpose::Stream(stream)), Event::Report(report)) => {
                stream.report(&report).into_iter().collect()
            }
            (Some(Purpose::Genmove(color)), Event::Report(report)) if self.live_gfx => {
                gogui::live(*color, &report).into_iter().collect()
            }
            (Some(Purpose::Idle), Event::Predicted(table)) => {
                session.predictions = table;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn on_finished(
        &mut self,
        done: engine::Done,
        by: Option<&[u8]>,
        session: &mut Session,
    ) -> Vec<Action> {
        let Some(Request { id, purpose }) = self.request.take() else { return Vec::new() };
        match (purpose, done) {
            (Purpose::Genmove(color), engine::Done::Chosen(choice)) => {
                vec![reply(&id, &self.finish_genmove(color, &choice, session))]
            }
            (Purpose::RegGenmove, engine::Done::Chosen(choice)) => {
                vec![reply(&id, &Ok(vertex(choice.mv())))]
            }
            (Purpose::View(view), engine::Done::Chosen(choice)) => {
                vec![reply(&id, &Ok(view.show(session.game.position(), &choice.outcome)))]
            }
            (Purpose::Stream(mut stream), engine::Done::Chosen(choice)) => {
                // The next line closes the stream, even if the search has already ended.
                self.open_stream = true;
                stream.last(choice.outcome).into_iter().collect()
            }
            (Purpose::Genmove(_) | Purpose::RegGenmove, engine::Done::Failed(fault)) => {
                vec![reply(&id, &Err(fault.to_string()))]
            }
            (Purpose::Forget, engine::Done::Forgotten) => vec![reply(&id, &Ok(String::new()))],
            (Purpose::Idle, done) => self.pondering.idled(done, by, session),
            _ => Vec::new(),
        }
    }

    fn on_idle(&mut self, session: &mut Session) -> Vec<Action> {
        let Some(task) = self.pondering.idle_task(session) else { return Vec::new() };
        self.request = Some(Request { id: String::new(), purpose: Purpose::Idle });
        vec![Action::Start(task, Obeys::AnyLine)]
    }

    fn on_end(&mut self, _: &mut Session) -> Vec<Action> {
        self.close_stream()
    }
}

enum Done {
    Answer(Answer),
    /// An answer, and an action to do first.
    Also(Answer, Action),
    Started(Purpose, Action),
    Quit,
}

impl From<Answer> for Done {
    fn from(answer: Answer) -> Done {
        Done::Answer(answer)
    }
}

impl Gtp {
    fn close_stream(&mut self) -> Vec<Action> {
        let is_open = std::mem::take(&mut self.open_stream);
        is_open.then(|| Action::Reply(b"\n".to_vec())).into_iter().collect()
    }

    fn execute(&mut self, name: &str, arguments: &[&str], session: &mut Session) -> Done {
        let unknown = || Err("unknown command".into()).into();
        commands::find(name).map_or_else(unknown, |run| run(self, arguments, session))
    }

    fn new_game(&mut self, start: Position, session: &mut Session) {
        session.new_game(start);
        self.checkpoints.clear();
        self.last_search.clear();
        self.pondering.forget();
    }

    fn board_size(&mut self, arguments: &[&str], session: &mut Session) -> Answer {
        let [size] = arguments else { return syntax_error() };
        match size.parse::<i128>() {
            Ok(8) => {
                self.new_game(Position::START, session);
                Ok(String::new())
            }
            Ok(_) => Err("unacceptable size".into()),
            Err(_) => syntax_error(),
        }
    }

    fn play(&mut self, arguments: &[&str], session: &mut Session) -> Answer {
        let [color, vertex] = arguments else { return syntax_error() };
        let (Some(color), Some(mv)) = (color_of(color), move_of(vertex)) else {
            return syntax_error();
        };
        self.play_here(color, mv, session)
    }

    /// Plays a move of a game that is played here; if it ends the game, the book learns it.
    fn play_here(&mut self, color: Color, mv: Move, session: &mut Session) -> Answer {
        let n_plies = session.game.plies().len();
        self.play_move(color, mv, session)?;
        if session.game.is_over() && session.game.plies().len() > n_plies {
            // What went wrong is in the log.
            drop(session.learn());
        }
        Ok(String::new())
    }

    /// Plays a move by rules that suit all controllers: it may imply the other side's forced pass, and a pass that is already
    /// implied, or follows the end of the game, is accepted without effect.
    fn play_move(&mut self, color: Color, mv: Move, session: &mut Session) -> Answer {
        let n_plies = session.game.plies().len();
        let Position { board, side } = session.game.position();
        let own = if side == color { board } else { board.passed() };
        let is_idle_pass =
            mv == Move::Pass && own.legal_moves() == 0 && (side != color || session.game.is_over());
        if !is_idle_pass && !session.game.play_as(color, mv, Note::default()) {
            return Err("illegal move".into());
        }
        self.last_search.clear();
        self.checkpoints.push(n_plies);
        Ok(String::new())
    }

    /// After the other side's forced pass.
    fn board_for(color: Color, session: &Session) -> Result<crate::board::Board, String> {
        let Position { board, side } = session.game.position();
        if side == color {
            return Ok(board);
        }
        if board.legal_moves() == 0 || board.passed().legal_moves() == 0 {
            return Ok(board.passed());
        }
        Err(format!("it is {side}'s turn"))
    }

    fn genmove(&mut self, arguments: &[&str], session: &mut Session) -> Done {
        let [color] = arguments else { return syntax_error().into() };
        let Some(color) = color_of(color) else { return syntax_error().into() };
        let side = session.game.position().side;
        let is_stuck = {
            let board = session.game.position().board;
            let own = if side == color { board } else { board.passed() };
            own.legal_moves() == 0
        };
        if is_stuck {
            // A pass in turn is played; one out of turn or after the end changes nothing.
            return self.play_here(color, Move::Pass, session).map(|_| "pass".into()).into();
        }
        match Gtp::board_for(color, session) {
            Ok(board) => {
                self.pondering.play_for(color);
                let task = session.think(board, color);
                Done::Started(Purpose::Genmove(color), Action::Start(task, Obeys::UrgentLines))
            }
            Err(error) => Err(error).into(),
        }
    }

    fn finish_genmove(&mut self, color: Color, choice: &Choice, session: &mut Session) -> Answer {
        session.spend(color, choice);
        let Some(mv) = choice.mv() else { return Ok("pass".into()) };
        // Its choice may be weaker than the position.
        if choice.best().is_some_and(|best| session.resigns(&best)) {
            return Ok("resign".into());
        }
        self.play_here(color, mv, session)?;
        if let Some(line) = choice.line() {
            self.last_search = gogui::searched(&line, choice.n_nodes());
        }
        Ok(vertex(Some(mv)))
    }

    fn reg_genmove(&mut self, arguments: &[&str], session: &mut Session) -> Done {
        let [color] = arguments else { return syntax_error().into() };
        let Some(color) = color_of(color) else { return syntax_error().into() };
        match Gtp::board_for(color, session) {
            Ok(board) if board.legal_moves() == 0 => Ok("pass".into()).into(),
            Ok(board) => {
                let task = session.think_unaided(board, color);
                Done::Started(Purpose::RegGenmove, Action::Start(task, Obeys::UrgentLines))
            }
            Err(error) => Err(error).into(),
        }
    }

    /// Does nothing if there were fewer commands.
    fn undo(&mut self, n: usize, session: &mut Session) -> Answer {
        let Some(kept) = self.checkpoints.len().checked_sub(n) else {
            return Err("cannot undo".into());
        };
        self.last_search.clear();
        if let Some(&n_plies) = self.checkpoints.get(kept) {
            while session.game.plies().len() > n_plies {
                session.game.undo();
            }
            self.checkpoints.truncate(kept);
        }
        Ok(String::new())
    }

    fn time_settings(&mut self, arguments: &[&str], session: &mut Session) -> Answer {
        let [main, period, stones] = arguments else { return syntax_error() };
        let (Some(main), Some(period), Ok(stones)) =
            (seconds(main), seconds(period), stones.parse::<u32>())
        else {
            return syntax_error();
        };
        self.ambiguous_time = None;
        let control = if period.is_zero() {
            Control::Game { main, increment: Duration::ZERO }
        } else if stones > 0 {
            Control::Byoyomi { main, period, moves: stones }
        } else {
            // By the standard, a period without stones means no limit. Match tools mean a time per move or an increment by it,
            // and send the time left before each move.
            self.ambiguous_time = Some((main, period));
            if main.is_zero() && period != Duration::from_secs(1) {
                Control::Move(period)
            } else {
                Control::Unlimited
            }
        };
        session.set_control(control);
        Ok(String::new())
    }

    fn time_left(&mut self, arguments: &[&str], session: &mut Session) -> Answer {
        let [color, time, stones] = arguments else { return syntax_error() };
        let (Some(color), Ok(stones)) = (color_of(color), stones.parse::<u32>()) else {
            return syntax_error();
        };
        // A negative time means a clock that has run out.
        let is_negative = time.strip_prefix('-').is_some_and(|rest| seconds(rest).is_some());
        let Some(time) = (if is_negative { Some(Duration::ZERO) } else { seconds(time) }) else {
            return syntax_error();
        };
        // A clock set on the command line is kept by the engine itself.
        if session.options.engine.pace.control.is_none() {
            let control = match self.ambiguous_time {
                Some((main, _)) if main.is_zero() && stones == 0 => Some(Control::Move(time)),
                Some((_, increment)) if stones == 0 => {
                    Some(Control::Game { main: time, increment })
                }
                _ => None,
            };
            if let Some(control) = control {
                session.clocks[color.index()] = Clock::new(control);
                session.read_clock(color);
            } else {
                session.set_left(color, time, stones);
            }
        }
        Ok(String::new())
    }

    /// Loads a game and answers the side to move, as GNU Go does; with a move number, it stops before that move.
    fn load_sgf(&mut self, arguments: &[&str], session: &mut Session) -> Answer {
        let (path, until) = match arguments {
            [path] => (path, None),
            [path, until] => match until.parse() {
                Ok(until) => (path, Some(until)),
                Err(_) => return syntax_error(),
            },
            _ => return syntax_error(),
        };
        let cannot = |error: String| format!("cannot load file: {error}");
        let text = session.read(path.as_ref()).map_err(cannot)?;
        let record = sgf::read(&text, until).map_err(|error| cannot(error.to_string()))?;
        let game = record.replay().map_err(|error| cannot(error.to_string()))?;
        self.load(&game, session);
        Ok(session.game.position().side.to_string())
    }

    /// Takes over a whole game, with one undo per move, which includes a forced pass before it.
    fn load(&mut self, game: &Game, session: &mut Session) {
        self.new_game(game.start(), session);
        for (index, ply) in game.plies().iter().enumerate() {
            if ply.mv != Move::Pass || index + 1 == game.plies().len() {
                // Legal, because it comes from a game.
                drop(self.play_move(ply.before.side, ply.mv, session));
            }
        }
    }
}

fn color_of(text: &str) -> Option<Color> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Color::Black),
        "w" | "white" => Some(Color::White),
        _ => None,
    }
}

fn move_of(text: &str) -> Option<Move> {
    Move::parse(text.as_bytes())
}

fn vertex(mv: Option<Move>) -> String {
    match mv {
        Some(Move::Place(square)) => format!("{square:#}"),
        _ => "pass".into(),
    }
}

fn seconds(text: &str) -> Option<Duration> {
    crate::clock::seconds(text)
}

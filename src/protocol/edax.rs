//! The console of Edax, for programs that start Edax and read what it prints.
//!
//! The console prints the game, waits for a line, does what it says, and prints the game again. In modes 0 to 2 it plays by itself
//! when it is its turn and no line waits. Everything that a program may cut out of the output stands where Edax prints it; what
//! Edax tells on the error output is told there. Other than Edax, it answers every line before `quit`, does not take boards and
//! values that make no sense, and says so.

pub mod options;
pub mod screen;

use std::time::Duration;

use super::interrupts::Obeys;
use super::pondering::Pondering;
use super::session::Session;
use super::{Action, Machine, Task, Urgency, echo};
use crate::board::parse::cell;
use crate::board::{Color, Move, Position, Square};
use crate::engine::{Choice, Done, Effort, Event, Job, Pace, Think};
use crate::game::{Note, must_pass};
use crate::search::{Limits, Line as Found, Lines, Report};
use screen::{HEADER, RULE};

/// The commands, besides moves and options.
const COMMANDS: &str =
    "init new setboard play undo redo go stop hint mode book help version quit exit eof";

/// The level when nothing else limits a search, as in Edax.
pub const LEVEL: u32 = 21;

/// The longest text of the input that a warning repeats.
const MAX_TEXT: usize = 200;

/// Both sides are played by others.
const NOBODY: u32 = 3;

enum Request {
    Go,
    Hint,
    Idle,
}

pub(super) struct Edax {
    request: Option<Request>,
    /// Which sides the console plays by itself: 0 White, 1 Black, 2 both, 3 none.
    mode: u32,
    /// 0 prints no board and no heads of tables, 1 a row for each search, 2 a row for each iteration.
    verbosity: u32,
    /// With verbosity 2, the first iteration that is shown.
    noise: u32,
    width: usize,
    /// Whether the prompt for the next line is there.
    is_prompted: bool,
    /// Whether no other position was set up: only then Edax knows its first move.
    is_standard: bool,
    /// The depth of the last iteration that was shown.
    shown: u32,
    /// What searches took, by color.
    spent: [Duration; 2],
    /// What each line of a hint took, in the order in which they were found.
    shares: Vec<(Move, u64, Duration)>,
    /// Whether a pass is `PS`, as before Edax 4.5.2.
    is_pass_old: bool,
    pondering: Pondering,
}

impl Default for Edax {
    fn default() -> Edax {
        Edax {
            request: None,
            mode: NOBODY,
            verbosity: 1,
            noise: 0,
            width: screen::WIDTH,
            is_prompted: false,
            is_standard: true,
            shown: 0,
            spent: [Duration::ZERO; 2],
            shares: Vec::new(),
            is_pass_old: false,
            pondering: Pondering::default(),
        }
    }
}

pub(super) fn urgency(line: &[u8]) -> Urgency {
    match Line::read(line).command.as_str() {
        "stop" => Urgency::Interrupt,
        "quit" | "q" | "exit" | "eof" => Urgency::Quit,
        _ => Urgency::Queue,
    }
}

/// A line of the input: `[set] COMMAND [=] REST`.
struct Line {
    /// In small letters.
    command: String,
    rest: String,
}

impl Line {
    fn read(line: &[u8]) -> Line {
        let text = String::from_utf8_lossy(line);
        let split = |text: &str| {
            let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            (word.to_lowercase(), rest.trim().to_owned())
        };
        let (mut command, mut rest) = split(text.trim());
        if command == "set" && !rest.is_empty() {
            (command, rest) = split(&rest);
        }
        if let Some(value) = rest.strip_prefix('=') {
            rest = value.trim_start().to_owned();
        }
        Line { command, rest }
    }
}

/// A warning, on the error output.
fn warning(text: &str) -> Action {
    Action::Live(format!("\nWARNING: {text}\n"))
}

fn reply(text: impl Into<Vec<u8>>) -> Action {
    Action::Reply(text.into())
}

/// A number as the console reads it: the digits that a text begins with.
fn number(text: &str) -> Option<u32> {
    let digits = text.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

/// The move that a text begins with, in a position where it is legal, and what follows it.
pub(super) fn leading_move(text: &str, position: Position) -> Option<(Move, &str)> {
    let text = text.trim_start();
    // Drops of xboard: `P@d3`, and `@@@@` for a pass.
    let text =
        text.strip_prefix(['P', 'p']).and_then(|drop| drop.strip_prefix('@')).unwrap_or(text);
    let (head, rest) = text.split_at_checked(2)?;
    let mv = match head.to_ascii_lowercase().as_str() {
        "@@" | "pa" | "ps" if must_pass(position.board) => return Some((Move::Pass, rest)),
        _ => Square::parse(head.as_bytes()).map(Move::Place)?,
    };
    position.play(mv).map(|_| (mv, rest))
}

impl Machine for Edax {
    fn on_start(&mut self, session: &mut Session) -> Vec<Action> {
        // A level means a whole search, however long it takes.
        let pace = session.options.engine.pace;
        if pace.control.is_none() {
            let is_limited = pace.depth_or_level().is_some() || pace.nodes.is_some();
            let level = if is_limited { pace.level } else { Some(LEVEL) };
            session.set_pace(Pace { level, control: Some(Default::default()), ..pace });
        }
        let given = std::mem::take(&mut session.options.console);
        let mut actions = Vec::new();
        for (name, value) in given {
            actions.extend(self.option(&name, &value, session).unwrap_or_default());
        }
        actions.push(self.state(session));
        actions
    }

    fn handle(&mut self, line: &[u8], session: &mut Session) -> Vec<Action> {
        let head = if std::mem::take(&mut self.is_prompted) { "\n" } else { ">\n" };
        let mut actions = vec![reply(head)];
        let Line { command, rest } = Line::read(line);
        actions.extend(self.execute(&command, &rest, session));
        if !matches!(actions.last(), Some(Action::Start(..) | Action::Quit)) {
            actions.push(self.state(session));
        }
        actions
    }

    fn too_long(&mut self) -> Vec<Action> {
        vec![warning("a line of over 2 MiB was dropped")]
    }

    fn on_event(&mut self, event: Event, session: &mut Session) -> Vec<Action> {
        let (Some(Request::Go | Request::Hint), Event::Report(report)) = (&self.request, event)
        else {
            return Vec::new();
        };
        self.share(&report);
        let is_shown = report.complete && self.verbosity >= 2;
        let Some(line) = report.lines.first().filter(|line| {
            is_shown && line.mv != Move::Pass && line.depth >= self.noise.max(self.shown)
        }) else {
            return Vec::new();
        };
        self.shown = line.depth;
        let side = session.game.position().side;
        let row = screen::row(line, side, report.nodes, report.elapsed, self.width);
        vec![Action::line(self.spelled(row))]
    }

    fn on_finished(&mut self, done: Done, by: Option<&[u8]>, session: &mut Session) -> Vec<Action> {
        match (self.request.take(), done) {
            (Some(Request::Go), Done::Chosen(choice)) => {
                // Without boards a move has no table either.
                let rows = (self.verbosity > 0).then(|| self.rows(&choice, session));
                let played = self.play(&choice, session);
                rows.into_iter().flatten().chain(played).chain([self.state(session)]).collect()
            }
            (Some(Request::Hint), Done::Chosen(choice)) => {
                let mut actions = self.rows(&choice, session);
                actions.push(self.state(session));
                actions
            }
            (Some(Request::Go), Done::Failed(fault)) => {
                // Otherwise it would be asked again at once.
                self.mode = NOBODY;
                vec![warning(&fault.to_string()), self.state(session)]
            }
            (Some(Request::Idle), done) => self.pondering.idled(done, by, session),
            _ => Vec::new(),
        }
    }

    fn on_idle(&mut self, session: &mut Session) -> Vec<Action> {
        if self.is_due(session) {
            self.pondering.play_for(session.game.position().side);
            return self.go_by_itself(session);
        }
        if !std::mem::replace(&mut self.is_prompted, true) {
            return vec![reply(">")];
        }
        let Some(task) = self.pondering.idle_task(session) else { return Vec::new() };
        self.request = Some(Request::Idle);
        vec![Action::Start(task, Obeys::AnyLine)]
    }

    fn on_end(&mut self, session: &mut Session) -> Vec<Action> {
        if self.is_due(session) {
            return self.go_by_itself(session);
        }
        vec![reply(if self.is_prompted { "\n" } else { ">\n" })]
    }
}

impl Edax {
    /// Whether its mode makes the engine move now.
    fn is_due(&self, session: &Session) -> bool {
        let side = session.game.position().side;
        let has_side = self.mode == 2 || self.mode == 1 - side.index() as u32;
        has_side && !session.game.is_over()
    }

    fn execute(&mut self, command: &str, rest: &str, session: &mut Session) -> Vec<Action> {
        let both = if self.mode < 2 { 2 } else { 1 };
        match command {
            "" => {}
            _ if command.starts_with('#') => {}
            "i" | "init" => {
                self.new_game(Position::START, session);
                self.is_standard = true;
            }
            "n" | "new" if rest.is_empty() => self.new_game(session.game.start(), session),
            "setboard" => {
                let (position, is_whole) = setboard(rest);
                if let Some(position) = position {
                    self.new_game(position, session);
                    self.is_standard = false;
                }
                if !is_whole {
                    let text = echo(rest.as_bytes(), MAX_TEXT);
                    return vec![warning(&format!("board_set: bad string input: {text}"))];
                }
            }
            "play" => return self.play_all(rest, session),
            "u" | "undo" => (0..both).for_each(|_| _ = session.game.undo()),
            "r" | "redo" => (0..both).for_each(|_| _ = session.game.redo()),
            "go" if session.game.is_over() => return vec![reply("\n*** Game Over ***\n")],
            "go" => return self.go(session),
            "hint" => return self.hint(rest, session),
            "m" | "mode" if rest.is_empty() => self.mode = NOBODY,
            "m" => return self.option("mode", rest, session).unwrap_or_default(),
            "stop" => self.mode = NOBODY,
            "v" | "version" => {
                let own = format!("{} {}", session.name, env!("CARGO_PKG_VERSION"));
                return vec![Action::Live(format!("Edax version 4.6 (as {own} speaks it)\n\n"))];
            }
            "?" | "help" => return vec![Action::line(help())],
            "b" | "book" => {
                let (word, value) = rest.split_once(' ').unwrap_or((rest, ""));
                let option = match word {
                    "on" | "off" => self.option("book-usage", word, session),
                    "randomness" => self.option("book-randomness", value, session),
                    _ => None,
                };
                let text = echo(rest.as_bytes(), MAX_TEXT);
                return option.unwrap_or_else(|| {
                    vec![warning(&format!("Unknown book command: \"{command} {text}\""))]
                });
            }
            "q" | "quit" | "exit" | "eof" => return vec![Action::Quit],
            _ => {
                if let Some((mv, _)) = leading_move(command, session.game.position()) {
                    self.play_one(mv, session);
                    return vec![reply(self.spelled(format!("\nYou play {mv:#}\n")))];
                }
                return self.option(command, rest, session).unwrap_or_else(|| {
                    let text = echo(format!("{command} {rest}").as_bytes(), MAX_TEXT);
                    vec![warning(&format!("Unknown command/Illegal move: \"{text}\""))]
                });
            }
        }
        Vec::new()
    }

    /// The game as it stands, unless only moves are printed.
    fn state(&self, session: &Session) -> Action {
        if self.verbosity == 0 {
            return reply("");
        }
        let over = if session.game.is_over() { "\n*** Game Over ***\n" } else { "" };
        reply(format!("\n{}{over}\n", screen::game(&session.game, self.spent)))
    }

    fn new_game(&mut self, start: Position, session: &mut Session) {
        session.new_game(start);
        self.spent = [Duration::ZERO; 2];
        self.pondering.forget();
    }

    fn play_one(&mut self, mv: Move, session: &mut Session) {
        // Legal, as whoever calls has found.
        session.game.play(mv, Note::default());
        if session.game.is_over() {
            // What went wrong is in the log.
            drop(session.learn());
        }
    }

    /// Plays moves as far as they are legal; passes need not be written.
    fn play_all(&mut self, mut text: &str, session: &mut Session) -> Vec<Action> {
        let goes_on = |text: &str, position: Position| {
            let passed = position.with_side(position.side.opposite());
            text.trim().is_empty() || leading_move(text, passed).is_some()
        };
        loop {
            let position = session.game.position();
            match leading_move(text, position) {
                Some((mv, rest)) => {
                    self.play_one(mv, session);
                    text = rest;
                }
                None if must_pass(position.board) && goes_on(text, position) => {
                    self.play_one(Move::Pass, session);
                }
                None if text.trim().is_empty() => return Vec::new(),
                None => {
                    let text = echo(text.trim().as_bytes(), MAX_TEXT);
                    return vec![warning(&format!("Illegal move: \"{text}\""))];
                }
            }
        }
    }

    fn go_by_itself(&mut self, session: &mut Session) -> Vec<Action> {
        let mut actions = vec![reply("\n")];
        actions.extend(self.go(session));
        if self.request.is_none() {
            actions.push(self.state(session));
        }
        actions
    }

    /// Searches for a move. Edax has no table for a pass, and none for the first move of the game, which is always the same.
    fn go(&mut self, session: &mut Session) -> Vec<Action> {
        let position = session.game.position();
        let Position { board, side } = position;
        let at_once = match leading_move("f5", position) {
            _ if must_pass(board) => Some(Move::Pass),
            Some((mv, _)) if self.is_standard && position == Position::START => Some(mv),
            _ => None,
        };
        if let Some(mv) = at_once {
            return vec![self.plays(mv, session)];
        }
        let task = session.think(board, side);
        self.start(Request::Go, task)
    }

    fn hint(&mut self, rest: &str, session: &Session) -> Vec<Action> {
        let Position { board, side } = session.game.position();
        if session.game.is_over() {
            return Vec::new();
        }
        let mut n = number(rest).unwrap_or(1).max(1);
        let mut actions = Vec::new();
        if !rest.is_empty() && number(rest) != Some(n) {
            actions.push(warning(&format!(
                "n_moves cannot be \"{}\"",
                echo(rest.as_bytes(), MAX_TEXT)
            )));
        }
        if n > 60 {
            actions.push(warning(&format!("n_moves = {n} is out of range. Set to 60")));
            n = 60;
        }
        let n = n as usize;
        let effort = session.effort(side);
        let limits = Limits { lines: Lines::Best(n), ..effort.limits };
        let think = Think::new(board, Effort { limits, ..effort });
        actions.extend(self.start(Request::Hint, Task::Engine(Job::Think(think))));
        actions
    }

    fn start(&mut self, request: Request, task: Task) -> Vec<Action> {
        self.request = Some(request);
        self.shown = 0;
        self.shares.clear();
        let head = if self.verbosity > 0 { format!("{HEADER}\n{RULE}-\n") } else { String::new() };
        vec![reply(head), Action::Start(task, Obeys::UrgentLines)]
    }

    /// The end of a table: what the iterations did not show, and the rule. A pass is no row.
    fn rows(&self, choice: &Choice, session: &Session) -> Vec<Action> {
        let Position { side, .. } = session.game.position();
        let share = |mv: Move| match &self.shares[..] {
            [] | [_] => (choice.n_nodes(), choice.elapsed),
            shares => shares
                .iter()
                .find(|share| share.0 == mv)
                .map_or((0, Duration::ZERO), |&(_, nodes, elapsed)| (nodes, elapsed)),
        };
        let said = choice.line().filter(|_| choice.outcome.lines.is_empty());
        let lines = choice.outcome.lines.iter().chain(&said).filter(|line| line.mv != Move::Pass);
        let rows = lines.map(|line| match &choice.booked {
            Some(_) => screen::book_row(line, side, self.width),
            None => {
                let (nodes, elapsed) = share(line.mv);
                screen::row(line, side, nodes, elapsed, self.width)
            }
        });
        let is_shown = self.verbosity >= 2 && self.shown > 0;
        let mut text: String = rows.skip(usize::from(is_shown)).map(|row| row + "\n").collect();
        if self.verbosity > 0 {
            text += &format!("{RULE}-\n");
        }
        vec![reply(self.spelled(text))]
    }

    /// Notes what the newest line of a hint took: the first one also what all iterations before took.
    fn share(&mut self, report: &Report) {
        if report.lines.len() == 1 {
            self.shares.clear();
        }
        let (mut nodes, mut elapsed) = (report.nodes, report.elapsed);
        for share in &self.shares {
            (nodes, elapsed) = (nodes.saturating_sub(share.1), elapsed.saturating_sub(share.2));
        }
        let is_new = |line: &&Found| !self.shares.iter().any(|share| share.0 == line.mv);
        if let Some(mv) = report.lines.iter().find(is_new).map(|line| line.mv) {
            self.shares.push((mv, nodes, elapsed));
        }
    }

    /// A row or a message with its passes in the words of the version that is wanted.
    fn spelled(&self, text: String) -> String {
        if self.is_pass_old { text.replace("PA", "PS").replace("pa", "ps") } else { text }
    }

    fn play(&mut self, choice: &Choice, session: &mut Session) -> Option<Action> {
        let side = session.game.position().side;
        session.spend(side, choice);
        self.spent[side.index()] += choice.elapsed;
        choice.mv().map(|mv| self.plays(mv, session))
    }

    fn plays(&mut self, mv: Move, session: &mut Session) -> Action {
        self.play_one(mv, session);
        reply(self.spelled(format!("\nEdax plays {mv:#}\n")))
    }
}

/// Reads a board: cells row by row, between which anything else may stand, and the side to move, by default the one whose turn it
/// would be if nobody had passed. Returns no position unless there are 64 cells, and whether the side was there, too.
fn setboard(text: &str) -> (Option<Position>, bool) {
    let mut cells = text.bytes().filter_map(cell);
    let board: Vec<Option<Color>> = cells.by_ref().take(64).collect();
    if board.len() < 64 {
        return (None, false);
    }
    let of = |color: Color| {
        let on = (0..64).filter(|&index| board[index] == Some(color));
        on.fold(0u64, |discs, index| discs | 1 << index)
    };
    let (black, white, side) = (of(Color::Black), of(Color::White), cells.flatten().next());
    let is_even = (black | white).count_ones().is_multiple_of(2);
    let by_turns = if is_even { Color::Black } else { Color::White };
    (Some(Position::new(black, white, side.unwrap_or(by_turns))), side.is_some())
}

fn help() -> String {
    format!(
        "Commands: {}, or a move.\nOptions, as in `level 12`: {}.",
        COMMANDS.replace(' ', ", "),
        options::NAMES.replace(' ', ", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Control;
    use crate::protocol::options::Options;

    #[test]
    fn a_drop_has_one_letter() {
        let found = |text: &str| leading_move(text, Position::START).map(|(_, rest)| rest.len());
        assert_eq!((found("P@d3 x"), found("d3"), found("p@p@d3")), (Some(2), Some(0), None));
        assert_eq!(found(&"p@".repeat(1 << 20)), None);
    }

    #[test]
    fn what_is_no_move_plays_no_pass() {
        let position = format!(
            "setboard {}X{}XX--O---XXXOO-----X-O-----X---------- X",
            "-".repeat(19),
            "-".repeat(7)
        );
        for (line, n_plies) in [("play zz", 0), ("play", 1), ("play pa", 1), ("play c5", 2)] {
            let (mut machine, mut session) = (Edax::default(), Session::new(Options::default()));
            for line in [&position, line] {
                drop(machine.handle(line.as_bytes(), &mut session));
            }
            assert_eq!(session.game.plies().len(), n_plies, "{line}");
        }
    }

    #[test]
    fn without_a_limit_the_level_is_the_one_of_edax() {
        for (pace, level) in [
            (Pace::OWN, Some(LEVEL)),
            (Pace::level(3), Some(3)),
            (Pace::depth(3), None),
            (Pace::nodes(3), None),
        ] {
            let mut session = Session::new(Options::default());
            session.set_pace(pace);
            drop(Edax::default().on_start(&mut session));
            let found = session.options.engine.pace;
            let control = Some(Control::Unlimited);
            assert_eq!(found, Pace { level, control, ..pace });
        }
    }

    #[test]
    fn undo_takes_back_an_answer_too() {
        for (mode, n_plies) in [(0, 2), (1, 2), (2, 3), (3, 3)] {
            let (mut edax, mut session) =
                (Edax { mode, ..Edax::default() }, Session::new(Options::default()));
            for line in ["play f5d6c3d3", "undo"] {
                drop(edax.handle(line.as_bytes(), &mut session));
            }
            assert_eq!(session.game.plies().len(), n_plies, "{mode}");
        }
    }
}

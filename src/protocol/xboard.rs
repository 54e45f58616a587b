//! The protocol of XBoard and WinBoard, versions 1 and 2, for reversi, in the words of Edax.
//!
//! White, whose letter is `P`, begins a new game there. A move is a drop, `P@d3`, a pass `@@@@`; the engine also reads `d3`.

use std::time::Duration;

use super::edax::leading_move;
use super::edax::screen::variation;
use super::gtp::final_result;
use super::interrupts::Obeys;
use super::pondering::Pondering;
use super::session::Session;
use super::{Action, Machine, Task, Urgency, echo};
use crate::board::{Color, Move, Position};
use crate::clock::{Control, clock_time, seconds};
use crate::engine::level::{self, MAX_LEVEL};
use crate::engine::settings::{HASH, THREADS};
use crate::engine::{Done, Event, Job, Pace, Think};
use crate::formats::fen;
use crate::game::Note;
use crate::score::discs;
use crate::search::Line;

/// Sent without a reply, and without an effect here.
const IDLE: &str = "xboard accepted rejected random nps draw computer rating ics bk ?";

/// The longest text of the input that an error repeats.
const MAX_TEXT: usize = 200;

/// The depth of a hint.
const HINT_LEVEL: u32 = 10;

enum Request {
    Go,
    Hint,
    Idle,
}

pub(super) struct Xboard {
    request: Option<Request>,
    /// The side that the engine plays.
    own: Option<Color>,
    /// 1 shows the result of a search, 2 each iteration.
    verbosity: u32,
    pondering: Pondering,
    /// The limits at the start, which hold again in each new game.
    pace: Pace,
}

impl Default for Xboard {
    fn default() -> Xboard {
        let pondering = Pondering::default();
        Xboard { request: None, own: None, verbosity: 1, pondering, pace: Pace::OWN }
    }
}

/// The commands after which nobody wants the move that is being searched.
const ABANDONING: &str = "new force setboard undo remove result variant playother quit";

fn abandons(line: &[u8]) -> bool {
    let first = super::words(line).next();
    ABANDONING.split(' ').any(|word| first == Some(word.as_bytes()))
}

pub(super) fn urgency(line: &[u8]) -> Urgency {
    let is_urgent = abandons(line) || super::words(line).eq([b"?"]);
    if is_urgent { Urgency::Interrupt } else { Urgency::Queue }
}

impl Machine for Xboard {
    fn on_start(&mut self, session: &mut Session) -> Vec<Action> {
        session.new_game(fen::start());
        self.pace = session.options.engine.pace;
        Vec::new()
    }

    fn handle(&mut self, line: &[u8], session: &mut Session) -> Vec<Action> {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        let (command, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        self.execute(command, rest.trim(), session)
    }

    fn too_long(&mut self) -> Vec<Action> {
        vec![Action::line("Error (too long): a line of over 2 MiB")]
    }

    fn on_event(&mut self, event: Event, session: &mut Session) -> Vec<Action> {
        match (&self.request, event) {
            (Some(Request::Go), Event::Report(report)) if self.verbosity > 1 && report.complete => {
                let line = report.lines.first();
                let side = side(session);
                line.map(|line| thinking(line, report.nodes, report.elapsed, side))
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn on_finished(&mut self, done: Done, by: Option<&[u8]>, session: &mut Session) -> Vec<Action> {
        match (self.request.take(), done) {
            (Some(Request::Go), Done::Chosen(choice)) => {
                if by.is_some_and(abandons) {
                    return Vec::new();
                }
                let side = session.game.position().side;
                session.spend(side, &choice);
                let Some(mv) = choice.mv() else { return Vec::new() };
                let shown = choice.line().filter(|_| self.verbosity > 0 && mv != Move::Pass);
                // That of a foreseen move was spent before.
                let elapsed = choice.elapsed.max(choice.outcome.elapsed);
                let last = shown.map(|line| thinking(&line, choice.n_nodes(), elapsed, side));
                let told = Action::line(format!("move {}", drop_of(mv)));
                let over = play(mv, session);
                last.into_iter().chain([told]).chain(over).collect()
            }
            (Some(Request::Hint), Done::Chosen(choice)) => {
                let hint = choice.mv().map(|mv| Action::line(format!("Hint:{}", drop_of(mv))));
                hint.into_iter().collect()
            }
            (Some(Request::Go), Done::Failed(fault)) => {
                // Otherwise it would be asked again at once.
                self.own = None;
                vec![Action::line(format!("Error (no move): {fault}"))]
            }
            (Some(Request::Idle), done) => self.pondering.idled(done, by, session),
            _ => Vec::new(),
        }
    }

    fn on_idle(&mut self, session: &mut Session) -> Vec<Action> {
        let due = self.on_end(session);
        if !due.is_empty() {
            return due;
        }
        let Some(task) = self.pondering.idle_task(session) else { return Vec::new() };
        self.request = Some(Request::Idle);
        vec![Action::Start(task, Obeys::AnyLine)]
    }

    /// The move that is due, if one is.
    fn on_end(&mut self, session: &mut Session) -> Vec<Action> {
        let Position { board, side } = session.game.position();
        if self.own != Some(side) || board.is_over() {
            return Vec::new();
        }
        self.pondering.play_for(side);
        self.request = Some(Request::Go);
        vec![Action::Start(session.think(board, side), Obeys::UrgentLines)]
    }
}

impl Xboard {
    fn execute(&mut self, command: &str, rest: &str, session: &mut Session) -> Vec<Action> {
        let position = session.game.position();
        let echoed = echo(rest.as_bytes(), MAX_TEXT);
        let done = match command {
            "" => Ok(()),
            _ if command.starts_with('#') || IDLE.split(' ').any(|idle| idle == command) => Ok(()),
            "protover" => {
                return vec![Action::line(format!(
                    "feature setboard=1 playother=1 ping=1 draw=0 sigint=0 sigterm=0 analyze=0 \
                     myname=\"{}\" variants=\"reversi\" colors=0 memory=1 smp=1 done=1",
                    session.name.replace('"', "'")
                ))];
            }
            "new" => {
                self.new_game(fen::start(), session);
                // It answers the first move.
                self.own = Some(Color::Black);
                session.options.engine.pace = self.pace;
                return vec![Action::Configure(session.options.engine.clone())];
            }
            "variant" if rest.eq_ignore_ascii_case("reversi") => {
                let start = fen::write(position);
                return vec![Action::line(format!("setup (P.....p.....) {start}"))];
            }
            "variant" => Err(format!("Error (unsupported variant): {rest}")),
            "name" => return vec![Action::line(format!("Hello {echoed}!"))],
            "setboard" => match fen::read(rest) {
                Some(start) => {
                    self.new_game(start, session);
                    return result(session).into_iter().collect();
                }
                None => Err(format!("Error (bad FEN): {rest}")),
            },
            "quit" | "eof" => return vec![Action::Quit],
            "force" | "result" => {
                self.own = None;
                self.pondering.forget();
                if command == "result" {
                    // What went wrong is in the log.
                    drop(session.learn());
                }
                Ok(())
            }
            "go" => {
                self.own = Some(position.side);
                Ok(())
            }
            "playother" => {
                self.own = Some(position.side.opposite());
                Ok(())
            }
            "undo" | "remove" => {
                let n = if command == "remove" { 2 } else { 1 };
                (0..n).for_each(|_| _ = session.game.undo());
                Ok(())
            }
            "hint" => {
                self.request = Some(Request::Hint);
                let job = Job::Think(Think::new(position.board, level::limits(HINT_LEVEL)));
                return vec![Action::Start(Task::Engine(job), Obeys::UrgentLines)];
            }
            "ping" => return vec![Action::line(format!("pong {echoed}"))],
            "post" | "nopost" => {
                self.verbosity = if command == "post" { 2 } else { 0 };
                Ok(())
            }
            "level" | "st" | "sd" | "time" | "otim" | "hard" | "easy" | "memory" | "cores" => {
                match self.set(command, rest, session) {
                    Ok(()) => return vec![Action::Configure(session.options.engine.clone())],
                    error => error,
                }
            }
            _ => {
                let text = if command == "usermove" { rest } else { command };
                match leading_move(text, position).filter(|found| found.1.trim().is_empty()) {
                    Some((mv, _)) => return play(mv, session).into_iter().collect(),
                    // The game may end while a pass is on its way.
                    None if session.game.is_over() && text == "@@@@" => Ok(()),
                    None if command == "usermove" => Err(format!("Illegal move {rest}")),
                    None if is_move(command) => Err(format!("Illegal move: {command}")),
                    None => {
                        Err(format!("Error (unknown command): {command} {rest}").trim_end().into())
                    }
                }
            }
        };
        match done {
            Ok(()) => Vec::new(),
            Err(text) if text.is_empty() => {
                let text = echo(format!("{command} {rest}").as_bytes(), MAX_TEXT);
                vec![Action::line(format!("Error (not understood): {text}"))]
            }
            Err(text) => vec![Action::line(echo(text.as_bytes(), MAX_TEXT))],
        }
    }

    /// Sets a clock or something else; the error is empty.
    fn set(&self, command: &str, rest: &str, session: &mut Session) -> Result<(), String> {
        let side = side(session);
        match command {
            "time" => set_clock(self.own.unwrap_or(side), rest, session),
            "otim" => set_clock(self.own.unwrap_or(side).opposite(), rest, session),
            "hard" | "easy" => session.set("ponder", if command == "hard" { "on" } else { "off" }),
            "memory" | "cores" => {
                let (name, range) =
                    if command == "memory" { ("hash", HASH) } else { ("threads", THREADS) };
                let n: usize = rest.parse().map_err(|_| String::new())?;
                session.set(name, &n.clamp(*range.start(), *range.end()).to_string())
            }
            _ => limit(command, rest, session),
        }
    }

    fn new_game(&mut self, start: Position, session: &mut Session) {
        session.new_game(start);
        self.pondering.forget();
    }
}

/// `level MOVES BASE INCREMENT`, `st SECONDS`, `sd PLIES`; the error is empty.
fn limit(command: &str, rest: &str, session: &mut Session) -> Result<(), String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let none = String::new;
    let control = match (command, &words[..]) {
        ("sd", [plies]) => {
            // Clocks run on: both limits hold.
            let plies = plies.parse::<u32>().map_err(|_| none())?.clamp(1, MAX_LEVEL);
            let pace = &mut session.options.engine.pace;
            *pace = Pace { control: pace.control, ..Pace::level(plies) };
            return Ok(());
        }
        ("st", [time]) => Control::Move(clock_time(time).ok_or_else(none)?),
        ("level", [moves, base, increment]) => {
            let moves: u32 = moves.parse().map_err(|_| none())?;
            // Minutes, or minutes and seconds.
            let base = match base.split_once(':') {
                Some(_) => clock_time(base),
                None => seconds(base).map(|minutes| minutes * 60),
            };
            let (main, increment) = (base.ok_or_else(none)?, seconds(increment).ok_or_else(none)?);
            if moves == 0 || !increment.is_zero() {
                Control::Game { main, increment }
            } else {
                Control::Byoyomi { main: Duration::ZERO, period: main, moves }
            }
        }
        _ => return Err(none()),
    };
    session.set_control(control);
    Ok(())
}

const fn side(session: &Session) -> Color {
    session.game.position().side
}

/// Sets a clock to what a side has left, in hundredths of a second.
fn set_clock(color: Color, rest: &str, session: &mut Session) -> Result<(), String> {
    let left: i64 = rest.parse().map_err(|_| String::new())?;
    if session.options.engine.pace.control.is_none() {
        let left = Duration::from_millis(left.clamp(0, 1 << 40) as u64 * 10);
        let clock = &session.clocks[color.index()];
        let stones =
            if matches!(clock.control(), Control::Byoyomi { .. }) { clock.moves_left() } else { 0 };
        // A time for each move does not run out.
        if !matches!(clock.control(), Control::Move(_)) {
            session.set_left(color, left, stones);
        }
    }
    Ok(())
}

/// Whether a word is a move, legal or not.
fn is_move(word: &str) -> bool {
    let square = word.strip_prefix(['P', 'p']).and_then(|drop| drop.strip_prefix('@'));
    Move::parse(square.unwrap_or(word).as_bytes()).is_some()
}

/// Plays a legal move, and tells the result if it ends the game.
fn play(mv: Move, session: &mut Session) -> Option<Action> {
    session.game.play(mv, Note::default());
    result(session)
}

fn result(session: &Session) -> Option<Action> {
    let points = match session.game.result()?.signum() {
        -1 => "1-0",
        0 => "1/2-1/2",
        _ => "0-1",
    };
    Some(Action::line(format!("{points} {{{}}}", final_result(&session.game))))
}

/// An iteration: depth, hundredths of a disc, hundredths of a second, nodes, and the moves.
fn thinking(line: &Line, nodes: u64, elapsed: Duration, side: Color) -> Action {
    let percent = match line.selectivity.percent() {
        100 => String::new(),
        percent => format!("@{percent}% "),
    };
    Action::line(format!(
        "{:2} {:4} {:6} {:10} {percent}{}",
        line.depth,
        (discs(line.score) * 100.0).round() as i64,
        elapsed.as_millis() / 10,
        nodes,
        variation(&line.pv, side, 200).trim_end()
    ))
}

/// `P@d3`, or `@@@@` for a pass.
fn drop_of(mv: Move) -> String {
    mv.square().map_or_else(|| "@@@@".into(), |square| format!("P@{square}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;
    use crate::protocol::options::Options;

    fn told(lines: &[&str]) -> (Xboard, Session) {
        let (mut machine, mut session) = (Xboard::default(), Session::new(Options::default()));
        drop(machine.on_start(&mut session));
        for line in lines {
            drop(machine.handle(line.as_bytes(), &mut session));
        }
        (machine, session)
    }

    #[test]
    fn depth_and_clock_hold_together_and_the_depth_ends_with_the_game() {
        let second = Some(Duration::from_secs(1));
        for (lines, depth) in [
            (&["st 1", "sd 40"][..], Some(40)),
            (&["sd 40", "st 1"], Some(40)),
            (&["st 1", "sd 40", "new"], None),
        ] {
            let (_, session) = told(lines);
            let found = session.options.engine.pace.depth_or_level();
            let left = session.clocks.map(|clock| clock.left());
            assert_eq!((found, left.first().copied()), (depth, second), "{lines:?}");
        }
    }

    #[test]
    fn hundredths_are_rounded() {
        use crate::search::Bound;
        for (score, shown) in [(176, " 138 "), (-176, "-138 "), (0, "   0 ")] {
            let line = Line::new(Move::Pass, score, Bound::Exact, 1);
            let told = thinking(&line, 1, Duration::ZERO, Color::Black);
            let Action::Reply(text) = &told else { panic!("{told:?}") };
            assert!(String::from_utf8_lossy(text).contains(shown), "{told:?}");
        }
    }

    #[test]
    fn nobody_ponders_in_force_mode() {
        for (last, jobs) in [("easy", 0), ("force", 0), ("result 1-0", 0), ("post", 1)] {
            let (mut machine, mut session) = told(&["hard", "new", "usermove d3"]);
            assert_eq!(machine.on_idle(&mut session).len(), 1);
            drop(play(Move::Place(Square::parse(b"c3").unwrap()), &mut session));
            drop(machine.handle(last.as_bytes(), &mut session));
            assert_eq!(machine.on_idle(&mut session).len(), jobs, "{last}");
        }
    }

    #[test]
    fn what_is_no_move_is_an_unknown_command_and_empty_squares_count() {
        for (line, expected) in [
            ("a1", "Illegal move: a1\n"),
            ("P@a1", "Illegal move: P@a1\n"),
            ("usermove x", "Illegal move x\n"),
            ("usermove f5d6", "Illegal move f5d6\n"),
            ("analyze", "Error (unknown command): analyze\n"),
            ("egtpath a b", "Error (unknown command): egtpath a b\n"),
            ("setboard 8/8/8/8/8/8/8/PP5p w - - 0 1", "1-0 {White wins 63-1}\n"),
            ("setboard 8/8/8/8/8/8/8/P1p5 w - - 0 1", "1/2-1/2 {Draw 32-32}\n"),
        ] {
            let (mut machine, mut session) = told(&[]);
            let told = machine.handle(line.as_bytes(), &mut session);
            let [Action::Reply(text)] = &told[..] else { panic!("{told:?}") };
            assert_eq!(String::from_utf8_lossy(text), expected, "{line}");
        }
    }

    #[test]
    fn clocks_are_set_in_hundredths_of_a_second_each_its_own() {
        let (ms, game) =
            (Duration::from_millis, |main, increment| Control::Game { main, increment });
        let moves = Control::Byoyomi { main: ms(0), period: ms(330_000), moves: 40 };
        for (lines, control, left) in [
            (&["level 0 5 0"][..], game(ms(300_000), ms(0)), [300_000; 2]),
            (&["level 40 5 2"], game(ms(300_000), ms(2000)), [300_000; 2]),
            (&["level 40 5:30 0"], moves, [330_000; 2]),
            (&["level 0 5 2", "time 1234", "otim 99"], game(ms(300_000), ms(2000)), [990, 12_340]),
            (
                &["level 0 5 0", "new", "time 1234", "otim 99"],
                game(ms(300_000), ms(0)),
                [12_340, 990],
            ),
            (&["st 7", "time 100", "otim 100"], Control::Move(ms(7000)), [7000; 2]),
        ] {
            let (_, session) = told(lines);
            assert_eq!(session.clocks.map(|clock| clock.left()), left.map(ms), "{lines:?}");
            assert_eq!(session.clocks.map(|clock| clock.control()), [control; 2], "{lines:?}");
        }
    }
}

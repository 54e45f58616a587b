//! The NBoard protocol, versions 1 and 2.
//!
//! State commands have no reply, requests have any number of reply lines, and no output of a line before a `ping` may
//! follow the `pong` to it.

mod hint;

use std::time::Duration;

use hint::{Hint, depth};

use super::interrupts::Obeys;
use super::options::{NAME, Options};
use super::pondering::Pondering;
use super::session::Session;
use super::{Action, Machine, Task, Urgency, echo, words};
use crate::board::{Board, Color, Move, Position};
use crate::book::After;
use crate::book::choice::BookLine;
use crate::clock::{Clock, Control};
use crate::engine::{Choice, Done, Event, Job, level};
use crate::formats::ggf;
use crate::game::{Game, Note};
use crate::score::{self, DISC, Score};
use crate::search::Report;

/// The commands, besides bare moves.
pub const COMMANDS: [&str; 12] = [
    "nboard",
    "set depth",
    "set game",
    "set contempt",
    "move",
    "hint",
    "go",
    "ping",
    "learn",
    "analyze",
    "clear",
    "quit",
];

/// The longest hint. The front end might never end one, because it forgets engines that the user has left.
const HINT_CAP: Duration = Duration::from_secs(600);

/// The deepest level and longest time at which each position of a game is valued.
const ANALYSIS_LEVEL: u32 = 14;
const ANALYSIS_CAP: Duration = Duration::from_secs(2);

/// Thinking lines of a `go` are at least this far apart.
const THINKING_INTERVAL: Duration = Duration::from_millis(100);

/// The front end counts games with 31 bits.
const MAX_GAMES: u32 = i32::MAX as u32;

/// The longest name or error text that is sent.
const MAX_TEXT: usize = 200;

enum Request {
    Hint(Hint),
    Go,
    /// For each position to value, the number of plies before it and the side to move.
    Analysis(Vec<(usize, Color)>),
    Idle,
}

#[derive(Default)]
pub(super) struct Nboard {
    request: Option<Request>,
    /// Whether it speaks as Edax does.
    as_edax: bool,
    /// The name that the front end was last sent, if any.
    told_name: Option<String>,
    /// When a `go` last sent one.
    last_thinking: Duration,
    pondering: Pondering,
}

/// The commands that interrupt: all that change the state or request something.
pub(super) fn urgency(line: &[u8]) -> Urgency {
    let mut words = words(line);
    match (words.next(), words.next()) {
        (Some(b"quit"), _) => Urgency::Quit,
        (Some(b"ping" | b"move" | b"hint" | b"go" | b"learn" | b"analyze" | b"clear"), _) => {
            Urgency::Interrupt
        }
        (Some(b"set"), Some(b"game" | b"depth" | b"contempt")) => Urgency::Interrupt,
        (Some(first), None) if Move::parse(first).is_some() => Urgency::Interrupt,
        _ => Urgency::Queue,
    }
}

impl Machine for Nboard {
    fn on_start(&mut self, session: &mut Session) -> Vec<Action> {
        self.as_edax = session.options.as_edax;
        Vec::new()
    }

    fn handle(&mut self, line: &[u8], session: &mut Session) -> Vec<Action> {
        let mut words = words(line);
        let Some(first) = words.next() else { return Vec::new() };
        let second = words.next();
        match first {
            b"nboard" => self.greet(session),
            b"set" => match second {
                Some(b"depth") => {
                    if let Some(depth) = words.next().and_then(number) {
                        session.options.engine.pace.level =
                            Some(depth.clamp(1, i64::from(level::MAX_LEVEL)) as u32);
                    }
                    // Some front ends wait for it, as NTest and Edax answer so.
                    let is_told = self.as_edax || self.told_name.is_some();
                    self.told_name = is_told.then(|| player_name(&session.options));
                    self.told_name.iter().map(|name| Action::line(my_name(name))).collect()
                }
                Some(b"contempt") => {
                    if let Some(discs) = words.next().and_then(number) {
                        session.options.engine.contempt = discs.clamp(-64, 64) as i32;
                    }
                    Vec::new()
                }
                Some(b"game") => self.set_game(rest(line, b"set"), session),
                _ => Vec::new(),
            },
            b"game" if self.as_edax => self.set_game(line, session),
            b"move" => play(rest(line, b"move"), session),
            b"ping" => match second {
                Some(argument) => {
                    vec![Action::line(format!("pong {}", echo(argument, MAX_TEXT)))]
                }
                None => vec![Action::line("pong")],
            },
            b"hint" => self.hint(second.and_then(number).unwrap_or(1), session),
            b"go" => self.go(session),
            b"learn" => {
                let failed =
                    session.learn().err().map(|error| status(&format!("not learned: {error}")));
                failed.into_iter().chain([Action::line("learned")]).collect()
            }
            b"analyze" => self.analyze(session),
            // Not in the protocol: a match runner sends it before each game.
            b"clear" => {
                self.request = None;
                self.pondering.resume();
                session.forget();
                vec![Action::Start(Task::Engine(Job::Forget), Obeys::UrgentLines)]
            }
            b"quit" => vec![Action::Quit],
            _ if second.is_none() && Move::parse(first).is_some() => play(first, session),
            _ => Vec::new(),
        }
    }

    fn too_long(&mut self) -> Vec<Action> {
        vec![status("a line of over 2 MiB was dropped")]
    }

    fn on_event(&mut self, event: Event, session: &mut Session) -> Vec<Action> {
        let n_empties = session.game.position().board.n_empties();
        match (&mut self.request, event) {
            (Some(Request::Hint(hint)), Event::Report(report)) => {
                let booked = hint.ask_book(session);
                booked.into_iter().chain(hint.rows(&report, n_empties)).collect()
            }
            (Some(Request::Go), Event::Report(report)) => {
                let is_due = report.elapsed >= self.last_thinking + THINKING_INTERVAL;
                if !is_due || !report.complete {
                    return Vec::new();
                }
                self.last_thinking = report.elapsed;
                let lines = report.lines.into_iter().take(1).collect();
                Hint::default().rows(&Report { lines, ..report }, n_empties)
            }
            (Some(Request::Analysis(positions)), Event::Valued { index, score }) => {
                positions.get(index).map_or_else(Vec::new, |&(n_moves, side)| {
                    let for_black = score * side.sign();
                    vec![Action::line(format!("analysis {n_moves} {}", value(for_black, false)))]
                })
            }
            (Some(Request::Idle), Event::Predicted(table)) => {
                session.predictions = table;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn on_finished(&mut self, done: Done, by: Option<&[u8]>, session: &mut Session) -> Vec<Action> {
        let request = self.request.take();
        let is_cancelled =
            by.is_some_and(|line| words(line).next().is_some_and(|first| first == b"ping"));
        match (request, done) {
            (Some(Request::Go), Done::Chosen(choice)) => {
                session.note(session.game.position().side, &choice);
                let answer = (!is_cancelled).then(|| self.answer(&choice));
                let board = session.game.position().board;
                let row = choice.booked.as_ref().filter(|_| !is_cancelled);
                let row =
                    row.map(|line| Action::Reply(book_row(line, board, session).into_bytes()));
                // The move comes last, because some match programs read nothing after it.
                let stats = answer
                    .is_some()
                    .then(|| Action::line(node_stats(choice.n_nodes(), choice.elapsed)));
                if self.as_edax {
                    return row
                        .into_iter()
                        .chain(stats)
                        .chain(answer)
                        .chain([self.idle()])
                        .collect();
                }
                row.into_iter().chain(stats).chain([self.idle()]).chain(answer).collect()
            }
            (Some(Request::Hint(mut hint)), Done::Chosen(choice)) => {
                // The last iteration's report may have been dropped.
                let depth = choice.outcome.best().map_or(0, |line| line.depth);
                let is_missing = by.is_none() && depth > hint.depth;
                let n_empties = session.game.position().board.n_empties();
                let booked = hint.ask_book(session).filter(|_| is_missing);
                let missing =
                    is_missing.then(|| hint.rows(&Report::from(choice.outcome), n_empties));
                booked.into_iter().chain(missing.unwrap_or_default()).chain([self.idle()]).collect()
            }
            (Some(Request::Go), Done::Failed(fault)) => vec![status(&fault.to_string())],
            (Some(Request::Analysis(_)), _) => vec![self.idle()],
            (Some(Request::Idle), done) => self.pondering.idled(done, by, session),
            _ => Vec::new(),
        }
    }

    fn on_idle(&mut self, session: &mut Session) -> Vec<Action> {
        let Some(task) = self.pondering.idle_task(session) else { return Vec::new() };
        self.request = Some(Request::Idle);
        vec![Action::Start(task, Obeys::AnyLine)]
    }

    fn is_silent_after_end(&self) -> bool {
        true
    }
}

impl Nboard {
    /// Sends the name, and an empty status to replace the "Loading" that the front end shows until then.
    fn greet(&mut self, session: &Session) -> Vec<Action> {
        let name = player_name(&session.options);
        let greeting = format!("{}\nstatus", my_name(&name));
        self.told_name = Some(name);
        vec![Action::line(greeting)]
    }

    /// Sends the name if it has changed: that of the player with `go`, that of the analyst with hints and analysis. State commands
    /// have no reply.
    fn rename(&mut self, name: String) -> Option<Action> {
        let told = self.told_name.as_mut().filter(|told| **told != name)?;
        told.clone_from(&name);
        Some(Action::line(my_name(&name)))
    }

    fn set_game(&mut self, line: &[u8], session: &mut Session) -> Vec<Action> {
        let record = match ggf::read(rest(line, b"game")) {
            Ok(record) => record,
            Err(error) => return vec![status(&format!("game not understood: {error}"))],
        };
        let game = match record.replay() {
            Ok(game) => game,
            Err(error) => return vec![status(&format!("game not accepted: {error}"))],
        };
        let mut clocks = [Clock::default(); 2];
        for color in [Color::Black, Color::White] {
            let control =
                record.headers.clocks[color.index()].map_or(Control::Unlimited, |clock| {
                    Control::Game { main: clock.initial, increment: clock.increment }
                });
            let control = session.options.engine.pace.control.unwrap_or(control);
            clocks[color.index()] = Clock::new(control);
        }
        for ply in game.plies() {
            if let Some(time) = ply.note.time {
                clocks[ply.before.side.index()].spend(time);
            }
        }
        if session.set_game(game, clocks) {
            self.pondering.forget();
        }
        Vec::new()
    }

    fn hint(&mut self, n: i64, session: &Session) -> Vec<Action> {
        if session.game.is_over() {
            return vec![self.busy("Analyzing"), self.idle()];
        }
        let mut hint = Hint { n: n.clamp(1, 64) as usize, ..Hint::default() };
        let rows = hint.ask_book(session);
        let task = session.analyze(session.game.position().board, hint.n, HINT_CAP);
        self.request = Some(Request::Hint(hint));
        let start = Action::Start(task, Obeys::UrgentLines);
        let name = analyst_name(&session.options).and_then(|name| self.rename(name));
        name.into_iter().chain([self.busy("Analyzing")]).chain(rows).chain([start]).collect()
    }

    fn go(&mut self, session: &mut Session) -> Vec<Action> {
        let Position { board, side } = session.game.position();
        self.pondering.play_for(side);
        // Without a legal move there is nothing to search.
        if board.legal_moves() == 0 {
            let answer = self.answer(&Choice::default());
            let idle = self.as_edax.then(|| self.idle());
            return [answer].into_iter().chain(idle).collect();
        }
        self.request = Some(Request::Go);
        self.last_thinking = Duration::ZERO;
        let start = Action::Start(session.think(board, side), Obeys::UrgentLines);
        self.rename(player_name(&session.options))
            .into_iter()
            .chain([self.busy("Thinking"), start])
            .collect()
    }

    fn analyze(&mut self, session: &Session) -> Vec<Action> {
        // From the end backwards: results for later positions help with earlier ones.
        let positions: Vec<(usize, Position)> = session.game.positions().enumerate().collect();
        let positions: Vec<_> = positions.into_iter().rev().collect();
        let level =
            session.options.engine.pace.level.unwrap_or(level::DEFAULT_LEVEL).min(ANALYSIS_LEVEL);
        let effort = level::limits(level).within(ANALYSIS_CAP).into();
        let boards = positions.iter().map(|(_, position)| position.board).collect();
        let sides = positions.iter().map(|(n_moves, position)| (*n_moves, position.side)).collect();
        self.request = Some(Request::Analysis(sides));
        let start = Action::Start(Task::Engine(Job::Survey { boards, effort }), Obeys::UrgentLines);
        let name = analyst_name(&session.options).and_then(|name| self.rename(name));
        name.into_iter().chain([self.busy("Analyzing the game"), start]).collect()
    }

    fn busy(&self, text: &str) -> Action {
        status(if self.as_edax { "Edax is thinking" } else { text })
    }

    fn idle(&self) -> Action {
        Action::line(if self.as_edax { "status Edax is waiting" } else { "status" })
    }

    /// The move that a `go` has chosen, a pass if there is none.
    fn answer(&self, choice: &Choice) -> Action {
        let seconds = choice.elapsed.as_secs_f64();
        let (mv, line) = (choice.mv(), choice.line());
        if self.as_edax {
            let (mv, score) = (mv.unwrap_or(Move::Pass), line.map_or(0, |line| line.score));
            return Action::line(format!("=== {mv} {:.2} {seconds:.1}", score::discs(score)));
        }
        match (mv, line) {
            (Some(mv), None) => Action::line(format!("=== {mv:#}//{seconds:.3}")),
            (_, Some(line)) => Action::line(format!(
                "=== {:#}/{}/{seconds:.3}",
                line.mv,
                value(line.score, line.is_proven())
            )),
            (None, None) => Action::line("=== PA"),
        }
    }
}

fn rest<'a>(line: &'a [u8], word: &[u8]) -> &'a [u8] {
    let line = line.trim_ascii_start();
    line.strip_prefix(word).unwrap_or_default().trim_ascii_start()
}

fn number(word: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(word).ok()?;
    // A number that overflows is a large number.
    let is_number =
        text.strip_prefix(['-', '+']).unwrap_or(text).bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().or_else(|| {
        (is_number && text.len() > 1)
            .then(|| if text.starts_with('-') { i64::MIN } else { i64::MAX })
    })
}

fn status(text: &str) -> Action {
    Action::line(format!("status {}", echo(text.as_bytes(), MAX_TEXT)))
}

fn my_name(name: &str) -> String {
    format!("set myname {name}")
}

/// The player's name. The front end has room for about twelve letters, so the words are short: `Othellier-s20`.
fn player_name(options: &Options) -> String {
    let mut name = options.full_name();
    if options.name.is_none() {
        for word in ["strength", "depth", "nodes"] {
            name = name.replace(&format!(" {word} "), &format!(" {}", &word[..1]));
        }
    }
    one_word(&name)
}

/// The name of who analyzes, if another one plays: the engine at full strength. A level set before a hint is none of a player's.
fn analyst_name(options: &Options) -> Option<String> {
    let is_other =
        options.name.is_none() && (options.player.is_some() || !options.engine.strength.is_full());
    is_other.then(|| NAME.into())
}

/// The front end takes the first word for the name.
fn one_word(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join("-")
}

fn play(item: &[u8], session: &mut Session) -> Vec<Action> {
    let Some((mv, value, time)) = ggf::parse_move_item(item) else {
        return vec![status(&format!("move not understood: {}", echo(item, MAX_TEXT)))];
    };
    let game: &mut Game = &mut session.game;
    let side = game.position().side;
    let note = Note { value, time };
    let mover = if game.play(mv, note) {
        side
    } else if game.play_as(side.opposite(), mv, note) {
        side.opposite()
    } else {
        return vec![status(&format!("illegal move: {}", echo(item, MAX_TEXT)))];
    };
    if let Some(time) = time {
        session.clocks[mover.index()].spend(time);
        session.read_clock(mover);
    }
    Vec::new()
}

/// A score in a form that the front end's parser accepts: no exponent, no plus sign, exact scores in whole discs.
fn value(score: Score, exact: bool) -> String {
    if exact { format!("{}", score / DISC) } else { format!("{:.2}", score::discs(score)) }
}

/// With the number of games that the book knows behind it.
fn book_row(line: &BookLine, board: Board, session: &Session) -> String {
    let book = session.options.engine.book.as_ref();
    let after = After::play(board, line.known.square).board();
    let behind = book.zip(after).and_then(|(book, board)| book.find(board));
    let games = behind.map_or([0; 3], |entry| entry.games);
    let n_games = games.iter().fold(0, |sum: u32, n| sum.saturating_add(*n)).min(MAX_GAMES);
    let n_empties = board.n_empties();
    let line = line.to_line();
    let (pv, value) = (moves(&line.pv), value(line.score, line.is_proven()));
    format!("book {pv} {value} {n_games} {}\n", depth(&[line], n_empties))
}

/// Moves in the form that the front end reads; it shows the dashes as blanks.
fn moves(pv: &[Move]) -> String {
    let pv: Vec<_> = pv.iter().map(|mv| format!("{mv:#}")).collect();
    pv.join("-")
}

fn node_stats(nodes: u64, elapsed: Duration) -> String {
    format!("nodestats {nodes} {:.3}", elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{BookMove, Value};
    use crate::search::Selectivity;
    use crate::search::{Bound, Line};

    /// A line of a search to `depth` plies with this confidence, exact if that is to the end and sure.
    fn line(depth: u32, percent: u32, score: i32, bound: Bound) -> Line {
        Line {
            mv: Move::Pass,
            score: score * DISC,
            bound,
            depth,
            selectivity: Selectivity::from_percent(percent),
            exact: percent == 100 && depth == 20,
            pv: vec![Move::Pass],
        }
    }

    #[test]
    fn depths_are_what_the_front_end_shows_well() {
        use Bound::{AtLeast, AtMost, Exact};
        let shown = |lines: &[Line]| depth(lines, 20);
        for (lines, expected) in [
            (vec![line(12, 100, 3, Exact)], "12"),
            (vec![line(12, 73, 3, Exact)], "12"),
            (vec![line(20, 73, 3, Exact)], "73%"),
            (vec![line(20, 99, 3, Exact)], "99%"),
            (vec![line(20, 100, 3, Exact)], "100%"),
            (vec![line(20, 100, 0, Exact)], "100%"),
            (vec![line(20, 100, 3, AtLeast)], "100%W"),
            (vec![line(20, 100, -3, AtMost)], "100%W"),
            // Neither a result nor a winner.
            (vec![line(20, 100, 3, AtMost)], "20"),
            (vec![line(20, 100, 0, AtLeast)], "20"),
            // One depth for all rows, the least of them.
            (vec![line(20, 100, 3, Exact), line(20, 100, -3, AtMost)], "100%W"),
            (vec![line(20, 100, 3, Exact), line(20, 73, 1, Exact)], "73%"),
            (vec![line(20, 100, 3, Exact), line(14, 73, 1, Exact)], "14"),
        ] {
            assert_eq!(shown(&lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn rows_have_dashes_between_moves() {
        let mv = |text: &str| Move::parse(text.as_bytes()).unwrap();
        let pv = vec![mv("f5"), mv("d6"), Move::Pass, mv("c3")];
        let lines = vec![Line { mv: pv[0], pv, ..line(4, 73, 1, Bound::Exact) }];
        let elapsed = Duration::from_millis(20);
        let report = Report { lines, complete: true, nodes: 5, ordering_nodes: 0, elapsed };
        let actions = Hint::default().rows(&report, 60);
        let [Action::Reply(text)] = &actions[..] else { panic!("{actions:?}") };
        let text = String::from_utf8_lossy(text);
        assert_eq!(text, "search F5-D6-PA-C3 1.00 0 4\nnodestats 5 0.020\n");
    }

    #[test]
    fn a_row_of_the_book_stays_until_a_search_says_more_and_others_go() {
        let mv = Move::parse(b"f5").unwrap();
        let Move::Place(square) = mv else { panic!("{mv}") };
        let value = Value { score: 64, lower: -2, upper: 3 };
        let known = BookMove { square, value, lines: u32::MAX, is_leaf: true };
        let (pv, selectivity) = (vec![mv], Selectivity::from_percent(73));
        let booked = [BookLine { known, pv, depth: 12, selectivity }];
        let session = Session::new(Options::default());
        let booked_row = book_row(&booked[0], Board::START, &session);
        assert_eq!(booked_row, "book F5 0.50 0 12\n");
        let [booked] = booked;
        let mut hint = Hint { booked: vec![(booked, booked_row)], ..Hint::default() };
        for (depth, n_others, expected) in [
            (10, 0, ""),
            (11, 1, "search PA 1.00 0 11\n"),
            // The front end drops the other row.
            (12, 0, "search F5 1.00 0 12\nbook F5 0.50 0 12\n"),
            (12, 0, ""),
            (12, 1, "search PA 1.00 0 12\n"),
            (13, 1, "search PA 1.00 0 13\nsearch F5 1.00 0 13\n"),
        ] {
            let other = line(depth, 73, 1, Bound::Exact);
            let mut lines = vec![other.clone(), Line { mv, pv: vec![mv], ..other }];
            lines.drain(..1 - n_others);
            let elapsed = Duration::ZERO;
            let report = Report { lines, complete: true, nodes: 5, ordering_nodes: 0, elapsed };
            let actions = hint.rows(&report, 60);
            let [Action::Reply(text)] = &actions[..] else { panic!("{actions:?}") };
            assert_eq!(String::from_utf8_lossy(text), format!("{expected}nodestats 5 0.000\n"));
        }
    }

    #[test]
    fn times_of_moves_run_down_the_clock_of_who_played_them() {
        let (mut machine, mut session) = (Nboard::default(), Session::new(Options::default()));
        let start = "---------------------------O*------*O--------------------------- *";
        let game = "B[F5//1.5]W[F6//20]B[D3]W[G5]B[H5]W[H4]B[F7]W[H6]";
        // Black's pass before White's move is not sent.
        for (line, left) in [
            (&*format!("set game (;GM[Othello]TI[5:00]TY[8]BO[8 {start}]{game};)"), [298.5, 280.0]),
            ("move E7/1.00/8", [298.5, 272.0]),
            ("move D7//3", [295.5, 272.0]),
        ] {
            drop(machine.handle(line.as_bytes(), &mut session));
            assert_eq!(session.clocks.map(|clock| clock.left().as_secs_f64()), left, "{line}");
        }
    }
}

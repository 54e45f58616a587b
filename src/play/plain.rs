//! The line mode: the board in letters, one command per line.
//!
//! On a terminal, lines take effect at once, even while a program thinks. From a pipe, they are read one by one when the game waits
//! for a person, so that a script always plays the same game. At the end of the input, a game between programs runs to
//! its end, and a game waiting for a person's move is abandoned. A program still thinking then, or when a line quits, has a
//! moment to finish before it is told to move, or left if it cannot be.

mod board;
mod words;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, never, select, unbounded};

use super::app::App;
use super::event::{Command, DialogInput, Event, Reply};
use super::language::{Label, Language, Message};
use super::model::{Dialog, Model};
use super::settings::{Begin, Settings, Side};
use crate::analyze::Judged;
use crate::board::{Color, Position};
use crate::book::Book;
use crate::book::learner::Learner;
use crate::formats::Headers;
use crate::formats::archive::Entry;
use crate::game::Game;
use crate::players::Progress;
use crate::score;
use crate::search::Report;
use crate::support::text::{printable, printable_lines};
pub(super) use board::{clock, columns};
use words::Line;

/// Longer lines are cut; no command is this long.
const MAX_LINE: u64 = 4096;

const LINE_QUEUE: usize = 1000;

/// How long a program may keep thinking after the end of the input, when nobody waits for its move.
const END_PATIENCE: Duration = Duration::from_millis(500);

/// How long a program may keep thinking when a line quits, so that a script still gets a move that comes soon.
const LEAVE_PATIENCE: Duration = Duration::from_secs(5);

/// How much longer the adviser or a program told to move may take: only a moment, but busy machines are slow.
const LAST_PATIENCE: Duration = Duration::from_secs(60);

const TICK: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug, Default)]
pub struct Manners {
    /// Lines take effect at once, and there is a prompt.
    pub is_typed: bool,
    /// A program's thinking is shown live.
    pub is_live: bool,
}

/// What other rooms do for the board.
pub struct Services<'a> {
    pub learner: Option<Arc<dyn Learner>>,
    /// Shows a game and what its moves lost.
    pub table: &'a dyn Fn(&Game, &[Judged]) -> String,
}

/// Plays until the person leaves, the input ends or `quit` receives a message.
pub fn run(
    settings: Settings,
    begin: Begin,
    services: Services<'_>,
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
    manners: Manners,
    quit: &Receiver<()>,
) -> std::io::Result<()> {
    let (line_sender, lines) = bounded(LINE_QUEUE);
    std::thread::Builder::new()
        .name("lines".into())
        .spawn(move || read_lines(input, &line_sender))?;
    let (event_sender, events) = unbounded();
    let (model, effects) = Model::started(settings, begin, Instant::now());
    let mut front = Front {
        app: App::new(model, event_sender, services.learner),
        output,
        manners,
        shown: None,
        has_prompted: false,
        live_width: 0,
        queue: VecDeque::new(),
        last_line: Instant::now(),
        last_change: Instant::now(),
        has_hurried: false,
        n_hints: usize::MAX,
        wants_table: false,
        table: services.table,
    };
    front.app.carry_out(effects);
    let result = front.serve(&events, lines, quit);
    front.app.close();
    result
}

/// Closes the channel at the end of the input.
fn read_lines(input: impl Read, lines: &Sender<String>) {
    let mut input = BufReader::new(input);
    loop {
        let mut bytes = Vec::new();
        match (&mut input).take(MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if bytes.last() != Some(&b'\n') && bytes.len() as u64 == MAX_LINE {
            // The rest of an overlong line.
            drop(input.skip_until(b'\n'));
        }
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        if lines.send(line).is_err() {
            return;
        }
    }
}

struct Front<'a> {
    app: App,
    output: &'a mut dyn Write,
    manners: Manners,
    shown: Option<Position>,
    has_prompted: bool,
    /// Characters of the live line on the terminal.
    live_width: usize,
    queue: VecDeque<String>,
    last_line: Instant,
    last_change: Instant,
    has_hurried: bool,
    /// The most moves whose scores are shown next.
    n_hints: usize,
    /// Whether the table of an analysis is to be shown.
    wants_table: bool,
    table: &'a dyn Fn(&Game, &[Judged]) -> String,
}

impl Front<'_> {
    fn serve(
        &mut self,
        events: &Receiver<Event>,
        mut lines: Receiver<String>,
        quit: &Receiver<()>,
    ) -> std::io::Result<()> {
        let mut has_ended = false;
        let mut has_started = false;
        loop {
            self.show()?;
            if self.app.is_over() {
                return Ok(());
            }
            let model = &self.app.model;
            let is_idle = !model.is_asked() && !model.is_advising();
            if is_idle && has_ended && self.queue.is_empty() {
                let may_start = model.ending.is_none() && model.settings.is_show();
                // Only once: a failed player would fail again.
                if !may_start || std::mem::replace(&mut has_started, true) {
                    return Ok(());
                }
                self.app.handle(Event::Command(Command::Pause));
                continue;
            }
            if is_idle || self.manners.is_typed {
                if let Some(line) = self.queue.pop_front() {
                    self.take(&line)?;
                    continue;
                }
                if is_idle {
                    self.prompt()?;
                }
            } else if self.has_waited_enough(has_ended) {
                let model = &self.app.model;
                if self.has_hurried || !model.can_hurry() {
                    return Ok(());
                }
                self.has_hurried = true;
                if model.is_asked() {
                    self.app.handle(Event::Command(Command::MoveNow));
                }
            }
            self.output.flush()?;
            select! {
                recv(events) -> event => if let Ok(event) = event {
                    self.show_live(&event)?;
                    self.app.handle(event);
                },
                recv(lines) -> line => {
                    if line.is_err() {
                        has_ended = true;
                        lines = never();
                    }
                    self.queue.extend(line);
                    self.last_line = Instant::now();
                },
                recv(quit) -> _ => return Ok(()),
                default(TICK) => self.app.handle(Event::Tick),
            }
        }
    }

    /// Whether a program has used up its time after the end of the input or a line that quits.
    fn has_waited_enough(&self, has_ended: bool) -> bool {
        let language = self.app.model.settings.language;
        let leaves = |line: &String| {
            words::read(line, language) == Line::Command(Command::Quit { sure: true })
        };
        let patience = if self.queue.iter().any(leaves) {
            LEAVE_PATIENCE
        } else if has_ended && !self.app.model.settings.is_show() {
            END_PATIENCE
        } else {
            return false;
        };
        let more = if self.has_hurried { LAST_PATIENCE } else { Duration::ZERO };
        self.last_line.max(self.last_change).elapsed() > patience + more
    }

    fn say(&mut self, text: &str) -> std::io::Result<()> {
        self.clear_live()?;
        if std::mem::take(&mut self.has_prompted) && !self.manners.is_typed {
            writeln!(self.output)?;
        }
        // It may hold names of others.
        writeln!(self.output, "{}", printable_lines(text))
    }

    fn show(&mut self) -> std::io::Result<()> {
        let language = self.app.model.settings.language;
        for message in self.app.model.take_said() {
            self.say(&language.say(&message))?;
            if let Message::Played { color, .. } = message
                && let Some(report) = &self.app.model.thoughts[color.index()].report
                && !self.app.model.settings.side(color).is_human()
            {
                let text =
                    format!("  {}", thought(report, self.app.model.is_booked(color), language));
                self.say(&text)?;
            }
        }
        let model = &self.app.model;
        if self.shown != Some(model.game.position()) {
            self.shown = Some(model.game.position());
            self.last_change = Instant::now();
            self.has_hurried = false;
            let board = board::board(model, Instant::now());
            self.say(&board)?;
        }
        let model = &self.app.model;
        if let Some(advice) = &model.advice
            && advice.all
            && !advice.is_running
        {
            if let Some(report) = &advice.report {
                let n = std::mem::replace(&mut self.n_hints, usize::MAX);
                let text = scores(report.lines.iter().take(n).cloned());
                self.say(&text)?;
            }
            // Values are shown once, then switched off.
            self.app.handle(Event::Command(Command::Values));
        }
        if let Some(review) = &self.app.model.review
            && !review.is_running
            && std::mem::take(&mut self.wants_table)
        {
            let table = (self.table)(&self.app.model.game, &review.judged);
            self.say(table.trim_end())?;
        }
        match self.app.model.dialog {
            Some(Dialog::Over) => {
                self.app.handle(Event::Command(Command::Dialog(DialogInput::Cancel)));
                let text = language.pick(
                    "new: another game, analyze: what moves lost, undo, save FILE, q: quit",
                    "nouvelle : autre partie, analyse : coups faibles, annuler, enregistrer FICHIER, q : quitter",
                );
                self.say(text)
            }
            _ => Ok(()),
        }
    }

    fn prompt(&mut self) -> std::io::Result<()> {
        if std::mem::replace(&mut self.has_prompted, true) {
            return Ok(());
        }
        let model = &self.app.model;
        let language = model.settings.language;
        if let Some(Dialog::Overwrite(path)) = &model.dialog {
            let path = printable(&path.display().to_string());
            return write!(self.output, "{path} {} ", language.label(Label::OVERWRITE));
        }
        let who = if model.ending.is_some() { "" } else { language.color(model.side()) };
        write!(self.output, "{who}> ")
    }

    fn take(&mut self, line: &str) -> std::io::Result<()> {
        if !self.manners.is_typed {
            // If the input is not typed, echo the line after the prompt.
            self.prompt()?;
            writeln!(self.output, "{}", printable(line))?;
        }
        self.has_prompted = false;
        let language = self.app.model.settings.language;
        let read = words::read(line, language);
        if matches!(self.app.model.dialog, Some(Dialog::Overwrite(_))) {
            if let Some(c) = words::answer(line) {
                self.app.handle(Event::Command(Command::Dialog(DialogInput::Char(c))));
                return Ok(());
            }
            if let Line::Wrong(_) | Line::Empty | Line::Command(Command::Unknown(_)) = read {
                return Ok(());
            }
            // Whoever gives a command instead, as a script that expects no question, keeps the file.
            self.app.handle(Event::Command(Command::Dialog(DialogInput::Cancel)));
        }
        match read {
            Line::Command(command) => {
                let is_setting = matches!(
                    command,
                    Command::SetSide(..) | Command::SetPace(_) | Command::SetLanguage(_)
                );
                if is_setting {
                    self.shown = None;
                }
                self.app.handle(Event::Command(command));
            }
            Line::Wrong(text) => self.say(&text)?,
            Line::Hints(n) => {
                self.n_hints = n;
                self.app.handle(Event::Command(Command::Values));
            }
            Line::SetBoard(game) => {
                let path = game.start().to_string().into();
                let entry = Entry::of(*game, Headers::default());
                self.app.handle(Event::Loaded { path, result: Ok(Box::new(entry)) });
            }
            Line::Level(level) => {
                // Where only people play, it is that of the adviser.
                if !self.seat_programs(&format!("engine:level={level}")) {
                    self.app.handle(Event::Command(Command::SetAdviser(level)));
                }
            }
            Line::Strength(strength) => {
                self.seat_programs(&strength.to_string());
            }
            Line::Analyze => {
                self.wants_table = true;
                self.app.handle(Event::Command(Command::Analyze));
            }
            Line::Book => {
                let known = Book::embedded().lines(self.app.model.game.position().board);
                let text = scores(known.iter().map(|line| line.to_line()));
                let none = language.pick("not in the book", "pas dans la bibliothèque");
                self.say(if text.is_empty() { none } else { &text })?;
            }
            Line::Score => {
                let board = self.app.model.game.position();
                let counts = [Color::Black, Color::White].map(|color| {
                    format!("{} {}", language.color(color), board.discs(color).count_ones())
                });
                self.say(&counts.join(", "))?;
            }
            Line::Board => self.shown = None,
            Line::Moves => {
                let text = board::moves(&self.app.model.game, language);
                self.say(&text)?;
            }
            Line::Help => {
                for (word, text) in super::language::plain_help(language) {
                    self.say(&format!("  {word:28} {text}"))?;
                }
            }
            Line::Empty => {}
        }
        Ok(())
    }

    /// Seats engines in place of all programs; `false` if there are none.
    fn seat_programs(&mut self, text: &str) -> bool {
        let is_program = |color: &Color| !self.app.model.settings.side(*color).is_human();
        let programs: Vec<Color> =
            [Color::Black, Color::White].into_iter().filter(is_program).collect();
        let side = Side::parse(text).unwrap_or_else(|_| Side::human());
        for &color in &programs {
            self.app.handle(Event::Command(Command::SetSide(color, side.clone())));
        }
        self.shown = None;
        !programs.is_empty()
    }

    /// Shows a program's thinking on a line that is overwritten.
    fn show_live(&mut self, event: &Event) -> std::io::Result<()> {
        let text = match event {
            Event::Reply { reply: Reply::Progress(Progress::Report(report)), .. } => {
                thought(report, false, self.app.model.settings.language)
            }
            Event::Reply { reply: Reply::Judged(judged), .. } => judged.mv.to_string(),
            _ => return Ok(()),
        };
        if !self.manners.is_live || self.has_prompted {
            return Ok(());
        }
        let text: String = text.chars().take(78).collect();
        let width = text.chars().count();
        let least = self.live_width;
        write!(self.output, "\r{text:<least$}")?;
        self.live_width = self.live_width.max(width);
        Ok(())
    }

    fn clear_live(&mut self) -> std::io::Result<()> {
        match std::mem::take(&mut self.live_width) {
            0 => Ok(()),
            width => write!(self.output, "\r{:width$}\r", ""),
        }
    }
}

/// What a program thought, with what it cost unless that comes from a book.
fn thought(report: &Report, is_booked: bool, language: Language) -> String {
    let (nodes, seconds) = (report.nodes, report.elapsed.as_secs_f64());
    let speed = nodes as f64 / seconds.max(1e-6) / 1e6;
    let rates = language.number(&format!("{seconds:.2} s, {speed:.1} Mn/s"));
    let cost = format!(", {nodes} {}, {rates}", language.label(Label::NODES));
    let Some(line) = report.lines.first() else { return String::new() };
    format!(
        "{} {}@{}%, {}{}: {}",
        language.label(Label::DEPTH),
        line.depth,
        line.selectivity.percent(),
        language.number(&score::text(line.score, line.is_proven())),
        if is_booked { "" } else { &cost },
        super::language::moves(&line.pv)
    )
}

fn scores(lines: impl Iterator<Item = crate::search::Line>) -> String {
    let text = |line: crate::search::Line| {
        format!("{} {}", line.mv, score::text(line.score, line.is_proven()))
    };
    lines.map(text).collect::<Vec<_>>().join(", ")
}

//! The full-screen board: the terminal's state, and the loop between keys, players and pictures.
//!
//! The loop waits for whatever comes first and never computes for long; players and the adviser think in their own threads, so
//! that a key becomes a picture at once however busy the processors are. A terminal that goes away ends the game quietly.

use std::io::Write;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, never, select, unbounded};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event as TerminalEvent,
};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
    is_raw_mode_enabled,
};
use ratatui::crossterm::{cursor, execute};

use super::desk::Desk;
use super::event::Event;
use super::input;
use super::model::Model;
use super::screen::{self, Look};
use super::settings::Settings;

/// How often a picture with running clocks is drawn.
const TICK: Duration = Duration::from_millis(100);

/// Events taken between two pictures at most.
const MOST_EVENTS: usize = 200;

/// Plays full-screen until the person leaves, the terminal goes away or `quit` has something to say. With `asks` a start screen
/// asks who plays.
///
/// # Errors
/// If the terminal cannot be set up.
pub fn run<W: Write>(
    settings: Settings,
    asks: bool,
    look: Look,
    output: W,
    quit: &Receiver<()>,
) -> std::io::Result<()> {
    let mut screen = Screen::take(output)?;
    let terminal = &mut screen.terminal;
    let (event_sender, events) = unbounded();
    let (model, effects) = if asks {
        (Model::new(settings), Vec::new())
    } else {
        Model::started(settings, Instant::now())
    };
    let mut desk = Desk::new(model, event_sender);
    // The first picture waits for nobody.
    let mut is_gone = draw(terminal, &mut desk, look).is_err();
    desk.carry_out(effects);
    let (input_sender, inputs) = unbounded();
    // It ends with the terminal, or with the process.
    std::thread::Builder::new().name("keys".into()).spawn(move || read_input(&input_sender))?;
    while !is_gone && !desk.is_over() {
        is_gone = !wait(&mut desk, terminal, &events, &inputs, quit);
        is_gone |= draw(terminal, &mut desk, look).is_err();
    }
    // Players may take a moment to leave.
    drop(screen);
    desk.close();
    Ok(())
}

/// The terminal while it is ours, given back on every way out.
struct Screen<W: Write> {
    terminal: Terminal<CrosstermBackend<W>>,
}

impl<W: Write> Screen<W> {
    fn take(output: W) -> std::io::Result<Screen<W>> {
        let mut screen = Screen { terminal: Terminal::new(CrosstermBackend::new(output))? };
        enable_raw_mode()?;
        execute!(screen.terminal.backend_mut(), EnterAlternateScreen, EnableMouseCapture)?;
        Ok(screen)
    }
}

impl<W: Write> Drop for Screen<W> {
    fn drop(&mut self) {
        restore(self.terminal.backend_mut());
    }
}

/// Gives the terminal back as it was, unless that has been done. May be called at any time.
pub fn restore(output: &mut impl Write) {
    // A terminal puts the cursor back where it was before: the second time, over what has been said since.
    if !is_raw_mode_enabled().unwrap_or(false) {
        return;
    }
    // A terminal that is gone needs nothing.
    drop(execute!(output, DisableMouseCapture, LeaveAlternateScreen, cursor::Show));
    drop(disable_raw_mode());
}

fn read_input(inputs: &Sender<TerminalEvent>) {
    while let Ok(event) = event::read() {
        if inputs.send(event).is_err() {
            return;
        }
    }
}

fn draw<W: Write>(
    terminal: &mut Terminal<CrosstermBackend<W>>,
    desk: &mut Desk,
    look: Look,
) -> std::io::Result<()> {
    // What was said stays with the model as its last message.
    desk.model.take_said();
    let now = Instant::now();
    terminal.draw(|frame| screen::draw(frame, &desk.model, look, now)).map(|_| ())
}

/// Waits for something to happen and takes everything that has; `false` if the terminal is gone or the program is to end.
fn wait<W: Write>(
    desk: &mut Desk,
    terminal: &mut Terminal<CrosstermBackend<W>>,
    events: &Receiver<Event>,
    inputs: &Receiver<TerminalEvent>,
    quit: &Receiver<()>,
) -> bool {
    let patience = if desk.model.is_moving() { Some(TICK) } else { None };
    let timeout = patience.map_or_else(never, crossbeam_channel::after);
    select! {
        recv(inputs) -> input => match input {
            Ok(input) => take_input(desk, terminal, &input),
            Err(_) => return false,
        },
        recv(events) -> event => if let Ok(event) = event {
            desk.handle(event);
        },
        recv(quit) -> _ => return false,
        recv(timeout) -> _ => {}
    }
    for _ in 0..MOST_EVENTS {
        // Keys first: players can wait.
        if let Ok(input) = inputs.try_recv() {
            take_input(desk, terminal, &input);
        } else if let Ok(event) = events.try_recv() {
            desk.handle(event);
        } else {
            break;
        }
    }
    desk.handle(Event::Tick);
    true
}

fn take_input<W: Write>(
    desk: &mut Desk,
    terminal: &mut Terminal<CrosstermBackend<W>>,
    input: &TerminalEvent,
) {
    let area = terminal
        .size()
        .map(|size| ratatui::layout::Rect::from((ratatui::layout::Position::ORIGIN, size)));
    if let Some(command) = input::command(input, &desk.model, area.unwrap_or_default()) {
        desk.handle(Event::Command(command));
    }
}

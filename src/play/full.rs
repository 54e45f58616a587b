//! The full-screen board: the terminal's state, and the event loop.
//!
//! The loop handles events as they arrive and never computes for long; players and the adviser think on their own threads, so keys
//! take effect at once even when the processors are busy. Losing the terminal ends the game quietly.

use std::io::Write;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, never, select, unbounded};
use crossterm::event::{
    self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    Event as TerminalEvent,
};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
    is_raw_mode_enabled,
};
use crossterm::{cursor, execute};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};
#[cfg(unix)]
use rustix::process::{Signal, getpid, kill_process};

use super::app::App;
use super::event::Event;
use super::input;
use super::model::Model;
use super::screen::{self, Look};
use super::settings::{Begin, Settings};
use crate::book::learner::Learner;

/// Interval between frames while clocks are running.
const TICK: Duration = Duration::from_millis(100);

/// The most columns and rows that are drawn on. A terminal may claim any number, and each costs memory.
const MAX_SIZE: (u16, u16) = (500, 200);

/// The most events handled between two frames.
const MAX_EVENTS: usize = 200;

/// Plays full-screen until the person leaves, the terminal goes away or `quit` receives a message. With `asks`, a new game begins
/// with the start screen.
pub fn run<W: Write>(
    settings: Settings,
    learner: Option<Arc<dyn Learner>>,
    asks: bool,
    begin: Begin,
    look: Look,
    output: W,
    quit: &Receiver<()>,
) -> std::io::Result<()> {
    let mut screen = Screen::take(output)?;
    let terminal = &mut screen.terminal;
    let (event_sender, events) = unbounded();
    let (model, effects) = match begin {
        Begin::New if asks => (Model::new(settings), Vec::new()),
        begin => Model::started(settings, begin, Instant::now()),
    };
    let mut app = App::new(model, event_sender, learner);
    let mut is_gone = draw(terminal, &mut app, look).is_err();
    app.carry_out(effects);
    let (input_sender, inputs) = unbounded();
    std::thread::Builder::new().name("keys".into()).spawn(move || read_input(&input_sender))?;
    while !is_gone && !app.is_over() {
        is_gone = !wait(&mut app, terminal, &events, &inputs, quit);
        is_gone |= draw(terminal, &mut app, look).is_err();
    }
    // Players may take a moment to leave.
    drop(screen);
    app.close();
    Ok(())
}

/// The terminal while in use; dropping it restores the previous state.
struct Screen<W: Write> {
    /// Never dropped: that writes to standard error what failed, and panics where it is on the same closed terminal.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<W>>>,
}

impl<W: Write> Screen<W> {
    fn take(output: W) -> std::io::Result<Screen<W>> {
        let options = TerminalOptions { viewport: Viewport::Fixed(Rect::default()) };
        let terminal = Terminal::with_options(CrosstermBackend::new(output), options)?;
        let mut screen = Screen { terminal: ManuallyDrop::new(terminal) };
        enter(screen.terminal.backend_mut())?;
        // The first poll registers for changes of the window's size; those before the thread that reads keys starts would be lost.
        event::poll(Duration::ZERO)?;
        Ok(screen)
    }
}

impl<W: Write> Drop for Screen<W> {
    fn drop(&mut self) {
        restore(self.terminal.backend_mut());
    }
}

fn enter(output: &mut impl Write) -> std::io::Result<()> {
    enable_raw_mode()?;
    execute!(output, EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)
}

/// Restores the terminal unless that has been done already. May be called at any time.
pub fn restore(output: &mut impl Write) {
    // A second restore would move the cursor back over later output.
    if !is_raw_mode_enabled().unwrap_or(false) {
        return;
    }
    // Errors do not matter: the terminal is gone then.
    drop(execute!(
        output,
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        cursor::Show
    ));
    drop(disable_raw_mode());
}

fn read_input(inputs: &Sender<TerminalEvent>) {
    while let Ok(event) = event::read() {
        if inputs.send(event).is_err() {
            return;
        }
    }
}

/// The part of the terminal that is drawn on.
fn area<W: Write>(terminal: &Terminal<CrosstermBackend<W>>) -> std::io::Result<Rect> {
    let Size { width, height } = terminal.size()?;
    Ok(Rect::new(0, 0, width.min(MAX_SIZE.0), height.min(MAX_SIZE.1)))
}

fn draw<W: Write>(
    terminal: &mut Terminal<CrosstermBackend<W>>,
    app: &mut App,
    look: Look,
) -> std::io::Result<()> {
    let area = area(terminal)?;
    if terminal.get_frame().area() != area {
        terminal.resize(area)?;
    }
    // Drop the queued messages: the screen shows the model's last message.
    app.model.take_said();
    let now = Instant::now();
    terminal.draw(|frame| screen::draw(frame, &app.model, look, now)).map(|_| ())
}

/// Handles the next event and all that are pending; `false` if the terminal is gone or the program must end.
fn wait<W: Write>(
    app: &mut App,
    terminal: &mut Terminal<CrosstermBackend<W>>,
    events: &Receiver<Event>,
    inputs: &Receiver<TerminalEvent>,
    quit: &Receiver<()>,
) -> bool {
    let patience = if app.model.is_moving() { Some(TICK) } else { None };
    let timeout = patience.map_or_else(never, crossbeam_channel::after);
    select! {
        recv(inputs) -> input => match input {
            Ok(input) => take_input(app, terminal, &input),
            Err(_) => return false,
        },
        recv(events) -> event => if let Ok(event) = event {
            app.handle(event);
        },
        recv(quit) -> _ => return false,
        recv(timeout) -> _ => {}
    }
    for _ in 0..MAX_EVENTS {
        // Keys have priority over players.
        if let Ok(input) = inputs.try_recv() {
            take_input(app, terminal, &input);
        } else if let Ok(event) = events.try_recv() {
            app.handle(event);
        } else {
            break;
        }
    }
    app.handle(Event::Tick);
    true
}

fn take_input<W: Write>(
    app: &mut App,
    terminal: &mut Terminal<CrosstermBackend<W>>,
    input: &TerminalEvent,
) {
    let suspends = input::suspends(input);
    #[cfg(unix)]
    if suspends {
        restore(terminal.backend_mut());
        // Returns when the shell lets the program go on. If a step fails, so does the next frame.
        _ = kill_process(getpid(), Signal::TSTP);
        drop(enter(terminal.backend_mut()));
    }
    let area = area(terminal).unwrap_or_default();
    if suspends || input::wants_redraw(input) {
        // Resize even to the old size: the content may be lost. (`clear` would ask the terminal for the cursor's
        // position, and the thread that reads keys would take the answer.) If this fails, so does the next frame.
        drop(terminal.resize(area));
    }
    if let Some(command) = input::command(input, &app.model, area) {
        app.handle(Event::Command(command));
    }
}

//! The state that all protocols share: the game, the clocks and the settings of a session.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::options::{Files, Options};
use crate::board::{Board, Color, Move, Position};
use crate::book::Book;
use crate::clock::{Clock, Control, Lag};
use crate::engine::settings::Setting;
use crate::engine::{Choice, Config, Effort, Job, Pace, Prediction, Think, VarietyTracker};
use crate::files::contents::check_regular;
use crate::game::{self, Game, Note};
use crate::journal::Entry;
use crate::players::desk::{Situation, Substitute, Task};
use crate::players::simple::spec::SimpleSpec;
use crate::score::DISC;
use crate::search::{Limits, Line, Lines};

/// The longest time for a move without a clock.
pub(super) const MOVE_CAP: Duration = Duration::from_secs(30);

const CLOSED: &str = "files are closed (--sandbox)";

/// The state of a session with a front end.
#[derive(Debug)]
pub struct Session {
    /// The engine's name at the start. Commands do not change it, because controllers use it as a key.
    pub name: String,
    /// The settings.
    pub options: Options,
    /// The game so far.
    pub game: Game,
    /// The time control of a new game.
    control: Control,
    /// Both sides' clocks, by color.
    pub clocks: [Clock; 2],
    /// Delays of the front end, by color.
    lags: [Lag; 2],
    /// The replies that pondering found last.
    pub predictions: Vec<Prediction>,
    /// Total time of searches for moves.
    pub thinking_time: Duration,
    /// Reads files named by commands.
    pub read_file: fn(&Path) -> std::io::Result<Vec<u8>>,
    /// The book that was last opened, whether it is in use or not.
    pub book: Option<Arc<Book>>,
    /// With a move asked for: each draws anew from the seed.
    n_games: u64,
    is_played: bool,
    /// How often a game was forgotten.
    n_forgotten: u64,
    /// Players set so far.
    n_players: u64,
    /// The last game with a move that was asked for, until it is known whether the next such move belongs to another.
    last_game: Option<Game>,
    tracker: VarietyTracker,
}

impl Session {
    /// A session at the start position.
    pub fn new(options: Options) -> Session {
        let read_file: fn(&Path) -> std::io::Result<Vec<u8>> = match options.files {
            Files::Open => |path| check_regular(path).and_then(|()| std::fs::read(path)),
            Files::Closed => |_| Err(std::io::Error::other(CLOSED)),
        };
        let mut session = Session {
            book: options.engine.book.clone(),
            n_games: 0,
            is_played: false,
            n_forgotten: 0,
            n_players: 0,
            last_game: None,
            tracker: VarietyTracker::default(),
            name: options.full_name(),
            options,
            game: Game::default(),
            control: Control::Unlimited,
            clocks: [Clock::default(); 2],
            lags: [Lag::default(); 2],
            predictions: Vec::new(),
            thinking_time: Duration::ZERO,
            read_file,
        };
        session.set_pace(session.options.engine.pace);
        session
    }

    /// Starts a new game from a position with full clocks.
    pub fn new_game(&mut self, start: Position) {
        self.forget();
        self.game = Game::new(start);
        self.clocks = [Clock::new(self.control); 2];
    }

    /// Takes over a game with its clocks, and returns whether it is a new one rather than a continuation of the game so far.
    pub fn set_game(&mut self, game: Game, clocks: [Clock; 2]) -> bool {
        let is_new = game.plies().is_empty() || !game.goes_on_from(&self.game);
        if is_new {
            self.forget();
        }
        (self.game, self.clocks) = (game, clocks);
        [Color::Black, Color::White].into_iter().for_each(|color| self.read_clock(color));
        is_new
    }

    /// Forgets the results of the game so far; for the engine itself, use [`Job::Forget`].
    pub fn forget(&mut self) {
        self.predictions.clear();
        self.lags.iter_mut().for_each(Lag::begin);
        if std::mem::take(&mut self.is_played) {
            self.last_game = Some(self.game.clone());
        }
        self.tracker.begin();
        self.n_forgotten += 1;
    }

    /// The contents of a file that a command names; fails with why it cannot be read.
    pub fn read(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        let contents = match self.options.repeat.files.pop_front() {
            Some(contents) => contents,
            None => (self.read_file)(path).map_err(|error| error.to_string()),
        };
        self.options.recorder.note(|| Entry::File(contents.clone()));
        contents
    }

    /// Opens the book that a command names, and plays from it; fails with why it cannot be used, and then changes nothing.
    pub fn open_book(&mut self, path: &Path) -> Result<(), String> {
        if self.options.files == Files::Closed {
            return Err(CLOSED.into());
        }
        self.book = Some(Arc::new((self.options.open_book)(path)?));
        self.options.plays_learned = false;
        self.options.engine.book.clone_from(&self.book);
        Ok(())
    }

    /// Gives both sides a full clock, as a front end asks; clocks of the command line run on.
    pub fn set_control(&mut self, control: Control) {
        if self.options.engine.pace.control.is_none() {
            self.control = control;
            self.clocks = [Clock::new(control); 2];
        }
    }

    /// Limits the moves from now on, with full clocks.
    pub fn set_pace(&mut self, pace: Pace) {
        self.options.engine.pace = pace;
        self.control = pace.control.unwrap_or_default();
        self.clocks = [Clock::new(self.control); 2];
    }

    /// The effort for a move of `color`. Without a clock or a node limit its time is capped, unless `unlimited` was asked for.
    pub fn effort(&self, color: Color) -> Effort {
        let lag = self.lags[color.index()].per_move();
        let moves = self.game.position().board.n_empties() / 2;
        let clock = self.clocks[color.index()];
        // A front end that takes all of it cannot be served.
        let lag = lag.min(clock.left() / (moves + 1));
        let clock = clock.without_lag(lag, moves);
        let mut effort = self.options.engine.pace.effort(clock, self.options.overhead + lag);
        let is_unlimited = self.options.engine.pace.control == Some(Control::Unlimited);
        if !effort.clock.is_limited() && effort.limits.nodes.is_none() && !is_unlimited {
            effort.limits = effort.limits.within(MOVE_CAP);
        }
        effort
    }

    /// The seed for the draws of this game. Controllers that set up the whole game before each move go on with the same game.
    fn game_seed(&mut self) -> u64 {
        self.is_played = true;
        if let Some(last) = self.last_game.take()
            && (self.game.plies().is_empty() || !self.game.goes_on_from(&last))
        {
            self.n_games += 1;
        }
        game::seed_of(self.options.seed, self.n_games)
    }

    /// Sets the seed: the game with the next move that is asked for is its first.
    pub fn set_seed(&mut self, seed: u64) {
        self.options.seed = seed;
        (self.n_games, self.is_played, self.last_game) = (0, false, None);
    }

    /// The task of choosing a move for `color`, the side to move on `board`: by a search, the book or another player.
    pub fn think(&mut self, board: Board, color: Color) -> Task {
        self.choose(board, color, None)
    }

    /// The same without book and repertoire.
    pub fn think_unaided(&mut self, board: Board, color: Color) -> Task {
        let engine = self.options.engine.clone();
        self.choose(board, color, Some(&Config { book: None, repertoire: None, ..engine }))
    }

    fn choose(&mut self, board: Board, color: Color, config: Option<&Config>) -> Task {
        if let Some(mut situation) = self.situation() {
            if situation.game.position().board != board {
                situation.game.play(Move::Pass, Note::default());
            }
            return Task::Move(situation);
        }
        let (seed, effort) = (self.game_seed(), self.effort(color));
        let config = config.unwrap_or(&self.options.engine);
        let tracker = &mut self.tracker;
        let think = config.prepare(&self.game, board, color, effort, seed, tracker);
        Task::Engine(Job::Think(think))
    }

    /// Puts a simple player in the engine's place, or the engine in its own.
    pub fn set_player(&mut self, spec: Option<SimpleSpec>) {
        self.n_players += 1;
        let (seed, number) = (self.options.seed, self.n_players);
        self.options.player = spec.map(|spec| Substitute { spec, seed, number });
        // The predictions of one player are useless to another.
        self.predictions.clear();
    }

    /// What the player in the engine's place needs to know, if there is one.
    pub fn situation(&self) -> Option<Situation> {
        let player = self.options.player?;
        Some(Situation { player, game: self.game.clone(), n_games: self.n_forgotten })
    }

    /// Learns the lag from a clock that the front end has just set.
    pub fn read_clock(&mut self, color: Color) {
        if self.options.engine.pace.control.is_none() && self.clocks[color.index()].is_limited() {
            self.lags[color.index()].read(self.clocks[color.index()].left());
        }
    }

    /// Sets a clock to what a front end tells, and learns from it.
    pub fn set_left(&mut self, color: Color, time: Duration, stones: u32) {
        self.clocks[color.index()].set_left(time, stones);
        self.read_clock(color);
        let least = self.lags[color.index()].least(time);
        if stones == 0 && self.clocks[color.index()].main_left() == time {
            self.clocks[color.index()].set_left(least, 0);
        }
    }

    /// Takes note of the search for a move of `color` that is about to be played.
    pub fn note(&mut self, color: Color, choice: &Choice) {
        self.lags[color.index()].spend(choice.elapsed, self.clocks[color.index()].control());
        self.thinking_time += choice.elapsed;
        self.tracker.note(choice);
    }

    /// Takes note of the search as [`Session::note`] does, and takes its time off the clock.
    pub fn spend(&mut self, color: Color, choice: &Choice) {
        self.note(color, choice);
        self.clocks[color.index()].spend(choice.elapsed);
    }

    /// Sets a setting of the engine by its name; the error is empty if there is none.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        Setting::named(name).ok_or_else(String::new)?.set(&mut self.options.engine, value)
    }

    /// A search for the best `n` moves that no clock limits.
    pub fn analyze(&self, board: Board, n: usize, cap: Duration) -> Task {
        let limits = Limits { lines: Lines::Best(n.max(1)), ..self.options.engine.pace.limits() };
        Task::Engine(Job::Think(Think::new(board, limits.within(cap))))
    }

    /// Pondering for the next move of `color`, if it is the opponent's turn and the opponent can move. Strengths below the full
    /// one do not ponder.
    pub fn ponder(&self, color: Color) -> Option<Task> {
        let Position { board, side } = self.game.position();
        let is_their_turn = side != color && board.legal_moves() != 0;
        if is_their_turn && let Some(situation) = self.situation() {
            return situation.player.spec.ponders().then_some(Task::Ahead(situation));
        }
        let useful = is_their_turn && self.options.engine.strength.is_full();
        useful.then(|| Task::Engine(Job::Ponder { board, effort: self.effort(color) }))
    }

    /// Passes the game to the learner, if there is one. What it has learned counts from the next search on.
    pub fn learn(&mut self) -> Result<(), String> {
        let Some(learner) = &self.options.learner else { return Ok(()) };
        let taken = learner.take(&self.game);
        if let Err(error) = &taken {
            log::warn!("the game is not learned: {error}");
        }
        self.renew_book();
        taken
    }

    /// The task of searching what learned games have left open, between games; `None` if there is nothing to do.
    pub fn lesson(&self) -> Option<Task> {
        let learner = self.options.learner.as_ref()?;
        let is_useful = self.game.is_over() && learner.has_lessons();
        is_useful.then(|| Task::Study(Arc::clone(learner)))
    }

    /// Plays from the learner's book as it is now.
    pub fn renew_book(&mut self) {
        let Some(learner) = self.options.learner.as_ref().filter(|_| self.options.plays_learned)
        else {
            return;
        };
        self.book = Some(learner.book());
        if self.options.engine.book.is_some() {
            self.options.engine.book.clone_from(&self.book);
        }
    }

    /// Whether a line is bad enough to resign.
    pub fn resigns(&self, line: &Line) -> bool {
        self.options.resign.is_some_and(|discs| f64::from(line.score) <= -discs * f64::from(DISC))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::Instant;

    use super::*;
    use crate::board::Move;
    use crate::engine::{Perform, SpeedModel};
    use crate::journal::Recorder;
    use crate::players::desk::TaskWorker;
    use crate::players::simple::spec;
    use crate::players::{Fault, OnProgress, Player, Turn};
    use crate::protocol::Kind;
    use crate::protocol::dialogue::{Dialogue, Work};
    use crate::search::Stop;

    /// Plays the first move that there is; counts how often it is asked to ponder, and panics.
    struct Fake(Arc<AtomicUsize>);

    impl Player for Fake {
        fn choose(&mut self, turn: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
            let square = turn.game.position().board.moves().next().unwrap();
            Ok(square.into())
        }

        fn ponder(&mut self, _: Turn<'_>, _: OnProgress<'_>) {
            // Ends even if it is asked again and again.
            assert!(self.0.fetch_add(1, SeqCst) > 3, "a test");
        }
    }

    /// By line, the new games that a player is told of and the times that it is asked to ponder.
    fn calls(kind: Kind, ponder: bool, lines: &[&str]) -> Vec<(usize, usize)> {
        let n_ahead = Arc::new(AtomicUsize::new(0));
        // One that thinks ahead, or one that does not; the fake sits in its place.
        let spec = spec::parse(if ponder { "classic" } else { "greedy" }).unwrap();
        let player = Substitute { spec, seed: 0, number: 0 };
        let options = Options {
            player: Some(player),
            engine: Config { ponders: ponder, ..Config::default() },
            ..Options::default()
        };
        let config = Config { hash_megabytes: 1, ..Config::default() };
        let mut worker = TaskWorker::new(config, Recorder::default(), Vec::new());
        worker.seat(player, Box::new(Fake(Arc::clone(&n_ahead))));
        let work = |task: &Task| Work {
            events: Vec::new(),
            result: worker.perform(task, Instant::now(), &Stop::new(), &mut |_| {}).done,
        };
        let mut dialogue = Dialogue::new(kind, Session::new(options), work);
        let mut n_before = 0;
        let count = |line: &&str| {
            dialogue.hear(line.as_bytes());
            dialogue.wait();
            let n_games = dialogue.session().situation().unwrap().n_games;
            let n_new = n_games - std::mem::replace(&mut n_before, n_games);
            (n_new as usize, n_ahead.swap(0, SeqCst))
        };
        lines.iter().map(count).collect()
    }

    #[test]
    fn a_player_that_panics_as_it_thinks_ahead_is_asked_once_a_position() {
        let gtp: &[&str] = &["genmove black", "play white c3", "genmove black"];
        let nboard: &[&str] = &["set depth 1", "go", "move F5", "move D6", "go", "move C3"];
        for (kind, lines) in [(Kind::Gtp, gtp), (Kind::Nboard, nboard)] {
            let asked: Vec<_> = calls(kind, true, lines).iter().map(|calls| calls.1).collect();
            assert!(asked.iter().all(|&n| n <= 1), "{kind:?} {asked:?}");
            assert_eq!(asked.last(), Some(&1), "{kind:?} thinks ahead after its move");
        }
    }

    #[test]
    fn players_are_told_of_a_new_game_by_every_protocol() {
        let gtp = [
            ("clear_board", 1),
            ("genmove black", 0),
            ("play white d6", 0),
            ("genmove black", 0),
            ("clear_cache", 1),
            ("set_game Othello", 1),
            ("boardsize 8", 1),
        ];
        let position = "---------------------------OX------XO--------------------------- X";
        let set_game = |moves: &str| {
            format!("set game (;GM[Othello]PC[t]PB[b]PW[w]RE[?]TY[8]BO[8 {position}]{moves};)")
        };
        let [start, first, second, other] = ["", "B[F5]", "B[F5]W[D6]", "B[C4]W[E3]"].map(set_game);
        // Programs that match engines set the whole game before every move.
        let nboard = [
            (&*start, 1),
            ("go", 0),
            (&*first, 0),
            (&*second, 0),
            ("go", 0),
            (&*other, 1),
            ("clear", 1),
            (&*start, 1),
            ("move F5", 0),
            (&*second, 0),
        ];
        let cassio = [("ENGINE-PROTOCOL new-position", 1), ("ENGINE-PROTOCOL empty-hash", 1)];
        for (kind, lines) in
            [(Kind::Gtp, &gtp[..]), (Kind::Nboard, &nboard), (Kind::Cassio, &cassio)]
        {
            let (lines, expected): (Vec<&str>, Vec<usize>) = lines.iter().copied().unzip();
            let told: Vec<_> = calls(kind, false, &lines).iter().map(|calls| calls.0).collect();
            assert_eq!(told, expected, "{kind:?}");
        }
    }

    /// Plays a game by a clock that the front end shows in steps of `unit` seconds, and from which it takes `lag` seconds a move
    /// itself. A search uses its soft or its hard limit. Returns the least that was ever left and what the searches used, in seconds.
    fn game_with_lag(
        main: f64,
        lag: f64,
        unit: f64,
        rounds_up: bool,
        uses_all: bool,
    ) -> (f64, f64) {
        let (mut session, color) = (Session::new(Options::default()), Color::Black);
        let (mut left, mut least, mut used) = (main, main, 0.0);
        for ply in (0..60).step_by(2) {
            let shown = if rounds_up { (left / unit).ceil() } else { (left / unit).floor() };
            session.set_left(color, Duration::from_secs_f64((shown * unit).max(0.0)), 0);
            let limits = session.effort(color).planned(60 - ply, &SpeedModel::default());
            let time = limits.time.unwrap();
            let elapsed = if uses_all { time.hard } else { time.soft };
            session.spend(color, &Choice { elapsed, ..Choice::default() });
            left = left - elapsed.as_secs_f64() - lag;
            (least, used) = (least.min(left), used + elapsed.as_secs_f64());
            let game = &mut session.game;
            for _ in 0..2 {
                let square = game.position().board.moves().next();
                game.play(square.map_or(Move::Pass, Move::Place), Default::default());
            }
        }
        (least, used)
    }

    #[test]
    fn a_front_end_may_take_its_time() {
        for (main, case) in
            [12.0, 60.0].into_iter().flat_map(|main| (0..6).map(move |case| (main, case)))
        {
            let (unit, rounds_up) = [(1.0, false), (1.0, true), (0.01, false)][case / 2];
            let uses_all = case % 2 == 1;
            let game = |lag| game_with_lag(main, lag, unit, rounds_up, uses_all);
            // A lag hides that times are rounded up; front ends that do so are quick.
            let (quick, slow) = ([0.0, 0.01, 0.02, 0.03], [0.05, 0.1, 0.13, 0.2, 0.3]);
            let lags = if rounds_up { &quick[..] } else { &slow };
            for &lag in lags {
                assert!(game(lag).0 >= 0.0, "{main} {lag} {unit} {rounds_up} {uses_all}");
            }
            // A time that is rounded up hides a second more.
            let hidden = unit * f64::from(1 + u8::from(rounds_up));
            let used = game(0.0).1;
            assert!(used >= 0.98 * main - hidden, "{used} of {main} {unit} {uses_all}");
        }
    }

    #[test]
    fn a_player_in_place_of_the_engine_chooses_with_and_without_book() {
        let spec = spec::parse("greedy").unwrap();
        let player = Some(Substitute { spec, seed: 0, number: 0 });
        let mut session = Session::new(Options { player, ..Options::default() });
        let (board, color) = (Board::START, Color::Black);
        for task in [session.think(board, color), session.think_unaided(board, color)] {
            assert!(matches!(task, Task::Move(_)), "{task:?}");
        }
    }

    #[test]
    fn the_overhead_is_kept_back_on_every_move() {
        let overhead = Duration::from_secs(3);
        let session = Session::new(Options { overhead, ..Options::default() });
        assert_eq!(session.effort(Color::White).overhead, overhead);
    }

    #[test]
    fn only_a_clock_that_is_unlimited_by_request_lifts_the_cap() {
        for (control, is_capped) in [(None, true), (Some(Control::Unlimited), false)] {
            let engine = Config { pace: Pace { control, ..Pace::OWN }, ..Config::default() };
            let mut session = Session::new(Options { engine, ..Options::default() });
            // What the front end says of clocks changes nothing, and refills none.
            session.set_control(Control::Unlimited);
            let Task::Engine(Job::Think(think)) = session.think(Board::START, Color::Black) else {
                panic!()
            };
            assert_eq!(think.effort.limits.time.is_some(), is_capped, "{control:?}");
        }
    }
}

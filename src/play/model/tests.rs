//! The model without any players: their answers are made up.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::*;
use crate::analyze::Judged;
use crate::board::Board;
use crate::book::choice::BookLine;
use crate::book::{self, BookMove};
use crate::formats::Headers;
use crate::formats::transcript;
use crate::game::Note;
use crate::play::event::{DialogInput, Reply};
use crate::play::files;
use crate::play::language::Language;
use crate::play::settings::Side;
use crate::players::{Answer, Choice, Progress, Unit, Value};
use crate::search::Selectivity;
use crate::search::{Bound, Outcome};

const SECOND: Duration = Duration::from_secs(1);

/// A model with a simulated clock.
struct Table {
    model: Model,
    now: Instant,
    effects: Vec<Effect>,
    /// All requests for moves.
    requests: Vec<(Color, Id)>,
}

impl Table {
    fn new(black: &str, white: &str, pace: &str) -> Table {
        let settings = Settings {
            sides: [black, white].map(|text| Side::parse(text).unwrap()),
            pace: pace.parse().unwrap(),
            ..Settings::default()
        };
        let now = Instant::now();
        let (model, effects) = Model::started(settings, Begin::New, now);
        let requests = asked(&effects).into_iter().collect();
        Table { model, now, effects, requests }
    }

    fn event(&mut self, event: Event) {
        self.effects = self.model.handle(event, self.now);
        self.requests.extend(asked(&self.effects));
    }

    fn command(&mut self, command: Command) {
        self.event(Event::Command(command));
    }

    fn reply(&mut self, (color, id): (Color, Id), reply: Reply) {
        self.event(Event::Reply { role: Role::Player(color), id, reply });
    }

    fn answer(&mut self, request: (Color, Id), text: &str, elapsed: Duration) {
        let answer = Move::parse(text.as_bytes()).map_or(Answer::Resign, Answer::Move);
        let value = Some(Value { number: 1.5, bound: Bound::Exact, unit: Unit::Result });
        self.reply(request, Reply::Chosen(Choice { value, elapsed, ..answer.into() }));
    }

    fn moves(&self) -> String {
        self.model.game.plies().iter().map(|ply| ply.mv.to_string()).collect()
    }

    /// Takes the steps of a script, separated by semicolons: squares to play, other commands, and what must then hold.
    #[track_caller]
    fn run(&mut self, script: &str) {
        for step in script.split("; ") {
            if let Some(failure) = self.step(step) {
                panic!("'{step}' of '{script}': {failure}");
            }
        }
    }

    /// Whether a condition holds, and what was found; `None` for another step.
    fn condition(&self, word: &str, rest: &str) -> Option<(bool, String)> {
        let model = &self.model;
        let starts = |found: String| (found.starts_with(rest), found);
        Some(match word {
            "is" => (self.moves() == rest, self.moves()),
            "says" => {
                let said = model.message.as_ref().map(|said| Language::English.say(said));
                let said = said.unwrap_or_default();
                (said.contains(rest) && !rest.is_empty(), said)
            }
            "asks" => {
                let asked = asked(&self.effects).map_or("nobody", |(color, _)| color.name());
                (asked == rest, asked.into())
            }
            "does" => {
                let effects = format!("{:?}", self.effects);
                (effects.contains(rest), effects)
            }
            "shows" => {
                let dialog = format!("{:?}", model.dialog);
                (dialog.contains(rest), dialog)
            }
            "passed" => starts(format!("{:?}", model.passed)),
            "shown" => {
                let shown = model.shown();
                let square =
                    |square: Option<Square>| square.map_or("-".into(), |of| of.to_string());
                let played = shown.played.map(|(square, _)| square);
                let found = [shown.last, played, shown.better].map(square).join(" ");
                (found == rest, found)
            }
            "ending" => starts(format!("{:?}", model.ending)),
            "dialog" => starts(format!("{:?}", model.dialog)),
            "pauses" => starts(model.is_paused.to_string()),
            "flashes" => starts(format!("{:?}", model.flash.map(|(square, _)| square.to_string()))),
            // Time used and left.
            "black" | "white" if rest.contains('/') => {
                let color = if word == "black" { Color::Black } else { Color::White };
                let (used, left) = model.clocks.view(color, model.side(), self.now);
                let left = left.map_or(f64::INFINITY, |left| left.as_secs_f64());
                let found = format!("{}/{left}", used.as_secs_f64());
                (found == rest, found)
            }
            _ => return None,
        })
    }

    /// Takes a step; what is wrong, if it is a condition.
    fn step(&mut self, step: &str) -> Option<String> {
        let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
        if let Some((holds, found)) = self.condition(word, rest) {
            return (!holds).then_some(found);
        }
        if self.happens(word, rest) {
            return None;
        }
        if let Some(command) = command(word, rest) {
            self.command(command);
            return None;
        }
        if word == "type" {
            rest.chars().for_each(|symbol| self.command(Command::Type(symbol)));
            return None;
        }
        for text in word.as_bytes().chunks(2) {
            let place = Square::parse(text).unwrap_or_else(|| panic!("'{step}'"));
            self.command(Command::Place(place));
        }
        None
    }

    /// Lets an event happen, if the word is that of one.
    fn happens(&mut self, word: &str, rest: &str) -> bool {
        match word {
            "wait" => {
                self.now += Duration::from_secs_f64(rest.parse().unwrap());
                self.event(Event::Tick);
            }
            "answer" | "late" => {
                let (text, time) = rest.split_once(" after ").unwrap_or((rest, "1"));
                let request = match word {
                    "late" => self.requests[self.requests.len() - 1],
                    _ => asked(&self.effects).expect("nobody was asked"),
                };
                self.answer(request, text, Duration::from_secs_f64(time.parse().unwrap()));
            }
            "fail" => {
                let request = *self.requests.last().unwrap();
                self.reply(request, Reply::Failed(rest.into()));
            }
            "judge" => {
                let (ply, loss) = rest.split_once(' ').unwrap();
                self.judge(ply.parse().unwrap(), loss.parse().unwrap());
            }
            "named" => {
                self.event(Event::Named(rest.into()));
            }
            "exists" => {
                let path = PathBuf::from(rest);
                self.event(Event::Saved { path, result: Err(SaveError::Exists) });
            }
            "load" => {
                let game = transcript::read(rest.as_bytes()).unwrap().replay();
                let path = PathBuf::from("x");
                let timed = |game: Game| {
                    let mut timed = Game::new(game.start());
                    for ply in game.plies() {
                        timed.play(ply.mv, Note { value: None, time: Some(3 * SECOND) });
                    }
                    Box::new(Entry::of(timed, Headers::default()))
                };
                let result = game.map(timed).map_err(|error| error.to_string());
                self.event(Event::Loaded { path, result });
            }
            _ => return false,
        }
        true
    }

    /// Tells what a move lost, in discs.
    fn judge(&mut self, ply: usize, loss: i32) {
        let Ply { mv, before, .. } = self.model.game.plies()[ply - 1];
        let best = Move::Place(before.board.moves().next().unwrap());
        let judged = Judged {
            ply,
            before,
            mv,
            score: -loss * crate::score::DISC,
            is_proven: false,
            best: Line::new(best, 0, Bound::Exact, 5),
            nodes: 0,
            booked: Default::default(),
        };
        let (role, id) = (Role::Adviser, self.model.review.as_ref().unwrap().id);
        self.event(Event::Reply { role, id, reply: Reply::Judged(Box::new(judged)) });
    }
}

fn command(word: &str, rest: &str) -> Option<Command> {
    let input = |input| Command::Dialog(input);
    let side = |text| Side::parse(text).unwrap();
    Some(match word {
        "level" => Command::SetAdviser(rest.parse().unwrap()),
        "clock" => Command::SetPace(rest.parse().unwrap()),
        "row" => input(DialogInput::Row(rest.parse().unwrap())),
        "undo" => Command::Undo(rest.parse().unwrap()),
        "redo" => Command::Redo(rest.parse().unwrap()),
        "back" => Command::Back,
        "first" => Command::First,
        "last" => Command::Last,
        "pause" => Command::Pause,
        "step" => Command::Step,
        "enter" => Command::Enter,
        "now" => Command::MoveNow,
        "review" => Command::Review,
        "next" => Command::NextError,
        "previous" => Command::PreviousError,
        "worst" => Command::WorstError,
        "open" => Command::AskLoad,
        "leave" => Command::Leave,
        "puzzle" => Command::NextPuzzle,
        "paste" => Command::Paste(rest.into()),
        "swap" => Command::Swap,
        "settings" => Command::Settings,
        "save" => Command::AskSave,
        "resign" => Command::Resign { sure: rest == "surely" },
        "new" => Command::NewGame { sure: false },
        "quit" => Command::Quit { sure: false },
        "black" => Command::SetSide(Color::Black, side(rest)),
        "white" => Command::SetSide(Color::White, side(rest)),
        "key" => match rest {
            "Enter" => input(DialogInput::Enter),
            "Escape" => input(DialogInput::Cancel),
            "Backspace" => input(DialogInput::Backspace),
            "Clear" => input(DialogInput::Clear),
            _ => input(DialogInput::Char(rest.chars().next().unwrap())),
        },
        _ => return None,
    })
}

/// The request for a move among effects.
fn asked(effects: &[Effect]) -> Option<(Color, Id)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Ask(color, id) => Some((*color, *id)),
        _ => None,
    })
}

fn square(text: &str) -> Square {
    Square::parse(text.as_bytes()).unwrap()
}

/// The players, the pace and what happens, a game a line; `#` begins a remark.
const GAMES: &str = r#"
# An illegal square flashes and says why.
human | human | unlimited | a1; says a1 is illegal: it flips no disc; flashes Some("a1"); wait 0.1; flashes Some; wait 0.06; flashes None; d4; says d4 is illegal: the square is occupied; is
# Passes are played and announced, and go with the move before them.
human | human | unlimited | f5f6d3g5h5h4f7h6; is f5f6d3g5h5h4f7h6pa; says Black has no move and passes; undo 1; is f5f6d3g5h5h4f7; redo 1; is f5f6d3g5h5h4f7h6pa; c5; is f5f6d3g5h5h4f7h6pac5
# The end is told and the next game offered.
human | human | unlimited | e6f4e3f6g5d6e7f5c5; ending Some(Played); says Black wins: Black 13, White 0 (64; dialog Some(Over); a1; says the game is over; key Enter; is ; ending None; dialog None; does Forget
# A program answers, and late answers count for nothing.
human | random | unlimited | asks nobody; f5; asks white; d6; says it is White's turn; undo 1; does Stop(Player(White)); late d6; is ; d3; answer c5; is d3c5; white 1/inf
# Taking back goes to the person's turns; going back to a program's turn pauses the game.
human | random | unlimited | f5; answer d6; c3; answer d3; c4; answer f4; undo 2; is f5d6; asks nobody; redo 1; is f5d6c3d3; first; is ; back; says nothing to undo; last; is f5d6c3d3c4f4; back; is f5d6c3d3c4; pauses true; asks nobody; enter; asks white
# A program that opened the game waits after taking back.
random | human | unlimited | answer f5; undo 1; is ; pauses true; asks nobody; pause; answer d3; is d3
# Two programs wait for the start and step; the running move is the one of a step.
random | greedy | unlimited | asks nobody; says press Space; step; answer f5; is f5; asks nobody; enter; answer d6; answer c3; step; pauses true; pause; pause; does Stop(Player(White)); is f5d6c3
# A program is told to move now where it can be.
human | engine:level=20 | unlimited | now; says no program is thinking; f5; now; does [Stop(Player(White))]
cmd=engine | human | unlimited | now; does []; says engine cannot be hurried
# It thinks ahead while a person thinks.
human | engine:level=4,ponder=on | unlimited | does Ponder(White; f5; does Stop(Player(White))
# Sides can be swapped and players replaced.
human | random | unlimited | swap; asks black; says you are White; answer f5; black human; white greedy; asks white
human | human | unlimited | settings; key Escape; dialog None
# A player that fails, or plays an illegal move, pauses the game.
human | cmd=engine | unlimited | f5; fail gone; says White cannot continue: gone; pauses true; pause; asks white; answer a1; says White tried the illegal move a1; white random; pause; answer d6; is f5d6
# Settings without players do not disturb the game; wrong ones stay open.
human | random | unlimited | f5; level 4; does []; late d6; is f5d6; c3; clock move:1; asks white; settings; row 1; key r; key Enter; shows error: Some; key Escape; dialog None; undo 1; asks nobody
# Files that exist are asked about.
human | human | unlimited | exists game.ggf; dialog Some(Overwrite("game.ggf")); key n; does []; exists game.ggf; key y; does Save { path: "game.ggf", force: true }
# As many moves as a file has may be others.
human | human | unlimited | load f5d6; quit; does Quit; undo 1; f6; quit; does []; dialog Some(Quit)
# A loaded game goes on with its times; where a program is to move, it waits, so that the game can be looked at.
human | random | unlimited | load f5d6; is f5d6; pauses false; white 3/inf; c3; asks white; load f5f5; says cannot load; is f5d6c3; load f5; pauses true; asks nobody
# Clocks run for whoever is to move and end the game; a fallen flag can be taken back like a move.
human | human | 10+2 | wait 4; f5; black 4/8; wait 3; white 3/7; pause; wait 60; white 3/7; pause; wait 8; ending Some(Time(White)); undo 1; ending None; is f5; d6; undo 1; black 4/8; black random; black 4/8
# A program is judged by its own account of its time.
random | human | 5 | wait 20; ending None; late f5 after 4; is f5
random | human | 5 | answer f5 after 6; ending Some(Time(Black))
# A loss on time at the first move can be taken back too.
human | random | 6 | wait 7; ending Some; undo 1; wait 5; ending None
# Resigning is asked about and can be taken back.
human | random | unlimited | f5; resign; dialog Some(Resign); key x; dialog Some(Resign); key y; ending Some(Resigned(Black)); undo 1; ending None; asks white
random | greedy | unlimited | resign surely; says no one here can resign
# So is a new game in the middle of one, and leaving.
human | human | unlimited | new; dialog None; f5; new; dialog Some(NewGame); key n; is f5; new; key y; is
human | human | unlimited | quit; does Quit; f5; quit; does []; dialog Some(Quit); key n; does []; dialog None; quit; key y; does Quit
# People play by typing and by the cursor.
human | human | unlimited | type F5; is f5; type d; type x; says 'dx' is neither; type d; type 6; is f5d6; says White plays d6
# Enter behind a typed square says no more than the square.
human | random | unlimited | type f5; enter; pauses false; is f5
human | human | unlimited | type e6; enter; f4e3f6g5d6e7f5; type c5; key Enter; is e6f4e3f6g5d6e7f5c5; dialog Some(Over); key Enter; is
# Typing replaces the suggested name of a file.
human | human | unlimited | save; does Name { extension: "ggf" }; named game.ggf; key Enter; does Save { path: "game.ggf", force: false }; named game.ggf; key a; key a; key Enter; does "aa"; named game.ggf; key Backspace; key a; key Enter; does "game.gga"; named game.ggf; key Clear; key a; paste bc; key Enter; does "abc"
# After the game a person walks through the own errors; the game and what was judged stay.
human | random | unlimited | review; says no moves yet; f5; answer d6; c3; answer d3; c4; resign surely; review; does Analyze; dialog None; judge 5 0; judge 4 9; judge 3 6; next; says move 3: Black plays c3? and loses 6.00; shown d6 c3 c3; next; says no more of your errors so far; judge 2 0; judge 1 2; previous; says move 1: Black plays f5?! and loses 2.00; shown - f5 d3; back; shown - f5 d3; leave; does Stop(Adviser); last; shown c4 - -; back; says move 5: Black plays c4, the best move; save; does Name { extension: "html" }; leave; says Black resigns; review; does []; is f5d6c3d3c4; undo 1; asks white; shown c4 - -
# All errors count in a game between others; one that goes on pauses.
human | random | unlimited | load f5d6c3; review; judge 3 0; judge 2 9; judge 1 0; next; says move 2: White plays d6??; next; says no more of your errors so far
# From the worst to lesser ones, also while the analysis runs.
human | human | unlimited | load f5d6c3d3; review; judge 4 3; judge 3 9; worst; says move 3: Black plays c3??; judge 2 12; worst; says move 4: White plays d3?!; worst; says no more; judge 1 0; first; worst; says move 2: White plays d6??; worst; says move 3
human | random | unlimited | f5; answer d6; pauses false; review; pauses true; leave; leave; c3; pauses false; asks white
# A text that is pasted is no keys.
human | human | unlimited | paste see www.example.com/x; says what you pasted is no game; is ; paste f5d6c3; dialog Some(Pasted); key o; key n; is ; paste f5d6c3; key y; is f5d6c3
# A file is loaded at once, but over a game that goes on after a question.
human | human | unlimited | open; paste a.ggf; key Enter; does Load("a.ggf"); f5; open; paste a.ggf; key Enter; dialog Some(Leave("a.ggf")); key n; does []; is f5; open; paste a.ggf; key Enter; key y; does Load("a.ggf")
# An own pass is told with the answer to it.
human | random | unlimited | f5; answer f6; d3; answer g5; h5; answer h4; f7; answer h6; says Black has no move; passed None; answer c5; says White plays c5; passed Some(Passes(Black))
"#;

#[test]
fn games_take_their_course() {
    for line in GAMES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [black, white, pace, script] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        Table::new(black, white, pace).run(script);
    }
}

#[test]
fn losses_on_time_and_resignations_can_be_taken_back() {
    for command in ["undo 1", "back", "first"] {
        let mut table = Table::new("human", "random", "6");
        table.run("wait 2; f5; answer d6; wait 5; ending Some(Time(Black))");
        table.run(&format!("{command}; wait 3.5; ending None; is f5d6"));
        // With too little time left for the turn, undo takes back the turn before too.
        table.run(
            "c3; answer d3; wait 2; ending Some(Time(Black)); undo 1; wait 1; ending None; is f5d6",
        );
    }
    // A program that gave up does not at once give up again.
    for answer in ["answer d6 after 9", "answer resign"] {
        let script = format!("f5; {answer}; ending Some; undo 1; ending None; is ; f5; asks white");
        Table::new("human", "random", "6").run(&script);
        // There is no move to undo, only the end of the game.
        let script =
            format!("{answer}; ending Some; undo 1; ending None; asks nobody; pauses true");
        Table::new("random", "human", "6").run(&script);
    }
}

#[test]
fn undo_ends_where_the_game_begins_with_a_pass() {
    for black in ["human", "random"] {
        let mut table = Table::new(black, "human", "unlimited");
        let text = "OX------".to_owned() + &"-".repeat(48) + "OX------ X";
        let start = crate::board::Position::parse(text.as_bytes()).unwrap();
        table.model.begin(Game::new(start), table.now);
        table.effects = std::mem::take(&mut table.model.effects);
        table.run("c1; c8; is pac1pac8; undo 1; is pac1pa; undo 1; is pa; undo 1; is pa");
        table.run(
            "says nothing to undo; redo 1; is pac1pa; redo 1; is pac1pac8; redo 1; is pac1pac8",
        );
    }
}

#[test]
fn what_a_program_says_of_its_move_is_shown() {
    let mut table = Table::new("human", "engine", "unlimited");
    table.run("f5; answer d6 after 2; says White plays d6, flipping 1 disc, score +1.50, 2.0 s");
    let note = table.model.game.plies()[1].note;
    assert_eq!((note.value, note.time), (Some(1.5), Some(2 * SECOND)));
    table.run("c3");
    let answer = Answer::Move(Move::Place(square("d3")));
    let selectivity = Selectivity::FULL;
    let known = BookMove {
        square: square("d3"),
        value: book::Value { score: 0, lower: 0, upper: 0 },
        lines: 1,
        is_leaf: true,
    };
    let booked = Some(BookLine { known, pv: vec![], depth: 1, selectivity });
    let choice = Choice { booked, elapsed: SECOND, ..answer.into() };
    table.reply(asked(&table.effects).unwrap(), Reply::Chosen(choice));
    for (language, words) in
        [(Language::English, "from the book"), (Language::French, "de la bibliothèque")]
    {
        assert!(language.say(table.model.message.as_ref().unwrap()).ends_with(words));
    }
    // Moves of a person who replaces the program are not from the book.
    table.run("white human; c4; f4");
    assert!(matches!(table.model.message, Some(Message::Played { is_booked: false, .. })));
}

#[test]
fn advice_is_for_the_position_it_was_asked_for() {
    let mut table = Table::new("human", "human", "unlimited");
    let line =
        |text: &str| Line::new(Move::Place(square(text)), 2 * crate::score::DISC, Bound::Exact, 5);
    let advise = |table: &mut Table, id, moves: &[&str], complete| {
        let lines = moves.iter().map(|text| line(text)).collect();
        let (nodes, ordering_nodes, elapsed) = (1, 0, Duration::ZERO);
        let report = Report { lines, complete, nodes, ordering_nodes, elapsed };
        let reply = Reply::Progress(Progress::Report(report));
        table.event(Event::Reply { role: Role::Adviser, id, reply });
    };
    table.command(Command::Hint);
    let Some(Effect::Advise { id, all: false }) = table.effects.first().cloned() else { panic!() };
    advise(&mut table, id, &["d3"], true);
    assert_eq!(table.model.hint, None);
    table.event(Event::Reply { role: Role::Adviser, id, reply: Reply::Advised });
    assert_eq!((table.model.hint, table.model.cursor), (Some(square("d3")), square("d3")));
    table.command(Command::Values);
    let Some(Effect::Advise { id, all: true }) = table.effects.last().cloned() else { panic!() };
    advise(&mut table, id, &["d3", "c4"], true);
    // An iteration that is not complete replaces nothing.
    advise(&mut table, id, &["c4"], false);
    assert_eq!(table.model.values().len(), 2);
    table.run("f5");
    assert_eq!((table.model.hint, table.model.values().len()), (None, 0));
    advise(&mut table, id, &["d3"], true);
    assert_eq!((table.model.values().len(), &table.effects[..]), (0, &[][..]));
}

#[test]
fn a_search_tells_how_much_of_it_is_done() {
    let now = Instant::now();
    let thought = |goal| Thought { goal, since: Some(now), ..Thought::default() };
    let share = |goal, seconds: u32| Model::share(&thought(goal), now + seconds * SECOND);
    assert_eq!(share(Goal::default(), 1), None);
    let timed = Goal { time: Some(4 * SECOND), ..Goal::default() };
    assert_eq!((share(timed, 1), share(timed, 9)), (Some(0.25), Some(1.0)));
    assert_eq!(share(Goal { depth: Some(10), ..Goal::default() }, 1), Some(0.0));
    assert_eq!(Model::share(&Thought { since: None, ..thought(timed) }, now), None);
    // Players that are no engines tell it themselves.
    let mut table = Table::new("human", "minimax2", "unlimited");
    table.run("f5");
    let searching = Searching { share: 0.4, nodes: 100, best: None };
    table.reply(table.requests[0], Reply::Progress(Progress::Searching(searching)));
    let thought = &table.model.thoughts[Color::White.index()];
    assert_eq!(Model::share(thought, table.now + SECOND), Some(0.4));
    let (to, board, outcome) = (Move::Place(square("d3")), Board::START, Outcome::default());
    let row = Prediction { to, board, outcome, spent: Duration::ZERO };
    table.reply(table.requests[0], Reply::Progress(Progress::Predicted(vec![row.clone()])));
    assert_eq!(table.model.thoughts[Color::White.index()].predictions, [row]);
}

#[test]
fn the_start_screen_comes_before_the_game() {
    let mut model = Model::new(Settings::default());
    let now = Instant::now();
    assert_eq!(model.handle(Event::Tick, now), []);
    let key = |input| Event::Command(Command::Dialog(input));
    let effects = model.handle(key(DialogInput::Enter), now);
    assert!(model.dialog.is_none() && model.is_human_turn());
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Ponder(Color::White, _))));
    let mut model = Model::new(Settings::default());
    assert_eq!(model.handle(key(DialogInput::Cancel), now), [Effect::Quit]);
}

#[test]
fn the_cursor_wraps_at_the_edges() {
    let mut table = Table::new("human", "human", "unlimited");
    for (direction, times, expected) in [
        (Direction::Left, 3, "h4"),
        (Direction::Right, 1, "a4"),
        (Direction::Up, 4, "a8"),
        (Direction::Down, 1, "a1"),
        (Direction::Left, 6, "c1"),
        (Direction::Up, 5, "c4"),
    ] {
        (0..times).for_each(|_| table.command(Command::Cursor(direction)));
        assert_eq!(table.model.cursor, square(expected));
    }
    table.run("enter; is c4");
    assert_eq!(table.model.shown().turned, square("d4").bit());
    table.run("c3; d3");
    assert_eq!((table.model.turn_number(), table.model.side()), (2, Color::White));
}

#[test]
fn two_programs_move_no_faster_than_one_can_follow() {
    let mut table = Table::new("random", "greedy", "unlimited");
    table.model.settings.delay = SECOND;
    // The first move comes at once.
    table.run(
        "pause; answer f5; is f5; answer d6 after 0; is f5; wait 0.5; is f5; wait 0.5; is f5d6",
    );
    let mut answering = Table::new("human", "random", "unlimited");
    answering.model.settings.delay = SECOND;
    answering.run("f5; answer d6 after 0; is f5; wait 1; is f5d6");
    // A move that waits is forgotten with the position; a single step comes at once.
    table.run("answer c3 after 0; back; wait 2; is f5; step; answer d6; is f5d6");
}

#[test]
fn puzzles_tell_what_an_answer_is_worth() {
    let text = "---------------------------OX------XO--------------------------- X; D3:+2; C4:-1; E6:+2; F5:+1;";
    let puzzle = |text: &str| files::pasted(text).unwrap();
    let mut table = Table::new("human", "human", "unlimited");
    table.model.practise(vec![puzzle(text), puzzle(text)], table.now);
    table.run("says 1 of 2: find Black's best move; c4; is d3; does Advise; puzzle; says 2 of 2; e6; is e6; puzzle; says right: 1 of 2");
    table.model.tell_solution(&[Move::Place(square("f4"))]);
    table.run("says e6 is right. d3 +2, e6 +2, f5 +1, c4 -1. The best line: e6 f4; is e6; redo 1; is e6f4");
    // Who gives up is told the solution, which counts as an answer; leaving asks nothing.
    table.model.practise(vec![puzzle(text), puzzle(text)], table.now);
    table.run("puzzle; does Advise; is d3; puzzle; says 2 of 2; d3; puzzle; says right: 1 of 2; quit; does Quit");
    // Another game is no puzzle.
    table.model.practise(vec![puzzle(text)], table.now);
    table.run("new; f5; is f5; undo 300000000; is ; redo 300000000; is f5");
}

#[test]
fn captions_say_who_has_no_clock() {
    for (pace, language, black, white) in [
        ("300", Language::English, "human", "engine:level=4, no clock"),
        ("unlimited", Language::French, "humain", "engine:level=4"),
    ] {
        let mut settings = Table::new("human", "engine:level=4", pace).model.settings;
        settings.language = language;
        let captions = [Color::Black, Color::White].map(|color| settings.caption(color));
        assert_eq!(captions, [black, white]);
    }
}

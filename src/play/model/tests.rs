//! The model without any players: their answers are made up.

mod keys;
mod shows;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::*;
use crate::board::Board;
use crate::clock::Control;
use crate::engine::Pace;
use crate::play::event::{DialogInput, Reply};
use crate::play::language::Language;
use crate::play::settings::Side;
use crate::players::{Answer, Choice, Progress, Unit, Value};
use crate::search::{Bound, Outcome};

const SECOND: Duration = Duration::from_secs(1);

/// A model with a simulated clock.
struct Table {
    model: Model,
    now: Instant,
    effects: Vec<Effect>,
}

impl Table {
    fn new(black: &str, white: &str) -> Table {
        Table::timed(black, white, "unlimited")
    }

    fn timed(black: &str, white: &str, pace: &str) -> Table {
        let settings = Settings {
            sides: [black, white].map(|text| Side::parse(text).unwrap()),
            pace: pace.parse().unwrap(),
            ..Settings::default()
        };
        let now = Instant::now();
        let (model, effects) = Model::started(settings, now);
        Table { model, now, effects }
    }

    fn event(&mut self, event: Event) -> &[Effect] {
        self.effects = self.model.handle(event, self.now);
        &self.effects
    }

    fn command(&mut self, command: Command) -> &[Effect] {
        self.event(Event::Command(command))
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        self.event(Event::Tick);
    }

    fn place(&mut self, text: &str) {
        self.command(Command::Place(square(text)));
    }

    fn places(&mut self, moves: &str) {
        for text in moves.as_bytes().chunks(2) {
            self.place(std::str::from_utf8(text).unwrap());
        }
    }

    /// The request for a move among the last effects.
    fn asked(&self) -> Option<(Color, Id)> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Ask(color, id) => Some((*color, *id)),
            _ => None,
        })
    }

    /// Lets the program that was asked answer.
    #[track_caller]
    fn answer(&mut self, text: &str) {
        let (color, id) = self.asked().expect("nobody was asked");
        self.answer_as(color, id, text, SECOND);
    }

    fn answer_as(&mut self, color: Color, id: Id, text: &str, elapsed: Duration) {
        let answer = Move::parse(text.as_bytes()).map_or(Answer::Resign, Answer::Move);
        let value = Some(Value { number: 1.5, bound: Bound::Exact, unit: Unit::Result });
        let choice = Choice { value, elapsed, ..answer.into() };
        self.event(Event::Reply { role: Role::Player(color), id, reply: Reply::Chosen(choice) });
    }

    fn moves(&self) -> String {
        self.model.game.plies().iter().map(|ply| ply.mv.to_string()).collect()
    }

    fn last_message(&self) -> &Message {
        self.model.message.as_ref().unwrap()
    }
}

fn square(text: &str) -> Square {
    Square::parse(text.as_bytes()).unwrap()
}

#[test]
fn an_illegal_square_flashes_and_says_why() {
    let mut table = Table::new("human", "human");
    table.place("a1");
    assert_eq!(table.last_message(), &Message::Illegal(square("a1")));
    assert_eq!(table.model.flash.unwrap().0, square("a1"));
    table.wait(Duration::from_millis(100));
    assert!(table.model.flash.is_some());
    table.wait(Duration::from_millis(60));
    assert!(table.model.flash.is_none());
    table.place("d4");
    assert_eq!(table.last_message(), &Message::Occupied(square("d4")));
    assert_eq!(table.moves(), "");
}

#[test]
fn passes_are_played_and_announced() {
    let mut table = Table::new("human", "human");
    table.places("f5f6d3g5h5h4f7h6");
    assert_eq!(table.moves(), "f5f6d3g5h5h4f7h6pa");
    assert_eq!(table.last_message(), &Message::Passes(Color::Black));
    assert_eq!(table.model.side(), Color::White);
    // The pass goes with the move before it.
    table.command(Command::Undo(1));
    assert_eq!(table.moves(), "f5f6d3g5h5h4f7");
    table.command(Command::Redo(1));
    assert_eq!(table.moves(), "f5f6d3g5h5h4f7h6pa");
}

#[test]
fn the_end_is_told_and_the_next_game_offered() {
    let mut table = Table::new("human", "human");
    table.places("e6f4e3f6g5d6e7f5c5");
    assert_eq!(table.model.ending, Some(Ending::Played));
    let over = Message::Over { ending: Ending::Played, black: 13, white: 0, result: 64 };
    assert_eq!(table.last_message(), &over);
    assert_eq!(table.model.dialog, Some(Dialog::Over));
    table.place("a1");
    assert_eq!(table.last_message(), &Message::GameOver);
    table.command(Command::Dialog(DialogInput::Enter));
    assert_eq!(
        (table.moves().as_str(), table.model.ending, table.model.dialog.clone()),
        ("", None, None)
    );
    assert!(table.effects.contains(&Effect::Forget));
}

#[test]
fn a_program_answers_and_late_answers_count_for_nothing() {
    let mut table = Table::new("human", "random");
    assert_eq!(table.asked(), None);
    table.place("f5");
    let (color, id) = table.asked().unwrap();
    assert_eq!(color, Color::White);
    table.place("d6");
    assert_eq!(table.last_message(), &Message::NotYourTurn(Color::White));
    table.command(Command::Undo(1));
    assert!(table.effects.contains(&Effect::Stop(Role::Player(Color::White))));
    table.answer_as(color, id, "d6", SECOND);
    assert_eq!(table.moves(), "");
    table.place("d3");
    table.answer("c5");
    assert_eq!(table.moves(), "d3c5");
    let note = table.model.game.plies()[1].note;
    assert_eq!((note.value, note.time), (Some(1.5), Some(SECOND)));
    assert_eq!(table.model.clocks.view(Color::White, Color::Black, table.now).0, SECOND);
}

#[test]
fn taking_back_goes_to_the_persons_turns() {
    let mut table = Table::new("human", "random");
    for (own, answer) in [("f5", "d6"), ("c3", "d3"), ("c4", "f4")] {
        table.place(own);
        table.answer(answer);
    }
    table.command(Command::Undo(2));
    assert_eq!(table.moves(), "f5d6");
    assert_eq!(table.asked(), None);
    table.command(Command::Redo(1));
    assert_eq!(table.moves(), "f5d6c3d3");
    table.command(Command::First);
    assert_eq!(table.moves(), "");
    table.command(Command::Back);
    assert_eq!(table.last_message(), &Message::NothingToUndo);
    table.command(Command::Last);
    assert_eq!(table.moves(), "f5d6c3d3c4f4");
    // Going back to a program's turn pauses the game.
    table.command(Command::Back);
    assert_eq!(table.moves(), "f5d6c3d3c4");
    assert!(table.model.is_paused && table.asked().is_none());
    table.command(Command::Enter);
    assert_eq!(table.asked().unwrap().0, Color::White);
}

#[test]
fn a_program_that_opened_the_game_waits_after_taking_back() {
    let mut table = Table::new("random", "human");
    table.answer("f5");
    table.command(Command::Undo(1));
    assert_eq!((table.moves().as_str(), table.model.is_paused), ("", true));
    assert_eq!(table.asked(), None);
    table.command(Command::Pause);
    table.answer("d3");
    assert_eq!(table.moves(), "d3");
}

#[test]
fn two_programs_wait_for_the_start_and_step() {
    let mut table = Table::new("random", "greedy");
    assert_eq!(table.asked(), None);
    assert_eq!(table.last_message(), &Message::PressStart);
    table.command(Command::Step);
    table.answer("f5");
    assert_eq!((table.moves().as_str(), table.asked()), ("f5", None));
    table.command(Command::Enter);
    table.answer("d6");
    table.answer("c3");
    table.command(Command::Step);
    assert!(table.model.is_paused, "the running move is the one");
    table.command(Command::Pause);
    table.command(Command::Pause);
    assert!(table.effects.contains(&Effect::Stop(Role::Player(Color::White))));
    assert_eq!(table.moves(), "f5d6c3");
}

#[test]
fn the_program_is_told_to_move_now_where_it_can_be() {
    let mut table = Table::new("human", "engine:level=20");
    table.command(Command::MoveNow);
    assert_eq!(table.last_message(), &Message::NobodyThinks);
    table.place("f5");
    assert_eq!(table.command(Command::MoveNow), [Effect::Hurry(Color::White)]);
    let mut table = Table::new("cmd=engine", "human");
    assert_eq!(table.command(Command::MoveNow), []);
    assert_eq!(table.last_message(), &Message::CannotHurry("engine".into()));
}

#[test]
fn programs_think_ahead_while_a_person_thinks() {
    let mut table = Table::new("human", "engine:level=4,ponder=on");
    assert!(matches!(table.effects.last(), Some(Effect::Ponder(Color::White, _))));
    table.place("f5");
    assert!(table.effects.contains(&Effect::Stop(Role::Player(Color::White))));
}

#[test]
fn sides_can_be_swapped_and_players_replaced() {
    let mut table = Table::new("human", "random");
    table.command(Command::Swap);
    assert_eq!(table.asked().unwrap().0, Color::Black);
    assert_eq!(table.last_message(), &Message::Swapped(Color::White));
    table.answer("f5");
    table.command(Command::SetSide(Color::Black, Side::human()));
    table.command(Command::SetSide(Color::White, Side::parse("greedy").unwrap()));
    assert_eq!(table.asked().unwrap().0, Color::White);
    table.command(Command::Settings);
    table.command(Command::Dialog(DialogInput::Row(0)));
    table.command(Command::Dialog(DialogInput::Char('r')));
    table.command(Command::Dialog(DialogInput::Enter));
    let Some(Dialog::Form(form)) = &table.model.dialog else { panic!() };
    assert!(form.error.is_some());
    table.command(Command::Dialog(DialogInput::Cancel));
    assert_eq!(table.model.dialog, None);
    assert!(table.model.settings.side(Color::Black).is_human());
}

#[test]
fn clocks_run_for_whoever_is_to_move_and_end_the_game() {
    let mut table = Table::timed("human", "human", "10+2");
    table.wait(4 * SECOND);
    table.place("f5");
    let view = |table: &Table, color| table.model.clocks.view(color, table.model.side(), table.now);
    assert_eq!(view(&table, Color::Black), (4 * SECOND, Some(8 * SECOND)));
    table.wait(3 * SECOND);
    assert_eq!(view(&table, Color::White), (3 * SECOND, Some(7 * SECOND)));
    table.command(Command::Pause);
    table.wait(60 * SECOND);
    assert_eq!(view(&table, Color::White), (3 * SECOND, Some(7 * SECOND)));
    table.command(Command::Pause);
    table.wait(8 * SECOND);
    assert_eq!(table.model.ending, Some(Ending::Time(Color::White)));
    // A fallen flag can be taken back like a move.
    table.command(Command::Undo(1));
    assert_eq!((table.model.ending, table.moves().as_str()), (None, "f5"));
    table.place("d6");
    table.command(Command::Undo(1));
    assert_eq!(view(&table, Color::Black).1, Some(8 * SECOND));
}

#[test]
fn every_loss_on_time_can_be_taken_back() {
    for command in [Command::Undo(1), Command::Back, Command::First] {
        let mut table = Table::timed("human", "random", "6");
        table.wait(2 * SECOND);
        table.place("f5");
        table.answer("d6");
        table.wait(5 * SECOND);
        assert_eq!(table.model.ending, Some(Ending::Time(Color::Black)));
        table.command(command.clone());
        table.wait(SECOND * 7 / 2);
        assert_eq!((table.model.ending, table.moves().as_str()), (None, "f5d6"), "{command:?}");
        // With too little time left for the turn, undo takes back the turn before too.
        table.place("c3");
        table.answer("d3");
        table.wait(2 * SECOND);
        assert_eq!(table.model.ending, Some(Ending::Time(Color::Black)));
        table.command(Command::Undo(1));
        table.wait(SECOND);
        assert_eq!((table.model.ending, table.moves().as_str()), (None, "f5d6"), "{command:?}");
    }
    // A loss on time at the first move can be taken back too.
    let mut table = Table::timed("human", "random", "6");
    table.wait(7 * SECOND);
    table.command(Command::Undo(1));
    table.wait(5 * SECOND);
    assert_eq!(table.model.ending, None);
}

#[test]
fn a_program_that_gave_up_does_not_at_once_give_up_again() {
    for (answer, elapsed) in [("d6", 9 * SECOND), ("resign", SECOND)] {
        let mut table = Table::timed("human", "random", "6");
        table.place("f5");
        let (color, id) = table.asked().unwrap();
        table.answer_as(color, id, answer, elapsed);
        assert!(table.model.ending.is_some());
        table.command(Command::Undo(1));
        assert_eq!((table.model.ending, table.moves().as_str()), (None, ""));
        table.place("f5");
        assert!(table.asked().is_some());
        // There is no move to undo, only the end of the game.
        let mut table = Table::timed("random", "human", "6");
        let (color, id) = table.asked().unwrap();
        table.answer_as(color, id, answer, elapsed);
        table.command(Command::Undo(1));
        assert_eq!((table.model.ending, table.asked(), table.model.is_paused), (None, None, true));
    }
}

#[test]
fn undo_ends_where_the_game_begins_with_a_pass() {
    for black in ["human", "random"] {
        let mut table = Table::new(black, "human");
        let text = "OX------".to_owned() + &"-".repeat(48) + "OX------ X";
        let start = crate::board::Position::parse(text.as_bytes()).unwrap();
        table.model.begin(Game::new(start), table.now, &mut table.effects);
        table.place("c1");
        table.place("c8");
        assert_eq!(table.model.game.plies().len(), 4, "{black}");
        for n_plies in [3, 1, 1] {
            table.command(Command::Undo(1));
            assert_eq!(table.model.game.plies().len(), n_plies, "{black}");
        }
        assert!(
            table.model.message.as_ref().is_some_and(|message| *message == Message::NothingToUndo)
        );
        for n_plies in [3, 4, 4] {
            table.command(Command::Redo(1));
            assert_eq!(table.model.game.plies().len(), n_plies, "{black}");
        }
    }
}

#[test]
fn a_program_is_judged_by_its_own_account_of_its_time() {
    let mut table = Table::timed("random", "human", "5");
    table.wait(20 * SECOND);
    assert_eq!(table.model.ending, None);
    let (color, id) = table.asked().unwrap_or((Color::Black, 1));
    table.answer_as(color, id, "f5", 4 * SECOND);
    assert_eq!(table.moves(), "f5");
    let mut table = Table::timed("random", "human", "5");
    let (color, id) = table.asked().unwrap();
    table.answer_as(color, id, "f5", 6 * SECOND);
    assert_eq!(table.model.ending, Some(Ending::Time(Color::Black)));
}

#[test]
fn resigning_is_asked_about_and_can_be_taken_back() {
    let mut table = Table::new("human", "random");
    table.place("f5");
    table.command(Command::Resign { sure: false });
    assert_eq!(table.model.dialog, Some(Dialog::Resign));
    table.command(Command::Dialog(DialogInput::Char('x')));
    assert_eq!(table.model.dialog, Some(Dialog::Resign));
    table.command(Command::Dialog(DialogInput::Char('y')));
    assert_eq!(table.model.ending, Some(Ending::Resigned(Color::Black)));
    table.command(Command::Undo(1));
    assert_eq!(table.model.ending, None);
    assert!(table.asked().is_some());
    let mut show = Table::new("random", "random");
    show.command(Command::Resign { sure: true });
    assert_eq!(show.last_message(), &Message::NobodyResigns);
}

#[test]
fn a_new_game_is_asked_about_in_the_middle_of_one() {
    let mut table = Table::new("human", "human");
    table.command(Command::NewGame { sure: false });
    assert_eq!(table.model.dialog, None);
    table.place("f5");
    table.command(Command::NewGame { sure: false });
    assert_eq!(table.model.dialog, Some(Dialog::NewGame));
    table.command(Command::Dialog(DialogInput::Char('n')));
    assert_eq!(table.moves(), "f5");
    table.command(Command::NewGame { sure: false });
    table.command(Command::Dialog(DialogInput::Char('y')));
    assert_eq!(table.moves(), "");
}

#[test]
fn files_that_exist_are_asked_about() {
    let mut table = Table::new("human", "human");
    table.command(Command::AskSave);
    table.command(Command::Dialog(DialogInput::Enter));
    let path = PathBuf::from("game.ggf");
    assert_eq!(table.effects, [Effect::Save { path: path.clone(), force: false }]);
    let exists = Event::Saved { path: path.clone(), result: Err(SaveError::Exists) };
    table.event(exists.clone());
    assert_eq!(table.model.dialog, Some(Dialog::Overwrite(path.clone())));
    assert_eq!(table.command(Command::Dialog(DialogInput::Char('n'))), []);
    table.event(exists);
    table.command(Command::Dialog(DialogInput::Char('y')));
    assert_eq!(table.effects, [Effect::Save { path, force: true }]);
}

#[test]
fn a_loaded_game_goes_on_with_its_times() {
    let mut table = Table::new("human", "random");
    let mut game = Game::default();
    for text in ["f5", "d6"] {
        let note = crate::game::Note { value: None, time: Some(3 * SECOND) };
        assert!(game.play(Move::parse(text.as_bytes()).unwrap(), note));
    }
    table.event(Event::Loaded { path: "x".into(), result: Ok(Box::new(game)) });
    assert_eq!(table.moves(), "f5d6");
    assert_eq!(table.model.clocks.view(Color::White, Color::Black, table.now).0, 3 * SECOND);
    table.place("c3");
    assert!(table.asked().is_some());
    table.event(Event::Loaded { path: "x".into(), result: Err("no game".into()) });
    assert_eq!(table.last_message(), &Message::CannotLoad("x".into(), "no game".into()));
    assert_eq!(table.moves(), "f5d6c3");
}

#[test]
fn a_player_that_fails_pauses_the_game() {
    let mut table = Table::new("human", "cmd=engine");
    table.place("f5");
    let (color, id) = table.asked().unwrap();
    let reply = Reply::Failed("gone".into());
    table.event(Event::Reply { role: Role::Player(color), id, reply });
    assert_eq!(table.last_message(), &Message::Failed(Color::White, "gone".into()));
    assert!(table.model.is_paused && !table.model.is_asked());
    table.command(Command::Pause);
    table.answer("a1");
    assert_eq!(
        table.last_message(),
        &Message::PlayedIllegally(Color::White, Move::Place(square("a1")))
    );
    table.command(Command::SetSide(Color::White, Side::parse("random").unwrap()));
    table.command(Command::Pause);
    table.answer("d6");
    assert_eq!(table.moves(), "f5d6");
}

#[test]
fn a_move_from_a_book_is_said_to_be_one() {
    let mut table = Table::new("human", "engine");
    table.place("f5");
    let (color, id) = table.asked().unwrap();
    let answer = Answer::Move(Move::Place(square("d6")));
    let choice = Choice { is_booked: true, elapsed: SECOND, ..answer.into() };
    table.event(Event::Reply { role: Role::Player(color), id, reply: Reply::Chosen(choice) });
    assert!(matches!(table.last_message(), Message::Played { is_booked: true, .. }));
    for (language, words) in
        [(Language::English, "from the book"), (Language::French, "de la bibliothèque")]
    {
        assert!(language.say(table.last_message()).ends_with(words));
    }
    // Moves of a person who replaces the program are not from the book.
    table.command(Command::SetSide(Color::White, Side::parse("human").unwrap()));
    table.place("c3");
    assert!(matches!(table.last_message(), Message::Played { is_booked: false, .. }));
}

#[test]
fn advice_is_for_the_position_it_was_asked_for() {
    let mut table = Table::new("human", "human");
    table.command(Command::Hint);
    let Some(Effect::Advise { id, all: false }) = table.effects.first().cloned() else { panic!() };
    let line = |text: &str, discs: i32| Line {
        mv: Move::parse(text.as_bytes()).unwrap(),
        score: discs * crate::score::DISC,
        bound: Bound::Exact,
        depth: 5,
        selectivity: crate::search::Selectivity::FULL,
        exact: false,
        pv: vec![Move::parse(text.as_bytes()).unwrap()],
    };
    let report = |lines| Report {
        lines,
        complete: true,
        nodes: 1,
        ordering_nodes: 0,
        elapsed: Duration::ZERO,
    };
    let advise = |table: &mut Table, id, reply| {
        table.event(Event::Reply { role: Role::Adviser, id, reply });
    };
    advise(&mut table, id, Reply::Progress(Progress::Report(report(vec![line("d3", 2)]))));
    assert_eq!(table.model.hint, None);
    advise(&mut table, id, Reply::Advised);
    assert_eq!((table.model.hint, table.model.cursor), (Some(square("d3")), square("d3")));
    table.command(Command::Values);
    let Some(Effect::Advise { id, all: true }) = table.effects.last().cloned() else { panic!() };
    advise(
        &mut table,
        id,
        Reply::Progress(Progress::Report(report(vec![line("d3", 2), line("c4", 1)]))),
    );
    assert_eq!(table.model.values().len(), 2);
    table.place("f5");
    assert_eq!((table.model.hint, table.model.values().len()), (None, 0));
    advise(&mut table, id, Reply::Progress(Progress::Report(report(vec![line("d3", 2)]))));
    assert_eq!(table.model.values().len(), 0);
    assert!(matches!(table.effects[..], []));
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
}

#[test]
fn players_that_are_no_engines_tell_how_far_they_are() {
    let mut table = Table::new("human", "minimax2");
    table.place("f5");
    let (color, id) = table.asked().unwrap();
    let searching = Searching { share: 0.4, nodes: 100, best: None };
    let reply = Reply::Progress(Progress::Searching(searching));
    table.event(Event::Reply { role: Role::Player(color), id, reply });
    let thought = &table.model.thoughts[color.index()];
    assert_eq!(Model::share(thought, table.now + SECOND), Some(0.4));
    let row = Prediction {
        to: Move::Place(square("d3")),
        board: Board::START,
        outcome: Outcome::default(),
        spent: Duration::ZERO,
    };
    let reply = Reply::Progress(Progress::Predicted(vec![row.clone()]));
    table.event(Event::Reply { role: Role::Player(color), id, reply });
    assert_eq!(table.model.thoughts[color.index()].predictions, [row]);
}

#[test]
fn the_start_screen_comes_before_the_game() {
    let mut model = Model::new(Settings::default());
    let now = Instant::now();
    assert_eq!(model.handle(Event::Tick, now), []);
    let enter = Event::Command(Command::Dialog(DialogInput::Enter));
    let effects = model.handle(enter, now);
    assert!(model.dialog.is_none() && model.is_human_turn());
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Ponder(Color::White, _))));
    let mut model = Model::new(Settings::default());
    let cancel = Event::Command(Command::Dialog(DialogInput::Cancel));
    assert_eq!(model.handle(cancel, now), [Effect::Quit]);
}

#[test]
fn settings_without_players_do_not_disturb_the_game() {
    let mut table = Table::new("human", "random");
    table.place("f5");
    table.command(Command::SetAdviser(4));
    assert_eq!(table.effects, []);
    assert!(table.model.is_asked());
    table.command(Command::SetPace(Pace::timed(Control::Move(SECOND))));
    assert!(table.asked().is_some());
}

//! Games between two programs, and games that go on.

use super::*;
use crate::formats::transcript;

#[test]
fn two_programs_move_no_faster_than_one_can_follow() {
    let mut table = Table::new("random", "greedy");
    table.model.settings.delay = SECOND;
    table.command(Command::Pause);
    table.answer("f5");
    assert_eq!(table.moves(), "f5", "the first move comes at once");
    let (color, id) = table.asked().unwrap();
    table.answer_as(color, id, "d6", Duration::ZERO);
    assert_eq!(table.moves(), "f5");
    table.wait(SECOND / 2);
    assert_eq!(table.moves(), "f5");
    table.wait(SECOND / 2);
    assert_eq!(table.moves(), "f5d6");
    // A move that waits is forgotten with the position.
    let (color, id) = table.asked().unwrap();
    table.answer_as(color, id, "c3", Duration::ZERO);
    table.command(Command::Back);
    table.wait(2 * SECOND);
    assert_eq!(table.moves(), "f5");
    // A single step comes at once.
    table.command(Command::Step);
    table.answer("d6");
    assert_eq!(table.moves(), "f5d6");
}

#[test]
fn a_game_goes_on_where_it_stops() {
    let settings = Settings {
        sides: ["human", "greedy"].map(|text| Side::parse(text).unwrap()),
        ..Settings::default()
    };
    let game = |moves: &[u8]| transcript::read(moves).unwrap().replay().unwrap();
    let now = Instant::now();
    let (model, effects) = Model::resumed(settings.clone(), game(b"f5d6"), now);
    assert!(model.is_human_turn() && !model.is_paused, "{effects:?}");
    // A program waits, so that the game can be looked at.
    let (model, _) = Model::resumed(settings, game(b"f5"), now);
    assert!(model.is_paused && !model.is_asked() && model.has_game());
}

#[test]
fn captions_say_who_has_no_clock() {
    let table = Table::timed("human", "engine:level=4", "300");
    let caption = |model: &Model, color| model.settings.caption(color);
    assert_eq!(caption(&table.model, Color::Black), "human");
    assert_eq!(caption(&table.model, Color::White), "engine:level=4, no clock");
    let mut table = Table::new("human", "engine:level=4");
    table.model.settings.language = Language::French;
    assert_eq!(caption(&table.model, Color::Black), "humain");
    assert_eq!(caption(&table.model, Color::White), "engine:level=4");
}

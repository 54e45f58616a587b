//! Tests of what keys mean at the board and in prompts.

use super::*;

#[test]
fn people_play_by_typing_and_by_cursor() {
    let mut table = Table::new("human", "human");
    for c in "F5".chars() {
        table.command(Command::Type(c));
    }
    assert_eq!(table.moves(), "f5");
    assert_eq!(table.model.turned(), square("e5").bit());
    table.command(Command::Type('d'));
    table.command(Command::Type('x'));
    assert_eq!(table.last_message(), &Message::Unknown("dx".into()));
    table.model.cursor = square("d6");
    table.command(Command::Enter);
    assert_eq!(table.moves(), "f5d6");
    assert_eq!((table.model.turn_number(), table.model.side()), (2, Color::Black));
}

#[test]
fn enter_behind_a_typed_square_says_no_more_than_the_square() {
    let type_with_enter = |table: &mut Table, squares: &str| {
        for c in squares.chars() {
            table.command(Command::Type(c));
        }
        let is_over = table.model.dialog.is_some();
        let enter = Command::Dialog(DialogInput::Enter);
        table.command(if is_over { enter } else { Command::Enter });
    };
    let mut table = Table::new("human", "random");
    type_with_enter(&mut table, "f5");
    assert!(!table.model.is_paused && table.moves().starts_with("f5"));
    let mut table = Table::new("human", "human");
    for square in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"] {
        type_with_enter(&mut table, square);
    }
    assert_eq!(
        (table.moves().as_str(), &table.model.dialog),
        ("e6f4e3f6g5d6e7f5c5", &Some(Dialog::Over))
    );
    // Pressed once more, it is meant.
    table.command(Command::Dialog(DialogInput::Enter));
    assert_eq!(table.moves(), "");
}

#[test]
fn a_running_game_is_not_left_by_one_key() {
    let mut table = Table::new("human", "human");
    table.command(Command::Quit { sure: false });
    assert_eq!(table.effects.last(), Some(&Effect::Quit));
    table.effects.clear();
    table.places("f5");
    table.command(Command::Quit { sure: false });
    assert!(!table.effects.contains(&Effect::Quit) && table.model.dialog == Some(Dialog::Quit));
    table.command(Command::Dialog(DialogInput::Char('n')));
    assert!(!table.effects.contains(&Effect::Quit) && table.model.dialog.is_none());
    table.command(Command::Quit { sure: false });
    table.command(Command::Dialog(DialogInput::Char('y')));
    assert!(table.effects.contains(&Effect::Quit));
}

#[test]
fn typing_replaces_the_suggested_name_of_a_file() {
    let mut table = Table::new("human", "human");
    let mut save = |inputs: &[DialogInput]| {
        table.command(Command::AskSave);
        for &input in inputs.iter().chain(&[DialogInput::Enter]) {
            table.command(Command::Dialog(input));
        }
        match table.effects.pop() {
            Some(Effect::Save { path, .. }) => path.display().to_string(),
            other => panic!("{other:?}"),
        }
    };
    let [a, back, clear] = [DialogInput::Char('a'), DialogInput::Backspace, DialogInput::Clear];
    assert_eq!(save(&[]), "game.ggf");
    assert_eq!(save(&[a, a]), "aa");
    assert_eq!(save(&[back, a]), "game.gga");
    assert_eq!(save(&[clear, a]), "a");
}

#[test]
fn the_cursor_wraps_at_the_edges() {
    let mut table = Table::new("human", "human");
    assert_eq!(table.model.cursor, square("c4"));
    for (direction, times, expected) in [
        (Direction::Left, 3, "h4"),
        (Direction::Right, 1, "a4"),
        (Direction::Up, 4, "a8"),
        (Direction::Down, 1, "a1"),
    ] {
        for _ in 0..times {
            table.command(Command::Cursor(direction));
        }
        assert_eq!(table.model.cursor, square(expected));
    }
}

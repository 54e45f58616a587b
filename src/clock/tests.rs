//! Tests of clocks.

use std::time::Duration;

use super::{Clock, Control};

const MS: fn(u64) -> Duration = Duration::from_millis;

#[test]
fn controls_are_read() {
    let game = |main, increment| Some(Control::Game { main: MS(main), increment: MS(increment) });
    for (text, expected) in [
        ("30+0.1", game(30_000, 100)),
        ("1+0.01", game(1000, 10)),
        ("300", game(300_000, 0)),
        ("0", game(0, 0)),
        ("move:0.1", Some(Control::Move(MS(100)))),
        ("byo:60/5/3", Some(Control::Byoyomi { main: MS(60_000), period: MS(5000), moves: 3 })),
        ("unlimited", Some(Control::Unlimited)),
        ("byo:60/5/0", None),
        ("byo:60/5", None),
        ("-3", None),
        ("1e3", None),
        ("", None),
        ("inf", None),
        ("1+", None),
        ("9999999999999", None),
    ] {
        let control = Control::parse(text);
        assert_eq!(control, expected, "{text}");
        assert_eq!(control.and_then(|control| Control::parse(&control.to_string())), expected);
    }
}

#[test]
fn clocks_run_down_and_are_refilled() {
    for (control, spent_and_left) in [
        ("1+0.01", &[(300, 710), (5000, 10)][..]),
        // 100 of the main time and 200 of the period; the second move of the period refills it.
        ("byo:1/0.5/2", &[(900, 600), (300, 300), (100, 500)]),
        ("move:0.1", &[(90, 100), (90, 100)]),
        // GGF's TI[N/N] with every move's time written as N: always N left.
        ("5+5", &[(5000, 5000); 30]),
    ] {
        let mut clock = Clock::new(Control::parse(control).unwrap());
        for &(spent, left) in spent_and_left {
            clock.spend(MS(spent));
            assert_eq!(clock.left(), MS(left), "{control}");
        }
    }
}

#[test]
fn reports_of_a_controller_are_taken_over() {
    let mut clock = Clock::default();
    clock.set_left(MS(7000), 0);
    assert_eq!(clock.left(), MS(7000));
    let mut clock = Clock::new(Control::Byoyomi { main: MS(1000), period: MS(500), moves: 2 });
    clock.set_left(MS(400), 1);
    assert_eq!((clock.left(), clock.moves_left), (MS(400), 1));
    let mut clock = Clock::new(Control::Game { main: MS(1000), increment: MS(10) });
    clock.set_left(MS(0), 0);
    assert_eq!(clock.left(), MS(0));
}

//! Tests of clocks.

use std::time::Duration;

use super::{Clock, Control, Lag};

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

#[test]
fn increments_pay_for_lags_first() {
    for (control, rest, left) in [
        ("10", "10", 4000),
        ("10+0.1", "10+0", 6000),
        ("10+0.5", "10+0.2", 10_000),
        // After the last of five moves the period is over.
        ("byo:10/5/5", "byo:10/5/5", 13_800),
        ("move:1", "move:1", 1000),
    ] {
        let [control, rest] = [control, rest].map(|text| Control::parse(text).unwrap());
        let clock = Clock::new(control).without_lag(MS(300), 20);
        assert_eq!((clock.control(), clock.left()), (rest, MS(left)));
    }
}

#[test]
fn a_lag_is_what_readings_lose_beyond_the_moves() {
    // Readings, each with the time of the move after it; the lag of a move, and what may be left at least at the end.
    for (control, moves, lag, least) in [
        ("60", &[(60_000, 1000), (58_500, 1000), (57_000, 0)][..], 500, 57_000),
        ("60+1", &[(60_000, 2000), (58_500, 3000), (56_000, 0)], 500, 56_000),
        // A halt of half a minute counts as one of two seconds.
        ("100", &[(100_000, 1000), (69_000, 1000), (68_000, 0)], 1000, 68_000),
        // Whole seconds that are rounded up, until a fine reading shows that they only look so.
        ("60", &[(60_000, 1500), (59_000, 0)], 0, 58_000),
        ("60", &[(60_000, 1500), (59_000, 1700), (57_300, 0)], 0, 57_300),
    ] {
        let mut measured = Lag::default();
        measured.begin();
        for &(left, elapsed) in moves {
            measured.read(MS(left));
            measured.spend(MS(elapsed), Control::parse(control).unwrap());
        }
        let last = MS(moves.last().unwrap().0);
        assert_eq!((measured.per_move(), measured.least(last)), (MS(lag), MS(least)), "{moves:?}");
    }
}

//! Tables of clocks and what must come of them.

use std::time::Duration;

use super::{Clock, Control, LATEST, Machine, SOLVING_SPEEDUP, SPEED, Work};

const MS: fn(u64) -> Duration = Duration::from_millis;
const OVERHEAD: Duration = Duration::from_millis(20);

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
    let mut clock = Clock::new(Control::Game { main: MS(1000), increment: MS(10) });
    clock.spend(MS(300));
    assert_eq!(clock.left(), MS(710));
    clock.spend(MS(5000));
    assert_eq!(clock.left(), MS(10));

    let mut clock = Clock::new(Control::Byoyomi { main: MS(1000), period: MS(500), moves: 2 });
    clock.spend(MS(900));
    assert_eq!(clock.left(), MS(600));
    clock.spend(MS(300)); // 100 of the main time, 200 of the period
    assert_eq!(clock.left(), MS(300));
    clock.spend(MS(100)); // the second move of the period refills it
    assert_eq!(clock.left(), MS(500));

    let mut clock = Clock::new(Control::Move(MS(100)));
    clock.spend(MS(90));
    assert_eq!(clock.left(), MS(100));

    // GGF's TI[N/N] with every move's time written as N: always N left.
    let mut clock = Clock::new(Control::Game { main: MS(5000), increment: MS(5000) });
    for _ in 0..30 {
        clock.spend(MS(5000));
        assert_eq!(clock.left(), MS(5000));
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
fn no_plan_exceeds_what_is_left() {
    let machine = Machine::default();
    for main in [0, 1, 5, 19, 20, 21, 50, 100, 1000, 60_000, 3_600_000] {
        for other in [0, 10, 1000, 30_000] {
            for n_empties in 1..=60 {
                for control in [
                    Control::Game { main: MS(main), increment: MS(other) },
                    Control::Move(MS(main)),
                    Control::Byoyomi { main: MS(main), period: MS(other), moves: 1 },
                    Control::Byoyomi { main: MS(main), period: MS(other), moves: 25 },
                ] {
                    let clock = Clock::new(control);
                    let plan = clock.plan(OVERHEAD, n_empties, machine).unwrap();
                    let left = clock.left() - OVERHEAD.min(clock.left() / 4);
                    assert!(plan.maximum <= left, "{control:?} {n_empties} {plan:?}");
                    assert!(plan.target <= plan.maximum, "{control:?} {n_empties} {plan:?}");
                }
            }
        }
    }
    assert_eq!(Clock::default().plan(OVERHEAD, 60, machine), None);
}

#[test]
fn a_whole_game_at_the_maximum_never_oversteps() {
    for control in [
        Control::Game { main: MS(1000), increment: MS(10) },
        Control::Game { main: MS(300), increment: MS(0) },
        Control::Byoyomi { main: MS(1000), period: MS(500), moves: 5 },
    ] {
        let mut clock = Clock::new(control);
        for own_move in 0..30 {
            let n_empties = 60 - 2 * own_move;
            let plan = clock.plan(OVERHEAD, n_empties, Machine::default()).unwrap();
            // 5 ms for what the plan does not see.
            let elapsed = plan.maximum + MS(5);
            assert!(elapsed <= clock.left() + MS(5), "{control:?} move {own_move}");
            clock.spend(elapsed);
        }
    }
}

#[test]
fn shares_are_sane() {
    let machine = Machine::default();
    let five_minutes = Clock::new(Control::Game { main: MS(300_000), increment: MS(0) });
    let plan = five_minutes.plan(OVERHEAD, 60, machine).unwrap();
    assert!(plan.target > MS(5000) && plan.maximum < MS(120_000), "{plan:?}");
    assert!((20..=30).contains(&plan.solve_from), "{plan:?}");
    let per_move = Clock::new(Control::Move(MS(100))).plan(OVERHEAD, 60, machine).unwrap();
    assert_eq!(per_move.target, MS(75));
    let byoyomi = Clock::new(Control::Byoyomi { main: MS(0), period: MS(25_020), moves: 25 });
    let target = byoyomi.plan(OVERHEAD, 40, machine).unwrap().target;
    assert!(target > MS(995) && target <= MS(1000), "{target:?}");
}

#[test]
fn times_for_every_move_keep_enough_back_before_the_first_slip() {
    let machine = Machine::default();
    for (time, kept) in [
        (20, 5.0),
        (50, 12.5),
        (100, 25.0),
        (200, 50.0),
        (300, 60.0),
        (1000, 60.0),
        (2000, 100.0),
        (10_000, 500.0),
    ] {
        for control in
            [Control::Move(MS(time)), Control::Byoyomi { main: MS(0), period: MS(time), moves: 1 }]
        {
            let plan = Clock::new(control).plan(OVERHEAD, 40, machine).unwrap();
            assert_eq!(plan.target, plan.maximum);
            let left = MS(time) - plan.maximum;
            assert_eq!(left, Duration::from_secs_f64(kept / 1000.0), "{control:?}");
        }
        // The last of several moves has what is left like the only one; each of several has about its share.
        let mut clock = Clock::new(Control::Byoyomi { main: MS(0), period: MS(time), moves: 5 });
        clock.set_left(MS(time), 1);
        let last = clock.plan(OVERHEAD, 40, machine).unwrap();
        assert_eq!(last.maximum, MS(time) - Duration::from_secs_f64(kept / 1000.0));
        clock.set_left(MS(time) * 5, 5);
        let first = clock.plan(OVERHEAD, 40, machine).unwrap();
        let share = MS(time) - Duration::from_secs_f64(kept / 5000.0);
        assert!(first.target >= share - MS(1) && first.target <= share, "{first:?} {share:?}");
        assert!(first.maximum <= MS(time) * 2);
    }
    // Who is in the same process needs less.
    let near = Clock::new(Control::Move(MS(100))).plan(MS(2), 40, machine).unwrap();
    assert_eq!(near.maximum, MS(94));
}

#[test]
fn the_way_back_is_kept_back() {
    let clock = Clock::new(Control::Move(MS(1000)));
    let mut machine = Machine::default();
    let maximum = |machine| clock.plan(OVERHEAD, 40, machine).unwrap().maximum;
    // Within what is kept back anyway.
    machine.observe_way(MS(1));
    assert_eq!(maximum(machine), MS(940));
    machine.observe_way(MS(30));
    assert_eq!(maximum(machine), MS(920));
    machine.observe_way(MS(1));
    assert!(maximum(machine) < MS(924));
    machine.observe_way(MS(60_000));
    assert_eq!(machine.way, LATEST);
    let game = Clock::new(Control::Game { main: MS(1000), increment: MS(0) });
    let before = game.plan(OVERHEAD, 40, Machine::default()).unwrap();
    assert!(game.plan(OVERHEAD, 40, machine).unwrap().maximum < before.maximum);
}

/// The speed of a machine relative to that of an unknown one with one thread.
fn relative_speed(machine: &Machine) -> f64 {
    machine.speed / SPEED
}

#[test]
fn speed_is_learnt() {
    let unknown = Machine::default();
    let solvable = |machine: &Machine| machine.solvable(MS(1000));
    assert_eq!((unknown.solvable(MS(0)), unknown.reachable(MS(0))), (0, 0));
    for (work, nodes_a_second) in [(Work::Solution, 12e7), (Work::Midgame, 12e7 / SOLVING_SPEEDUP)]
    {
        // Four times as fast: one search of a second tells all, one of 10 ms a part.
        let mut machine = unknown;
        machine.observe_speed(work, nodes_a_second as u64, MS(1000));
        assert!((relative_speed(&machine) - 4.0).abs() < 0.01, "{machine:?}");
        assert!(solvable(&machine) > solvable(&unknown));
        assert!(machine.reachable(MS(1000)) > unknown.reachable(MS(1000)));
        let mut machine = unknown;
        for _ in 0..40 {
            let before = relative_speed(&machine);
            machine.observe_speed(work, (nodes_a_second / 100.0) as u64, MS(10));
            assert!(relative_speed(&machine) > before && relative_speed(&machine) < 4.01);
        }
        assert!(relative_speed(&machine) > 3.9, "{machine:?}");
        // A machine that others use now is slower.
        machine.observe_speed(work, (nodes_a_second / 8.0) as u64, MS(1000));
        assert!((relative_speed(&machine) - 0.5).abs() < 0.01, "{machine:?}");
    }
    let mut machine = unknown;
    machine.observe_speed(Work::Solution, 1000, Duration::from_micros(10));
    machine.observe_speed(Work::Solution, 0, MS(10));
    assert_eq!(machine, unknown);
}

#[test]
fn threads_count_before_anything_is_measured() {
    let at = |n| relative_speed(&Machine::new(n));
    assert_eq!((at(0), at(1)), (1.0, 1.0));
    assert!(at(2) > 1.7 && at(2) < 2.0 && at(64) > 32.0 && at(64) < 64.0);
    let mut machine = Machine::new(4);
    machine.set_threads(2);
    assert!((relative_speed(&machine) - at(2)).abs() < 1e-9);
    // What is known goes on counting.
    machine.observe_speed(Work::Solution, 6e7 as u64, MS(1000));
    machine.set_threads(4);
    assert!((relative_speed(&machine) - 2.0 * at(4) / at(2)).abs() < 1e-3);
}

#[test]
fn the_end_of_the_main_time_is_no_reason_to_hurry() {
    let mut clock = Clock::new(Control::Byoyomi { main: MS(60_000), period: MS(900), moves: 1 });
    clock.set_left(MS(60), 0);
    let plan = clock.plan(OVERHEAD, 40, Machine::default()).unwrap();
    assert_eq!(plan.maximum, MS(900));
}

#[test]
fn lateness_is_kept_back_and_forgotten() {
    let clock = Clock::new(Control::Game { main: MS(250), increment: MS(10) });
    let mut machine = Machine::default();
    let at_rest = clock.plan(OVERHEAD, 30, machine).unwrap();
    machine.observe_time(at_rest.maximum, at_rest.maximum + MS(30));
    let hurried = clock.plan(OVERHEAD, 30, machine).unwrap();
    assert!(hurried.maximum < at_rest.maximum && hurried.maximum > MS(0), "{hurried:?}");
    // One more halt does not lose what there is.
    let low = Clock::new(Control::Game { main: MS(90), increment: MS(10) });
    assert!(low.plan(OVERHEAD, 30, machine).unwrap().maximum + MS(60) < MS(90));
    // A time for every move cannot be saved up.
    let per_move = Clock::new(Control::Move(MS(100))).plan(OVERHEAD, 30, machine).unwrap();
    assert!(per_move.maximum >= MS(35) && per_move.maximum <= MS(40), "{per_move:?}");
    for _ in 0..200 {
        machine.observe_time(at_rest.maximum, at_rest.target);
    }
    assert!(machine.lateness < MS(1), "{machine:?}");
    machine.observe_time(at_rest.maximum, MS(60_000));
    assert_eq!(machine.lateness, LATEST);
}

//! Tables of clocks and the plans that must come of them.

use super::*;
use crate::clock::Clock;

const MS: fn(u64) -> Duration = Duration::from_millis;
const OVERHEAD: Duration = Duration::from_millis(10);

/// The plan for a clock, of an effort that asks for all; `None` without a plan.
fn plan(
    clock: &Clock,
    overhead: Duration,
    n_empties: u32,
    speed_model: &SpeedModel,
) -> Option<TimeLimit> {
    let effort = Effort { limits: Limits::default(), clock: *clock, overhead };
    effort.planned(n_empties, speed_model).time
}

#[test]
fn no_plan_exceeds_what_is_left() {
    let speed_model = SpeedModel::default();
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
                    let plan = plan(&clock, OVERHEAD, n_empties, &speed_model).unwrap();
                    let left = clock.left() - OVERHEAD.min(clock.left() / 4);
                    assert!(plan.hard <= left, "{control:?} {n_empties} {plan:?}");
                    assert!(plan.soft <= plan.hard, "{control:?} {n_empties} {plan:?}");
                }
            }
        }
    }
    assert_eq!(plan(&Clock::default(), OVERHEAD, 60, &speed_model), None);
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
            let plan = plan(&clock, OVERHEAD, n_empties, &SpeedModel::default()).unwrap();
            // 5 ms for what the plan does not see.
            let elapsed = plan.hard + MS(5);
            assert!(elapsed <= clock.left() + MS(5), "{control:?} move {own_move}");
            clock.spend(elapsed);
        }
    }
}

#[test]
fn shares_are_sane() {
    let speed_model = SpeedModel::default();
    let five_minutes = Clock::new(Control::Game { main: MS(300_000), increment: MS(0) });
    let five = plan(&five_minutes, OVERHEAD, 60, &speed_model).unwrap();
    assert!(five.soft > MS(5000) && five.hard < MS(120_000), "{five:?}");
    let effort = Effort { clock: five_minutes, overhead: OVERHEAD, ..Effort::default() };
    let exact_from = effort.planned(60, &speed_model).exact_from;
    assert!((20..=33).contains(&exact_from), "{exact_from}");
    let with_increments = Clock::new(Control::Game { main: MS(300_000), increment: MS(5000) });
    let more = plan(&with_increments, OVERHEAD, 60, &speed_model).unwrap().soft - five.soft;
    assert!(more > MS(2500) && more < MS(5000), "{more:?}");
    let per_move = plan(&Clock::new(Control::Move(MS(100))), OVERHEAD, 60, &speed_model).unwrap();
    assert_eq!(per_move.soft, MS(75));
    let byoyomi = Clock::new(Control::Byoyomi { main: MS(0), period: MS(25_010), moves: 25 });
    let target = plan(&byoyomi, OVERHEAD, 40, &speed_model).unwrap().soft;
    assert!(target > MS(995) && target <= MS(1000), "{target:?}");
}

#[test]
fn times_for_every_move_keep_enough_back_before_the_first_slip() {
    let speed_model = SpeedModel::default();
    for (time, kept) in [
        (20, 5.0),
        (50, 12.5),
        (100, 25.0),
        (200, 30.0),
        (1000, 30.0),
        (2000, 30.0),
        (10_000, 110.0),
    ] {
        for control in
            [Control::Move(MS(time)), Control::Byoyomi { main: MS(0), period: MS(time), moves: 1 }]
        {
            let plan = plan(&Clock::new(control), OVERHEAD, 40, &speed_model).unwrap();
            assert_eq!(plan.soft, plan.hard);
            let left = MS(time) - plan.hard;
            assert_eq!(left, Duration::from_secs_f64(kept / 1000.0), "{control:?}");
        }
        // The last move of a period gets all that is left, as an only one does; each of several moves gets about its share.
        let mut clock = Clock::new(Control::Byoyomi { main: MS(0), period: MS(time), moves: 5 });
        clock.set_left(MS(time), 1);
        let last = plan(&clock, OVERHEAD, 40, &speed_model).unwrap();
        assert_eq!(last.hard, MS(time) - Duration::from_secs_f64(kept / 1000.0));
        clock.set_left(MS(time) * 5, 5);
        let first = plan(&clock, OVERHEAD, 40, &speed_model).unwrap();
        let share = MS(time) - Duration::from_secs_f64(kept / 5000.0);
        assert!(first.soft >= share - MS(1) && first.soft <= share, "{first:?} {share:?}");
        assert!(first.hard <= MS(time) * 2);
    }
    // A controller in the same process has a smaller overhead, which needs less reserve.
    let near = plan(&Clock::new(Control::Move(MS(100))), MS(2), 40, &speed_model).unwrap();
    assert_eq!(near.hard, MS(88));
}

#[test]
fn a_calm_machine_needs_little_reserve_until_it_halts() {
    let kept = |time: u64, overhead, speed_model: &SpeedModel| {
        let clock = Clock::new(Control::Move(MS(time)));
        MS(time) - plan(&clock, overhead, 40, speed_model).unwrap().hard
    };
    let calm = || {
        let mut speed_model = SpeedModel::default();
        for _ in 0..20 {
            speed_model.observe_time(MS(150), MS(150), Duration::from_micros(500));
            speed_model.observe_reply_latency(Duration::from_micros(100));
        }
        speed_model
    };
    // What a calm machine keeps back is the overhead, and five times the longest halt or a hundredth of the time.
    for (time, at_first, then) in [
        (50, 12.5, 12.5),
        (100, 25.0, 12.5),
        (200, 30.0, 12.5),
        (1000, 30.0, 20.0),
        (9000, 100.0, 100.0),
    ] {
        assert_eq!(kept(time, OVERHEAD, &SpeedModel::default()).as_secs_f64() * 1e3, at_first);
        let kept = kept(time, OVERHEAD, &calm()).as_secs_f64() * 1e3;
        assert!((kept - then).abs() < 0.1, "{time}: {kept}");
    }
    // One of several threads that is halted holds up the others.
    let mut speed_model = calm();
    speed_model.set_threads(2);
    assert!(
        kept(200, OVERHEAD, &speed_model) >= MS(50) && kept(1000, OVERHEAD, &speed_model) >= MS(60)
    );
    // The overhead itself is always kept back.
    assert!(kept(1000, MS(150), &calm()) >= MS(150));
    // The longer a search without a halt, the less is kept back.
    let mut speed_model = SpeedModel::default();
    let mut last = kept(200, OVERHEAD, &speed_model);
    for _ in 0..3 {
        speed_model.observe_time(MS(150), MS(150), MS(0));
        assert!(kept(200, OVERHEAD, &speed_model) < last);
        last = kept(200, OVERHEAD, &speed_model);
    }
    assert!(last > MS(12) && last < MS(15), "{last:?}");
    speed_model.observe_time(MS(150), MS(0), MS(0));
    assert_eq!(kept(200, OVERHEAD, &speed_model), last);
    // After a halt of any kind, more is kept back the longer it was, up to a limit.
    let halts: [fn(&mut SpeedModel, u64); 3] = [
        |speed_model, ms| speed_model.observe_time(MS(150), MS(150), MS(ms)),
        |speed_model, ms| speed_model.observe_time(MS(150), MS(150 + ms), MS(0)),
        |speed_model, ms| speed_model.observe_reply_latency(MS(ms)),
    ];
    for halt in halts {
        for (ms, reserve) in [(3, 15), (8, 40), (10, 50), (15, 50)] {
            let mut speed_model = calm();
            halt(&mut speed_model, ms);
            assert_eq!(kept(1000, OVERHEAD, &speed_model), OVERHEAD + MS(reserve), "{ms}");
            assert_eq!(kept(200, OVERHEAD, &speed_model), (OVERHEAD + MS(reserve)).min(MS(50)));
        }
    }
}

#[test]
fn the_way_back_is_kept_back() {
    let clock = Clock::new(Control::Move(MS(1000)));
    let mut speed_model = SpeedModel::default();
    let maximum = |speed_model: &SpeedModel| plan(&clock, OVERHEAD, 40, speed_model).unwrap().hard;
    // This latency is within the reserve.
    speed_model.observe_reply_latency(MS(1));
    assert_eq!(maximum(&speed_model), MS(970));
    speed_model.observe_reply_latency(MS(30));
    assert_eq!(maximum(&speed_model), MS(930));
    speed_model.observe_reply_latency(MS(1));
    assert!(maximum(&speed_model) < MS(934));
    speed_model.observe_reply_latency(MS(60_000));
    assert_eq!(speed_model.delay(), MS(100), "a long halt counts in part");
    let game = Clock::new(Control::Game { main: MS(1000), increment: MS(0) });
    let before = plan(&game, OVERHEAD, 40, &SpeedModel::default()).unwrap();
    assert!(plan(&game, OVERHEAD, 40, &speed_model).unwrap().hard < before.hard);
}

#[test]
fn the_end_of_the_main_time_is_no_reason_to_hurry() {
    let mut clock = Clock::new(Control::Byoyomi { main: MS(60_000), period: MS(900), moves: 1 });
    clock.set_left(MS(60), 0);
    let plan = plan(&clock, OVERHEAD, 40, &SpeedModel::default()).unwrap();
    assert_eq!(plan.hard, MS(930));
}

#[test]
fn lateness_is_kept_back_and_forgotten() {
    let clock = Clock::new(Control::Game { main: MS(250), increment: MS(10) });
    let mut speed_model = SpeedModel::default();
    let at_rest = plan(&clock, OVERHEAD, 30, &speed_model).unwrap();
    let late = at_rest.hard + MS(30);
    speed_model.observe_time(at_rest.hard, late, MS(0));
    let hurried = plan(&clock, OVERHEAD, 30, &speed_model).unwrap();
    assert!(hurried.hard < at_rest.hard && hurried.hard > MS(0), "{hurried:?}");
    // One more halt does not exceed the time left.
    let low = Clock::new(Control::Game { main: MS(90), increment: MS(10) });
    assert!(plan(&low, OVERHEAD, 30, &speed_model).unwrap().hard + MS(60) < MS(90));
    // Nothing can be saved up where each move has its own time.
    let per_move = plan(&Clock::new(Control::Move(MS(100))), OVERHEAD, 30, &speed_model).unwrap();
    assert!(per_move.hard >= MS(35) && per_move.hard <= MS(40), "{per_move:?}");
    for _ in 0..200 {
        speed_model.observe_time(at_rest.hard, at_rest.soft, MS(0));
    }
    assert!(speed_model.delay() < MS(2), "{speed_model:?}");
    speed_model.observe_time(at_rest.hard, MS(60_000), MS(0));
    assert_eq!(speed_model.delay(), MS(100));
}

//! Tests of the worker.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::*;
use crate::board::{Color, Move, Square};
use crate::book::sections::Sections;
use crate::book::{self, tests::searched};
use crate::clock::{Clock, Control};
use crate::engine::job::Effort;
use crate::engine::strength::Strength;
use crate::engine::{Engine, Pace, VarietyTracker, level};
use crate::evaluation::{EMBEDDED, Source};
use crate::formats::transcript;
use crate::game::{Game, Note};
use crate::journal::Entry;
use crate::score::DISC;
use crate::search::{self, Limits, Selectivity};

fn think(board: Board) -> Think {
    Think::new(board, level::limits(4))
}

#[cfg(feature = "tune")]
#[test]
fn tuning_reaches_every_search() {
    use search::Parameters;
    let parameters = Parameters { lmr_min_moves: 9, ..Parameters::DEFAULT };
    let worker =
        Worker::new(Config { parameters, ..Config::default() }, Recorder::default(), vec![]);
    let limits = worker.thinker.limits(Board::START, &level::limits(4).into());
    assert_eq!(limits.parameters, parameters);
}

#[test]
fn every_broken_job_ends_as_one_of_its_kind() {
    let Done::Chosen(choice) = Job::Think(think(Board::START)).fallback() else { panic!() };
    assert!(Board::START.play(choice.mv().unwrap()).is_some());
    let effort = level::limits(1).into();
    let ponder = Job::Ponder { board: Board::START, effort };
    assert!(matches!(ponder.fallback(), Done::Pondered(found) if found.is_empty()));
    let survey = Job::Survey { boards: vec![Board::START], effort };
    assert!(matches!(survey.fallback(), Done::Surveyed));
    assert!(matches!(Job::Forget.fallback(), Done::Forgotten));
}

#[test]
fn a_worker_needs_no_engine_and_survives_a_panic() {
    let config = Config { hash_megabytes: 1, ..Config::default() };
    let mut worker = Worker::new(config.clone(), Recorder::default(), Vec::new());
    let thread = std::thread::Builder::new().stack_size(crate::engine::STACK);
    let thread = thread.spawn(move || {
        worker.configure(Config { n_threads: 3, ..config });
        assert!(!worker.thinker.is_prepared());
        worker.answer(&Job::Forget, &Stop::new(), &mut |_| {});
        assert!(worker.thinker.is_prepared());
        let job = Job::Think(think(Board::START));
        let mut n_reports = 0;
        let broken = worker.answer(&job, &Stop::new(), &mut |_| panic!("a test")).done;
        let whole = worker.answer(&job, &Stop::new(), &mut |_| n_reports += 1).done;
        for done in [broken, whole] {
            let Done::Chosen(choice) = done else { panic!("{done:?}") };
            assert!(Board::START.play(choice.mv().unwrap()).is_some());
        }
        n_reports
    });
    assert_eq!(thread.unwrap().join().unwrap(), 2);
}

/// A worker whose evaluation is not loaded before it is used.
fn waiting_worker() -> (Worker, Source) {
    let config = Config { hash_megabytes: 1, ..Config::default() };
    let mut worker = Worker::new(config, Recorder::default(), Vec::new());
    let evaluation = Source::from_bytes(EMBEDDED).unwrap();
    worker.thinker.set_evaluation(evaluation.clone());
    (worker, evaluation)
}

#[test]
fn a_short_clock_does_not_wait_for_the_evaluation() {
    let (mut worker, evaluation) = waiting_worker();
    let control = Control::Game { main: Duration::from_millis(100), increment: Duration::ZERO };
    let effort = Pace::timed(control).effort(Clock::new(control), Duration::from_millis(20));
    let timed = Job::Think(Think::new(Board::START, effort));
    let Done::Chosen(choice) = worker.answer(&timed, &Stop::new(), &mut |_| {}).done else {
        panic!()
    };
    assert!(Board::START.play(choice.mv().unwrap()).is_some());
    assert!(!worker.thinker.has_table());
    // Nor does a search that an input line has stopped.
    let stop = Stop::new();
    stop.set();
    let untimed = Job::Think(think(Board::START));
    let Done::Chosen(choice) = worker.answer(&untimed, &stop, &mut |_| {}).done else { panic!() };
    assert!(choice.mv().is_some() && !worker.thinker.has_table());
    assert!(matches!(worker.answer(&Job::Forget, &stop, &mut |_| {}).done, Done::Forgotten));
    let survey = Job::Survey { boards: vec![Board::START; 3], effort: level::limits(4).into() };
    let mut n_values = 0;
    worker.answer(&survey, &stop, &mut |_| n_values += 1);
    assert_eq!(n_values, 0, "of searches that were stopped");
    // Without a clock the search waits for the evaluation.
    evaluation.load();
    let result = worker.answer(&untimed, &Stop::new(), &mut |_| {}).done;
    assert!(worker.thinker.has_table());
    let Done::Chosen(choice) = result else { panic!() };
    let mut engine = Engine::start(Config { hash_megabytes: 1, ..Config::default() }).unwrap();
    engine.run(untimed, &Stop::new());
    let Done::Chosen(other) = engine.finished().recv().unwrap().1.done else { panic!() };
    assert_eq!(choice.outcome.lines, other.outcome.lines);
    assert_eq!(choice.outcome.nodes, other.outcome.nodes);
}

#[test]
fn a_dropped_engine_ends_whatever_it_does() {
    let endless = Effort::from(level::limits(60));
    let think = Job::Think(Think { effort: endless, ..think(Board::START) });
    let ponder = Job::Ponder { board: Board::START, effort: endless };
    let survey = Job::Survey { boards: vec![Board::START; 100], effort: endless };
    let (ended, has_ended) = crossbeam_channel::bounded(1);
    // Each as the running job, with the others waiting behind it.
    let jobs = [think, ponder, survey];
    for first in 0..jobs.len() {
        let mut engine = Engine::start(Config { hash_megabytes: 1, ..Config::default() }).unwrap();
        engine.run(Job::Forget, &Stop::new());
        engine.finished().recv().unwrap();
        for job in jobs.iter().cycle().skip(first).take(jobs.len()) {
            engine.run(job.clone(), &Stop::new());
        }
        let ended = ended.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            drop(engine);
            ended.send(()).unwrap();
        });
        let result = has_ended.recv_timeout(Duration::from_secs(60));
        assert!(result.is_ok(), "{:?} goes on", jobs[first]);
    }
}

/// The position after f5, and a book whose best move there is `best`, by searches of 8 plies.
fn book_with(best: &str) -> (Board, Config) {
    let after = |board: Board, square: Square| board.after(square, board.flips(square));
    let board = after(Board::START, Square::parse(b"f5").unwrap());
    let replies = board.moves().map(|square| {
        let mut entry = book::Entry::new(after(board, square));
        let score = if square.to_string() == best { 0 } else { 640 };
        entry.leaf = Some(searched(entry.board.moves().next().unwrap(), score, 8, 100));
        entry
    });
    let sections = Sections::new(replies.chain([book::Entry::new(board)]));
    let book = Some(Arc::new(Book::of(sections.clone())));
    (board, Config { hash_megabytes: 1, book, ..Config::default() })
}

#[test]
fn the_book_answers_unless_a_search_goes_deeper() {
    let (board, config) = book_with("f4");
    let (sender, entries) = std::sync::mpsc::channel();
    let recorder = Recorder::new(move |entry| drop(sender.send(entry)));
    let mut worker = Worker::new(config, recorder, Vec::new());
    let mut ask = |think: Think| {
        let result = worker.answer(&Job::Think(think), &Stop::new(), &mut |_| {}).done;
        let Done::Chosen(choice) = result else { panic!("{result:?}") };
        let last = entries.try_iter().last();
        assert_eq!(choice.booked.is_some(), matches!(last, Some(Entry::Step(Step::Booked(..)))));
        (choice.booked.is_some(), choice.mv().unwrap().to_string())
    };
    let variety = Some(Variety::default());
    let plies = |depth| Think::new(board, Limits::plies(depth, Selectivity::FULL));
    assert_eq!(ask(Think { variety, ..plies(9) }), (true, "f4".into()));
    assert!(!ask(Think { variety, ..plies(10) }).0);
    assert!(!ask(plies(9)).0, "analysis");
    let full = Strength::default();
    assert!(ask(Think { variety, ..plies(9) }.as_strong(full, 1)).0);
    let weak = Strength::new(30).unwrap();
    assert!(!ask(Think { variety, ..plies(9) }.as_strong(weak, 1)).0);
    // With few nodes a deep horizon is out of reach.
    let mut few = plies(40);
    few.effort.limits.nodes = Some(200);
    assert!(ask(Think { variety, ..few }).0);
    let elsewhere = Think { board: Board::START, variety, ..plies(1) };
    assert!(!ask(elsewhere).0);
    let mut surveyed = Vec::new();
    let effort = level::limits(1).into();
    let survey = Job::Survey { boards: vec![board], effort };
    worker.answer(&survey, &Stop::new(), &mut |event| surveyed.push(event));
    let steps: Vec<Entry> = entries.try_iter().collect();
    assert!(matches!(steps[..], [Entry::Step(Step::Searched(_))]), "{steps:?}");
    // A game that is over has its result.
    let over = Job::Survey { boards: vec![Board { player: 1, opponent: 0 }], effort };
    worker.answer(&over, &Stop::new(), &mut |event| surveyed.push(event));
    assert!(matches!(surveyed[1..], [Event::Valued { index: 0, score }] if score == 64 * DISC));
}

#[test]
fn the_book_comes_before_what_pondering_found() {
    let (board, config) = book_with("f4");
    let mut worker = Worker::new(config, Recorder::default(), Vec::new());
    let effort = level::limits(1).into();
    let ponder = Job::Ponder { board: Board::START, effort };
    let result = worker.answer(&ponder, &Stop::new(), &mut |_| {}).done;
    assert!(
        matches!(&result, Done::Pondered(found) if found.iter().any(|reply| reply.board == board))
    );
    let think = Think { variety: Some(Variety::default()), ..Think::new(board, effort) };
    let result = worker.answer(&Job::Think(think), &Stop::new(), &mut |_| {}).done;
    let Done::Chosen(choice) = result else { panic!("{result:?}") };
    assert!(choice.booked.is_some() && !choice.ponder_hit);
    assert!(worker.predictions.is_empty());
}

#[test]
fn values_compare_within_an_iteration() {
    let line =
        |text: &[u8], score| Line::new(Move::parse(text).unwrap(), score, search::Bound::Exact, 5);
    let known = vec![line(b"d6", 9), line(b"f4", 7), line(b"f6", 5)];
    let kept = |best: &[u8]| {
        let mut outcome = Outcome {
            lines: vec![line(best, 1), line(b"c1", 0)],
            interrupted: true,
            ..Outcome::default()
        };
        keep_compared(&mut outcome, known.clone());
        outcome.lines
    };
    assert_eq!(kept(b"d6"), known);
    assert_eq!(kept(b"f4"), known[1..]);
    assert_eq!(kept(b"h8"), [line(b"h8", 1)]);
}

#[test]
fn a_repeated_run_plays_the_book_where_the_earlier_one_did() {
    let (board, config) = book_with("f4");
    let think = Think {
        variety: Some(Variety::default()),
        ..Think::new(board, Limits::plies(1, Selectivity::FULL))
    };
    let searched: Step =
        "D6 +0.00 depth 1@100% nodes 9 time 0.000 solve 0 reach 60 complete".parse().unwrap();
    let booked = |mv: &str| Step::Booked(Move::parse(mv.as_bytes()).unwrap(), String::new());
    let steps = vec![searched, booked("d6"), booked("f4")];
    let mut worker = Worker::new(config, Recorder::default(), steps);
    let mut ask = || {
        let job = Job::Think(think);
        let result = worker.answer(&job, &Stop::new(), &mut |_| {}).done;
        let Done::Chosen(choice) = result else { panic!("{result:?}") };
        choice.booked.map(|line| line.mv().to_string())
    };
    let played = [ask(), ask(), ask(), ask()];
    assert_eq!(played, [None, Some("d6".into()), Some("f4".into()), Some("f4".into())]);
}

#[test]
fn pondering_foresees_the_replies_and_a_hit_is_played_at_once() {
    let mut engine = Engine::start(Config { hash_megabytes: 4, ..Config::default() }).unwrap();
    let effort = Effort::from(level::limits(5));
    let board = Board::START.play(Move::parse(b"f5").unwrap()).unwrap();
    engine.run(Job::Ponder { board, effort }, &Stop::new());
    let (_, Ended { done: result, .. }) = engine.finished().recv().unwrap();
    let Done::Pondered(table) = result else { panic!("{result:?}") };
    assert_eq!(table.len(), 3);
    let values: Vec<_> = table.iter().map(|reply| reply.outcome.best().unwrap().score).collect();
    assert!(values.is_sorted(), "{values:?}");
    let reply = table[2].clone();
    let think = Think::new(reply.board, effort);
    engine.run(Job::Think(think), &Stop::new());
    let Done::Chosen(choice) = engine.finished().recv().unwrap().1.done else { panic!() };
    assert!(choice.ponder_hit);
    assert_eq!(choice.outcome, reply.outcome);
    // A miss searches as ever.
    engine.run(Job::Think(Think { board: Board::START, ..think }), &Stop::new());
    let Done::Chosen(choice) = engine.finished().recv().unwrap().1.done else { panic!() };
    assert!(!choice.ponder_hit && choice.mv().is_some());
}

#[test]
fn most_of_pondering_goes_to_the_move_that_is_expected() {
    let stop = Stop::new();
    let (nodes, end) = (AtomicU64::new(0), stop.clone());
    let recorder = Recorder::new(move |entry| {
        if let Entry::Step(Step::Searched(searched)) = entry
            && nodes.fetch_add(searched.nodes, SeqCst) + searched.nodes > 1_000_000
        {
            end.set();
        }
    });
    let mut worker = Worker::new(Config::default(), recorder, Vec::new());
    let effort =
        Pace::OWN.effort(Clock::new(Control::Move(Duration::from_secs(60))), Duration::ZERO);
    let board = transcript::game("f5d6c3d3c4f4f6f3e6e7d7c5c6").unwrap().position().board;
    let Done::Pondered(found) =
        worker.answer(&Job::Ponder { board, effort }, &stop, &mut |_| {}).done
    else {
        panic!()
    };
    let depth = |reply: &Prediction| reply.outcome.best().unwrap().depth;
    let others = found[1..].iter().map(depth);
    assert!(found.len() > 5 && others.clone().all(|depth| depth >= 10), "{found:?}");
    let n_shallow = others.filter(|other| other + 4 < depth(&found[0])).count();
    assert!(n_shallow + 2 >= found[1..].len(), "{found:?}");
    // A hit goes on from there, even if it has no time: with the last iteration of its own parity that was complete.
    let limits = Limits { nodes: Some(1), ..effort.limits };
    let think = Job::Think(Think::new(found[0].board, limits));
    let Done::Chosen(choice) = worker.answer(&think, &Stop::new(), &mut |_| {}).done else {
        panic!()
    };
    let line = choice.outcome.best().unwrap();
    assert!(!choice.ponder_hit && line.depth + 3 >= depth(&found[0]), "{line:?} {:?}", found[0]);
}

#[test]
fn a_prediction_meets_what_asks_for_no_more() {
    for (depth, percent, interrupted, meets) in [
        (5, 87, false, true),
        (6, 87, false, false),
        (5, 95, false, false),
        (5, 73, false, true),
        // A search that was cut short has compared the moves one ply less deep.
        (5, 87, true, false),
        (4, 87, true, true),
    ] {
        let mv = Move::parse(b"f5").unwrap();
        let mut line = Line::new(mv, 0, search::Bound::Exact, 5);
        line.selectivity = Selectivity::from_percent(87);
        let outcome = Outcome { lines: vec![line], interrupted, ..Outcome::default() };
        let reply = Prediction { to: mv, board: Board::START, outcome, spent: Duration::ZERO };
        let asked = Limits::plies(depth, Selectivity::from_percent(percent));
        assert_eq!(ponder::meets(&reply, &asked, &asked), meets, "{depth} {percent} {interrupted}");
    }
    // Time counts where it can be saved; elsewhere only a lot of it.
    let second = Duration::from_secs(1);
    for (spent, hard, meets) in [(1, 2, true), (3, 1, false), (4, 1, true)] {
        let outcome = Outcome {
            lines: vec![Line::new(Move::Pass, 0, search::Bound::Exact, 5)],
            ..Outcome::default()
        };
        let (to, board, spent) = (Move::Pass, Board::START, second * spent);
        let reply = Prediction { to, board, outcome, spent };
        let asked = Limits::default();
        let time = Some(TimeLimit { soft: second, hard: second * hard });
        assert_eq!(ponder::meets(&reply, &asked, &Limits { time, ..asked }), meets, "{spent:?}");
    }
}

#[test]
fn a_move_that_varies_waits_for_no_book_outside_its_clock() {
    let book = Book::embedded();
    let config = Config { book: Some(Arc::clone(&book)), book_variety: 3.0, ..Config::default() };
    let mut game = Game::default();
    game.play(Move::parse(b"f5").unwrap(), Note::default());
    let board = game.position().board;
    let think = config.prepare(
        &game,
        board,
        Color::Black,
        Effort::default(),
        1,
        &mut VarietyTracker::default(),
    );
    assert!(think.variety.is_some_and(|variety| variety.left > 0) && !book.is_unpacked());
}

//! Tests of the analysis: classes, scores that fit together, the page's content.

use std::time::{Duration, Instant};

use super::judged::{Booked, Class};
use super::*;
use crate::board::{Color, Move};
use crate::book::openings::Openings;
use crate::clock::{Clock, Control};
use crate::engine::{self, Config, Job, Pace, Think, Worker};
use crate::evaluation::Evaluation;
use crate::files::games::GameFile;
use crate::formats::archive::Format;
use crate::formats::{Headers, transcript};
use crate::game::Game;
use crate::journal::Recorder;
use crate::requests::row::number;
use crate::score::DISC;
use crate::search::{Line, Stop};

/// A whole game.
const GAME: &str = "f5d6c3d3c4f4f6f3e6c6c5e7f7g5c7d7d8f8g6h5e8c8d2b8e3e2f1b6g3f2e1b4b3c1d1g1g4h2b5a4\
    a3a2a5a6h7h6h4c2g8h8h3g7a7a8b7g2h1b1b2a1";

fn game(moves: &str) -> Game {
    transcript::read(moves.as_bytes()).unwrap().replay().unwrap()
}

fn analyst(depth: u32) -> Analyst<'static> {
    let settings = Settings { time: None, depth: Some(depth), n_threads: 1, hash_megabytes: 8 };
    Analyst::new(settings, Evaluation::embedded()).unwrap()
}

#[test]
fn classes_begin_at_1_4_and_8_discs() {
    let classes = [0, 127, 128, 511, 512, 1023, 1024, 9999].map(Class::of);
    use Class::{Best, Blunder, Inaccuracy, Mistake};
    assert_eq!(classes, [Best, Best, Inaccuracy, Inaccuracy, Mistake, Mistake, Blunder, Blunder]);
}

#[test]
fn scores_of_a_game_fit_together() {
    let game = game(GAME);
    let mut n_told = 0;
    let judged = analyst(6).analyze(&game, &Stop::new(), &mut |_| n_told += 1);
    assert_eq!((judged.len(), n_told), (game.plies().len(), judged.len()));
    for (index, (ply, judged)) in game.plies().iter().zip(&judged).enumerate() {
        assert_eq!((judged.ply, judged.mv, judged.before), (index + 1, ply.mv, ply.before));
        assert!(judged.score <= judged.best.score && judged.loss() >= 0);
        assert_eq!(judged.best.pv.first(), Some(&judged.best.mv));
        let end = judged.best.pv.iter().try_fold(judged.before, |position, &mv| position.play(mv));
        assert!(end.is_some(), "{judged:?}");
        if judged.mv == judged.best.mv {
            assert_eq!(judged.loss(), 0);
        }
    }
    // Positions with six empty squares or fewer are solved, so a move's score is the next position's best one, negated.
    for pair in judged.windows(2).filter(|pair| pair[0].before.board.n_empties() <= 6) {
        assert!(pair[0].is_exact() && pair[1].is_exact());
        assert_eq!(pair[0].score, -pair[1].best.score);
    }
    if let (Some(result), Some(last)) = (game.result(), judged.last()) {
        assert_eq!(last.score * last.side().sign(), result * DISC);
    }
    let tallies = [Color::Black, Color::White].map(|color| Tally::new(&judged, color));
    let n_moves = game.plies().iter().filter(|ply| ply.mv != Move::Pass).count();
    assert_eq!(tallies[0].n_moves() + tallies[1].n_moves(), n_moves);
}

#[test]
fn a_blunder_is_found() {
    // Black takes the X square b2, next to an empty corner.
    let game = game("f5d6c3d3c4b3b2");
    let judged = analyst(8).analyze(&game, &Stop::new(), &mut |_| {});
    let last = judged.last().unwrap();
    // To practise with, the values of all moves are there, the best one first.
    let problem_of = |judged: &Judged, least, stop: &Stop| analyst(8).problem(judged, least, stop);
    let problem = problem_of(last, last.loss(), &Stop::new()).unwrap();
    let scores: Vec<i32> = problem.scores.iter().map(|(_, score)| *score).collect();
    assert!(problem.has_all_moves() && scores.is_sorted_by(|a, b| a >= b), "{problem:?}");
    assert_eq!((problem.scores[0].0, problem.position), (last.best.mv, last.before));
    assert_eq!(problem_of(last, 64 * DISC, &Stop::new()), None);
    // What a book knows is deeper than all moves can be searched.
    let booked = Judged { best: Line { depth: 50, ..last.best.clone() }, ..last.clone() };
    assert_eq!(problem_of(&booked, last.loss(), &Stop::new()), Some(problem));
    let stop = Stop::new();
    stop.set();
    assert_eq!(problem_of(last, last.loss(), &stop), None);
    assert_eq!(
        (last.class(), last.best.mv),
        (Class::Blunder, Move::parse(b"c6").unwrap()),
        "{last:?}"
    );
    assert_eq!(last.better(), Some(&last.best));
    // Another move that is worth as much is no better one.
    assert_eq!(Judged { score: last.best.score, ..last.clone() }.better(), None);
    // A proven wipe-out and an estimate that comes near it differ by their scales alone.
    let line = |discs: i32, exact| Line { score: discs * DISC, exact, ..last.best.clone() };
    for (best, played, is_proven, loss) in [
        (line(64, true), 63, false, 0),
        (line(-63, false), -64, true, 0),
        (line(64, true), 62, false, 2),
        (line(64, true), 62, true, 2),
        (line(63, false), -64, true, 127),
    ] {
        let judged = Judged { best, score: played * DISC, is_proven, ..last.clone() };
        assert_eq!(judged.loss(), loss * DISC, "{judged:?}");
    }
}

#[test]
fn moves_that_differ_by_a_symmetry_are_equal() {
    for first in ["f5d6", "e6f4", "d3c5", "c4e3"] {
        let judged = analyst(3).analyze(&game(first), &Stop::new(), &mut |_| {});
        assert_eq!((judged[0].best.mv, judged[0].loss()), (judged[0].mv, 0), "{first}");
    }
}

#[test]
fn passes_and_forced_moves_take_no_search() {
    let game = game("f5f6d3g5h5h4f7h6c5");
    let judged = analyst(4).analyze(&game, &Stop::new(), &mut |_| {});
    let pass = &judged[8];
    assert_eq!((pass.mv, pass.loss(), pass.nodes), (Move::Pass, 0, 0));
    assert_eq!(pass.score, -judged[9].best.score);
}

#[test]
fn rows_are_json_with_whole_numbers_where_they_are_proven() {
    let file = GameFile::of(String::new(), "e6f4e3f6g5d6e7f5c5".into(), Format::Transcript);
    let entry = file.games().unwrap().next().unwrap().unwrap();
    let judged = analyst(4).analyze(&entry.game, &Stop::new(), &mut |_| {});
    let names = Openings::default().names(&entry.game);
    let rows: Vec<serde_json::Value> = judged
        .iter()
        .zip(names)
        .map(|(judged, name)| serde_json::from_str(&row(&entry, judged, name).to_string()).unwrap())
        .collect();
    let last = rows.last().unwrap();
    assert_eq!(
        (&last["game"], &last["ply"], &last["side"]),
        (&1.into(), &9.into(), &"black".into())
    );
    assert_eq!((&last["move"], &last["score"]), (&"c5".into(), &64.into()));
    assert_eq!((&last["exact"], &last["class"]), (&true.into(), &"best".into()));
    for key in
        ["best", "best_score", "loss", "class", "depth", "confidence", "exact", "nodes", "pv"]
    {
        assert!(!last[key].is_null(), "{key}");
    }
    assert!(rows[0]["score"].as_f64().is_some_and(|score| (score * 100.0).fract().abs() < 1e-6));
    assert_eq!(number(-1, false).to_string(), "-0.01");
    assert_eq!(number(0, false).to_string(), "0.0");
}

#[test]
fn the_exit_from_a_book_is_a_move_or_a_position() {
    let mut judged = analyst(2).analyze(&game("f5d6c3d3c4"), &Stop::new(), &mut |_| {});
    assert_eq!((exit(&judged), exit_text(&judged)), (None, None));
    let known =
        |judged: &Judged, knows_played| Booked::Known { best: judged.best.clone(), knows_played };
    for judged in &mut judged {
        judged.booked = known(judged, true);
        judged.score = judged.best.score;
    }
    assert_eq!(exit_text(&judged).as_deref(), Some("The game never left the book."));
    // That a book knows moves does not make them good.
    judged[1].score -= 5 * DISC;
    let told = exit_text(&judged).unwrap();
    assert!(told.starts_with("The game never left the book; until then Black lost 0."), "{told}");
    assert!(told.contains(" discs and White 5."), "{told}");
    judged[1].score = judged[1].best.score;
    judged[3].booked = Booked::Unknown;
    assert_eq!(exit_text(&judged).as_deref(), Some("The book ends before ply 4, d3."));
    judged[2].booked = known(&judged[2], false);
    let text = exit_text(&judged).unwrap();
    let told = "The game left the book at ply 3: it went on with c3, the book has ";
    assert!(text.starts_with(told) && text.ends_with(" deep at 100% confidence)."), "{text}");
    assert_eq!((exit(&judged[1..]), exit_text(&judged[1..])), (None, None));
    // The exit is the first unknown ply, even if the game comes back to the book by another way.
    judged[0].booked = Booked::Unknown;
    assert_eq!(exit_text(&judged).as_deref(), Some("The book does not know the first position."));
}

#[test]
fn pages_are_complete_and_load_nothing() {
    let game = game("f5d6c3d3c4b3b2");
    let judged = analyst(5).analyze(&game, &Stop::new(), &mut |_| {});
    let headers = Headers {
        names: ["<Ann>".into(), String::new()],
        place: "</script>".into(),
        ..Headers::default()
    };
    let page = html(&game, &headers, Some("Comp'Oth"), &judged, "5 plies.", None);
    for words in [
        "<title>&lt;Ann&gt; – White · Othello game analysis</title>",
        "<h1><bdi>&lt;Ann&gt;</bdi> – <bdi>White</bdi></h1>",
        "Comp&#39;Oth",
        "&lt;/script&gt;",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.find(r#"id="board""#) < page.find(r#"class="cards""#));
    assert!(!page.contains("{{") && !page.contains("Ann></bdi>"));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("<script").count(), 2);
    let data = |page: &str| -> serde_json::Value {
        let data = page.split(r#"id="data">"#).nth(1).unwrap().split("</script>").next().unwrap();
        serde_json::from_str(data).unwrap()
    };
    let plies = &data(&page)["plies"];
    assert_eq!(plies.as_array().unwrap().len(), 7);
    assert_eq!((&plies[0]["move"], &plies[0]["better"]), (&"f5".into(), &().into()));
    assert_eq!(plies[6]["better"][0], judged[6].best.mv.to_string());
    // Of an analysis that was stopped, the plies that are judged stay where they are.
    let page = html(&game, &headers, None, &judged[5..], "", None);
    let part = &data(&page)["plies"];
    assert_eq!([&part[4]["class"], &part[5], &part[6]], [&().into(), &plies[5], &plies[6]]);
    assert!(page.contains(" · judged from ply 6 on"), "{page}");
    let [ggf, sgf] = [ggf(&game, &headers, &judged[5..]), sgf(&game, &headers, &judged[5..])];
    assert!(ggf.contains("]B[C4]W[B3/") && sgf.contains("BM[2]C[blunder"), "{ggf} {sgf}");
    for (date, score, shown) in [
        ("2003.12.15", None, " · 2003.12.15</p>"),
        ("20031215", None, " · 20031215</p>"),
        ("1068149474", None, r#" · <time id="date">1068149474</time></p>"#),
        ("", None, "Unfinished</p>"),
        ("", Some(10.0), ">Black won by 10</p>"),
        ("", Some(-10.0), ">White won by 10</p>"),
    ] {
        let mut headers = Headers { date: date.into(), ..Headers::default() };
        headers.result.score = score;
        let page = html(&game, &headers, None, &judged, "", None);
        assert!(page.contains(shown), "{date}");
    }
    html(&Game::default(), &Headers::default(), None, &[], "", None);
}

/// With a time for a move, an analysis plans it as the engine does: it neither tries to solve too early nor takes
/// longer. Other work may take the processor from one of the two, so there are several tries.
#[test]
fn an_analysis_gets_as_far_as_the_engine_in_the_same_time() {
    let tries: Vec<_> = (0..8).map_while(|_| compare_with_engine().err()).collect();
    assert!(tries.len() < 8, "{tries:#?}");
}

fn compare_with_engine() -> Result<(), String> {
    let time = Duration::from_millis(60);
    let game = game(GAME);
    let settings = Settings { time: Some(time), depth: None, n_threads: 1, hash_megabytes: 16 };
    let start = Instant::now();
    let judged = Analyst::new(settings, Evaluation::embedded()).unwrap().analyze(
        &game,
        &Stop::new(),
        &mut |_| {},
    );
    let elapsed = start.elapsed();
    if elapsed > time * (game.plies().len() as u32 + 1) * 5 / 4 {
        return Err(format!("{elapsed:?}"));
    }
    let mut worker = Worker::new(Config::default(), Recorder::default(), Vec::new());
    let effort = Pace::OWN.effort(Clock::new(Control::Move(time)), Duration::ZERO);
    let (mut of_analysis, mut of_engine) = (0, 0);
    for judged in
        judged.iter().filter(|judged| (22..=34).contains(&judged.before.board.n_empties()))
    {
        let board = judged.before.board;
        let job = Job::Think(Think::new(board, effort));
        let engine::Done::Chosen(choice) = worker.answer(&job, &Stop::new(), &mut |_| {}).done
        else {
            panic!("no choice")
        };
        // An unfinished search to the end counts only as the iteration twelve plies before it.
        of_analysis += judged.best.depth.min(22);
        of_engine += choice.line().unwrap().depth.min(22);
    }
    let is_as_far = of_analysis + 13 >= of_engine;
    is_as_far.then_some(()).ok_or(format!("{of_analysis} plies, {of_engine} by the engine"))
}

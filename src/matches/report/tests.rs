//! Tests of the terminal table and the page with synthetic events.

use std::collections::HashSet;

use anstream::adapter::strip_str;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::html;
use super::numbers::duration;
use crate::matches::record::{End, GameRecord, PlayerFault};
use crate::matches::standing::Standing;
use crate::players::Cause;

/// White passes on ply 9, and the side after it as well as before it is Black.
const MOVES_WITH_PASS: &str = "f5f6d3g5h5h4f7h6pac5";

const HOSTILE: [&str; 5] = [
    "</script><script>alert(1)</script>",
    "\" onload='alert(1)' x=\"",
    "]]><!-- {{data}} &amp;",
    "line\u{2028}break\u{202e}\n\u{1b}[31m\t\0",
    "白黒オセロ🦀é",
];

fn record(id: u64, black: &str, white: &str, score: i32) -> GameRecord {
    GameRecord {
        opening: "f5f6".into(),
        moves: MOVES_WITH_PASS.into(),
        times: vec![0.0, 0.0, 0.5, 0.25, 0.000_31],
        scores: vec![None, None, Some(1.5), Some(-2.25), None],
        started: 1_700_000_000,
        ..GameRecord::example(id, black, white, score)
    }
}

fn faulty(id: u64, black: &str, white: &str, text: &str) -> GameRecord {
    let fault = PlayerFault { player: white.into(), cause: Cause::BadReply, text: text.into() };
    GameRecord { end: End::Fault, fault: Some(fault), ..record(id, black, white, 64) }
}

fn standing_of(names: &[&str], records: &[GameRecord]) -> Standing {
    let mut standing = Standing::new(names.iter().map(|name| name.to_string()));
    records.iter().for_each(|record| standing.add(record));
    standing
}

/// The table without colors.
fn text(standing: &Standing) -> String {
    strip_str(&super::text(standing)).to_string()
}

/// A round robin of as many players as there are names.
fn event_of(names: &[&str]) -> (Standing, Vec<GameRecord>) {
    let mut records = Vec::new();
    for (first, black) in names.iter().enumerate() {
        for white in &names[first + 1..] {
            let id = records.len() as u64 + 1;
            records.push(record(id, black, white, 10));
            records.push(record(id + 1, white, black, -2));
        }
    }
    (standing_of(names, &records), records)
}

/// The data that the script will read. Also checks what holds for every page.
fn data_of(page: &str) -> Value {
    for address in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(address), "{address}");
    }
    assert!(!page.contains("{{style}}") && !page.contains("NaN") && !page.contains("inf%"));
    let (_, after) = page.split_once(r#"<script type="application/json" id="data">"#).unwrap();
    let (json, _) = after.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

/// The page of games of A and B.
fn page_of(records: &[GameRecord]) -> String {
    html(&standing_of(&["A", "B"], records), records)
}

/// The points of the first line or area of a class.
fn points(page: &str, class: &str) -> String {
    let (_, after) = page.split_once(&format!(r#"class="{class}" points=""#)).unwrap();
    after.split_once('"').unwrap().0.to_owned()
}

#[test]
fn an_empty_event_has_a_page_and_a_table() {
    let standing = standing_of(&["A", "B"], &[]);
    let page = html(&standing, &[]);
    assert_eq!(data_of(&page)["games"], Value::Array(vec![]));
    assert!(page.contains("No games yet"));
    assert_eq!(
        text(&standing),
        "rank  player  rating  points  games  score  total time  faults\n   \
         1  A            -     0.0      0      -         0 s       0\n   \
         2  B            -     0.0      0      -         0 s       0"
    );
    let nobody = Standing::default();
    assert!(data_of(&html(&nobody, &[]))["players"].as_array().unwrap().is_empty());
    assert_eq!(text(&nobody).lines().count(), 1);
}

#[test]
fn games_are_embedded_with_their_passes_values_and_times() {
    let implied = GameRecord { moves: "f5f6d3g5h5h4f7h6c5".into(), ..record(1, "A", "B", 2) };
    let start = "---------------------------XO------OX--------------------------- O";
    let other = GameRecord {
        moves: format!("{start} f5"),
        opening: start.into(),
        times: vec![],
        scores: vec![],
        ..record(2, "B", "A", 2)
    };
    let damaged = GameRecord { moves: "a1".into(), ..record(3, "A", "B", 2) };
    // Games of another event have other keys.
    let event = GameRecord { event: 1, ..record(1, "B", "A", 2) };
    let page = page_of(&[record(7, "A", "B", 12), implied, other, damaged, event]);
    let data = data_of(&page);
    let (values, times) = (json!([null, null, 150, -225]), json!([null, null, 5000, 2500, 3]));
    let whole =
        json!(["7", [0, 1], 12, 0, 0, 2, MOVES_WITH_PASS, values, times, 1_700_000_000, null]);
    assert_eq!((&data["games"][0], &data["ends"]), (&whole, &json!(["played out"])));
    let usual = "---------------------------OX------XO--------------------------- X";
    assert_eq!(data["starts"], json!([usual, start]));
    let column = |index: usize| -> Vec<&Value> {
        data["games"].as_array().unwrap().iter().map(|game| &game[index]).collect()
    };
    assert_eq!(column(0), ["7", "1", "2", "3", "1.2"]);
    assert_eq!(column(4), [0, 0, 1, 0, 0]);
    assert_eq!(column(6), [MOVES_WITH_PASS, MOVES_WITH_PASS, "f5", "", MOVES_WITH_PASS]);
}

#[test]
fn names_and_fault_texts_cannot_leave_their_places() {
    let (_, mut records) = event_of(&HOSTILE);
    let text_of_fault = "> genmove\r\n< </pre><img/onerror=alert(1)> \u{2028}\u{2029}\n]]>\0";
    records.push(faulty(99, HOSTILE[0], HOSTILE[1], text_of_fault));
    let standing = standing_of(&HOSTILE, &records);
    let page = html(&standing, &records);
    let data = data_of(&page);
    assert_eq!(data["players"], json!(HOSTILE));
    let last = data["games"].as_array().unwrap().last().unwrap();
    assert_eq!(last[10], json!([1, "bad-reply", text_of_fault]));
    // The page has only two script elements: the data and the script.
    let count = |text: &str| page.matches(text).count();
    assert_eq!((count("<script"), count("</script")), (2, 2));
    for forbidden in ["<img", "<!--", "]]>", "\u{2028}", "\u{202e}", "\u{1b}", "\0"] {
        assert!(!page.contains(forbidden), "{forbidden:?}");
    }
    let (visible, _) = page.split_once(r#"id="data">"#).unwrap();
    assert!(visible.contains("onload=&#39;") && !visible.contains("onload='"));
    assert!(page.contains("{{data}} &amp;amp;"), "a name is no piece of the template");
    assert!(page.contains("&gt; genmove\n&lt; &lt;/pre&gt;"));
    // Every tag that is opened is closed.
    for tag in ["table", "tr", "td", "th", "svg", "div", "section", "bdi", "pre", "small", "ul"] {
        let opened = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
        assert_eq!(opened, count(&format!("</{tag}>")), "{tag}");
    }
}

#[test]
fn faults_are_counted_and_linked() {
    let mut records = vec![record(1, "A", "B", 12)];
    records.extend((2..152).map(|id| faulty(id, "A", "B", "said nothing of use")));
    let page = page_of(&records);
    data_of(&page);
    for text in [
        "<bdi>B</bdi>: bad-reply × 150",
        r##"<a href="#game=2" aria-label="Game 2">2</a>"##,
        "<p>50 more",
        "1 played out, 150 by fault",
        "Excludes 150 games",
        "<bdi>A</bdi> scored 100.0%",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(page_of(&records[..1]).contains("There were no faults"));
}

#[test]
fn pairs_are_matched_within_their_event_only() {
    // One game of a pair in each of two events: neither the chart nor the table may join them.
    let other = GameRecord { event: 1, ..record(2, "B", "A", 10) };
    let apart = [record(1, "A", "B", 10), other];
    let together = [record(1, "A", "B", 10), record(2, "B", "A", 10)];
    let band = |records: &[GameRecord]| points(&page_of(records), "band");
    assert_ne!(band(&apart), band(&together));
    let tally = |records: &[GameRecord]| {
        let standing = standing_of(&["A", "B"], records);
        let tally = standing.encounters().next().unwrap().1.tally;
        (tally.pentanomial().iter().sum::<u64>(), tally.singles().iter().sum::<u64>())
    };
    assert_eq!((tally(&apart), tally(&together)), ((0, 2), (1, 0)));
}

#[test]
fn a_mean_of_no_discs_is_not_shown() {
    // Only faults, whose discs do not count.
    let records = [faulty(1, "A", "B", "x"), faulty(2, "B", "A", "x")];
    for records in [&records[..], &[]] {
        let standing = standing_of(&["A", "B"], records);
        let page = html(&standing, records);
        assert!(!page.contains("± 64"), "{page}");
        assert!(!standing.closing_lines().iter().any(|line| line.contains("64")));
    }
}

#[test]
fn charts_show_every_score_once() {
    let scores = [-64, -61, -60, -1, 0, 1, 4, 5, 64];
    let records: Vec<GameRecord> =
        (1..).zip(scores).map(|(id, score)| record(id, "A", "B", score)).collect();
    let page = page_of(&records);
    for bar in [
        "−64 to −61: 2 games",
        "−60 to −57: 1 game<",
        "−4 to −1: 1 game<",
        "draw: 1 game<",
        "+1 to +4: 2 games",
        "+5 to +8: 1 game<",
        "+61 to +64: 1 game<",
        r#"<path class="line s0" d="M0 5h32"/></svg> <span>score of <bdi>A</bdi></span></li>"#,
        r#"<path class="minus" d="M0 0h32v10H0z"/></svg> <span><bdi>B</bdi> won</span></li>"#,
        "<title>A – B · Othello match report</title>",
    ] {
        assert!(page.contains(bar), "{bar}");
    }
    let line = |page: &str| points(page, "line s0");
    assert_eq!(line(&page).split(' ').count(), scores.len());
    // A has 4.5 of 9 points: the last point is half way up from 0 to 100 %.
    assert!(line(&page).ends_with("1000.0,500.0"), "{page}");
    // Long events stay small.
    let records: Vec<GameRecord> = (1..=5000).map(|id| record(id, "A", "B", 2)).collect();
    let page = page_of(&records);
    assert!(page.len() < 150 * records.len(), "{}", page.len());
    assert!(line(&page).split(' ').count() <= 401);
}

#[test]
fn the_terminal_table_is_aligned_within_a_hundred_columns() {
    let long = "x".repeat(60);
    let wide = "黒".repeat(30);
    let many: Vec<String> = (0..20).map(|number| format!("player number {number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for names in [&[long.as_str(), &wide][..], &[&long, &wide, "e\u{301}", "A"], &HOSTILE, &many] {
        let (standing, _) = event_of(names);
        let text = text(&standing);
        assert!(!text.chars().any(|symbol| symbol.is_control() && symbol != '\n'), "{text:?}");
        for line in text.lines() {
            assert!(line.width() <= 100, "{line}");
        }
        let list: HashSet<usize> =
            text.lines().take(names.len() + 1).map(UnicodeWidthStr::width).collect();
        assert_eq!(list.len(), 1, "{text}");
        // With more than two players there is a cross table, if need be in parts.
        assert_eq!(text.contains("against"), names.len() > 2);
    }
}

#[test]
fn the_cross_table_is_from_the_side_of_the_row() {
    let records = [record(1, "A", "B", 10), record(2, "B", "C", 10), record(3, "C", "A", 0)];
    let text = text(&standing_of(&["A", "B", "C"], &records));
    let cross: Vec<&str> = text.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
    assert_eq!(
        cross,
        [
            "rank  against       1       2       3",
            "   1  A             -  100.0%   50.0%",
            "                        1-0-0   0-1-0",
            "   2  B          0.0%       -  100.0%",
            "                0-0-1           1-0-0",
            "   3  C         50.0%    0.0%       -",
            "                0-1-0   0-0-1",
        ]
    );
}

#[test]
fn times_above_zero_are_not_shown_as_zero() {
    for exponent in -9..6 {
        for first in [1.0, 4.9, 5.1, 9.4, 9.96] {
            let text = duration(first * 10f64.powi(exponent));
            assert!(text.contains(|digit| ('1'..='9').contains(&digit)), "{text}");
        }
    }
    // On the page times are numbers that its script formats.
    let times = vec![0.0, 0.0, 0.000_001];
    let page = page_of(&[GameRecord { times, ..record(1, "A", "B", 2) }]);
    assert_eq!(data_of(&page)["games"][0][8], json!([null, null, 0]));
    assert!(page.contains("under 0.05 ms"));
    for (seconds, expected) in [
        (0.0, "0 s"),
        (0.000_31, "0.31 ms"),
        (0.009_96, "10 ms"),
        (0.999_4, "999 ms"),
        (0.999_6, "1.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 00 s"),
        (3599.6, "1 h 00 min"),
        (360_000.0, "100 h 00 min"),
    ] {
        assert_eq!(duration(seconds), expected);
    }
}

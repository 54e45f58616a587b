//! The page as a whole: its template filled with summary, tables, charts and games.

use std::collections::{HashMap, HashSet};

use super::charts::{Line, has_discs, histogram, sampled, score_over_time};
use super::games;
use super::numbers::{duration, percent};
use super::ranking::{Ranked, note_on_groups, ranked};
use super::tables::{self, elo_number, results};
use crate::board::Color;
use crate::matches::record::{End, GameRecord};
use crate::matches::standing::Standing;
use crate::matches::statistics::elo::Summary;
use crate::matches::statistics::{GameScore, Outcome, Tally};
use crate::page::chart::{AREA, LINE, entry, legend};
use crate::page::pieces::{board, card, list, minus, name, signed};
use crate::page::{LIST, escape, fill, page, scripts};
use crate::support::text::counted;

const TEMPLATE: &str = include_str!("page.html");
const OWN_STYLE: &str = include_str!("page.css");
const OWN_SCRIPT: &str = include_str!("page.js");
const HEADS: &str = r#"<th scope="col">Game</th><th scope="col">Black</th><th scope="col">White</th><th scope="col"><abbr title="Disc difference for Black">Score</abbr></th><th scope="col">End</th><th scope="col">Moves</th><th scope="col">Opening</th>"#;

/// The number of distinguishable lines in the chart of the score over time, as defined in the style sheet.
const MAX_LINES: usize = 8;

/// One self-contained page that loads nothing from the network: tables, charts and all games on a board.
///
/// The URL fragment `#game=12&ply=20` opens a game. If games of several events share a number, `#game=12.2` is the second.
pub fn html(standing: &Standing, records: &[GameRecord]) -> String {
    let players = ranked(standing);
    let (score, legend) = score_chart(standing, &players, records);
    let [differences, differences_note] = difference_chart(standing, records);
    let main = fill(
        TEMPLATE,
        &[
            ("board", &board([""; 2], "")),
            ("cards", &cards(standing, records)),
            ("ratings", &tables::rating_list(standing, &players)),
            ("cross-table", &tables::cross_table(standing, &players)),
            ("pairs", &tables::pairs(standing)),
            ("score-chart", &score),
            ("score-legend", &legend),
            ("difference-chart", &differences),
            ("difference-note", &differences_note),
            ("thinking-time", &tables::thinking_time(standing, &players, records)),
            ("faults", &tables::faults(standing, records)),
            ("list", &list("End", HEADS, "")),
        ],
    );
    let names: Vec<&str> = standing.names().iter().map(String::as_str).collect();
    let lead = lead(standing, &players, records) + r#" <span id="dates"></span>"#;
    let scripts = scripts(&games::games(standing, records), &(LIST.to_owned() + OWN_SCRIPT));
    page("Othello match report", &names, &lead, OWN_STYLE, &main, &scripts)
}

fn lead(standing: &Standing, players: &[Ranked], records: &[GameRecord]) -> String {
    let n_games = counted(records.len(), "game", "games");
    if let Some((encounter, [first, second])) = match_of_two(standing) {
        let Summary { score, .. } = Summary::new(&encounter);
        return format!(
            "{} scored {} ± {:.1} against {} in {n_games}.",
            name(first),
            percent(score.value),
            100.0 * score.error(),
            name(second)
        );
    }
    if let Some(note) = note_on_groups(standing, players) {
        return format!("{n_games}. {}.", escape(&note));
    }
    match players.first().filter(|leader| leader.rating.games > 0) {
        Some(leader) => format!(
            "{} leads {} after {n_games}, rated {} ± {:.0}.",
            name(&standing.names()[leader.player]),
            counted(players.len(), "player", "players"),
            minus(&signed(leader.rating.elo, 0)),
            leader.rating.error
        ),
        None => "No game has finished yet.".into(),
    }
}

fn match_of_two(standing: &Standing) -> Option<(Tally, [&str; 2])> {
    let [first, second] = standing.names() else { return None };
    let (_, encounter) = standing.encounters().next()?;
    Some((encounter.tally, [first, second]))
}

fn cards(standing: &Standing, records: &[GameRecord]) -> String {
    let mut cards = Vec::new();
    if let Some((tally, [first, _])) = match_of_two(standing) {
        let Summary { score, elo, superiority, discs } = Summary::new(&tally);
        let heading = format!("Score of {}", name(first));
        cards.push(card(&heading, &percent(score.value), &results(&tally)));
        let range = format!("95%: {} to {}", elo_number(elo.low), elo_number(elo.high));
        cards.push(card("Elo difference", &elo_number(elo.value), &range));
        cards.push(card(
            "Likelihood of superiority",
            &percent(superiority),
            &format!("that {} is stronger", name(first)),
        ));
        if let Some(discs) = discs {
            cards.push(card(
                "Mean disc difference",
                &minus(&signed(discs.value, 2)),
                &format!("± {:.2}", discs.error()),
            ));
        }
    }
    let ends = [End::Played, End::Adjudicated, End::Resigned, End::Fault].map(|end| {
        let n = records.iter().filter(|record| record.end == end).count();
        let by = if end == End::Fault { "by " } else { "" };
        (n > 0).then(|| format!("{n} {by}{}", games::end_name(end)))
    });
    let ends: Vec<String> = ends.into_iter().flatten().collect();
    cards.push(card("Games", &records.len().to_string(), &ends.join(", ")));
    if !records.is_empty() {
        let points: f64 = records.iter().map(GameRecord::points).sum();
        let share = percent(points / records.len() as f64);
        cards.push(card("Score of Black", &share, "over all games"));
    }
    let n_faults: u64 = standing.faults().map(|fault| fault.2).sum();
    let at_fault: HashSet<usize> = standing.faults().map(|fault| fault.0).collect();
    let by = format!("by {}", counted(at_fault.len(), "player", "players"));
    cards.push(card("Faults", &n_faults.to_string(), if n_faults > 0 { &by } else { "" }));
    let seconds: f64 = standing.seconds().iter().sum();
    cards.push(card("Thinking time", &duration(seconds), "all players together"));
    cards.concat()
}

fn score_chart(
    standing: &Standing,
    players: &[Ranked],
    records: &[GameRecord],
) -> (String, String) {
    if records.is_empty() {
        return ("<p>No games yet.</p>".into(), String::new());
    }
    let names = standing.names();
    let shown: Vec<&str> = match names {
        [first, _] => vec![first],
        _ => players.iter().take(MAX_LINES).map(|player| names[player.player].as_str()).collect(),
    };
    let sample = |(number, player): (usize, &&str)| {
        entry(LINE, &format!("line s{number}"), &format!("score of {}", name(player)))
    };
    let mut entries: Vec<String> = shown.iter().enumerate().map(sample).collect();
    let left_out = match names.len() {
        2 => {
            entries.push(entry(AREA, "band", "95% interval"));
            String::new()
        }
        n => match n - shown.len() {
            0 => String::new(),
            1 => r#"<p class="note">The weakest player is left out.</p>"#.into(),
            n => format!(r#"<p class="note">The {n} weakest players are left out.</p>"#),
        },
    };
    (score_over_time(records.len(), &lines(&shown, records)), legend(&entries) + &left_out)
}

/// The shares of the points of some players after each plotted game; that of one alone with its interval.
fn lines<'a>(names: &[&'a str], records: &[GameRecord]) -> Vec<Line<'a>> {
    let is_shown = sampled(records.len());
    let mut tallies = vec![Tally::default(); names.len()];
    let mut lines: Vec<Line<'a>> =
        names.iter().map(|name| Line { name, points: Vec::new() }).collect();
    // Games whose partner has not been played yet.
    let mut halves: HashMap<(usize, (usize, u64)), GameScore> = HashMap::new();
    for (number, record) in (1..).zip(records) {
        for (player, color) in [(&record.black, Color::Black), (&record.white, Color::White)] {
            let Some(place) = names.iter().position(|name| name == player) else { continue };
            let game = GameScore::decided(match (record.result * color.sign()).signum() {
                1 => Outcome::Win,
                0 => Outcome::Draw,
                _ => Outcome::Loss,
            });
            let key = (place, record.pair_key());
            match halves.remove(&key) {
                Some(half) => tallies[place].complete_pair(half, game),
                None => {
                    tallies[place].add_single(game);
                    halves.insert(key, game);
                }
            }
        }
        for (line, tally) in lines.iter_mut().zip(&tallies).filter(|row| row.1.games() > 0) {
            if is_shown(number) {
                let mut score = Summary::new(tally).score;
                if names.len() > 1 {
                    (score.low, score.high) = (score.value, score.value);
                }
                line.points.push((number, score));
            }
        }
    }
    lines
}

fn difference_chart(standing: &Standing, records: &[GameRecord]) -> [String; 2] {
    let first = standing.names().first().filter(|_| standing.names().len() == 2);
    let shown: Vec<i32> = records
        .iter()
        .filter(|record| has_discs(record))
        .map(|record| match first {
            Some(first) if *first != record.black => -record.result,
            _ => record.result,
        })
        .collect();
    if shown.is_empty() {
        let none = if records.is_empty() { "No games yet." } else { "No game was played out." };
        return [format!("<p>{none}</p>"), String::new()];
    }
    let whose = match standing.names() {
        [first, second] => [first, second].map(|player| name(player)),
        _ => ["Black", "White"].map(String::from),
    };
    let [plus, minus] = [("plus", &whose[0]), ("minus", &whose[1])]
        .map(|(class, player)| entry(AREA, class, &format!("{player} won")));
    let key = legend(&[minus, entry(AREA, "draw", "draw"), plus]);
    let left_out = match records.len() - shown.len() {
        0 => String::new(),
        n => {
            format!(" Excludes {} that ended by fault or resignation.", counted(n, "game", "games"))
        }
    };
    [
        histogram(shown.into_iter()) + &key,
        format!("Discs of {} minus those of {}, in steps of 4.{left_out}", whose[0], whose[1]),
    ]
}

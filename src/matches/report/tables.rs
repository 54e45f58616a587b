//! The page's tables.

use super::charts::{rating_bar, rating_marks, rating_scale, time_bar};
use super::games;
use super::numbers::{duration, percent};
use super::ranking::{Ranked, crossed};
use crate::board::Color;
use crate::matches::record::GameRecord;
use crate::matches::standing::Standing;
use crate::matches::statistics::Tally;
use crate::matches::statistics::elo::{Estimate, Summary};
use crate::page::pieces::{minus, name, scrolled, signed};
use crate::page::{escape, escape_lines};

/// The most faults listed with their texts; every fault is also shown with its game.
const MAX_FAULTS: usize = 100;

/// From the strongest to the weakest, with error bars.
pub(super) fn rating_list(standing: &Standing, players: &[Ranked]) -> String {
    let scale = rating_scale(players);
    let rows = (1..).zip(players).map(|(rank, player)| {
        let rating = &player.rating;
        let tally = standing.total(player.player);
        let elo = if rating.error.is_finite() {
            format!(
                "{} <small>± {:.0}</small>",
                minus(&signed(rating.elo, 0)),
                rating.error
            )
        } else {
            "–".into()
        };
        format!(
            r#"<tr><td>{rank}</td><th scope="row">{}</th><td>{elo}</td><td class="bars">{}</td><td>{}</td><td>{:.1}</td><td>{}</td><td>{}</td><td>{}</td></tr>"#,
            name(&standing.names()[player.player]),
            rating_bar(&scale, player),
            player.score().map_or("–".into(), percent),
            rating.points,
            rating.games,
            results(&tally),
            player.faults
        )
    });
    let rows: String = rows.collect();
    let marks = rating_marks(&scale);
    scrolled(
        ["ratings", "Rating list"],
        &format!(
            r#"<th scope="col">Rank</th><th scope="col">Player</th><th scope="col">Rating</th><th scope="col" class="bars"><span class="hidden">Error bar</span>{marks}</th><th scope="col">Score</th><th scope="col">Points</th><th scope="col">Games</th><th scope="col">{RESULTS}</th><th scope="col">Faults</th>"#
        ),
        &rows,
    )
}

pub(super) fn cross_table(standing: &Standing, players: &[Ranked]) -> String {
    let n = players.len();
    let tallies = crossed(standing, players);
    let names = || players.iter().map(|player| &standing.names()[player.player]);
    let mut head = r#"<th scope="col">Rank</th><th scope="col">Player</th>"#.to_string();
    for (rank, opponent) in (1..).zip(names()) {
        let opponent = escape(opponent);
        head += &format!(r#"<th scope="col"><abbr title="{opponent}">{rank}</abbr></th>"#);
    }
    head += r#"<th scope="col">Points</th>"#;
    let mut rows = String::new();
    for (place, player_name) in names().enumerate() {
        rows += &format!(r#"<tr><td>{}</td><th scope="row">{}</th>"#, place + 1, name(player_name));
        for (opponent, tally) in tallies[place * n..][..n].iter().enumerate() {
            rows += &match tally {
                Some(tally) => cross_cell(tally),
                None if opponent == place => r#"<td class="same"></td>"#.into(),
                None => "<td>–</td>".into(),
            };
        }
        rows += &format!("<td>{:.1}</td></tr>", players[place].rating.points);
    }
    scrolled(["cross", "Cross table"], &head, &rows)
}

/// A cell of the cross table. Its color shows how far the score is above or below one half.
fn cross_cell(tally: &Tally) -> String {
    let score = tally.points() / tally.games().max(1) as f64;
    let class = if score < 0.5 { "minus" } else { "plus" };
    format!(
        r#"<td class="cell {class}" style="--share:{:.0}%">{}<br><small>{}</small></td>"#,
        80.0 * (score - 0.5).abs(),
        percent(score),
        results(tally)
    )
}

pub(super) fn pairs(standing: &Standing) -> String {
    let rows = standing.encounters().map(|((first, second), encounter)| {
        let tally = &encounter.tally;
        let Summary { score, elo, superiority, discs } = Summary::new(tally);
        let faults = encounter.faults;
        format!(
            r#"<tr><th scope="row">{}</th><th scope="row">{}</th><td>{}</td><td>{}</td><td>{} <small>± {:.1}</small></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}:{}</td></tr>"#,
            name(&standing.names()[first]),
            name(&standing.names()[second]),
            tally.games(),
            results(tally),
            percent(score.value),
            100.0 * score.error(),
            elo_text(&elo),
            percent(superiority),
            discs.map_or("–".into(), |discs| {
                format!("{} <small>± {:.1}</small>", minus(&signed(discs.value, 2)), discs.error())
            }),
            tally.pentanomial().map(|count| count.to_string()).join(" "),
            faults[0],
            faults[1]
        )
    });
    let rows: String = rows.collect();
    scrolled(
        ["pairs", "Pairs of players"],
        &format!(
            r#"<th scope="col">Player</th><th scope="col">Opponent</th><th scope="col">Games</th><th scope="col">{RESULTS}</th><th scope="col">Score</th><th scope="col">Elo</th><th scope="col"><abbr title="Likelihood of superiority">LOS</abbr></th><th scope="col">Discs</th><th scope="col"><abbr title="Color-swapped pairs with 0, ½, 1, 1½ and 2 points">Pairs</abbr></th><th scope="col">Faults</th>"#
        ),
        &rows,
    )
}

/// An Elo difference and the distance to the farther end of its interval; an infinite one by the ends.
fn elo_text(elo: &Estimate) -> String {
    let ends = || format!("{} to {}", elo_number(elo.low), elo_number(elo.high));
    let error = elo.error();
    let error = if error.is_finite() { format!("± {error:.0}") } else { ends() };
    format!("{} <small>{error}</small>", elo_number(elo.value))
}

pub(super) fn elo_number(elo: f64) -> String {
    minus(&match elo {
        f64::INFINITY => "+∞".into(),
        f64::NEG_INFINITY => "-∞".into(),
        _ => signed(elo, 0),
    })
}

/// The number of faults by player and cause, and the faults with their texts, or a sentence if there were none.
pub(super) fn faults(standing: &Standing, records: &[GameRecord]) -> String {
    let mut counts = String::new();
    for (player, player_name) in standing.names().iter().enumerate() {
        let own = standing.faults().filter(|fault| fault.0 == player);
        let causes: Vec<String> = own.map(|(_, cause, n)| format!("{cause} × {n}")).collect();
        if !causes.is_empty() {
            counts += &format!("<li>{}: {}</li>", name(player_name), causes.join(", "));
        }
    }
    if counts.is_empty() {
        return "<p>There were no faults.</p>".into();
    }
    let keys = games::keys(records);
    let faulty =
        || keys.iter().zip(records).filter_map(|(key, game)| Some((key, game.fault.as_ref()?)));
    let rows = faulty().take(MAX_FAULTS).map(|(key, fault)| {
        format!(
            r##"<tr><td><a href="#game={key}" aria-label="Game {key}">{key}</a></td><th scope="row">{}</th><td>{}</td><td class="text"><pre>{}</pre></td></tr>"##,
            name(&fault.player),
            fault.cause,
            escape_lines(&fault.text)
        )
    });
    let rows: String = rows.collect();
    let n_more = faulty().count().saturating_sub(MAX_FAULTS);
    let more = match n_more {
        0 => String::new(),
        _ => format!(
            "<p>{n_more} more: choose “fault” as the end in the list of games to see them all.</p>"
        ),
    };
    let head = r#"<th scope="col">Game</th><th scope="col">Player</th><th scope="col">Cause</th><th scope="col">What happened</th>"#;
    format!(
        r#"<ul class="counts">{counts}</ul>{}{more}"#,
        scrolled(["faults", "Faults"], head, &rows)
    )
}

pub(super) fn thinking_time(
    standing: &Standing,
    players: &[Ranked],
    records: &[GameRecord],
) -> String {
    // Of each player the number of moves, and the longest time.
    let mut thinking = vec![(0, 0.0_f64); players.len()];
    for record in records {
        let Some(game) = record.replay() else { continue };
        let movers = [&record.black, &record.white]
            .map(|player| standing.names().iter().position(|known| known == player));
        for ply in game.plies() {
            let color: Color = ply.before.side;
            if let (Some(time), Some(player)) = (ply.note.time, movers[color.index()]) {
                let (n_moves, longest) = thinking[player];
                thinking[player] = (n_moves + 1, longest.max(time.as_secs_f64()));
            }
        }
    }
    let most = standing.seconds().iter().copied().fold(0.0, f64::max);
    let rows = players.iter().map(|player| {
        let (n_moves, longest) = thinking[player.player];
        let per = |n: u64| if n == 0 { "–".into() } else { duration(player.seconds / n as f64) };
        format!(
            r#"<tr><th scope="row">{}</th><td>{}</td><td class="bars">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>"#,
            name(&standing.names()[player.player]),
            duration(player.seconds),
            if most > 0.0 { time_bar(player.seconds / most, player.seconds) } else { String::new() },
            per(player.rating.games),
            per(n_moves),
            if n_moves == 0 { "–".into() } else { duration(longest) }
        )
    });
    let rows: String = rows.collect();
    scrolled(
        ["times", "Thinking time"],
        r#"<th scope="col">Player</th><th scope="col">Total</th><th scope="col" class="bars"><span class="hidden">Share of the longest total</span></th><th scope="col">Per game</th><th scope="col">Per move</th><th scope="col">Longest move</th>"#,
        &rows,
    )
}

const RESULTS: &str = r#"<abbr title="Wins, draws and losses">W–D–L</abbr>"#;

pub(super) fn results(tally: &Tally) -> String {
    format!("{}–{}–{}", tally.wins(), tally.draws(), tally.losses())
}

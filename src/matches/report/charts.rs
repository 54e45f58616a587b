//! The page's charts: ratings with error bars, the score over time, disc differences.

use super::numbers::duration;
use super::ranking::Ranked;
use crate::matches::record::{End, GameRecord};
use crate::matches::statistics::elo::Estimate;
use crate::page::chart::{AXIS, Scale, captions, frame, grid, level, path, stretched};
use crate::page::escape;
use crate::page::pieces::{minus, signed};
use crate::support::text::counted;

/// The most points in a line of the score-over-time chart.
const MAX_POINTS: usize = 400;

/// Bars of the histogram on either side of the draws, and the discs that each covers.
const BARS: usize = 16;
const BAR_DISCS: i32 = 4;

/// The scale that holds all finite error bars of a rating list.
pub(super) fn rating_scale(players: &[Ranked]) -> Scale {
    let finite = players.iter().map(|player| &player.rating).filter(|r| r.error.is_finite());
    let (low, high) = finite.fold((0.0_f64, 0.0_f64), |(low, high), rating| {
        (low.min(rating.elo - rating.error), high.max(rating.elo + rating.error))
    });
    if low < high { Scale::around(low, high, 4.0) } else { Scale::around(-100.0, 100.0, 4.0) }
}

/// The scale above a column of ratings.
pub(super) fn rating_marks(scale: &Scale) -> String {
    let marks = scale.marks().map(|mark| {
        format!(r#"<text x="{:.2}%" y="14">{}</text>"#, scale.place(mark), minus(&signed(mark, 0)))
    });
    format!(
        r#"<svg class="bar" height="18" aria-hidden="true">{}</svg>"#,
        marks.collect::<String>()
    )
}

pub(super) fn rating_bar(scale: &Scale, player: &Ranked) -> String {
    let rating = &player.rating;
    let line = |class: &str, [x1, x2]: [f64; 2], [y1, y2]: [u8; 2]| {
        format!(r#"<line class="{class}" x1="{x1:.2}%" x2="{x2:.2}%" y1="{y1}%" y2="{y2}%"/>"#)
    };
    let grid = |mark| line(scale.line_class(mark), [scale.place(mark); 2], [0, 100]);
    let mut marks: String = scale.marks().map(grid).collect();
    if rating.error.is_finite() {
        let [low, middle, high] =
            [-rating.error, 0.0, rating.error].map(|distance| scale.place(rating.elo + distance));
        marks += &line("error", [low, high], [50, 50]);
        marks += &line("error", [low, low], [32, 68]);
        marks += &line("error", [high, high], [32, 68]);
        marks += &format!(r#"<circle class="value" cx="{middle:.2}%" cy="50%" r="5"/>"#);
    }
    format!(r#"<svg class="bar" height="34" aria-hidden="true">{marks}</svg>"#)
}

/// A line of the score over time: the share of the points by number of games, with an optional interval.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub name: &'a str,
    pub points: Vec<(usize, Estimate)>,
}

/// Whether a line has a point after this number of games, 1 to `n_games`.
pub(super) fn sampled(n_games: usize) -> impl Fn(usize) -> bool {
    let stride = n_games.div_ceil(MAX_POINTS).max(1);
    move |game| game.is_multiple_of(stride) || game == n_games
}

/// The first line's interval is a band.
pub(super) fn score_over_time(n_games: usize, lines: &[Line<'_>]) -> String {
    // The first games swing so much that they would flatten the rest.
    let late = lines.iter().flat_map(|line| &line.points).filter(|point| 10 * point.0 >= n_games);
    let (low, high) = late.fold((0.5_f64, 0.5_f64), |(low, high), (_, estimate)| {
        (low.min(estimate.low), high.max(estimate.high))
    });
    let y = if high - low <= 0.5 {
        Scale::around(100.0 * low, 100.0 * high, 6.0)
    } else {
        Scale::new(0.0, 100.0, 25.0)
    };
    let x = Scale::of_counts(n_games, 6.0).up_to(n_games as f64);
    let place = |(game, share): (usize, f64)| (x.place(game as f64), y.below_top(100.0 * share));
    let mut curves = String::new();
    for (number, line) in lines.iter().enumerate() {
        // A single point would be invisible, so draw it as a line one game long.
        let points = match line.points.as_slice() {
            &[(game, only)] => vec![(game - 1, only), (game, only)],
            points => points.to_vec(),
        };
        if points.iter().any(|(_, estimate)| estimate.low < estimate.high) {
            let upper = points.iter().map(|point| (point.0, point.1.high));
            let lower = points.iter().rev().map(|point| (point.0, point.1.low));
            let outline = path(upper.chain(lower).map(place));
            curves += &format!(r#"<polygon class="band" points="{outline}"/>"#);
        }
        curves += &format!(
            r#"<polyline class="line s{number}" points="{}"><title>{}</title></polyline>"#,
            path(points.iter().map(|point| place((point.0, point.1.value)))),
            escape(line.name)
        );
    }
    let content = grid(&y, |mark| y.text(mark) + "%")
        + &level("zero", y.below_top(50.0))
        + &stretched(&curves);
    plot("Score over time", &content, x.texts(), "games played")
}

/// Whether the final discs of a game reflect its course.
pub(super) fn has_discs(record: &GameRecord) -> bool {
    matches!(record.end, End::Played | End::Adjudicated)
}

/// Draws have their own bar.
pub(super) fn histogram(differences: impl Iterator<Item = i32>) -> String {
    let mut counts = [0_usize; 2 * BARS + 1];
    for difference in differences {
        let bars = (difference.abs() + BAR_DISCS - 1) / BAR_DISCS;
        let place = BARS as i32 + difference.signum() * bars.min(BARS as i32);
        counts[place as usize] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let y = Scale::of_counts(most, 5.0);
    let width = 100.0 / counts.len() as f64;
    let mut content = grid(&y, |mark| y.text(mark));
    for (place, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let bars = place as i32 - BARS as i32;
        let ends = [(bars.abs() - 1) * BAR_DISCS + 1, bars.abs() * BAR_DISCS]
            .map(|discs| minus(&format!("{:+}", discs * bars.signum())));
        let (class, range) = match bars {
            0 => ("draw", "draw".into()),
            ..0 => ("minus", format!("{} to {}", ends[1], ends[0])),
            1.. => ("plus", format!("{} to {}", ends[0], ends[1])),
        };
        let height = y.place(count as f64);
        content += &format!(
            r#"<rect class="{class}" x="{:.2}%" width="{:.2}%" y="{:.2}%" height="{height:.2}%"><title>{range}: {}</title></rect>"#,
            (place as f64 + 0.06) * width,
            width * 0.88,
            y.below_top(count as f64),
            counted(count, "game", "games"),
        );
    }
    let x_marks = (-4_i32..=4).map(|number| {
        // At the outer edge of the bar that ends with this difference; 0 is in the middle of the draws' bar.
        let bars = BARS as f64 + f64::from(number) * BARS as f64 / 4.0;
        let edge = bars + 0.5 + 0.5 * f64::from(number.signum());
        let discs = number * BARS as i32 * BAR_DISCS / 4;
        (edge * width, minus(&signed(discs.into(), 0)))
    });
    plot("Disc differences", &content, x_marks, "disc difference")
}

fn plot(
    label: &str,
    content: &str,
    x_marks: impl IntoIterator<Item = (f64, String)>,
    x_title: &str,
) -> String {
    let attributes = format!(r#"role="img" aria-label="{label}" height="220""#);
    frame(&attributes, &format!("{content}{AXIS}{}", captions(x_marks, x_title)))
}

/// `share`, 0 to 1, is the time's share of the longest one.
pub(super) fn time_bar(share: f64, seconds: f64) -> String {
    format!(
        r#"<svg class="bar" height="20" aria-hidden="true"><rect class="time" x="0" y="20%" width="{:.2}%" height="60%" rx="2"><title>{}</title></rect></svg>"#,
        100.0 * share.clamp(0.0, 1.0),
        duration(seconds)
    )
}

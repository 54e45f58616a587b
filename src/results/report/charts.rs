//! The page's charts as SVG: ratings with error bars, the score over time, disc differences.
//!
//! Places are given in per cent of the plot, so that a chart follows the width of the window while its texts keep their size;
//! what has to be a path is drawn in a nested picture that is stretched. Colors and dashes are classes of the style sheet.

use std::fmt::Write;

use super::{Ranked, duration, signed};
use crate::arena::record::{End, GameRecord};
use crate::page::escape;
use crate::results::statistics::elo::Estimate;

/// Games after which a line of the score over time has a point, at most.
const MAX_POINTS: usize = 400;

/// Bars of the histogram on either side of the draws, and the discs that each spans.
const BARS: usize = 16;
const BAR_DISCS: i32 = 4;

/// Units of the nested pictures in either direction.
const UNITS: f64 = 1000.0;

/// The range of a scale and the distance of its marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    /// A scale from `low` to `high`, widened to whole steps of 1, 2 or 5 times a power of ten, of which it has at most about
    /// `n_steps`.
    pub fn around(low: f64, high: f64, n_steps: f64) -> Scale {
        let high = if high > low { high } else { low + 1.0 };
        let span = high - low;
        let power = 10f64.powf((span / n_steps).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = steps.into_iter().find(|step| span / step <= n_steps).unwrap_or(steps[3]);
        Scale { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// The same scale for things that are counted.
    fn with_whole_steps(self) -> Scale {
        Scale { step: self.step.max(1.0), ..self }
    }

    /// The place of a value in per cent.
    pub fn place(&self, value: f64) -> f64 {
        100.0 * (value - self.low) / (self.high - self.low)
    }

    /// The marks within the range.
    pub fn marks(&self) -> impl Iterator<Item = f64> + use<> {
        let Scale { low, high, step } = *self;
        let first = (low / step).ceil();
        let n_marks = (high / step - first + 1e-9).floor() as usize;
        (0..=n_marks).map(move |number| (first + number as f64) * step)
    }

    /// A mark as text, with the decimals that its distance from the next one needs.
    fn text(&self, mark: f64) -> String {
        let decimals = if self.step >= 1.0 { 0 } else { 1 };
        format!("{mark:.decimals$}")
    }

    /// The places of the marks and their texts.
    fn texts(&self) -> Vec<(f64, String)> {
        self.marks().map(|mark| (self.place(mark), self.text(mark))).collect()
    }
}

/// The scale that holds all finite error bars of a rating list.
pub(super) fn rating_scale(players: &[Ranked]) -> Scale {
    let finite = players.iter().map(|player| &player.rating).filter(|r| r.error.is_finite());
    let (low, high) = finite.fold((0.0_f64, 0.0_f64), |(low, high), rating| {
        (low.min(rating.elo - rating.error), high.max(rating.elo + rating.error))
    });
    if low < high { Scale::around(low, high, 4.0) } else { Scale::around(-100.0, 100.0, 4.0) }
}

/// The marks over a column of ratings.
pub(super) fn rating_marks(scale: &Scale) -> String {
    let marks = scale.marks().map(|mark| {
        format!(r#"<text x="{:.2}%" y="14">{}</text>"#, scale.place(mark), minus(&signed(mark, 0)))
    });
    format!(
        r#"<svg class="bar" height="18" aria-hidden="true">{}</svg>"#,
        marks.collect::<String>()
    )
}

/// A rating and its error in a row of the list.
pub(super) fn rating_bar(scale: &Scale, player: &Ranked) -> String {
    let rating = &player.rating;
    let mut marks = String::new();
    for mark in scale.marks() {
        let class = if mark == 0.0 { "zero" } else { "grid" };
        let x = scale.place(mark);
        let _ =
            write!(marks, r#"<line class="{class}" x1="{x:.2}%" x2="{x:.2}%" y1="0" y2="100%"/>"#);
    }
    if rating.error.is_finite() {
        let [low, middle, high] =
            [rating.elo - rating.error, rating.elo, rating.elo + rating.error]
                .map(|value| scale.place(value));
        let _ = write!(
            marks,
            r#"<line class="error" x1="{low:.2}%" x2="{high:.2}%" y1="50%" y2="50%"/>"#
        );
        for end in [low, high] {
            let _ = write!(
                marks,
                r#"<line class="error" x1="{end:.2}%" x2="{end:.2}%" y1="32%" y2="68%"/>"#
            );
        }
        let _ = write!(marks, r#"<circle class="value" cx="{middle:.2}%" cy="50%" r="5"/>"#);
    }
    format!(r#"<svg class="bar" height="34" aria-hidden="true">{marks}</svg>"#)
}

/// A line of the score over time: the share of the points after so many games, with its interval if it has one.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub name: &'a str,
    pub points: Vec<(usize, Estimate)>,
}

/// The numbers of games, 1 to `n_games`, after which a line has a point.
pub(super) fn sampled(n_games: usize) -> impl Fn(usize) -> bool {
    let stride = n_games.div_ceil(MAX_POINTS).max(1);
    move |game| game.is_multiple_of(stride) || game == n_games
}

/// The score over time; the first line's interval is a band.
pub(super) fn score_over_time(n_games: usize, lines: &[Line<'_>]) -> String {
    // The first games swing so widely that the rest would be flat.
    let late = lines.iter().flat_map(|line| &line.points).filter(|point| 10 * point.0 >= n_games);
    let (low, high) = late.fold((0.5_f64, 0.5_f64), |(low, high), (_, estimate)| {
        (low.min(estimate.low), high.max(estimate.high))
    });
    let y = if high - low <= 0.5 {
        Scale::around(100.0 * low, 100.0 * high, 6.0)
    } else {
        Scale { low: 0.0, high: 100.0, step: 25.0 }
    };
    let mut x = Scale::around(0.0, n_games as f64, 6.0).with_whole_steps();
    x.high = n_games as f64;
    let path = |points: &mut dyn Iterator<Item = (usize, f64)>| {
        points.fold(String::new(), |mut path, (game, share)| {
            let [x, y] = [x.place(game as f64), 100.0 - y.place(100.0 * share)];
            let _ = write!(path, "{:.1},{:.1} ", x * UNITS / 100.0, y * UNITS / 100.0);
            path
        })
    };
    let mut content = String::new();
    for (number, line) in lines.iter().enumerate() {
        // A single point would not be seen: it lasts for its game.
        let points = match line.points.as_slice() {
            &[(game, only)] => vec![(game - 1, only), (game, only)],
            points => points.to_vec(),
        };
        if points.iter().any(|(_, estimate)| estimate.low < estimate.high) {
            let upper = points.iter().map(|point| (point.0, point.1.high));
            let lower = points.iter().rev().map(|point| (point.0, point.1.low));
            let outline = path(&mut upper.chain(lower));
            let _ = write!(content, r#"<polygon class="band" points="{}"/>"#, outline.trim_end());
        }
        let _ = write!(
            content,
            r#"<polyline class="line s{number}" points="{}"><title>{}</title></polyline>"#,
            path(&mut points.iter().map(|point| (point.0, point.1.value))).trim_end(),
            escape(line.name)
        );
    }
    let content = format!(
        r#"<svg width="100%" height="100%" viewBox="0 0 {UNITS} {UNITS}" preserveAspectRatio="none">{content}</svg>"#
    );
    let mut y_marks = y.texts();
    y_marks.iter_mut().for_each(|mark| mark.1.push('%'));
    let halfway = format!(
        r#"<line class="zero" x1="0" x2="100%" y1="{0:.2}%" y2="{0:.2}%"/>"#,
        100.0 - y.place(50.0)
    );
    plot("Score over time", &x.texts(), &y_marks, "games played", &(halfway + &content))
}

/// Whether the discs at the end of a game say how it went.
pub(super) fn has_discs(record: &GameRecord) -> bool {
    matches!(record.end, End::Played | End::Adjudicated)
}

/// How often which difference of discs occurred; draws have a bar of their own.
pub(super) fn histogram(differences: impl Iterator<Item = i32>) -> String {
    let mut counts = [0_usize; 2 * BARS + 1];
    for difference in differences {
        let bars = (difference.abs() + BAR_DISCS - 1) / BAR_DISCS;
        let place = BARS as i32 + difference.signum() * bars.min(BARS as i32);
        counts[place as usize] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let y = Scale::around(0.0, most as f64, 5.0).with_whole_steps();
    let width = 100.0 / counts.len() as f64;
    let mut content = String::new();
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
        let games = if count == 1 { "game" } else { "games" };
        let _ = write!(
            content,
            r#"<rect class="{class}" x="{:.2}%" width="{:.2}%" y="{:.2}%" height="{height:.2}%"><title>{range}: {count} {games}</title></rect>"#,
            (place as f64 + 0.06) * width,
            width * 0.88,
            100.0 - height,
        );
    }
    let x_marks: Vec<(f64, String)> = (-4_i32..=4)
        .map(|number| {
            // Behind the bar that ends with this difference; the middle one is that of the draws.
            let bars = BARS as f64 + f64::from(number) * BARS as f64 / 4.0;
            let edge = bars + 0.5 + 0.5 * f64::from(number.signum());
            let discs = number * BARS as i32 * BAR_DISCS / 4;
            (edge * width, minus(&signed(discs.into(), 0)))
        })
        .collect();
    plot("Disc differences", &x_marks, &y.texts(), "disc difference", &content)
}

/// A plot with its grid and the texts of its marks, which are given by their places in per cent.
fn plot(
    label: &str,
    x_marks: &[(f64, String)],
    y_marks: &[(f64, String)],
    x_title: &str,
    content: &str,
) -> String {
    let mut grid = String::new();
    for (place, text) in y_marks {
        let y = 100.0 - place;
        let _ = write!(
            grid,
            r#"<line class="grid" x1="0" x2="100%" y1="{y:.2}%" y2="{y:.2}%"/><text class="y" x="-8" y="{y:.2}%" dy="4">{text}</text>"#
        );
    }
    let mut texts = String::new();
    for (place, text) in x_marks {
        let _ = write!(texts, r#"<text class="x" x="{place:.2}%" y="100%" dy="18">{text}</text>"#);
    }
    format!(
        r#"<div class="plot"><svg role="img" aria-label="{label}" height="220">{grid}{content}<line class="axis" x1="0" x2="100%" y1="100%" y2="100%"/>{texts}<text class="x" x="50%" y="100%" dy="38">{x_title}</text></svg></div>"#
    )
}

/// A bar of a share, 0 to 1, of the greatest time.
pub(super) fn time_bar(share: f64, seconds: f64) -> String {
    format!(
        r#"<svg class="bar" height="20" aria-hidden="true"><rect class="time" x="0" y="20%" width="{:.2}%" height="60%" rx="2"><title>{}</title></rect></svg>"#,
        100.0 * share.clamp(0.0, 1.0),
        duration(seconds)
    )
}

/// A number with the minus sign of typography.
pub(super) fn minus(number: &str) -> String {
    number.replace('-', "\u{2212}")
}

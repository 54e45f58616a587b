//! The plots of a report as SVG.

use std::fmt::Write;

use super::{BAR, Histogram};
use crate::page::chart::{AXIS, Scale, captions, grid, path, stretched};
use crate::training::checkpoint::Pass;
use crate::training::fit::{Loss, total};
use crate::training::provenance::Outcome;

/// Distinguishable with color blindness (Okabe and Ito, "Color Universal Design", 2008).
const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#6e6e6e"];

const STYLE: &str = "text{font:14px sans-serif;fill:#323232}.title{font-size:20px}.grid{stroke:#e8e8e8}.axis{stroke:#888}\
    .x,.title{text-anchor:middle}.y,.name{text-anchor:end}\
    polyline{fill:none;stroke-width:2;vector-effect:non-scaling-stroke}";

/// A named line.
struct Line {
    name: &'static str,
    points: Vec<(f64, f64)>,
}

/// Mean absolute errors by ply: of the pass whose weights were kept, and of the classic terms.
pub(super) fn loss_by_stage(best: &Pass, outcome: &Outcome) -> String {
    let by_ply = |losses: &[Loss]| {
        let stages = losses.iter().enumerate().filter(|(_, loss)| loss.n > 0);
        stages.map(|(stage, loss)| (stage as f64, loss.mae())).collect()
    };
    let lines = [
        Line { name: "training", points: by_ply(&best.training) },
        Line { name: "hold-out", points: by_ply(&outcome.hold_out) },
        Line { name: "hold-out file", points: by_ply(&outcome.test) },
        Line { name: "classic terms", points: by_ply(&outcome.terms) },
    ];
    draw_lines("Error by stage", "plies played", "mean absolute error in discs", &lines)
}

/// Mean squared errors by pass.
pub(super) fn learning_curves(passes: &[Pass]) -> String {
    let by_pass = |losses: fn(&Pass) -> &[Loss]| {
        let totals = passes.iter().map(|pass| total(losses(pass))).enumerate();
        let known = totals.filter(|(_, loss)| loss.n > 0);
        known.map(|(index, loss)| ((index + 1) as f64, loss.mse())).collect()
    };
    let lines = [
        Line { name: "training", points: by_pass(|pass| &pass.training) },
        Line { name: "hold-out", points: by_pass(|pass| &pass.hold_out) },
        Line { name: "hold-out file", points: by_pass(|pass| &pass.test) },
    ];
    draw_lines("Learning curves", "pass", "mean squared error in squared discs", &lines)
}

fn draw_lines(title: &str, x_title: &str, y_title: &str, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    let (low, high) = range(points().map(|point| point.0));
    let (bottom, top) = range(points().map(|point| point.1));
    // Start at zero unless that wastes more than half of the plot.
    let bottom = if bottom < top / 2.0 { 0.0 } else { bottom };
    let (x, y) = (Scale::around(low, high, 12.0), Scale::around(bottom, top, 6.0));
    let mut content = grid(&y, plain);
    let shown = lines.iter().zip(COLORS).filter(|(line, _)| !line.points.is_empty());
    for (row, (line, color)) in shown.enumerate() {
        let places = line.points.iter().map(|&(a, b)| (x.place(a), y.below_top(b)));
        content +=
            &stretched(&format!(r#"<polyline stroke="{color}" points="{}"/>"#, path(places)));
        let (height, name) = (18 * (row + 1), line.name);
        let _ = write!(
            content,
            r#"<text class="name" x="99%" y="{height}" style="fill:{color}">{name}</text>"#
        );
    }
    frame(title, &x, x_title, y_title, &content)
}

/// The histogram of the weights, without untrained ones.
pub(super) fn weights(histogram: &Histogram) -> String {
    let ends = histogram.bars.keys().flat_map(|&bar| [f64::from(bar), f64::from(bar + 1)]);
    let (low, high) = range(ends.map(|end| end * BAR));
    let most = histogram.bars.values().copied().max().unwrap_or(1) as f64;
    // Even a single weight must be visible on the logarithmic scale.
    let (x, y) =
        (Scale::around(low, high, 12.0), Scale::new(-0.3, most.log10().ceil().max(1.0), 1.0));
    let mut content = grid(&y, |power| plain(10f64.powf(power)));
    for (&bar, &n) in &histogram.bars {
        let [left, right] = [bar, bar + 1].map(|end| x.place(f64::from(end) * BAR));
        let (width, height) = (right - left, y.place((n as f64).log10()));
        let _ = write!(
            content,
            r#"<rect x="{left:.2}%" y="{:.2}%" width="{width:.2}%" height="{height:.2}%" fill="{}"/>"#,
            100.0 - height,
            COLORS[0]
        );
    }
    let title = format!("Weights ({} more are zero)", histogram.unused);
    frame(&title, &x, "weight in discs", "weights", &content)
}

/// The minimum and the maximum of some numbers; 0 and 1 without any.
fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = numbers.fold(None, |ends, n| match ends {
        None => Some((n, n)),
        Some((low, high)) => Some((n.min(low), n.max(high))),
    });
    ends.unwrap_or((0.0, 1.0))
}

/// A plot with its titles as a picture of its own.
fn frame(title: &str, x: &Scale, x_title: &str, y_title: &str, content: &str) -> String {
    let captions = captions(x.marks().map(|mark| (x.place(mark), plain(mark))), x_title);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="860" height="460"><style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/><text class="title" x="50%" y="28">{title}</text><text x="14" y="54">{y_title}</text><svg x="76" y="68" width="760" height="336" overflow="visible">{content}{AXIS}{captions}</svg></svg>
"##
    )
}

/// A number with as few decimals as possible, at most two.
fn plain(number: f64) -> String {
    format!("{}", (number * 100.0).round() / 100.0)
}

//! The plots of a report as SVG.

use anyhow::anyhow;
use plotters::chart::{ChartBuilder, ChartContext, SeriesLabelPosition};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{
    Circle, DrawingArea, IntoDrawingArea, IntoLogRange, LineSeries, PathElement, RGBColor,
    Rectangle, SVGBackend, WHITE,
};
use plotters::style::{Color, IntoFont};

use super::{BAR, Histogram};
use crate::training::checkpoint::Pass;
use crate::training::fit::{Loss, total};
use crate::training::provenance::Outcome;

const SIZE: (u32, u32) = (860, 460);

/// Distinguishable with color blindness (Okabe and Ito, "Color Universal Design", 2008).
const COLORS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(110, 110, 110)];

/// A named line.
struct Line {
    name: &'static str,
    points: Vec<(f64, f64)>,
}

/// Mean absolute errors by ply: of the pass whose weights were kept, and of the classic terms.
pub(super) fn loss_by_stage(best: &Pass, outcome: &Outcome) -> anyhow::Result<String> {
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
pub(super) fn learning_curves(passes: &[Pass]) -> anyhow::Result<String> {
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

fn draw_lines(title: &str, x: &str, y: &str, lines: &[Line]) -> anyhow::Result<String> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let (low, high) = range(points().map(|point| point.0));
    let (_, top) = range(points().map(|point| point.1));
    let (bottom, _) = range(points().map(|point| point.1));
    // Start at zero unless that wastes more than half of the plot.
    let bottom = if bottom < top / 2.0 { 0.0 } else { bottom - (top - bottom) / 10.0 };
    // Room for the legend.
    let top = top + (top - bottom) / 3.0;
    draw(|area| {
        let mut chart = builder(area, title)
            .build_cartesian_2d(low..high, bottom..top)
            .map_err(|error| anyhow!("{error}"))?;
        mesh(&mut chart, x, y)?;
        for (line, color) in lines.iter().zip(COLORS) {
            if line.points.is_empty() {
                continue;
            }
            let series = LineSeries::new(line.points.iter().copied(), color.stroke_width(2));
            chart.draw_series(series).map_err(|error| anyhow!("{error}"))?.label(line.name).legend(
                move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)),
            );
            let dots = line.points.iter().map(|&point| Circle::new(point, 3, color.filled()));
            chart.draw_series(dots).map_err(|error| anyhow!("{error}"))?;
        }
        legend(&mut chart)
    })
}

/// The histogram of the weights, without untrained ones.
pub(super) fn weights(histogram: &Histogram) -> anyhow::Result<String> {
    let ends = histogram.bars.keys().flat_map(|&bar| [f64::from(bar), f64::from(bar + 1)]);
    let (low, high) = range(ends.map(|end| end * BAR));
    let most = histogram.bars.values().copied().max().unwrap_or(1) as f64;
    let title = format!("Weights ({} more are zero)", histogram.unused);
    // Even a single weight must be visible on the logarithmic scale.
    const LEAST: f64 = 0.5;
    draw(|area| {
        let mut chart = builder(area, &title)
            .build_cartesian_2d(low..high, (LEAST..2.0 * most).log_scale())
            .map_err(|error| anyhow!("{error}"))?;
        chart
            .configure_mesh()
            .x_desc("weight in discs")
            .y_desc("weights")
            .x_label_formatter(&plain)
            .y_label_formatter(&plain)
            .light_line_style(WHITE)
            .label_style(font(14))
            .draw()
            .map_err(|error| anyhow!("{error}"))?;
        let bars = histogram.bars.iter().map(|(&bar, &n)| {
            let ends = [f64::from(bar) * BAR, f64::from(bar + 1) * BAR];
            Rectangle::new([(ends[0], LEAST), (ends[1], n as f64)], COLORS[0].filled())
        });
        chart.draw_series(bars).map_err(|error| anyhow!("{error}"))?;
        Ok(())
    })
}

/// The minimum and the maximum of some numbers, never equal.
fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), n| (low.min(n), high.max(n)));
    match low < high {
        true => (low, high),
        false if low.is_finite() => (low - 0.5, low + 0.5),
        false => (0.0, 1.0),
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plane = Cartesian2d<RangedCoordf64, RangedCoordf64>;

fn draw(content: impl FnOnce(&Area<'_>) -> anyhow::Result<()>) -> anyhow::Result<String> {
    let mut picture = String::new();
    {
        let area = SVGBackend::with_string(&mut picture, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(|error| anyhow!("{error}"))?;
        content(&area)?;
        area.present().map_err(|error| anyhow!("{error}"))?;
    }
    Ok(picture)
}

fn font(size: u32) -> plotters::style::TextStyle<'static> {
    ("sans-serif", size).into_font().color(&RGBColor(50, 50, 50))
}

fn builder<'a, 'b>(area: &'a Area<'b>, title: &str) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(area);
    builder.caption(title, font(20)).margin(14).x_label_area_size(44).y_label_area_size(64);
    builder
}

fn mesh(
    chart: &mut ChartContext<'_, SVGBackend<'_>, Plane>,
    x: &str,
    y: &str,
) -> anyhow::Result<()> {
    chart
        .configure_mesh()
        .x_desc(x)
        .y_desc(y)
        .x_label_formatter(&plain)
        .y_label_formatter(&plain)
        .light_line_style(WHITE)
        .label_style(font(14))
        .draw()
        .map_err(|error| anyhow!("{error}"))
}

/// A number with as few decimals as possible, at most two.
fn plain(number: &f64) -> String {
    format!("{}", (number * 100.0).round() / 100.0)
}

fn legend<'a, 'b: 'a>(chart: &mut ChartContext<'a, SVGBackend<'b>, Plane>) -> anyhow::Result<()> {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.85))
        .border_style(RGBColor(190, 190, 190))
        .label_font(font(14))
        .draw()
        .map_err(|error| anyhow!("{error}"))
}

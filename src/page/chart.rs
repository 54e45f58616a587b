//! Charts as SVG: scales, the grid around a plot, and paths in it.
//!
//! Positions are percentages of the plot, so that a chart follows the width of the window while its texts keep their size. Paths
//! do not support percentages, so they are in a nested picture that is stretched. Colors and dashes are classes of the style sheet.

/// Units of a stretched picture in either direction.
const UNITS: f64 = 1000.0;

pub const AXIS: &str = r#"<line class="axis" x1="0" x2="100%" y1="100%" y2="100%"/>"#;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    pub const fn new(low: f64, high: f64, step: f64) -> Scale {
        Scale { low, high, step }
    }

    /// A scale from `low` to `high`, widened to whole steps of 1, 2 or 5 times a power of ten; at most about `n_steps` steps.
    pub fn around(low: f64, high: f64, n_steps: f64) -> Scale {
        let high = if high > low { high } else { low + 1.0 };
        let span = high - low;
        let power = 10f64.powf((span / n_steps).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = steps.into_iter().find(|step| span / step <= n_steps).unwrap_or(steps[3]);
        Scale { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// A scale from 0 for counts: its marks are whole numbers.
    pub fn of_counts(most: usize, n_steps: f64) -> Scale {
        let scale = Scale::around(0.0, most as f64, n_steps);
        Scale { step: scale.step.max(1.0), ..scale }
    }

    pub const fn up_to(self, high: f64) -> Scale {
        Scale { high, ..self }
    }

    /// The position of a value in percent, from the left or from the bottom.
    pub fn place(&self, value: f64) -> f64 {
        100.0 * (value - self.low) / (self.high - self.low)
    }

    /// The position of a value in percent from the top.
    pub fn below_top(&self, value: f64) -> f64 {
        100.0 - self.place(value)
    }

    pub fn marks(&self) -> impl Iterator<Item = f64> + use<> {
        let Scale { low, high, step } = *self;
        let first = (low / step).ceil();
        let n_marks = (high / step - first + 1e-9).floor() as usize;
        (0..=n_marks).map(move |number| (first + number as f64) * step)
    }

    /// A mark as text, with the decimals required by the distance between marks.
    pub fn text(&self, mark: f64) -> String {
        let decimals = if self.step >= 1.0 { 0 } else { 1 };
        format!("{mark:.decimals$}")
    }

    /// The positions of the marks, with their texts.
    pub fn texts(&self) -> impl Iterator<Item = (f64, String)> {
        self.marks().map(|mark| (self.place(mark), self.text(mark)))
    }

    /// The class of the line at a mark. Zero stands out, but not at the edge of the plot.
    pub fn line_class(&self, mark: f64) -> &'static str {
        if mark == 0.0 && self.low < 0.0 { "zero" } else { "grid" }
    }
}

/// `attributes` are those of the plot's picture, among them `role`, `aria-label` and `height`.
pub fn frame(attributes: &str, content: &str) -> String {
    format!(r#"<div class="plot"><svg {attributes}>{content}</svg></div>"#)
}

/// A line across the plot, `top` percent below its upper edge.
pub fn level(class: &str, top: f64) -> String {
    format!(r#"<line class="{class}" x1="0" x2="100%" y1="{top:.2}%" y2="{top:.2}%"/>"#)
}

/// A line at every mark of the vertical scale, with its text.
pub fn grid(y: &Scale, text: impl Fn(f64) -> String) -> String {
    y.marks().fold(String::new(), |mut grid, mark| {
        let top = y.below_top(mark);
        grid += &level(y.line_class(mark), top);
        grid += &format!(r#"<text class="y" x="-8" y="{top:.2}%" dy="4">{}</text>"#, text(mark));
        grid
    })
}

/// The texts under the plot: the marks by position, then the title of the scale.
pub fn captions(marks: impl IntoIterator<Item = (f64, String)>, title: &str) -> String {
    let mut captions = String::new();
    for (place, text) in marks {
        captions += &format!(r#"<text class="x" x="{place:.2}%" y="100%" dy="18">{text}</text>"#);
    }
    captions + &format!(r#"<text class="x" x="50%" y="100%" dy="38">{title}</text>"#)
}

/// Samples in a legend: of an area, and of a line.
pub const AREA: &str = "M0 0h32v10H0z";
pub const LINE: &str = "M0 5h32";

/// An entry of a legend: a sample of a class of the style sheet, and what it stands for, as HTML.
pub fn entry(sample: &str, class: &str, text: &str) -> String {
    format!(
        r#"<li><svg viewBox="0 0 32 10" aria-hidden="true"><path class="{class}" d="{sample}"/></svg> <span>{text}</span></li>"#
    )
}

pub fn legend(entries: &[String]) -> String {
    format!(r#"<ul class="legend">{}</ul>"#, entries.concat())
}

/// A picture with the coordinate system of [`path`].
pub fn stretched(content: &str) -> String {
    format!(
        r#"<svg width="100%" height="100%" viewBox="0 0 {UNITS} {UNITS}" preserveAspectRatio="none">{content}</svg>"#
    )
}

/// Points of a line or an area within [`stretched`], given by their distances from the left and from the top.
pub fn path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let points = points
        .into_iter()
        .map(|(x, y)| format!("{:.1},{:.1}", x * UNITS / 100.0, y * UNITS / 100.0));
    points.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_few() {
        for (low, high, marks) in [
            (0.0, 100.0, &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0][..]),
            (-130.0, 95.0, &[-150.0, -100.0, -50.0, 0.0, 50.0, 100.0]),
            (48.9, 51.3, &[48.5, 49.0, 49.5, 50.0, 50.5, 51.0, 51.5]),
            (7.0, 7.0, &[7.0, 7.2, 7.4, 7.6, 7.8, 8.0]),
        ] {
            let found: Vec<f64> = Scale::around(low, high, 6.0).marks().collect();
            assert_eq!(found.len(), marks.len(), "{found:?}");
            assert!(found.iter().zip(marks).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
        }
        let counts = Scale::of_counts(2, 5.0);
        assert_eq!(counts.marks().collect::<Vec<_>>(), [0.0, 1.0, 2.0]);
        assert_eq!(counts.up_to(3.0).place(1.5), 50.0);
    }

    #[test]
    fn only_a_zero_within_the_plot_stands_out() {
        let scale = Scale::new(-8.0, 8.0, 4.0);
        assert_eq!(
            scale.marks().map(|mark| scale.line_class(mark)).collect::<Vec<_>>(),
            ["grid", "grid", "zero", "grid", "grid"]
        );
        assert_eq!(scale.below_top(-8.0), 100.0);
        assert_eq!(Scale::new(0.0, 8.0, 4.0).line_class(0.0), "grid");
    }

    #[test]
    fn paths_are_in_units_of_the_stretched_picture() {
        assert_eq!(path([(0.0, 100.0), (33.333, 50.0)]), "0.0,1000.0 333.3,500.0");
    }
}

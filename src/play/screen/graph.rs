//! The panel of a review: the course of the game, and what both sides lost.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color as Paint, Style};
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line, Points};

use super::panels::{bar, disc, heading};
use super::{Look, put};
use crate::analyze::{Class, Tally};
use crate::board::Color;
use crate::play::language::Label;
use crate::play::model::{Model, Review};
use crate::score::discs;

/// The least range in discs.
const MIN_RANGE: f64 = 8.0;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, model: &Model, review: &Review, look: Look) {
    let language = model.settings.language;
    heading(buffer, area, language.label(Label::ANALYSIS), look);
    let n_plies = model.game.plies().len();
    let mut below = Rect { y: area.bottom() - 3, height: 3, ..area };
    if review.judged.len() < n_plies {
        let share = review.judged.len() as f64 / n_plies as f64;
        let text = format!("{} {}/{n_plies}", bar(share, look), review.judged.len());
        put(buffer, Rect { y: below.y - 1, ..below }, &text, Style::new());
        below = Rect { y: below.y - 1, height: 4, ..below };
    }
    for (row, color) in below.rows().rev().skip(1).zip([Color::White, Color::Black]) {
        let Tally { classes, loss } = Tally::new(&review.judged, color);
        let errors = [Class::Inaccuracy, Class::Mistake, Class::Blunder]
            .map(|class| format!("{} {:<2} ", class.sign(), classes[class as usize]));
        let lost = language.number(&format!("{:.1}", discs(loss)));
        let lost = format!("{} {lost}", language.label(Label::LOST));
        let text = format!("{} {} {lost}", disc(color, model), errors.concat());
        put(buffer, row, &text, Style::new());
    }
    let plot = Rect::new(area.x, area.y + 1, area.width - 1, below.y.saturating_sub(area.y + 1));
    course(buffer, plot, n_plies, review, look);
}

/// The expected result for Black after each move, with the zero line and the place that is looked at.
fn course(buffer: &mut Buffer, area: Rect, n_plies: usize, review: &Review, look: Look) {
    let points: Vec<(f64, f64)> = review
        .judged
        .iter()
        .map(|judged| (judged.ply as f64, discs(judged.score * judged.side().sign())))
        .collect();
    let range = points.iter().fold(MIN_RANGE, |range, (_, value)| range.max(value.abs()));
    let paint = |paint| if look.has_colors() { paint } else { Paint::Reset };
    let end = n_plies as f64;
    Canvas::default()
        .marker(if look.is_unicode { Marker::Braille } else { Marker::Dot })
        .x_bounds([0.0, end])
        .y_bounds([-range, range])
        .paint(|context| {
            context.draw(&Line::new(0.0, 0.0, end, 0.0, paint(Paint::DarkGray)));
            if let Some(ply) = review.ply {
                let x = ply as f64;
                context.draw(&Line::new(x, -range, x, range, paint(Paint::Yellow)));
            }
            context.layer();
            for pair in points.windows(2) {
                let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
                context.draw(&Line::new(x0, y0, x1, y1, paint(Paint::Reset)));
            }
            context.draw(&Points { coords: &points, color: paint(Paint::Reset) });
        })
        .render(area, buffer);
    if !look.is_unicode {
        for position in
            area.positions().filter(|at| buffer[*at].symbol() == "•").collect::<Vec<_>>()
        {
            buffer[position].set_symbol("*");
        }
    }
}

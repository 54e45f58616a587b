//! Small pieces of pages.

use super::{escape, fill};

/// The board of a page with the names of both sides, its navigation buttons, and what its marks mean: `key` adds to it.
pub fn board(names: [&str; 2], key: &str) -> String {
    let [black, white] = names.map(escape);
    let pieces = [("black", black.as_str()), ("white", &white), ("key", key)];
    fill(include_str!("board.html"), &pieces)
}

/// A key figure with a heading and a note; all three may be HTML.
pub fn card(heading: &str, value: &str, note: &str) -> String {
    format!("<div><dt>{heading}</dt><dd>{value}<small>{note}</small></dd></div>")
}

/// A table that scrolls within a small window, with its class in the style sheet and its label for screen readers.
pub fn scrolled([class, label]: [&str; 2], head: &str, rows: &str) -> String {
    format!(
        r#"<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table class="{class}"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"#
    )
}

/// A list of games with filters by player, by result and by something else, for the script [`LIST`](super::LIST).
pub fn list(filter: &str, head: &str, rows: &str) -> String {
    fill(include_str!("list.html"), &[("filter", filter), ("head", head), ("rows", rows)])
}

/// A player's name as HTML, with its text direction isolated.
pub fn name(name: &str) -> String {
    format!("<bdi>{}</bdi>", escape(name))
}

/// A number with its sign and this many decimals; no sign if it rounds to zero.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    if text[1..].bytes().all(|byte| matches!(byte, b'0' | b'.')) { text[1..].into() } else { text }
}

/// A number with a typographic minus sign.
pub fn minus(number: &str) -> String {
    number.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_have_no_sign() {
        assert_eq!(signed(-0.04, 1), "0.0");
        assert_eq!(signed(-0.06, 1), "-0.1");
        assert_eq!(signed(f64::INFINITY, 0), "+inf");
        assert_eq!(minus(&signed(-1.5, 2)), "\u{2212}1.50");
    }
}

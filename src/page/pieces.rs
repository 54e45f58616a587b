//! Small pieces of pages, and numbers as pages write them.

use super::escape;

/// The board of a page with the buttons that go through the game.
pub const BOARD: &str = include_str!("board.html");

/// A value in a list of such: a heading and a note, all of which may be HTML.
pub fn card(heading: &str, value: &str, note: &str) -> String {
    format!("<div><dt>{heading}</dt><dd>{value}<small>{note}</small></dd></div>")
}

/// A player's name as HTML; the direction of its script does not reach beyond it.
pub fn name(name: &str) -> String {
    format!("<bdi>{}</bdi>", escape(name))
}

/// A number with its noun.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A number with its sign and so many decimals; no sign if that shows zeros only.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    if text[1..].bytes().all(|byte| matches!(byte, b'0' | b'.')) { text[1..].into() } else { text }
}

/// A number with the minus sign of typography.
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

    #[test]
    fn nouns_follow_their_numbers() {
        assert_eq!(counted(1, "loss", "losses"), "1 loss");
        assert_eq!(counted(0, "loss", "losses"), "0 losses");
    }
}

//! Texts from outside, made safe to show.

/// U+FEFF in UTF-8. Begins what shells and editors of Windows write.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A text without the byte order mark that it may begin with.
pub fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Whether a character controls a terminal or the text around it: C0 and C1, line breaks, changes of direction.
pub fn is_control(symbol: char) -> bool {
    symbol.is_control()
        || matches!(symbol, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text whose control characters are escaped as in JSON, also if it is some.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for symbol in text.chars() {
        match symbol {
            '\n' => shown += "\\n",
            '\r' => shown += "\\r",
            '\t' => shown += "\\t",
            // All of them are in the basic plane, so one escape suffices.
            _ if is_control(symbol) => shown += &format!("\\u{:04x}", u32::from(symbol)),
            _ => shown.push(symbol),
        }
    }
    shown
}

/// A number and its noun: `1 game`, `2 games`.
#[cfg(feature = "program")]
pub fn counted(n: impl std::fmt::Display, one: &str, many: &str) -> String {
    let n = n.to_string();
    format!("{n} {}", if n == "1" { one } else { many })
}

/// `; did you mean ...?` if one of the words resembles a text, else nothing.
#[cfg(feature = "program")]
pub fn nearest<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> String {
    const RESEMBLES: f64 = 0.7;
    let by_likeness = words.map(|word| (strsim::jaro_winkler(text, word), word));
    let nearest = by_likeness.max_by(|a, b| a.0.total_cmp(&b.0));
    let nearest = nearest.filter(|(likeness, _)| *likeness >= RESEMBLES);
    nearest.map_or_else(String::new, |(_, word)| format!("; did you mean {}?", printable(word)))
}

pub fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

#[cfg(all(test, feature = "program"))]
mod tests {
    use super::counted;

    #[test]
    fn nouns_follow_their_numbers() {
        assert_eq!(counted(1, "loss", "losses"), "1 loss");
        assert_eq!(counted(0, "loss", "losses"), "0 losses");
    }
}

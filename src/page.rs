//! What pages of results are made of: a template filled with pieces, texts of others made harmless, the style and the board
//! that all pages share.

pub mod chart;
pub mod pieces;

use serde::Serialize;

/// The style of all pages.
const STYLE: &str = include_str!("page/base.css");

/// What the scripts of all pages share: making elements, turning discs, the board.
const SCRIPT: &str = include_str!("page/board.js");

/// The beginning of a page up to its body: the title, and the style of all pages followed by the page's own.
pub fn head(title: &str, own_style: &str) -> String {
    let style = STYLE.to_owned() + own_style;
    fill(include_str!("page/head.html"), &[("title", &escape(title)), ("style", &style)])
}

/// The end of a page from its body's footer on: the data that its script reads from the element `data`, and the script, of which
/// all pages share the first part. That one needs [`pieces::BOARD`].
pub fn foot(data: &impl Serialize, own_script: &str) -> String {
    let script = SCRIPT.to_owned() + own_script;
    fill(include_str!("page/foot.html"), &[("data", &script_json(data)), ("script", &script)])
}

/// Puts the pieces where the template names them, `{{like this}}`. What is put in is not looked at again: a player may be
/// named like a piece.
pub fn fill(template: &str, pieces: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (key, after) = after.split_once("}}").unwrap_or((after, ""));
        let piece = pieces.iter().find(|piece| piece.0 == key);
        debug_assert!(piece.is_some(), "the template asks for {key}");
        page += before;
        page += piece.map_or("", |piece| piece.1);
        rest = after;
    }
    page + rest
}

/// Text of one line as HTML, in an attribute as well.
pub fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for symbol in printable(text).chars() {
        match symbol {
            '&' => html += "&amp;",
            '<' => html += "&lt;",
            '>' => html += "&gt;",
            '"' => html += "&quot;",
            '\'' => html += "&#39;",
            _ => html.push(symbol),
        }
    }
    html
}

/// Text of several lines as HTML.
pub fn escape_lines(text: &str) -> String {
    let lines = text.lines().map(|line| escape(&line.replace('\t', "    ")));
    lines.collect::<Vec<_>>().join("\n")
}

/// A value as JSON that may stand within a `script` element; `null` if JSON cannot express it.
fn script_json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_else(|_| "null".into());
    // Outside of strings JSON has none of the characters that are replaced.
    let mut safe = String::with_capacity(json.len());
    for symbol in json.chars() {
        if matches!(symbol, '<' | '>' | '&') || is_control(symbol) {
            // All of these are in the basic plane, so that one escape is enough.
            safe += &format!("\\u{:04x}", u32::from(symbol));
        } else {
            safe.push(symbol);
        }
    }
    safe
}

/// A text without characters that would control the reader's terminal or turn the direction of the text around it.
pub fn printable(text: &str) -> String {
    text.chars().map(|symbol| if is_control(symbol) { '\u{fffd}' } else { symbol }).collect()
}

/// Whether a character is not shown but controls how others are: C0 and C1, breaks of lines and changes of direction.
fn is_control(symbol: char) -> bool {
    symbol.is_control()
        || matches!(symbol, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_not_looked_at_again() {
        assert_eq!(fill("a{{b}}c{{d}}", &[("b", "{{d}}"), ("d", "1")]), "a{{d}}c1");
    }

    #[test]
    fn texts_of_others_are_harmless() {
        assert_eq!(
            escape("<b a='\"'>&\u{202e}\n"),
            "&lt;b a=&#39;&quot;&#39;&gt;&amp;\u{fffd}\u{fffd}"
        );
        assert_eq!(script_json(&"</script>&\u{2028}"), "\"\\u003c/script\\u003e\\u0026\\u2028\"");
        assert_eq!(printable("a\u{1b}[1m"), "a\u{fffd}[1m");
    }
}

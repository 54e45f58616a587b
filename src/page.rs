//! The building blocks of HTML pages: templates, escaping of untrusted text, and the shared style and board.

pub mod chart;
pub mod pieces;

use serde::Serialize;

use crate::support::text::{is_control, printable};

/// Shared by all pages.
pub const STYLE: &str = include_str!("page/base.css");

/// Shared by all pages: creating elements, flipping discs, the board.
pub const SCRIPT: &str = include_str!("page/board.js");

/// Finds, sorts and pages through the games of a [`pieces::list`], behind the shared script.
pub const LIST: &str = include_str!("page/list.js");

/// A page that loads nothing. Its title are `names`, apart from each other; `lead`, `main` and [`scripts`] are HTML.
pub fn page(
    kind: &str,
    names: &[&str],
    lead: &str,
    own_style: &str,
    main: &str,
    scripts: &str,
) -> String {
    let style = format!("<style>\n{STYLE}{own_style}</style>");
    framed([kind, lead, main, scripts], names, ["'unsafe-inline'", &style, ""])
}

/// A page of a kind, with a lead and the main part, that loads its style from `page.css` and its scripts from `page.js`, beside it: [`STYLE`], [`SCRIPT`] and what is its own.
pub fn page_beside(texts: [&str; 3], names: &[&str], data: &impl Serialize) -> String {
    let [kind, lead, main] = texts;
    let scripts = format!("{}<script src=\"page.js\"></script>\n", data_script(data));
    let style = r#"<link rel="stylesheet" href="page.css">"#;
    // To some browsers, what lies beside a page on a disk is of another origin.
    let loaded = ["'self' file:", style, " but page.css and page.js beside it"];
    framed([kind, lead, main, &scripts], names, loaded)
}

fn framed(texts: [&str; 4], names: &[&str], assets: [&str; 3]) -> String {
    let ([kind, lead, main, scripts], [sources, style, loaded]) = (texts, assets);
    let title = format!("{} · {kind}", names.join(" – "));
    let headings: Vec<String> = names.iter().map(|text| pieces::name(text)).collect();
    fill(
        include_str!("page/frame.html"),
        &[
            ("title", &escape(&title)),
            ("sources", sources),
            ("style", style),
            ("loaded", loaded),
            ("kind", kind),
            ("heading", &headings.join(" – ")),
            ("lead", lead),
            ("main", main),
            ("scripts", scripts),
        ],
    )
}

/// The data for the script in the element `data`, the shared script, which requires [`pieces::board`], and the page's own.
pub fn scripts(data: &impl Serialize, own_script: &str) -> String {
    format!("{}<script>\n{SCRIPT}{own_script}</script>\n", data_script(data))
}

fn data_script(data: &impl Serialize) -> String {
    let data = script_json(data);
    format!("<script type=\"application/json\" id=\"data\">{data}</script>\n")
}

/// Replaces placeholders `{{like this}}`; inserted text is not scanned again, because a player may be named like one.
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

/// For one line of text, also within attributes.
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

pub fn escape_lines(text: &str) -> String {
    let lines = text.lines().map(|line| escape(&line.replace('\t', "    ")));
    lines.collect::<Vec<_>>().join("\n")
}

/// A value as JSON that is safe within a `script` element; `null` if JSON cannot express it.
fn script_json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_else(|_| "null".into());
    // Outside of strings, JSON contains none of the replaced characters.
    let mut safe = String::with_capacity(json.len());
    for symbol in json.chars() {
        if matches!(symbol, '<' | '>' | '&') || is_control(symbol) {
            // All of these are in the basic plane, so one escape suffices.
            safe += &format!("\\u{:04x}", u32::from(symbol));
        } else {
            safe.push(symbol);
        }
    }
    safe
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
        assert_eq!(escape("<b a='\"'>&\u{202e}\n"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;\\u202e\\n");
        assert_eq!(printable("a\u{1b}[1m\u{9b}é\t\0\n"), "a\\u001b[1m\\u009bé\\t\\u0000\\n");
        assert_eq!(script_json(&"</script>&\u{2028}"), "\"\\u003c/script\\u003e\\u0026\\u2028\"");
    }
}

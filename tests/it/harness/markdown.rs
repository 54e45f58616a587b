//! The documents, and the lines of Markdown.

use std::path::Path;

/// The documents of a list and those of the folder `docs`: paths from the root, and texts.
pub fn documents(names: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    let docs = docs.map(|entry| format!("docs/{}", entry.unwrap().file_name().display()));
    let names = names.iter().map(|name| (*name).into()).chain(docs);
    names.map(|name| (name.clone(), std::fs::read_to_string(root.join(name)).unwrap())).collect()
}

/// The lines of a text with their numbers and, for those in a block of code, the words behind its opening fence, which an
/// indented block has not.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, Option<&str>, &str)> {
    let mut fence = None;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        if let Some(words) = line.strip_prefix("```") {
            fence = fence.is_none().then_some(words);
            return None;
        }
        Some((number, fence.or(line.starts_with("    ").then_some("")), line))
    })
}

/// The lines outside of blocks of code.
pub fn prose(text: &str) -> impl Iterator<Item = &str> {
    lines(text).filter(|(_, block, _)| block.is_none()).map(|(.., line)| line)
}

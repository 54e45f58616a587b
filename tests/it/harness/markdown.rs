//! Lines of Markdown and where they stand.

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

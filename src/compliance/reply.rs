//! The replies of an engine: paragraphs in GTP, lines in the other protocols.

/// A complete reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reply {
    /// The bytes received: in GTP from the sign through the empty line, else a line without its end.
    pub raw: Vec<u8>,
    /// The text that patterns must fit. In GTP: sign, id and text, without carriage returns and blanks around the text.
    /// One blank before the text stays: text glued to the sign is misread by most front ends.
    pub text: String,
}

impl Reply {
    /// A line.
    pub fn line(raw: Vec<u8>) -> Reply {
        let text = String::from_utf8_lossy(&raw).trim_end_matches('\r').to_owned();
        Reply { raw, text }
    }

    /// Recognizes a reply of GTP at the head of the output, with the number of bytes up to its end. Empty lines before
    /// it are skipped; a paragraph that is no reply is returned unchanged as an error, once it is complete.
    pub fn find(output: &[u8]) -> Option<(Result<Reply, Vec<u8>>, usize)> {
        let start = output.iter().position(|byte| !b"\r\n".contains(byte))?;
        let end = start + end_of_paragraph(&output[start..])?;
        let raw = output[start..end].to_vec();
        if !raw.starts_with(b"=") && !raw.starts_with(b"?") {
            return Some((Err(raw), end));
        }
        let all = String::from_utf8_lossy(&raw).replace('\r', "");
        let digits = all[1..].bytes().take_while(u8::is_ascii_digit).count();
        let (head, text) = all.split_at(1 + digits);
        let blank = if text.starts_with(' ') && !text.trim().is_empty() { " " } else { "" };
        let text = format!("{head}{blank}{}", text.trim());
        Some((Ok(Reply { raw, text }), end))
    }
}

/// The number of bytes through the first empty line.
fn end_of_paragraph(text: &[u8]) -> Option<usize> {
    let line_ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    for (index, _) in line_ends {
        match &text[index + 1..] {
            [b'\n', ..] => return Some(index + 2),
            [b'\r', b'\n', ..] => return Some(index + 3),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (Reply, usize) {
        let (reply, length) = Reply::find(text.as_bytes()).expect("complete");
        (reply.expect("a reply"), length)
    }

    #[test]
    fn replies_are_taken_apart() {
        let (reply, length) = found("=7 Name\n\n= 2\n\n");
        assert_eq!((reply.text.as_str(), length), ("=7 Name", 9));
        assert_eq!(reply.raw, b"=7 Name\n\n");
        for (raw, text) in [
            ("\n? unknown command\r\n\r\n", "? unknown command"),
            ("=\n\n", "="),
            ("= \n\n", "="),
            ("= a\nb\n\n", "= a\nb"),
            ("=Name\n\n", "=Name"),
            ("?illegal move\n\n", "?illegal move"),
            ("=  c5 \n\n", "= c5"),
        ] {
            assert_eq!(found(raw).0.text, text);
        }
    }

    #[test]
    fn incomplete_replies_and_stray_text_are_told_apart() {
        assert_eq!(Reply::find(b"= 2\n"), None);
        assert_eq!(Reply::find(b"\n\n"), None);
        let (stray, length) = Reply::find(b"hello\n\n= 2\n\n").expect("a paragraph");
        assert_eq!((stray, length), (Err(b"hello\n\n".to_vec()), 7));
    }
}

//! The habitual flags of other engines, so that this one can be put in their place.
//!
//! clap knows no long flags with a single dash; they are rewritten before it sees them.

use std::ffi::{OsStr, OsString};

/// Rewrites a first argument `--gtp` or `-gtp` (and so on) into the subcommand, and after the single-dash form the flags of Edax
/// and Egaroucid into this program's. Flags without a meaning here are dropped.
///
/// # Errors
/// A message if a flag after a single-dash form is unknown or lacks its value.
pub(super) fn rewrite(arguments: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let Some(first) = arguments.get(1).and_then(|first| first.to_str()) else {
        return Ok(arguments);
    };
    let name = first.trim_start_matches('-');
    let n_dashes = first.len() - name.len();
    if !["nboard", "gtp", "cassio"].contains(&name) || !(1..=2).contains(&n_dashes) {
        return Ok(arguments);
    }
    let mut rewritten = vec![arguments[0].clone(), name.into()];
    let mut rest = arguments.iter().skip(2);
    if n_dashes == 2 {
        rewritten.extend(rest.cloned());
        return Ok(rewritten);
    }
    while let Some(argument) = rest.next() {
        let flag = argument.to_string_lossy();
        let mut value = || rest.next().cloned().ok_or_else(|| format!("{flag} needs a value"));
        match flag.as_ref() {
            "-l" | "-level" => {
                let level = number(&flag, &value()?, 0, 60)?;
                rewritten.extend(["--level".into(), level.max(1).to_string().into()]);
            }
            "-n" | "-t" | "-threads" => {
                let n_threads = number(&flag, &value()?, 1, 1024)?;
                rewritten.extend(["--threads".into(), n_threads.to_string().into()]);
            }
            "-hash" => {
                // Tables are given as the binary logarithm of the number of entries, of 24 bytes here.
                let bits = number(&flag, &value()?, 1, 31)?;
                let megabytes = (24u64 << bits >> 20).max(1);
                rewritten.extend(["--hash".into(), megabytes.to_string().into()]);
            }
            "-nobook" | "-q" => {}
            "-book-usage" | "-eval-file" => drop(value()?),
            own if own.starts_with("--") => rewritten.push(argument.clone()),
            // The value of an own option.
            text if !text.starts_with('-')
                && rewritten
                    .last()
                    .is_some_and(|last| last.to_string_lossy().starts_with("--")) =>
            {
                rewritten.push(argument.clone());
            }
            unknown => {
                return Err(format!(
                    "unknown flag {unknown} after {first}; known are -l, -level, -n, -t, -threads, -hash, \
                     -nobook, -book-usage, -eval-file, -q and the options of othellier {name} --help"
                ));
            }
        }
    }
    Ok(rewritten)
}

fn number(flag: &str, value: &OsStr, least: u64, most: u64) -> Result<u64, String> {
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
        format!("{flag} takes a number from {least} to {most}, not {}", value.to_string_lossy())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> Result<String, String> {
        let arguments =
            std::iter::once("othellier").chain(line.split_whitespace()).map(OsString::from);
        rewrite(arguments.collect()).map(|arguments| {
            let words: Vec<_> =
                arguments[1..].iter().map(|word| word.to_string_lossy().into_owned()).collect();
            words.join(" ")
        })
    }

    #[test]
    fn flags_of_other_engines_are_understood() {
        for (line, expected) in [
            ("-gtp -l 21 -t 32", "gtp --level 21 --threads 32"),
            ("-gtp -level 0 -n 2", "gtp --level 1 --threads 2"),
            ("-cassio -hash 20 -nobook -q", "cassio --hash 24"),
            ("-nboard -eval-file x.dat -book-usage off", "nboard"),
            ("-gtp --log-file x.log -l 5", "gtp --log-file x.log --level 5"),
            ("--gtp --level 5", "gtp --level 5"),
            ("gtp -l 5", "gtp -l 5"),
            ("perft 5", "perft 5"),
            ("", ""),
        ] {
            assert_eq!(run(line), Ok(expected.to_string()), "{line}");
        }
        for bad in ["-gtp -x", "-gtp -l", "-gtp -l 61", "-gtp -hash 99", "-gtp -t 0", "-gtp word"] {
            assert!(run(bad).is_err(), "{bad}");
        }
    }
}

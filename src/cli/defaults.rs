//! Options of one's own for every command: `OTHELLIER_OPTIONS`.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error};

use super::engine_options::EngineOptions;
use crate::players::spec::words as split;

const VARIABLE: &str = "OTHELLIER_OPTIONS";

/// Options that say the same in other words: if the command line has one, the variable's others do not count.
const RIVALS: [&[&str]; 2] =
    [&["level", "depth", "nodes", "clock"], &["strength", "elo", "player"]];

/// The command line with the options of the variable before its own, as far as its command has them and it does not set them. `given` is
/// what it says itself. `None` if it stays as it is.
pub(super) fn with_own(
    words: &[OsString],
    mut command: &Command,
    mut given: &ArgMatches,
) -> Result<Option<Vec<OsString>>, Error> {
    let text = std::env::var_os(VARIABLE).unwrap_or_default().to_string_lossy().into_owned();
    let bad = |text: &str| Error::raw(ErrorKind::InvalidValue, format!("{VARIABLE}: {text}\n"));
    let own = split(&text).ok_or_else(|| bad("a quote is not closed"))?;
    let mut place = 1;
    while let Some((name, after)) = given.subcommand()
        && let Some(found) = command.find_subcommand(name)
    {
        (command, given, place) = (found, after, place + 1);
    }
    let is_set = |matches: &ArgMatches, name: &str| {
        matches.try_contains_id(name).is_ok()
            && matches.value_source(name) == Some(ValueSource::CommandLine)
    };
    if own.is_empty() || is_set(given, "sandbox") {
        return Ok(None);
    }
    let mut words = words.to_vec();
    let parser = EngineOptions::augment_args(Command::new(VARIABLE).no_binary_name(true));
    let own = parser.clone().try_get_matches_from(own).map_err(|error| {
        let text = error.to_string();
        bad(text.lines().next().unwrap_or_default().trim_start_matches("error: "))
    })?;
    for option in parser.get_arguments() {
        let name = option.get_id().as_str();
        let rivals = RIVALS.into_iter().find(|rivals| rivals.contains(&name));
        let is_given = rivals.unwrap_or(&[name]).iter().any(|name| is_set(given, name));
        let is_wanted = is_set(&own, name) && !is_given;
        let is_known = command.get_arguments().any(|known| known.get_id() == name);
        if let Some(long) = option.get_long().filter(|_| is_wanted && is_known) {
            let values = own.get_raw(name).into_iter().flatten();
            let values = values.filter(|_| option.get_action().takes_values()).map(Into::into);
            words.splice(place..place, [format!("--{long}").into()].into_iter().chain(values));
        }
    }
    Ok(Some(words))
}

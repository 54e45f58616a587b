//! The settings that have a name: in players' specifications (`engine:hash=64`), on the command line (`--hash 64`), in GTP
//! (`set_hash 64`) and in GoGui's dialog. Each of these says which ones it offers; names, values and meaning stand here.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::level::MAX_LEVEL;
use super::strength::{self, MAX_STRENGTH, N_RUNGS, Strength};
use super::{Config, Pace};

/// A setting of [`Config`].
#[derive(Debug)]
pub struct Setting {
    /// As specifications and the command line write it.
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    /// The form of its values.
    pub form: Form,
    set: fn(&mut Config, &str) -> Result<(), String>,
    get: fn(&Config) -> String,
}

/// The form of a setting's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number in this unit.
    Number(&'static str),
    /// One of the numbers from 1 to this, or a word for none of them.
    Choice(u32, &'static str),
    /// `on` or `off`.
    Switch,
}

/// The most threads of a search: more would not help.
pub const THREADS: RangeInclusive<usize> = 1..=1024;

/// Sizes of a transposition table in MiB.
pub const HASH: RangeInclusive<usize> = 1..=64 << 10;

/// Differences between two scores in discs.
const DISCS: RangeInclusive<f64> = 0.0..=64.0;

const AUTO: &str = "auto";
const OFF: &str = "off";

/// All settings.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "level",
        help: "Search effort, 1 to 60: the midgame depth; higher levels solve the endgame earlier",
        form: Form::Choice(MAX_LEVEL, AUTO),
        set: |config, text| {
            let level = if text == AUTO { None } else { Some(number(text, 1..=MAX_LEVEL)?) };
            // In the place of a depth or a number of nodes.
            config.pace = Pace { control: config.pace.control, level, ..Pace::OWN };
            Ok(())
        },
        get: |config| config.pace.level.map_or_else(|| AUTO.into(), |level| level.to_string()),
    },
    Setting {
        name: "depth",
        help: "Search exactly N plies, without forward pruning",
        form: Form::Number("N"),
        set: |config, text| set(&mut config.pace.depth, number(text, 1..=60).map(Some)),
        get: |config| config.pace.depth.map_or_else(String::new, |depth| depth.to_string()),
    },
    Setting {
        name: "nodes",
        help: "Stop each search after N nodes",
        form: Form::Number("N"),
        set: |config, text| set(&mut config.pace.nodes, number(text, 1..=u64::MAX).map(Some)),
        get: |config| config.pace.nodes.map_or_else(String::new, |nodes| nodes.to_string()),
    },
    Setting {
        name: "strength",
        help: "Play like a human of strength N, 1 to 60 (60 is full strength); overrides level and depth",
        form: Form::Choice(MAX_STRENGTH, OFF),
        set: |config, text| {
            let n = if text == OFF { MAX_STRENGTH } else { number(text, 1..=MAX_STRENGTH)? };
            set_strength(config, Strength::new(n))
        },
        get: |config| match config.strength {
            strength if strength.is_full() => OFF.into(),
            strength => strength.number().to_string(),
        },
    },
    Setting {
        name: "elo",
        help: "Play like a human of this Elo rating, where the player random has 0",
        form: Form::Number("N"),
        set: |config, text| {
            let (lowest, highest) = strength::range_of_elo();
            set_strength(config, Strength::from_elo(number(text, lowest..=highest)?))
        },
        get: |_| String::new(),
    },
    Setting {
        name: "rung",
        help: "A rung of the ladder of strengths, to measure it",
        form: Form::Number("N"),
        set: |config, text| {
            set_strength(config, Strength::from_rung(number(text, 0..=N_RUNGS as u32 - 1)?))
        },
        get: |_| String::new(),
    },
    Setting {
        name: "threads",
        help: "Search threads",
        form: Form::Number("N"),
        set: |config, text| set(&mut config.n_threads, number(text, THREADS)),
        get: |config| config.n_threads.to_string(),
    },
    Setting {
        name: "hash",
        help: "Size of the transposition table in MiB",
        form: Form::Number("MB"),
        set: |config, text| set(&mut config.hash_megabytes, number(text, HASH)),
        get: |config| config.hash_megabytes.to_string(),
    },
    Setting {
        name: "ponder",
        help: "Think on the opponent's time (not Cassio)",
        form: Form::Switch,
        set: |config, text| set(&mut config.ponders, switch(text)),
        get: |config| if config.ponders { "on" } else { OFF }.into(),
    },
    Setting {
        name: "randomness",
        help: "Pick randomly among moves within this many discs of the best",
        form: Form::Number("DISCS"),
        set: |config, text| set(&mut config.randomness, number(text, DISCS)),
        get: |config| config.randomness.to_string(),
    },
    Setting {
        name: "book-variety",
        help: "Vary the book's moves: lose up to this many discs by them in a game",
        form: Form::Number("DISCS"),
        set: |config, text| set(&mut config.book_variety, number(text, DISCS)),
        get: |config| config.book_variety.to_string(),
    },
    Setting {
        name: "contempt",
        help: "Count a proven draw in the book this many discs for Black",
        form: Form::Number("DISCS"),
        set: |config, text| set(&mut config.contempt, number(text, -64..=64)),
        get: |config| config.contempt.to_string(),
    },
];

impl Setting {
    /// The setting of this name.
    pub fn named(name: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Gives it a value; fails with what is expected instead of this text, and then changes nothing.
    pub fn set(&self, config: &mut Config, text: &str) -> Result<(), String> {
        (self.set)(config, text)
    }

    /// Its value as it is set; empty if it has none.
    pub fn get(&self, config: &Config) -> String {
        (self.get)(config)
    }

    /// Fails with what is expected instead of this text.
    pub fn check(&self, text: &str) -> Result<(), String> {
        self.set(&mut Config::default(), text)
    }
}

fn set<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

fn set_strength(config: &mut Config, strength: Option<Strength>) -> Result<(), String> {
    set(&mut config.strength, strength.ok_or_else(String::new))
}

/// Reads a number within a range; fails with the range.
pub fn number<T>(text: &str, range: RangeInclusive<T>) -> Result<T, String>
where
    T: FromStr + PartialOrd + Display,
{
    // `parse` would take a plus sign.
    let number = if text.starts_with('+') { None } else { text.parse().ok() };
    let number = number.filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected a number from {} to {}", range.start(), range.end()))
}

/// Reads `on` or `off`.
pub fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" | "yes" => Ok(true),
        "off" | "no" => Ok(false),
        _ => Err("expected on or off".into()),
    }
}

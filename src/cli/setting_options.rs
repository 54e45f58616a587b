//! The options that are settings of the engine.

use clap::builder::TypedValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use crate::engine::Config;
use crate::engine::settings::{Form, Setting};

/// The settings by their places in the help.
const GROUPS: [&[&str]; 4] = [
    &["level", "depth", "nodes"],
    &["strength", "elo"],
    &["threads", "hash", "ponder", "randomness"],
    &["book-variety", "contempt"],
];

/// The settings of a group with the texts of their values, those given and the defaults.
#[derive(Clone, Debug, Default)]
pub(super) struct SettingOptions<const GROUP: usize>(Vec<(&'static Setting, String)>);

impl<const GROUP: usize> SettingOptions<GROUP> {
    fn settings() -> impl Iterator<Item = &'static Setting> {
        GROUPS[GROUP].iter().filter_map(|name| Setting::named(name))
    }

    pub fn apply(&self, config: &mut Config) -> anyhow::Result<()> {
        self.0
            .iter()
            .try_for_each(|(setting, text)| setting.set(config, text))
            .map_err(anyhow::Error::msg)
    }
}

impl<const GROUP: usize> Args for SettingOptions<GROUP> {
    fn augment_args(command: Command) -> Command {
        command.args(Self::settings().map(|setting| {
            let name = setting.name;
            let mut arg = Arg::new(name).long(name).help(setting.help);
            // The words for no value are for front ends, whose users cannot leave out an option.
            let (unit, default) = match setting.form {
                Form::Number(unit) => (unit, setting.get(&Config::default())),
                Form::Choice(..) => ("N", String::new()),
                Form::Switch => return arg.action(ArgAction::SetTrue),
            };
            let parser = clap::builder::StringValueParser::new();
            arg = arg
                .value_name(unit)
                .allow_negative_numbers(true)
                .value_parser(parser.try_map(|text| setting.check(&text).map(|()| text)));
            if !default.is_empty() {
                arg = arg.default_value(default);
            }
            match name {
                "level" | "threads" => arg.short(name.chars().next()),
                "elo" => arg.conflicts_with("strength"),
                _ => arg,
            }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const GROUP: usize> FromArgMatches for SettingOptions<GROUP> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = Self::settings().filter_map(|setting| {
            let text = match setting.form {
                Form::Switch => matches.get_flag(setting.name).then(|| "on".to_string()),
                _ => matches.get_one::<String>(setting.name).cloned(),
            };
            Some((setting, text?))
        });
        Ok(SettingOptions(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

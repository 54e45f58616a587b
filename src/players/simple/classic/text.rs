//! The player's settings as text: `open=positional/6,middle=positional/4,end=least-loss/8,open-moves=6,end-empties=8,ponder=on`.
//!
//! Any of them may be left out, as may the coefficients of `positional[discs=-1,moves=2,squares=1,unturnable=3]`.

use std::fmt;

use super::evaluation::{Coefficients, Evaluation, MAX_COEFFICIENT};
use super::{MAX_DEPTH, Phase, Settings};
use crate::engine::settings::{number, switch};

const EVALUATIONS: &str = "random, anti, discs, least-loss, positional and win-loss";

pub(in crate::players::simple) const FORM: &str = "open=positional/6,middle=positional/4,end=least-loss/8,open-moves=6,end-empties=8,\
    ponder=on (evaluation/depth; positional may be positional[discs=-1,moves=2,squares=1,unturnable=3])";

impl Settings {
    pub(in crate::players::simple) fn parse(text: &str) -> Result<Settings, (String, String)> {
        let mut settings = Settings::default();
        for item in items(text) {
            settings.set(item).map_err(|reason| (item.into(), reason))?;
        }
        Ok(settings)
    }

    fn set(&mut self, item: &str) -> Result<(), String> {
        let (key, value) = item.split_once('=').ok_or("expected key=value")?;
        match key {
            "open" => self.open = phase(value)?,
            "middle" => self.middle = phase(value)?,
            "end" => self.end = phase(value)?,
            "open-moves" => self.open_moves = number(value, 0..=60)?,
            "end-empties" => self.end_empties = number(value, 0..=60)?,
            "ponder" => self.ponder = switch(value)?,
            _ => {
                return Err(
                    "the keys are open, middle, end, open-moves, end-empties and ponder".into()
                );
            }
        }
        Ok(())
    }
}

/// Splits at the commas outside brackets.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let is_separator = move |symbol: char| {
        match symbol {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        symbol == ',' && depth == 0
    };
    text.split(is_separator).filter(move |_| !text.is_empty())
}

fn phase(text: &str) -> Result<Phase, String> {
    let (evaluation, depth) = match text.rsplit_once('/') {
        Some((evaluation, depth)) => (evaluation, Some(depth)),
        None => (text, None),
    };
    let depth = depth.map(|depth| number(depth, 1..=MAX_DEPTH)).transpose()?;
    let (name, coefficients) = match evaluation.split_once('[') {
        Some((name, rest)) => {
            (name, Some(rest.strip_suffix(']').ok_or("the bracket is not closed")?))
        }
        None => (evaluation, None),
    };
    if coefficients.is_some() && name != "positional" {
        return Err("only positional takes coefficients".into());
    }
    let evaluation = match name {
        "random" => return Ok(Phase::Random),
        "anti" => Evaluation::Anti,
        "discs" => Evaluation::Discs,
        "least-loss" => Evaluation::LeastLoss,
        "positional" => {
            Evaluation::Positional(self::coefficients(coefficients.unwrap_or_default())?)
        }
        "win-loss" => Evaluation::WinLoss,
        _ => return Err(format!("evaluations are {EVALUATIONS}")),
    };
    let depth = depth.ok_or("the depth is missing, as in positional/6")?;
    Ok(Phase::Search { evaluation, depth })
}

fn coefficients(text: &str) -> Result<Coefficients, String> {
    let mut coefficients = Coefficients::default();
    for item in items(text) {
        let wrong = || format!("'{item}': coefficients are discs, moves, squares and unturnable");
        let (key, value) = item.split_once('=').ok_or_else(wrong)?;
        let coefficient = match key {
            "discs" => &mut coefficients.discs,
            "moves" => &mut coefficients.moves,
            "squares" => &mut coefficients.squares,
            "unturnable" => &mut coefficients.unturnable,
            _ => return Err(wrong()),
        };
        *coefficient = number(value, -MAX_COEFFICIENT..=MAX_COEFFICIENT)
            .map_err(|reason| format!("'{item}': {reason}"))?;
    }
    Ok(coefficients)
}

/// The player's specification, with only the settings that differ from the default.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = Settings::default();
        let mut items = Vec::new();
        let phases = [
            ("open", self.open, default.open),
            ("middle", self.middle, default.middle),
            ("end", self.end, default.end),
        ];
        for (key, phase, default) in phases {
            if phase != default {
                items.push(format!("{key}={}", phase_name(phase)));
            }
        }
        if self.open_moves != default.open_moves {
            items.push(format!("open-moves={}", self.open_moves));
        }
        if self.end_empties != default.end_empties {
            items.push(format!("end-empties={}", self.end_empties));
        }
        if self.ponder != default.ponder {
            items.push(format!("ponder={}", if self.ponder { "on" } else { "off" }));
        }
        let colon = if items.is_empty() { "" } else { ":" };
        write!(f, "classic{colon}{}", items.join(","))
    }
}

fn phase_name(phase: Phase) -> String {
    let Phase::Search { evaluation, depth } = phase else { return "random".into() };
    let name = match evaluation {
        Evaluation::Anti => "anti".into(),
        Evaluation::Discs => "discs".into(),
        Evaluation::LeastLoss => "least-loss".into(),
        Evaluation::WinLoss => "win-loss".into(),
        Evaluation::Positional(own) => {
            let default = Coefficients::default();
            let rows = [
                ("discs", own.discs, default.discs),
                ("moves", own.moves, default.moves),
                ("squares", own.squares, default.squares),
                ("unturnable", own.unturnable, default.unturnable),
            ];
            let changed = rows.iter().filter(|(_, own, default)| own != default);
            let changed: Vec<_> = changed.map(|(key, own, _)| format!("{key}={own}")).collect();
            if changed.is_empty() {
                "positional".into()
            } else {
                format!("positional[{}]", changed.join(","))
            }
        }
    };
    format!("{name}/{depth}")
}

//! `othellier compliance`.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::printer::Printer;
use super::{FAILED, progress};
use crate::compliance::{self, Protocol, Verdict};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  othellier compliance --proto gtp -- gtp-rhino -l 1 -b 0\n\n\
    Some cases (G38, G43, G55, G56, N29, C5, C12) test this project's own conventions; an engine that deviates from them \
    is reported as 'differs'. The exit status is 1 if any case failed.")]
pub(super) struct Arguments {
    /// Protocol: gtp, nboard, cassio, edax, xboard or json
    #[arg(long, value_name = "PROTOCOL")]
    proto: Protocol,
    /// Run only these cases, such as G12 (repeatable)
    #[arg(long, value_name = "CASE")]
    case: Vec<String>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// The engine's command, with the arguments that select the protocol
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut printer = Printer::new(super::screen(), arguments.json);
    let cases = compliance::select(arguments.proto, &arguments.case)?;
    let bar = progress::over(Some(cases.len()), "cases");
    let mut broken = None;
    let summary = compliance::run(&arguments.command, arguments.proto, &cases, &mut |result| {
        let (verdict, mismatch) = match &result.verdict {
            // What failed at first, if it did.
            Verdict::Passed => ("passed", result.before.last()),
            Verdict::Failed(mismatch) => ("failed", Some(mismatch)),
            Verdict::Differs(mismatch) => ("differs", Some(mismatch)),
            Verdict::NotOffered => ("not offered", None),
        };
        let row = json!({
            "case": result.number,
            "title": result.title,
            "verdict": verdict,
            "tries": result.before.len() + 1,
            "sent": mismatch.map(|mismatch| &mismatch.sent),
            "got": mismatch.map(|mismatch| &mismatch.got),
            "expected": mismatch.map(|mismatch| &mismatch.expected),
        });
        let written = bar.suspend(|| printer.show(&row, result));
        if let Err(error) = written.and_then(|()| printer.output.flush()) {
            broken.get_or_insert(error);
        }
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    if let Some(error) = broken {
        return Err(error.into());
    }
    let row = json!({
        "protocol": summary.protocol.to_string(),
        "passed": summary.passed,
        "failed": summary.failed,
        "differ": summary.differ,
        "not_offered": summary.not_offered,
    });
    printer.show(&row, summary)?;
    Ok(if summary.failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

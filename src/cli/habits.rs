//! The flags of other engines, so that this one can replace them.
//!
//! Their long flags have a single dash, which clap does not support, so they are rewritten before parsing. Where a flag differs
//! between Edax and Egaroucid, its value decides. They keep their places, because of repeated options the last one counts.

use std::ffi::OsString;
use std::path::Path;

use super::{PROTOCOLS, is_own, takes_value, warn};
use crate::clock::clock_time;
use crate::engine::settings::THREADS;
use crate::protocol::edax::options::{megabytes, switch};
use crate::support::text::unmarked;

/// How levels and depths are rewritten.
const LEVEL: &str = "-l=";
const DEPTH: &str = "--depth=";

/// Edax reads its flags from this file of the working directory first.
const OPTION_FILE: &str = "edax.ini";

/// Flags that have an effect, for messages.
const KNOWN: &str = "-q, -quiet, -silent, -vv, -verbose, -l, -level, -d, -depth, -n, -n-tasks, -t, -thread, -threads, -h, -hash, -hashlevel, -hash-table-size, -time, -game-time, \
                     -move-time, -ponder, -name, -logfile, -ui-log-file, -o, -option-file, -noise, -nobook, -book-usage, -book-randomness, -help, -?, -v, \
                     -version";

/// Ignored flags by what follows them: extra output, files of others and habits of other front ends.
const IDLE: [(Idle, &str); 5] = [
    (
        Idle::Nothing,
        "-info -cpu -noboard -noautopass -noautocacheclear -showvalue -debug-cassio -follow-cassio",
    ),
    (
        Idle::Text,
        "-eval -evaluation -eval-file -b -book -book-file -game-file -search-log-file -logdir -selectivity -alpha -beta -all-best \
         -speed -nps -echo -repeat -probcut-d -pv-debug",
    ),
    (Idle::Switch, "-auto-start -auto-swap -auto-store -auto-quit"),
    (Idle::Number(3, 250), "-width"),
    (Idle::Number(0, 3), "-m -mode"),
];

/// The command that a command line in the form of other engines means, and where its name stands, if it does.
fn command(arguments: &[OsString]) -> Option<(&'static str, Option<usize>)> {
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
    // Some programs name only the engine, and wait for its first board.
    let program = words.first()?.rsplit(['/', '\\']).next()?.to_lowercase();
    let console = program.contains("edax").then_some(("edax", None));
    let Some(first) = words.get(1).map(AsRef::as_ref) else { return console };
    let named = |word: &str| PROTOCOLS.into_iter().find(|name| *name == word);
    let name = first.trim_start_matches('-');
    let n_dashes = first.len() - name.len();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    if let (0..=2, Some(name)) = (n_dashes, named(name))
        && !(name == "edax" && words[..end].iter().any(|word| is_solve(word)))
    {
        return Some((name, Some(1)));
    }
    if (n_dashes > 0 || first == "edax")
        && let Some(at) = words[..end].iter().position(|word| is_solve(word))
    {
        return Some(("edax-solve", Some(at)));
    }
    // Edax takes its flags in any order, and starts its console if none of them names a protocol.
    let dashed = format!("-{name}");
    let first = if console.is_some() { &dashed } else { first };
    let is_flag = KNOWN.split(", ").any(|flag| flag == first)
        || IDLE.iter().any(|(_, flags)| flags.split(' ').any(|idle| idle == first));
    let is_help = ["-h", "-help", "-?"].contains(&first) && words.len() == 2;
    if !is_flag || is_help {
        return console.filter(|_| n_dashes > 0);
    }
    let found = (2..end).find_map(|at| Some((named(words[at].strip_prefix('-')?)?, Some(at))));
    Some(found.unwrap_or(("edax", None)))
}

fn is_solve(word: &str) -> bool {
    word == "-solve" || word == "--solve"
}

/// Rewrites a first argument such as `--gtp` or `-gtp` into the subcommand, and the flags of Edax and Egaroucid into ours.
pub(super) fn rewrite(arguments: Vec<OsString>) -> Result<Vec<OsString>, String> {
    if arguments.get(1).is_some_and(|first| first == "match") {
        return match_flags(&arguments).map_or(Ok(arguments), Err);
    }
    let Some((name, at)) = command(&arguments) else { return Ok(arguments) };
    let solves = name == "edax-solve";
    // With a single dash, all that follows must be theirs.
    let is_strict = at.is_none_or(|at| {
        let word = arguments[at].to_string_lossy();
        word.starts_with('-') && !word.starts_with("--")
    });
    let mut rest = arguments.clone().split_off(1);
    if let (false, Some(at)) = (solves, at) {
        rest.remove(at - 1);
    } else if rest.first().is_some_and(|word| word == "edax") {
        rest.remove(0);
    }
    let mut rewriting =
        Rewriting { rest: rest.into_iter().peekable(), words: Vec::new(), name, has_time: false };
    let mut command = (!solves).then(|| vec![name.into()]);
    let is_edax = is_strict || solves;
    if is_strict && name == "nboard" {
        rewriting.words.push("--as-edax".into());
    }
    if is_edax && Path::new(OPTION_FILE).is_file() {
        rewriting.option_file(Path::new(OPTION_FILE))?;
    }
    while let Some(argument) = rewriting.rest.next() {
        if argument == "--" {
            rewriting.words.push(argument);
            rewriting.words.extend(rewriting.rest.by_ref());
            break;
        }
        if takes_value(&argument) {
            rewriting.words.push(argument);
            rewriting.words.extend(rewriting.rest.next());
            continue;
        }
        if !solves && ["-v", "-version"].iter().any(|flag| argument == *flag) {
            return Ok(vec![arguments[0].clone(), "--version".into()]);
        }
        if solves && is_solve(&argument.to_string_lossy()) {
            // Edax and Egaroucid solve a file of positions so.
            let file = rewriting.rest.next().ok_or("-solve needs a file of positions")?;
            command = Some(vec![name.into(), file]);
            continue;
        }
        // Edax takes any number of dashes.
        let flag = argument.to_string_lossy();
        let is_other = flag.starts_with("--") && !is_own(&argument, name);
        let dashed = format!("-{}", flag.trim_start_matches('-'));
        let is_other = is_other || is_edax && !flag.starts_with('-');
        if rewriting.habit(if is_other { &dashed } else { &flag })? {
            continue;
        }
        if !solves && is_strict && !argument.to_string_lossy().starts_with("--") {
            let unknown = argument.to_string_lossy();
            return Err(format!(
                "unknown flag {unknown}; supported flags: {KNOWN}; ignored flags: {}; for the other options see \
                 othellier {name} --help",
                IDLE.map(|(_, flags)| flags.replace(' ', ", ")).join(", ")
            ));
        }
        rewriting.words.push(argument);
    }
    // Not the flag, but the value of another one.
    let Some(command) = command else { return Ok(arguments) };
    Ok([vec![arguments[0].clone()], command, rewriting.words].concat())
}

/// If a match has flags of fastchess or cutechess, what to write instead.
fn match_flags(arguments: &[OsString]) -> Option<String> {
    let flags =
        ["-engine", "-each", "-rounds", "-tournament", "-srand", "-pgnout", "-repeat", "-recover"];
    let is_other = |word: &&OsString| {
        // An option of this program has two dashes, too, but none is called so.
        let word = word.to_string_lossy();
        flags.iter().any(|&flag| word == flag || (flag != "-each" && word == format!("-{flag}")))
    };
    let other = arguments.iter().find(is_other)?;
    Some(format!(
        "{} is a flag of fastchess and cutechess; here: othellier match --player 'name=A,proto=gtp,cmd=COMMAND' --player engine \
         --each clock=30+0.1 --games 100 --openings FILE --out DIR; every opening is played with both colors",
        other.to_string_lossy()
    ))
}

/// What an ignored flag is followed by.
#[derive(Clone, Copy)]
enum Idle {
    Nothing,
    /// A file, a folder or a name.
    Text,
    /// A number within a range.
    Number(u64, u64),
    /// `on` or `off`.
    Switch,
}

/// A command line being rewritten.
struct Rewriting {
    rest: std::iter::Peekable<std::vec::IntoIter<OsString>>,
    words: Vec<OsString>,
    /// The command; only threads and table count where positions are solved.
    name: &'static str,
    /// A time overrides the levels before and after it, as in Egaroucid.
    has_time: bool,
}

impl Rewriting {
    /// Rewrites a flag of another engine with its value; for any other argument changes nothing and returns `false`.
    fn habit(&mut self, flag: &str) -> Result<bool, String> {
        match flag {
            "-q" | "-quiet" | "-silent" => self.verbose(0),
            "-vv" => self.verbose(2),
            "-verbose" => {
                let n = self.number(flag, 0, 4)?;
                self.verbose(n);
            }
            "-noise" | "-width" | "-mode" if self.name == "edax" => {
                let value = self.number(flag, 0, 250)?;
                self.push("--console", format!("{}={value}", &flag[1..]));
            }
            "-l" | "-level" => self.effort(LEVEL, flag)?,
            "-d" | "-depth" => self.effort(DEPTH, flag)?,
            "-o" | "-option-file" => {
                let file = self.value(flag)?;
                self.option_file(Path::new(&file))?;
            }
            "-n" | "-n-tasks" | "-t" | "-thread" | "-threads" => {
                let n_threads = self.number(flag, 1, *THREADS.end() as u64)?;
                self.push("--threads", n_threads.to_string());
            }
            "-hash" | "-hashlevel" | "-hash-table-size" => self.hash(flag)?,
            // Edax's hash table; without a number, help.
            "-h" if self.next_is(|text| text.parse::<u64>().is_ok()) => self.hash(flag)?,
            "-time" | "-game-time" => self.clock("", flag)?,
            "-move-time" => self.clock("move:", flag)?,
            "-ponder" => {
                // Takes no value in Egaroucid.
                let on = !self.next_is(|text| switch(text).is_some()) || self.switch(flag)?;
                self.set("--ponder", on);
            }
            "-logfile" | "-ui-log-file" => {
                let file = self.value(flag)?;
                self.push("--log-file", file);
            }
            "-nobook" => self.set("--no-book", true),
            "-book-usage" => {
                let has_book = self.switch(flag)?;
                self.set("--no-book", !has_book);
            }
            "-book-randomness" => {
                let discs = self.number(flag, 0, 64)?;
                self.push("--book-variety", discs.to_string());
            }
            "-name" => {
                let name = self.value(flag)?;
                self.push("--name", name);
            }
            // Takes a value in Edax.
            "-noise" => {
                if self.next_is(|text| !text.starts_with('-')) {
                    self.number(flag, 0, 60)?;
                }
            }
            "-h" => self.words.push("-h".into()),
            "-help" | "-?" => self.words.push("--help".into()),
            _ => match IDLE.iter().find(|(_, flags)| flags.split(' ').any(|idle| idle == flag)) {
                None => return Ok(false),
                Some((Idle::Nothing, _)) => {}
                Some((Idle::Text, _)) => drop(self.value(flag)?),
                Some((Idle::Switch, _)) => drop(self.switch(flag)?),
                Some(&(Idle::Number(least, most), _)) => drop(self.number(flag, least, most)?),
            },
        }
        Ok(true)
    }

    /// Sets a level or a depth; the last one counts.
    fn effort(&mut self, option: &str, flag: &str) -> Result<(), String> {
        let n = self.number(flag, 0, 60)?.max(1);
        if !self.has_time {
            self.drop_efforts();
            self.words.push(format!("{option}{n}").into());
        }
        Ok(())
    }

    fn drop_efforts(&mut self) {
        let is_effort = |word: &str| word.starts_with(LEVEL) || word.starts_with(DEPTH);
        self.words.retain(|word| !is_effort(&word.to_string_lossy()));
    }

    /// Takes the flags of a file, `NAME = VALUE` a line. It may be meant for another program: what is unknown is told.
    fn option_file(&mut self, path: &Path) -> Result<(), String> {
        let name = path.display();
        let text = std::fs::read(path).map_err(|error| format!("cannot read {name}: {error}"))?;
        for line in String::from_utf8_lossy(unmarked(&text)).lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            let (flag, value) = line.split_once(['=', ' ', '\t']).unwrap_or((line, ""));
            let value = value.trim_start_matches(['=', ' ', '\t']);
            // A file that names files would have no end.
            if line.is_empty() || flag == "option-file" || flag == "o" {
                continue;
            }
            let value: Vec<OsString> =
                [value].iter().filter(|value| !value.is_empty()).map(Into::into).collect();
            let rest = std::mem::replace(&mut self.rest, value.into_iter().peekable());
            let found = self.habit(&format!("-{flag}"));
            let mut left = std::mem::replace(&mut self.rest, rest);
            match found {
                Ok(true) => {
                    if let Some(value) = left.next() {
                        warn(&format!("{name}: {flag} does not take {}", value.display()));
                    }
                }
                Ok(false) => warn(&format!("{name}: unknown flag {flag}")),
                Err(error) => warn(&format!("{name}: {error}")),
            }
        }
        Ok(())
    }

    fn verbose(&mut self, n: u64) {
        match self.name {
            "edax" => self.push("--console", format!("verbose={n}")),
            "edax-solve" => self.words.extend(["--verbose".into(), n.to_string().into()]),
            _ => {}
        }
    }

    /// Sets or cancels an option without a value.
    fn set(&mut self, option: &str, on: bool) {
        self.words.retain(|word| *word != *option);
        if on && self.name != "edax-solve" {
            self.words.push(option.into());
        }
    }

    fn clock(&mut self, kind: &str, flag: &str) -> Result<(), String> {
        let seconds = self.time(flag)?;
        if self.name == "edax-solve" {
            if flag == "-move-time" {
                self.words.extend(["--time".into(), seconds.into()]);
            }
            return Ok(());
        }
        self.drop_efforts();
        self.has_time = true;
        self.push("--clock", format!("{kind}{seconds}"));
        Ok(())
    }

    fn push(&mut self, option: &str, value: impl Into<OsString>) {
        if self.name != "edax-solve" || ["--threads", "--hash", "--log-file"].contains(&option) {
            self.words.extend([option.into(), value.into()]);
        }
    }

    /// Converts a table size, given as the binary logarithm of the number of entries; an entry has 24 bytes here.
    fn hash(&mut self, flag: &str) -> Result<(), String> {
        let bits = self.number(flag, 0, 32)?;
        self.push("--hash", megabytes(bits).to_string());
        Ok(())
    }

    fn next_is(&mut self, wanted: impl Fn(&str) -> bool) -> bool {
        self.rest.peek().and_then(|next| next.to_str()).is_some_and(wanted)
    }

    fn value(&mut self, flag: &str) -> Result<OsString, String> {
        self.rest.next().ok_or_else(|| format!("{flag} needs a value"))
    }

    fn number(&mut self, flag: &str, least: u64, most: u64) -> Result<u64, String> {
        let value = self.value(flag)?;
        let number = value.to_str().and_then(|text| text.parse().ok());
        number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
            format!("{flag} takes a number from {least} to {most}, not {}", value.to_string_lossy())
        })
    }

    fn switch(&mut self, flag: &str) -> Result<bool, String> {
        let value = self.value(flag)?;
        let on = value.to_str().and_then(switch);
        on.ok_or_else(|| format!("{flag} takes on or off, not {}", value.to_string_lossy()))
    }

    /// Parses a time such as `2.5`, `5:00` or `1:30:00` and returns it in seconds.
    fn time(&mut self, flag: &str) -> Result<String, String> {
        let value = self.value(flag)?;
        let time = value.to_str().and_then(clock_time).filter(|time| !time.is_zero());
        time.map(|time| time.as_secs_f64().to_string()).ok_or_else(|| {
            let value = value.to_string_lossy();
            format!("{flag} takes a time in seconds or like 5:00, not {value}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::folder::Folder;

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
            ("-gtp -l 21 -t 32", "gtp -l=21 --threads 32"),
            ("-gtp -level 0 -n 2", "gtp -l=1 --threads 2"),
            ("-cassio -hash 20 -nobook -q", "cassio --hash 24 --no-book"),
            ("-nboard -eval-file x.dat -book-usage off", "nboard --as-edax --no-book"),
            ("-nboard -nobook -book-usage on", "nboard --as-edax"),
            ("-gtp --log-file x.log -l 5", "gtp --log-file x.log -l=5"),
            ("-solve ffo.obf", "edax-solve ffo.obf"),
            ("--solve f --eval-file x -q", "edax-solve f --verbose 0"),
            (
                "-n 4 -l 60 -solve ffo.obf -vv -hash 22 --json",
                "edax-solve ffo.obf --threads 4 -l=60 --verbose 2 --hash 96 --json",
            ),
            // The last one counts.
            ("-gtp -l 5 -level 6", "gtp -l=6"),
            ("-gtp -l 5 -depth 6", "gtp --depth=6"),
            ("-d 5 -l 6", "edax -l=6"),
            ("-solve f -depth 8 -ui-log-file x", "edax-solve f --depth=8 --log-file x"),
            // Edax needs no dashes.
            ("-xboard n 1 level 5", "xboard --threads 1 -l=5"),
            ("gtp -l 5 --level 6", "gtp -l=5 --level 6"),
            ("gtp -nobook --book f", "gtp --no-book --book f"),
            ("gtp -nobook --book f -nobook", "gtp --book f --no-book"),
            ("gtp --no-book -book-usage on", "gtp"),
            ("gtp --log-file x -logfile y", "gtp --log-file x --log-file y"),
            ("gtp -ponder --ponder -ponder off", "gtp"),
            ("gtp -l 5 --clock 3 -time 2 -l 7", "gtp --clock 3 --clock 2"),
            // Neither flags nor their values.
            ("gtp --name -nobook -l 5", "gtp --name -nobook -l=5"),
            ("gtp -q -- -q -nobook", "gtp -- -q -nobook"),
            ("gtp -logfile -nobook", "gtp --log-file -nobook"),
            (
                "compliance --proto gtp -- foo -solve bar",
                "compliance --proto gtp -- foo -solve bar",
            ),
            ("analyze --book -solve x", "analyze --book -solve x"),
            ("--name a -- -solve x", "--name a -- -solve x"),
            ("-eval -solve x", "-eval -solve x"),
            // Egaroucid's battle script, with what it appends.
            ("-gtp -quiet -nobook -l 21 -t 32", "gtp --no-book -l=21 --threads 32"),
            (
                "-gtp -quiet -nobook -eval ./../model/eval.egev2 -l 21 -t 1",
                "gtp --no-book -l=21 --threads 1",
            ),
            ("-gtp -silent -noboard -thread 3 -hashlevel 25", "gtp --threads 3 --hash 768"),
            ("-gtp -hash 0 -hashlevel 29", "gtp --hash 1 --hash 12288"),
            ("-gtp -b book.egbk3 -book x -evaluation y -logdir z", "gtp"),
            ("-gtp -noise -ponder -noautopass -showvalue", "gtp --ponder"),
            ("-gtp -time 60 -level 21", "gtp --clock 60"),
            ("-gtp -logfile x.log", "gtp --log-file x.log"),
            // Edax's flags.
            ("-gtp -q -l 21 -n 4", "gtp -l=21 --threads 4"),
            ("-gtp -n-tasks 4 -h 22 -hash-table-size 32", "gtp --threads 4 --hash 96 --hash 65536"),
            ("-gtp -game-time 5:00 -ponder off", "gtp --clock 300"),
            ("-gtp -game-time 1:00:30.5 -ponder on", "gtp --clock 3630.5 --ponder"),
            ("-gtp -move-time 0.5", "gtp --clock move:0.5"),
            ("-gtp -verbose 2 -vv -noise 60 -width 80 -book-randomness 2", "gtp --book-variety 2"),
            ("-gtp -auto-start off -auto-swap on -game-file x", "gtp"),
            // In any order, and without a protocol for its console.
            ("-q -l 10 -n 4", "edax --console verbose=0 -l=10 --threads 4"),
            (
                "-level 5 -mode 1 -move-time 2 -vv",
                "edax --console mode=1 --clock move:2 --console verbose=2",
            ),
            ("-n 2 -gtp -l 5", "gtp --threads 2 -l=5"),
            ("edax --level 5 --verbose 2", "edax --level 5 --console verbose=2"),
            ("-xboard -n 1", "xboard --threads 1"),
            ("-h", "-h"),
            ("-nboard -name Zelda -ui-log-file y", "nboard --as-edax --name Zelda --log-file y"),
            ("-cassio -debug-cassio -follow-cassio -cpu -info", "cassio"),
            ("-gtp -h", "gtp -h"),
            ("-gtp -?", "gtp --help"),
            ("-gtp -q -v", "--version"),
            // Also after the other forms, where the rest stays unchanged.
            ("gtp -q -n 2", "gtp --threads 2"),
            ("--gtp -nobook --level 5", "gtp --no-book --level 5"),
            ("gtp -l5 --threads=2", "gtp -l5 --threads=2"),
            ("gtp -x word", "gtp -x word"),
            ("gtp -h", "gtp -h"),
            ("--gtp --level 5", "gtp --level 5"),
            ("perft 5", "perft 5"),
            ("match -q", "match -q"),
            ("---gtp -q", "---gtp -q"),
            ("", ""),
        ] {
            assert_eq!(run(line), Ok(expected.to_string()), "{line}");
        }
    }

    #[test]
    fn a_program_that_is_called_edax_is_its_console() {
        for (program, line, expected) in [
            ("/opt/wEdax-x64.exe", "", "edax"),
            ("lEdax", "--level 3", "edax --level 3"),
            ("edax", "-gtp", "gtp"),
            ("edax", "level 5 -n 2", "edax -l=5 --threads 2"),
            ("edax", "solve f", "solve f"),
            ("othellier", "", ""),
        ] {
            let words = [program].into_iter().chain(line.split_whitespace()).map(OsString::from);
            let words = rewrite(words.collect()).unwrap();
            let words: Vec<_> = words[1..].iter().map(|word| word.to_string_lossy()).collect();
            assert_eq!(words.join(" "), expected, "{program} {line}");
        }
    }

    #[test]
    fn flags_may_stand_in_a_file() {
        let folder = Folder::new("option-file");
        let file = folder.write(
            "edax.txt",
            "\u{feff}level = 12\n# of a front end\nbook-usage off # none\nponder=on\nprobe-d = 3\nn-tasks = 0\n\n",
        );
        for (line, expected) in [
            ("-xboard -n 1 option-file FILE", "xboard --threads 1 -l=12 --no-book --ponder"),
            ("-gtp -o FILE -l 3", "gtp --no-book --ponder -l=3"),
            ("-option-file FILE", "edax -l=12 --no-book --ponder"),
        ] {
            assert_eq!(run(&line.replace("FILE", &file)), Ok(expected.into()), "{line}");
        }
        assert!(run("-gtp -o no/such/file").unwrap_err().contains("cannot read no/such/file"));
    }

    #[test]
    fn flags_of_other_match_tools_are_translated() {
        for line in ["match -engine cmd=a -engine cmd=b -each tc=1+0.1", "match --rounds 4"] {
            assert!(run(line).unwrap_err().contains("--games 100"), "{line}");
        }
        let own = "match --player random --resign 3,20 --games 2 --each hash=1";
        assert_eq!(run(own), Ok(own.into()));
    }

    #[test]
    fn bad_values_are_told() {
        for bad in ["-gtp -x", "-gtp word", "-gtp -q word", "-gtp -selfplay 1 2", "-gtp -solve f"] {
            assert!(run(bad).unwrap_err().contains("unknown flag"), "{bad}");
        }
        for form in ["-gtp", "gtp", "--gtp", "nboard", "-cassio"] {
            for (bad, part) in [
                ("-l", "-l needs a value"),
                ("-l 61", "-l takes a number from 0 to 60, not 61"),
                ("-level x", "-level takes a number from 0 to 60, not x"),
                ("-t 0", "-t takes a number from 1 to 1024, not 0"),
                ("-thread -1", "-thread takes a number from 1 to 1024, not -1"),
                ("-hash 99", "-hash takes a number from 0 to 32, not 99"),
                ("-hashlevel", "-hashlevel needs a value"),
                ("-eval", "-eval needs a value"),
                ("-b", "-b needs a value"),
                ("-time soon", "-time takes a time in seconds or like 5:00, not soon"),
                ("-time 0", "-time takes a time"),
                ("-time 1:2:3:4", "-time takes a time"),
                ("-time inf", "-time takes a time"),
                ("-noise x", "-noise takes a number from 0 to 60, not x"),
                ("-verbose 9", "-verbose takes a number from 0 to 4, not 9"),
                ("-book-usage maybe", "-book-usage takes on or off, not maybe"),
                ("-logfile", "-logfile needs a value"),
            ] {
                let error = run(&format!("{form} {bad}")).unwrap_err();
                assert!(error.contains(part), "{form} {bad}: {error}");
            }
        }
    }
}

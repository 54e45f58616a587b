//! Misbehaving engines against ours, which ponders on the other side, on a loaded machine: the match ends, blames the right side,
//! can be reported, and leaves no process behind.
//!
//! Each misbehaves in one of many ways, at its start or at one of its moves, and plays as ours does until then.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Random, few, many};
use crate::harness::{Folder, OTHELLIER, output, program_with_signals, run, wait};

/// What a misbehavior leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Leads {
    /// To a fault, at once.
    Fault,
    /// To a fault, when the patience of the match ends.
    Stall,
    /// Perhaps to nothing.
    Nowhere,
}

use Leads::{Fault, Nowhere, Stall};

/// A way to misbehave: the first letters of the protocols, shell code, and what it leads to. The code writes to the
/// match with `say` or to descriptor 3; the line from the match is not passed on unless the code calls `pass_on`.
type Kind = (&'static str, &'static str, Leads);

const AT_START: [Kind; 15] = [
    ("gnc", "sleep 1000", Stall),
    ("gnc", "exit 0", Fault),
    ("gnc", "exit 3", Fault),
    ("gnc", "kill -KILL $$", Fault),
    ("gnc", "kill -SEGV $$", Fault),
    ("gnc", "kill -STOP $$", Stall),
    ("gnc", "cat /dev/zero", Stall),
    ("gnc", "yes", Stall),
    ("gnc", "yes ''", Stall),
    ("gnc", "exec 3>&- >&-; sleep 1000", Stall),
    ("gnc", "trap '' TERM INT HUP PIPE; sleep 1000", Stall),
    ("gnc", "echo Welcome; echo; echo 'to the engine'", Nowhere),
    ("gnc", "head -c 4000 /dev/urandom", Nowhere),
    ("gnc", "sleep 1000 &", Nowhere),
    ("gnc", "head -c 3000000 /dev/zero >&2", Nowhere),
];

const AT_MOVE: [Kind; 58] = [
    ("gnc", "answer D4", Fault),
    ("gnc", "answer D4; answer D4", Fault),
    ("gnc", "answer Z9", Fault),
    ("gnc", "answer", Fault),
    ("gnc", "answer banana", Fault),
    ("gnc", "answer 'D\\0003'", Fault),
    ("gnc", "answer '\\303\\251'", Fault),
    ("gnc", "answer pass", Nowhere),
    ("gnc", "exit 0", Fault),
    ("gnc", "pass_on; sleep 0.3; exit 0", Nowhere),
    ("gnc", "for n in 1 2 3 4 5; do sleep 1000 & done; exit 0", Nowhere),
    ("gnc", "kill -SEGV 0", Fault),
    ("gnc", "kill -KILL 0", Fault),
    ("gnc", "kill -STOP 0", Stall),
    ("gnc", "kill -KILL $$; sleep 1000", Stall),
    ("gnc", ":", Stall),
    ("gnc", "sleep 1000", Stall),
    ("gnc", "sleep 8; pass_on", Stall),
    ("gnc", "trap '' TERM INT HUP PIPE; while :; do sleep 1; done", Stall),
    ("gnc", "exec 3>&- >&-; sleep 1000", Stall),
    ("gnc", "exec 0<&-; sleep 1000", Stall),
    ("gnc", "cat /dev/zero >&3", Stall),
    ("gnc", "yes >&3", Stall),
    ("gnc", "yes '' >&3", Stall),
    ("gnc", "yes 'nodestats 1 1' >&3", Stall),
    ("gnc", "yes 'search F5 1.00 0 1' >&3", Stall),
    ("gnc", "yes status >&3", Stall),
    ("gnc", "yes 'ready.' >&3", Stall),
    ("gnc", "cat /dev/urandom >&3", Stall),
    ("gnc", "while :; do say x; sleep 0.2; done", Stall),
    ("gnc", "while :; do say 'info\\n'; sleep 0.1; done", Stall),
    ("gnc", "head -c 3000000 /dev/zero | tr '\\0' a >&3; sleep 1000", Stall),
    ("gnc", "head -c 3000000 /dev/zero | tr '\\0' a >&3; say '\\n'; pass_on", Nowhere),
    ("gnc", "head -c 5000 /dev/urandom >&3; pass_on", Nowhere),
    ("gnc", "head -c 3000000 /dev/zero >&2; answer D4", Fault),
    ("gnc", "say 'garbage\\n'; pass_on", Nowhere),
    ("gnc", "say '\\r\\n'; pass_on", Nowhere),
    ("gnc", "pass_on; say 'garbage\\n\\n'", Nowhere),
    ("gnc", "pass_on; pass_on", Nowhere),
    ("g", "say '= D'; sleep 1000", Stall),
    ("g", "say '= D3\\n'; sleep 1000", Stall),
    ("g", "say '? cannot move\\n\\n'", Fault),
    ("g", "say '=7 D3\\n\\n'", Fault),
    ("g", "say 'D3\\n\\n'", Fault),
    ("g", "say '= D4 and more\\n\\n'", Fault),
    ("g", "say '= resign\\n\\n'", Nowhere),
    ("g", "say '=\\n\\n'", Fault),
    ("n", "say '=== D'; sleep 1000", Stall),
    ("n", "say '===D3\\n'", Nowhere),
    ("n", "say '===\\n'", Nowhere),
    ("n", "say '=== D4/x/y\\n'", Fault),
    ("n", "yes 'pong 99999' >&3", Stall),
    ("n", "say 'pong x\\nset nothing\\n'; pass_on", Nowhere),
    ("c", "say 'ready.\\n'", Nowhere),
    ("c", "say 'ERROR: no\\nready.\\n'", Fault),
    ("c", "say 'bye bye.\\n'; exit 0", Fault),
    ("c", "say ', move D3, depth\\nready.\\n'", Nowhere),
    ("c", "say 'ok.\\nnode 5\\n'; pass_on", Nowhere),
];

/// Signals that end a match early.
const SIGNALS: [&[Signal]; 4] =
    [&[Signal::KILL], &[Signal::QUIT], &[Signal::TERM], &[Signal::INT, Signal::INT]];

/// The script of an engine that runs `code` instead of its `nth` move, or at its start if `nth` is 0.
fn script(protocol: &str, nth: usize, code: &str) -> String {
    let (request, answer) = match protocol {
        "gtp" => ("genmove*", "say \"= $1\\\\n\\\\n\""),
        "nboard" => ("go*", "say \"=== $1\\\\n\""),
        _ => (
            "*-search*",
            "mv=$1; set -f; set -- $line; say \"$3, move $mv, depth 1, @73%%, B+0.00 <= v <= B+0.00, $mv, node 1, time 0.1\\\\nready.\\\\n\"",
        ),
    };
    let (at_start, at_move) = if nth == 0 { (code, "pass_on") } else { (":", code) };
    format!(
        "exec 3>&1
say() {{ printf \"$1\" >&3; }}
answer() {{ {answer}; }}
pass_on() {{ printf '%s\\n' \"$line\"; }}
{at_start}
n=0
while IFS= read -r line; do
    case $line in
    {request}) n=$((n + 1)); if [ $n = {nth} ]; then {at_move}; continue; fi ;;
    esac
    pass_on
done | '{OTHELLIER}' {protocol} --level 1 --hash 1 --no-book
"
    )
}

/// Keeps processors busy until it is dropped.
pub struct Busy(Arc<AtomicBool>);

impl Busy {
    pub fn new(n_threads: usize) -> Busy {
        let goes_on = Arc::new(AtomicBool::new(true));
        for _ in 0..n_threads {
            let goes_on = Arc::clone(&goes_on);
            thread::spawn(move || while goes_on.load(Relaxed) {});
        }
        Busy(goes_on)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(false, Relaxed);
    }
}

/// Processes with `text` in their environment.
fn processes_with(text: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let is_one = |entry: &fs::DirEntry| {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        environment.windows(text.len()).any(|window| window == text.as_bytes())
    };
    let line = |entry: fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ")
    };
    entries.filter(is_one).map(line).collect()
}

/// The player on our side.
fn ours(random: &mut Random) -> String {
    let command = |protocol: &str| {
        let command = format!("'{OTHELLIER}' {protocol} --hash 1 --ponder");
        format!("name=ours,proto={protocol},ponder=on,clock=move:0.02,cmd={command}")
    };
    match random.below(3) {
        0 => "engine:ponder=on,hash=1,time=0.02,name=ours".into(),
        1 => command("gtp"),
        _ => command("nboard"),
    }
}

fn expect_gone(mark: &str, shown: &str) {
    let start = Instant::now();
    while !processes_with(mark).is_empty() {
        let left = processes_with(mark);
        assert!(start.elapsed() < Duration::from_secs(30), "{left:?} is left: {shown}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Ends a match by signals. Whatever they are, no engine may stay, and the games played can be reported.
fn end_early(random: &mut Random, mut command: Command, out: &str, mark: &str, shown: &str) {
    let mut child = command.spawn().unwrap();
    let signals = random.pick(&SIGNALS);
    let shown = format!("{shown}, then {signals:?}");
    thread::sleep(Duration::from_millis(random.below(3000) as u64));
    for &signal in signals {
        // It may have ended already.
        kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).ok();
        thread::sleep(Duration::from_millis(random.below(200) as u64));
    }
    wait(&mut child, &shown);
    expect_gone(mark, &shown);
    if fs::exists(format!("{out}/event.toml")).unwrap() {
        assert_eq!(run(&["report", out], "").status, Some(0), "{shown}");
    }
}

fn trial(random: &mut Random) {
    let (protocol, letter) =
        random.pick(&[("gtp", "g"), ("gtp", "g"), ("nboard", "n"), ("cassio", "c")]);
    let is_long = random.is_long;
    let nth = if random.one_in(4) { 0 } else { 1 + random.below(8) };
    let kinds = if nth == 0 { &AT_START[..] } else { &AT_MOVE };
    let is_one =
        |(protocols, _, leads): &&Kind| protocols.contains(letter) && (is_long || *leads != Stall);
    let kinds: Vec<&Kind> = kinds.iter().filter(is_one).collect();
    let &(_, code, leads) = random.pick(&kinds);
    let folder = Folder::new("hunt-engines");
    let file = folder.write("engine.sh", script(protocol, nth, code));
    let (ours, out) = (ours(random), folder.file("event"));
    let bad = format!("name=bad,proto={protocol},cmd=sh {file}");
    let players = if random.one_in(2) { [&bad, &ours] } else { [&ours, &bad] };
    let seed = random.below(1000).to_string();
    let games = random.pick(&["1", "1", "2"]);
    let mut command = program_with_signals(&["match", "--games", games, "--openings", "random:4"]);
    command.args(["--seed", &seed, "--clock", "none", "--margin", "600000"]);
    command.args(["--stall", "3", "--start-limit", "5", "--out", &out]);
    command.args(players.iter().flat_map(|player| ["--player", player]));
    command.env("OTHELLIER_HUNT", &*folder);
    let mark = format!("OTHELLIER_HUNT={}", folder.display());
    let shown = format!("{protocol}, move {nth}: {code}\n{ours}, {games} games");
    let n_processors = thread::available_parallelism().map_or(1, usize::from);
    let busy = Busy::new(if is_long { n_processors } else { 1 });
    if is_long && random.one_in(8) {
        return end_early(random, command, &out, &mark, &shown);
    }
    let played = output(command, b"");
    let shown = format!("{shown}\n{played:?}");
    if nth == 0 && (leads != Nowhere || played.status == Some(1)) {
        // It is found out before the first game, and leaves no folder.
        assert_eq!((played.status, played.stdout.as_str()), (Some(1), ""), "{shown}");
        assert!(
            played.stderr.contains("bad cannot start: ") && !Path::new(&out).exists(),
            "{shown}"
        );
        assert!(played.elapsed < Duration::from_secs(60), "it takes long: {shown}");
        return expect_gone(&mark, &shown);
    }
    assert_eq!(played.status, Some(0), "{shown}");
    // A multiple of the limits above, to allow for other work on the machine.
    assert!(played.elapsed < Duration::from_secs(60), "it takes long: {shown}");
    expect_gone(&mark, &shown);
    drop(busy);
    assert!(!played.stdout.contains("fault: ours"), "the wrong side: {shown}");
    let is_blamed = played.stdout.contains("fault: bad ");
    assert!(is_blamed || leads == Nowhere, "nobody is blamed: {shown}");
    let report = run(&["report", &out], "").success();
    let results =
        |text: &str| text.lines().rev().find(|line| line.starts_with("result: ")).map(Into::into);
    let (told, reported): (Option<String>, _) = (results(&played.stdout), results(&report.stdout));
    assert!(told.is_some() && told == reported, "{report:?}\n{shown}");
}

#[test]
fn a_few_engines_that_misbehave_get_the_blame() {
    few("engines", 3, trial);
}

#[test]
#[ignore = "long: hunts for OTHELLIER_HUNT_SECONDS"]
fn engines_that_misbehave_get_the_blame() {
    many("engines", trial);
}

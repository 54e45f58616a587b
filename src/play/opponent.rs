//! The player of a color, asked in a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use super::event::{Event, Id, Reply, Role};
use crate::board::{Color, Position};
use crate::clock::{Clock, Control};
use crate::engine::seat::{Seat, Serve};
use crate::engine::{Pace, level};
use crate::game::{Game, seed_of};
use crate::players::external::Kind;
use crate::players::spec::{PlayerKind, PlayerSpec};
use crate::players::start::{Logs, Patience, ReadyPlayer};
use crate::players::{Choice, Fault, Goal, Player, Progress, Terms, Turn};
use crate::search::Stop;
use crate::support::random::arbitrary_seed;

/// Time limits for an external engine.
const PATIENCE: Patience =
    Patience { start: Duration::from_secs(20), reply: Duration::from_secs(10) };
/// Time limit beyond a player's clock; without a clock, a person decides when it has stalled.
const STALL: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug)]
pub(super) enum Request {
    Choose(Situation),
    /// Think ahead while the opponent is to move.
    Ponder(Situation),
    Forget,
}

/// The state of the game, and the player's pace.
#[derive(Debug)]
pub(super) struct Situation {
    pub game: Game,
    pub clocks: [Clock; 2],
    pub pace: Pace,
}

pub(super) type Opponent = Seat<(Id, Request)>;

pub(super) fn start(
    ready: Arc<ReadyPlayer>,
    color: Color,
    events: Sender<Event>,
) -> std::io::Result<Opponent> {
    Seat::start("player", move |gone| {
        let seed = arbitrary_seed();
        Server { ready, color, events, gone, seed, n_games: 0, player: None, begun: None }
    })
}

struct Server {
    ready: Arc<ReadyPlayer>,
    color: Color,
    events: Sender<Event>,
    /// Set when the player is dismissed.
    gone: Stop,
    /// Base of the games' seeds: the same position may get a different move in another game.
    seed: u64,
    n_games: u64,
    /// Started at the first request, and again after a failure.
    player: Option<Box<dyn Player>>,
    /// The start and the pace of the running game.
    begun: Option<(Position, Pace)>,
}

impl Serve<(Id, Request)> for Server {
    fn serve(&mut self, (id, request): (Id, Request), _: Instant, stop: &Stop) {
        let served = catch_unwind(AssertUnwindSafe(|| match request {
            Request::Choose(situation) => self.choose(id, &situation, stop).map(Some),
            Request::Ponder(situation) => self.ponder(id, &situation, stop).map(|()| None),
            Request::Forget => {
                self.begun = None;
                Ok(None)
            }
        }));
        let reply = match served {
            Ok(Ok(None)) => return,
            Ok(Ok(Some(choice))) => Reply::Chosen(choice),
            Ok(Err(fault)) => Reply::Failed(fault.to_string()),
            Err(_) => Reply::Failed("the player crashed".into()),
        };
        if matches!(reply, Reply::Failed(_)) {
            self.player = None;
        }
        self.reply(id)(reply);
    }
}

impl Server {
    fn reply(&self, id: Id) -> impl Fn(Reply) + use<> {
        let (role, events) = (Role::Player(self.color), self.events.clone());
        // Sending fails only at the end of the program, when the receiver is gone.
        move |reply| drop(events.send(Event::Reply { role, id, reply }))
    }

    fn choose(&mut self, id: Id, situation: &Situation, stop: &Stop) -> Result<Choice, Fault> {
        let reply = self.reply(id);
        let player = self.player(situation)?;
        reply(Reply::Progress(Progress::Began(Goal::default())));
        player.choose(situation.turn(stop), &mut |progress| reply(Reply::Progress(progress)))
    }

    fn ponder(&mut self, id: Id, situation: &Situation, stop: &Stop) -> Result<(), Fault> {
        if self.ready.spec.ponders {
            let reply = self.reply(id);
            let player = self.player(situation)?;
            player.ponder(situation.turn(stop), &mut |progress| reply(Reply::Progress(progress)));
        }
        Ok(())
    }

    fn player(&mut self, situation: &Situation) -> Result<&mut dyn Player, Fault> {
        let player = match &mut self.player {
            Some(player) => player,
            none => {
                self.begun = None;
                none.insert(self.ready.start(&Logs::default(), PATIENCE, &self.gone)?)
            }
        };
        let (start, pace) =
            (situation.game.start(), bounded_pace(&self.ready.spec, situation.pace));
        if self.begun != Some((start, pace)) {
            self.n_games += 1;
            let seed = seed_of(self.seed, self.n_games);
            player.begin(start, Terms { color: self.color, pace, seed })?;
            self.begun = Some((start, pace));
        }
        Ok(&mut **player)
    }
}

impl Situation {
    fn turn<'a>(&'a self, stop: &'a Stop) -> Turn<'a> {
        let clock = self.clocks[self.game.position().side.index()];
        let limit = if clock.is_limited() { clock.left() + STALL } else { DAY };
        Turn { game: &self.game, clocks: self.clocks, deadline: Instant::now() + limit, stop }
    }
}

/// The pace, with a level for NBoard without a clock: NBoard requires a depth, and the greatest would never end.
fn bounded_pace(spec: &PlayerSpec, pace: Pace) -> Pace {
    match &spec.kind {
        PlayerKind::External(external)
            if pace == Pace::timed(Control::Unlimited)
                && matches!(external.protocol, None | Some(Kind::Nboard)) =>
        {
            Pace::level(external.depth.unwrap_or(level::DEFAULT_LEVEL))
        }
        _ => pace,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::players::spec::PlayerText;
    use crossbeam_channel::unbounded;

    #[test]
    fn a_thinking_process_is_left_when_its_request_ends() {
        let spec = r#"proto=gtp,clock=none,cmd=sh -c 'while read -r command; do
            case $command in genmove*) sleep 1000 ;; esac; printf "= \n\n"; done'"#;
        let spec = spec.into();
        let spec = PlayerSpec::parse(&PlayerText { spec, ..PlayerText::default() }).unwrap();
        let (events, replies) = unbounded();
        let ready = Arc::new(ReadyPlayer::new(spec).unwrap());
        let mut opponent = start(ready, Color::Black, events).unwrap();
        // Longer than anything here takes on a busy machine.
        let next = || match replies.recv_timeout(Duration::from_secs(120)).unwrap() {
            Event::Reply { id, reply, .. } => (id, reply),
            event => panic!("{event:?}"),
        };
        let ask = |opponent: &mut Opponent, id| {
            let clocks = [Clock::default(); 2];
            let situation = Situation { game: Game::default(), clocks, pace: Pace::OWN };
            opponent.ask((id, Request::Choose(situation)));
            let (began, reply) = next();
            assert!(matches!(reply, Reply::Progress(Progress::Began(_))), "{reply:?}");
            assert_eq!(began, id);
        };
        // Each request starts another process.
        ask(&mut opponent, 1);
        for id in [2, 3] {
            opponent.hurry();
            let (1.., Reply::Failed(text)) = next() else { panic!() };
            assert!(text.starts_with("exit: no longer wanted"), "{text}");
            ask(&mut opponent, id);
        }
        opponent.leave().unwrap().join().unwrap();
    }
}

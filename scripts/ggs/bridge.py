"""The state machine between the server and the engines: messages and answers in, actions out. It knows no clock, socket
or process: its driver passes the time (`now`, in seconds of any monotonic clock)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from . import messages as m
from .clocks import Budget, budget
from .dialogue import Answer, Disagreement, Ready, Turn
from .link import Link, LoggedIn, Lost, Quiet
from .othello import BLACK, PASS, WHITE, spare_move
from .record import Record
from .rules import Rules
from .state import Action, Broken, End, Game, Hangup, Note, Seat, Start, Store, Think

CONFIRM_PATIENCE = 10.0  # Seconds until a move that the server does not confirm is looked into.
ASK_AGAIN = 60.0  # Seconds between requests to go on with a stored match,
N_ASKED = 30  # and how many there are.
CHAT_AGAIN = 3600.0  # Seconds between two answers to the same person.
N_ATTEMPTS = 3  # Of an engine at one move, before the bridge moves without it.
N_FAILURES = 10  # Of the engines in a row, before no more requests are accepted.


class Bridge:
    """Everything between login and farewell."""

    def __init__(self, login: str, password: str, rules: Rules) -> None:
        self.login, self.rules = login, rules
        self.games: dict[str, Game] = {}
        self.seats: list[Seat] = [Seat()]
        self.engine: Ready | None = None
        self._actions: list[Action] = []
        self._link = Link(login, password)
        self._service = self._service_spoke = False
        self._lags: deque[float] = deque(maxlen=16)
        self._matches: dict[str, tuple[m.MatchBegins, float]] = {}
        self._asked_running = 0.0
        self._waiting: dict[str, tuple[m.Request, float]] = {}
        self._terms: dict[str, m.Request] = {}
        self._broken: list[Broken] = []
        self._chatted: dict[str, float] = {}
        self._last_chat = -1e9
        self._n_failures = 0
        self._leaving = False
        self._open: int | None = None

    # --- What the driver calls ---

    def take(self) -> list[Action]:
        """The actions since the last call."""
        taken, self._actions = self._actions, []
        return taken

    def is_online(self) -> bool:
        """Whether we are logged in."""
        return self._link.is_online()

    def connected(self, now: float) -> None:
        """Call it when a connection to the server is open."""
        self._link.connected(now)
        self._service, self._open = False, None

    def disconnected(self, now: float) -> None:
        """Call it when the connection is lost. Games wait for the server's messages after the next login."""
        if not self._link.is_connected():
            return
        self._link.disconnected()
        self._service = False
        self._waiting.clear()
        self._terms.clear()
        self._suspend()

    def received(self, data: bytes, now: float) -> None:
        """Bytes of the server."""
        for message in self._link.received(data, now):
            self._handle(message, now)
        self._flush(now)

    def engine_event(self, seat: int, event: Ready | Answer | Disagreement, now: float) -> None:
        """An engine spoke."""
        if isinstance(event, Ready):
            if self.engine is None:
                self.engine = event
                self._note(f"engine: {event.name}")
                self._set_open()
        elif isinstance(event, Answer):
            self._answered(seat, event, now)
        else:
            self._failed(seat, event.why, now)
        self._flush(now)

    def engine_died(self, seat: int, why: str, now: float) -> None:
        """An engine ended, or never became ready."""
        self._failed(seat, why, now)
        self._flush(now)

    def leave(self, now: float, at_once: bool) -> None:
        """Ends when the matches are over, or at once; the server then stores rated ones."""
        self._leaving = True
        if at_once or (not self.games and not self._matches) or not self.is_online():
            self._link.say_at_once("quit")
            self._flush(now)
            self._store_broken()
            for game in self.games.values():
                if game.result is None:
                    self._actions.append(Store(game.record, None))
            self._actions.append(Hangup("farewell", final=True))
        else:
            self._note("leaving when the matches are over")
            self._set_open()
            self._flush(now)

    def deadline(self) -> float | None:
        """When `tick` must be called if nothing happens before."""
        at = self._link.deadline()
        if at is None or not self.is_online():
            return at
        times = [at, *(at for _, at in self._waiting.values())]
        times += [one.ask_at for one in self._broken if one.ask_at is not None and self._service]
        for game in self.games.values():
            times += [at for at, _ in self._watches(game)]
        return min(times)

    def tick(self, now: float) -> None:
        """Does what is due."""
        for message in self._link.tick(now):
            self._handle(message, now)
        if not self.is_online():
            return
        for request, at in list(self._waiting.values()):
            if now >= at:
                del self._waiting[request.id]
                self._accept(request)
        for broken in self._broken:
            if broken.ask_at is not None and self._service and now >= broken.ask_at:
                self._ask_stored(broken, now)
        for game in list(self.games.values()):
            for at, act in self._watches(game):
                if now >= at:
                    act(game, now)
        self._flush(now)

    # --- Sending ---

    def _note(self, text: str) -> None:
        self._actions.append(Note(text))

    def _os(self, line: str) -> None:
        self._link.say(f"tell /os {line}")

    def _flush(self, now: float) -> None:
        self._actions += self._link.take(now)

    def _hang_up(self, why: str, now: float, final: bool = False) -> None:
        self._actions.append(Hangup(why, final, failed=final))
        self.disconnected(now)

    # --- Messages ---

    def _handle(self, message: object, now: float) -> None:
        if isinstance(message, m.OfService):
            self._service_spoke = True
            if not self._service:
                self._begin_service(now)
        match message:
            case LoggedIn():
                self._logged_in(now)
            case Lost():
                self._hang_up(message.why, now, message.final)
            case Quiet():
                self._ask_running(now)
            case m.Presence():
                self._service_changed(message.here, now)
            case m.Request():
                self._requested(message, now)
            case m.RequestGone():
                self._waiting.pop(message.id, None)
            case m.MatchBegins():
                self._match_begins(message, now)
            case m.MatchEnds():
                self._match_ends(message, now)
            case m.GameState():
                self._game_state(message, now)
            case m.Damaged():
                self._damaged(message, now)
            case m.GameEnds():
                if message.id in self.games and message.result is not None:
                    self._game_over(self.games[message.id], message.result)
            case m.OutOfTime():
                self._out_of_time(message)
            case m.Asking():
                self._asked(message, now)
            case m.Refusal():
                self._refused(message, now)
            case m.Stored():
                self._stored(message, now)
            case m.Running():
                self._running(message, now)
            case m.StoredOpponent():
                for broken in self._broken:
                    if broken.opponent == message.name and broken.ask_at is not None:
                        broken.ask_at = now
            case m.Chat():
                self._chat(message, now)
            case m.ServerError():
                if "user '/os' not found" in message.text:
                    self._service = False

    def _logged_in(self, now: float) -> None:
        self._note(f"logged in as {self.login}")
        self._link.say("verbose -news -faq -help -ack")
        self._link.say("vt100 -")
        self._link.say("bell -t -tc -tg -n -nc -ng -ni -nn")
        self._link.say("notify + /os")
        self._begin_service(now)

    def _service_changed(self, here: bool, now: float) -> None:
        if here and not (self._service and self._service_spoke):
            self._begin_service(now)
        elif not here and self._service:
            self._service = False
            self._note("the Othello service is down")
            self._suspend()

    def _suspend(self) -> None:
        """Nothing is done in any game until the server speaks of it again."""
        for game in self.games.values():
            game.suspended = True
            self._abandon(game)
            if self.seats[game.seat].game == game.id:
                self._actions.append(End(game.seat))

    def _begin_service(self, now: float) -> None:
        """Settings first, then what is left of earlier matches."""
        self._service, self._service_spoke = True, False
        self._os("client -")
        self._os("vt100 -")
        self._os("bell -r -p -w -n -ns -nn -nt -ni -nr -nw -ta -to -tp")
        self._os(f"trust {'+' if self.rules.trust else '-'}")
        self._os(f"rated {'+' if self.rules.rated else '-'}")
        self._os(f"request {'+' if self.rules.everybody else '-'}")
        self._os("stored +")
        self._ask_running(now)
        self._open = None
        self._set_open()
        self._os("stored")

    def _ask_running(self, now: float) -> None:
        self._asked_running = now
        self._os(f"match {self.login}")

    def _set_open(self) -> None:
        """Tells the server how many matches we play at a time: none without an engine."""
        is_willing = not self._leaving and self.engine is not None and self._n_failures < N_FAILURES
        n = self.rules.matches if is_willing else 0
        if self._service and n != self._open:
            self._open = n
            self._os(f"open {n}")

    # --- Requests ---

    def _requested(self, request: m.Request, now: float) -> None:
        if request.asker == self.login:
            return
        if request.asked != self.login and not (self.rules.everybody and request.asked == "*"):
            return
        if self.engine is None or not self._open:
            why = "no new matches"
        elif request.stored and any(one.stored == request.stored for one in self._broken):
            why = "stored matches are refused" if self.rules.resume == "never" else self.rules.judge_name(request.asker)
        else:
            why = self.rules.judge(request, self.engine.can_set_up, self.engine.gives_values)
        if why is not None:
            if request.asked == self.login:
                self._note(f"declined {request.type.text} from {request.asker}: {why}")
                self._os(f"decline {request.id}")
        elif self.rules.waits(request):
            self._waiting[request.id] = (request, now + self.rules.prefer_seconds)
        else:
            self._accept(request)

    def _accept(self, request: m.Request) -> None:
        # One that waited may come to a bridge that leaves.
        if self._open and len(self._matches) < self.rules.matches:
            self._note(f"accepted {request.type.text} from {request.asker}")
            self._terms[request.asker] = request
            self._os(f"accept {request.id}")
        elif request.asked == self.login:
            self._os(f"decline {request.id}")

    # --- Matches and games ---

    def _match_begins(self, begins: m.MatchBegins, now: float) -> None:
        if self.login in begins.names:
            self._matches[begins.id] = (begins, now)
            self._note(f"match {begins.id}: {begins.names[0]} - {begins.names[1]}, {begins.type} {begins.mode}")

    def _is_ours(self, state: m.GameState) -> bool:
        return self.login in (player.name for player in state.players)

    def _game_state(self, state: m.GameState, now: float) -> None:
        if not self._is_ours(state):
            return
        game = self.games.get(state.id)
        if game is None:
            game = self._new_game(state, now)
        elif game.result is not None:
            return
        game.suspended = False
        self._measure(game, state, now)
        if state.whole:
            game.awaits_whole = 0
            self._take_whole(game, state)
        else:
            self._take_move(game, state, now)
        ours = next(player for player in state.players if player.name == self.login)
        game.players = {player.color: player for player in state.players} | {ours.color: ours}
        game.color, game.clock_at = ours.color, now
        if game.position != state.position or game.n_moves != state.n_moves or game.since < 0:
            game.position, game.n_moves, game.since = state.position, state.n_moves, now
            game.refused, game.n_attempts = frozenset(), 0
            self._abandon(game)
        elif game.sent is not None and state.whole and now - game.sent[1] > 1.0 + self.lag():
            # We asked because our move was not confirmed, and it did not arrive.
            move, _, seconds = game.sent
            self._send_move(game, move, game.value, seconds, now)
        self._go_on(game, now)

    def _new_game(self, state: m.GameState, now: float) -> Game:
        match_id = "." + state.id.split(".")[1]
        begins = self._matches[match_id][0] if match_id in self._matches else None
        first, second = state.players
        black, white = (first, second) if first.color != "O" else (second, first)
        names = begins.names if begins else (first.name, second.name)
        opponent = names[names[0] == self.login]
        clocks = (black.clock, white.clock)
        if (terms := self._terms.get(opponent)) is not None:
            clocks = tuple(terms.asker_clock if player.name == opponent else terms.asked_clock for player in (black, white))  # type: ignore[assignment]
        record = Record(state.type.text, names, black, white, clocks, state.start or state.position)
        game = Game(state.id, self._free_seat(state.id), record, state.position, "?", {}, -1.0, now)
        self.games[state.id] = game
        if match_id not in self._matches:
            self._matches[match_id] = (m.MatchBegins(match_id, names, state.type.text, "?"), now)
        for broken in self._broken:
            if (broken.opponent, broken.type) == (opponent, state.type.text) and _goes_on(broken, state):
                self._broken.remove(broken)
                break
        return game

    def _free_seat(self, id_: str) -> int:
        n = next((n for n, seat in enumerate(self.seats) if seat.game is None), len(self.seats))
        if n == len(self.seats):
            self.seats.append(Seat())
        self.seats[n].game = id_
        return n

    def _take_whole(self, game: Game, state: m.GameState) -> None:
        """The game as the server has it replaces ours."""
        record = game.record
        record.start, game.n_before = state.start or record.start, 0
        game.first_side = record.start.side
        record.moves = list(state.moves)
        record.komi = state.komi
        colors = {player.color: player for player in state.players}
        if "*" in colors:
            record.black, record.white = colors["*"], colors["O"]
        if state.n_moves and state.start_clocks and "*" in colors:
            in_order = state.start_clocks if state.players[0].color == "*" else state.start_clocks[::-1]
            record.clocks = (in_order[0], in_order[1])
        positions = record.positions()
        if positions is None or positions[-1] != state.position:
            self._note(f"game {game.id}: the server's board does not follow from its moves; its board counts")
            record.start, record.moves, game.n_before = state.position, [], state.n_moves

    def _take_move(self, game: Game, state: m.GameState, now: float) -> None:
        """The last move. If the board is not what it leads to, we ask for the whole game before we go on."""
        if state.n_moves == game.n_moves and state.position == game.position and game.since >= 0:
            return
        played = state.moves[-1] if state.moves else None
        is_next = game.since >= 0 and state.n_moves == game.n_moves + 1 == game.n_before + len(game.record.moves) + 1
        if played and is_next and game.position.play(played.move) == state.position:
            game.record.moves.append(played)
        else:
            game.awaits_whole, game.asked_whole = 1, None
            self._ask_whole(game.id, game, now)

    def _ask_whole(self, id_: str, game: Game | None, now: float) -> None:
        if game is not None:
            if game.asked_whole is not None and now - game.asked_whole < 3.0:
                return
            game.asked_whole = now
        self._os(f"moves .{id_.split('.')[1]}")

    def _damaged(self, damaged: m.Damaged, now: float) -> None:
        game = self.games.get(damaged.id)
        if game is not None and game.result is None:
            self._note(f"game {damaged.id}: a message cannot be read ({damaged.why})")
            self._ask_whole(damaged.id, game, now)

    def _measure(self, game: Game, state: m.GameState, now: float) -> None:
        """The delay of our move: the round trip, and by the server's count of the time it took."""
        if game.sent is None or state.n_moves != game.n_moves + 1 or not state.moves or state.whole:
            return
        move, at, seconds = game.sent
        played = state.moves[-1]
        if played.move == move:
            lag = max(now - at, played.seconds - seconds if played.seconds else 0.0)
            self._lags.append(min(max(lag, 0.0), 10.0))

    def lag(self) -> float:
        """The longest recent delay of a move in seconds."""
        return max(self._lags, default=0.2)

    def _go_on(self, game: Game, now: float) -> None:
        """Moves if it is our turn."""
        if game.suspended or game.sent or game.awaits_whole or game.result is not None:
            return
        if self.seats[game.seat].is_thinking:
            return
        is_ours = game.position.side == game.color or (game.color == "?" and game.n_moves == 0)
        moves = game.position.moves()
        if not is_ours or not moves:
            return
        if moves == [PASS]:
            self._send_move(game, PASS, None, 0.0, now)
        elif game.n_attempts >= N_ATTEMPTS:
            self._move_without_engine(game, now)
        else:
            game.n_attempts += 1
            self.seats[game.seat].is_thinking = True
            self._actions.append(Think(game.seat, self._turn(game, now)))

    def _turn(self, game: Game, now: float) -> Turn:
        positions = game.record.positions()
        if positions is not None and positions[-1] == game.position:
            start, moves = game.record.start, tuple(played.move for played in game.record.moves)
        else:
            start, moves = game.position, ()
        return Turn(start, moves, game.position, (self._budget(game, BLACK, now), self._budget(game, WHITE, now)))

    def _budget(self, game: Game, color: str, now: float) -> Budget:
        player = game.players.get(color) or next(iter(game.players.values()))
        if color == game.color or game.color == "?":
            n_empty = game.position.cells.count("-")
            spent = now - game.clock_at if color == game.position.side else 0.0
            return budget(player.clock, self._n_own(game, color), n_empty // 2 + 1, spent, self.lag(), self.rules.reserve)
        return budget(player.clock, self._n_own(game, color), 1, 0.0, 0.0, 0.0)

    def _n_own(self, game: Game, color: str) -> int:
        """How many moves a color has made."""
        return (game.n_moves + (color == game.first_side)) // 2

    def _answered(self, seat_number: int, answer: Answer, now: float) -> None:
        seat = self.seats[seat_number]
        game = self.games.get(seat.game or "")
        if not seat.is_thinking or game is None:
            return
        seat.is_thinking = False
        if answer.move in game.refused or game.position.play(answer.move) is None:
            self._failed(seat_number, f"{answer.move} is no legal move", now)
            return
        self._n_failures = 0
        self._set_open()
        self._send_move(game, answer.move, answer.value, now - game.since, now)

    def _send_move(self, game: Game, move: str, value: float | None, seconds: float, now: float) -> None:
        text = "" if value is None else f"{max(-64.0, min(64.0, value)):.2f}"
        game.sent, game.value = (move, now, seconds), value
        self._link.say_at_once(f"tell /os play {game.id} {move}/{text}/{seconds:.2f}")

    def _move_without_engine(self, game: Game, now: float) -> None:
        move = spare_move(game.position, game.refused)
        if move is not None:
            self._note(f"game {game.id}: playing {move} without the engine")
            self._send_move(game, move, None, now - game.since, now)

    def _abandon(self, game: Game) -> None:
        """Drops the engine's work and our moves for an earlier position."""
        game.sent = None
        seat = self.seats[game.seat]
        if seat.game == game.id and seat.is_thinking:
            seat.is_thinking = False
            self._actions.append(End(game.seat))

    def _failed(self, seat_number: int, why: str, now: float) -> None:
        """Handles an engine's failure: ends it, and starts it anew for the position where it owes us a move."""
        self._note(f"engine {seat_number + 1} fails: {why}")
        self._n_failures += 1
        if self._n_failures == N_FAILURES:
            self._note("the engine fails again and again; no new matches")
            self._set_open()
        self._actions.append(End(seat_number))
        seat = self.seats[seat_number]
        seat.is_thinking = False
        game = self.games.get(seat.game or "")
        if game is not None:
            self._go_on(game, now)
        elif self.engine is None and self._n_failures >= N_ATTEMPTS:
            self._hang_up("the engine does not start", now, final=True)
        elif self.engine is None:
            self._actions.append(Start(seat_number))

    # --- Watching over a game ---

    def _watches(self, game: Game) -> list[tuple[float, Callable[[Game, float], None]]]:
        """When to look after a game, and what to do then."""
        if game.suspended or game.result is not None:
            return []
        if game.color == "?" and game.sent is not None:
            return []  # The opponent may think about the komi for long.
        clock = game.players[game.color].clock
        left = clock.until_loss(self._n_own(game, game.position.side))
        if game.sent is not None or game.awaits_whole:
            at = max(game.sent[1] if game.sent else game.clock_at, game.asked_whole or 0.0)
            return [(at + self._confirm_patience(left), self._look_into)]
        if not self.seats[game.seat].is_thinking:
            return []
        # The engine was told less than this; whoever is not done by now has gone astray.
        # With nothing left it still has what the server has rounded away.
        last = game.clock_at + max(left - max(2 * self.lag(), min(0.7, left / 3)), left / 3, 0.3)
        first = game.clock_at + max(0.6 * left, left - 30.0)
        watches: list[tuple[float, Callable[[Game, float], None]]] = [(last, self._hurry)]
        if game.n_attempts == 1 and left > 20.0 and first < last:
            watches.append((first, lambda game, now: self._failed(game.seat, "no move in time", now)))
        return watches

    def _confirm_patience(self, left: float) -> float:
        return max(1.0, min(CONFIRM_PATIENCE, left / 6)) + 3 * self.lag()

    def _look_into(self, game: Game, now: float) -> None:
        """The server owes us a message."""
        if game.awaits_whole > 2:
            # It does not give us the whole game; its last board must do.
            game.awaits_whole = 0
            self._go_on(game, now)
            return
        game.awaits_whole += bool(game.awaits_whole)
        game.asked_whole = None
        self._ask_whole(game.id, game, now)

    def _hurry(self, game: Game, now: float) -> None:
        self._note(f"game {game.id}: the engine is out of time")
        self._n_failures += 1
        self._abandon(game)
        self._move_without_engine(game, now)

    def _out_of_time(self, late: m.OutOfTime) -> None:
        game = self.games.get(late.id)
        if game is not None:
            game.record.out_of_time = True
            self._note(f"game {late.id}: {late.name} is out of time")

    def _asked(self, asking: m.Asking, now: float) -> None:
        game = self.games.get(asking.id)
        if game is not None and asking.name != self.login and self.rules.grants(asking.what, game.n_moves):
            self._os(f"{asking.what} .{asking.id.split('.')[1]}")
            if asking.what == "undo":
                # A move for this position would reach the server in the next one, and there be illegal or, worse, legal.
                self._abandon(game)
                game.awaits_whole, game.asked_whole, game.n_attempts = 1, now, 0

    def _refused(self, refusal: m.Refusal, now: float) -> None:
        self._note(f"the server refuses: {refusal.id or ''} {refusal.text}")
        game = self.games.get(refusal.id or "")
        if game is None or game.sent is None or "already sent" in refusal.text:
            return
        if "illegal" in refusal.text or "corrupt" in refusal.text:
            game.refused |= {game.sent[0]}
        game.sent, game.awaits_whole, game.n_attempts, game.asked_whole = None, 1, 0, None
        self._ask_whole(game.id, game, now)

    # --- Ends ---

    def _game_over(self, game: Game, result: float | None) -> None:
        self._release(game)
        game.result = result
        self._actions.append(Store(game.record, result))

    def _release(self, game: Game) -> None:
        """Frees the engine. One that is not at the end of its game might think on the opponent's time, so it is ended."""
        self._abandon(game)
        if self.seats[game.seat].game == game.id:
            self.seats[game.seat].game = None
            if not game.position.is_over():
                self._actions.append(End(game.seat))

    def _games_of(self, match_id: str) -> list[Game]:
        return [game for id_, game in self.games.items() if "." + id_.split(".")[1] == match_id]

    def _match_ends(self, ends: m.MatchEnds, now: float) -> None:
        if self.login not in ends.names:
            return
        self._note(f"match {ends.id} ends: {ends.names[0]} - {ends.names[1]}, {ends.text}")
        opponent = ends.names[ends.names[0] == self.login]
        self._end_match(ends.id, opponent, ends.type, ends.result, ends.stored if ends.result is None else None, now)

    def _end_match(self, id_: str, opponent: str, kind: str, result: float | None, stored: str | None, now: float) -> None:
        broken_off = []
        for game in self._games_of(id_):
            if game.result is None and stored is not None:
                broken_off.append(game.record)
                self._release(game)
            elif game.result is None:
                # The result of a synchro match is that of both games; the board shows that of each.
                self._game_over(game, None if game.id != id_ else result)
            del self.games[game.id]
        self._matches.pop(id_, None)
        self._terms.pop(opponent, None)
        if broken_off:
            self._broken.append(Broken(opponent, kind, broken_off, by_us=False, stored=stored))
            self._plan_to_ask(self._broken[-1], now)
        if self._leaving and not self._matches:
            self.leave(now, at_once=True)
        else:
            self._set_open()

    def _store_broken(self) -> None:
        """Stores a match that cannot continue as it is."""
        for broken in self._broken:
            for record in broken.records:
                self._actions.append(Store(record, None))
        self._broken = []

    def _running(self, running: m.Running, now: float) -> None:
        """Matches that the server knows of are joined again; the others have ended while we were away."""
        for id_ in running.ids:
            games = self._games_of(id_)
            if not games or any(game.suspended for game in games):
                self._os(f"moves {id_}")
        for id_ in [one for one in self._matches if one not in running.ids]:
            begins, since = self._matches[id_]
            if since > self._asked_running:
                continue
            records = []
            for game in self._games_of(id_):
                if game.result is None:
                    self._release(game)
                    if game.position.is_over():
                        self._actions.append(Store(game.record, None))
                    else:
                        records.append(game.record)
                del self.games[game.id]
            del self._matches[id_]
            if records:
                opponent = begins.names[begins.names[0] == self.login]
                self._broken.append(Broken(opponent, begins.type, records, by_us=True))
        if self._leaving and not self._matches:
            self.leave(now, at_once=True)

    def _stored(self, stored: m.Stored, now: float) -> None:
        """Matches to go on with. One that was broken off but not stored can never continue."""
        known = {id_ for id_, *_ in stored.matches}
        taken = {one.stored for one in self._broken}
        for id_, first, second, kind in stored.matches:
            if self.login not in (first, second) or id_ in taken:
                continue
            opponent = second if first == self.login else first
            mine = [one for one in self._broken if (one.opponent, one.type, one.stored) == (opponent, kind, None)]
            if mine:
                mine[0].stored = id_
            else:
                self._broken.append(Broken(opponent, kind, [], by_us=False, stored=id_))
        lost = [one for one in self._broken if one.stored not in known]
        self._broken = [one for one in self._broken if one.stored in known]
        for broken in lost:
            for record in broken.records:
                self._actions.append(Store(record, None))
        for broken in self._broken:
            self._plan_to_ask(broken, now)

    def _plan_to_ask(self, broken: Broken, now: float) -> None:
        is_wanted = self.rules.resume == "all" or (self.rules.resume == "own" and broken.by_us)
        broken.ask_at = now if is_wanted and not self._leaving and broken.n_asked < N_ASKED else None

    def _ask_stored(self, broken: Broken, now: float) -> None:
        broken.n_asked += 1
        broken.ask_at = now + ASK_AGAIN if broken.n_asked < N_ASKED else None
        if len(self._matches) < self.rules.matches:
            self._os(f"ask {broken.stored}")

    def _chat(self, chat: m.Chat, now: float) -> None:
        if not self.rules.chat or now - self._last_chat < 10.0 or now - self._chatted.get(chat.name, -1e9) < CHAT_AGAIN:
            return
        self._last_chat = self._chatted[chat.name] = now
        self._link.say(f"tell {chat.name} {self.rules.chat}")


def _goes_on(broken: Broken, state: m.GameState) -> bool:
    """Whether a game that we join is one that was broken off."""
    if not broken.records:
        return state.n_moves > 0
    moves = [played.move for played in state.moves]
    return any(
        record.start == state.start and moves[: len(record.moves)] == [played.move for played in record.moves]
        for record in broken.records
    )

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 25;

  const games = data.games.map(row => {
    const [key, players, score, end, start, nOpening, moves, values, times, started, fault] = row;
    return { key, players, score, end: data.ends[end], start: data.starts[start], nOpening, moves, values, times, started, fault };
  });
  const placeOf = new Map(games.map((game, place) => [game.key, place]));

  function duration(seconds) {
    // Times come in steps of 0.1 ms.
    if (seconds < 0.00005) return "under 0.05 ms";
    if (seconds < 0.00995) return (1000 * seconds).toFixed(1) + " ms";
    if (seconds < 0.9995) return (1000 * seconds).toFixed(0) + " ms";
    if (seconds < 59.995) return seconds.toFixed(2) + " s";
    const whole = Math.round(seconds);
    return Math.floor(whole / 60) + " min " + String(whole % 60).padStart(2, "0") + " s";
  }

  /* A game as positions: the one at the start, then one after each ply. */

  function replay(game) {
    const positions = [startPosition(game.start)];
    for (let at = 0; at < game.moves.length; at += 2) {
      const position = after(positions[positions.length - 1], game.moves.slice(at, at + 2));
      const value = game.values[at / 2], time = game.times[at / 2];
      if (value != null) position.value = value / 100;
      if (time != null) position.time = time / 10000;
      positions.push(position);
    }
    return positions;
  }

  /* What is shown. */

  let place = -1, ply = 0, positions = [];

  function show(newPlace, newPly) {
    if (newPlace !== place) {
      place = newPlace;
      positions = replay(games[place]);
      showGame();
      list.showGame(place);
    }
    ply = Math.min(Math.max(newPly, 0), positions.length - 1);
    showPly();
  }

  function go(newPlace, newPly) {
    show(newPlace, newPly);
    setAddress("#game=" + games[place].key + "&ply=" + ply);
  }

  function showGame() {
    const game = games[place];
    const [black, white] = game.players.map(player => data.players[player]);
    byId("game-title").textContent = "Game " + game.key;
    byId("black-name").textContent = byId("black-name").title = black;
    byId("white-name").textContent = byId("white-name").title = white;
    const opening = game.nOpening > 0 ? "opening " + game.moves.slice(0, 2 * game.nOpening) : "no opening";
    const facts = [resultText(game), opening];
    if (game.started > 0) facts.push("started " + day(game.started) + " UTC");
    if (game.moves === "") facts.push("no moves");
    byId("game-text").textContent = facts.join(" \u00b7 ");
    const fault = byId("fault-text");
    fault.hidden = !game.fault;
    if (game.fault) fault.textContent = "Fault of " + NAMES[game.fault[0] + 1] + " (" + game.fault[1] + "): " + game.fault[2];
    byId("moves").replaceChildren(...positions.slice(1).map((position, index) => {
      const button = element("button", { type: "button" },
        element("i", { class: "disc " + COLORS[position.mover], "aria-hidden": "true" }), moveName(position.move));
      button.setAttribute("aria-label", "Ply " + (index + 1) + ", " + NAMES[position.mover] + " " + moveName(position.move));
      const row = element("tr", index < game.nOpening ? { class: "opening" } : {},
        element("td", {}, String(index + 1)),
        element("td", {}, button),
        element("td", {}, position.value === undefined ? "" : signed(position.value, 2)),
        element("td", {}, position.time === undefined ? "" : duration(position.time)),
        element("td", {}, position.square < 0 ? "" : String(position.turned.length)));
      row.addEventListener("click", () => go(place, index + 1));
      return row;
    }));
    showValues();
    showNeighbors();
  }

  function resultText(game) {
    const winner = game.score > 0 ? "Black won" : game.score < 0 ? "White won" : "Draw";
    const by = game.score === 0 || game.end === "fault" ? "" : " by " + Math.abs(game.score);
    return winner + by + ", " + (game.end === "fault" ? "decided by a fault" : game.end);
  }

  function showPly() {
    const position = positions[ply];
    drawPosition(position, ply === positions.length - 1);
    byId("ply-text").textContent = plyText(position);
    showSteps(ply, positions.length - 1);
    showRow(ply);
    const now = byId("value-plot").querySelector(".now");
    if (now) {
      now.setAttribute("x1", plotX(ply));
      now.setAttribute("x2", plotX(ply));
    }
  }

  function plyText(position) {
    const parts = ["Ply " + ply + " of " + (positions.length - 1)];
    if (ply === 0) parts.push("start position");
    else if (position.square < 0) parts.push(NAMES[position.mover] + " passes");
    else parts.push(NAMES[position.mover] + " " + position.move);
    if (position.value !== undefined) parts.push("score " + signed(position.value, 2));
    if (position.time !== undefined) parts.push(duration(position.time));
    return parts.join(" \u00b7 ");
  }

  /* The values of both players over the game, in discs for Black. */

  const plotX = number => 600 * number / Math.max(1, positions.length - 1);

  function showValues() {
    const plot = byId("value-plot");
    const forBlack = position => position.mover === WHITE ? -position.value : position.value;
    const known = positions.map((position, number) => ({ position, number })).filter(entry => entry.position.value !== undefined);
    byId("values").hidden = known.length === 0;
    const greatest = Math.max(4, ...known.map(entry => Math.abs(entry.position.value)));
    const limit = Math.min(64, Math.ceil(greatest / 4) * 4);
    byId("value-limit").textContent = limit;
    plot.replaceChildren(shape("line", { x1: 0, x2: 600, y1: 50, y2: 50 }));
    for (const color of [BLACK, WHITE]) {
      const points = known.filter(entry => entry.position.mover === color).map(entry =>
        plotX(entry.number).toFixed(1) + "," + (50 - 47 * Math.max(-1, Math.min(1, forBlack(entry.position) / limit))).toFixed(1));
      plot.append(shape("polyline", { class: "value " + COLORS[color], points: points.join(" ") }));
    }
    plot.append(shape("line", { class: "now", x1: 0, x2: 0, y1: 0, y2: 100 }));
  }

  /* The list: rows are made for one page at a time. */

  let list;

  const neighbor = step => list.neighbor(place, step);

  function showNeighbors() {
    byId("previous-game").disabled = neighbor(-1) === undefined;
    byId("next-game").disabled = neighbor(1) === undefined;
  }

  function openingText(game) {
    const moves = game.moves.slice(0, 2 * game.nOpening);
    return (game.start === data.starts[0] ? "" : "other start ") + moves || "\u2013";
  }

  const endText = game => game.fault ? "fault: " + game.fault[1] : game.end;
  const nMoves = game => game.moves.length / 2 - (game.moves.match(/pa/g) || []).length;

  function nameCell(game, color) {
    const isWinner = color === BLACK ? game.score > 0 : game.score < 0;
    const bdi = element("bdi", {}, data.players[game.players[color - 1]]);
    return element("td", { class: isWinner ? "name winner" : "name" }, bdi);
  }

  function rowOf(listed, index) {
    const game = games[index];
    const link = element("a", { href: "#game=" + game.key, "aria-label": "Game " + game.key }, game.key);
    const opening = element("td", { class: "opening", title: openingText(game) }, openingText(game));
    const row = element("tr", index === place ? { "aria-current": "true" } : {},
      element("td", {}, link), nameCell(game, BLACK), nameCell(game, WHITE),
      element("td", {}, signed(game.score, 0)),
      element("td", {}, endText(game)),
      element("td", {}, String(nMoves(game))), opening);
    row.addEventListener("click", event => {
      if (!event.target.closest("a")) link.click();
    });
    return row;
  }

  function listed(game, index) {
    const players = game.players.map(player => data.players[player]);
    const keys = [index, ...players, game.score, endText(game), nMoves(game), openingText(game)];
    return { players, score: game.score, kind: game.end, keys };
  }

  /* The address says what is shown: #game=12&ply=20. */

  function open() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const found = placeOf.get(fragment.get("game"));
    if (found === undefined) return false;
    show(found, Number.parseInt(fragment.get("ply"), 10) || 0);
    byId("viewer").scrollIntoView({ block: "nearest" });
    return true;
  }

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // These use the keys themselves.
    if (event.target.closest("select, input")) return;
    const scroll = event.target.closest(".scroll");
    if (scroll && scroll.scrollWidth > scroll.clientWidth) return;
    // The others lead through the page, too.
    if (!(event.key in STEPS) || !event.key.startsWith("Arrow") && !event.target.closest("#viewer")) return;
    go(place, ply + STEPS[event.key]);
    event.preventDefault();
    keepFocus(event.target, ply === 0 ? "next" : "previous");
  }

  function start() {
    if (games.length === 0) {
      byId("no-games").hidden = false;
      return;
    }
    byId("viewer").hidden = byId("list").hidden = false;
    const times = games.map(game => game.started).filter(time => time > 0).sort((a, b) => a - b);
    if (times.length > 0) {
      const [from, to] = [day(times[0]), day(times[times.length - 1])];
      byId("dates").textContent = "Played " + (from === to ? from : from + " to " + to) + " UTC.";
    }
    makeBoard(plies => go(place, ply + plies));
    list = makeList(games.map(listed), { perPage: PAGE, rowOf, changed: showNeighbors });
    onButton("previous-game", "next-game", () => go(neighbor(-1), 0));
    onButton("next-game", "previous-game", () => go(neighbor(1), 0));
    byId("value-plot").addEventListener("click", event => {
      const box = byId("value-plot").getBoundingClientRect();
      go(place, Math.round((event.clientX - box.left) / box.width * (positions.length - 1)));
    });
    document.addEventListener("keydown", onKey);
    window.addEventListener("hashchange", () => {
      // The keys now belong to the board.
      if (open()) byId(byId("next").disabled ? "previous" : "next").focus({ preventScroll: true });
    });
    if (!open()) show(0, 0);
  }

  start();
})();

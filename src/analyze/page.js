(() => {
  const data = JSON.parse(byId("data").textContent);
  const positions = [startPosition(data.start)];
  for (const { move } of data.plies) positions.push(after(positions[positions.length - 1], move));
  const SIGNS = { best: "", inaccuracy: "?!", mistake: "?", blunder: "??" };
  const errors = data.plies.flatMap((ply, index) => SIGNS[ply.class] ? [index + 1] : []);
  /* A ply that is not judged has only its move. */
  const lineOf = ply => (data.plies[ply - 1]?.pv ?? "").match(/../g) ?? [];

  /* What is shown: a ply of the game or, if there are steps, that many plies of the best line. */
  let ply = 0, steps = 0;

  function shownPosition() {
    if (steps === 0) return positions[ply];
    return lineOf(ply).slice(0, steps).reduce(after, positions[ply - 1]);
  }

  function draw(position) {
    const judged = steps === 0 && ply > 0 ? data.plies[ply - 1] : undefined;
    const better = judged?.better ? squareOf(judged.better[0]) : -1;
    const isOver = ply === positions.length - 1 && steps === 0;
    drawPosition(position, isOver, square => square === better ? " better" : "");
  }

  function showLine() {
    const box = byId("line");
    const line = lineOf(ply);
    if (line.length === 0) {
      box.replaceChildren();
      return;
    }
    const label = element("span", {}, data.plies[ply - 1].better ? "Better line:" : "Best line:");
    box.replaceChildren(label, ...line.map((step, index) => {
      const button = element("button", { type: "button" }, moveName(step));
      if (index + 1 === steps) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => show(ply, index + 1 === steps ? 0 : index + 1));
      return button;
    }));
  }

  /* What is said of a move, and its row in the list. */

  function judgment(number) {
    if (number === 0) return "Start position";
    const { move, score, loss, class: name, better, book } = data.plies[number - 1];
    const said = NAMES[positions[number].mover] + " " + moveName(move);
    if (score === undefined) return said + ": not judged";
    return said + SIGNS[name] + ": " + score
      + (better ? "; " + moveName(better[0]) + " is worth " + better[1] + ", " + loss + " more" : "")
      + (book ? "; the book plays " + moveName(book[0]) + ": " + book[1] : "");
  }

  function rowOf({ move, score, loss, class: name, better, depth }, index) {
    const { mover } = positions[index + 1];
    const disc = element("i", { class: "disc " + COLORS[mover], "aria-hidden": "true" });
    const button = element("button", { type: "button" }, disc, moveName(move));
    button.setAttribute("aria-label", "Ply " + (index + 1) + ", " + NAMES[mover] + " " + moveName(move));
    const row = element("tr", name ? { class: name } : {}, element("td", {}, String(index + 1)), element("td", {}, button));
    row.addEventListener("click", () => go(index + 1));
    if (score === undefined) {
      row.append(element("td", { colspan: 5 }));
      return row;
    }
    const isPass = move === "pa";
    row.append(
      element("td", {}, score),
      element("td", {}, isPass ? "" : loss),
      element("td", { class: "class" }, ...isPass ? [] : [element("span", {}, name), " " + SIGNS[name]]),
      element("td", {}, better ? moveName(better[0]) + " " + better[1] : ""),
      element("td", {}, ...depth ? [depth[0] + " ", element("small", {}, depth[1] + "%")] : ["exact"]));
    return row;
  }

  /* The graph: expected results in discs for Black, from before the first judged ply. */

  const CLASSES = { inaccuracy: "1 disc", mistake: "4 discs", blunder: "8 discs" };
  const valueOf = text => Number(text.replace("\u2212", "-"));

  function course() {
    const points = [];
    data.plies.forEach(({ score, better }, index) => {
      if (score === undefined) return;
      const sign = positions[index + 1].mover === BLACK ? 1 : -1;
      if (points.length === 0) points.push([index, sign * valueOf(better ? better[1] : score)]);
      points.push([index + 1, sign * valueOf(score)]);
    });
    return points;
  }

  /* The area between the zero line and the part of the curve on one side of it, in percent from the top. */
  function area(points, clip) {
    const outline = [[points[0][0], 50]];
    points.forEach(([x, y], index) => {
      outline.push([x, clip(y, 50)]);
      const [nextX, nextY] = points[index + 1] ?? [x, y];
      // It begins or ends where the curve crosses the zero line.
      if ((y - 50) * (nextY - 50) < 0) outline.push([x + (nextX - x) * (50 - y) / (nextY - y), 50]);
    });
    return [...outline, [points[points.length - 1][0], 50]];
  }

  function drawChart() {
    const points = course();
    if (points.length === 0) {
      byId("graph").replaceChildren("No moves.");
      return;
    }
    const greatest = Math.max(8, ...points.map(([, value]) => Math.abs(value)));
    const step = greatest <= 16 ? 4 : 16, range = Math.ceil(greatest / step) * step;
    const xOf = ply => 100 * ply / data.plies.length, yOf = value => 50 - 50 * value / range;
    const percent = value => value.toFixed(2) + "%";
    const add = (to, tag, attributes, text = "") => {
      const made = shape(tag, attributes);
      made.textContent = text;
      to.append(made);
      return made;
    };
    const chart = byId("chart");
    const vertical = (attributes, ply) =>
      add(chart, "line", { ...attributes, x1: percent(xOf(ply)), x2: percent(xOf(ply)), y1: 0, y2: "100%" });
    // The whole plot is clickable.
    add(chart, "rect", { width: "100%", height: "100%", fill: "transparent" });
    const solved = data.plies.findLastIndex(({ depth }) => depth !== null) + 1;
    const isSolved = solved < data.plies.length;
    const rest = { x: percent(xOf(solved)), width: percent(100 - xOf(solved)), y: 0, height: "100%" };
    if (isSolved) add(chart, "rect", { class: "solved", ...rest });
    for (let mark = -range; mark <= range; mark += step) {
      const y = percent(yOf(mark));
      add(chart, "line", { class: mark === 0 ? "zero" : "grid", x1: 0, x2: "100%", y1: y, y2: y });
      add(chart, "text", { class: "y", x: -8, y, dy: 4 }, signed(mark, 0));
    }
    /* Paths know no percentages: they are in a picture of 1000 units that is stretched. */
    const picture = add(chart, "svg", { width: "100%", height: "100%", viewBox: "0 0 1000 1000", preserveAspectRatio: "none" });
    const placed = points.map(([ply, value]) => [xOf(ply), yOf(value)]);
    const path = points => points.map(([x, y]) => (10 * x).toFixed(1) + "," + (10 * y).toFixed(1)).join(" ");
    add(picture, "polygon", { class: "black-ahead", points: path(area(placed, Math.min)) });
    add(picture, "polygon", { class: "white-ahead", points: path(area(placed, Math.max)) });
    add(picture, "polyline", { class: "course", points: path(placed) });
    if (data.exit !== null) vertical({ class: "book" }, data.exit - 1);
    points.slice(1).forEach(([ply], index) => {
      const { class: name } = data.plies[ply - 1], [x, y] = placed[index + 1];
      if (!SIGNS[name]) return;
      // The sign stands beside the curve, where there is room: the curve falls after an error of Black.
      const isAbove = positions[ply].mover === WHITE;
      const at = { x: percent(x), y: percent(y), dy: isAbove === y > 12 || y > 88 ? -9 : 19 };
      add(chart, "circle", { class: "dot " + name, cx: at.x, cy: at.y, r: 4 });
      add(chart, "text", { class: "error " + name, ...at }, SIGNS[name]);
    });
    vertical({ class: "now", id: "now" }, 0);
    for (let ply = 0; ply <= data.plies.length; ply += 10) add(chart, "text", { class: "x", x: percent(xOf(ply)), y: "100%", dy: 18 }, ply);
    add(chart, "text", { class: "x", x: "50%", y: "100%", dy: 38 }, "ply");
    drawLegend(isSolved);
  }

  /* What the colors and signs that occur mean. */
  function drawLegend(isSolved) {
    const AREA = "M0 0h32v10H0z", LINE = "M0 5h32";
    const sample = (d, name, text) => {
      const picture = shape("svg", { viewBox: "0 0 32 10", "aria-hidden": "true" });
      picture.append(shape("path", { class: name, d }));
      return element("li", {}, picture, element("span", {}, text));
    };
    const errors = Object.entries(CLASSES).filter(([name]) => data.plies.some(ply => ply.class === name));
    byId("legend").append(
      sample(LINE, "course", "expected result, in discs for Black"),
      sample(AREA, "black-ahead", "Black ahead"),
      sample(AREA, "white-ahead", "White ahead"),
      ...isSolved ? [sample(AREA, "solved", "solved")] : [],
      ...data.exit === null ? [] : [sample(LINE, "book", "the book ends")],
      ...errors.map(([name, least]) => element("li", {}, element("b", { class: name }, SIGNS[name]), name + ": " + least + " or more lost")));
  }

  /* The pages of a folder know the numbers of its games. */
  function showNeighbors() {
    if (data.game === null) return;
    byId("games").hidden = false;
    const at = GAMES.indexOf(data.game);
    for (const [text, game] of at < 0 ? [] : [["Previous game", GAMES[at - 1]], ["Next game", GAMES[at + 1]]]) {
      if (game !== undefined) byId("games").append(element("a", { href: "game-" + game + ".html" }, text));
    }
  }

  function plyText(position) {
    if (steps > 0) return "Instead of ply " + ply + ": " + NAMES[position.mover] + " " + moveName(position.move);
    if (ply === 0) return "Start position";
    return "Ply " + ply + " of " + data.plies.length + " \u00b7 " + NAMES[position.mover] + " " + moveName(position.move);
  }

  function show(newPly, newSteps) {
    const hadFocus = byId("line").contains(document.activeElement);
    ply = Math.min(Math.max(newPly, 0), data.plies.length);
    steps = ply === 0 ? 0 : newSteps;
    const position = shownPosition();
    draw(position);
    showLine();
    // The buttons are new ones.
    if (hadFocus) byId("line").children[Math.max(steps, 1)]?.focus();
    byId("ply-text").textContent = plyText(position);
    byId("judgment").textContent = judgment(ply);
    showSteps(ply, data.plies.length);
    byId("previous-error").disabled = !errors.some(error => error < ply);
    byId("next-error").disabled = !errors.some(error => error > ply);
    showRow(ply);
    const x = 100 * ply / Math.max(1, data.plies.length) + "%";
    for (const end of ["x1", "x2"]) byId("now")?.setAttribute(end, x);
    setAddress("#ply=" + ply);
  }

  const go = newPly => show(newPly, 0);
  const toError = step => {
    const found = step > 0 ? errors.find(error => error > ply) : errors.findLast(error => error < ply);
    if (found === undefined) return;
    go(found);
    byId("board").scrollIntoView({ block: "nearest" });
  };

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key in STEPS) go(ply + STEPS[event.key]);
    else if (event.key === "n") toError(1);
    else if (event.key === "p") toError(-1);
    else return;
    event.preventDefault();
  }

  const date = byId("date");
  if (date) date.textContent = day(Number(date.textContent)) + " UTC";
  makeBoard(plies => go(ply + plies));
  onButton("previous-error", "next-error", () => toError(-1));
  onButton("next-error", "previous-error", () => toError(1));
  byId("moves").append(...data.plies.map(rowOf));
  showNeighbors();
  drawChart();
  byId("chart")?.addEventListener("click", event => {
    const box = byId("chart").getBoundingClientRect();
    go(Math.round((event.clientX - box.left) / box.width * data.plies.length));
  });
  document.addEventListener("keydown", onKey);
  const open = () => go(Number.parseInt(new URLSearchParams(location.hash.slice(1)).get("ply"), 10) || 0);
  window.addEventListener("hashchange", open);
  open();
})();

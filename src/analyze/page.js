(() => {
  const data = JSON.parse(byId("data").textContent);
  const positions = [startPosition(data.start)];
  for (const { move } of data.plies) positions.push(after(positions[positions.length - 1], move));
  const errors = data.plies.flatMap((ply, index) => ply.error ? [index + 1] : []);

  /* What is shown: a ply of the game or, if there are steps, that many plies of the best line. */
  let ply = 0, steps = 0;

  function shownPosition() {
    if (steps === 0) return positions[ply];
    return data.plies[ply - 1].pv.slice(0, steps).reduce(after, positions[ply - 1]);
  }

  function draw(position) {
    const judged = steps === 0 && ply > 0 ? data.plies[ply - 1] : undefined;
    const better = judged && judged.best !== judged.move ? squareOf(judged.best) : -1;
    const isOver = ply === positions.length - 1 && steps === 0;
    drawPosition(position, isOver, square => square === better ? " better" : "");
  }

  function showLine() {
    const box = byId("line");
    if (ply === 0) {
      box.replaceChildren();
      return;
    }
    const { pv, move, best } = data.plies[ply - 1];
    const label = element("span", {}, best === move ? "Best line:" : "Better line:");
    box.replaceChildren(label, ...pv.map((step, index) => {
      const button = element("button", { type: "button" }, moveName(step));
      if (index + 1 === steps) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => show(ply, index + 1 === steps ? 0 : index + 1));
      return button;
    }));
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
    byId("judgment").textContent = ply === 0 ? "Start position" : data.plies[ply - 1].text;
    showSteps(ply, data.plies.length);
    byId("previous-error").disabled = !errors.some(error => error < ply);
    byId("next-error").disabled = !errors.some(error => error > ply);
    showRow(ply);
    const now = byId("now"), x = 100 * ply / Math.max(1, data.plies.length) + "%";
    now.setAttribute("x1", x);
    now.setAttribute("x2", x);
    setAddress("#ply=" + ply);
  }

  const go = newPly => show(newPly, 0);
  const toError = step => {
    const found = step > 0 ? errors.find(error => error > ply) : errors.findLast(error => error < ply);
    if (found !== undefined) go(found);
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
  [...byId("moves").rows].forEach((row, index) => row.addEventListener("click", () => go(index + 1)));
  byId("chart").addEventListener("click", event => {
    const box = byId("chart").getBoundingClientRect();
    go(Math.round((event.clientX - box.left) / box.width * data.plies.length));
  });
  document.addEventListener("keydown", onKey);
  const open = () => go(Number.parseInt(new URLSearchParams(location.hash.slice(1)).get("ply"), 10) || 0);
  window.addEventListener("hashchange", open);
  open();
})();

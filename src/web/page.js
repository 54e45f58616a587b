import { Othellier } from "./othellier/othellier.js";

const START = "---------------------------OX------XO--------------------------- X";
/* With so many empty squares or fewer an analysis solves the position; before, it looks so many plies ahead. */
const SOLVED = 16, DEPTH = 12;
/* Searches for the scores of a position, each of so many seconds; together they know what the ones before found. */
const GLANCES = 6, GLANCE = 0.4;
/* A reply comes no sooner than this, in milliseconds. */
const PAUSE = 350;
const ELO = strength => Math.round((680 + (strength - 1) / 59 * (2490 - 680)) / 10) * 10;
const CLASSES = [[8, "blunder", "??"], [4, "mistake", "?"], [1, "inaccuracy", "?!"], [-Infinity, "best", ""]];

let engine, seed, showsScores = false, start = START, moves = [], positions = [], ply = 0, state, turn = 0, analysis = 0;
/* Scores of all moves, by the moves before them. */
const known = new Map();

const record = (n = ply) => (start === START ? "" : start + " ") + moves.slice(0, n).join("");
const request = (n = ply) => ({ start, moves: moves.slice(0, n).join(""), game: "page" });
const isEngines = side => byId("engine-side").value === side;
const say = text => byId("status").textContent = text;
/* A whole number may be an estimate, but in a proven answer hardly any is. */
const scoreText = ({ score }, isProven, decimals = 2) => signed(score, isProven && Number.isInteger(score) ? 0 : decimals);

/* The game. */

function setMoves(newMoves) {
  stopAnalysis();
  moves = newMoves;
  positions = [startPosition(start)];
  for (const move of moves) positions.push(after(positions.at(-1), move));
  show(moves.length);
}

function setGame(game, names = ["Black", "White"]) {
  seed = Math.floor(Math.random() * 2 ** 32);
  start = game.start;
  names.forEach((name, index) => byId(COLORS[index + 1] + "-name").textContent = name);
  setMoves(game.moves);
}

const newGame = () => setGame(engine.game(""));

function play(move) {
  if (!state.legal.includes(move)) return;
  // A pass is no choice.
  const pass = engine.game(record() + move).legal[0] === "pa" ? ["pa"] : [];
  setMoves([...moves.slice(0, ply), move, ...pass]);
}

/* To the last position in which a person has chosen. */
function takeBack() {
  let n = ply - 1;
  while (n > 0 && (moves[n] === "pa" || isEngines(COLORS[positions[n].next]))) n--;
  if (n >= 0) setMoves(moves.slice(0, n));
}

/* Who is next. A position that is left while its search runs needs no answer any more. */
async function think() {
  const mine = ++turn, isOld = () => mine !== turn;
  if (state.over || isEngines(state.side) && ply < moves.length) return;
  if (isEngines(state.side)) {
    const pause = new Promise(done => setTimeout(done, PAUSE));
    const { move } = await engine.ask({ ...request(), strength: Number(byId("strength").value), seed, priority: 2 });
    await pause;
    if (!isOld()) play(move);
    return;
  }
  for (let n = 0; n < GLANCES && showsScores && !known.get(record())?.exact; n++) {
    const before = record();
    const answer = await engine.ask({ ...request(), lines: "all", time: GLANCE, priority: 1 });
    learn(answer, before);
    if (isOld()) return;
    draw();
  }
}

/* What each move lost. */

function learn(answer, before) {
  if (!answer.canceled) known.set(before, answer);
}

function judge(n) {
  const answer = known.get(record(n - 1));
  const best = answer?.moves[0], played = answer?.moves.find(({ move }) => move === moves[n - 1]);
  if (!played) return undefined;
  const loss = Math.max(0, best.score - played.score);
  const [, name, sign] = CLASSES.find(([least]) => loss >= least);
  const text = scored => scoreText(scored, answer.exact);
  return { move: best.move, best: text(best), played: text(played), loss, lossText: text({ score: loss }).replace("+", ""), name, sign };
}

async function analyze() {
  const mine = ++analysis;
  const progress = byId("progress");
  byId("analyze").textContent = "Stop";
  say("Judging the moves");
  Object.assign(progress, { hidden: false, max: moves.length, value: 0 });
  // From the end: the table then knows what comes after.
  for (let n = moves.length; n > 0 && mine === analysis; n--) {
    const nEmpties = positions[n - 1].cells.filter(cell => cell === EMPTY).length;
    if (moves[n - 1] === "pa" || known.get(record(n - 1))?.isJudged) continue;
    const depth = nEmpties <= SOLVED ? { exact: true } : { depth: DEPTH, confidence: 73 };
    const before = record(n - 1);
    const answer = await engine.ask({ ...request(n - 1), ...depth, lines: "all", id: "analysis" });
    learn({ ...answer, isJudged: true }, before);
    if (mine !== analysis) return;
    progress.value = moves.length - n + 1;
    draw();
  }
  if (mine === analysis) stopAnalysis("All moves are judged");
}

function stopAnalysis(text = "") {
  analysis++;
  byId("analyze").textContent = "Analyze";
  byId("progress").hidden = true;
  say(text);
}

/* What is seen. */

function moveRow(move, index) {
  const n = index + 1, side = COLORS[positions[n].mover], judged = move === "pa" ? undefined : judge(n);
  const button = element("button", { type: "button" }, element("i", { class: "disc " + side, "aria-hidden": "true" }), moveName(move));
  const sign = judged?.sign ? [element("span", {}, judged.name), " " + judged.sign] : [judged?.name ?? ""];
  const better = judged?.loss > 0 ? `${judged.move} ${judged.best}` : "";
  const cells = [[n], [button], [judged?.played ?? ""], [judged?.lossText ?? ""], sign, [better]];
  const row = element("tr", { class: judged?.name ?? "" }, ...cells.map(parts => element("td", {}, ...parts)));
  row.cells[4].className = "class";
  if (n === ply) row.setAttribute("aria-current", "true");
  row.addEventListener("click", () => show(n));
  return row;
}

function plyText() {
  const { mover, move } = positions[ply];
  const last = ply === 0 ? "" : `Ply ${ply}: ${NAMES[mover]} ${moveName(move)}. `;
  if (!state.over) return `${last}${NAMES[positions[ply].next]} to move`;
  const ahead = Math.abs(state.result);
  return last + (ahead === 0 ? "A draw" : `${state.result > 0 ? "Black" : "White"} wins by ${ahead}`);
}

function draw() {
  const answer = showsScores && !isEngines(state.side) ? known.get(record()) : undefined;
  const judged = ply > 0 ? judge(ply) : undefined;
  drawPosition(positions[ply], state.over, square => state.legal.includes(squareName(square)) && !answer ? " legal" : "");
  targets.forEach(({ target, label }, square) => {
    const name = squareName(square), scored = answer?.moves.find(({ move }) => move === name);
    const isLegal = state.legal.includes(name) && !isEngines(state.side);
    const said = scored ? scoreText(scored, answer.exact, 1) : "";
    label.textContent = said;
    label.setAttribute("class", scored?.score === answer?.moves[0]?.score ? "score top" : "score");
    for (const [key, value] of Object.entries({ role: "button", tabindex: 0, "aria-label": scored ? `${name}, ${said}` : name })) {
      if (isLegal) target.setAttribute(key, value);
      else target.removeAttribute(key);
    }
  });
  const isInList = byId("moves").contains(document.activeElement);
  byId("moves").replaceChildren(...moves.map(moveRow));
  if (isInList) byId("moves").rows[ply - 1]?.querySelector("button").focus({ preventScroll: true });
  const better = judged?.loss > 0 ? `; ${judged.move} is worth ${judged.best}, ${judged.lossText} more` : "";
  byId("judgment").textContent = judged ? `${NAMES[positions[ply].mover]} ${moves[ply - 1]}${judged.sign}: ${judged.played}${better}` : "";
  const lost = color => moves.reduce((sum, move, index) => sum + (positions[index].next === color && move !== "pa" && judge(index + 1)?.loss || 0), 0);
  byId("losses").textContent = moves.some((_, index) => judge(index + 1)) ? `Lost in all: Black ${lost(BLACK).toFixed(2)}, White ${lost(WHITE).toFixed(2)} discs.` : "";
}

function show(newPly) {
  const hadFocus = byId("board").contains(document.activeElement);
  ply = Math.min(Math.max(newPly, 0), moves.length);
  state = engine.game(record());
  draw();
  byId("ply-text").textContent = plyText();
  byId("undo").disabled = ply === 0;
  byId("analyze").disabled = moves.length === 0;
  showRow(ply);
  showSteps(ply, moves.length);
  setAddress("#" + record(moves.length).replaceAll(" ", "_"));
  // The square that was played is no button any more.
  if (hadFocus && !document.activeElement?.role) byId("board").querySelector("[tabindex='0']")?.focus();
  think();
}

/* The board, to play on. */

const squareName = square => "abcdefgh"[square % 8] + ((square >> 3) + 1);
const targets = [];
function makeTargets() {
  const board = byId("board");
  board.setAttribute("role", "group");
  for (let square = 0; square < 64; square++) {
    const x = 10 * (square % 8), y = 10 * (square >> 3);
    const target = shape("rect", { class: "target", x, y, width: 10, height: 10 });
    const label = shape("text", { class: "score", x: x + 5, y: y + 5, "aria-hidden": "true" });
    const choose = () => isEngines(state.side) || play(squareName(square));
    target.addEventListener("click", choose);
    target.addEventListener("keydown", event => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    });
    board.append(target, label);
    targets.push({ target, label });
  }
}

let typed = "";
function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || /^(TEXTAREA|INPUT|SELECT)$/.test(event.target.tagName)) return;
  if (event.key in STEPS) show(ply + STEPS[event.key]);
  else if (event.key === "u") takeBack();
  else if (event.key === "s") byId("scores").click();
  else if (/^[1-8]$/.test(event.key) && !isEngines(state.side)) play(typed + event.key);
  typed = /^[a-h]$/.test(event.key) ? event.key : "";
  if (event.key in STEPS) event.preventDefault();
}

/* Games from elsewhere. */

function openFile(file) {
  try {
    const { games } = engine.read(file);
    if (games.length === 0) throw new Error("there is no game in it");
    byId("games").hidden = games.length === 1;
    const name = ({ black, white, message }, index) => [`${index + 1}: ${black || "Black"}`, white || "White"].join(" – ") + (message ? " (illegal)" : "");
    byId("found").replaceChildren(...games.map((game, index) => element("option", { value: index }, name(game, index))));
    byId("found").onchange = () => openGame(games[byId("found").value]);
    openGame(games[0]);
  } catch ({ message }) {
    say(message);
  }
}

function openGame(game) {
  byId("engine-side").value = "";
  if (game.moves) setGame(game, [game.black || "Black", game.white || "White"]);
  say(game.message ?? "");
}

function openAddress() {
  try {
    const text = decodeURIComponent(location.hash.slice(1)).replaceAll("_", " ");
    if (positions.length > 0 && text === record(moves.length)) return;
    // In one step: a page that is loaded anew meanwhile must find the game in its address.
    if (text) openGame(engine.game(text));
    else newGame();
  } catch ({ message }) {
    if (positions.length === 0) newGame();
    say(message);
  }
}

function showStrength() {
  const strength = byId("strength").value;
  byId("elo").textContent = `${strength}, about ${ELO(strength)} Elo`;
}

async function share() {
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied");
  } catch {
    say(location.href);
  }
}

function listen() {
  const on = (id, event, action) => byId(id).addEventListener(event, action);
  on("new", "click", newGame);
  onButton("undo", "new", takeBack);
  on("analyze", "click", () => {
    if (byId("analyze").textContent === "Analyze") return analyze();
    stopAnalysis("Stopped");
    engine.cancel("analysis");
  });
  on("share", "click", share);
  on("scores", "click", () => {
    showsScores = !showsScores;
    byId("scores").setAttribute("aria-pressed", showsScores);
    show(ply);
  });
  on("engine-side", "change", () => show(ply));
  on("strength", "input", showStrength);
  on("reader", "submit", event => {
    event.preventDefault();
    openFile(byId("text").value);
  });
  on("file", "change", async ({ target }) => target.files[0] && openFile(new Uint8Array(await target.files[0].arrayBuffer())));
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", openAddress);
  window.addEventListener("unhandledrejection", ({ reason }) => say(reason.message));
}

showStrength();
makeBoard(plies => show(ply + plies));
makeTargets();
drawPosition(startPosition(START), false);
try {
  engine = await Othellier.load({
    hash: 16,
    onProgress: (loaded, total) => Object.assign(byId("progress"), { max: total, value: loaded }),
  });
  listen();
  openAddress();
  navigator.serviceWorker?.register("offline.js").catch(() => {});
} catch ({ message }) {
  say(`The engine cannot be loaded: ${message}`);
}

// Asks the package for browsers and Node.js the same as `othellier json`, request by request: compare.mjs PACKAGE OTHELLIER.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const [folder, program] = process.argv.slice(2);
const { Othellier, instantiate } = await import(resolve(folder, "othellier.js"));

let seed = 1;
const below = n => {
  seed = (Math.imul(seed, 0x5bd1e995) + 0x1b873593) >>> 0;
  return Math.floor(seed / 2 ** 32 * n);
};
const pick = list => list[below(list.length)];

/* The program: the lines that answer one, as many as the package tells. */
const pipe = spawn(program, ["json", "--threads", "1", "--concurrency", "1"], { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: pipe.stdout })[Symbol.asyncIterator]();
async function piped(request, n) {
  pipe.stdin.write(`${typeof request === "string" ? request : JSON.stringify(request)}\n`);
  const answers = [];
  while (answers.length < n) answers.push(JSON.parse((await lines.next()).value));
  return answers;
}

/* All that the package tells, without times. */
async function asked(engine, request) {
  const told = [];
  try {
    const answer = await engine.ask(request, { onReport: report => told.push(report) });
    if (!Array.isArray(answer)) told.push(answer);
  } catch ({ message, id }) {
    told.push({ id, message });
  }
  return told;
}
const timeless = told => told.map(({ time, ...rest }) => rest);

function randomGame(engine, nMoves) {
  let game = engine.game("");
  while (game.moves.length < nMoves && !game.over) game = engine.game(game.moves.join("") + pick(game.legal));
  return game;
}

function randomRequest(engine, id) {
  const game = randomGame(engine, pick([0, 5, 20, 40, 48, 52, 56, 60]));
  const nEmpties = game.position.split("-").length - 1;
  const request = pick([true, false]) ? { id, position: game.position } : { id, moves: game.moves.join("") };
  if (request.moves && below(4) === 0) request.plies = pick(["all", [0], [game.moves.length, 1]]);
  const canSolve = nEmpties <= 12 && request.plies === undefined;
  if (below(6) === 0) {
    Object.assign(request, pick([{ strength: 1 + below(60) }, { elo: 680 + below(1800) }]));
    if (below(2) === 0) request.seed = below(2 ** 40);
  } else {
    Object.assign(request, canSolve && below(2) === 0 ? { exact: true } : pick([{ depth: 1 + below(8) }, { nodes: 1 + below(20000) }]));
    if (request.nodes === undefined && below(3) === 0) request.confidence = pick([73, 87, 95, 98, 99, 100]);
    if (below(4) === 0) request.time = 1000;
    Object.assign(request, pick([{}, {}, { lines: "all" }, { lines: 1 + below(5) }, { wld: true }, { window: [-below(9) - 0.5, below(9)] }]));
    if (below(5) === 0) request.report_every = 0;
  }
  if (game.legal.length > 1 && request.plies === undefined) {
    if (below(5) === 0) request.avoid = game.legal[0];
    else if (below(5) === 0) request.allow = game.legal.slice(1).join(" ");
  }
  if (below(4) === 0) request.game = pick(["a", "b"]);
  if (below(9) === 0) request.priority = below(5) - 2;
  return request;
}

async function sameAnswers(engine) {
  for (let id = 0; id < 200; id++) {
    const request = randomRequest(engine, pick([id, String(id)]));
    const told = timeless(await asked(engine, request));
    assert.deepEqual(told, timeless(await piped(request, told.length)), JSON.stringify(request));
  }
  const start = "---------------------------OX------XO---------------------------";
  for (const request of [
    undefined, null, "nonsense", '{"id":1,', "[]", "{}", '{"id":5}', '{"id":[1],"moves":""}', '{"id":5,"moves":"","moves":"f5"}',
    { id: 5, moves: "", dept: 1 }, { id: 5, moves: 1 }, { id: 5, position: "x" }, { id: 5, position: start + " 7" },
    { id: 5, position: start, moves: "f5" }, { id: 5, moves: "f5f5" }, { id: 5, moves: "f5", plies: [2] },
    { id: 5, moves: "", depth: 61 }, { id: 5, moves: "", time: -1 }, { id: 5, moves: "", window: [2, 2] },
    { id: 5, moves: "", allow: "a1" }, { id: 5, moves: "", lines: 0 }, { id: 5, action: "dance" },
    { id: 5, moves: "", strength: 61 }, { id: 5, moves: "", elo: 1 }, { id: 5, moves: "", strength: 3, depth: 1 },
    { id: 5, moves: "", seed: 1 }, { id: 5, moves: "", strength: 1, elo: 900 }, { id: 6, position: start, depth: 1 },
    { action: "version", id: 7 },
  ]) {
    const told = timeless(await asked(engine, request));
    assert.deepEqual(told, timeless(await piped(request, 1)), JSON.stringify(request));
  }
}

/* Only a module with the book knows it. */
async function sameBook(engine) {
  const request = { id: 5, moves: "f5", depth: 1, book: true };
  const told = timeless(await asked(engine, request));
  if (told[0].message) assert.equal(told[0].message, "book: this module has none");
  else assert.deepEqual(told, timeless(await piped(request, 1)));
}

async function knownScores(engine) {
  const position = "XXO-O---OOOOOO--XOOXXXXXXOOXXXXXXOOXXXOXXXOOOXOXXOOOOOXX-OOOOO-X X";
  const answer = await engine.ask({ position, exact: true });
  assert.deepEqual([answer.move, answer.score, answer.exact], ["a8", 12, true]);
  // Ever more of a game's end is solved: the values of a game with the best moves on both sides agree.
  let game = randomGame(engine, 46), expected;
  while (!game.over) {
    const { move, score } = await engine.ask({ moves: game.moves.join(""), exact: true });
    const forBlack = game.side === "black" ? score : -score;
    assert.equal(forBlack, expected ?? forBlack);
    expected = forBlack;
    game = engine.game(game.moves.join("") + move);
  }
  assert.equal(game.result, expected);
}

/* What `convert` reads, with the moves that it writes. */
function sameGames(engine) {
  for (const name of readdirSync("tests/data/games")) {
    const path = "tests/data/games/" + name;
    const { games } = engine.read(readFileSync(path));
    const moves = games.filter(({ message }) => message === undefined).map(({ moves }) => moves.join("").replaceAll("pa", ""));
    const { stdout } = spawnSync(program, ["convert", path, "--to", "transcript", "-"], { encoding: "utf8" });
    assert.equal(moves.join("\n"), stdout.trim(), path);
  }
}

async function cancels(shared) {
  const engine = await Othellier.load({ shared });
  let tell;
  const isDeep = new Promise(done => tell = done);
  const request = { id: 1, moves: "f5d6", plies: [2, 0], time: 1000, report_every: 0 };
  const running = engine.ask(request, { onReport: ({ depth }) => depth > 5 && tell() });
  const waiting = engine.ask({ id: 2, moves: "f5", depth: 1 });
  const stays = engine.ask({ id: "x", moves: "f5", depth: 1 });
  await isDeep;
  engine.cancel([1, 2]);
  const [[first, second], third] = [await running, await waiting];
  assert.deepEqual([first.canceled, second.canceled, third.canceled], [true, true, true]);
  assert.ok(first.move && first.depth > 5 && !first.partial && second.ply === 0 && !second.move && !third.move);
  assert.equal((await stays).depth, 1);
  const left = assert.rejects(engine.ask({ moves: "", time: 1000 }), /terminated/);
  engine.terminate();
  await left;
  await assert.rejects(engine.ask({ moves: "" }), /terminated/);
}

async function severalWorkers() {
  const engine = await Othellier.load({ workers: 2, hash: 4 });
  const answers = await Promise.all(["f5", "f5d6", "f5d6c3", "f5d6c3d3"].map(moves => engine.ask({ moves, depth: 8, game: moves.slice(0, 4) })));
  assert.deepEqual(answers.map(({ ply }) => ply), [1, 2, 3, 4]);
  engine.terminate();
}

/* A thousand requests leave the memory as large as a few do. */
async function noGrowth() {
  const module = await WebAssembly.compile(readFileSync(resolve(folder, "othellier.wasm")));
  const call = await instantiate(module, 4, () => false, () => {});
  const ask = n => {
    for (let id = 0; id < n; id++) {
      call("ask", JSON.stringify({ id, moves: "f5d6c3d3c4", plies: "all", depth: 3, lines: "all", report_every: 0 }));
      call("ask", JSON.stringify({ id, moves: "f5d6c3d3c4", strength: 20, seed: id }));
      call("game", "f5d6");
      call("read", "1. f5 d6\n2. f5f5");
      call("ask", "nonsense");
    }
  };
  ask(10);
  const size = call.memory.buffer.byteLength;
  ask(190);
  assert.equal(call.memory.buffer.byteLength, size);
}

const engine = await Othellier.load();
await sameAnswers(engine);
await sameBook(engine);
await knownScores(engine);
sameGames(engine);
engine.terminate();
pipe.stdin.end();
await cancels(true);
await cancels(false);
await severalWorkers();
await noGrowth();
console.log("the same answers");

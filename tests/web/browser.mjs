// Uses the page in Chromium as a person would: browser.mjs FOLDER PLAYWRIGHT [SCREENSHOTS].
import assert from "node:assert/strict";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";

const [folder, library, screenshots] = process.argv.slice(2);
const { chromium } = await import(resolve(library, "index.mjs"));

/* A server of files, as plain as can be, but for one step. */
let isIsolated = false;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const server = createServer(({ url }, response) => {
  const path = join(folder, url === "/" ? "index.html" : new URL(url, "http://a").pathname);
  if (!existsSync(path)) return response.writeHead(404).end();
  const isolation = isIsolated ? { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" } : {};
  response.writeHead(200, { ...isolation, "content-type": TYPES[extname(path)] ?? "text/plain", "content-length": statSync(path).size });
  createReadStream(path).pipe(response);
}).listen(0);
const address = `http://localhost:${server.address().port}/`;

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
const page = await context.newPage();
const faults = [];
page.on("pageerror", error => faults.push(String(error)));
page.on("console", message => message.type() === "error" && faults.push(message.text()));
page.setDefaultTimeout(120_000);

const text = id => page.locator("#" + id).textContent();
const shows = (id, expected) => page.waitForFunction(([id, source]) => new RegExp(source).test(document.getElementById(id).textContent), [id, expected.source]);
const picture = name => screenshots && page.screenshot({ path: join(screenshots, name + ".png"), fullPage: true });
const isReady = () => shows("ply-text", /to move|wins|draw/);
const nRows = () => page.locator("#moves tr").count();
async function step(name, action) {
  const start = performance.now();
  await action();
  assert.deepEqual(faults, [], name);
  console.log(`${name}: ${(performance.now() - start).toFixed(0)} ms`);
}

await step("loading", async () => {
  await page.goto(address);
  await isReady();
  assert.equal(await text("ply-text"), "Black to move");
  await page.locator("#strength").fill("5");
  await shows("elo", /^5, about 800 Elo$/);
});

await step("a whole game by clicks", async () => {
  const move = page.locator(".target[role='button']");
  for (;;) {
    // Either a square can be played on, or the game is over.
    await page.waitForFunction(() => document.querySelector(".target[role='button']") || /wins|draw/.test(document.getElementById("ply-text").textContent));
    if (await move.count() === 0) break;
    await move.first().click();
  }
  const nEmpties = await page.locator(".piece:not(.black):not(.white)").count();
  assert.ok(await nRows() >= 9 && nEmpties < 56);
  await picture("game");
  await page.locator("#undo").click();
  await shows("ply-text", /Black to move/);
});

await step("keys and the scores of all moves", async () => {
  await page.locator("#new").click();
  await page.locator("#engine-side").selectOption("");
  await page.locator("h1").click();
  for (const key of "f5d6s") await page.keyboard.press(key);
  await shows("ply-text", /Ply 2: White d6. Black to move/);
  await page.waitForFunction(() => [...document.querySelectorAll(".board .score")].filter(label => label.textContent).length === 5);
  assert.match(new URL(page.url()).hash, /^#f5d6$/);
  await picture("scores");
  await page.keyboard.press("ArrowLeft");
  await shows("ply-text", /Ply 1/);
  await page.locator(".target[role='button']").first().focus();
  await page.keyboard.press("Enter");
  await shows("ply-text", /Ply 2/);
});

const GAME = "(;GM[Othello]PC[a club]PB[Ada]PW[Bob]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]" +
  "B[F5]W[D6]B[C3]W[D3]B[C4]W[F4]B[F6]W[F3]B[E6]W[E7]B[D7]W[G6]B[D8]W[C5]B[C6]W[C7]B[D2]W[B5];)";
await step("a pasted game, judged", async () => {
  await page.locator("#open summary").click();
  await page.locator("#text").fill(GAME);
  await page.locator("#reader button").click();
  await shows("black-name", /^Ada$/);
  assert.equal(await nRows(), 18);
  await page.locator("#analyze").click();
  await shows("status", /All moves are judged/);
  const losses = await page.locator("#moves tr td:nth-child(4)").allTextContents();
  assert.ok(losses.every(loss => /^\d+(\.\d\d)?$/.test(loss)), String(losses));
  await shows("losses", /Lost in all: Black \d/);
  await picture("judged");
});

await step("a cancel, and on", async () => {
  await page.goto(address + "#f5d6c3d3c4f4f6f3e6e7d7g6d8c5c6c7d2b5");
  await page.reload();
  await isReady();
  // In the page itself, for an analysis does not wait.
  await page.evaluate(() => new Promise(done => {
    const [button, progress] = ["analyze", "progress"].map(id => document.getElementById(id));
    button.click();
    const timer = setInterval(() => {
      if (progress.value === 0) return;
      clearInterval(timer);
      button.click();
      done();
    });
  }));
  await shows("status", /Stopped/);
  await page.locator("#analyze").click();
  await shows("status", /All moves are judged/);
});

await step("a cancel by shared memory", async () => {
  isIsolated = true;
  const other = await (await browser.newContext()).newPage();
  await other.goto(address);
  const answer = await other.evaluate(async () => {
    const { Othellier } = await import("./othellier/othellier.js");
    const engine = await Othellier.load();
    const answer = engine.ask({ moves: "f5", time: 1000 });
    setTimeout(() => engine.cancel(), 500);
    return [crossOriginIsolated, (await answer).canceled, (await engine.ask({ moves: "", depth: 1 })).depth];
  });
  assert.deepEqual(answer, [true, true, 1]);
  await other.close();
  isIsolated = false;
});

await step("offline, after a reload", async () => {
  await page.waitForFunction(async () => (await caches.keys()).length === 1 && navigator.serviceWorker.controller);
  await context.setOffline(true);
  await new Promise(done => server.close(done).closeAllConnections());
  await page.goto(address + "#f5");
  await page.reload();
  await isReady();
  await page.locator("#engine-side").selectOption("white");
  await shows("ply-text", /Ply 2: White .* Black to move/);
});

await step("360 pixels, dark", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("#open summary").click();
  await page.locator("#scores").click();
  await page.waitForFunction(() => [...document.querySelectorAll(".board .score")].some(label => label.textContent));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360);
  await picture("phone");
});
await browser.close();

#!/usr/bin/env node
// Asks `othellier json` for the best move of positions, as many at a time as it has searches.
//
//     scores.mjs [OTHELLIER]      by default: othellier
//
// Copy the class: it needs nothing but Node.js.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export class Othellier {
  constructor(command = "othellier") {
    this.process = spawn(command, ["json"], { stdio: ["pipe", "pipe", "inherit"] });
    this.waiting = new Map();
    this.n = 0;
    this.end = undefined;
    const end = (error) => {
      this.end ??= error;
      this.waiting.forEach((request) => request.reject(this.end));
      this.waiting.clear();
    };
    this.process.on("error", end);
    this.closed = new Promise((resolve) => this.process.on("close", resolve));
    this.closed.then((status) => end(new Error(`the engine has ended with status ${status}`)));
    // Whoever asks hears of it.
    this.process.stdin.on("error", () => {});
    createInterface({ input: this.process.stdout }).on("line", (line) => {
      const answer = JSON.parse(line);
      const request = this.waiting.get(answer.id);
      if (!request) return;
      if (answer.partial) return request.onReport?.(answer);
      this.waiting.delete(answer.id);
      if (answer.message) request.reject(new Error(answer.message));
      else request.resolve(answer);
    });
  }

  /** Resolves to the answer; `onReport` sees the reports before it. */
  ask(request, onReport) {
    const id = ++this.n;
    if (this.end) return Object.assign(Promise.reject(this.end), { id });
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, onReport }));
    this.process.stdin.write(JSON.stringify({ ...request, id }) + "\n");
    return Object.assign(answer, { id });
  }

  cancel(id) {
    this.process.stdin.write(JSON.stringify({ action: "cancel", ids: id }) + "\n");
  }

  close() {
    this.process.stdin.end();
    return this.closed;
  }
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const engine = new Othellier(process.argv[2]);
  const games = ["f5", "f5d6", "f5d6c3", "f5d6c3d3"];
  const answers = await Promise.all(games.map((moves) => engine.ask({ moves, depth: 10 })));
  answers.forEach(({ move, score }, index) => console.log(`${games[index]}: ${move} ${score}`));
  process.exitCode = await engine.close();
}

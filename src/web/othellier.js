// The engine in workers, for browsers and Node.js: docs/web.md explains it, othellier.d.ts declares it.

export const isNode = typeof process === "object" && Boolean(process.versions?.node);

/* The length of othellier.wasm in bytes: a server need not tell it. */
const LENGTH = 0;

async function load(url, onProgress) {
  if (isNode && url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  const parts = [];
  let loaded = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    parts.push(value);
    loaded += value.length;
    onProgress?.(loaded, Math.max(LENGTH, loaded));
  }
}

/* An instance of the module: a function that passes a text or bytes to an export, which calls `say` with what it tells. */
export async function instantiate(module, hash, isCanceled, say) {
  const imports = {
    canceled: () => Number(isCanceled()),
    milliseconds: () => performance.now(),
    say: (at, length, kind) =>
      say(kind, () => new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, length))),
  };
  const { exports } = await WebAssembly.instantiate(module, { othellier: imports });
  const state = exports.othellier_new(hash);
  const call = (name, input) => {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    const at = exports.othellier_input(state, bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    exports["othellier_" + name](state);
  };
  return Object.assign(call, { memory: exports.memory });
}

/* A worker that is loaded; `hear` gets its messages, `fail` an error that ends it. */
async function startWorker(setup, hear, fail) {
  const { Worker } = isNode ? await import("node:worker_threads") : globalThis;
  // The options of Node.js that concern its main module would be wrong there.
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", execArgv: [] });
  if (isNode) worker.on("message", hear).on("error", fail);
  else {
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = ({ message }) => fail(new Error(message || "worker.js cannot be loaded"));
  }
  worker.postMessage(setup);
  return worker;
}

/* The keys of a request that concern the queue. */
function keysOf(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

export class Othellier {
  #setup;
  #rules;
  #slots = [];
  #waiting = [];
  #end;

  /** Loads the module and starts the workers. */
  static async load({ workers = 1, hash = 64, url = "./othellier.wasm", shared = isNode || globalThis.crossOriginIsolated, onProgress } = {}) {
    const module = await WebAssembly.compile(await load(new URL(url, import.meta.url), onProgress));
    const engine = new Othellier();
    let told;
    // What it is asked is canceled from the start, so that it searches nothing.
    const call = await instantiate(module, hash, () => true, (_, text) => told.push(JSON.parse(text())));
    engine.#rules = (name, input) => {
      told = [];
      call(name, input);
      return told;
    };
    engine.#setup = { module, hash, shared: Boolean(shared) };
    engine.#slots = Array.from({ length: workers }, () => ({ turn: 0 }));
    await Promise.all(engine.#slots.map(slot => engine.#start(slot)));
    return engine;
  }

  /** Resolves to the answer, of a request with `plies` to the list of answers; `onReport` gets what comes before. */
  async ask(request, { onReport } = {}) {
    const text = typeof request === "string" ? request : String(JSON.stringify(request));
    const { id = null, game = null, priority = 0, plies } = keysOf(text);
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      const job = { text, id, game, isList: plies !== undefined, onReport, resolve, reject, answers: [] };
      job.priority = Number(priority) || 0;
      const at = this.#waiting.findIndex(other => other.priority < job.priority);
      this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, job);
      this.#next();
    });
  }

  /** Ends the requests with this id or these ids, or all: they answer what they have. */
  cancel(ids) {
    const isMeant = job => job && (ids === undefined || [ids].flat().includes(job.id));
    const canceled = this.#waiting.filter(isMeant);
    this.#waiting = this.#waiting.filter(job => !isMeant(job));
    canceled.forEach(job => this.#settle(job, this.#rules("ask", job.text)));
    for (const slot of this.#slots.filter(({ job }) => isMeant(job))) {
      if (slot.flag) Atomics.store(slot.flag, 0, slot.turn);
      else this.#replace(slot);
    }
  }

  /** The position after a list of moves, which a start position may precede, and what may be played there. */
  game(text) {
    const [game] = this.#rules("game", text);
    if (game.message) throw new Error(game.message);
    return game;
  }

  /** The games of a text or of the bytes of a file, in any format. */
  read(file) {
    const [found] = this.#rules("read", file);
    if (found.message) throw new Error(found.message);
    return found;
  }

  /** Ends the workers; requests without an answer are rejected. */
  terminate() {
    this.#fail(new Error("the engine is terminated"));
  }

  #fail(error) {
    this.#end ??= error;
    for (const { job, worker } of this.#slots) {
      worker?.terminate();
      job?.reject(this.#end);
    }
    this.#waiting.forEach(job => job.reject(this.#end));
    this.#slots = this.#waiting = [];
  }

  #start(slot) {
    const { shared, ...setup } = this.#setup;
    slot.flag = shared ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
    slot.worker = undefined;
    // What an ended worker has still sent is too late.
    const number = slot.number = (slot.number ?? 0) + 1;
    return new Promise((resolve, reject) => {
      const fail = error => {
        reject(error);
        if (slot.number === number) this.#fail(error);
      };
      const hear = message => {
        if (slot.number !== number) return;
        if (message.fault) fail(new Error(message.fault));
        else if (message.isReady) {
          slot.isReady = true;
          // An idle engine lets Node.js end.
          slot.worker.unref?.();
          resolve();
          this.#next();
        } else this.#hear(slot, message);
      };
      startWorker({ ...setup, flag: slot.flag }, hear, fail).then(worker => {
        slot.worker = worker;
        if (this.#end) worker.terminate();
      }, fail);
    });
  }

  #next() {
    for (const slot of this.#slots.filter(({ isReady, job }) => isReady && !job)) {
      const isKnown = game => this.#slots.some(other => other !== slot && other.game === game);
      const at = this.#waiting.findIndex(({ game }) => game === null || !isKnown(game));
      if (at < 0) continue;
      [slot.job] = this.#waiting.splice(at, 1);
      slot.game = slot.job.game ?? undefined;
      slot.turn++;
      slot.worker.ref?.();
      slot.worker.postMessage({ text: slot.job.text, turn: slot.turn });
    }
  }

  #hear(slot, { kind, text, isDone }) {
    const { job } = slot;
    if (isDone) {
      slot.job = undefined;
      slot.worker.unref?.();
      this.#settle(job, job.answers);
      this.#next();
    } else if (kind === 0) {
      const answer = JSON.parse(text);
      job.answers.push(answer);
      job.report = undefined;
      if (job.isList && answer.message === undefined) job.onReport?.(answer);
    } else {
      job.report = text;
      if (kind === 1) job.onReport?.(JSON.parse(text));
    }
  }

  /* Where no memory is shared, a search is ended from outside: what it has found is its last report. */
  #replace(slot) {
    const { job, worker } = slot;
    Object.assign(slot, { job: undefined, game: undefined, isReady: false });
    worker.terminate();
    const answers = [...job.answers, ...this.#rules("ask", job.text).slice(job.answers.length)];
    if (job.report && job.answers.length < answers.length) {
      const { partial, ...report } = JSON.parse(job.report);
      answers[job.answers.length] = { ...report, canceled: true };
    }
    this.#settle(job, answers);
    this.#start(slot).catch(() => {});
  }

  #settle(job, answers) {
    const refused = answers.find(({ message }) => message !== undefined);
    if (refused) job.reject(Object.assign(new Error(refused.message), { id: refused.id }));
    else job.resolve(job.isList ? answers : answers[0]);
  }
}

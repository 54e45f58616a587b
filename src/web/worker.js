// One search at a time. Who starts it sends requests, each with a number, and writes the number into the flag to cancel it.

import { instantiate, isNode } from "./othellier.js";

const port = isNode ? (await import("node:worker_threads")).parentPort : self;
let call, flag, turn = 0;

const isCanceled = () => turn > 0 && flag !== undefined && Atomics.load(flag, 0) === turn;

/* Reports that are not due (2) count only where a search may be ended from outside. */
const say = (kind, text) => {
  if (turn > 0 && (kind !== 2 || flag === undefined)) port.postMessage({ kind, text: text() });
};

async function obey({ module, hash, flag: shared, text, turn: number }) {
  if (module) {
    flag = shared;
    call = await instantiate(module, hash, isCanceled, say);
    // The first search unpacks the weights: that is part of loading, and nobody has asked for its answer.
    call("ask", '{"moves":"","depth":1}');
    port.postMessage({ isReady: true });
  } else {
    turn = number;
    call("ask", text);
    port.postMessage({ isDone: true });
  }
}

port.onmessage = ({ data }) => obey(data).catch(error => port.postMessage({ fault: String(error) }));

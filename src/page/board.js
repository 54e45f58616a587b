"use strict";
/* What all pages share: making elements, turning discs, the board and its buttons, the list of moves. */

const EMPTY = 0, BLACK = 1, WHITE = 2;
const COLORS = ["", "black", "white"];
const NAMES = ["", "Black", "White"];
const DIRECTIONS = [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

const byId = id => document.getElementById(id);
/* Not every page has a board. */
const SVG = byId("board")?.namespaceURI;

/* Making elements. Texts are set as text only: names are what the players say they are. */

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const signed = (number, decimals) => {
  const text = Math.abs(number).toFixed(decimals);
  return (Number(text) === 0 ? "" : number < 0 ? "\u2212" : "+") + text;
};

function turnedBy(cells, square, side) {
  const turned = [];
  for (const [right, down] of DIRECTIONS) {
    const line = [];
    let x = square % 8 + right, y = (square >> 3) + down;
    const inside = () => x >= 0 && x < 8 && y >= 0 && y < 8;
    while (inside() && cells[8 * y + x] === 3 - side) {
      line.push(8 * y + x);
      x += right;
      y += down;
    }
    if (inside() && cells[8 * y + x] === side) turned.push(...line);
  }
  return turned;
}

/* A position: its cells, who moves next, and the move that led to it. Moves are `f5`, or `pa` for a pass. */

function startPosition(text) {
  const cells = Array.from(text.slice(0, 64), cell => cell === "X" ? BLACK : cell === "O" ? WHITE : EMPTY);
  return { cells, next: text[65] === "O" ? WHITE : BLACK, mover: EMPTY, move: "", square: -1, turned: [] };
}

const moveName = move => move === "pa" ? "pass" : move;
const squareOf = move => move === "pa" ? -1 : move.charCodeAt(0) - 97 + 8 * (move.charCodeAt(1) - 49);

function after(position, move) {
  const side = position.next;
  const made = { cells: position.cells, next: 3 - side, mover: side, move, square: -1, turned: [] };
  if (move !== "pa") {
    made.square = squareOf(move);
    made.turned = turnedBy(made.cells, made.square, side);
    made.cells = made.cells.slice();
    for (const square of [made.square, ...made.turned]) made.cells[square] = side;
  }
  return made;
}

/* The board. */

/* Keys and buttons that lead so many plies further. */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const BUTTONS = [["first", "next", -Infinity], ["previous", "next", -1], ["next", "previous", 1], ["last", "previous", Infinity]];

/* Its buttons call `step` with a number of plies. */
const squares = [];
function makeBoard(step) {
  for (const [id, back, plies] of BUTTONS) onButton(id, back, () => step(plies));
  const board = byId("board");
  for (let index = 0; index < 8; index++) {
    for (const [text, x, y] of [["abcdefgh"[index], 10 * index + 5, -3], [index + 1, -3, 10 * index + 5]]) {
      const label = shape("text", { x, y });
      label.textContent = text;
      board.append(label);
    }
  }
  for (let square = 0; square < 64; square++) {
    const x = 10 * (square % 8), y = 10 * (square >> 3);
    const piece = shape("circle", { class: "piece", cx: x + 5, cy: y + 5, r: 4.1 });
    const mark = shape("circle", { class: "mark", cx: x + 5, cy: y + 5, r: 1.5 });
    board.append(shape("rect", { x, y, width: 10, height: 10 }));
    squares.push({ piece, mark });
  }
  for (const [x, y] of [[20, 20], [60, 20], [20, 60], [60, 60]]) {
    board.append(shape("circle", { class: "point", cx: x, cy: y, r: 0.9 }));
  }
  for (const { piece, mark } of squares) board.append(piece, mark);
}

/* What a position looks like, and whose turn it is. `markOf` says how else an empty square is marked. */
function drawPosition(position, isOver, markOf = () => "") {
  const turned = new Set(position.turned);
  const counts = [0, 0, 0];
  squares.forEach(({ piece, mark }, square) => {
    const cell = position.cells[square];
    counts[cell]++;
    piece.setAttribute("class", "piece " + COLORS[cell]);
    const kind = square === position.square ? " last" : turned.has(square) ? " turned" : cell === EMPTY ? markOf(square) : "";
    mark.setAttribute("class", "mark" + kind);
  });
  for (const color of [BLACK, WHITE]) {
    byId(COLORS[color] + "-discs").textContent = counts[color];
    byId(COLORS[color] + "-name").parentElement.classList.toggle("moves-next", !isOver && position.next === color);
  }
}

/* Marks a ply in the list of moves and scrolls to it: only the list, never the page. */
function showRow(ply) {
  const list = byId("moves"), box = list.closest(".moves");
  for (const row of list.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
  if (ply === 0) {
    box.scrollTop = 0;
    return;
  }
  const first = list.rows[0], row = list.rows[ply - 1];
  row.setAttribute("aria-current", "true");
  const top = row.offsetTop - first.offsetTop;
  if (top < box.scrollTop || top + 2 * row.offsetHeight > box.scrollTop + box.clientHeight - first.offsetTop) {
    box.scrollTop = top - box.clientHeight / 2;
  }
}

function showSteps(ply, nPlies) {
  byId("first").disabled = byId("previous").disabled = ply === 0;
  byId("next").disabled = byId("last").disabled = ply === nPlies;
}

/* The address says what is shown. */
function setAddress(fragment) {
  try {
    history.replaceState(null, "", fragment);
  } catch {
    // A browser may forbid it for files or when it comes too often: then the address stays behind.
  }
}

/* A button that becomes disabled loses the focus, and the keys with it: the one that leads back gets it. */
function keepFocus(button, back) {
  if (button.disabled) byId(back).focus();
}

function onButton(id, back, action) {
  byId(id).addEventListener("click", () => {
    action();
    keepFocus(byId(id), back);
  });
}

/* A time in seconds since 1970. */
const day = seconds => new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");

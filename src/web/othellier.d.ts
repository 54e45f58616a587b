/** A request as in docs/json.md. Without a limit it takes 0.4 s. */
export interface Request {
  id?: string | number | null;
  /** 64 cells and the side to move. */
  position?: string;
  /** Instead of a position: `f5d6c3`; passes need not be written, but for a last one, `pa`. */
  moves?: string;
  /** Where the moves begin. */
  start?: string;
  /** The positions after so many moves, each with an answer of its own. */
  plies?: "all" | number[];
  /** Plies, 1 to 60. */
  depth?: number;
  /** Seconds. */
  time?: number;
  nodes?: number;
  /** To the end of the game. */
  exact?: boolean;
  /** Who wins. */
  wld?: boolean;
  /** Whether the score is below, within or above. */
  window?: [number, number];
  /** In percent. */
  confidence?: number;
  /** How many of the best moves. */
  lines?: "all" | number;
  /** Squares to play on, or not: `d3 c4`. */
  allow?: string;
  avoid?: string;
  /** Seconds between reports. */
  report_every?: number;
  /** A move as an opponent of this strength chooses it, 1 to 60, or of this Elo rating; the seed decides its errors. */
  strength?: number;
  elo?: number;
  seed?: number;
  /** Requests of the same game profit from each other. */
  game?: string;
  /** Of the requests that wait, higher ones come first. */
  priority?: number;
  /** Only in a module that was made with the book. */
  book?: boolean;
  action?: "version";
}

/** A move such as `f5`, or `pa` for a pass, and its score in discs for the side to move. */
export interface Scored {
  move: string;
  score: number;
}

export interface Answer {
  id: string | number | null;
  ply?: number;
  position: string;
  assumed?: "black";
  /** `null` if the game is over; missing, with all below, from what was canceled before it began. */
  move?: string | null;
  score?: number;
  bound?: "lower" | "upper";
  lower?: number;
  upper?: number;
  depth?: number;
  confidence?: number;
  exact?: boolean;
  nodes?: number;
  time?: number;
  /** The expected moves. */
  pv?: string[];
  moves?: Scored[];
  book?: Scored[];
  partial?: true;
  canceled?: true;
}

export interface Game {
  start: string;
  /** With passes, `pa`. */
  moves: string[];
  position: string;
  side: "black" | "white";
  /** What may be played: empty if the game is over, `["pa"]` if the side must pass. */
  legal: string[];
  discs: { black: number; white: number };
  over: boolean;
  /** Black's discs minus White's, empty squares for the winner; `null` while the game goes on. */
  result: number | null;
}

/** A game of a file. One that is illegal has a message, and what is legal of it. */
export interface ReadGame extends Partial<Game> {
  black?: string;
  white?: string;
  place?: string;
  event?: string;
  date?: string;
  /** The result by the file or the board. */
  score?: number | null;
  message?: string;
}

export interface Options {
  /** Searches at a time, by default 1. */
  workers?: number;
  /** Size of each one's table in MiB, by default 64. */
  hash?: number;
  /** Where othellier.wasm is, by default beside othellier.js. */
  url?: string | URL;
  /** Whether a search is canceled by shared memory, by default where there is some. */
  shared?: boolean;
  /** Bytes of othellier.wasm. */
  onProgress?(loaded: number, total: number): void;
}

export class Othellier {
  private constructor();
  static load(options?: Options): Promise<Othellier>;
  /** With `plies` the answers are a list, and `onReport` gets each of them besides the reports. */
  ask(request: Request & { plies: "all" | number[] }, options?: { onReport?(report: Answer): void }): Promise<Answer[]>;
  ask(request: Request | string, options?: { onReport?(report: Answer): void }): Promise<Answer>;
  /** Requests with this id or these ids, or all, answer what they have. */
  cancel(ids?: string | number | null | (string | number | null)[]): void;
  terminate(): void;
  /** The position after moves, `f5d6c3`, which a start position may precede. */
  game(text: string): Game;
  /** The games of a text or of the bytes of a file, and what was passed over. */
  read(file: string | Uint8Array): { games: ReadGame[]; left_out: string | null };
}

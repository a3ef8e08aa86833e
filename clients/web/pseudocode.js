/** The searches in pseudocode, and the line that each kind of step carries out. */

/** @typedef {import("./protocol").TraceSettings["search"]} SearchName */

const MINIMAX = [
  "value(node, depth):",
  "  if depth = 0 or the game is over: return its worth",
  "  for each move:",
  "    v ← value(after the move, depth − 1)",
  "    best ← max of best and v (MIN: min)",
  "  return best",
];
const ALPHABETA = [
  "value(node, depth, α, β):",
  "  if depth = 0 or the game is over: return its worth",
  "  for each move:",
  "    v ← value(after the move, depth − 1, α, β)",
  "    MAX: α ← max(α, v)   MIN: β ← min(β, v)",
  "    if α ≥ β: stop here (cut-off)",
  "  return the best v",
];
const CHANCE = ["  at a roll: return Σ probability × value"];
const MCTS = [
  "repeat:",
  "  select: go down to the child with the highest",
  "    mean + 0.7 √(ln N / n)",
  "  expand: add a move that was not tried yet",
  "  play out: random moves to the end",
  "  back up: the result to every node of the path",
];
const MAXN = [
  "shares(node, depth):",
  "  if depth = 0 or the game is over: return all shares",
  "  for each move:",
  "    s ← shares(after the move, depth − 1)",
  "    keep s if the mover's own share is larger",
  "  return the shares kept",
];

/** @type {Record<SearchName, string[]>} */
const CODE = {
  minimax: MINIMAX,
  alphabeta: ALPHABETA,
  sorted: [...ALPHABETA.slice(0, 2), "  for each move, most promising first:", ...ALPHABETA.slice(3)],
  deepening: ["for depth = 1, 2, 3, …:", ...ALPHABETA.map((line) => `  ${line}`)],
  mcts: MCTS,
  expectiminimax: [...MINIMAX, ...CHANCE],
  star1: [...ALPHABETA, ...CHANCE],
  maxn: MAXN,
  korf: [...MAXN.slice(0, 5), "    if the player above gets too little: stop here", MAXN[5]],
};

/** @type {Record<string, number>} the line of each step, by its letter */
const PLAIN = { "+": 3, "-": 4, x: 5 };

/** @param {SearchName} search */
export const codeOf = (search) => CODE[search];

/** The number of the line that a step carries out, or -1. @param {SearchName} search @param {string} letter */
export function lineOf(search, letter) {
  if (search === "mcts") return { s: 1, "+": 3, p: 4, b: 5 }[letter] ?? -1;
  if (search === "deepening") return letter === "d" ? 0 : (PLAIN[letter] ?? -2) + 1;
  return PLAIN[letter] ?? -1;
}

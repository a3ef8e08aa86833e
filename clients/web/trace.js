/** A recorded search, replayed line by line: its tree, its counts, and what each step means. Without DOM. */

import { counted, number as written, t } from "./studytexts.js";
import { parsePosition } from "./position.js";

/** @typedef {import("./protocol").Traced} Traced */
/** @typedef {import("./protocol").TraceSettings} TraceSettings */
/**
 * A node of the tree. `value` is empty until the search leaves it; `entered` is the step that enters it.
 * @typedef {{id: number, parent: number, move: string, turn: number, depth: number, entered: number, children: number[], size: number,
 *   root: number, chance: string, alpha: string, beta: string, value: string, best: string, pruned: number, visits: number, mean: number,
 *   bound: string}} TraceNode
 */
/** @typedef {{nodes: number, leaves: number, cuts: number, pruned: number, deepest: number, playouts: number}} Counts */

/** Scores from here on are of a decided game: 10,000 less one for each ply. */
const DECIDED = 9000;
const WON = 10_000;
const NONE = "*";

/** @type {Record<import("./protocol").TraceSettings["search"], string>} */
export const SEARCHES = {
  minimax: "Minimax",
  alphabeta: t("Alpha-beta"),
  sorted: t("Alpha-beta, sorted moves"),
  deepening: t("Iterative deepening"),
  mcts: t("Monte Carlo tree search"),
  expectiminimax: t("Expectiminimax"),
  star1: t("Expectiminimax with Star1"),
  maxn: t("Maxⁿ"),
  korf: t("Maxⁿ with shallow pruning"),
};

export class Trace {
  /** @param {Traced} traced @param {TraceSettings} settings */
  constructor(traced, settings) {
    this.settings = settings;
    this.report = traced.report;
    this.positions = traced.positions;
    this.lines = traced.lines.filter((line) => line !== "~");
    /** Whether the search took more steps than are shown. */
    this.isCut = this.lines.length < traced.lines.length;
    this.seat = parsePosition(traced.position).turn;
    /** @type {TraceNode[]} every node of the whole recording */
    this.all = [];
    /** The range of the values that are no wins or losses. */
    this.low = Infinity;
    this.high = -Infinity;
    /** The numbers in each value. */
    this.parts = 1;
    /** Steps shown so far, nodes entered by them, and the node that the search is at, -1 for none. */
    this.step = 0;
    this.entered = 0;
    this.current = -1;
    this.iteration = 0;
    /** @type {Counts} */
    this.counts = { nodes: 0, leaves: 0, cuts: 0, pruned: 0, deepest: 0, playouts: 0 };
    /** What the last line means, and its letter. */
    this.words = "";
    this.letter = "";
    this.#plan();
    this.#reset();
  }

  /** Find every node, and the sizes of the subtrees. */
  #plan() {
    for (const [step, line] of this.lines.entries()) {
      const [letter, ...words] = line.split(" ");
      if (letter === "-") {
        this.parts = words[1].split(",").length;
        const value = Number(words[1]);
        if (Math.abs(value) < DECIDED) {
          this.low = Math.min(this.low, value);
          this.high = Math.max(this.high, value);
        }
      }
      if (letter !== "+") continue;
      const parent = Number(words[0]);
      const id = this.all.length;
      const above = this.all[parent];
      above?.children.push(id);
      const position = this.positions[id] ?? "";
      this.all.push({
        id,
        parent,
        move: words[1],
        turn: parsePosition(position).turn,
        depth: above ? above.depth + 1 : 0,
        entered: step + 1,
        children: [],
        size: 1,
        root: above ? above.root : id,
        chance: words[4] ?? "",
        alpha: words[2],
        beta: words[3],
        value: "",
        best: NONE,
        pruned: 0,
        visits: 0,
        mean: 0,
        bound: NONE,
      });
    }
    for (let id = this.all.length - 1; id > 0; id--) {
      const { parent, size } = this.all[id];
      if (parent >= 0) this.all[parent].size += size;
    }
  }

  get length() {
    return this.lines.length;
  }

  /** Whether the search prunes by a window. */
  get isWindowed() {
    return ["alphabeta", "sorted", "deepening", "star1"].includes(this.settings.search);
  }

  /** Show the search after `step` lines. @param {number} step */
  seek(step) {
    const wanted = Math.max(0, Math.min(step, this.length));
    if (wanted < this.step) this.#reset();
    while (this.step < wanted) this.#advance();
  }

  #reset() {
    this.step = 0;
    this.entered = 0;
    this.current = -1;
    this.iteration = 0;
    this.counts = { nodes: 0, leaves: 0, cuts: 0, pruned: 0, deepest: 0, playouts: 0 };
    this.words = t("The search begins at the position on the board. Press play, or step.");
    this.letter = "";
    for (const node of this.all) {
      const line = this.lines[node.entered - 1].split(" ");
      Object.assign(node, { value: "", best: NONE, pruned: 0, visits: 0, mean: 0, bound: NONE });
      Object.assign(node, { alpha: line[3], beta: line[4] });
    }
  }

  #advance() {
    const [letter, ...words] = this.lines[this.step].split(" ");
    this.step++;
    this.letter = letter;
    const { counts } = this;
    if (letter === "d") {
      this.iteration = Number(words[0]);
      this.current = -1;
      this.words = counted(
        this.iteration,
        "A new iteration looks {count} ply ahead, best move of the last one first.",
        "A new iteration looks {count} plies ahead, best move of the last one first.",
      );
      return;
    }
    const node = this.all[letter === "+" ? this.entered : Number(words[0])];
    const above = this.all[node.parent];
    switch (letter) {
      case "+":
        this.entered = node.id + 1;
        this.current = node.id;
        if (above) counts.nodes++;
        counts.deepest = Math.max(counts.deepest, node.depth);
        this.words = this.#entered(node);
        break;
      case "-":
        node.value = words[1];
        if (!node.children.length && !node.pruned) counts.leaves++;
        if (above) Object.assign(above, { best: words[2], alpha: words[3], beta: words[4] });
        this.current = node.parent;
        this.words = this.#left(node, above);
        break;
      case "x":
        node.pruned += Number(words[1]);
        counts.cuts++;
        counts.pruned += Number(words[1]);
        this.words = this.#cut(node, Number(words[1]));
        break;
      case "s":
        this.current = node.id;
        node.bound = words[1];
        this.words =
          words[1] === NONE
            ? t("The dice show {roll}, where the search has been before.", { roll: node.move })
            : t("Select {move}: its upper confidence bound {bound} is the highest here.", { move: node.move, bound: short(words[1]) });
        break;
      case "p":
        counts.playouts++;
        this.words = this.#played(node, Number(words[1]), words[2]);
        break;
      default: {
        node.visits = Number(words[1]);
        node.mean = Number(words[2]);
        this.current = node.parent;
        const move = above ? node.move : t("The root");
        const { visits } = node;
        const mean = short(words[2]);
        this.words =
          above && above.turn >= 0
            ? counted(
                visits,
                "Back up: {move} has {count} visit now, with a mean of {mean} for its mover.",
                "Back up: {move} has {count} visits now, with a mean of {mean} for its mover.",
                { move, mean },
              )
            : counted(visits, "Back up: {move} has {count} visit now.", "Back up: {move} has {count} visits now.", { move });
      }
    }
  }

  /** The role of a node: `max`, `min`, `chance`, or `seat` where each player maximises its own value. @param {TraceNode} node */
  role(node) {
    if (node.turn < 0) return "chance";
    if (["maxn", "korf", "mcts"].includes(this.settings.search)) return "seat";
    return node.turn === this.seat ? "max" : "min";
  }

  /** @param {TraceNode} node */
  #entered(node) {
    const { move, chance } = node;
    if (node.parent < 0) return t("The root: player {number} is to move.", { number: node.turn + 1 });
    if (this.settings.search === "mcts") return t("Expand: {move} is tried for the first time.", { move });
    if (chance) return t("Look at the roll {roll}, whose probability is {chance}.", { roll: move, chance });
    if (!this.isWindowed) return t("Look at {move}.", { move });
    const window = { alpha: short(node.alpha), beta: short(node.beta) };
    return t("Look at {move}, with the window from {alpha} to {beta}.", { move, ...window });
  }

  /** @param {TraceNode} node @param {TraceNode | undefined} above */
  #left(node, above) {
    const value = this.say(node.value);
    const leaf = !node.children.length && !node.pruned;
    const found = leaf
      ? isDecided(node.value)
        ? t("The game ends here: {value}.", { value })
        : t("No deeper: this position is worth {value}.", { value })
      : t("{move} is worth {value}.", { move: node.parent < 0 ? t("The root") : node.move, value });
    if (!above) return `${found} ${t("The search is done.")}`;
    const role = this.role(above);
    if (role === "chance") return `${found} ${t("The mean needs every roll.")}`;
    if (above.best === NONE) return found;
    const who = { max: "MAX", min: "MIN", seat: t("Player {number}", { number: above.turn + 1 }) }[role];
    return `${found} ${t("{who} has {value} here so far.", { who, value: this.say(above.best) })}`;
  }

  /** @param {TraceNode} node @param {number} count */
  #cut(node, count) {
    const rest = counted(count, "the other move need not be looked at.", "the {count} other moves need not be looked at.");
    const role = this.role(node);
    if (role === "chance")
      return counted(
        count,
        "Cut-off: no roll can bring the mean back into the window; {count} roll left out.",
        "Cut-off: no roll can bring the mean back into the window; {count} rolls left out.",
      );
    const window = { alpha: short(node.alpha), beta: short(node.beta) };
    const why =
      role === "seat"
        ? t("Shallow cut-off: player {number} takes so much here that the player above avoids it", { number: node.turn + 1 })
        : role === "max"
          ? t("Beta cut-off: {alpha} ≥ {beta}, MIN avoids this position", window)
          : t("Alpha cut-off: {beta} ≤ {alpha}, MAX avoids this position", window);
    return `${why}; ${rest}`;
  }

  /** @param {TraceNode} node @param {number} plies @param {string} rewards */
  #played(node, plies, rewards) {
    const got = rewards.split(",").map(Number);
    const winner = got.indexOf(1);
    const { move } = node;
    const result = winner < 0 ? t("a draw") : t("a win for player {number}", { number: winner + 1 });
    return plies
      ? counted(
          plies,
          "Playout: a random game of {count} move from {move} ends in {result}.",
          "Playout: a random game of {count} moves from {move} ends in {result}.",
          { move, result },
        )
      : t("The game ends at {move}, in {result}.", { move, result });
  }

  /** A value in words. @param {string} value */
  say(value) {
    const decided = ending(value);
    if (!decided) return short(value);
    const { won, plies } = decided;
    return won ? t("a win in {plies}", { plies }) : t("a loss in {plies}", { plies });
  }

  /** The text under a node. @param {TraceNode} node */
  label(node) {
    if (this.settings.search === "mcts") {
      const isMoved = (this.all[node.parent]?.turn ?? -1) >= 0;
      return node.visits ? `${node.visits}${isMoved ? `·${short(String(node.mean))}` : ""}` : "";
    }
    const value = node.value || node.best;
    if (value === NONE || value === "-inf" || value === "inf") return "";
    const decided = ending(value);
    if (!decided) return short(value);
    const { won, plies } = decided;
    return won ? t("W{plies}", { plies }) : t("L{plies}", { plies });
  }

  /** The node that the search is at; before and after it, the root of the newest iteration. */
  get focus() {
    return this.all[this.current] ?? this.all[this.all[Math.max(0, this.entered - 1)]?.root ?? 0];
  }

  /** The moves to a node. @param {TraceNode | undefined} node @returns {TraceNode[]} from the root on */
  path(node) {
    const found = [];
    for (let at = node; at; at = this.all[at.parent]) found.unshift(at);
    return found;
  }
}

/** @param {string} value */
const isDecided = (value) => ending(value) !== null;

/** The number of plies to a decided end, from the root. @param {string} value */
function ending(value) {
  if (value.includes(",")) return null;
  const number = Number(value);
  if (!Number.isFinite(number) || Math.abs(number) < DECIDED) return null;
  return { won: number > 0, plies: WON - Math.abs(number) };
}

/** A number of a line; NaN for none. @param {string} value */
export const numberOf = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : Number(value));

/** A number in few characters; the shares of several players in percent. @param {string} value */
export function short(value) {
  if (value.includes(",")) {
    const shares = value.split(",").map(Number);
    const whole = shares.reduce((sum, share) => sum + share, 0);
    return shares.map((share) => Math.round((100 * share) / whole)).join(":");
  }
  const number = numberOf(value);
  if (number === Infinity) return "∞";
  if (number === -Infinity) return "−∞";
  if (!Number.isFinite(number)) return "–";
  const decided = ending(value);
  if (decided) return decided.won ? t("win in {plies}", { plies: decided.plies }) : t("loss in {plies}", { plies: decided.plies });
  return written(Math.round(number * 100) / 100).replace("-", "−");
}

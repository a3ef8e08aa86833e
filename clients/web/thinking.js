/** Watch a search think: one or two textbook searches of a small position, step by step. An analyst bot runs them. */

import { button, fill, h, set } from "./dom.js";
import { icon } from "./icons.js";
import { counted, t } from "./studytexts.js";
import { Pane } from "./pane.js";
import { movesAmong } from "./position.js";
import { partsOf } from "./route.js";
import { SEARCHES } from "./trace.js";
import { optionText } from "./words.js";

/** @typedef {import("./protocol").TraceSettings} TraceSettings */
/** @typedef {{game: string, options: Record<string, number | boolean | null>, moves: string[]}} Start */

/** @type {[string, Start["options"], number][]} small boards, each with a depth that shows much and takes little */
const BOARDS = [
  ["trapgrid", { size: 3 }, 4],
  ["trapgrid", { size: 4 }, 5],
  ["trapgrid", { size: 5 }, 5],
  ["isolation", { width: 3, height: 3 }, 2],
  ["isolation", { width: 4, height: 4 }, 2],
  ["isolation", { width: 3, height: 3, dice: true }, 3],
  ["isolation", { width: 3, height: 3, players: 3 }, 2],
  ["quoridor", { size: 3 }, 2],
  ["bamboo", { radius: 1 }, 2],
  ["bamboo", { radius: 2 }, 2],
];
const DEPTHS = [1, 2, 3, 4, 5, 6, 8];
const PLAYOUTS = [10, 20, 50, 100, 200];
const SPEEDS = /** @type {const} */ ([
  [t("slow"), 1400],
  [t("medium"), 500],
  [t("fast"), 120],
  [t("very fast"), 16],
]);

/** @param {string} hash what `thinkingOf` in actions.js made, or a part of it @returns {Start | null} */
function startOf(hash) {
  const [, , game, options = "", moves = ""] = partsOf(hash);
  if (!game) return null;
  const pairs = options.split(",").filter(Boolean).map((pair) => pair.split("="));
  const value = (/** @type {string} */ word) =>
    word === "true" || word === "false" ? word === "true" : word === "null" ? null : Number(word);
  return {
    game,
    options: Object.fromEntries(pairs.map(([name, word]) => [name, value(word ?? "null")])),
    moves: moves.split(",").filter(Boolean),
  };
}

export class ThinkingView {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.given = startOf(location.hash);
    this.boards = [...BOARDS];
    if (this.given && (this.given.moves.length || !this.#preset(this.given)))
      this.boards.unshift([this.given.game, this.given.options, BOARDS.find(([name]) => name === this.given?.game)?.[2] ?? 2]);
    this.step = 0;
    this.timer = 0;
    this.panes = /** @type {Pane[]} */ ([]);
    this.abort = new AbortController();
    const { signal } = this.abort;
    const onChange = () => this.#ask();
    this.board = choice(t("Board"), [], () => this.#changedBoard());
    this.first = choice(t("Search"), [], onChange);
    this.second = choice(t("Beside it"), [], onChange);
    this.depth = choice(t("Depth"), [], onChange);
    this.playouts = choice(
      t("Random games"),
      PLAYOUTS.map((count) => [String(count), String(count)]),
      onChange,
    );
    this.playouts.select.value = "20";
    this.speed = choice(
      t("Speed"),
      SPEEDS.map(([name], index) => [String(index), name]),
      () => this.#isPlaying() && this.#play(),
    );
    this.speed.select.value = "1";
    this.pace = choice(
      t("Pace"),
      [
        ["steps", t("the same steps")],
        ["shares", t("end together")],
      ],
      () => this.#draw(),
    );
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: "0",
      "aria-label": t("Step of the search"),
      on: { input: () => this.#go(Number(this.slider.value)) },
    });
    this.playing = button("", () => this.#toggle(), "primary", { "aria-keyshortcuts": "Space" });
    this.position = h("output.progress");
    this.verdict = h("p.comparison", { role: "status" });
    this.shown = h("div.panes");
    const tool = (/** @type {Icon} */ picture, /** @type {string} */ label, /** @type {() => void} */ go) =>
      button(icon(picture), go, "icon", { "aria-label": label, title: label });
    this.element = h(
      "div.thinking",
      h(
        "header",
        h("h1", t("Watch a search think")),
        h("p.quiet", t("Choose a small board and a search. A bot runs it as textbooks print it, and you step through what it looks at.")),
      ),
      h(
        "div.choices.panel",
        this.board.element,
        this.first.element,
        this.second.element,
        this.depth.element,
        this.playouts.element,
        this.pace.element,
      ),
      this.verdict,
      this.shown,
      h(
        "div.player.panel",
        { role: "group", "aria-label": t("Steps") },
        h(
          "div.row",
          tool("first", t("To the beginning"), () => this.#go(0)),
          tool("back", t("One step back"), () => this.#walk(-1)),
          this.playing,
          tool("on", t("One step on"), () => this.#walk(1)),
          tool("last", t("To the end"), () => this.#go(Infinity)),
        ),
        this.slider,
        this.position,
        h("div.how", this.speed.element),
      ),
      legend(),
    );
    page.link.hear(
      {
        traced: (traced) => {
          for (const pane of this.panes) pane.learn(traced);
        },
        // What is shown already needs no connection.
        online: () => {
          for (const pane of this.panes) if (!pane.trace) pane.ask();
        },
      },
      signal,
    );
    page.store.addEventListener("change", () => this.#names(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.title = `${t("Watch a search think")} · Cornered`;
    this.#names();
    this.#changedBoard();
  }

  close() {
    this.#pause();
    this.abort.abort();
    for (const pane of this.panes) pane.close();
  }

  /** @param {Start} start */
  #preset({ game, options }) {
    const same = (/** @type {Start["options"]} */ other) =>
      Object.entries(other).every(([name, value]) => options[name] === value);
    return BOARDS.find(([name, other]) => name === game && same(other));
  }

  /** Name the boards as the server does. */
  #names() {
    const { store } = this.page;
    const names = this.boards.map(([game, options], index) => {
      const title = store.title(game);
      const moves = index === 0 && this.given?.moves.length ? `, ${counted(movesAmong(this.given.moves), "after {count} move", "after {count} moves")}` : "";
      const spec = { name: game, options };
      return /** @type {[string, string]} */ ([String(index), `${title} ${optionText(spec, store.offered(game))}${moves}`]);
    });
    if (names.map(String).join() === this.named) return;
    this.named = names.map(String).join();
    this.board.offer(names);
    if (!this.given && !this.board.select.dataset.begun) this.board.select.value = "3";
    if (this.given && !this.given.moves.length && !this.board.select.dataset.begun) {
      const preset = this.#preset(this.given);
      this.board.select.value = String(preset ? this.boards.indexOf(preset) : 0);
    }
    this.board.select.dataset.begun = "true";
  }

  /** The chosen board. @returns {Start & {depth: number}} */
  #start() {
    const index = Number(this.board.select.value);
    const [game, options, depth] = this.boards[index];
    const moves = index === 0 && this.given?.moves.length ? this.given.moves : [];
    return { game, options, moves, depth };
  }

  /** Offer the searches that fit the board, and ask. */
  #changedBoard() {
    const { options, depth } = this.#start();
    const hasDice = options.dice === true;
    const isMany = Number(options.players ?? 2) > 2;
    const fitting = Object.entries(SEARCHES).filter(([name]) => {
      if (name === "expectiminimax" || name === "star1") return hasDice && !isMany;
      return !hasDice || name === "mcts" || name === "deepening";
    });
    this.first.offer(fitting, hasDice ? "expectiminimax" : isMany ? "maxn" : "alphabeta");
    this.second.offer([["", t("nothing")], ...fitting], "");
    this.depth.offer(
      DEPTHS.map((plies) => [String(plies), counted(plies, "{count} ply", "{count} plies")]),
      String(depth),
      true,
    );
    this.#ask();
  }

  /** Ask for the chosen searches. */
  #ask() {
    this.#pause();
    const start = this.#start();
    const names = [this.first.select.value, this.second.select.value].filter(Boolean);
    this.depth.element.hidden = names.every((name) => name === "mcts");
    this.playouts.element.hidden = !names.includes("mcts");
    this.pace.element.hidden = names.length < 2;
    const settings = names.map((search) => ({
      search: /** @type {TraceSettings["search"]} */ (search),
      depth: Number(this.depth.select.value),
      playouts: Number(this.playouts.select.value),
    }));
    this.step = 0;
    const before = this.panes;
    this.panes = settings.map((chosen, index) => {
      const pane = new Pane(this.page, start, chosen, {
        ready: () => this.#ready(),
        go: (one, step) => this.#goIn(one, step),
        shares: (one) => this.panes.some((other) => other !== one && !other.closed && other.question === one.question),
      });
      return before[index]?.question === pane.question ? before[index] : pane;
    });
    for (const pane of before) if (!this.panes.includes(pane)) pane.close();
    this.shown.classList.toggle("two", this.panes.length > 1);
    fill(
      this.shown,
      this.panes.map((pane) => pane.element),
    );
    this.#draw();
    for (const pane of this.panes) if (!pane.trace && !pane.isAsking) pane.ask();
  }

  #ready() {
    this.#draw();
  }

  get #length() {
    return Math.max(0, ...this.panes.map((pane) => pane.trace?.length ?? 0));
  }

  /** Where a pane is when the slider is at `step`. @param {Pane} pane */
  #stepOf(pane) {
    const own = pane.trace?.length ?? 0;
    return this.pace.select.value === "shares" && this.#length
      ? Math.round((this.step * own) / this.#length)
      : Math.min(this.step, own);
  }

  /** Show the step of one pane. @param {Pane} pane @param {number} step */
  #goIn(pane, step) {
    const own = pane.trace?.length ?? 1;
    this.#go(this.pace.select.value === "shares" ? Math.round((step * this.#length) / own) : step);
  }

  /** @param {number} step */
  #go(step) {
    this.#pause();
    this.step = Math.max(0, Math.min(step, this.#length));
    this.#draw();
  }

  /** @param {number} steps */
  #walk(steps) {
    this.#go(this.step + steps);
  }

  #isPlaying() {
    return this.timer !== 0;
  }

  #toggle() {
    if (this.#isPlaying()) this.#pause();
    else this.#play();
    this.#draw();
  }

  #play() {
    clearInterval(this.timer);
    if (this.step >= this.#length) this.step = 0;
    const [, pause] = SPEEDS[Number(this.speed.select.value)];
    this.timer = window.setInterval(() => {
      this.step = Math.min(this.step + 1, this.#length);
      if (this.step >= this.#length) this.#pause();
      this.#draw();
    }, pause);
  }

  #pause() {
    clearInterval(this.timer);
    this.timer = 0;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, dialog, textarea")) return;
    const keys = {
      ArrowRight: () => this.#walk(1),
      ArrowLeft: () => this.#walk(-1),
      Home: () => this.#go(0),
      End: () => this.#go(Infinity),
      " ": () => this.#toggle(),
    };
    const does = keys[/** @type {keyof typeof keys} */ (event.key)];
    // Space presses a button that has the focus.
    if (!does || (event.key === " " && target.closest("button, a, summary"))) return;
    event.preventDefault();
    does();
  }

  #draw() {
    const length = this.#length;
    set(this.slider, { max: length, disabled: !length });
    this.slider.value = String(this.step);
    this.slider.setAttribute("aria-valuetext", t("Step {step} of {length}", { step: this.step, length }));
    this.position.textContent = length ? t("Step {step} of {length}", { step: this.step, length }) : "";
    fill(this.playing, this.#isPlaying() ? t("Pause") : t("Play[steps]"));
    this.playing.disabled = !length;
    for (const pane of this.panes) pane.show(this.#stepOf(pane));
    this.verdict.textContent = this.#comparison();
  }

  /** What the two searches cost, by the bots' own counts. */
  #comparison() {
    const reports = this.panes.map((pane) => pane.trace?.report);
    const [one, other] = reports;
    if (!one) return "";
    const nodes = (/** @type {number} */ index) =>
      `${SEARCHES[this.panes[index].settings.search]}: ${t("{nodes} positions", { nodes: reports[index]?.nodes ?? 0 })}`;
    if (!other) return this.panes.length > 1 ? "" : t("In all, {nodes}.", { nodes: nodes(0) });
    const [few, many] = one.nodes <= other.nodes ? [one, other] : [other, one];
    const saved = many.nodes ? Math.round(100 * (1 - few.nodes / many.nodes)) : 0;
    const words = t("In all, {nodes}.", { nodes: `${nodes(0)}; ${nodes(1)}` });
    if (!saved) return words;
    return `${words} ${few === one ? t("The first looks at {saved}% fewer.", { saved }) : t("The second looks at {saved}% fewer.", { saved })}`;
  }
}

/**
 * A labelled select.
 * @param {string} label @param {[string, string][]} options @param {() => void} change
 */
function choice(label, options, change) {
  const select = h("select", { on: { change } });
  const element = h("label.field", h("span", label), select);
  /** @param {[string, string][]} to @param {string} [chosen] where the present choice is gone @param {boolean} [always] */
  const refill = (to, chosen, always = false) => {
    const before = select.value;
    fill(
      select,
      to.map(([value, words]) => h("option", { value }, words)),
    );
    const keeps = !always && to.some(([value]) => value === before) && before !== "";
    select.value = keeps ? before : (chosen ?? to[0]?.[0] ?? "");
  };
  refill(options);
  return { element, select, offer: refill };
}

function legend() {
  const mark = (/** @type {string} */ sign, /** @type {string} */ words) => h("div", h("dt", sign), h("dd", words));
  return h(
    "details.legend.panel",
    h("summary", t("What the signs mean")),
    h(
      "dl",
      mark("▲", t("MAX is to move: the player at the root, who takes the largest value")),
      mark("▼", t("MIN is to move: an opponent, who takes the smallest value")),
      mark("●", t("A roll of the dice: the value is the mean")),
      mark("■", t("A player who takes the best for itself (maxⁿ, Monte Carlo)")),
      mark(t("W3, L4"), t("Won or lost at this ply; other numbers are the bot's estimates for the player at the root")),
      mark("6·0.5", t("Monte Carlo: visits, and the mean result for the player who moved there")),
      mark("40:60", t("Maxⁿ: the share of each player in percent")),
      mark("✂3", t("Cut off: this many moves are never looked at")),
      mark("+12", t("This many positions below are not drawn")),
      mark(t("Keys"), t("Space plays and pauses, the arrows step, Home and End jump; click a node to go there")),
    ),
  );
}

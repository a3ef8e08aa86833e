/** One search on show: the board of its position, its tree, window, counts, pseudocode, and a sentence for each step. */

import { ABSENT, ABSENT_RETRY_MS, MAX_RETRIES, PASSING } from "./analysts.js";
import { Board } from "./board.js";
import { Branches } from "./branches.js";
import { button, fill, h } from "./dom.js";
import { counted, number as written, t } from "./studytexts.js";
import { seatMark } from "./marks.js";
import { isWalled } from "./position.js";
import { codeOf, lineOf } from "./pseudocode.js";
import { numberOf, SEARCHES, short, Trace } from "./trace.js";
import { isolated, sentence } from "./words.js";

/** @typedef {import("./protocol").Traced} Traced */
/** @typedef {import("./protocol").TraceSettings} TraceSettings */
/** @typedef {import("./thinking.js").Start} Start */

export class Pane {
  /**
   * @param {Page} page @param {Start} start @param {TraceSettings} settings
   * @param {{ready: () => void, go: (pane: Pane, step: number) => void, shares: (pane: Pane) => boolean}} wishes `shares`
   *   tells whether another open pane waits for the same search, which the server runs once for both
   */
  constructor(page, start, settings, wishes) {
    this.page = page;
    this.start = start;
    this.settings = settings;
    this.wishes = wishes;
    const { search, depth, playouts } = settings;
    this.question = JSON.stringify([start, search, search === "mcts" ? playouts : depth]);
    this.ref = "";
    this.isAsking = false;
    this.closed = false;
    this.timer = 0;
    this.failures = 0;
    /** @type {Trace | null} */
    this.trace = null;
    /** @type {Branches | null} */
    this.branches = null;
    this.by = "";
    this.shownPosition = "";
    this.board = new Board({ walled: isWalled(page.store.offered(start.game) ?? start), label: t("{search}: position", { search: SEARCHES[settings.search] }) });
    this.state = h("p.quiet.state", { role: "status" });
    this.retry = h("div", { hidden: true }, button(t("Try again"), () => this.ask()));
    this.words = h("p.explained");
    this.line = h("p.reached");
    this.counts = h("dl.counts");
    this.window = h("div.window", { role: "img" });
    this.treeBox = h("div.treebox");
    this.code = h(
      "ol.code",
      { "aria-label": t("Pseudocode"), lang: "en" },
      (codeOf(settings.search) ?? []).map((line) => h("li", line)),
    );
    this.content = h(
      "div.content",
      { hidden: true },
      this.words,
      h("div.sides", h("div.boardside", h("div.smallboard", this.board.element), this.line), h("div.facts", this.counts, this.window, this.code)),
      this.treeBox,
    );
    this.element = h(
      "section.pane.panel",
      { "aria-label": SEARCHES[settings.search] },
      h("h2", SEARCHES[settings.search] ?? settings.search),
      this.state,
      this.retry,
      this.content,
    );
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    if (this.ref && !this.trace && !this.wishes.shares(this)) this.page.link.ask({ type: "cancel_analysis", analysis: this.ref }).catch(() => {});
  }

  async ask() {
    clearTimeout(this.timer);
    if (this.state.textContent !== ABSENT) this.state.textContent = t("Asking a bot to search…");
    this.retry.hidden = true;
    this.isAsking = true;
    const { game, options, moves } = this.start;
    try {
      const { ref } = await this.page.link.ask({
        type: "ask_trace",
        game: { name: game, options },
        moves,
        settings: this.settings,
      });
      this.ref = ref;
      if (this.closed) this.close();
    } catch (error) {
      this.isAsking = false;
      const { code, message } = /** @type {Refused} */ (error);
      const absent = code === "no_analyst";
      this.state.textContent = code === "offline" ? t("Waiting for the connection…") : absent ? ABSENT : message;
      this.retry.hidden = code === "offline" || absent;
      if (absent && !this.closed) this.timer = window.setTimeout(() => this.ask(), ABSENT_RETRY_MS);
      else if (PASSING.includes(code)) this.#askAgain();
    }
  }

  /** Ask again in a moment after a failure, a few times; after that the button does. */
  #askAgain() {
    clearTimeout(this.timer);
    if (!this.closed && this.failures++ < MAX_RETRIES) this.timer = window.setTimeout(() => this.ask(), ABSENT_RETRY_MS);
  }

  /** @param {Traced} traced */
  learn(traced) {
    if (traced.analysis !== this.ref || this.closed) return;
    const { ahead, by, error, final } = traced;
    this.retry.hidden = !error;
    this.isAsking = !final;
    if (final && error) this.#askAgain();
    if (!final || !traced.report) {
      this.state.textContent = error
        ? sentence(error)
        : ahead
          ? counted(ahead, "{count} search to run before this one.", "{count} searches to run before this one.")
          : by
            ? t("{name} is searching…", { name: isolated(by) })
            : t("A bot is searching…");
      return;
    }
    this.by = by;
    this.trace = new Trace(traced, this.settings);
    this.branches = new Branches(this.trace, (step) => this.wishes.go(this, step));
    fill(this.treeBox, this.branches.element);
    this.content.hidden = false;
    const { nodes, pruned } = traced.report;
    const facts = [
      t("{nodes} positions", { nodes }),
      this.settings.search === "mcts" ? t("random games included") : "",
      pruned ? counted(pruned, "{count} move cut off", "{count} moves cut off") : "",
      t("in a search by {name}", { name: isolated(by) }),
    ];
    const more = this.trace.isCut ? ` ${t("Its first {steps} steps are shown.", { steps: this.trace.length })}` : "";
    this.state.textContent = `${facts.filter(Boolean).join(", ")}.${more}`;
    this.wishes.ready();
  }

  /** Show the search after `step` steps. @param {number} step */
  show(step) {
    const { trace } = this;
    if (!trace) return;
    trace.seek(step);
    this.words.textContent = trace.words;
    this.branches?.draw();
    const node = trace.focus;
    const position = trace.positions[node.id] ?? "";
    if (position !== this.shownPosition) {
      this.shownPosition = position;
      this.board.forget();
      this.board.show(position, { last: node.parent < 0 ? "" : node.move, still: true });
    }
    const path = trace.path(node).filter(({ parent }) => parent >= 0);
    const mover = node.turn >= 0 ? [seatMark(node.turn), " ", t("player {number}", { number: node.turn + 1 })] : [t("the dice")];
    fill(this.line, h("span", path.length ? path.map(({ move }) => move).join(" ") : t("The root")), h("small", " ", t("to move:"), " ", mover));
    this.#drawCounts(trace);
    this.#drawWindow(trace, node);
    const at = lineOf(this.settings.search, trace.letter);
    [...this.code.children].forEach((line, index) => line.classList.toggle("at", index === at));
  }

  /** @param {Trace} trace */
  #drawCounts(trace) {
    const { counts } = trace;
    const isMcts = this.settings.search === "mcts";
    /** @type {[string, number, string][]} */
    const rows = [
      [t("Nodes"), counts.nodes, "nodes"],
      isMcts ? [t("Random games"), counts.playouts, "playouts"] : [t("Leaves"), counts.leaves, "leaves"],
      [t("Cut-offs"), counts.cuts, "cuts"],
      [t("Moves cut"), counts.pruned, "pruned"],
      [t("Deepest"), counts.deepest, "deepest"],
    ];
    const shown = rows.filter(([, , key]) => !(isMcts && (key === "cuts" || key === "pruned")));
    if (this.settings.search === "deepening") shown.push([t("Iteration"), trace.iteration, "iteration"]);
    fill(
      this.counts,
      shown.map(([name, value, key]) => h("div", { data: { count: key } }, h("dt", name), h("dd", written(value)))),
    );
  }

  /** The window from alpha to beta of the current node. @param {Trace} trace @param {import("./trace.js").TraceNode} node */
  #drawWindow(trace, node) {
    this.window.hidden = !trace.isWindowed || node.alpha === "*";
    if (this.window.hidden) return;
    const low = Math.min(trace.low, 0);
    const high = Math.max(trace.high, 0, low + 1e-9);
    const share = (/** @type {string} */ value) => {
      const number = numberOf(value);
      if (number < low) return 0;
      return number > high ? 100 : 8 + (84 * (number - low)) / (high - low);
    };
    const from = share(node.alpha);
    const to = share(node.beta);
    const closed = numberOf(node.alpha) >= numberOf(node.beta);
    const words = `α = ${short(node.alpha)}, β = ${short(node.beta)}`;
    this.window.setAttribute("aria-label", t("Window: {words}", { words }));
    this.window.classList.toggle("closed", closed);
    const strip = h("div.strip", h("i"));
    strip.style.setProperty("--from", `${Math.min(from, to)}%`);
    strip.style.setProperty("--to", `${Math.max(from, to)}%`);
    fill(this.window, h("p", words, closed ? h("small", " ", t("closed")) : null), strip);
  }
}

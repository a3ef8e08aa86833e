/** The analysis of a game: its course and mistakes, and for the position on the board a verdict, lines, overlays and a tree. */

import { ABSENT, ABSENT_RETRY_MS } from "./analysts.js";
import { drawAdvice } from "./arrows.js";
import { Course } from "./course.js";
import { announce, button, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { counted, t } from "./studytexts.js";
import { Legend } from "./legend.js";
import { Lines } from "./lines.js";
import { seatMark } from "./marks.js";
import { isRoll, parsePosition } from "./position.js";
import { sourceOf } from "./source.js";
import { drawTree } from "./tree.js";
import { shareOf, worthText } from "./values.js";
import { better, figuresOf, verdictText } from "./verdict.js";
import { isolated, nameOf, resultText, sentence } from "./words.js";

/** @typedef {import("./protocol").Report} Report */
/** @typedef {{text: string, moves: string[], gauges?: [string, number][] | undefined}} Shown */
/**
 * `preview` shows a variation, or with null the game; `legal` takes the moves that may be tried on the board; `go` shows a ply.
 * @typedef {{preview: (shown: Shown | null) => void, overlay: (picture: OverlayPicture | null) => void, closed: () => void,
 *   legal: (moves: readonly string[], seat: number) => void, go: (ply: number) => void, link: (ply: number) => string,
 *   advise: (draw: ((board: import("./board.js").Board) => SVGElement[]) | null) => void}} Wishes
 */

const ASK_DELAY_MS = 300;
const LINES = 3;
/** A move that gives away less is drawn on the board as a good one. */
const NEAR = 0.1;

export class Study {
  /** @param {Page} page @param {MatchRecord} record @param {Wishes} wishes */
  constructor(page, record, wishes) {
    this.page = page;
    this.record = record;
    this.source = sourceOf(page, record);
    this.wishes = wishes;
    this.isOpen = false;
    this.ply = 0;
    /** The reader's own moves after that. @type {string[]} */
    this.own = [];
    /** The requested position, and the id of its analysis. */
    this.asked = "";
    this.ref = "";
    /** @type {Map<string, Analysis>} what was found already, by position text */
    this.known = new Map();
    /** @type {Analysis | null} */
    this.analysis = null;
    /** Whether the reader has chosen a position, so that the analysis does not jump any more. */
    this.chosen = false;
    this.course = new Course(page, record, {
      choose: (ply) => this.#choose(ply),
      changed: () => this.#settle(),
    });
    this.legend = new Legend(record, wishes.overlay);
    this.verdict = h("h2.verdict", t("Analysis"));
    this.state = h("p.quiet", { role: "status" });
    this.lines = new Lines((line, step) => this.#walk(line, step));
    this.figures = h("dl.figures");
    this.tree = h("ul.tree");
    this.treeBox = h("details", h("summary", t("Game tree at a glance")), this.tree);
    this.back = button(t("Back to the game"), () => this.#choose(this.ply), "plain", { hidden: true });
    this.body = h(
      "div.found",
      this.lines.element,
      this.legend.element,
      h("details", h("summary", t("Statistics")), this.figures),
      this.treeBox,
    );
    const copy = () => page.copy(wishes.link(this.ply), t("The link to this position is copied."));
    const tools = [
      button(icon("link"), copy, "icon", { "aria-label": t("Copy link to this position"), title: t("Copy link to this position") }),
      button(icon("close"), wishes.closed, "icon", { "aria-label": t("Close the analysis") }),
    ];
    const how = { "aria-label": t("Analysis"), hidden: true };
    this.element = h(
      "section.study.panel",
      how,
      h("header.flow", this.verdict, tools),
      h("div.flow", this.state, this.back),
      this.course.element,
      this.body,
    );
    this.bar = h("div.evaluation", { role: "img", hidden: true }, h("i"), h("i"));
    this.abort = new AbortController();
    page.link.hear(
      {
        analysis: (analysis) => analysis.analysis === this.ref && this.#learn(analysis),
        offline: () => (this.ref = ""),
        online: () => this.isOpen && this.asked && !this.analysis?.final && this.#ask(),
      },
      this.abort.signal,
    );
  }

  close() {
    this.abort.abort();
    this.course.pass.close();
    this.#cancel();
  }

  /** @param {boolean} open @param {boolean} stays at the position on the board, which the reader has chosen */
  toggle(open, stays) {
    this.isOpen = open;
    this.element.hidden = this.bar.hidden = !open;
    this.#cancel();
    this.own = [];
    this.chosen = stays;
    this.course.open(open);
    if (open) return;
    this.wishes.overlay(null);
    this.wishes.advise(null);
  }

  /** Show a position that the reader has chosen. @param {number} ply */
  #choose(ply) {
    this.chosen = true;
    this.wishes.go(ply);
  }

  /** Once the whole game was looked at, go to the mistake that decided it, and look at the position on show. */
  #settle() {
    const { course } = this;
    if (!this.isOpen || !course.settled) return;
    if (!this.chosen && course.pass.done) {
      this.chosen = true;
      const { decisive } = course;
      announce(decisive ? t("The game was decided by {move}: {words}.", decisive) : t("No mistake was found."));
      if (decisive && decisive.ply !== this.ply) {
        this.wishes.go(decisive.ply);
        return;
      }
    }
    if (this.asked && !this.ref && !this.analysis?.final && !this.timer) this.#askSoon();
  }

  /** Request the analysis after `ply` plies, once the reader stays there. @param {number} ply */
  follow(ply) {
    const text = this.record.positions[ply];
    if (!this.isOpen || text === undefined) return;
    // A reader who steps before or during the pass stays at that position.
    const { running, trouble } = this.course.pass;
    const isPassing = running || trouble || (this.record.over && !this.record.complete);
    if (isPassing && this.asked && text !== this.asked) this.chosen = true;
    this.own = [];
    this.#turnTo(ply, text);
    this.course.survey();
    this.#settle();
  }

  /** @param {number} ply @param {string} text */
  #turnTo(ply, text) {
    this.back.hidden = !this.own.length;
    if (text === this.asked) {
      this.#drawAdvice();
      this.#drawLegal();
      return;
    }
    this.#cancel();
    this.ply = ply;
    this.asked = text;
    this.course.draw();
    this.course.show(this.own.length ? -1 : ply);
    this.wishes.overlay(null);
    this.wishes.advise(null);
    this.wishes.legal([], -1);
    this.#drawLegal();
    const known = this.known.get(text);
    if (known) {
      this.#draw(known);
      return;
    }
    const glance = this.own.length ? undefined : this.course.pass.found[ply];
    if (glance) this.#draw({ ...NOTHING, position: text, report: glance });
    // Results of another position fade until there are new ones, so that the layout is stable.
    else this.body.inert = true;
    // The pass comes first; a longer look at a position that nobody has chosen would only hold it up.
    if (this.chosen || !this.record.over) this.#askSoon();
  }

  #askSoon(delay = ASK_DELAY_MS) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.#ask(), delay);
  }

  /** The moves that may be tried. The server says what is legal. */
  async #drawLegal() {
    const { asked, ply, own } = this;
    const turn = parsePosition(asked).turn;
    try {
      if (own.length) {
        const { moves } = await this.#variation(own);
        if (asked === this.asked) this.wishes.legal(moves, turn);
      } else if (turn >= 0) {
        const { moves } = await this.source.legal(ply);
        if (asked === this.asked && !this.own.length) this.wishes.legal(moves, turn);
      }
    } catch {
      // Without them the lines can still be walked.
    }
  }

  /** @param {readonly string[]} moves after the ply on show */
  #variation(moves) {
    return this.source.variation(this.ply, moves);
  }

  /** Play a move of the reader's own on the board. @param {string} move */
  async try(move) {
    const { asked } = this;
    this.chosen = true;
    const own = [...this.own, ...this.lines.shown, move];
    try {
      const { text, gauges } = await this.#variation(own);
      if (asked !== this.asked) return;
      this.own = own;
      this.#turnTo(this.ply, text);
      this.wishes.preview({ text, moves: own, gauges });
      announce(t("After {moves}", { moves: own.join(" ") }));
    } catch (error) {
      this.page.complain(error);
    }
  }

  /** Cancel the pending request. */
  #cancel() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.ref && !this.analysis?.final) this.#drop(this.ref);
    this.asked = this.ref = "";
    this.lines.stand([], 0);
    this.analysis = null;
  }

  /** @param {string} analysis */
  #drop(analysis) {
    this.page.link.ask({ type: "cancel_analysis", analysis }).catch(() => {});
  }

  async #ask() {
    clearTimeout(this.timer);
    const { record, ply, asked, own } = this;
    if (!asked) return;
    if (!own.length && ply === record.ply && record.over && record.reason === "rules") {
      this.#draw(null, `${resultText(record)[0]}. ${t("Step back through the moves to see what else there was.")}`);
      return;
    }
    if (!this.analysis && this.state.textContent !== ABSENT) this.state.textContent = t("Asking for an analysis…");
    try {
      const ref = await this.source.analyse(ply, own, asked, { lines: LINES });
      if (this.asked === asked) this.ref = ref;
      else this.#drop(ref);
    } catch (error) {
      if (this.asked !== asked) return;
      const { code, message } = /** @type {Refused} */ (error);
      const words = code === "no_analyst" ? ABSENT : message;
      // The same words again would be read aloud again.
      if (this.state.textContent !== words || this.body.inert) this.#draw(null, words);
      if (code === "no_analyst") this.#askSoon(ABSENT_RETRY_MS);
    }
  }

  /** @param {Analysis} analysis */
  #learn(analysis) {
    if (analysis.final && analysis.report) {
      this.known.set(this.asked, analysis);
      if (!this.own.length) this.course.pass.learn(this.ply, analysis.report);
    }
    this.#draw(analysis);
    if (analysis.final) announce(`${t("Analysis")}: ${this.verdict.textContent}. ${this.lines.list.textContent}`);
  }

  /** @param {Analysis | null} analysis @param {string} [words] what to say where there is none */
  #draw(analysis, words = "") {
    const report = analysis?.report;
    if (analysis && !report && !analysis.final && this.analysis?.report) return;
    this.analysis = analysis;
    this.state.textContent = analysis ? this.#stateWords(analysis) : words;
    if (analysis && !report && !analysis.final) return;
    this.body.hidden = !report;
    this.body.inert = false;
    const seat = report ? parsePosition(/** @type {Analysis} */ (analysis).position).turn : -1;
    const by = analysis?.by || t("a bot");
    const verdict = report ? verdictText(this.record, report, seat) : t("Analysis");
    fill(
      this.verdict,
      report && report.proven !== "draw" ? seatMark(better(this.record, report, seat)) : null,
      verdict,
      report?.proven ? h("small", t("proven, says {by}", { by })) : null,
    );
    this.#drawBar(report, seat, report?.proven ? t("{verdict}, says {by}", { verdict, by }) : verdict);
    const name = this.record.seats[seat] ? nameOf(this.record.seats[seat].player) : "";
    this.lines.draw(report?.lines ?? [], report?.scale ?? null, name);
    this.#drawAdvice();
    this.legend.offer(analysis?.overlays ?? []);
    fill(
      this.figures,
      report
        ? [...figuresOf(report), [t("Studied by"), isolated(by)]].map(([term, value]) => h("div", h("dt", term), h("dd", value)))
        : [],
    );
    this.treeBox.hidden = !analysis?.tree.length;
    const tree = JSON.stringify([analysis?.tree, report?.scale]);
    if (tree === this.tree.dataset.drawn) return;
    this.tree.dataset.drawn = tree;
    const value = (/** @type {import("./protocol").TreeNode} */ node) => worthText(node, report?.scale ?? null);
    drawTree(this.tree, analysis?.tree ?? [], value, (moves) => this.#walk(moves, moves.length));
  }

  /** @param {Analysis} analysis */
  #stateWords({ ahead, by, final, error, report }) {
    if (error) return sentence(error);
    if (ahead) return counted(ahead, "{count} position to look at before this one.", "{count} positions to look at before this one.");
    if (final && report) return this.#playedWords(report);
    if (by) return t("{by} looks deeper…", { by });
    return this.course.pass.running ? t("A first look.") : t("A bot begins to look…");
  }

  /** The move that was played in the position on show. */
  get played() {
    return this.own.length ? undefined : this.record.moves.slice(this.ply).find((move) => !isRoll(move));
  }

  /** Compare the played move with the best one. @param {Report} report */
  #playedWords({ lines }) {
    const { played } = this;
    if (!played) return "";
    const line = lines.find(({ move }) => move === played);
    return line?.score === lines[0].score
      ? t("{played} was played, as good as any.", { played })
      : t("{played} was played; {better} is better.", { played, better: lines[0].move });
  }

  /** @param {Report | null | undefined} report @param {number} seat @param {string} words */
  #drawBar(report, seat, words) {
    const two = this.record.seats.length === 2;
    const near = two ? (this.record.seat ?? 0) : seat;
    const share = report ? shareOf(report, report.scale) : 0.5;
    this.bar.style.setProperty("--share", String(near === seat ? share : 1 - share));
    this.bar.children[0].className = two && report ? `seat-${1 - near}` : "";
    this.bar.children[1].className = report ? `seat-${near}` : "";
    this.bar.setAttribute("aria-label", report ? t("Evaluation: {words}", { words }) : t("No evaluation yet"));
    this.bar.title = words;
  }

  /** Draw the best moves, and the played one, on the board. */
  #drawAdvice() {
    const { analysis, played } = this;
    const lines = analysis?.report?.lines ?? [];
    if (!lines.length || !analysis || this.lines.shown.length) {
      this.wishes.advise(null);
      return;
    }
    const seat = parsePosition(analysis.position).turn;
    const scale = analysis.report?.scale ?? null;
    const [best] = lines.map((line) => shareOf(line, scale));
    const good = lines.filter((line) => shareOf(line, scale) > best - NEAR);
    const advice = good.map(({ move }, rank) => ({ move, seat, kind: rank ? "good" : "best" }));
    if (played && !good.some(({ move }) => move === played)) advice.push({ move: played, seat, kind: "played" });
    this.wishes.advise((board) => drawAdvice(board, advice));
  }

  /** Show the position after the first moves of a line. @param {readonly string[]} line @param {number} step */
  async #walk(line, step) {
    const { asked } = this;
    const moves = [...this.own, ...line.slice(0, step)];
    this.chosen = true;
    try {
      const { text, moves: legal, gauges } = await this.#variation(moves);
      if (asked !== this.asked) return;
      this.lines.stand(line, step);
      this.wishes.advise(null);
      this.wishes.preview({ text, moves, gauges });
      this.wishes.legal(legal, parsePosition(text).turn);
      announce(t("After {moves}", { moves: moves.join(" ") }));
    } catch (error) {
      this.page.complain(error);
    }
  }

  /** The line on the board, or none, is marked in the list. @param {readonly string[]} shown */
  mark(shown) {
    const moves = shown.slice(this.own.length);
    if (!moves.length && this.lines.shown.length) {
      this.lines.stand([], 0);
      this.#drawAdvice();
    }
    this.lines.mark(moves);
  }
}

/** @type {Analysis} */
const NOTHING = { type: "analysis", position: "", report: null, analysis: "", ahead: 0, final: false, by: "", overlays: [], tree: [], error: "" };

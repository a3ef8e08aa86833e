/** The analysis of a position: evaluation bar, text, lines, figures, overlays and game tree. */

import { announce, button, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { seatMark } from "./marks.js";
import { isRoll, parsePosition } from "./position.js";
import { drawTree } from "./tree.js";
import { isolated, nameOf, plural, resultText, sentence } from "./words.js";

/** @typedef {import("./protocol").Report} Report */

const ASK_DELAY_MS = 300;
const LINES = 3;
/** The score at which the bar is at three quarters; 1 is about one move. */
const CLEAR_SCORE = 4;
const SHARES = { win: 1, draw: 0.5, loss: 0 };
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export class Study {
  /**
   * @param {Page} page
   * @param {MatchRecord} record
   * @param {{preview: (shown: {text: string, moves: string[]}) => void, overlay: (picture: OverlayPicture | null) => void, closed: () => void}} wishes
   */
  constructor(page, record, wishes) {
    this.page = page;
    this.record = record;
    this.wishes = wishes;
    this.isOpen = false;
    this.ply = 0;
    /** The requested position, and the id of its analysis. */
    this.asked = "";
    this.ref = "";
    /** @type {Map<string, Analysis>} what was found already, by position text */
    this.known = new Map();
    /** @type {Analysis | null} */
    this.analysis = null;
    /** The line on the board, and the number of its moves shown. */
    this.walked = "";
    this.step = 0;
    this.overlay = "";
    this.verdict = h("h2.verdict");
    this.state = h("p.quiet", { role: "status" });
    this.lines = h("ol.ways", { "aria-label": "Best lines" });
    this.chooser = h("select", { on: { change: () => this.#paint(this.chooser.value) } });
    this.choice = h("label.choice.flow", "On the board ", this.chooser);
    this.legend = h("p.quiet");
    this.figures = h("dl.figures");
    this.tree = h("ul.tree");
    this.treeBox = h("details", h("summary", "Game tree at a glance"), this.tree);
    this.body = h(
      "div.found",
      this.lines,
      this.choice,
      this.legend,
      h("details", { open: matchMedia("(min-width: 480px)").matches }, h("summary", "Statistics"), this.figures),
      this.treeBox,
    );
    const cross = button(icon("close"), wishes.closed, "icon", { "aria-label": "Close the analysis" });
    const how = { "aria-label": "Analysis", hidden: true };
    this.element = h("section.study.panel", how, h("header.flow", this.verdict, cross), this.state, this.body);
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
    this.#cancel();
  }

  /** @param {boolean} open */
  toggle(open) {
    this.isOpen = open;
    this.element.hidden = this.bar.hidden = !open;
    this.#cancel();
    if (!open) this.wishes.overlay(null);
  }

  /** Request the analysis after `ply` plies, once the reader stays there. @param {number} ply */
  follow(ply) {
    const text = this.record.positions[ply];
    if (!this.isOpen || text === undefined || text === this.asked) return;
    this.#cancel();
    this.ply = ply;
    this.asked = text;
    this.wishes.overlay(null);
    const known = this.known.get(text);
    if (known) this.#draw(known);
    else {
      // Results of another position fade until there are new ones, so that the layout is stable.
      this.body.inert = true;
      this.timer = window.setTimeout(() => this.#ask(), ASK_DELAY_MS);
    }
  }

  /** Cancel the pending request. */
  #cancel() {
    clearTimeout(this.timer);
    if (this.ref && !this.analysis?.final) this.#drop(this.ref);
    this.asked = this.ref = "";
    this.analysis = null;
  }

  /** @param {string} analysis */
  #drop(analysis) {
    this.page.link.ask({ type: "cancel_analysis", analysis }).catch(() => {});
  }

  async #ask() {
    const { record, ply, asked } = this;
    if (ply === record.ply && record.over && record.reason === "rules") {
      this.#draw(null, `${resultText(record)[0]}. Step back through the moves to see what else there was.`);
      return;
    }
    this.state.textContent = "Asking for an analysis…";
    try {
      const { ref } = await this.page.link.ask({ type: "ask_analysis", match: record.id, ply, lines: LINES });
      if (this.asked === asked) this.ref = ref;
      else this.#drop(ref);
    } catch (error) {
      if (this.asked === asked) this.#draw(null, /** @type {Error} */ (error).message);
    }
  }

  /** @param {Analysis} analysis */
  #learn(analysis) {
    if (analysis.final && analysis.report) this.known.set(this.asked, analysis);
    this.#draw(analysis);
    if (analysis.final) announce(`Analysis: ${this.verdict.textContent}. ${this.lines.textContent}`);
  }

  /** @param {Analysis | null} analysis @param {string} [words] what to say where there is none */
  #draw(analysis, words = "") {
    this.analysis = analysis;
    this.state.textContent = analysis ? this.#stateWords(analysis) : words;
    const report = analysis?.report;
    if (analysis && !report && !analysis.final) return;
    this.body.hidden = !report;
    this.body.inert = false;
    const seat = report ? parsePosition(/** @type {Analysis} */ (analysis).position).turn : -1;
    const by = analysis?.by ?? "";
    const verdict = report ? this.#verdictWords(report, seat) : "Analysis";
    fill(
      this.verdict,
      report && report.proven !== "draw" ? seatMark(this.#better(report, seat)) : null,
      verdict,
      report?.proven ? h("small", `proven, says ${by}`) : null,
    );
    this.#drawBar(report, seat, report?.proven ? `${verdict}, says ${by}` : verdict);
    this.#drawLines(report?.lines ?? []);
    this.#drawChooser();
    fill(
      this.figures,
      report ? this.#figures(report).map(([name, value]) => h("div", h("dt", name), h("dd", value))) : [],
    );
    this.treeBox.hidden = !analysis?.tree.length;
    const tree = JSON.stringify(analysis?.tree);
    if (tree === this.tree.dataset.drawn) return;
    this.tree.dataset.drawn = tree;
    drawTree(this.tree, analysis?.tree ?? [], scoreWords, (moves) => this.#walk(moves, moves.length));
  }

  /** @param {Analysis} analysis */
  #stateWords({ ahead, by, final, error, report }) {
    if (error) return sentence(error);
    if (ahead) return `${plural(ahead, "position")} to look at before this one.`;
    if (final && report) return this.#playedWords(report);
    return by ? `${by} looks deeper…` : "A bot begins to look…";
  }

  /** Compare the played move with the best one. @param {Report} report */
  #playedWords({ lines }) {
    const played = this.record.moves.slice(this.ply).find((move) => !isRoll(move));
    if (!played) return "";
    const line = lines.find(({ move }) => move === played);
    return `${played} was played${line?.score === lines[0].score ? ", as good as any" : `; ${lines[0].move} is better`}.`;
  }

  /** The seat that stands better. @param {Report} report @param {number} seat */
  #better({ score, proven }, seat) {
    const bad = proven ? proven === "loss" : (score ?? 0) < 0;
    return bad && this.record.seats.length === 2 ? 1 - seat : seat;
  }

  /** @param {Report} report @param {number} seat */
  #verdictWords(report, seat) {
    const { score, proven, plies } = report;
    const two = this.record.seats.length === 2;
    const { name } = this.record.seats[this.#better(report, seat)].player;
    if (proven === "draw") return "A draw";
    if (proven)
      return `${name} ${two || proven === "win" ? "wins" : "does not win"}${plies && two ? ` in ${moves(plies)}` : ""}`;
    if (score === null) return `${name} is to move`;
    return Math.abs(score) < 0.05 ? "Even" : `${signed(two ? Math.abs(score) : score)} for ${name}`;
  }

  /** @param {Report | null | undefined} report @param {number} seat @param {string} words */
  #drawBar(report, seat, words) {
    const two = this.record.seats.length === 2;
    const near = two ? (this.record.seat ?? 0) : seat;
    const score = report?.score ?? 0;
    const share = report?.proven ? SHARES[report.proven] : 0.5 + score / (2 * (Math.abs(score) + CLEAR_SCORE));
    this.bar.style.setProperty("--share", String(near === seat ? share : 1 - share));
    this.bar.children[0].className = two && report ? `seat-${1 - near}` : "";
    this.bar.children[1].className = report ? `seat-${near}` : "";
    this.bar.setAttribute("aria-label", report ? `Evaluation: ${words}` : "No evaluation yet");
    this.bar.title = words;
  }

  /** @param {readonly ScoredLine[]} lines */
  #drawLines(lines) {
    const focused = [...this.lines.children].findIndex((row) => row.contains(document.activeElement));
    fill(
      this.lines,
      lines.map((line) => {
        const go = (/** @type {Event} */ event) => {
          const step = /** @type {Element} */ (event.target).closest("[data-step]")?.getAttribute("data-step");
          const picked = Number(step);
          this.#walk(line.pv, picked || (this.walked === String(line.pv) ? this.step % line.pv.length : 0) + 1);
        };
        const steps = line.pv.flatMap((move, index) => [h("span", { data: { step: String(index + 1) } }, move), " "]);
        const content = [h("strong", scoreWords(line)), " ", ...steps];
        return h("li", button(content, go, "plain", { title: "Play it out on the board" }));
      }),
    );
    this.walked = "";
    this.lines.querySelectorAll("button")[focused]?.focus();
  }

  /** Show the position after the first moves of a line. @param {readonly string[]} line @param {number} step */
  async #walk(line, step) {
    const { asked } = this;
    const moves = line.slice(0, step);
    try {
      const { positions } = await this.page.link.ask({
        type: "ask_variation",
        match: this.record.id,
        ply: this.ply,
        moves,
      });
      if (asked !== this.asked) return;
      this.walked = String(line);
      this.step = step;
      this.wishes.preview({ text: positions[positions.length - 1], moves });
      announce(`After ${moves.join(" ")}`);
    } catch (error) {
      this.page.complain(error);
    }
  }

  /** The line on the board, or none, is marked in the list. @param {readonly string[]} moves */
  mark(moves) {
    for (const row of this.lines.children) {
      const steps = [...row.querySelectorAll("[data-step]")];
      const same = moves.every((move, index) => steps[index]?.textContent === move);
      steps.forEach((span, index) => span.classList.toggle("shown", same && index < moves.length));
    }
  }

  /** List the overlays. */
  #drawChooser() {
    const overlays = this.analysis?.overlays ?? [];
    this.choice.hidden = !overlays.length;
    const pictures = [{ name: "", title: "nothing" }, ...overlays];
    if (this.chooser.length !== pictures.length)
      fill(
        this.chooser,
        pictures.map(({ name, title }) => h("option", { value: name }, this.#named(title))),
      );
    this.#paint(this.overlay);
  }

  /** Draw one of the overlays on the board. @param {string} name */
  #paint(name) {
    this.overlay = name;
    const picture = this.analysis?.overlays.find((each) => each.name === name);
    this.chooser.value = picture?.name ?? "";
    this.wishes.overlay(picture ? { ...picture, title: this.#named(picture.title) } : null);
    this.legend.textContent = picture ? sentence(this.#named(picture.legend)) : "";
  }

  /** Replace seat numbers by names. @param {string} text */
  #named(text) {
    return text.replace(/\b(?:seat|pawn) ([0-3])/gi, (whole, seat) =>
      this.record.seats[seat] ? nameOf(this.record.seats[seat].player) : whole,
    );
  }

  /** @param {Report} report @returns {[string, string][]} */
  #figures({ depth, deepest, nodes, speed, efficiency, hits, seconds }) {
    return [
      ["Depth", `${depth}${deepest > depth ? ` (${deepest})` : ""}`],
      ["Positions", short.format(nodes)],
      ["A second", speed ? short.format(speed) : "–"],
      ["Pruned", `${Math.round(efficiency)} %`],
      ["Table hits", short.format(hits)],
      ["Time", `${seconds.toFixed(1)} s`],
      ["Studied by", isolated(this.analysis?.by ?? "")],
    ];
  }
}

/** @param {number} score */
const signed = (score) => `${score < 0 ? "−" : "+"}${Math.abs(score).toFixed(1)}`;

/** @param {number} plies */
const moves = (plies) => plural(Math.ceil(plies / 2), "move");

/** The value of a move, in short. @param {{score: number | null, proven: string | null, plies?: number | null}} line */
function scoreWords({ score, proven, plies }) {
  if (proven === "draw") return "draw";
  if (proven) return `${proven === "win" ? "wins" : "loses"}${plies ? ` in ${Math.ceil(plies / 2)}` : ""}`;
  return score === null ? "?" : signed(score);
}

/** The course of a game as a curve: who stood how well after each ply. Clicks and keys go to a position. */

import { fill, h, s, set } from "./dom.js";
import { t } from "./studytexts.js";
import { seatMark } from "./marks.js";
import { movesAmong } from "./position.js";
import { isolated } from "./words.js";
import { percent } from "./values.js";

export class Graph {
  /** @param {MatchRecord} record @param {(ply: number) => void} go */
  constructor(record, go) {
    this.record = record;
    this.go = go;
    this.ply = 0;
    /** @type {(number | undefined)[]} */
    this.shares = [];
    this.measured = false;
    this.far = s("path");
    this.near = s("path");
    this.line = s("path.curve");
    this.here = h("i.here");
    this.spots = h("div.spots");
    this.art = s("svg", { preserveAspectRatio: "none", "aria-hidden": "true" }, this.far, this.near, this.line);
    this.box = h(
      "div.curvebox",
      {
        role: "slider",
        tabindex: 0,
        "aria-label": t("Course of the game"),
        "aria-valuemin": 0,
        on: {
          pointerdown: (event) => this.#point(event),
          pointermove: (event) => event.buttons === 1 && this.#point(event),
          keydown: (event) => this.#key(event),
        },
      },
      this.art,
      h("i.half"),
      this.spots,
      this.here,
    );
    // The reader's own side is below, as on the board.
    this.low = record.seat ?? 0;
    const named = (/** @type {number} */ seat) => h("span", seatMark(seat), isolated(record.seats[seat].player.name));
    this.element = h("figure.graph", h("figcaption.flow", named(1 - this.low), h("span.quiet", t("wins"))), this.box);
    this.element.append(h("figcaption.flow", named(this.low), h("span.quiet", t("wins"))));
  }

  /**
   * @param {(number | undefined)[]} shares of seat 0
   * @param {readonly {ply: number, seat: number}[]} spots
   * @param {number | undefined} main the ply of the most important spot
   * @param {boolean} measured that the shares are probabilities, and no mere pictures of scores
   */
  draw(shares, spots, main, measured) {
    this.shares = shares;
    this.measured = measured;
    const { low } = this;
    const most = Math.max(1, this.record.ply);
    const points = shares.flatMap((share, ply) =>
      share === undefined ? [] : [[ply, low === 0 ? 1 - share : share].join(" ")],
    );
    set(this.art, { viewBox: `0 0 ${most} 1` });
    const first = shares.findIndex((share) => share !== undefined);
    const last = shares.length - 1 - shares.toReversed().findIndex((share) => share !== undefined);
    const curve = points.join("L");
    set(this.line, { d: points.length > 1 ? `M${curve}` : "" });
    set(this.far, { class: `area seat-${1 - low}`, d: points.length > 1 ? `M${first} 0L${curve}L${last} 0Z` : "" });
    set(this.near, { class: `area seat-${low}`, d: points.length > 1 ? `M${first} 1L${curve}L${last} 1Z` : "" });
    fill(
      this.spots,
      spots.map(({ ply, seat }) => {
        const share = shares[ply] ?? 0.5;
        const spot = h(`span.spot${ply === main ? ".main" : ""}`, seatMark(seat));
        spot.style.left = `${(100 * ply) / most}%`;
        spot.style.top = `${100 * (low === 0 ? 1 - share : share)}%`;
        return spot;
      }),
    );
    set(this.box, { "aria-valuemax": this.record.ply });
    this.show(this.ply);
  }

  /** @param {number} ply the position on the board */
  show(ply) {
    this.ply = ply;
    this.here.style.left = `${(100 * ply) / Math.max(1, this.record.ply)}%`;
    const share = this.shares[ply];
    const [name, other] = this.record.seats.map(({ player }) => isolated(player.name));
    const words =
      share === undefined
        ? t("not looked at")
        : this.measured
          ? `${name} ${percent(share)}`
          : Math.abs(share - 0.5) < 0.02
            ? t("even")
            : t("{name} is better", { name: share > 0.5 ? name : other });
    const { moves } = this.record;
    const counts = { ply: movesAmong(moves.slice(0, ply)), all: movesAmong(moves) };
    set(this.box, { "aria-valuenow": ply, "aria-valuetext": t("After {ply} of {all} moves: {words}", { ...counts, words }) });
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const { left, width } = this.box.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    const ply = Math.round(share * this.record.ply);
    if (ply !== this.ply) this.go(ply);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { ply, record } = this;
    const to = {
      ArrowLeft: ply - 1,
      ArrowDown: ply - 1,
      ArrowRight: ply + 1,
      ArrowUp: ply + 1,
      PageUp: ply + 5,
      PageDown: ply - 5,
      Home: 0,
      End: record.ply,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(Math.min(record.ply, Math.max(0, to)));
  }
}

/** The players' bars: name, clock, status and connection. */

import { t, told } from "./language.js";
import { seatMark } from "./marks.js";
import { announce, fill, h, set } from "./dom.js";
import { sound } from "./settings.js";
import { ordinal, ratingText, timeLeft } from "./words.js";

const URGENT_MS = 10_000;
const WARNINGS_MS = [60_000, 30_000, 10_000];

export class Bars {
  /**
   * @param {MatchRecord} record
   * @param {() => number} now the server's time
   * @param {(event: PointerEvent) => void} take begins to drag a wall
   * @param {(player: Player) => void} meet shows what one may do about a player
   */
  constructor(record, now, take, meet) {
    this.record = record;
    this.now = now;
    /** @type {[string, number][]} */
    this.gauges = [];
    this.bars = record.seats.map((info, seat) => {
      const clock = h("time.clock", { role: "timer", "aria-live": "off" });
      const gauge = h("span.gauge");
      const mine = seat === record.seat;
      const rack = h("span", { class: `rack${mine ? " mine" : ""}`, "aria-hidden": "true", on: mine ? { pointerdown: take } : {} });
      const dot = h("span.presence");
      const press = (/** @type {Event} */ event) => {
        if (name.hasAttribute("href") || name.getAttribute("role") !== "button") return;
        if (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        meet(info.player);
      };
      const name = h("a.name", { title: info.player.name, on: { click: press, keydown: press } }, h("bdi", info.player.name));
      const rating = info.rating === null ? null : h("span.rating", { title: info.provisional ? t("provisional rating") : t("rating") }, ratingText({ ...info, rating: info.rating }));
      const notes = h("span.notes");
      const element = h(
        "div",
        { class: `bar flow panel seat-${seat}`, data: { seat: String(seat) } },
        seatMark(seat),
        h(
          "div.grow",
          h("div.top.flow", name, info.player.kind === "bot" ? h("small.bot", [t("bot"), info.version].filter(Boolean).join(" ")) : null, rating, dot, notes),
          h("div.flow", gauge, rack),
        ),
        clock,
      );
      return { element, name, clock, gauge, rack, dot, notes, warned: Infinity };
    });
    this.timer = 0;
  }

  /** @param {number} seat */
  element(seat) {
    return this.bars[seat].element;
  }

  draw() {
    const { record } = this;
    const { turn } = record;
    this.bars.forEach((bar, seat) => {
      const info = record.seats[seat];
      const here = record.connected[seat];
      bar.element.classList.toggle("turn", turn === seat);
      bar.element.classList.toggle("winner", record.over && record.winner === seat);
      bar.element.classList.toggle("out", info.place !== null && !record.over);
      // A line of play has no match, so it has neither profiles nor connections to show. A player stays at the board.
      const leads = record.id && (record.over || record.seat === null);
      const opens = record.id && !leads && seat !== record.seat;
      set(bar.name, { href: leads ? `#/player/${info.player.id}/${record.id}` : null, role: opens ? "button" : null, tabindex: opens ? 0 : null });
      bar.dot.hidden = !record.id;
      bar.dot.classList.toggle("away", !here);
      bar.dot.title = here ? t("connected") : t("not connected");
      bar.dot.textContent = here ? "" : t("away");
      const [label, count] = this.gauges[seat] ?? ["", 0];
      // With 0 the label says all.
      const words = count === 1 ? label.replace(/s\b/, "") : label;
      bar.gauge.textContent = told(count ? `${count} ${words}` : label);
      const walls = /^walls?$/.test(label) ? count : 0;
      if (bar.rack.childElementCount !== walls) fill(bar.rack, Array.from({ length: walls }, () => h("i")));
      const notes = [];
      if (seat === record.seat) notes.push(t("you"));
      if (info.place !== null && record.seats.length > 2) notes.push(ordinal(info.place));
      bar.notes.textContent = notes.join(" · ");
      // Beside a rating there is no room for them; one's own bar is the lower one.
      bar.notes.classList.toggle("unseen", info.rating !== null);
      bar.clock.hidden = record.clocks.left[seat] === null;
    });
    this.tick();
  }

  /** Show every clock, and schedule the next update for the change of a digit. */
  tick() {
    clearTimeout(this.timer);
    const { left, running, at } = this.record.clocks;
    let next = 0;
    this.bars.forEach((bar, seat) => {
      const full = left[seat];
      if (full === null) return;
      const runs = running === seat && !this.record.over;
      const ms = Math.max(0, full - (runs ? Math.max(0, this.now() - at) : 0));
      const text = timeLeft(ms);
      if (bar.clock.textContent !== text) bar.clock.textContent = text;
      bar.clock.classList.toggle("runs", runs);
      bar.clock.classList.toggle("urgent", ms < URGENT_MS && !this.record.over);
      if (!runs) return;
      next = ms < URGENT_MS ? 50 : 200;
      const passed = WARNINGS_MS.find((limit) => ms <= limit && bar.warned > limit && full > limit);
      if (passed !== undefined) {
        bar.warned = passed;
        if (seat === this.record.seat) {
          announce(t("{seconds} seconds left", { seconds: passed / 1000 }), passed <= URGENT_MS);
          if (passed <= URGENT_MS) sound("low");
        }
      }
      if (ms > WARNINGS_MS[0]) bar.warned = Infinity;
    });
    if (next) this.timer = window.setTimeout(() => this.tick(), next);
  }

  close() {
    clearTimeout(this.timer);
  }
}

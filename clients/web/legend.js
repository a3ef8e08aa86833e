/** The overlays of an analysis: which one is on the board, and what its colours and marks mean. */

import { fill, h } from "./dom.js";
import { t, told } from "./studytexts.js";
import { seatMark } from "./marks.js";
import { nameOf, sentence } from "./words.js";

export class Legend {
  /** @param {MatchRecord} record @param {(picture: OverlayPicture | null) => void} paint */
  constructor(record, paint) {
    this.record = record;
    this.paint = paint;
    /** @type {readonly OverlayPicture[]} */
    this.overlays = [];
    this.chosen = "";
    this.chooser = h("select", { on: { change: () => this.#show(this.chooser.value) } });
    this.choice = h("label.choice.flow", t("On the board"), " ", this.chooser);
    this.words = h("p.quiet");
    this.key = h("div.key");
    this.element = h("div.legend", this.choice, this.key, this.words);
  }

  /** List the overlays of a position; the same one stays on the board. @param {readonly OverlayPicture[]} overlays */
  offer(overlays) {
    this.overlays = overlays;
    this.element.hidden = !overlays.length;
    const pictures = [{ name: "", title: t("nothing") }, ...overlays];
    const sign = JSON.stringify(pictures.map(({ name, title }) => [name, title]));
    if (this.chooser.dataset.drawn !== sign) {
      this.chooser.dataset.drawn = sign;
      fill(
        this.chooser,
        pictures.map(({ name, title }) => h("option", { value: name }, this.#named(title))),
      );
    }
    this.#show(this.chosen);
  }

  /** Draw one of the overlays on the board. @param {string} name */
  #show(name) {
    this.chosen = name;
    const picture = this.overlays.find((each) => each.name === name);
    this.chooser.value = picture?.name ?? "";
    this.paint(picture ? { ...picture, title: this.#named(picture.title) } : null);
    this.words.textContent = picture ? sentence(this.#named(picture.legend)) : "";
    fill(this.key, picture ? this.#keyOf(picture) : []);
  }

  /** @param {OverlayPicture} picture */
  #keyOf(picture) {
    if (picture.kind === "heat") {
      const steps = [0, 3, 6, 9].map((degree) => {
        const sample = h("i.sample.heat", h("i"));
        sample.style.setProperty("--heat", String(degree));
        return sample;
      });
      return h("span", told(picture.low) || t("little"), ...steps, told(picture.high) || t("much"));
    }
    const marks = [...new Set(picture.cells.replace(/[./]/g, ""))].sort();
    return marks.map((mark) => {
      const both = mark === "b";
      const seats = both ? this.record.seats.map((_, seat) => seat) : [Number(mark)];
      const sample = h(`i.sample.${both ? "both" : `seat-${mark}`}`, seats.map(seatMark));
      return h("span", sample, both ? t("both") : nameOf(this.record.seats[Number(mark)].player));
    });
  }

  /** Replace seat numbers by names. @param {string} text */
  #named(text) {
    const named = text.replace(/\b(?:seat|pawn) ([0-3])/gi, (whole, seat) =>
      this.record.seats[seat] ? nameOf(this.record.seats[seat].player) : whole,
    );
    return told(named);
  }
}

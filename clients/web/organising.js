/** What a tournament's organiser does: start, pause, pair by hand, tell, take players out, end, and save the table. */

import { button, fill, h } from "./dom.js";
import { t } from "./tournamenttexts.js";
import { twice } from "./twice.js";
import { nameOf } from "./words.js";

/** @typedef {import("./tournament.js").TournamentView} TournamentView */
/** @typedef {import("./protocol").Standing} Standing */

export class Organising {
  /** @param {Page} page @param {TournamentView} view */
  constructor(page, view) {
    this.page = page;
    this.view = view;
    this.orders = h("div.row");
    this.line = h("input", { maxlength: 300, dir: "auto", autocomplete: "off" });
    this.telling = h("form.row", h("label.field", h("span", t("A line to all players")), this.line), h("button", { type: "submit" }, t("Send it")));
    this.telling.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#tell();
    });
    this.player = h("select", { "aria-label": t("Player to take out") });
    this.taking = h("div.row", this.player, twice(t("Forfeit"), t("Really take out?"), () => this.#forfeit()));
    this.seats = [h("select", { "aria-label": t("Moves first") }), h("select", { "aria-label": t("Moves second") })];
    /** @type {[string, string][]} the pairs so far, by ids */
    this.pairs = [];
    this.paired = h("ul.quiet");
    this.pairing = h(
      "div",
      { hidden: true },
      h("h3", t("Pair by hand")),
      h("div.row", this.seats, button(t("Add the pair"), () => this.#add()), button(t("Begin these games"), () => this.#begin(), "primary")),
      this.paired,
    );
    this.element = h("details.panel.organise", { hidden: true, open: true }, h("summary", t("Organise")), this.orders, this.pairing, this.telling, this.taking);
  }

  draw() {
    const { info, isOrganiser, standings, rest } = this.view;
    this.element.hidden = !isOrganiser || !info;
    if (!info || !isOrganiser) return;
    const { status, settings, pending, is_paused: paused, round } = info;
    const isLive = status === "open" || status === "running";
    const byHand = settings.format === "by_hand";
    const isNext = status === "running" && !byHand && settings.format !== "arena" && !pending && !paused;
    const order = (/** @type {string} */ text, /** @type {Needing<"tournament">} */ type, kind = "") => button(text, () => this.view.order(type), kind);
    const sign = JSON.stringify([status, isNext, paused, round, pending]);
    if (this.orders.dataset.sign !== sign) {
      this.orders.dataset.sign = sign;
      fill(
        this.orders,
        status === "open" ? order(t("Start now"), "start_tournament", "primary") : null,
        isNext ? order(t("Next round now"), "start_tournament", "primary") : null,
        status === "running" ? (paused ? order(t("Go on"), "resume_tournament", "primary") : order(t("Pause all clocks"), "pause_tournament")) : null,
        status === "running" && !pending ? twice(t("End it with these standings"), t("Really end it?"), () => this.view.order("finish_tournament")) : null,
        isLive ? twice(t("Cancel it"), t("Really cancel it?"), () => this.view.order("cancel_tournament")) : null,
      );
    }
    this.telling.hidden = this.taking.hidden = !isLive;
    this.pairing.hidden = !byHand || status !== "running";
    const there = [...standings, ...rest].filter((row) => !row.is_out);
    const players = JSON.stringify(there.map(({ player }) => player.id));
    if (this.player.dataset.sign === players) return;
    this.player.dataset.sign = players;
    for (const select of [this.player, ...this.seats]) {
      const chosen = select.value;
      fill(select, there.map(({ player }) => h("option", { value: player.id }, nameOf(player))));
      if (there.some(({ player }) => player.id === chosen)) select.value = chosen;
    }
    if (there.length > 1 && this.seats[0].value === this.seats[1].value) this.seats[1].selectedIndex = 1;
  }

  async #tell() {
    const text = this.line.value.trim();
    if (!text) return;
    try {
      await this.page.link.ask({ type: "tell_tournament", tournament: this.view.id, text }, { lasting: true });
      this.line.value = "";
      this.page.toast(t("All players were told."));
    } catch (error) {
      this.page.complain(error);
    }
  }

  async #forfeit() {
    try {
      await this.page.link.ask({ type: "forfeit_player", tournament: this.view.id, player: this.player.value }, { lasting: true });
    } catch (error) {
      this.page.complain(error);
    }
  }

  #add() {
    const [one, other] = this.seats.map((select) => select.value);
    if (!one || one === other || this.pairs.flat().some((player) => player === one || player === other)) {
      this.page.toast(t("Choose two players who are in no pair yet."));
      return;
    }
    this.pairs.push([one, other]);
    this.#drawPairs();
  }

  #drawPairs() {
    const name = (/** @type {string} */ id) => [...this.seats[0].options].find(({ value }) => value === id)?.textContent ?? id;
    fill(
      this.paired,
      this.pairs.map((pair) =>
        h(
          "li",
          pair.map(name).join(" – "),
          " ",
          button(t("Remove"), () => {
            this.pairs = this.pairs.filter((each) => each !== pair);
            this.#drawPairs();
          }, "plain"),
        ),
      ),
    );
  }

  async #begin() {
    // Two players who are chosen and not added are the pair that is meant.
    if (!this.pairs.length) this.#add();
    if (!this.pairs.length) return;
    try {
      await this.page.link.ask({ type: "pair_by_hand", tournament: this.view.id, pairs: this.pairs }, { lasting: true });
      this.pairs = [];
      this.#drawPairs();
    } catch (error) {
      this.page.complain(error);
    }
  }
}

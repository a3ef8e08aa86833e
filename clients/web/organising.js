/** What a tournament's organiser does on its page: the orders of all who lead one, and taking players out. */

import { fill, h } from "./dom.js";
import { orders } from "./leading.js";
import { t } from "./tournamenttexts.js";
import { twice } from "./twice.js";
import { nameOf } from "./words.js";

/** @typedef {import("./tournament.js").TournamentView} TournamentView */

export class Organising {
  /** @param {Page} page @param {TournamentView} view */
  constructor(page, view) {
    this.page = page;
    this.view = view;
    this.orders = h("div.row");
    this.player = h("select", { "aria-label": t("Player to take out") });
    this.taking = h("div.row", this.player, twice(t("Forfeit"), t("Really take out?"), () => this.#forfeit()));
    this.element = h("details.panel.organise", { hidden: true, open: true }, h("summary", t("Organise")), this.orders, this.taking);
  }

  draw() {
    const { info, isOrganiser, standings, rest } = this.view;
    this.element.hidden = !isOrganiser || !info;
    if (!info || !isOrganiser) return;
    const { status, pending, is_paused: paused } = info;
    const sign = JSON.stringify([status, paused, pending > 0]);
    if (this.orders.dataset.sign !== sign) {
      this.orders.dataset.sign = sign;
      fill(this.orders, orders(this.page, info, paused));
    }
    this.taking.hidden = status !== "open" && status !== "running";
    const there = [...standings, ...rest].filter((row) => !row.is_out);
    const players = JSON.stringify(there.map(({ player }) => player.id));
    if (this.player.dataset.sign === players) return;
    this.player.dataset.sign = players;
    const chosen = this.player.value;
    fill(this.player, there.map(({ player }) => h("option", { value: player.id }, nameOf(player))));
    if (there.some(({ player }) => player.id === chosen)) this.player.value = chosen;
  }

  async #forfeit() {
    try {
      await this.page.link.ask({ type: "forfeit_player", tournament: this.view.id, player: this.player.value }, { lasting: true });
    } catch (error) {
      this.page.complain(error);
    }
  }
}

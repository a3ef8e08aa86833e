/** The wall of an event: all its live boards, and what its teacher does with all of them at once. */

import { askInTurn } from "./asking.js";
import { button, fill, h } from "./dom.js";
import { resultsFile } from "./eventresults.js";
import { counted, t } from "./grouptexts.js";
import { orders } from "./leading.js";
import { Boards } from "./wall.js";
import { isolated } from "./words.js";

/** @typedef {import("./protocol").TournamentState} TournamentState */
/** @typedef {import("./protocol").TournamentInfo} TournamentInfo */
/** @typedef {import("./protocol").PairingInfo} PairingInfo */
/** @typedef {Pick<TournamentState, "tournament" | "pairings" | "standings">} Shown */

/** @implements {View} */
export class EventWallView {
  /** @param {Page} page @param {string} id of the tournament */
  constructor(page, id) {
    this.page = page;
    this.id = id;
    /** @type {Shown | null} */
    this.state = null;
    /** Whether I may lead it. */
    this.leads = false;
    this.abort = new AbortController();
    this.boards = new Boards(page, () => this.#draw());
    this.heading = h("h1", t("Wall of boards"));
    this.facts = h("p.quiet", { role: "status" });
    this.choices = h("div.row");
    this.empty = h("p.quiet.empty", { hidden: true });
    this.element = h("div.wall", h("header.flow", h("div.grow", this.heading, this.facts), this.choices), this.empty, this.boards.element);
    document.title = `${t("Wall of boards")} – Cornered`;
    page.link.hear(
      {
        online: () => this.#watch(),
        tournament_changed: (changed) => changed.tournament.id === id && this.#show(changed),
      },
      this.abort.signal,
    );
    if (page.link.state === "online") this.#watch();
  }

  close() {
    this.abort.abort();
    this.boards.close();
    if (this.page.link.state === "online") this.page.link.ask({ type: "leave_tournament", tournament: this.id }).catch(() => {});
  }

  async #watch() {
    const { link } = this.page;
    try {
      const state = await askInTurn(link, { type: "watch_tournament", tournament: this.id }, this.abort.signal);
      const { group } = state.tournament.settings;
      const roles = group ? (await askInTurn(link, { type: "ask_groups" }, this.abort.signal)).groups : [];
      this.leads = state.tournament.organiser.id === link.me?.id || roles.some(({ id, role }) => id === group && role === "teacher");
      if (!this.abort.signal.aborted) this.#show(state);
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code === "offline") return;
      this.empty.hidden = false;
      fill(this.empty, message);
    }
  }

  /** @param {Shown} state */
  #show(state) {
    this.state = state;
    const { settings } = state.tournament;
    document.title = `${isolated(settings.name)} – Cornered`;
    this.heading.textContent = settings.name;
    this.boards.show(state.pairings.flatMap(({ match }) => match ?? []));
    this.#draw();
  }

  #draw() {
    const { state, boards } = this;
    if (!state) return;
    const { tournament, pairings } = state;
    const tiles = [...boards.tiles.values()];
    const going = pairings.filter(({ how, match }) => how === "pending" && match).length;
    const paused = tournament.is_paused || (tiles.some((tile) => tile.isPaused) && tiles.every((tile) => tile.isPaused || tile.isOver));
    const facts = [
      tournament.round ? t("Round {round}", { round: tournament.round }) : counted(tournament.players, "{count} player takes part", "{count} players take part"),
      tournament.round ? counted(going, "{count} game goes on", "{count} games go on") : "",
      paused ? t("all clocks are paused") : "",
    ];
    fill(this.facts, facts.filter(Boolean).join(" · "));
    this.empty.hidden = Boolean(boards.tiles.size);
    fill(this.empty, tournament.status === "open" ? t("The boards appear here when the first games begin.") : t("No game goes on just now."));
    this.element.classList.toggle("paused", paused);
    const sign = JSON.stringify([this.leads, paused, tournament.status, tournament.pending > 0, tournament.settings.format, tournament.settings.group]);
    if (this.choices.dataset.sign === sign) return;
    this.choices.dataset.sign = sign;
    fill(this.choices, this.#buttons(tournament, paused));
  }

  /** @param {TournamentInfo} tournament @param {boolean} paused */
  #buttons(tournament, paused) {
    const { settings } = tournament;
    return [
      ...(this.leads ? orders(this.page, tournament, paused) : []),
      button(t("Download results (CSV)"), () => this.#download()),
      settings.group ? h("a.button", { href: `#/group/${settings.group}` }, t("To the class")) : null,
    ];
  }

  async #download() {
    try {
      const { name, text } = await resultsFile(this.page, this.id);
      const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
      const link = h("a", { href: address, download: name, hidden: true });
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    } catch (error) {
      this.page.complain(error);
    }
  }
}

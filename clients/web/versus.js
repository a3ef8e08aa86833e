/** Head to head: the results of the finished public games between two players, and the newest of these. */

import { t } from "./archivetexts.js";
import { askInTurn } from "./asking.js";
import { archiveRoute } from "./conditions.js";
import { matchCard } from "./cards.js";
import { fill, h } from "./dom.js";
import { PlayerField } from "./playerfield.js";
import { gamesText, resultsBar } from "./results.js";

/** @typedef {import("./protocol").HeadToHeadCount} Count */

/** Games that are shown. */
const GAMES = 6;

/** @implements {View} */
export class VersusView {
  /** @param {Page} page @param {string} one @param {string} other ids of players, or nothing */
  constructor(page, one, other) {
    this.page = page;
    this.ids = [one, other];
    this.names = ["", ""];
    this.abort = new AbortController();
    this.fields = [new PlayerField(page, t("Player"), this.abort.signal), new PlayerField(page, t("Against"), this.abort.signal)];
    this.form = h("form.panel.conditions", { role: "search", "aria-label": t("Two players") }, h("div.condition-grid", this.fields[0].element, this.fields[1].element), h("footer.row", h("button.primary", { type: "submit" }, t("Compare"))));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.heading = h("h1", t("Head to head"));
    this.words = h("p.quiet", { role: "status" });
    this.rows = h("tbody");
    this.table = h(
      "table.outcomes",
      { hidden: true },
      h("caption.unseen", t("Results by game")),
      h("thead", h("tr", h("th", { scope: "col" }, t("Game")), h("th.figure", { scope: "col" }, t("Won")), h("th.figure", { scope: "col" }, t("Drawn")), h("th.figure", { scope: "col" }, t("Lost")), h("th", { scope: "col" }, t("Results")))),
      this.rows,
    );
    this.games = h("div.list.live");
    this.block = h("section.block", { hidden: true }, h("h2", t("Newest games")), this.games);
    this.links = h("div.row");
    this.element = h(
      "div.lobby.versus",
      h("header.flow", this.heading, h("a.button", { href: "#/archive/" }, t("Archive"))),
      this.form,
      h("div.panel.findings", this.words, this.table, this.links),
      this.block,
    );
    document.title = `${t("Head to head")} – Cornered`;
    const { signal } = this.abort;
    page.link.hear({ online: () => this.#learn() }, signal);
    page.store.addEventListener("change", () => this.counts && this.#draw(this.counts), { signal });
    if (page.link.state === "online") this.#learn();
  }

  close() {
    this.abort.abort();
  }

  async #submit() {
    try {
      const [one, other] = [await this.fields[0].find(), await this.fields[1].find()];
      if (one && other && one !== other) this.page.go(`#/versus/${one}/${other}`);
      else {
        this.words.textContent = t("Name two different players.");
        this.fields[one ? 1 : 0].input.focus();
      }
    } catch {
      // The field says what is wrong.
    }
  }

  async #learn() {
    const { link } = this.page;
    const { signal } = this.abort;
    const [player, opponent] = this.ids;
    if (!player || !opponent) {
      this.words.textContent = t("Name two players to see how they have played against each other.");
      if (!player && link.me) await this.fields[0].show(link.me.id);
      return;
    }
    try {
      const { matches } = await askInTurn(link, { type: "ask_archive", player, opponent }, signal);
      // A game tells the names too, and is asked for anyway.
      const known = matches[0]?.players ?? [];
      for (const [index, field] of this.fields.entries()) {
        const found = known.find(({ id }) => id === this.ids[index]);
        if (found) field.fill(found);
        else await field.show(this.ids[index]);
      }
      this.names = this.fields.map((field) => field.known);
      const { games } = await askInTurn(link, { type: "ask_head_to_head", player, opponent }, signal);
      if (signal.aborted) return;
      this.counts = games;
      this.#draw(games);
      this.block.hidden = !matches.length;
      fill(this.games, matches.slice(0, GAMES).map((match) => matchCard(this.page, match)));
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code !== "offline") this.words.textContent = message;
    }
  }

  /** @param {readonly Count[]} counts */
  #draw(counts) {
    const [one, other] = this.names;
    const [player, opponent] = this.ids;
    fill(this.heading, h("bdi", one), h("span.quiet", ` ${t("against")} `), h("bdi", other));
    document.title = `${one} – ${other}`;
    const sum = (/** @type {"wins" | "draws" | "losses"} */ name) => counts.reduce((total, count) => total + count[name], 0);
    const all = { wins: sum("wins"), draws: sum("draws"), losses: sum("losses") };
    this.words.textContent = counts.length
      ? t("{games}, as {name} sees the results.", { games: gamesText(all), name: one })
      : t("They have finished no public game against each other yet.");
    this.table.hidden = !counts.length;
    const row = (/** @type {string} */ title, /** @type {typeof all} */ results) =>
      h("tr", h("th", { scope: "row" }, title), h("td.figure", String(results.wins)), h("td.figure", String(results.draws)), h("td.figure", String(results.losses)), h("td.wide", resultsBar(results)));
    fill(this.rows, counts.map((count) => row(this.page.store.title(count.game), count)), counts.length > 1 ? row(t("All games"), all) : null);
    fill(
      this.links,
      counts.length ? h("a.button", { href: archiveRoute({ player, opponent }) }, t("All their games")) : null,
      h("a.button", { href: `#/versus/${opponent}/${player}` }, t("As the other sees it")),
    );
  }
}

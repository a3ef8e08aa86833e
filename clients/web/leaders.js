/** Leaderboards: the best of a rating pool, people and bots apart. */

import { button, fill, h, set } from "./dom.js";
import { counted, t } from "./playertexts.js";
import { poolText } from "./ratingwords.js";
import { decoded } from "./route.js";

/** @typedef {import("./protocol").PoolInfo} PoolInfo */
/** @typedef {import("./protocol").RankedPlayer} RankedPlayer */
/** @typedef {Player["kind"]} Kind */

/** @implements {View} */
export class LeadersView {
  /** @param {Page} page @param {string} pool the pool of the address, or nothing @param {string} kind */
  constructor(page, pool, kind) {
    this.page = page;
    this.pool = decoded(pool);
    /** @type {Kind} */
    this.kind = kind === "bot" ? "bot" : "person";
    /** @type {readonly PoolInfo[]} */
    this.pools = [];
    /** @type {readonly RankedPlayer[]} */
    this.entries = [];
    this.more = /** @type {string | null} */ (null);
    this.abort = new AbortController();
    this.choice = h("select", { "aria-label": t("Pool"), on: { change: () => this.#go(this.choice.value, this.kind) } });
    /** @type {Record<Kind, HTMLButtonElement>} */
    this.kinds = {
      person: button(t("People"), () => this.#go(this.pool, "person"), "plain"),
      bot: button(t("Bots"), () => this.#go(this.pool, "bot"), "plain"),
    };
    this.rows = h("tbody");
    this.table = h(
      "table.leaders",
      { hidden: true },
      h("caption.unseen", t("Leaderboard")),
      h("thead", h("tr", h("th.place", { scope: "col" }, t("Place")), h("th", { scope: "col" }, t("Name")), h("th.figure", { scope: "col" }, t("Rating")), h("th.figure", { scope: "col" }, t("Games")))),
      this.rows,
    );
    this.words = h("p.quiet.empty", { role: "status" }, t("Loading…"));
    this.further = button(t("Show more"), () => this.#further(), "plain", { hidden: true });
    this.element = h(
      "div.lobby.leaderboards",
      h("h1", t("Leaderboards")),
      h("div.row", this.choice, h("div.row", { role: "group", "aria-label": t("People or bots") }, this.kinds.person, this.kinds.bot)),
      h("div.panel", this.words, this.table, this.further),
      h("p.quiet", t("Players are listed once their rating is established, which takes some rated games. Every game, board and speed has a pool of its own.")),
    );
    document.title = `${t("Leaderboards")} – Cornered`;
    const { signal } = this.abort;
    page.link.hear({ online: () => this.#ask() }, signal);
    page.store.addEventListener("change", () => this.#drawPools(), { signal });
    if (page.link.state === "online") this.#ask();
  }

  close() {
    this.abort.abort();
  }

  /** @param {string} pool @param {Kind} kind */
  #go(pool, kind) {
    this.pool = pool;
    this.kind = kind;
    history.replaceState(null, "", `#/leaders/${encodeURIComponent(pool)}/${kind}`);
    this.#learn();
  }

  async #ask() {
    try {
      const { pools } = await this.page.link.ask({ type: "ask_pools" });
      this.pools = pools;
    } catch (error) {
      this.#trouble(error);
      return;
    }
    this.pool ||= this.pools[0]?.pool ?? "";
    this.#drawPools();
    await this.#learn();
  }

  #drawPools() {
    const { pools, choice, page } = this;
    choice.hidden = !pools.length;
    const sign = `${pools.length} ${page.store.games.length}`;
    if (choice.dataset.sign === sign) return;
    choice.dataset.sign = sign;
    const sorted = pools.map((pool) => ({ value: pool.pool, text: poolText(page, pool) })).sort((one, two) => one.text.localeCompare(two.text));
    if (this.pool && !pools.some(({ pool }) => pool === this.pool)) sorted.unshift({ value: this.pool, text: this.pool });
    fill(choice, sorted.map(({ value, text }) => h("option", { value }, text)));
    choice.value = this.pool;
  }

  /** Ask for the first page. */
  async #learn() {
    for (const [kind, press] of Object.entries(this.kinds)) set(press, { "aria-pressed": String(kind === this.kind) });
    this.entries = [];
    this.more = null;
    if (!this.pool) {
      this.#draw(t("Nobody has played a rated game here yet. Quick pairing in the lobby begins one."));
      return;
    }
    await this.#further();
  }

  async #further() {
    const { pool, kind, more } = this;
    try {
      const answer = await this.page.link.ask({ type: "ask_leaderboard", pool, kind, ...(more === null ? {} : { after: more }) });
      if (this.pool !== pool || this.kind !== kind || this.more !== more) return;
      this.entries = [...this.entries, ...answer.entries];
      this.more = answer.more;
      const nobody = kind === "bot" ? t("No bot has an established rating here yet.") : t("Nobody has an established rating here yet.");
      this.#draw(this.entries.length ? counted(answer.total, "{count} player with an established rating", "{count} players with an established rating") : nobody);
    } catch (error) {
      this.#trouble(error);
    }
  }

  /** @param {unknown} error */
  #trouble(error) {
    const { code, message } = /** @type {Refused} */ (error);
    // It is asked again on the next connection.
    if (code !== "offline") this.#draw(message);
  }

  /** @param {string} words */
  #draw(words) {
    const me = this.page.link.me?.id;
    this.words.textContent = words;
    this.table.hidden = !this.entries.length;
    this.further.hidden = this.more === null;
    fill(
      this.rows,
      this.entries.map(({ rank, player, rating, games }) =>
        h(
          "tr",
          { class: player.id === me ? "me-row" : null, "aria-current": player.id === me ? "true" : null },
          h("td.place", String(rank)),
          h("td", h("a.plainly", { href: `#/player/${player.id}` }, h("bdi", player.name)), player.id === me ? h("span.quiet", " ", t("(you)")) : null),
          h("td.figure", h("strong", String(rating))),
          h("td.figure.quiet", String(games)),
        ),
      ),
    );
  }
}

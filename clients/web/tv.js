/** TV: the best live game of each kind, as its spectators see it; when it ends or a better one begins, the next one. */

import { t } from "./archivetexts.js";
import { button, fill, h } from "./dom.js";
import { MatchView } from "./match.js";
import { nameOf, ratingText } from "./words.js";

/** How often the server is asked what is best. */
const LOOK_MS = 4_000;
/** How long the end of a game stays on show. */
const END_MS = 7_000;

/** @implements {View} */
export class TvView {
  /** @param {Page} page @param {string} game the channel; the best game of all without one */
  constructor(page, game) {
    this.page = page;
    this.game = game;
    /** @type {readonly MatchSummary[]} */
    this.channels = [];
    /** @type {MatchView | null} */
    this.shown = null;
    /** When the game on show was seen to be over, or 0. */
    this.overAt = 0;
    this.timer = 0;
    this.abort = new AbortController();
    this.titles = h("nav.games.row", { "aria-label": t("Channels") });
    this.words = h("p.quiet", { role: "status" });
    this.stage = h("div.channel");
    this.element = h(
      "div.tv",
      h("header.row", h("h1", t("TV")), this.titles, h("a.button", { href: "#/leaders//person" }, t("Best players")), h("a.button", { href: "#/leaders//bot" }, t("Best bots"))),
      this.words,
      this.stage,
    );
    const { signal } = this.abort;
    page.link.hear({ online: () => this.#look() }, signal);
    page.store.addEventListener("change", () => this.#drawTitles(), { signal });
    if (page.link.state === "online") this.#look();
  }

  get playingIn() {
    return this.shown?.playingIn;
  }

  close() {
    this.abort.abort();
    clearTimeout(this.timer);
    this.shown?.close();
  }

  /** Ask what is best now, and again after a while. */
  async #look() {
    clearTimeout(this.timer);
    try {
      const { matches } = await this.page.link.ask({ type: "ask_tv" });
      if (this.abort.signal.aborted) return;
      this.channels = matches;
      this.game ||= (matches.find(({ players }) => players.every(({ kind }) => kind === "person")) ?? matches[0])?.game.name ?? "";
      this.#turn();
    } catch {
      // Asked again below, or on the next connection.
    }
    if (!this.abort.signal.aborted) this.timer = window.setTimeout(() => this.#look(), LOOK_MS);
  }

  /** Show the best game of the channel; one that is over stays for a while. */
  #turn() {
    const { shown, page } = this;
    const best = this.channels.find(({ game }) => game.name === this.game);
    this.#drawTitles();
    if (shown?.record?.over) this.overAt ||= Date.now();
    const isSeen = this.overAt > 0 && Date.now() - this.overAt < END_MS;
    // A player is not taken away from a game of his own.
    if (shown && (shown.match === best?.id || shown.playingIn || isSeen)) return;
    shown?.close();
    this.shown = null;
    this.overAt = 0;
    if (best) {
      this.shown = new MatchView(page, best.id);
      fill(this.stage, this.shown.element);
      fill(this.words);
    } else {
      fill(this.stage);
      this.#drawNothing();
    }
    document.title = `${t("TV")} – Cornered`;
  }

  #drawNothing() {
    const { game, page } = this;
    const title = page.store.title(game);
    fill(
      this.words,
      game ? t("Nobody plays {game} just now. The next game is shown when it begins.", { game: title }) : t("Nobody plays just now. The next game is shown when it begins."),
      " ",
      page.store.offered(game) ? button(t("Play a bot"), () => page.quickBot(game)) : h("a.button", { href: "#/" }, t("To the lobby")),
    );
  }

  #drawTitles() {
    const { channels, game: chosen } = this;
    const sign = JSON.stringify([channels.map(({ id }) => id), this.page.store.games.length, chosen]);
    if (this.titles.dataset.sign === sign) return;
    this.titles.dataset.sign = sign;
    const names = this.page.store.games.map(({ name }) => name);
    fill(
      this.titles,
      names.map((name) => {
        const match = channels.find(({ game }) => game.name === name);
        return h(
          "a.button",
          { href: `#/tv/${name}`, "aria-current": name === chosen ? "page" : null, title: match ? pairText(match) : t("no game") },
          match ? h("span.lamp", { "aria-hidden": "true" }) : null,
          this.page.store.title(name),
          match ? null : h("span.unseen", `, ${t("no game")}`),
        );
      }),
    );
  }
}

/** Who plays, with the ratings at the start. @param {MatchSummary} match */
const pairText = ({ players, ratings }) =>
  players.map((player, seat) => [nameOf(player), ratings[seat] && ratingText(ratings[seat])].filter(Boolean).join(" ")).join(" – ");

/** A player's profile: ratings, the course of one of them, and games. */

import { matchCard } from "./cards.js";
import { button, fill, h, set } from "./dom.js";
import { load } from "./lazy.js";
import { counted, t } from "./playertexts.js";
import { ratingGraph } from "./ratinggraph.js";
import { poolText, speedText } from "./ratingwords.js";
import { nameOf, optionText, ratingText } from "./words.js";

/** @typedef {import("./protocol").Profile} Profile */
/** @typedef {import("./protocol").PoolRating} PoolRating */

/** Games of mine that are shown. */
const GAMES = 6;

/** @implements {View} */
export class ProfileView {
  /** @param {Page} page @param {string} id the player @param {string} match in which one met, or nothing */
  constructor(page, id, match) {
    this.page = page;
    this.id = id;
    this.match = match;
    /** @type {Profile | null} */
    this.profile = null;
    /** The pool whose course is shown. */
    this.pool = "";
    this.abort = new AbortController();
    this.heading = h("h1", t("Profile"));
    this.choices = h("div.row");
    this.relations = h("div");
    this.ratings = h("div.ratings", { role: "group", "aria-label": t("Ratings") });
    this.course = h("section.panel.course", { hidden: true });
    this.games = h("div.list.mine");
    this.gamesBlock = h("section.block", { hidden: true }, h("h2", t("Newest games")), this.games);
    this.element = h("div.lobby.profile", h("header.flow", this.heading, this.relations, this.choices), this.ratings, this.course, this.gamesBlock);
    document.title = t("Profile");
    const { signal } = this.abort;
    page.link.hear({ online: () => this.#ask(), renamed: () => this.#ask() }, signal);
    page.store.addEventListener("change", () => this.#draw(), { signal });
    if (page.link.state === "online") this.#ask();
  }

  close() {
    this.abort.abort();
  }

  get #isMe() {
    return this.id === this.page.link.me?.id;
  }

  async #ask() {
    const { link } = this.page;
    try {
      this.profile = await link.ask({ type: "ask_profile", player: this.id });
      this.#draw();
      const [first] = this.profile.ratings;
      if (first && !this.pool) await this.#open(first);
      if (this.#isMe) await this.#learnGames();
      else await this.#showBonds(this.profile.player);
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code !== "offline" && !this.profile) fill(this.ratings, h("p.empty", message));
    }
  }

  /** @param {Player} player */
  async #showBonds(player) {
    const { relationButtons } = await load(() => import("./relations.js"), "social.css");
    fill(this.relations, relationButtons(this.page, player));
  }

  async #learnGames() {
    const { live, finished } = await this.page.link.ask({ type: "ask_my_matches" });
    const games = [...live, ...finished].slice(0, GAMES);
    this.gamesBlock.hidden = !games.length;
    fill(this.games, games.map((match) => matchCard(this.page, match)));
  }

  #draw() {
    const { profile, page } = this;
    if (!profile) return;
    const { player, ratings } = profile;
    const sign = JSON.stringify([profile, page.store.games.length, page.store.players.has(player.id), this.pool, page.link.hasAccount]);
    if (this.element.dataset.sign === sign) return;
    this.element.dataset.sign = sign;
    document.title = `${nameOf(player)} – Cornered`;
    fill(this.heading, h("bdi", player.name), player.kind === "bot" ? h("small.bot", t("bot")) : null);
    const isHere = page.store.players.has(player.id) && !this.#isMe;
    const challenge = () => page.form(ratings[0]?.game.name ?? page.store.games[0]?.name, "player", player);
    fill(this.choices, isHere ? button(t("Challenge"), challenge, "primary") : null, this.#past(player), h("a.button", { href: "#/leaders" }, t("Leaderboards")), this.#isMe ? null : button(t("Report…"), () => this.#report(player), "plain"));
    if (ratings.length) fill(this.ratings, ratings.map((rating) => this.#card(rating)));
    else fill(this.ratings, h("p.quiet.empty", this.#isMe ? t("You have no rating yet: play a rated game, such as by quick pairing.") : t("{name} has played no rated game yet.", { name: nameOf(player) })));
  }

  /** The ways to a player's finished games. @param {Player} player */
  #past(player) {
    const { me } = this.page.link;
    return [
      h("a.button", { href: `#/archive/player=${player.id}` }, t("Finished games")),
      me && !this.#isMe ? h("a.button", { href: `#/versus/${me.id}/${player.id}` }, t("Head to head")) : null,
    ];
  }

  /** @param {Player} player */
  async #report(player) {
    try {
      const { reportPlayer } = await load(() => import("./reporting.js"));
      reportPlayer(this.page, player, this.match || null);
    } catch (error) {
      this.page.complain(error);
    }
  }

  /** @param {PoolRating} rating */
  #card(rating) {
    const { store } = this.page;
    const { game, speed, games, provisional, rank } = rating;
    const facts = [
      counted(games, "{count} game", "{count} games"),
      provisional ? t("provisional") : rank !== null ? t("place {rank}", { rank }) : "",
    ];
    return button(
      [
        h("span", h("strong", store.title(game.name)), " ", optionText(game, store.offered(game.name), true), " ", h("span.quiet", speedText(speed))),
        h("span.number", ratingText(rating)),
        h("small.quiet", facts.filter(Boolean).join(" · ")),
      ],
      () => this.#open(rating),
      "rating-card",
      { "aria-pressed": String(rating.pool === this.pool) },
    );
  }

  /** Show the course of a rating. @param {PoolRating} rating */
  async #open(rating) {
    this.pool = rating.pool;
    this.#draw();
    set(this.course, { "aria-busy": "true" });
    try {
      const { points } = await this.page.link.ask({ type: "ask_rating_history", player: this.id, pool: rating.pool });
      if (this.pool !== rating.pool) return;
      this.course.hidden = !points.length;
      const board = h("a", { href: `#/leaders/${encodeURIComponent(rating.pool)}/${this.profile?.player.kind ?? "person"}` }, t("Leaderboard of this pool"));
      fill(this.course, h("h2", poolText(this.page, rating)), ratingGraph(points), versionList(rating), board);
    } catch (error) {
      this.page.complain(error);
    } finally {
      set(this.course, { "aria-busy": null });
    }
  }
}

/** The versions of a bot in a pool, with the rating at the end of each; null where it has named none. @param {PoolRating} rating */
function versionList({ versions }) {
  if (!versions.length) return null;
  const rows = versions.map(({ version, games, rating, deviation }) =>
    h("li", h("strong", h("bdi", version)), ` ${rating} ± ${deviation}`, h("span.quiet", " · ", counted(games, "{count} game", "{count} games"))),
  );
  return h("div", h("h3", t("Versions")), h("ol.versions", rows));
}

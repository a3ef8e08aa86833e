/** A bot's page for its owner, by its link: connection, ratings, time, games with what the bot was asked, and what went wrong. */

import { askInTurn } from "./asking.js";
import { counted, list, number, t } from "./bottexts.js";
import { timeText } from "./dates.js";
import { button, fill, h, set } from "./dom.js";
import { poolText } from "./ratingwords.js";
import { clockText, nameOf, optionText, ratingText, reasonText, sentence } from "./words.js";

/** @typedef {import("./protocol").BotReport} BotReport */
/** @typedef {import("./protocol").BotGame} BotGame */
/** @typedef {import("./protocol").BotIncident} BotIncident */

/** @type {Record<BotGame["result"], string>} */
const RESULTS = { win: t("Won"), loss: t("Lost"), draw: t("Drawn"), none: t("No result") };
/** @type {Record<BotIncident["kind"], string>} */
const KINDS = { crash: t("Crash"), hang: t("No answer"), illegal: t("Illegal move"), slow: t("Too slow"), blocked: t("Blocked its loop"), disconnect: t("Disconnected") };
/** The close frame that the server sends where no answer to its pings came. */
const UNANSWERED = 1011;

/** @implements {View} */
export class BotPage {
  /** @param {Page} page @param {string} code with which the address ends */
  constructor(page, code) {
    this.page = page;
    this.code = code;
    /** @type {BotReport | null} */
    this.report = null;
    /** @type {BotGame[]} */
    this.games = [];
    /** @type {string | null} the cursor of older games */
    this.more = null;
    this.abort = new AbortController();
    this.heading = h("h1", t("A bot’s page"));
    this.state = h("p.quiet", { role: "status" });
    this.figures = h("dl.bot-figures");
    this.ratings = h("div.row.bot-ratings");
    this.incidents = h("ol.panel.incidents");
    this.rows = h("tbody");
    const column = (/** @type {string} */ name, kind = "") => h(`th${kind}`, { scope: "col" }, name);
    this.table = h(
      "table.bot-games",
      h("caption.unseen", t("Finished games")),
      h("thead", h("tr", column(t("Game")), column(t("Result")), column(t("Moves"), ".figure.wide"), column(t("A move"), ".figure"), column(t("Slowest"), ".figure.wide"), column(t("Requests"), ".save"))),
      this.rows,
    );
    this.older = button(t("Show older games"), () => this.#older(), "", { hidden: true });
    this.replay = h("code.code");
    this.#tellReplay("ID");
    this.body = h(
      "div.bot-body",
      { hidden: true },
      this.figures,
      this.ratings,
      h("section.block", h("h2", t("What went wrong")), this.incidents),
      h("section.block", h("h2", t("Finished games")), h("div.panel.scrolled", { tabindex: 0, role: "group", "aria-label": t("Finished games") }, this.table), this.older),
      h("p.quiet", t("Requests are what the bot was asked in a game. On your computer they are asked again by:"), " ", this.replay),
      h("p.quiet", t("Whoever has this link sees this page for a week, or until the bot’s token is revoked.")),
    );
    this.element = h("div.lobby.bot-page", h("header.flow", h("div", this.heading, this.state), button(t("Look again"), () => this.#ask())), this.body);
    document.title = `${t("A bot’s page")} – Cornered`;
    const { signal } = this.abort;
    page.link.hear({ online: () => this.#ask() }, signal);
    page.store.addEventListener("change", () => this.#drawGames(), { signal });
    if (page.link.state === "online") this.#ask();
  }

  close() {
    this.abort.abort();
  }

  async #ask() {
    try {
      this.report = await askInTurn(this.page.link, { type: "ask_bot_report", link: this.code }, this.abort.signal);
      this.games = this.report.games;
      this.more = this.report.more;
      this.#draw(this.report);
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code === "bad_credentials") this.body.hidden = true;
      if (code === "bad_credentials") fill(this.state, t("This link is not valid any more. On the bot’s computer, this makes a new one:"), " ", h("code.code", "cornered bot-report NAME --link"));
      else if (code !== "offline") fill(this.state, sentence(message));
    }
  }

  async #older() {
    set(this.older, { "aria-busy": "true" });
    try {
      const { games, more } = await askInTurn(this.page.link, { type: "ask_bot_report", link: this.code, after: this.more }, this.abort.signal);
      this.games = [...this.games, ...games];
      this.more = more;
      this.#drawGames();
    } catch (error) {
      this.page.complain(error);
    } finally {
      set(this.older, { "aria-busy": null });
    }
  }

  /** @param {BotReport} report */
  #draw({ player, is_connected: isConnected, round_trip: roundTrip, ratings, incidents }) {
    document.title = `${nameOf(player)} – Cornered`;
    fill(this.heading, h("bdi", player.name), h("small.bot", t("bot")));
    const facts = [isConnected ? t("connected") : t("not connected"), roundTrip === null ? "" : t("round trip {count} ms", { count: roundTrip })];
    fill(this.state, h(isConnected ? "span.dot.is-here" : "span.dot", { "aria-hidden": "true" }), facts.filter(Boolean).join(" · "));
    fill(this.ratings, ratings.map((rating) => h("span.chip", poolText(this.page, rating), " ", h("strong", ratingText(rating)))));
    if (incidents.length) fill(this.incidents, incidents.map((one) => this.#incident(one)));
    else fill(this.incidents, h("li.empty", t("Nothing went wrong lately.")));
    this.body.hidden = false;
    this.#drawGames();
  }

  /** @param {BotIncident} incident */
  #incident(incident) {
    const { kind, at, match, ply, limit, code, text } = incident;
    const where = match === null ? null : h("a", { href: `#/m/${match}/${ply}` }, t("move {ply}", { ply: (ply ?? 0) + 1 }));
    const why = code === null ? null : h("span", closing(incident), " ", h("span.quiet", text ? h("bdi", { lang: "en" }, text) : null, ` (${code})`));
    const lines = text.split("\n");
    const words = lines.length > 1 ? h("details", h("summary", h("bdi", { lang: "en" }, lines[lines.length - 1])), h("pre.code", { lang: "en", tabindex: 0 }, text)) : h("bdi", { lang: "en" }, text);
    return h(
      `li.incident.${kind}`,
      h("div.flow", h("strong.kind", KINDS[kind]), where, limit === null ? null : h("span.quiet", t("limit {seconds} s", { seconds: number(limit / 1000, 2) })), h("time.quiet", timeText(at))),
      why ?? words,
    );
  }

  #drawGames() {
    if (!this.report) return;
    const { games } = this;
    const moves = games.reduce((sum, game) => sum + game.moves, 0);
    const total = games.reduce((sum, game) => sum + game.total, 0);
    const count = (/** @type {BotGame["result"]} */ result) => games.filter((game) => game.result === result).length;
    const lost = games.filter((game) => game.lost_on_time).length;
    const figure = (/** @type {string} */ name, /** @type {string} */ value, note = "", kind = "") => h(`div.panel${kind}`, h("dt", name), h("dd", h("strong", value), note ? h("small.quiet", note) : null));
    const crashes = this.report.incidents.filter(({ kind }) => ["crash", "hang", "illegal"].includes(kind)).length;
    fill(
      this.figures,
      figure(t("Newest games"), number(games.length), [t("{count} won", { count: count("win") }), t("{count} drawn", { count: count("draw") }), t("{count} lost", { count: count("loss") })].join(" · ")),
      figure(t("Time for a move"), moves ? t("{seconds} s", { seconds: number(total / moves / 1000, 2) }) : "–", games.length ? t("slowest {seconds} s", { seconds: seconds(Math.max(...games.map((game) => game.longest))) }) : ""),
      figure(t("Lost on time"), number(lost), "", lost ? ".bad" : ""),
      figure(t("Crashes and illegal moves"), number(crashes), "", crashes ? ".bad" : ""),
    );
    if (games.length) fill(this.rows, games.map((game) => this.#row(game)));
    else fill(this.rows, h("tr", h("td.empty", { colspan: 6 }, t("No finished game yet."))));
    this.older.hidden = this.more === null;
  }

  /** @param {BotGame} game */
  #row(game) {
    const { store } = this.page;
    const { match, opponents, clock, result, reason, lost_on_time: isLate, moves, total, longest, ended } = game;
    const options = optionText(game.game, store.offered(game.game.name), true);
    const against = t("against {names}", { names: list(opponents.map(nameOf)) });
    const save = button([h("span.wide", t("Download")), h("span.narrow", { "aria-hidden": "true" }, "↓")], () => this.#download(match), "small", { "aria-label": t("Download the requests of {name}", { name: `${store.title(game.game.name)} ${against}` }) });
    return h(
      "tr",
      h("th", { scope: "row" }, h("a", { href: `#/m/${match}` }, store.title(game.game.name)), options ? ` ${options}` : "", h("small.quiet", against, " · ", clockText(clock), " · ", h("time", timeText(ended)))),
      h(`td.${result}`, h("strong", RESULTS[result]), h("small.quiet", { class: isLate ? "late" : "quiet" }, isLate ? t("on time") : reasonText(reason, result === "draw"))),
      h("td.figure.wide", number(moves)),
      h("td.figure", moves ? t("{seconds} s", { seconds: seconds(total / moves) }) : "–"),
      h("td.figure.wide", moves ? t("{seconds} s", { seconds: seconds(longest) }) : "–"),
      h("td.save", moves || result === "loss" ? save : null),
    );
  }

  /** Say how a file of requests is replayed. @param {string} match */
  #tellReplay(match) {
    this.replay.textContent = `cornered replay requests-${match}.jsonl --bot ./my_bot.py`;
  }

  /** Save what the bot was asked in a game, one request a line. @param {string} match */
  async #download(match) {
    const lines = [];
    try {
      for (let since = /** @type {number | null} */ (0); since !== null; ) {
        const { requests, more, game, clock, seat } = await askInTurn(this.page.link, { type: "ask_bot_requests", match, link: this.code, since }, this.abort.signal);
        for (const request of requests) lines.push(JSON.stringify({ ...request, match, game, clock, seat }));
        since = more;
      }
    } catch (error) {
      this.page.complain(error);
      return;
    }
    const address = URL.createObjectURL(new Blob([lines.map((line) => `${line}\n`).join("")], { type: "application/x-ndjson" }));
    h("a", { href: address, download: `requests-${match}.jsonl` }).click();
    this.#tellReplay(match);
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    this.page.toast(counted(lines.length, "{count} request is saved.", "{count} requests are saved."));
  }
}

/** Who ended a connection, and why. @param {BotIncident} incident */
function closing({ closed_by: by, code }) {
  if (by === "program") return t("The program closed the connection.");
  if (by === null) return t("The connection was lost without a word.");
  return code === UNANSWERED ? t("The program did not answer in time, and the server closed the connection.") : t("The server closed the connection.");
}

/** @param {number} milliseconds */
const seconds = (milliseconds) => number(milliseconds / 1000, 2);

/** The list of tournaments: those that go on or can be joined, and those that are over. */

import { askInTurn } from "./asking.js";
import { button, fill, h, set } from "./dom.js";
import { load } from "./lazy.js";
import { t } from "./tournamenttexts.js";
import { stateText, termsText } from "./tournamentwords.js";

/** @typedef {import("./protocol").TournamentInfo} Info */

/** How often the list is asked for again. */
const LOOK_MS = 10_000;

/** @implements {View} */
export class TournamentsView {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.abort = new AbortController();
    this.sections = {
      running: section(t("Running")),
      upcoming: section(t("Open to join")),
      over: section(t("Finished")),
    };
    this.over = /** @type {Info[]} */ ([]);
    this.more = /** @type {number | null} */ (null);
    this.further = button(t("Show more"), () => this.#learnOver(this.more), "further", { hidden: true });
    this.sections.over.block.append(this.further);
    this.words = h("p.quiet", { role: "status" }, t("Loading…"));
    this.element = h(
      "div.lobby.tournaments",
      h("header.flow", h("h1", t("Tournaments")), button(t("New tournament"), () => this.#create(), "primary")),
      this.words,
      Object.values(this.sections).map(({ block }) => block),
    );
    this.timer = 0;
    document.title = `${t("Tournaments")} – Cornered`;
    const { signal } = this.abort;
    page.link.hear({ online: () => this.#look() }, signal);
    page.store.addEventListener("change", () => this.live && this.#draw(), { signal });
    if (page.link.state === "online") this.#look();
  }

  close() {
    this.abort.abort();
    clearTimeout(this.timer);
  }

  async #look() {
    clearTimeout(this.timer);
    const { signal } = this.abort;
    try {
      this.live = (await askInTurn(this.page.link, { type: "ask_tournaments" }, signal)).tournaments;
      if (!this.over.length) await this.#learnOver(null);
      else this.#draw();
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code !== "offline" && !this.live) this.words.textContent = message;
    }
    if (!signal.aborted) this.timer = window.setTimeout(() => this.#look(), LOOK_MS);
  }

  /** @param {number | null} after */
  async #learnOver(after) {
    try {
      const { tournaments, more } = await askInTurn(this.page.link, { type: "ask_tournaments", over: true, ...(after === null ? {} : { after }) }, this.abort.signal);
      this.over = after === null ? [...tournaments] : [...this.over, ...tournaments];
      this.more = more;
    } catch (error) {
      this.page.complain(error);
    }
    if (!this.abort.signal.aborted) this.#draw();
  }

  #draw() {
    const live = this.live ?? [];
    const lists = {
      running: live.filter(({ status }) => status === "running"),
      upcoming: live.filter(({ status }) => status === "open"),
      over: this.over,
    };
    for (const [name, found] of Object.entries(lists)) {
      const { block, list } = this.sections[/** @type {keyof typeof lists} */ (name)];
      block.hidden = !found.length;
      fill(list, found.map((info) => this.#line(info)));
    }
    this.further.hidden = this.more === null;
    const nothing = !live.length && !this.over.length;
    this.words.textContent = nothing ? t("There is no tournament yet. Make one, and others see it here at once.") : "";
  }

  /** @param {Info} info */
  #line(info) {
    return h(
      "a.line.flow.tournament-line",
      { href: `#/tournament/${info.id}` },
      h("span.grow", h("strong", { dir: "auto" }, info.settings.name), h("br"), h("span.quiet", termsText(this.page, info))),
      h("span.quiet", stateText(info)),
    );
  }

  async #create() {
    try {
      const { createTournament } = await load(() => import("./tournamentform.js"));
      await createTournament(this.page);
    } catch (error) {
      this.page.complain(error);
    }
  }
}

/** @param {string} title */
function section(title) {
  const list = h("div.list.panel");
  const block = set(h("section.block", h("h2", title), list), { hidden: true });
  return { list, block };
}

/** The events of a class or club: to open one, to take part, and to go to its wall of boards. */

import { askInTurn } from "./asking.js";
import { dayText } from "./dates.js";
import { button, fill, h } from "./dom.js";
import { counted, t } from "./grouptexts.js";
import { openSheet } from "./sheet.js";
import { clockText, isolated } from "./words.js";

/** @typedef {import("./protocol").TournamentInfo} TournamentInfo */
/** @typedef {import("./protocol").TournamentSettings["format"]} Format */

/** @type {Record<Format, string>} */
const FORMATS = {
  by_hand: t("I pair by hand"),
  swiss: t("Swiss: equal points meet"),
  round_robin: t("Everybody meets everybody"),
  knockout: t("Knockout"),
  arena: t("Arena: who is free plays on"),
};
const ARENA_MINUTES = 30;
const MAX_OWN = 5;
/** @type {ClockInput[]} */
const CLOCKS = [
  { kind: "fischer", initial: 180, increment: 2 },
  { kind: "fischer", initial: 300, increment: 5 },
  { kind: "fischer", initial: 600, increment: 5 },
  { kind: "fischer", initial: 900, increment: 10 },
];

/** The list of events of a group. */
export class GroupEvents {
  /** @param {Page} page @param {string} group */
  constructor(page, group) {
    this.page = page;
    this.group = group;
    this.isTeacher = false;
    /** @type {Set<string>} events in which I take part */
    this.entered = new Set();
    this.list = h("div.list.panel");
    this.open = button(t("Open an event"), () => this.#create(), "primary", { hidden: true });
    this.element = h("section.events", h("header.flow", h("h2.grow", t("Events")), this.open), this.list);
  }

  /** Ask for the events, and draw them for a teacher or a member. @param {boolean} isTeacher */
  async ask(isTeacher) {
    this.isTeacher = isTeacher;
    this.open.hidden = !isTeacher;
    const { link } = this.page;
    try {
      const going = await askInTurn(link, { type: "ask_tournaments", group: this.group });
      const over = await askInTurn(link, { type: "ask_tournaments", group: this.group, over: true });
      const sign = JSON.stringify([going.tournaments, over.tournaments, isTeacher]);
      if (this.list.dataset.sign === sign) return;
      this.list.dataset.sign = sign;
      // Few are open at once; whether one takes part is told of each.
      for (const { id } of going.tournaments.slice(0, MAX_OWN)) {
        const { own } = await askInTurn(link, { type: "ask_tournament", tournament: id });
        if (own && !own.is_out) this.entered.add(id);
      }
      const all = [...going.tournaments, ...over.tournaments];
      fill(this.list, all.length ? all.map((one) => this.#line(one)) : h("p.quiet.empty", t("No event yet.")));
    } catch (error) {
      const { code, message } = /** @type {Refused} */ (error);
      if (code !== "offline") fill(this.list, h("p.empty", message));
    }
  }

  /** @param {TournamentInfo} event */
  #line({ id, settings, status, players, round }) {
    const state = {
      open: counted(players, "{count} player takes part", "{count} players take part"),
      running: t("Round {round}", { round }),
      finished: t("finished"),
      cancelled: t("called off"),
    }[status];
    const wall = h("a.button", { href: `#/wall/${id}`, class: "button primary" }, t("Wall of boards"));
    const enter = () =>
      this.page.link.ask({ type: "join_tournament", tournament: id }, { lasting: true }).then(() => {
        this.page.toast(t("You take part. Your game opens by itself."));
        this.entered.add(id);
        this.list.dataset.sign = "";
        this.ask(this.isTeacher);
      }, this.page.complain);
    const isOver = status === "finished" || status === "cancelled";
    return h(
      "div.line.flow",
      h(
        "div.grow",
        h("strong", isolated(settings.name)),
        h("div.quiet", [this.page.store.title(settings.game.name), clockText(settings.clock), state].join(" · ")),
      ),
      isOver ? null : this.entered.has(id) ? h("span.quiet", t("You take part")) : button(t("Take part"), enter, this.isTeacher ? "" : "primary"),
      this.isTeacher || isOver || status === "running" ? wall : null,
    );
  }

  #create() {
    const { store, link, go, complain } = this.page;
    const name = h("input", { name: "name", required: true, maxlength: 60, dir: "auto", autocomplete: "off", value: t("Event of {date}", { date: dayText(Date.now()) }) });
    const game = h("select", { name: "game" }, store.games.map((each) => h("option", { value: each.name }, each.title)));
    const clock = h("select", { name: "clock" }, CLOCKS.map((each) => h("option", { value: JSON.stringify(each) }, clockText(/** @type {import("./protocol").Snapshot["clock"]} */ (each)))));
    clock.value = JSON.stringify(CLOCKS[2]);
    const format = h("select", { name: "format" }, Object.entries(FORMATS).map(([value, text]) => h("option", { value }, text)));
    const { form } = openSheet(
      t("Open an event"),
      "small",
      h("label.field", h("span", t("Name")), name),
      h("label.field", h("span", t("Game")), game),
      h("label.field", h("span", t("Clock")), clock),
      h("label.field", h("span", t("Who meets whom")), format),
      h("footer", h("button.primary", t("Open it"))),
    );
    form.addEventListener("submit", async () => {
      const chosen = /** @type {Format} */ (format.value);
      const settings = {
        name: name.value,
        format: chosen,
        game: { name: game.value },
        clock: JSON.parse(clock.value),
        // The teacher starts each round, when everybody is ready.
        pause: chosen === "arena" ? 10 : null,
        ...(chosen === "arena" && { minutes: ARENA_MINUTES }),
        group: this.group,
      };
      try {
        const { ref } = await link.ask({ type: "create_tournament", settings }, { lasting: true });
        go(`#/wall/${ref}`);
      } catch (error) {
        complain(error);
      }
    });
  }
}

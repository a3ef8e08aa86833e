/** The form for a table or a challenge, built from the server's list of games. */

import { CLOCKS } from "./clocks.js";
import { button, fill, h } from "./dom.js";
import { t, told } from "./language.js";
import { isEasy, levelOf, strengthBeside } from "./opponents.js";
import { keep, settings } from "./settings.js";
import { openSheet } from "./sheet.js";
import { clockText, nameOf } from "./words.js";

/** @typedef {import("./store.js").Store} Store */

/** @type {ClockInput[]} */
const CHOICES = [{ kind: "none" }, ...CLOCKS];
const CUSTOM = {
  fischer: {
    title: t("Minutes and bonus"),
    fields: [
      ["initial", t("Seconds each"), 1, 10_800, 600],
      ["increment", t("Bonus a move"), 0, 180, 5],
    ],
  },
  delay: {
    title: t("Minutes with delay"),
    fields: [
      ["initial", t("Seconds each"), 1, 10_800, 300],
      ["delay", t("Free a move"), 1, 180, 5],
    ],
  },
  per_move: { title: t("Seconds a move"), fields: [["seconds", t("Seconds"), 1, 3_600, 30]] },
  correspondence: { title: t("Days a move"), fields: [["days", t("Days"), 1, 14, 2]] },
};
const PILLS = 8;

/**
 * A group of radio buttons that look like pills.
 * @param {string} legend
 * @param {string} name
 * @param {{value: string, text: Content, hint?: string, disabled?: boolean}[]} choices
 * @param {string} chosen
 */
function pills(legend, name, choices, chosen) {
  return h(
    "fieldset.pills",
    h("legend", legend),
    h(
      "div.row",
      choices.map(({ value, text, hint, disabled }) =>
        h(
          "label.pill",
          { title: hint },
          h("input", { type: "radio", name, value, checked: value === chosen, disabled: Boolean(disabled) }),
          h("span", text, hint ? h("small", hint) : null),
        ),
      ),
    ),
  );
}

/** A field for a number. @param {string} title @param {Properties} properties */
const numberField = (title, properties) =>
  h("label.field", h("span", title), h("input", { type: "number", required: true, ...properties }));

/** A checkbox. @param {string} title @param {string} name @param {unknown} checked */
const tickField = (title, name, checked) =>
  h("label.switch.flow", h("input", { type: "checkbox", name, checked: Boolean(checked) }), h("span", title));

/** Bots as pills: levels by their numbers, in order, then the others. @param {Presence[]} bots */
function opponents(bots) {
  const level = (/** @type {Presence} */ { player }) => levelOf(player.name) ?? Infinity;
  const afterLevels = (/** @type {Presence} */ { player }) => Number(!player.name.startsWith("level-"));
  return bots
    .sort(
      (one, two) =>
        level(one) - level(two) || afterLevels(one) - afterLevels(two) || one.player.name.localeCompare(two.player.name),
    )
    .map((bot) => ({
      value: bot.player.id,
      text: bot.player.name.startsWith("level-")
        ? [h("span.unseen", t("Level"), " "), String(level(bot))]
        : h("bdi", bot.player.name),
      hint: bot.free > 0 ? strengthBeside(bot.player.name) : t("busy"),
      disabled: bot.free <= 0,
    }));
}

/** One option of a game as a field. @param {OfferedOption} option @param {number | boolean | null} [last] the value chosen last time */
function optionField(option, last) {
  const name = `option:${option.name}`;
  const value = last === undefined ? option.default : last;
  if (option.kind === "bool") return tickField(told(option.title), name, value);
  const standard = option.optional || option.default === null;
  if (option.choices.length <= PILLS) {
    const choices = option.choices.map((each) => ({ value: String(each), text: String(each) }));
    if (standard) choices.unshift({ value: "", text: t("Standard") });
    return pills(told(option.title), name, choices, value === null ? "" : String(value));
  }
  const range = { min: option.choices[0], max: option.choices.at(-1), required: !standard };
  return numberField(told(option.title), { name, ...range, value: value ?? "", placeholder: t("Standard") });
}

/**
 * Ask for a game's settings.
 * @param {Store} store
 * @param {{game: string, mode: Mode, to?: Player | undefined, rules: (game: string) => void}} what
 * @returns {Promise<Chosen | null>} null when the dialog is closed
 */
export function askSettings(store, { game: first, mode, to, rules }) {
  let game = store.offered(first) ?? store.games[0];
  const before = () => settings.forms[`${mode}:${game.name}`] ?? {};
  const heading = { bot: t("Play a bot"), open: t("Play someone"), player: t("Challenge {name}", { name: to ? nameOf(to) : "" }) }[mode];
  const body = h("div.fields");
  const botField = h("div.opponents");
  const againstBot = mode === "bot" || to?.kind === "bot";
  const helpField = tickField(t("With help: hints and takebacks. Such a game is never rated."), "with_help", false);
  const helpTick = /** @type {HTMLInputElement} */ (helpField.firstElementChild);
  const ratedField = tickField(t("Rated: the result changes both ratings"), "rated", false);
  const ratedTick = /** @type {HTMLInputElement} */ (ratedField.firstElementChild);
  const seats = h("div.seats");
  const problem = h("p.problem", { role: "alert" });
  const submit = h("button.primary", { type: "submit" }, mode === "open" ? t("Open the table") : t("Start"));
  const summary = h("p.quiet", told(game.summary));
  const titles = h(
    "nav.games",
    { "aria-label": t("Game") },
    store.games.map((each) =>
      button(each.title, (event) => choose(each, event.currentTarget), "", {
        type: "button",
        "aria-pressed": String(each === game),
      }),
    ),
  );
  const { dialog, form } = openSheet(heading, "", titles, h("div.flow", h("div.grow", summary), button(t("Rules"), () => rules(game.name), "", { type: "button" })), body, problem, h("footer", submit));

  const players = () => Number(new FormData(form).get("option:players") ?? 2) || 2;

  const draw = () => {
    const last = before();
    const chosenClock = last.clock ? JSON.stringify(last.clock) : JSON.stringify(CHOICES[mode === "open" ? 3 : 0]);
    const known = CHOICES.some((clock) => JSON.stringify(clock) === chosenClock);
    const options = game.options.filter((option) => mode === "open" || option.name !== "players");
    const many = options.filter((option) => option.choices.length > PILLS);
    const few = options.filter((option) => !many.includes(option));
    fill(
      body,
      mode === "bot" && botField,
      againstBot && helpField,
      ratedField,
      ...few.map((option) => optionField(option, last.options?.[option.name])),
      pills(
        t("Clock"),
        "clock",
        [
          ...CHOICES.map((clock) => ({
            value: JSON.stringify(clock),
            text: clock.kind === "none" ? t("No clock") : clockText(clock),
          })),
          { value: "custom", text: t("Custom") },
        ],
        known ? chosenClock : "custom",
      ),
      customClock(last.clock),
      seats,
      h(
        "details.more",
        h("summary", t("More")),
        many.map((option) => optionField(option, last.options?.[option.name])),
        mode === "open" && [
          tickField(t("Private: only with the invite link"), "private", last.private),
          numberField(t("Spectators see it later by (seconds)"), {
            name: "delay",
            min: 0,
            max: 600,
            value: last.delay ?? 0,
          }),
        ],
      ),
    );
    drawOpponents(last.bot);
    ratedTick.checked = last.rated ?? false;
    drawHelp();
    drawSeats();
    drawRated();
  };

  /** As it was chosen last time, or else as suits the level. */
  const drawHelp = () => {
    const bot = to ?? store.players.get(String(new FormData(form).get("bot") ?? ""))?.player;
    helpTick.checked = before().with_help ?? isEasy(bot?.name ?? "");
    if (helpTick.checked) ratedTick.checked = false;
  };

  /** Only a game for two is rated, and a bot may take none. */
  const drawRated = () => {
    const bot = againstBot ? (to ?? store.players.get(String(new FormData(form).get("bot") ?? ""))?.player) : null;
    ratedField.hidden = (bot && !store.takesRated(bot, game.name)) || (mode === "open" && players() > 2);
  };

  /** Bots come, go and get busy while the form is open; the choice stays while its bot is free. @param {string} [wanted] */
  const drawOpponents = (wanted) => {
    if (mode !== "bot") return;
    const bots = store.bots(game.name);
    const sign = bots.map(({ player, free }) => `${player.id}:${player.name}:${free > 0}`).join(" ");
    if (wanted === undefined && botField.dataset.sign === `${game.name} ${sign}`) return;
    botField.dataset.sign = `${game.name} ${sign}`;
    const chosen = String(new FormData(form).get("bot") ?? "");
    const kept = wanted === undefined && bots.some(({ player, free }) => player.id === chosen && free > 0);
    fill(
      botField,
      pills(
        bots.some(({ player }) => player.name === "level-1")
          ? t("Opponent: level 1 is for beginners, the highest level hard to beat")
          : t("Opponent"),
        "bot",
        opponents(bots),
        kept ? chosen : (store.bot(game.name, wanted ?? before().bot).bot?.player.id ?? ""),
      ),
    );
    problem.textContent = bots.length ? "" : t("No bot that plays this is here just now.");
    submit.disabled = !bots.some((each) => each.free > 0);
  };

  const drawSeats = () => {
    const count = mode === "open" ? players() : 2;
    const chosen = String(before().seat ?? "");
    const names = [t("First"), t("Second"), t("Third"), t("Fourth")];
    const blocks = [
      pills(
        t("You play"),
        "seat",
        [{ value: "", text: t("By lot") }, ...names.slice(0, count).map((text, seat) => ({ value: String(seat), text }))],
        Number(chosen) < count ? chosen : "",
      ),
    ];
    if (count > 2) {
      const enough = Array.from({ length: count - 1 }, (_, index) => index + 2);
      blocks.push(
        pills(
          t("Start with"),
          "minimum",
          enough.map((each) => ({
            value: each === count ? "" : String(each),
            text: each === count ? t("all {each}", { each }) : t("{each} or more", { each }),
          })),
          "",
        ),
      );
    }
    fill(seats, blocks);
  };

  /** @param {ClockInput} [given] */
  const customClock = (given) => {
    const kind = given && given.kind in CUSTOM ? given.kind : "fischer";
    const fields = h("div.row");
    const values = new Map(Object.entries(given ?? {}));
    const show = (/** @type {string} */ which) =>
      fields.replaceChildren(
        ...CUSTOM[/** @type {keyof typeof CUSTOM} */ (which)].fields.map(([name, title, min, max, usual]) =>
          numberField(String(title), {
            name: `clock:${name}`,
            min,
            max,
            value: given?.kind === which ? values.get(String(name)) : usual,
          }),
        ),
      );
    const choose = h(
      "select",
      { name: "clock:kind", "aria-label": t("Kind of clock"), on: { change: () => show(choose.value) } },
      Object.entries(CUSTOM).map(([value, { title }]) => h("option", { value }, title)),
    );
    choose.value = kind;
    show(kind);
    return h("div.custom", choose, fields);
  };

  const refresh = () => {
    const custom = new FormData(form).get("clock") === "custom";
    const block = /** @type {HTMLElement} */ (body.querySelector(".custom"));
    block.hidden = !custom;
    for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (block.querySelectorAll("input, select")))
      input.disabled = !custom;
  };

  const read = () => {
    const data = new FormData(form);
    /** @type {Record<string, number | boolean>} */
    const options = {};
    for (const option of game.options) {
      const name = `option:${option.name}`;
      if (option.kind === "bool") options[option.name] = data.has(name);
      else if (data.get(name)) options[option.name] = Number(data.get(name));
    }
    /** @type {ClockInput} */
    let clock = { kind: "none" };
    if (data.get("clock") === "custom") {
      const kind = String(data.get("clock:kind"));
      clock = /** @type {ClockInput} */ ({ kind });
      for (const [name] of CUSTOM[/** @type {keyof typeof CUSTOM} */ (kind)].fields)
        Object.assign(clock, { [String(name)]: Number(data.get(`clock:${name}`)) });
    } else if (data.get("clock")) {
      clock = JSON.parse(String(data.get("clock")));
    }
    const number = (/** @type {string} */ name) => (data.get(name) ? Number(data.get(name)) : null);
    return {
      game: { name: game.name, options },
      clock,
      seat: number("seat"),
      private: data.has("private"),
      minimum: number("minimum"),
      delay: number("delay") ?? 0,
      bot: data.get("bot"),
      rated: data.has("rated") && !ratedField.hidden,
      ...(againstBot && { with_help: data.has("with_help") }),
    };
  };

  const choose = (/** @type {OfferedGame} */ each, /** @type {EventTarget | null} */ pressed) => {
    game = each;
    for (const other of titles.children) other.setAttribute("aria-pressed", String(other === pressed));
    summary.textContent = told(game.summary);
    draw();
    refresh();
  };
  draw();
  form.addEventListener("change", (event) => {
    const { name } = /** @type {HTMLInputElement} */ (event.target);
    if (name === "option:players") drawSeats();
    if (name === "bot" && !helpTick.dataset.chosen) drawHelp();
    if (name === "with_help") helpTick.dataset.chosen = "yes";
    // Help and a rating exclude each other: the last choice stands.
    if (name === "rated" ? ratedTick.checked : helpTick.checked) (name === "rated" ? helpTick : ratedTick).checked = false;
    drawRated();
    refresh();
  });
  refresh();
  const listening = new AbortController();
  store.addEventListener("change", () => drawOpponents(), { signal: listening.signal });
  // The dialog stays at its title where it is longer than the screen.
  submit.focus({ preventScroll: true });
  return new Promise((resolve) => {
    let answer = /** @type {Chosen | null} */ (null);
    form.addEventListener("submit", () => {
      const { bot, ...chosen } = read();
      const opponent = mode === "bot" ? store.players.get(String(bot))?.player : to;
      keep({
        forms: {
          ...settings.forms,
          [`${mode}:${game.name}`]: { ...chosen, options: chosen.game.options, bot: opponent?.name },
        },
      });
      answer = { settings: chosen, to: opponent };
    });
    dialog.addEventListener("close", () => {
      listening.abort();
      resolve(answer);
    });
  });
}

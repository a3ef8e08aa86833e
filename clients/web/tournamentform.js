/** The sheet in which a tournament is made. */

import { CLOCKS } from "./clocks.js";
import { choice, entry, optionChoice } from "./conditionfields.js";
import { valueOf } from "./conditions.js";
import { fill, h } from "./dom.js";
import { openSheet } from "./sheet.js";
import { t } from "./tournamenttexts.js";
import { FORMATS } from "./tournamentwords.js";
import { clockText } from "./words.js";

/** @typedef {import("./protocol").TournamentSettingsInput} Settings */
/** @typedef {Settings["format"]} Format */

const USUAL_CLOCK = 1;
/** @type {Record<Format, string>} */
const MEANINGS = {
  swiss: t("In each round players of equal points meet, and nobody is out."),
  round_robin: t("Everybody meets everybody: for at most 40 players."),
  knockout: t("Who loses is out, until one is left."),
  arena: t("Who is free is paired again, until the time is over. One may come and go."),
  by_hand: t("You pair the players yourself, round by round."),
};
/** @type {[string, string][]} */
const PAUSES = [
  ["0", t("none[pause]")],
  ["10", t("10 seconds")],
  ["60", t("a minute")],
  ["300", t("5 minutes")],
  ["", t("I start each round")],
];
const MOST_RATING = 5_000;

/** Ask for the settings and make the tournament; its page is shown then. @param {Page} page */
export async function createTournament(page) {
  const { store, link } = page;
  const name = entry(t("Name"), { required: true, maxlength: 60, dir: "auto", autocomplete: "off" });
  const format = choice(t("Format"), Object.entries(FORMATS), "swiss");
  const meaning = h("p.quiet");
  const game = choice(t("Game"), store.games.map(({ name: value, title }) => [value, title]), store.games[0]?.name);
  const clock = choice(t("Clock"), CLOCKS.map((each, index) => [String(index), clockText(each)]), USUAL_CLOCK);
  const rated = h("input", { type: "checkbox" });
  const rounds = entry(t("Rounds (as many as are needed, if empty)"), { type: "number", min: 1, max: 32 });
  const cycles = choice(t("Games with each opponent"), ["1", "2", "3", "4"].map((each) => [each, each]), "1");
  const minutes = entry(t("Minutes"), { type: "number", min: 1, max: 1440, value: 45, required: true });
  const starts = entry(t("Starts (by your button, if empty)"), { type: "datetime-local" });
  const pause = choice(t("Pause between rounds"), PAUSES, "10");
  const limit = entry(t("Most players"), { type: "number", min: 2, max: 256 });
  const entrants = choice(t("Who may join"), [["everybody", t("Everybody")], ["people", t("People")], ["bots", t("Bots")]], "everybody");
  const from = entry(t("Rating from"), { type: "number", min: 0, max: MOST_RATING });
  const to = entry(t("Rating to"), { type: "number", min: 0, max: MOST_RATING });
  const late = entry(t("Rounds in which one may still join"), { type: "number", min: 0, max: 32, value: 0 });
  const missed = choice(t("For each missed round"), [["half", t("half a point")], ["none", t("no point")]], "half");
  const options = h("div.condition-grid");
  const problem = h("p.problem", { role: "alert" });
  const submit = h("button.primary", { type: "submit" }, t("Make it"));
  let fields = /** @type {{name: string, select: HTMLSelectElement}[]} */ ([]);
  const drawOptions = () => {
    // A tournament's games are for two.
    const offered = (store.offered(game.select.value)?.options ?? []).filter(({ name: each }) => each !== "players");
    const made = offered.map((option) => ({ name: option.name, ...optionChoice(option, option.default ?? "", option.optional || option.default === null ? t("Standard") : undefined) }));
    fields = made;
    fill(options, made.map(({ element }) => element));
  };
  const drawFormat = () => {
    const kind = /** @type {Format} */ (format.select.value);
    meaning.textContent = MEANINGS[kind];
    rounds.element.hidden = late.element.hidden = missed.element.hidden = kind !== "swiss";
    cycles.element.hidden = kind !== "round_robin";
    minutes.element.hidden = minutes.input.disabled = kind !== "arena";
    pause.element.hidden = kind === "arena" || kind === "by_hand";
  };
  const { dialog, form } = openSheet(
    t("New tournament"),
    "new-tournament conditions-sheet",
    name.element,
    h("div.condition-grid", format.element, game.element, clock.element, minutes.element, rounds.element, cycles.element),
    meaning,
    h("label.switch.flow", rated, h("span", t("Rated: results change the players' ratings"))),
    h("details.rare", h("summary", t("Board and rules")), options),
    h("details.rare", h("summary", t("Start, pauses and players")), h("div.condition-grid", starts.element, pause.element, limit.element, entrants.element, from.element, to.element, late.element, missed.element)),
    problem,
    h("footer", submit),
  );
  format.select.addEventListener("change", drawFormat);
  game.select.addEventListener("change", drawOptions);
  drawFormat();
  drawOptions();
  const numberOf = (/** @type {HTMLInputElement} */ input) => (input.value ? Number(input.value) : null);
  const read = () => {
    const kind = /** @type {Format} */ (format.select.value);
    const chosen = fields.filter(({ select }) => select.value).map(({ name: each, select }) => [each, valueOf(select.value)]);
    return /** @type {Settings} */ ({
      name: name.input.value.trim(),
      format: kind,
      game: { name: game.select.value, options: Object.fromEntries(chosen) },
      clock: CLOCKS[Number(clock.select.value)],
      rated: rated.checked,
      ...(kind === "swiss" && { rounds: numberOf(rounds.input), late_rounds: numberOf(late.input) ?? 0, late_points: missed.select.value }),
      ...(kind === "round_robin" && { cycles: Number(cycles.select.value) }),
      ...(kind === "arena" && { minutes: numberOf(minutes.input) }),
      starts_at: starts.input.value ? new Date(starts.input.value).getTime() : null,
      pause: pause.select.value ? Number(pause.select.value) : null,
      limit: numberOf(limit.input),
      entrants: entrants.select.value,
      rating_from: numberOf(from.input),
      rating_to: numberOf(to.input),
    });
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    problem.textContent = "";
    try {
      const { ref } = await link.ask({ type: "create_tournament", settings: read() }, { lasting: true });
      dialog.close();
      page.go(`#/tournament/${ref}`);
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
    } finally {
      submit.disabled = false;
    }
  });
  name.input.focus();
}

/** Words of tournaments: formats, states, tie-breaks, points. */

import { timeText } from "./dates.js";
import { counted, number, t } from "./tournamenttexts.js";
import { clockText, optionText } from "./words.js";

/** @typedef {import("./protocol").TournamentInfo} Info */
/** @typedef {Info["settings"]["format"]} Format */
/** @typedef {Info["tie_breaks"][number]} TieBreak */

/** @type {Record<Format, string>} */
export const FORMATS = {
  swiss: t("Swiss"),
  round_robin: t("Round robin"),
  knockout: t("Knockout"),
  arena: t("Arena"),
  by_hand: t("Paired by hand"),
};
/** @type {Record<TieBreak, [string, string]>} the heading of a column, and what it means */
export const TIE_BREAKS = {
  buchholz: [t("Buchholz"), t("The sum of the opponents' points")],
  sonneborn_berger: [t("Sonneborn-Berger"), t("The points of beaten opponents, and half of those of opponents with whom one drew")],
  direct_encounter: [t("Direct encounter"), t("The points against those with as many points")],
  wins: [t("Wins"), t("Games won on the board")],
};
/** @type {Record<Info["status"], string>} */
export const STATES = { open: t("open to join"), running: t("running"), finished: t("finished"), cancelled: t("cancelled") };

/** Points as tables have them, with halves. @param {number} points */
export const pointsText = (points) => number(points, points % 1 ? 1 : 0);

/** The state of a tournament in a few words. @param {Info} info */
export function stateText({ status, round, rounds, is_paused, settings, winner }) {
  if (is_paused) return t("paused: all clocks stand still");
  if (status === "running" && settings.format !== "arena" && round)
    return rounds ? t("round {round} of {rounds}", { round, rounds }) : t("round {round}", { round });
  if (status === "finished" && winner) return t("won by {name}", { name: winner.name });
  if (status === "open" && settings.starts_at) return t("starts {when}", { when: timeText(settings.starts_at) });
  return STATES[status];
}

/** What is settled about a tournament, in a line. @param {Page} page @param {Info} info */
export function termsText({ store }, { settings, players }) {
  const { game, clock, format, rated, minutes, cycles, limit, entrants, rating_from: from, rating_to: to } = settings;
  const range = from !== null && to !== null ? t("rating {from} to {to}", { from, to }) : from !== null ? t("rating from {from}", { from }) : to !== null ? t("rating up to {to}", { to }) : "";
  return [
    FORMATS[format],
    store.title(game.name),
    optionText(game, store.offered(game.name)),
    clockText(clock),
    minutes ? counted(minutes, "{count} minute", "{count} minutes") : "",
    cycles > 1 ? t("{cycles} games with each opponent", { cycles }) : "",
    rated ? t("rated") : t("not rated"),
    entrants === "people" ? t("for people") : entrants === "bots" ? t("for bots") : "",
    range,
    limit ? t("{players} of {limit} players", { players, limit }) : counted(players, "{count} participant", "{count} participants"),
  ]
    .filter(Boolean)
    .join(" · ");
}

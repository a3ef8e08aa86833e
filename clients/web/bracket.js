/** The bracket of a knockout: a column for each round, a box for each meeting. */

import { fill, h } from "./dom.js";
import { t } from "./tournamenttexts.js";
import { pointsText } from "./tournamentwords.js";

/** @typedef {import("./protocol").PairingInfo} Pairing */

/**
 * The meetings of a round in the order of their boards: the games of one, of which there are several where one was drawn, with
 * the points of all of them and the newest match.
 * @param {readonly Pairing[]} pairings @returns {Pairing[]}
 */
function meetingsOf(pairings) {
  /** @type {Map<number, Pairing>} */
  const found = new Map();
  for (const pairing of pairings) {
    const before = found.get(pairing.board);
    const sum = (/** @type {Player} */ { id }, /** @type {number} */ seat) =>
      (before?.points[seat] ?? 0) + (pairing.points[pairing.players.findIndex((player) => player.id === id)] ?? 0);
    const isSettled = Boolean(before?.points.length || pairing.points.length);
    const players = before?.players ?? pairing.players;
    found.set(pairing.board, { ...pairing, players, points: isSettled ? players.map(sum) : [] });
  }
  return [...found.values()].sort((one, two) => one.board - two.board);
}

/** What a round is called, by how many meetings it has. @param {number} meetings @param {number} round */
const titleOf = (meetings, round) =>
  meetings === 1 ? t("Final") : meetings === 2 ? t("Semifinals") : meetings === 4 ? t("Quarterfinals") : t("Round {round}", { round });

/**
 * @param {Element} element @param {readonly (readonly Pairing[])[]} rounds those that are paired, the first one first
 * @param {number} total how many rounds there will be; a round lacks the meetings of which nobody is left to play
 */
export function drawBracket(element, rounds, total) {
  const columns = rounds.map(meetingsOf);
  const meetingsIn = (/** @type {number} */ index) => 2 ** (total - index - 1);
  const comings = Array.from({ length: Math.max(0, total - columns.length) }, (_, index) => columns.length + index);
  fill(
    element,
    columns.map((pairings, index) => column(titleOf(meetingsIn(index), index + 1), pairings.map((each) => meeting(each, idsOf(columns[index + 1] ?? []))))),
    comings.map((index) => column(titleOf(meetingsIn(index), index + 1), Array.from({ length: meetingsIn(index) }, () => h("li.meeting.panel.quiet", t("to come"))))),
  );
}

/** @param {string} title @param {HTMLElement[]} meetings */
const column = (title, meetings) => h("section.bracket-round", h("h3", title), h("ol", meetings));

/** @param {readonly Pairing[]} pairings */
const idsOf = (pairings) => new Set(pairings.flatMap(({ players }) => players.map(({ id }) => id)));

/** @param {Pairing} pairing @param {Set<string>} next who plays in the round after it: of a drawn meeting the better seed */
function meeting({ players, points, match, how }, next) {
  const best = Math.max(...points);
  const sides = players.map((player, seat) => {
    const isWinner = next.has(player.id) || (how !== "pending" && points.length > 0 && points[seat] === best && points.some((each) => each < best));
    return h(isWinner || how === "bye" ? "span.contestant.flow.won" : "span.contestant.flow", h("bdi", player.name), h("span", points.length ? pointsText(points[seat]) : ""));
  });
  const inside = [...sides, how === "bye" ? h("small.quiet", t("bye")) : how === "forfeit" ? h("small.quiet", t("by forfeit")) : null];
  return h("li.meeting.panel", match ? h("a", { href: `#/m/${match}` }, inside) : h("span", inside));
}

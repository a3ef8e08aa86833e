/** Texts for games, clocks, results and times, and sentences from the server's texts. */

import { counted, isMirrored, number, t, told } from "./language.js";

/** @typedef {import("./protocol").Clock} Clock */

/** A sentence of the server's in the page's language, with a capital and a full stop; a move's name stays as it is. @param {string} words */
export function sentence(words) {
  const text = told(words);
  const begun = /^[a-z]\d/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$|^$/.test(begun) ? begun : `${begun}.`;
}

/** @param {ClockInput} clock */
export function clockText(clock) {
  switch (clock.kind) {
    case "fischer":
      return clock.increment
        ? t("{time} + {increment} s", { time: minutes(clock.initial), increment: clock.increment })
        : minutes(clock.initial);
    case "delay":
      return t("{time}, {delay} s free", { time: minutes(clock.initial), delay: clock.delay });
    case "per_move":
      return clock.seconds % 60
        ? t("{seconds} s a move", { seconds: clock.seconds })
        : t("{minutes} min a move", { minutes: clock.seconds / 60 });
    case "correspondence":
      return counted(clock.days, "1 day a move", "{count} days a move");
    default:
      return t("no clock");
  }
}

/** @param {number} seconds */
function minutes(seconds) {
  if (seconds < 60) return t("{seconds} s", { seconds });
  return t("{minutes} min", { minutes: number(seconds / 60, seconds % 60 ? 1 : 0) });
}

/** The text of a clock: days, hours, minutes and seconds, and tenths in the last ten seconds. @param {number} ms */
export function timeLeft(ms) {
  const left = Math.max(0, ms);
  if (left < 10_000) return `0:0${number(Math.floor(left / 100) / 10, 1)}`;
  return span(Math.floor(left / 1000));
}

/** A time in days, hours, minutes and seconds, as clocks show it. @param {number} seconds */
export function span(seconds) {
  if (seconds >= 86_400)
    return t("{days}d {hours}h", { days: Math.floor(seconds / 86_400), hours: Math.floor((seconds % 86_400) / 3600) });
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  if (seconds >= 3600)
    return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

/**
 * The options in which games commonly differ, in short: "9 × 9, 10 walls".
 * @param {GameSpecInput} spec
 * @param {OfferedGame} [offered] the game as the server offers it
 * @param {boolean} [fully] with all other options
 */
export function optionText(spec, offered, fully = false) {
  const options = { ...spec.options };
  const words = [];
  if ("width" in options && "height" in options) {
    words.push(`${options.width} × ${options.height}`);
    delete options.width;
    delete options.height;
  }
  if ("size" in options) {
    words.push(`${options.size} × ${options.size}`);
    delete options.size;
  }
  for (const [name, value] of Object.entries(options)) {
    const option = offered?.options.find((each) => each.name === name);
    if (value === null || value === false) continue;
    if (option && name !== "radius" && (value === option.default || (option.optional && !fully))) continue;
    const title = (option?.title ?? name).toLowerCase();
    words.push(
      name === "radius"
        ? t("radius {radius}", { radius: Number(value) })
        : told(value === true ? title : /this many/.test(title) ? title.replace(/this many/, String(value)) : `${value} ${title}`),
    );
  }
  return words.join(", ");
}

/** The reasons of results in lists. @type {Record<string, string>} */
const REASONS = {
  rules: t("on the board"),
  resignation: t("by resignation"),
  time: t("on time"),
  agreement: t("by agreement"),
  gone: t("the opponent left"),
  aborted: t("called off"),
  expired: t("nobody moved in time"),
  left: t("everybody else gave up"),
  ply_limit: t("the match reached this server's limit of moves"),
};

/** Characters that run from right to left or change the direction, and so reorder the digits and marks around them. */
const TURNING =
  /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Isolate the writing direction of a player's text within a sentence of the page. @param {string} text */
export const isolated = (text) => (isMirrored || TURNING.test(text) ? `\u2068${text.replace(CONTROLS, "")}\u2069` : text);

/** Return a player's name for a sentence of the page's. @param {{name: string}} player */
export const nameOf = (player) => isolated(player.name);

/** The reason of a result. @param {string} reason @param {boolean} drawn */
export const reasonText = (reason, drawn) => (drawn && reason === "rules" ? t("by the rules") : REASONS[reason]);

/** Why a match ended, as a sentence. @param {MatchRecord} record */
function whyText(record) {
  const { winner, seat, seats, ending } = record;
  const reason = record.reason ?? "rules";
  const isMine = (/** @type {number} */ each) => each === seat;
  const name = (/** @type {number} */ each) => nameOf(seats[each].player);
  if (reason === "rules") {
    // The rules' own words come from the server a moment later.
    if (!ending) return seats.length === 2 ? "" : sentence(reasonText(reason, winner === null));
    const own = ending.seat === null || isMine(ending.seat);
    return sentence(own ? ending.you : `${name(/** @type {number} */ (ending.seat))} ${told(ending.they)}`);
  }
  if (reason === "agreement") return seat === null ? t("The players agreed on a draw.") : t("You agreed on a draw.");
  if (winner !== null && seats.length === 2) {
    const loser = 1 - winner;
    const mine = isMine(loser);
    if (reason === "resignation") return mine ? t("You resigned.") : t("{name} resigned.", { name: name(loser) });
    if (reason === "time") return mine ? t("Your time ran out.") : t("{name} ran out of time.", { name: name(loser) });
    if (reason === "gone")
      return mine ? t("You were away for too long.") : t("{name} left and did not come back.", { name: name(loser) });
  }
  return sentence(reasonText(reason, winner === null));
}

/** The result and its reason. @param {MatchRecord} record @returns {[string, string]} */
export function resultText(record) {
  const because = whyText(record);
  if (record.winner === null) {
    if (record.reason === "aborted") return [t("Called off"), t("Nothing counts.")];
    return [record.reason === "expired" ? t("Called off") : t("A draw"), because];
  }
  if (record.winner === record.seat) return [t("You won"), because];
  const name = nameOf(record.seats[record.winner].player);
  return [record.seat !== null && record.seats.length === 2 ? t("You lost") : t("{name} won", { name }), because];
}

/** How a match ended for its viewer, for what is drawn beside the result. @param {MatchRecord} record */
export function resultKind({ over, winner, seat, reason, seats }) {
  if (!over) return "";
  if (winner === null) return reason === "aborted" || reason === "expired" ? "off" : "drawn";
  if (seat === null || (seats.length > 2 && seats[seat].place !== 1 && winner !== seat)) return seat === null ? "off" : "lost";
  return winner === seat ? "won" : "lost";
}

/** The text after an outage of the server. @param {number} refunded */
export const awayText = (refunded) => 
  t("The server was away; {seconds} s were given back.", { seconds: number(refunded / 1000, 1) });

/** @param {number} at @param {number} now */
export function ago(at, now) {
  const minutesAgo = Math.floor((now - at) / 60_000);
  if (minutesAgo < 1) return t("just now");
  if (minutesAgo < 60) return t("{minutes} min ago", { minutes: minutesAgo });
  const hours = Math.floor(minutesAgo / 60);
  return hours < 48 ? t("{hours} h ago", { hours }) : t("{days} days ago", { days: Math.floor(hours / 24) });
}

/** @param {number} place */
export function ordinal(place) {
  return ["", t("1st"), t("2nd"), t("3rd")][place] ?? t("{place}th", { place });
}

/** A rating as it stands beside a name; a provisional one has a question mark. @param {{rating: number, provisional: boolean}} rating */
export const ratingText = ({ rating, provisional }) => `${rating}${provisional ? "?" : ""}`;

/** A table's settings beside its game. @param {Seek["settings"]} chosen */
export function tableText(chosen) {
  return [clockText(chosen.clock), chosen.rated ? t("rated") : "", chosen.private ? t("private") : ""].filter(Boolean).join(" · ");
}

/** Texts for games, clocks, results and times, and sentences from the server's texts. */

/** @typedef {import("./protocol").Clock} Clock */

/** Begin words with a capital and end them with a full stop; a move's name stays as it is. @param {string} text */
export function sentence(text) {
  const begun = /^[a-z]\d/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$|^$/.test(begun) ? begun : `${begun}.`;
}

/** @param {ClockInput} clock */
export function clockText(clock) {
  switch (clock.kind) {
    case "fischer":
      return clock.increment ? `${minutes(clock.initial)} + ${clock.increment} s` : minutes(clock.initial);
    case "delay":
      return `${minutes(clock.initial)}, ${clock.delay} s free`;
    case "per_move":
      return clock.seconds % 60 ? `${clock.seconds} s a move` : `${clock.seconds / 60} min a move`;
    case "correspondence":
      return clock.days === 1 ? "1 day a move" : `${clock.days} days a move`;
    default:
      return "no clock";
  }
}

/** @param {number} seconds */
function minutes(seconds) {
  return seconds % 60 === 0
    ? `${seconds / 60} min`
    : seconds < 60
      ? `${seconds} s`
      : `${(seconds / 60).toFixed(1)} min`;
}

/** The text of a clock: days, hours, minutes and seconds, and tenths in the last ten seconds. @param {number} ms */
export function timeLeft(ms) {
  const left = Math.max(0, ms);
  if (left < 10_000) return `0:0${(Math.floor(left / 100) / 10).toFixed(1)}`;
  const seconds = Math.floor(left / 1000);
  if (seconds >= 86_400) return `${Math.floor(seconds / 86_400)}d ${Math.floor((seconds % 86_400) / 3600)}h`;
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
      value === true
        ? title
        : name === "radius"
          ? `radius ${value}`
          : title.includes("this many")
            ? title.replace("this many", String(value))
            : `${value} ${title}`,
    );
  }
  return words.join(", ");
}

/** @type {Record<string, string>} */
const REASONS = {
  rules: "on the board",
  resignation: "by resignation",
  time: "on time",
  agreement: "by agreement",
  gone: "the opponent left",
  aborted: "called off",
  expired: "nobody moved in time",
  left: "everybody else gave up",
  ply_limit: "the match reached this server's limit of moves",
};

/** Characters that run from right to left or change the direction, and so reorder the digits and marks around them. */
const TURNING =
  /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Isolate the writing direction of a player's text within a sentence of the page. @param {string} text */
export const isolated = (text) => (TURNING.test(text) ? `\u2068${text.replace(CONTROLS, "")}\u2069` : text);

/** Return a player's name for a sentence of the page's. @param {{name: string}} player */
export const nameOf = (player) => isolated(player.name);

/** The reason of a result. @param {string} reason @param {boolean} drawn */
export const reasonText = (reason, drawn) => (drawn && reason === "rules" ? "by the rules" : REASONS[reason]);

/** The result and its reason. @param {MatchRecord} record @returns {[string, string]} */
export function resultText(record) {
  const drawn = record.winner === null;
  const why = reasonText(record.reason ?? "rules", drawn);
  const because = sentence(why);
  if (record.winner === null) {
    if (record.reason === "aborted") return ["Called off", "Nothing counts."];
    return [record.reason === "expired" ? "Called off" : "A draw", because];
  }
  if (record.winner === record.seat) return ["You won", because];
  const name = nameOf(record.seats[record.winner].player);
  return [record.seat !== null && record.seats.length === 2 ? "You lost" : `${name} won`, because];
}

/** The text after an outage of the server. @param {number} refunded */
export const awayText = (refunded) => `The server was away; ${(refunded / 1000).toFixed(1)} s were given back.`;

/** @param {number} at @param {number} now */
export function ago(at, now) {
  const minutesAgo = Math.floor((now - at) / 60_000);
  if (minutesAgo < 1) return "just now";
  if (minutesAgo < 60) return `${minutesAgo} min ago`;
  const hours = Math.floor(minutesAgo / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

/** @param {number} place */
export function ordinal(place) {
  return ["", "1st", "2nd", "3rd"][place] ?? `${place}th`;
}

/** @param {number} count @param {string} one */
export function plural(count, one) {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

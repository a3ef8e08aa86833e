/** Finds the mistakes of a game in what a bot found of each position. Without DOM. */

import { t } from "./studytexts.js";
import { movesIn, opposite, percent, shareOf } from "./values.js";
import { nameOf } from "./words.js";

/** @typedef {import("./protocol").Report} Report */
/** @typedef {{ply: number, seat: number, move: string, before: number, after: number, words: string, better: string}} Mistake */

/** The least drop of the win probability that is told. */
const DROP = 0.15;
/** A player with less has not much left to lose. */
const ALIVE = 0.35;

/**
 * The reports with their proofs carried to the positions beside them, where a short look may not have seen them: a won
 * position's proof holds after its best move, and who made a move to a won position had won before it.
 * @param {MatchRecord} record
 * @param {readonly (Report | undefined)[]} found
 * @returns {(Report | undefined)[]}
 */
export function backed(record, found) {
  const reports = [...found];
  for (let ply = 0; ply < record.ply; ply++) {
    const [report, next] = [reports[ply], reports[ply + 1]];
    if (!report || !next || next.proven || !isProofOf(record, reports, ply)) continue;
    reports[ply + 1] = { ...next, proven: opposite(report.proven), plies: report.plies && report.plies - 1 };
  }
  for (let ply = record.ply - 1; ply >= 0; ply--) {
    const [report, next, seat] = [reports[ply], reports[ply + 1], record.moverOf(ply)];
    if (!report || report.proven || seat === undefined || seat < 0) continue;
    const ends = ply + 1 === record.ply && record.reason === "rules" && record.winner === seat;
    const wins = next && record.moverOf(ply + 1) === 1 - seat && next.proven === "loss";
    if (ends) reports[ply] = { ...report, proven: "win", plies: 1 };
    else if (wins) reports[ply] = { ...report, proven: "win", plies: next.plies && next.plies + 1 };
  }
  return reports;
}

/**
 * Whether what is proven before a move was proven by this move, so that it also holds after it.
 * @param {MatchRecord} record
 * @param {readonly (Report | undefined)[]} found
 * @param {number} ply
 */
function isProofOf(record, found, ply) {
  const report = found[ply];
  const turns = [record.moverOf(ply), record.moverOf(ply + 1)];
  return report?.proven === "win" && report.lines[0]?.move === record.moves[ply] && turns[1] === 1 - (turns[0] ?? -1);
}

/**
 * Whether a longer look at a position is due: the move that led there would count as a win let go, for want of a proof.
 * @param {MatchRecord} record
 * @param {readonly (Report | undefined)[]} found
 * @param {number} ply
 */
export function isDoubtful(record, found, ply) {
  const [before, here] = [found[ply - 1], found[ply]];
  return before?.proven === "win" && here !== undefined && !here.proven && !isProofOf(record, found, ply - 1);
}

/**
 * The share of seat 0 of two players after each ply; undefined where nothing is known.
 * @param {MatchRecord} record
 * @param {(Report | undefined)[]} found
 */
export function sharesOf(record, found) {
  const shares = record.positions.map((_, ply) => {
    const report = found[ply];
    const turn = record.moverOf(ply);
    if (!report || turn === undefined || turn < 0) return undefined;
    const share = shareOf(report, report.scale);
    return turn === 0 ? share : 1 - share;
  });
  if (record.over && record.reason === "rules")
    shares[record.ply] = record.winner === null ? 0.5 : record.winner === 0 ? 1 : 0;
  return shares;
}

/**
 * The mistakes of two players, in order: what is proven, and else drops of the win probability.
 * @param {MatchRecord} record
 * @param {(Report | undefined)[]} found
 * @param {(seat: number, move: string) => string} subject the subject of the words about a move
 * @returns {Mistake[]}
 */
export function mistakesOf(record, found, subject = (seat) => nameOf(record.seats[seat].player)) {
  if (record.seats.length !== 2) return [];
  const shares = sharesOf(record, found);
  const last = givenUp(record, found[record.ply]);
  const played = record.moves.flatMap((move, ply) => {
    const seat = record.moverOf(ply);
    const report = found[ply];
    const next = shares.findIndex((share, later) => later > ply && share !== undefined);
    const [now, then] = [shares[ply], shares[next]];
    if (!report || seat === undefined || seat < 0 || now === undefined || then === undefined) return [];
    const before = seat === 0 ? now : 1 - now;
    const after = seat === 0 ? then : 1 - then;
    const words = wordsFor(subject(seat, move), report, proofAfter(record, found, next, seat), before, after);
    return words ? [{ ply, seat, move, before, after, words, better: report.lines[0].move }] : [];
  });
  return last ? [...played, last] : played;
}

/**
 * The end of a game that its loser stood to win.
 * @param {MatchRecord} record
 * @param {Report | undefined} report
 * @returns {Mistake | null}
 */
function givenUp(record, report) {
  if (!report || record.winner === null) return null;
  const seat = 1 - record.winner;
  const turn = record.moverOf(record.ply);
  const expected = shareOf(report, report.scale);
  const before = turn === seat ? expected : 1 - expected;
  if (before < 0.5 + DROP) return null;
  const { proven, plies } = report;
  const name = nameOf(record.seats[seat].player);
  const share = !proven ? percent(before) : plies ? t("a win in {moves}", { moves: movesIn(plies) }) : t("a win");
  const words = {
    resignation: t("{name} resigned with {share}", { name, share }),
    time: t("{name} ran out of time with {share}", { name, share }),
    gone: t("{name} left with {share}", { name, share }),
  }[/** @type {string} */ (record.reason)];
  const end = t("the end");
  return words ? { ply: record.ply, seat, move: end, before, after: 0, words, better: end } : null;
}

/**
 * What is proven for `seat` at a later ply.
 * @param {MatchRecord} record
 * @param {(Report | undefined)[]} found
 * @param {number} ply
 * @param {number} seat
 * @returns {{proven: string | null, plies: number | null}}
 */
function proofAfter(record, found, ply, seat) {
  const report = found[ply];
  if (report) {
    const proven = record.moverOf(ply) === seat ? report.proven : opposite(report.proven);
    return { proven, plies: report.plies };
  }
  return { proven: record.winner === null ? "draw" : record.winner === seat ? "win" : "loss", plies: null };
}

/**
 * What the player did, as a sentence without its full stop; nothing where it was no mistake.
 * @param {string} name
 * @param {Report} report
 * @param {{proven: string | null, plies: number | null}} later
 * @param {number} before
 * @param {number} after
 */
function wordsFor(name, report, later, before, after) {
  const { proven, plies } = report;
  const moves = movesIn(plies ?? 0);
  if (proven === "loss" || later.proven === "win") return "";
  if (proven === "win") {
    if (later.proven === "draw")
      return moves
        ? t("{name} threw away a win in {moves} for a draw", { name, moves })
        : t("{name} threw away a win for a draw", { name });
    if (later.proven)
      return moves ? t("{name} threw away a win in {moves}", { name, moves }) : t("{name} threw away a win", { name });
    if (1 - after < DROP) return "";
    return moves ? t("{name} let go of a win in {moves}", { name, moves }) : t("{name} let go of a win", { name });
  }
  if (proven === "draw") return later.proven === "loss" ? t("{name} threw away a draw", { name }) : "";
  if (!report.scale || before - after < DROP) return "";
  const from = percent(before);
  if (later.proven === "loss")
    return later.plies
      ? t("{name} went from {from} into a loss in {moves}", { name, from, moves: movesIn(later.plies) })
      : t("{name} went from {from} into a loss", { name, from });
  if (later.proven === "draw") return t("{name} went from {from} to a draw", { name, from });
  return t("{name} went from {from} to {to}", { name, from, to: percent(after) });
}

/**
 * The mistake that decided the game: the loser's last one with something left to lose, or else the greatest of all.
 * @param {MatchRecord} record
 * @param {readonly Mistake[]} mistakes
 */
export function decisiveOf(record, mistakes) {
  const loser = record.winner === null ? null : 1 - record.winner;
  const theirs = mistakes.filter(({ seat }) => loser === null || seat === loser);
  const alive = theirs.filter(({ before }) => before >= ALIVE);
  const drop = (/** @type {Mistake} */ { before, after }) => before - after;
  if (loser !== null && alive.length) return alive[alive.length - 1];
  return theirs.reduce((/** @type {Mistake | null} */ most, each) => (most && drop(most) >= drop(each) ? most : each), null);
}

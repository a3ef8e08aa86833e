/** One match as the page knows it: a snapshot, and every event after it. No DOM here. */

import { mover, parsePosition } from "./position.js";

export class MatchRecord {
  /** @param {any} snapshot */
  constructor(snapshot) {
    this.id = snapshot.match;
    /** @type {(string | undefined)[]} the position text after each ply, where it is known */
    this.positions = [];
    this.load(snapshot);
  }

  /** Take over a snapshot; positions that are known stay. @param {any} snapshot */
  load(snapshot) {
    this.seq = snapshot.seq;
    this.spec = snapshot.game;
    this.title = snapshot.title;
    this.clock = snapshot.clock;
    this.seats = snapshot.seats.map((/** @type {any} */ seat) => ({ ...seat }));
    this.seat = snapshot.seat;
    this.position = snapshot.position;
    this.toMove = snapshot.to_move;
    const same = this.moves?.every((move, index) => snapshot.moves[index] === move) ?? true;
    /** @type {string[]} */
    this.moves = [...snapshot.moves];
    if (!same) this.positions = [];
    this.positions[this.moves.length] = snapshot.position;
    this.clocks = snapshot.clocks;
    this.connected = [...snapshot.connected];
    /** @type {(number | null)[]} from when on victory may be claimed over each seat */
    this.claimAt = snapshot.seats.map(() => null);
    this.watchers = snapshot.watchers;
    this.commitment = snapshot.commitment;
    this.hasDraws = snapshot.has_draws;
    this.drawOffer = snapshot.draw_offer;
    this.takeback = snapshot.takeback;
    this.rematch = [...snapshot.rematch];
    this.over = snapshot.over;
    this.winner = snapshot.winner;
    this.reason = snapshot.reason;
    this.seed = snapshot.seed;
    this.next = snapshot.next;
    this.delay = snapshot.delay;
    this.private = snapshot.private;
    this.spent = /** @type {(number | undefined)[]} */ ([]);
  }

  get ply() {
    return this.moves.length;
  }

  /** Whether every position on the way is known. */
  get complete() {
    for (let ply = 0; ply <= this.ply; ply++) if (this.positions[ply] === undefined) return false;
    return true;
  }

  /** Whether the receiver is to move. */
  get myTurn() {
    return !this.over && this.seat !== null && this.toMove === this.seat;
  }

  /** Who made each ply, -1 for the dice, undefined where it is not known yet. @param {number} ply */
  moverOf(ply) {
    const text = this.positions[ply];
    if (text !== undefined) return parsePosition(text).turn;
    const plain = this.seats.length === 2 && this.moves.every((move) => !/^\d+$/.test(move));
    return plain ? ply % 2 : undefined;
  }

  /** The seat whose turn it is, dice included. */
  get turn() {
    return this.over ? -1 : mover(parsePosition(this.position));
  }

  /** @param {any} history */
  learn(history) {
    if (history.moves.length > this.ply || history.moves.some((/** @type {string} */ move, /** @type {number} */ index) => move !== this.moves[index])) return;
    history.positions.forEach((/** @type {string} */ text, /** @type {number} */ ply) => (this.positions[ply] = text));
  }

  /**
   * Apply what happened. Returns the events that were new; null means that some are missing.
   * @param {any} happened
   * @returns {any[] | null}
   */
  apply(happened) {
    const fresh = happened.events.filter((/** @type {any} */ event) => event.seq > this.seq);
    if (!fresh.length) return [];
    if (fresh[0].seq !== this.seq + 1) return null;
    for (const event of fresh) this.#evolve(event);
    this.seq = fresh.at(-1).seq;
    this.position = happened.position;
    this.toMove = happened.to_move;
    this.clocks = happened.clocks;
    this.positions[this.ply] = happened.position;
    return fresh;
  }

  /** @param {any} event */
  #evolve(event) {
    switch (event.type) {
      case "played":
        this.spent[this.ply] = event.spent;
        this.moves.push(event.move);
        if (this.drawOffer !== null && this.drawOffer !== event.seat) this.drawOffer = null;
        this.takeback = null;
        break;
      case "rolled":
        this.moves.push(event.move);
        break;
      case "taken_back":
        this.moves.length = event.ply;
        this.positions.length = Math.min(this.positions.length, event.ply + 1);
        this.takeback = null;
        this.drawOffer = null;
        break;
      case "eliminated":
        this.seats[event.seat].place = event.place;
        break;
      case "draw_offered":
        this.drawOffer = event.seat;
        break;
      case "draw_declined":
        this.drawOffer = null;
        break;
      case "takeback_requested":
        this.takeback = event.seat;
        break;
      case "takeback_declined":
        this.takeback = null;
        break;
      case "ended":
        this.over = true;
        this.winner = event.winner;
        this.reason = event.reason;
        this.seed = event.seed;
        event.places.forEach((/** @type {number} */ place, /** @type {number} */ seat) => (this.seats[seat].place = place));
        this.drawOffer = this.takeback = null;
        break;
      case "rematch_offered":
        this.rematch.push(event.seat);
        break;
      case "rematched":
        this.next = event.match;
        break;
      default:
        // `started` and `resumed` change nothing that is on show.
        break;
    }
  }
}

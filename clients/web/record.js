/** The state of one match: a snapshot with all later events applied. Without DOM. */

import { isRoll, mover, parsePosition } from "./position.js";

/** @typedef {import("./protocol").Happened} Happened */
/** @typedef {import("./protocol").History} History */

/** The seats that agree to an offer, the asker first. @param {number | null} asker @param {number[]} others */
function agreed(asker, others) {
  return asker === null ? [] : [asker, ...others.filter((seat) => seat !== asker)];
}

export class MatchRecord {
  /** @param {Snapshot} snapshot */
  constructor(snapshot) {
    this.id = snapshot.match;
    this.seq = snapshot.seq;
    this.spec = snapshot.game;
    this.title = snapshot.title;
    this.clock = snapshot.clock;
    this.seats = snapshot.seats.map((seat) => ({ ...seat }));
    this.seat = snapshot.seat;
    this.position = snapshot.position;
    this.toMove = snapshot.to_move;
    this.moves = [...snapshot.moves];
    /** @type {(string | undefined)[]} the position text after each ply, where it is known */
    this.positions = [];
    this.positions[this.moves.length] = snapshot.position;
    this.clocks = snapshot.clocks;
    this.connected = [...snapshot.connected];
    this.claimAt = snapshot.seats.map(() => /** @type {number | null} */ (null));
    this.watchers = snapshot.watchers;
    this.commitment = snapshot.commitment;
    this.hasDraws = snapshot.has_draws;
    /** The seats that agree to a draw, or to a takeback; the asker first. */
    this.draw = agreed(snapshot.draw_offer, snapshot.draw_agreed);
    this.takeback = agreed(snapshot.takeback, snapshot.takeback_agreed);
    this.rematch = [...snapshot.rematch];
    this.over = snapshot.over;
    this.winner = snapshot.winner;
    /** When the clocks that the organiser has paused go on by themselves; null while they are not paused. */
    this.pausedUntil = snapshot.paused_until;
    this.reason = snapshot.reason;
    /** Why the rules ended the match, once it is known. @type {import("./protocol").MatchEnding | null} */
    this.ending = null;
    this.seed = snapshot.seed;
    this.next = snapshot.next;
    this.delay = snapshot.delay;
    this.private = snapshot.private;
    /** The tournament of which the match is a part. */
    this.tournament = snapshot.tournament;
    this.withHelp = snapshot.with_help;
    /** Whether the result counts for the ratings, as far as it is known. */
    this.rated = snapshot.rated;
    /** What the match has changed for each seat, once it is known. @type {readonly import("./protocol").RatingChange[] | null} */
    this.changes = null;
    /** How often moves that were known here were taken back. */
    this.rewound = 0;
  }

  /** Replace the snapshot and keep known positions. @param {Snapshot} snapshot */
  load(snapshot) {
    const { moves, positions, changes, rewound } = this;
    const goesOn = moves.every((move, ply) => move === snapshot.moves[ply]);
    Object.assign(this, new MatchRecord(snapshot), { changes, rewound: goesOn ? rewound : rewound + 1 });
    for (let ply = 0; ply < Math.min(moves.length, this.ply) && moves[ply] === this.moves[ply]; ply++)
      this.positions[ply] = positions[ply];
  }

  get ply() {
    return this.moves.length;
  }

  /** Whether the receiver may have hints, and takebacks without asking. */
  get helped() {
    return this.withHelp && this.seat !== null && !this.over;
  }

  /** Whether it began as a rated match; a takeback or an early end makes it casual. */
  get begunRated() {
    return this.rated || this.seats.some(({ rating }) => rating !== null);
  }

  /** Whether every earlier position is known. */
  get complete() {
    for (let ply = 0; ply <= this.ply; ply++) if (this.positions[ply] === undefined) return false;
    return true;
  }

  /** Whether the receiver is to move, and may. */
  get myTurn() {
    return !this.over && this.pausedUntil === null && this.seat !== null && this.toMove === this.seat;
  }

  /** Who made each ply, -1 for the dice, undefined where it is not known yet. @param {number} ply */
  moverOf(ply) {
    const text = this.positions[ply];
    if (text !== undefined) return parsePosition(text).turn;
    const plain = this.seats.length === 2 && !this.moves.some(isRoll);
    return plain ? ply % 2 : undefined;
  }

  /** The seat whose turn it is, dice included. */
  get turn() {
    return this.over ? -1 : mover(parsePosition(this.position));
  }

  /** @param {History} history */
  learn(history) {
    if (history.moves.length > this.ply || history.moves.some((move, index) => move !== this.moves[index])) return;
    history.positions.forEach((text, ply) => (this.positions[ply] = text));
  }

  /** Apply what happened. Returns the events that were new; null means that some are missing. @param {Happened} happened @returns {MatchEvent[] | null} */
  apply(happened) {
    const fresh = happened.events.filter((event) => event.seq > this.seq);
    if (!fresh.length) return [];
    if (fresh[0].seq !== this.seq + 1) return null;
    for (const event of fresh) this.#evolve(event);
    this.seq = fresh[fresh.length - 1].seq;
    this.position = happened.position;
    this.toMove = happened.to_move;
    this.clocks = happened.clocks;
    this.positions[this.ply] = happened.position;
    return fresh;
  }

  /** @param {MatchEvent} event */
  #evolve(event) {
    switch (event.type) {
      case "played":
        this.moves.push(event.move);
        // A move without agreement declines.
        if (!this.draw.includes(event.seat)) this.draw = [];
        this.takeback = [];
        break;
      case "rolled":
        this.moves.push(event.move);
        break;
      case "taken_back":
        this.rewound += 1;
        this.moves.length = event.ply;
        this.positions.length = Math.min(this.positions.length, event.ply + 1);
        this.rated = false;
        [this.draw, this.takeback] = [[], []];
        break;
      case "eliminated":
        this.seats[event.seat].place = event.place;
        [this.draw, this.takeback] = [[], []];
        break;
      case "draw_offered":
        this.draw = [event.seat];
        break;
      case "draw_declined":
        this.draw = [];
        break;
      case "agreed":
        this[event.to].push(event.seat);
        break;
      case "takeback_requested":
        this.takeback = [event.seat];
        break;
      case "takeback_declined":
        this.takeback = [];
        break;
      case "clocks_paused":
        this.pausedUntil = event.until;
        break;
      case "clocks_resumed":
        this.pausedUntil = null;
        break;
      case "ended":
        this.over = true;
        this.pausedUntil = null;
        this.winner = event.winner;
        this.reason = event.reason;
        this.rated = event.rated;
        this.seed = event.seed;
        event.places.forEach((place, seat) => (this.seats[seat].place = place));
        [this.draw, this.takeback] = [[], []];
        break;
      case "rematch_offered":
        this.rematch.push(event.seat);
        break;
      case "rematch_declined":
        this.rematch = [];
        break;
      case "rematched":
        this.next = event.match;
        break;
      default:
        // `started` and `resumed` change nothing on the page.
        break;
    }
  }
}

import type { Clocks, GameSpec, Happened, MatchEvent, Snapshot } from "./protocol.ts";

/** What is known of one match. Position, ply, side to move and clocks are the server's: nothing is worked out here. */
export class Match {
  readonly id: string;
  /** The client's own seat; null for a spectator. */
  readonly seat: number | null;
  readonly game: GameSpec;
  readonly isRated: boolean;
  /** The number of the newest event. */
  seq: number;
  ply!: number;
  position!: string;
  /** The seat to move, or -1 while the dice are rolled. */
  toMove!: number;
  /** The legal moves; null where it is another seat's turn. */
  legal!: readonly string[] | null;
  clocks!: Clocks;
  isOver: boolean;
  /** The seats that have agreed to a takeback, the one that requested it first; empty where none is requested. */
  takeback: readonly number[];

  constructor(snapshot: Snapshot) {
    this.id = snapshot.match;
    this.seat = snapshot.seat;
    this.game = snapshot.game;
    this.isRated = snapshot.rated;
    this.seq = snapshot.seq;
    this.isOver = snapshot.over;
    this.takeback = snapshot.takeback_agreed;
    this.#take(snapshot);
  }

  /**
   * Take the events that are new, and return them; none where all are known already.
   *
   * Returns null where events are missing before the first new one: then nothing is taken.
   */
  update(happened: Happened): readonly MatchEvent[] | null {
    const events = happened.events.filter((event) => event.seq > this.seq);
    const [first] = events;
    if (first === undefined) {
      return [];
    }
    if (first.seq !== this.seq + 1) {
      return null;
    }
    for (const event of events) {
      this.seq = event.seq;
      switch (event.type) {
        case "takeback_requested":
          this.takeback = [event.seat];
          break;
        case "agreed":
          this.takeback = event.to === "takeback" ? [...this.takeback, event.seat] : this.takeback;
          break;
        case "played":
        case "taken_back":
        case "takeback_declined":
          this.takeback = [];
          break;
        case "ended":
          this.isOver = true;
          break;
        default: // A server may have events that this version does not know.
      }
    }
    this.#take(happened);
    return events;
  }

  #take(message: Snapshot | Happened): void {
    this.ply = message.ply;
    this.position = message.position;
    this.toMove = message.to_move;
    this.legal = message.legal ?? null;
    this.clocks = message.clocks;
  }
}

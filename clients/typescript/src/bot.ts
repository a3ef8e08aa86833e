import { Client, type ClientOptions, Refusal } from "./client.ts";
import type { Match } from "./match.ts";
import type { AcceptsInput, Challenged, Clocks, GameSpec, MatchEvent } from "./protocol.ts";

/** A position in which the bot is to move. GAMES.md has the notation of positions and moves. */
export interface Turn {
  readonly game: GameSpec;
  readonly position: string;
  readonly legal: readonly string[];
  readonly seat: number;
  readonly ply: number;
  /** `left[seat]` is each seat's time in milliseconds as the turn began, or null for a game without a clock. */
  readonly clocks: Clocks;
}

/** Returns one of `turn.legal`. What it computes without `await` blocks the connection meanwhile. */
export type Choose = (turn: Turn) => string | Promise<string>;

export interface BotOptions extends Omit<ClientOptions, "name" | "kind"> {
  /** The games that it plays, by their names or with options and clocks; by default all of the server. */
  accepts?: readonly (string | AcceptsInput)[];
  /** How many games it plays at once. */
  concurrency?: number;
  /** The version of the bot, for its ratings. */
  version?: string;
  /** Whether it grants takebacks in games that are not rated; a takeback makes a rated one casual. */
  takebacks?: boolean;
  /** Ends the bot. */
  signal?: AbortSignal;
}

/** Connect as the bot called `name`, and play until `signal` is aborted. Rejects where the server refuses the player. */
export async function runBot(name: string, choose: Choose, options: BotOptions = {}): Promise<void> {
  const log = options.log ?? ((text: string) => console.info(text));
  options.signal?.throwIfAborted();
  const client = new Client({ ...options, name, kind: "bot", log });
  options.signal?.addEventListener("abort", () => client.close());
  new Bot(client, choose, options, log).listen();
  await client.connect();
  await client.ended;
}

/** What the bot does in a match. */
interface Progress {
  /** The turn for which a move is being chosen, or was sent and not answered yet. */
  turn: Turn | null;
  /** The number of the newest event that a move of the bot caused. */
  moved: number;
}

class Bot {
  readonly #client: Client;
  readonly #choose: Choose;
  readonly #options: BotOptions;
  readonly #log: (text: string) => void;
  readonly #progress = new Map<string, Progress>();
  /** Challenges whose acceptance is not answered yet. */
  readonly #accepting = new Set<string>();
  #games: readonly (string | AcceptsInput)[] | null = null;

  constructor(client: Client, choose: Choose, options: BotOptions, log: (text: string) => void) {
    this.#client = client;
    this.#choose = choose;
    this.#options = options;
    this.#log = log;
  }

  listen(): void {
    const client = this.#client;
    client.on("welcome", (welcome) => this.#come(welcome.matches));
    client.on("challenged", (challenged) => this.#accept(challenged));
    client.on("paired", (paired) => client.follow(paired.match));
    client.on("changed", ({ match, events }) => this.#change(match, events));
    client.on("notice", (notice) => this.#log(`the server says: ${notice.text}`));
  }

  #come(matches: readonly string[]): void {
    this.#log(`connected as ${this.#client.player.name}`);
    this.#attempt(this.#declare());
    for (const match of matches) {
      if (!this.#client.matches.has(match)) {
        this.#client.follow(match);
      }
    }
  }

  async #declare(): Promise<void> {
    const { accepts, concurrency = 4, version = null } = this.#options;
    // Known from the second connection on, so that what the bot plays is declared before it accepts anything.
    this.#games ??= accepts ?? (await this.#client.ask("ask_games", {})).games.map((game) => game.name);
    await this.#client.ask("declare", {
      accepts: this.#games.map((game) => (typeof game === "string" ? { game } : game)),
      concurrency,
      version,
    });
  }

  #accept({ challenge, to }: Challenged): void {
    // The bot's own challenges are announced to it as well, and after each `welcome` all that are open.
    if (to.id !== this.#client.player.id || this.#accepting.has(challenge)) {
      return;
    }
    this.#accepting.add(challenge);
    const accepted = this.#client.ask("accept_challenge", { challenge });
    this.#attempt(accepted.finally(() => this.#accepting.delete(challenge)));
  }

  #change(match: Match, events: readonly MatchEvent[]): void {
    if (match.seat === null) {
      return;
    }
    const end = events.find((event) => event.type === "ended");
    if (end !== undefined) {
      const result = end.winner === null ? "drawn" : end.winner === match.seat ? "won" : "lost";
      this.#log(`match ${match.id} is over: ${end.places.length > 0 ? result : "without a result"} (${end.reason})`);
    }
    if (match.isOver) {
      this.#progress.delete(match.id);
      return;
    }
    if (!this.#progress.has(match.id)) {
      this.#log(`match ${match.id} of ${match.game.name} begins, seat ${match.seat}`);
    }
    // A snapshot has no events, and may be of a server that lost some.
    const { turn = null, moved = 0 } = this.#progress.get(match.id) ?? {};
    this.#progress.set(match.id, { turn, moved: events.length > 0 ? moved : 0 });
    const isRequested = events.length === 0 || events.some((event) => event.type === "takeback_requested");
    if (isRequested && match.takeback.length > 0 && !match.takeback.includes(match.seat)) {
      const isGranted = (this.#options.takebacks ?? true) && !match.isRated;
      this.#attempt(this.#client.ask(isGranted ? "accept_takeback" : "decline_takeback", { match: match.id }));
    }
    this.#look(match);
  }

  /** Choose a move where the bot is to move and does not do so yet. */
  #look(match: Match): void {
    const progress = this.#progress.get(match.id);
    if (progress === undefined || match.seat === null || match.seq < progress.moved) {
      return; // The position is from before its own move.
    }
    const { turn } = progress;
    if (match.toMove !== match.seat || match.legal === null) {
      progress.turn = null;
    } else if (turn?.ply !== match.ply || turn.position !== match.position) {
      const { game, position, legal, seat, ply, clocks } = match;
      progress.turn = { game, position, legal, seat, ply, clocks };
      this.#attempt(this.#move(match.id, progress.turn));
    }
  }

  async #move(match: string, turn: Turn): Promise<void> {
    const isCurrent = () => this.#progress.get(match)?.turn === turn;
    try {
      const move = await this.#choose(turn);
      if (!turn.legal.includes(move)) {
        throw new Error(`${JSON.stringify(move)} is not legal in ${turn.position}`);
      }
      // A takeback, or another program of the same player, may have changed the position meanwhile.
      if (isCurrent()) {
        await this.#play(match, turn, move);
      }
    } catch (error) {
      if (isCurrent()) {
        this.#log(`the bot resigns match ${match}: ${error instanceof Error ? error.stack : error}`);
        await this.#client.ask("resign", { match });
      }
    }
  }

  /** Send a move. Rejects where it is illegal; after `stale_ply` the events that the bot lacked bring a new turn. */
  async #play(id: string, turn: Turn, move: string): Promise<void> {
    const progress = this.#progress.get(id);
    const settle = () => {
      if (progress?.turn === turn) {
        progress.turn = null;
      }
    };
    try {
      const { seq } = await this.#client.ask("play", { match: id, ply: turn.ply, move });
      settle();
      const match = this.#client.matches.get(id);
      if (progress !== undefined && match !== undefined) {
        progress.moved = Math.max(progress.moved, seq ?? 0);
        this.#look(match);
      }
    } catch (error) {
      if (error instanceof Refusal && error.code === "illegal_move") {
        throw error;
      }
      settle();
      this.#log(`a move in match ${id} came too late: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Log the failure of what nothing waits for. */
  #attempt(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#log(error instanceof Error ? error.message : String(error)));
  }
}

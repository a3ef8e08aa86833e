import { Match } from "./match.ts";
import type { Answers, ClientMessage, Hello, MatchEvent, Player, Refused, ServerMessage, Welcome } from "./protocol.ts";
import { findWebSocket, type Socket, type SocketClass, socketUrl } from "./socket.ts";

const DEFAULT_SERVER = "ws://127.0.0.1:8420";
const SUBPROTOCOL = "cornered.v1.json";
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
const RETRY_MS = 1_000;
/** How often a command is sent again that fails in the server. */
const MOST_REPEATS = 5;
const BEAT_MS = 5_000;
/** Silence after which the client sends `ping`, and after which the connection counts as lost. */
const QUIET_MS = 20_000;
const LOST_MS = 45_000;
/** Codes with which `hello` is refused for a while only. */
const TRANSIENT = new Set(["too_fast", "server_full", "shutting_down", "internal"]);
/** Commands whose effect ends with the connection: under their old id they would not be carried out again. */
const OF_A_CONNECTION = new Set(["declare", "join", "watch_lobby", "watch_tournament"]);

type Command = Exclude<ClientMessage, Hello>;
/** The fields of each command beside its type, and beside the id, which the client chooses. */
export type Fields = { [C in Command as C["type"]]: Omit<C, "id" | "type"> };
/** Each message of the server by its type, and the client's own event `changed`. */
export type Heard = { [M in ServerMessage as M["type"]]: M } & {
  changed: { match: Match; events: readonly MatchEvent[] };
};
type Listener = (heard: never) => void;

interface Waiting {
  command: { type: string; id: string };
  /** How often it has failed in the server. */
  failures: number;
  resolve(answer: never): void;
  reject(error: Error): void;
}

export interface ClientOptions {
  /** By default CORNERED_SERVER of the environment, or this machine. */
  server?: string;
  /** By default CORNERED_TOKEN of the environment. Without a token the client comes as a new guest called `name`. */
  token?: string;
  name?: string;
  kind?: "person" | "bot";
  /** The program's name and version, for the server's log. */
  program?: string;
  /** The class of the connection's sockets, where it is neither the global one nor that of the package `ws`. */
  webSocket?: SocketClass;
  log?: (text: string) => void;
}

/** A command, or the client itself, is refused. */
export class Refusal extends Error {
  readonly code: string;
  /** Milliseconds after which a retry makes sense; null where it would be refused as well. */
  readonly retryAfter: number | null;

  constructor(refused: Refused) {
    super(`${refused.text} (${refused.code})`);
    this.name = "Refusal";
    this.code = refused.code;
    this.retryAfter = refused.retry_after;
  }
}

/** The connection ended before a command was answered whose effect would have ended with it. */
export class ConnectionLost extends Error {
  override name = "ConnectionLost";
}

/** Return a variable of the environment; undefined in a browser, and where it is empty. */
function given(variable: string): string | undefined {
  return (typeof process === "undefined" ? undefined : process.env[variable]) || undefined;
}

/** One player's connection to a server, which is made again whenever it breaks. */
export class Client {
  readonly #url: string;
  readonly #options: ClientOptions;
  readonly #log: (text: string) => void;
  readonly #instance = crypto.randomUUID().replaceAll("-", "");
  readonly #listeners = new Map<string, Set<Listener>>();
  /** Commands without an answer, by id. What may not have arrived is sent again under the same id. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #matches = new Map<string, Match>();
  #token: string | undefined;
  #player: Player | null = null;
  /** The connection, from `welcome` to its end. */
  #socket: Socket | null = null;
  #endSession: () => void = () => {};
  #isClosed = false;
  #count = 0;
  /** Until then only moves are sent. */
  #heldUntil = 0;
  #pause = FIRST_PAUSE_MS;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: ClientOptions = {}) {
    this.#options = options;
    this.#url = socketUrl(options.server ?? given("CORNERED_SERVER") ?? DEFAULT_SERVER);
    this.#token = options.token ?? given("CORNERED_TOKEN");
    this.#log = options.log ?? (() => {});
  }

  /** Connect, once; returns when the server has welcomed the player. Rejects with a Refusal where it does not. */
  async connect(): Promise<void> {
    const sockets = this.#options.webSocket ?? (await findWebSocket());
    this.#ended = this.#run(sockets);
    await Promise.race([this.#once("welcome"), this.#ended]);
  }

  /** Settles when the client is closed; rejects with the Refusal of a server that does not admit it any more. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  get player(): Player {
    if (this.#player === null) {
      throw new Error("the client is not connected yet");
    }
    return this.#player;
  }

  /** The secret with which another client can be the same player. */
  get token(): string {
    return this.#token ?? "";
  }

  /** The matches that the client follows and that are not over. */
  get matches(): ReadonlyMap<string, Match> {
    return this.#matches;
  }

  /** Call `listener` for each message of a type; `changed` is for new events of followed matches. Returns what ends it. */
  on<T extends keyof Heard>(type: T, listener: (heard: Heard[T]) => void): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /**
   * Send a command and return its answer.
   *
   * It waits for a connection, is sent again under the same id on a new one, and again after `too_fast`. Rejects with a
   * Refusal, and with ConnectionLost where the effect of the command would have ended with the connection.
   */
  ask<T extends keyof Fields & keyof Answers>(type: T, fields: Fields[T]): Promise<Answers[T]> {
    const command = { ...fields, type, id: `${this.#instance.slice(0, 8)}.${++this.#count}` };
    return new Promise((resolve, reject) => {
      this.#waiting.set(command.id, { command, failures: 0, resolve, reject });
      this.#send(command);
    });
  }

  /** Join a match and follow it, also on later connections; its news come as `changed`. */
  follow(match: string): void {
    const since = this.#matches.get(match)?.seq ?? null;
    this.ask("join", { match, since, legal: true }).catch((error: unknown) => {
      if (error instanceof Refusal) {
        this.#matches.delete(match);
        this.#log(`match ${match} cannot be followed: ${error.message}`);
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#endSession();
  }

  // The connection

  async #run(sockets: SocketClass): Promise<void> {
    try {
      while (!this.#isClosed) {
        try {
          await this.#session(sockets);
          this.#log("the connection is closed");
        } catch (error) {
          if (!(error instanceof Refusal) || !TRANSIENT.has(error.code)) {
            throw error;
          }
          this.#log(error.message);
          this.#pause = Math.max(this.#pause, error.retryAfter ?? 0);
        }
        this.#lose(OF_A_CONNECTION);
        // Random, so that the clients of a restarted server do not come back all at once.
        await this.#sleep(Math.random() * this.#pause);
        this.#pause = Math.min(LONGEST_PAUSE_MS, this.#pause * 2);
      }
    } finally {
      this.#isClosed = true;
      this.#lose();
    }
  }

  /** Connect and read until the connection ends. Rejects where the server refuses `hello`. */
  #session(sockets: SocketClass): Promise<void> {
    const socket = new sockets(this.#url, SUBPROTOCOL);
    let heard = Date.now();
    let isOver = false;
    let beats: ReturnType<typeof setInterval>;
    const session = new Promise<void>((resolve, reject) => {
      this.#endSession = resolve;
      beats = setInterval(() => {
        if (Date.now() - heard > LOST_MS) {
          resolve();
        } else if (Date.now() - heard > QUIET_MS && this.#socket !== null) {
          socket.send(JSON.stringify({ type: "ping", id: "beat" }));
        }
      }, BEAT_MS);
      socket.addEventListener("open", () => {
        const { name, kind = "person", program = "@cornered/client" } = this.#options;
        const who = this.#token === undefined ? { name: name ?? null } : { token: this.#token };
        socket.send(JSON.stringify({ type: "hello", kind, client: program, instance: this.#instance, ...who }));
      });
      socket.addEventListener("message", (event: { data: unknown }) => {
        if (isOver) {
          return;
        }
        heard = Date.now();
        const refusal = this.#read(socket, event.data);
        if (refusal !== null) {
          reject(refusal);
        }
      });
      socket.addEventListener("error", (event: { message?: string }) => this.#log(event.message ?? "no connection"));
      socket.addEventListener("close", () => resolve());
    });
    return session.finally(() => {
      isOver = true;
      clearInterval(beats);
      this.#socket = null;
      socket.close();
    });
  }

  /** Forget the commands of these types, or all; the others are sent again on the next connection. */
  #lose(types?: ReadonlySet<string>): void {
    for (const [id, { command, reject }] of this.#waiting) {
      if (types === undefined || types.has(command.type)) {
        this.#waiting.delete(id);
        reject(new ConnectionLost(`the connection ended before ${command.type} was answered`));
      }
    }
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endSession = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #send(command: Waiting["command"]): void {
    const wait = this.#heldUntil - Date.now();
    if (this.#isClosed) {
      this.#lose();
    } else if (wait > 0 && command.type !== "play") {
      this.#sendLater(command, wait);
    } else if (this.#socket !== null && this.#waiting.has(command.id)) {
      this.#socket.send(JSON.stringify(command));
    }
  }

  #sendLater(command: Waiting["command"], milliseconds: number): void {
    setTimeout(() => this.#send(command), milliseconds);
  }

  // Messages

  /** Take one message; return the refusal of `hello`, if it is one. What is no JSON ends the connection. */
  #read(socket: Socket, data: unknown): Refusal | null {
    let message: ServerMessage;
    try {
      message = JSON.parse(String(data)) as ServerMessage;
    } catch (error) {
      // An answer may have been lost with it; on the next connection every command is sent again.
      this.#log(`what comes over this connection cannot be read: ${error}`);
      this.#endSession();
      return null;
    }
    try {
      if (message.type === "refused" && this.#socket === null) {
        return new Refusal(message);
      }
      if (message.type === "welcome") {
        this.#socket = socket;
        this.#pause = FIRST_PAUSE_MS;
      }
      this.#take(message);
    } catch (error) {
      this.#log(`a message cannot be read: ${error}`);
    }
    return null;
  }

  #take(message: ServerMessage): void {
    switch (message.type) {
      case "welcome":
        this.#come(message);
        return;
      case "refused":
        this.#refuse(message);
        break;
      case "snapshot":
        this.#change(new Match(message), []);
        break;
      case "happened": {
        const match = this.#matches.get(message.match);
        const events = match?.update(message);
        if (match !== undefined && events === null) {
          // Events are missing: the answer to this has them.
          this.follow(match.id);
        } else if (match !== undefined && events?.length) {
          this.#change(match, events);
        }
        break;
      }
      default: // A server may have messages that this version does not know.
    }
    const id = "id" in message && message.type !== "refused" ? message.id : null;
    if (id) {
      this.#waiting.get(id)?.resolve(message as never);
      this.#waiting.delete(id);
    }
    this.#emit(message.type, message);
  }

  #come(welcome: Welcome): void {
    const lost = [...this.#waiting.values()];
    this.#token = welcome.token ?? this.#token;
    this.#player = welcome.player;
    this.#emit("welcome", welcome);
    for (const match of this.#matches.keys()) {
      this.follow(match);
    }
    for (const { command } of lost) {
      this.#send(command);
    }
  }

  #change(match: Match, events: readonly MatchEvent[]): void {
    if (match.isOver) {
      this.#matches.delete(match.id);
    } else {
      this.#matches.set(match.id, match);
    }
    this.#emit("changed", { match, events });
  }

  #refuse(refused: Refused): void {
    const waiting = this.#waiting.get(refused.id ?? "");
    if (waiting === undefined) {
      this.#log(`the server says: ${refused.text} (${refused.code})`);
    } else if (refused.code === "too_fast") {
      const wait = refused.retry_after ?? RETRY_MS;
      this.#heldUntil = Date.now() + wait;
      this.#sendLater(waiting.command, wait);
    } else if (refused.code === "internal" && waiting.failures < MOST_REPEATS) {
      // It may have been carried out: under the same id it is not carried out twice.
      waiting.failures++;
      this.#sendLater(waiting.command, refused.retry_after ?? RETRY_MS);
    } else if (refused.code !== "shutting_down") {
      this.#waiting.delete(waiting.command.id);
      waiting.reject(new Refusal(refused));
    }
  }

  #emit(type: string, heard: unknown): void {
    for (const listener of this.#listeners.get(type) ?? []) {
      listener(heard as never);
    }
  }

  #once(type: keyof Heard): Promise<void> {
    return new Promise((resolve) => {
      const end = this.on(type, () => {
        end();
        resolve();
      });
    });
  }
}

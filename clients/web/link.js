/**
 * The connection: one socket that reconnects, commands with exactly one answer, and the server's time.
 *
 * Events: `online` (after each welcome), `offline`, `unwelcome` (with the server's reason for refusing a socket), `barred`
 * (the server admits no guests), `signed_out` (the account's session has ended elsewhere), and one event named for each
 * message type that is not an answer.
 */

import { t } from "./language.js";
import { sentence } from "./words.js";

/** @typedef {"connecting" | "online" | "offline"} LinkState */

const SUBPROTOCOL = "cornered.v1.json";
const TOKEN = "cornered.token";
/** Where it is kept that the token is an account's. */
const ACCOUNT = "cornered.account";
const PING_INTERVAL_MS = 15_000;
/** The same while the player's move is awaited, so that a lost network shows before the move is made. */
const TURN_PING_INTERVAL_MS = 5_000;
/** Silence after a ping that means the socket is lost, and the same before the welcome. */
const SILENCE_MS = 5_000;
const WELCOME_MS = 20_000;
const MAX_BACKOFF_MS = 8_000;
const CLOCK_STEP_MS = 250;
/** Upper bound on the server's Retry-After. */
const MAX_RETRY_AFTER_MS = 300_000;

/** A typed refusal. */
export class Refused extends Error {
  /** @param {string} code @param {string} text @param {number | null} [wait] in milliseconds, where waiting helps */
  constructor(code, text, wait) {
    super(sentence(text));
    this.code = code;
    this.wait = wait ?? 0;
  }
}

/** @param {unknown} listener @param {Event} event */
const hears = (listener, event) =>
  /** @type {(message: unknown) => void} */ (listener)(/** @type {CustomEvent} */ (event).detail);

export class Link extends EventTarget {
  /** @param {string} url @param {Storage} store where the token lives */
  constructor(url, store) {
    super();
    this.url = url;
    this.store = store;
    /** @type {LinkState} */
    this.state = "connecting";
    /** @type {Player | null} */
    this.me = null;
    /** Whether I have an account; a guest has none. */
    this.hasAccount = false;
    /** Whether the server does not let me in, as where it admits accounts only: commands go over sockets of their own. */
    this.barred = false;
    /** Why an administrator keeps me out; empty where none does. */
    this.banned = "";
    /** @type {readonly string[]} my matches that went on when the connection began */
    this.live = [];
    /** The offset of the server's clock from ours, in milliseconds. */
    this.ahead = 0;
    this.trip = Infinity;
    this.attempts = 0;
    this.welcomed = false;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Map<string, Waiting>} */
    this.waiting = new Map();
    this.counter = 0;
    this.prefix = crypto.getRandomValues(new Uint32Array(2)).join("-");
    this.timer = 0;
    this.beatTimer = 0;
    this.beatDue = Infinity;
    this.silenceTimer = 0;
    this.awaited = false;
    this.wantedName = "";
    /** The token of the last hello. @type {string | null} */
    this.sentToken = null;
    // An attempt that began on another network, or on none, would take long to fail.
    window.addEventListener("online", () => this.state === "online" || this.open());
    window.addEventListener("offline", () => this.#abandon());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
  }

  /** The server's time now, in milliseconds. */
  now() {
    return Date.now() + this.ahead;
  }

  open() {
    if (this.barred) return;
    this.#forgetTimers();
    this.socket?.close();
    const socket = new WebSocket(this.url, [SUBPROTOCOL]);
    this.socket = socket;
    let opened = false;
    this.silenceTimer = window.setTimeout(() => this.#abandon(), WELCOME_MS);
    socket.onopen = () => {
      opened = true;
      const token = this.store.getItem(TOKEN);
      this.sentToken = token;
      const hello = { type: "hello", kind: "person", client: "cornered-web" };
      socket.send(
        JSON.stringify({
          ...hello,
          ...(token ? { token } : {}),
          ...(this.wantedName ? { name: this.wantedName } : {}),
        }),
      );
    };
    socket.onmessage = (event) => {
      if (socket !== this.socket) return;
      clearTimeout(this.silenceTimer);
      this.silenceTimer = 0;
      /** @type {any} */
      let message;
      try {
        message = JSON.parse(event.data);
      } catch {
        // An answer may have been lost with it; on a new connection every command in doubt is sent again.
        return this.#abandon();
      }
      this.#hear(message);
    };
    socket.onclose = () => {
      if (socket !== this.socket) return;
      this.#lost();
      if (!opened) this.#askWhy();
    };
  }

  /** Fetch the reason of a refused socket, which browsers hide, and wait for its Retry-After. */
  async #askWhy() {
    if (!navigator.onLine) return;
    try {
      const answer = await fetch(new URL("visit", this.url.replace(/^ws/, "http")), { cache: "no-store" });
      if ((answer.status !== 429 && answer.status !== 503) || !this.timer) return;
      const text = (await answer.text()).trim();
      const seconds = Number(answer.headers.get("Retry-After"));
      if (seconds > 0) this.#retryIn(Math.min(MAX_RETRY_AFTER_MS, seconds * 1000) * (1 + 0.2 * Math.random()));
      this.dispatchEvent(new CustomEvent("unwelcome", { detail: { text } }));
    } catch {
      // The server does not answer, so there is no reason.
    }
  }

  /** @param {number} wait in milliseconds */
  #retryIn(wait) {
    if (this.barred) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.open(), wait);
  }

  /** Add listeners for several message types. @param {Listeners} listeners @param {AbortSignal} [signal] */
  hear(listeners, signal) {
    for (const [type, listener] of Object.entries(listeners))
      this.addEventListener(type, (event) => hears(listener, event), signal && { signal });
  }

  /** Reconnect now instead of after the backoff. */
  hurry() {
    if (this.timer) this.open();
  }

  /** Look after the connection more closely while a move is awaited from here. @param {boolean} awaited */
  attend(awaited) {
    this.awaited = awaited;
    this.#beatSoon();
  }

  /** Reconnect under another name. @param {string} name */
  rename(name) {
    this.wantedName = name;
    this.socket?.close();
  }

  /** Go on as the player of a new session, which has an account. @param {Player} player @param {string} token */
  entered(player, token) {
    if (player.id !== this.me?.id) return this.become(token);
    this.store.setItem(TOKEN, token);
    this.registered(player);
  }

  /** Keep that I have an account now, as this player. @param {Player} player */
  registered(player) {
    this.me = player;
    this.hasAccount = true;
    this.store.setItem(ACCOUNT, "yes");
    this.dispatchEvent(new CustomEvent("renamed"));
  }

  /**
   * Be another player from now on, or with null a new guest. All that the page knows is of the present one, so it is
   * loaded again.
   * @param {string | null} token
   */
  become(token) {
    this.store.removeItem(ACCOUNT);
    if (token === null) this.store.removeItem(TOKEN);
    else this.store.setItem(TOKEN, token);
    location.reload();
  }

  /** Send a command that may come before `hello`, on a socket of its own. @param {{id: string}} command @returns {Promise<any>} */
  #askOutside(command) {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.url, [SUBPROTOCOL]);
      socket.onopen = () => socket.send(JSON.stringify(command));
      socket.onmessage = (event) => {
        const answer = JSON.parse(event.data);
        if (answer.type === "refused") reject(new Refused(answer.code, answer.text, answer.retry_after));
        else resolve(answer);
        socket.close();
      };
      socket.onclose = () => reject(new Refused("offline", t("The connection is down just now.")));
    });
  }

  /**
   * Send a command and wait for its answer; a refusal throws. A `lasting` command outlives a lost connection: it is sent
   * again under the same id, which the server carries out once. Others throw when the connection goes.
   * @template {keyof Fields} T
   * @param {{type: T} & Fields[T]} message
   * @param {{lasting?: boolean}} [how]
   * @returns {Promise<Answer<T>>}
   */
  ask(message, { lasting = false } = {}) {
    const command = { id: `${this.prefix}.${++this.counter}`, ...message };
    if (this.barred) return this.#askOutside(command);
    return new Promise((resolve, reject) => {
      if (!lasting && this.state !== "online") {
        reject(new Refused("offline", t("The connection is down just now.")));
        return;
      }
      this.waiting.set(command.id, { command, lasting, resolve, reject });
      if (this.state === "online") this.socket?.send(JSON.stringify(command));
    });
  }

  /** @param {ServerMessage} message */
  #hear(message) {
    const waiting = "id" in message && message.id ? this.waiting.get(message.id) : undefined;
    switch (message.type) {
      case "welcome":
        this.#welcome(message);
        return;
      case "refused":
        // Not carried out. The socket closes soon, and a lasting command is sent again on the next one.
        if (message.code === "shutting_down" && waiting?.lasting !== false) return;
        if (waiting) {
          this.waiting.delete(waiting.command.id);
          waiting.reject(new Refused(message.code, message.text, message.retry_after));
        } else if (message.code === "bad_token") {
          // Another tab may have stored a token since: the next hello has that one.
          const isStored = this.store.getItem(TOKEN) === this.sentToken;
          const hadAccount = isStored && this.store.getItem(ACCOUNT) !== null;
          if (isStored) for (const key of [TOKEN, ACCOUNT]) this.store.removeItem(key);
          this.socket?.close();
          if (hadAccount) this.dispatchEvent(new CustomEvent("signed_out"));
        } else if (message.code === "no_guests" || message.code === "banned") {
          this.barred = true;
          if (message.code === "banned") this.banned = message.text;
          this.#abandon();
          this.dispatchEvent(new CustomEvent("barred"));
        } else {
          if (this.state !== "online" && this.wantedName) {
            // The server refuses this name: the next hello has the old one.
            this.wantedName = "";
            this.socket?.close();
          }
          this.dispatchEvent(new CustomEvent("refused", { detail: message }));
        }
        return;
      case "pong":
        this.#sync(message);
        break;
    }
    if (waiting) {
      this.waiting.delete(waiting.command.id);
      waiting.resolve(message);
    }
    if (message.type !== "acknowledged" && message.type !== "pong") {
      this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
    }
  }

  /** @param {Heard["welcome"]} message */
  #welcome(message) {
    if (message.token) this.store.setItem(TOKEN, message.token);
    this.me = message.player;
    this.hasAccount = message.has_account;
    this.live = message.matches;
    if (this.hasAccount) this.store.setItem(ACCOUNT, "yes");
    this.wantedName = "";
    this.trip = Infinity;
    this.ahead = message.now - Date.now();
    this.attempts = 0;
    this.state = "online";
    this.welcomed = true;
    // Listeners join their matches first, so that an unsent move goes to a subscribed match.
    const unsent = [...this.waiting.values()];
    this.dispatchEvent(new CustomEvent("online"));
    for (const { command } of unsent) this.socket?.send(JSON.stringify(command));
    this.#beat();
  }

  /** Keep the offset of the fastest round trip until a later one contradicts it, after a step of either clock. @param {Heard["pong"]} pong */
  #sync(pong) {
    const trip = Date.now() - pong.sent;
    const ahead = pong.now + trip / 2 - Date.now();
    if (trip > this.trip && Math.abs(ahead - this.ahead) < (trip + this.trip) / 2 + CLOCK_STEP_MS) return;
    this.trip = trip;
    this.ahead = ahead;
  }

  /** Send a ping now and the next one after the interval; a long silence is the end of the socket. */
  #beat() {
    this.beatDue = Infinity;
    if (this.state !== "online") return;
    this.#beatSoon();
    this.silenceTimer ||= window.setTimeout(() => this.#abandon(), SILENCE_MS);
    this.ask({ type: "ping", sent: Date.now() }).catch(() => {});
  }

  /** Send the next ping after the interval, unless it is due before. */
  #beatSoon() {
    const wait = this.awaited ? TURN_PING_INTERVAL_MS : PING_INTERVAL_MS;
    if (this.state !== "online" || this.beatDue <= Date.now() + wait) return;
    clearTimeout(this.beatTimer);
    this.beatDue = Date.now() + wait;
    this.beatTimer = window.setTimeout(() => this.#beat(), wait);
  }

  /** Give up a socket whose far end cannot be reached: its own close event would come much later. */
  #abandon() {
    if (!this.socket) return;
    this.socket.close();
    this.#lost();
  }

  #forgetTimers() {
    for (const timer of [this.timer, this.beatTimer, this.silenceTimer]) clearTimeout(timer);
    this.timer = this.silenceTimer = 0;
    this.beatDue = Infinity;
  }

  #lost() {
    this.socket = null;
    this.#forgetTimers();
    if (this.state !== "offline") {
      this.state = "offline";
      for (const [id, waiting] of this.waiting) {
        if (waiting.lasting) continue;
        this.waiting.delete(id);
        waiting.reject(new Refused("offline", t("The connection went down.")));
      }
      this.dispatchEvent(new CustomEvent("offline"));
    }
    const wait = Math.min(MAX_BACKOFF_MS, 250 * 2 ** this.attempts) * (0.6 + 0.8 * Math.random());
    this.attempts += 1;
    this.#retryIn(wait);
  }
}

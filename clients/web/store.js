/** What the page knows of the lobby, kept up to date by its messages. */

/** @typedef {import("./link.js").Link} Link */

export class Store extends EventTarget {
  /** @param {Link} link */
  constructor(link) {
    super();
    this.link = link;
    /** @type {import("./protocol").OfferedGame[]} */
    this.games = [];
    /** @type {Map<string, import("./protocol").Seek>} */
    this.seeks = new Map();
    /** @type {Map<string, import("./protocol").MatchSummary>} */
    this.matches = new Map();
    /** @type {Map<string, import("./protocol").Presence>} */
    this.players = new Map();
    /** @type {Map<string, import("./protocol").Challenged>} challenges that stand, mine and to me */
    this.challenges = new Map();
    this.loaded = false;
    this.watching = false;
    link.hear({
      online: () => this.#online(),
      lobby: (message) => this.#load(message),
      lobby_changed: (message) => this.#change(message),
      challenged: (message) => {
        this.challenges.set(message.challenge, message);
        this.#tell();
      },
      challenge_closed: (message) => {
        this.challenges.delete(message.challenge);
        this.#tell();
      },
    });
  }

  #online() {
    this.challenges.clear();
    this.link.ask({ type: "ask_games" }).then(
      (answer) => {
        this.games = answer.games;
        this.#tell();
      },
      () => {},
    );
    if (this.watching) this.watch();
  }

  /** Hear of the lobby from now on. */
  watch() {
    this.watching = true;
    if (this.link.state === "online") this.link.ask({ type: "watch_lobby" }).catch(() => {});
  }

  /** Hear no more of it. */
  leave() {
    this.watching = false;
    if (this.link.state === "online") this.link.ask({ type: "leave_lobby" }).catch(() => {});
  }

  /** The game that the server offers under this name. @param {string} name */
  offered(name) {
    return this.games.find((game) => game.name === name);
  }

  /** A game's title. @param {string} name */
  title(name) {
    return this.offered(name)?.title ?? name;
  }

  /** Bots that play this game. @param {string} game */
  bots(game) {
    return [...this.players.values()].filter(
      (presence) => presence.player.kind === "bot" && presence.accepts.some((each) => each.game === game),
    );
  }

  /** The bot to play when nobody chose one: last time's, a gentle one, or one that thinks a little. @param {string} game @param {string} [last] */
  bot(game, last) {
    const free = this.bots(game).filter((presence) => presence.free > 0);
    return (
      free.find((each) => each.player.name === last) ??
      free.find((each) => each.player.name === "level-3") ??
      free.find((each) => !/random/i.test(each.player.name)) ??
      free[0]
    );
  }

  /** @param {import("./protocol").LobbyState} message */
  #load(message) {
    this.seeks = new Map(message.seeks.map((seek) => [seek.id, seek]));
    this.matches = new Map(message.matches.map((match) => [match.id, match]));
    this.players = new Map(message.players.map((presence) => [presence.player.id, presence]));
    this.loaded = true;
    this.#tell();
  }

  /** @param {import("./protocol").LobbyChanged} message */
  #change(message) {
    for (const seek of message.seeks) this.seeks.set(seek.id, seek);
    for (const match of message.matches) this.matches.set(match.id, match);
    for (const presence of message.players) this.players.set(presence.player.id, presence);
    for (const id of message.seeks_gone) this.seeks.delete(id);
    for (const id of message.matches_gone) this.matches.delete(id);
    for (const id of message.players_gone) this.players.delete(id);
    this.#tell();
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}

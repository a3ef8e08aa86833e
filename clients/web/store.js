/** The page's copy of the lobby: the first page of each list, kept up to date, and further pages on demand. */

import { nearestBot } from "./opponents.js";
import { GAMES } from "./progress.js";

/** @typedef {import("./link.js").Link} Link */

export class Store extends EventTarget {
  /** @param {Link} link */
  constructor(link) {
    super();
    this.link = link;
    /** @type {OfferedGame[]} */
    this.games = [];
    /** @type {Map<string, Seek>} */
    this.seeks = new Map();
    /** @type {Map<string, MatchSummary>} */
    this.matches = new Map();
    /** @type {Map<string, Presence>} */
    this.players = new Map();
    /** @type {Record<Section, number>} how long the lists are at the server */
    this.totals = { seeks: 0, matches: 0, players: 0 };
    /** @type {Record<Section, string | null>} where the next page of each begins */
    this.cursors = { seeks: null, matches: null, players: null };
    /** @type {Map<string, Challenged>} challenges that stand, mine and to me */
    this.challenges = new Map();
    /** @type {import("./protocol").PairingPool[]} of quick pairing */
    this.pools = [];
    /** @type {Map<string, number>} how many wait in each pool */
    this.standing = new Map();
    /** @type {import("./pools.js").InPool | null} the pool in which I wait */
    this.waiting = null;
    this.loaded = false;
    this.watching = false;
    link.hear({
      online: () => this.#online(),
      lobby: (message) => this.#load(message),
      lobby_changed: (message) => this.#change(message),
      lobby_page: (message) => this.#add(message),
      challenged: (message) => {
        this.challenges.set(message.challenge, message);
        this.#tell();
      },
      challenge_closed: (message) => {
        this.challenges.delete(message.challenge);
        this.#tell();
      },
      waiting: (message) => {
        this.waiting = message.pool === null ? null : { ...message, pool: message.pool };
        this.#tell();
      },
    });
  }

  #online() {
    this.challenges.clear();
    // Who still waits is told so after each welcome.
    this.waiting = null;
    this.link.ask({ type: "ask_games" }).then(
      (answer) => {
        this.games = [...answer.games].sort((one, two) => placeOf(one) - placeOf(two));
        this.pools = answer.pools;
        this.#tell();
      },
      () => {},
    );
    if (this.watching) this.watch();
  }

  /** Subscribe to the lobby. */
  watch() {
    this.watching = true;
    if (this.link.state === "online") this.link.ask({ type: "watch_lobby" }).catch(() => {});
  }

  /** Unsubscribe. */
  leave() {
    this.watching = false;
    if (this.link.state === "online") this.link.ask({ type: "leave_lobby" }).catch(() => {});
  }

  /** Load pages of a list until one has a new entry. @param {Section} section */
  async more(section) {
    const unseen = this.unseen(section);
    let page;
    do page = await this.link.ask({ type: "ask_lobby", section, after: this.cursors[section] });
    while (page.more && this.unseen(section) === unseen);
  }

  /** The number of entries of a list that are not loaded. @param {Section} section */
  unseen(section) {
    const known = section === "seeks" ? [...this.seeks.values()].filter((seek) => !seek.settings.private) : null;
    return Math.max(0, this.totals[section] - (known?.length ?? this[section].size));
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

  /** Whether a bot takes rated games of this kind, as far as is known. @param {Player} bot @param {string} game */
  takesRated({ id }, game) {
    const accepted = this.players.get(id)?.accepts.filter((each) => each.game === game) ?? [];
    return !accepted.length || accepted.some(({ rated }) => rated);
  }

  /** The bot to play: the last one played, an easy one, or the nearest that is free. @param {string} game @param {string} [last] */
  bot(game, last) {
    return nearestBot(this.bots(game), last);
  }

  /** @param {import("./protocol").LobbyState} message */
  #load(message) {
    this.seeks = new Map(message.seeks.map((seek) => [seek.id, seek]));
    this.matches = new Map(message.matches.map((match) => [match.id, match]));
    this.players = new Map(message.players.map((presence) => [presence.player.id, presence]));
    this.cursors = { seeks: message.seeks_more, matches: message.matches_more, players: message.players_more };
    this.standing.clear();
    this.loaded = true;
    this.#count(message);
  }

  /** @param {import("./protocol").LobbyPage} message */
  #add(message) {
    this.#learn(message);
    this.totals[message.section] = message.total;
    this.cursors[message.section] = message.more;
    this.#tell();
  }

  /** @param {import("./protocol").LobbyChanged} message */
  #change(message) {
    this.#learn(message);
    for (const moved of message.moved) {
      const match = this.matches.get(moved.id);
      if (match) this.matches.set(moved.id, { ...match, ...moved });
    }
    for (const id of message.seeks_gone) this.seeks.delete(id);
    for (const id of message.matches_gone) this.matches.delete(id);
    for (const id of message.players_gone) this.players.delete(id);
    this.#count(message);
  }

  /** @param {import("./protocol").LobbyChanged | import("./protocol").LobbyPage} message */
  #learn({ seeks, matches, players }) {
    for (const seek of seeks) this.seeks.set(seek.id, seek);
    for (const match of matches) this.matches.set(match.id, match);
    for (const presence of players) this.players.set(presence.player.id, presence);
  }

  /** Take over one's own visible name: with several nodes another one may have to number it after the welcome. */
  #learnName() {
    const { link } = this;
    const known = this.players.get(link.me?.id ?? "")?.player;
    if (!known || known.name === link.me?.name) return;
    link.me = known;
    link.dispatchEvent(new CustomEvent("renamed"));
  }

  /** @param {import("./protocol").LobbyState | import("./protocol").LobbyChanged} message */
  #count({ seeks_total, matches_total, players_total, pools }) {
    for (const { id, waiting } of pools) this.standing.set(id, waiting);
    this.totals = { seeks: seeks_total, matches: matches_total, players: players_total };
    this.#learnName();
    this.#tell();
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}

/** The place of a game wherever games are listed: in the order of learning, then the others. @param {OfferedGame} game */
function placeOf({ name }) {
  const place = GAMES.indexOf(name);
  return place < 0 ? GAMES.length : place;
}

/** The page's frame: connection, header, routes, and events outside the views. */

import { announce, button, fill, h, set } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./language.js";
import { lazyView, load } from "./lazy.js";
import { Link } from "./link.js";
import { LobbyView } from "./lobby.js";
import { isEasy, strengthOf } from "./opponents.js";
import { keep, settings, sound } from "./settings.js";
import { openSheet } from "./sheet.js";
import { Store } from "./store.js";
import { clockText, isolated, nameOf, optionText, sentence } from "./words.js";

const address = new URL("ws", location.href.split(/[?#]/)[0]);
address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
const link = new Link(address.href, tokenStore());
const store = new Store(link);

/** With `?guest` every tab is another player. */
function tokenStore() {
  return new URLSearchParams(location.search).has("guest") ? sessionStorage : localStorage;
}

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Show a message that disappears after a while. @param {string} text @param {HTMLElement[]} buttons @param {number} [seconds] */
function toast(text, buttons = [], seconds = 6) {
  const element = h("div.toast", h("p", text), buttons);
  byId("toasts").append(element);
  announce(text);
  const timer = setTimeout(() => element.remove(), seconds * 1000);
  return () => {
    clearTimeout(timer);
    element.remove();
  };
}

/** What views may do to the page; `types.d.ts` describes it. @type {Page} */
export const page = {
  link,
  store,
  toast,
  complain: (error) => toast(/** @type {Error} */ (error).message || t("That did not work.")),
  rules,
  copy: async (text, words) => {
    try {
      await navigator.clipboard.writeText(text);
      toast(words);
    } catch {
      toast(text, [], 20);
    }
  },
  go: (hash) => {
    if (location.hash === hash) route();
    else location.hash = hash;
  },

  challenge: async (to, chosen) => {
    try {
      await link.ask(
        { type: "challenge", to: to.id, game: chosen.game, clock: chosen.clock, seat: chosen.seat, with_help: chosen.with_help ?? false, rated: chosen.rated ?? false },
        { lasting: true },
      );
      if (to.kind === "person") toast(t("{name} is asked for a game.", { name: nameOf(to) }));
    } catch (error) {
      page.complain(error);
    }
  },

  quickBot: async (game) => {
    matchSoon();
    await rulesOnce(game);
    const last = settings.forms[`bot:${game}`];
    const { bot, wanted, needsAsking } = store.bot(game, last?.bot);
    if (!bot) {
      toast(t("No bot that plays this is free just now. Try again in a moment."));
      return;
    }
    const terms = {
      game: { name: game, options: last?.options ?? {} },
      clock: last?.clock ?? { kind: /** @type {const} */ ("none") },
      seat: last?.seat ?? null,
      with_help: last?.with_help ?? isEasy(bot.player.name),
      rated: last?.rated ?? false,
    };
    const { name } = bot.player;
    if (needsAsking) {
      const play = button(t("Play {name}", { name }), () => page.challenge(bot.player, terms), "primary");
      const values = { wanted, name, strength: strengthOf(name) };
      toast(t("{wanted} is busy. The nearest bot that is free is {name}, much stronger ({strength}).", values), [play], 20);
      return;
    }
    try {
      await link.ask({ type: "challenge", to: bot.player.id, ...terms }, { lasting: true });
    } catch (error) {
      if (/** @type {Refused} */ (error).code !== "busy" || !store.players.has(bot.player.id)) page.complain(error);
      else {
        // Somebody was quicker, and the next update of the lobby says the same.
        store.players.set(bot.player.id, { ...bot, free: 0 });
        await page.quickBot(game);
      }
    }
  },

  openPlayer: async (player, match) => {
    try {
      (await load(() => import("./reporting.js"), "players.css", "social.css")).openPlayer(page, player, match);
    } catch (error) {
      page.complain(error);
    }
  },

  form: async (game, mode, to) => {
    matchSoon();
    await rulesOnce(game);
    let module;
    try {
      module = await load(() => import("./form.js"));
    } catch (error) {
      page.complain(error);
      return;
    }
    // It may have been asked for twice while it was loaded.
    if (document.querySelector("dialog")) return;
    const answer = await module.askSettings(store, { game, mode, to, rules });
    if (!answer) return;
    if (mode === "open") await page.openTable(answer.settings);
    else if (answer.to) await page.challenge(answer.to, answer.settings);
  },

  enterPool: async ({ id, game }) => {
    matchSoon();
    await rulesOnce(game.name);
    try {
      await link.ask({ type: "enter_pool", pool: id }, { lasting: true });
      scrollTo(0, 0);
    } catch (error) {
      page.complain(error);
    }
  },

  turns: turnsSoon,

  leavePool: () => link.ask({ type: "leave_pool" }, { lasting: true }).then(() => {}, page.complain),

  openTable: async (chosen) => {
    try {
      await link.ask({ type: "create_seek", settings: chosen }, { lasting: true });
      page.go("#/");
    } catch (error) {
      page.complain(error);
    }
  },
};

/** The sheets of accounts, loaded when one of them is opened. */
const entrance = () => load(() => import("./entrance.js"), "players.css");
const signIn = () => entrance().then((module) => module.signIn(page), page.complain);
const register = () => entrance().then((module) => module.register(page), page.complain);
const account = () => load(() => import("./account.js"), "players.css");

/** @type {Promise<import("./turns.js").Turns> | null} my correspondence games, once there may be any */
let turns = null;

/** Load what shows my correspondence games, and the link to the next one. */
function turnsSoon() {
  turns ??= load(() => import("./turns.js"), "social.css").then(({ Turns }) => {
    const loaded = new Turns(page);
    byId("top").querySelector(".wait")?.before(loaded.chip);
    return loaded;
  });
  // Without a connection it is tried again with the next.
  turns.catch(() => {
    turns = null;
  });
  return turns;
}

/** Show the rules of a game. @param {string} game */
async function rules(game) {
  try {
    await (await load(() => import("./rules.js"), "learn.css")).showRules(game);
  } catch (error) {
    page.complain(error);
  }
}

/** Show the rules before the first game of a kind. @param {string} game */
const rulesOnce = (game) => (settings.learned?.rules?.includes(game) ? Promise.resolve() : rules(game));

/** @type {View | null} */
let view = null;

/** Show the view of the URL. */
function route() {
  const [, kind, id, part = ""] = location.hash.split("/");
  const shown = byId("view");
  view?.close();
  if (kind === "oidc" && id) view = lazyView(() => import("./provider.js"), ({ ReturnView }) => new ReturnView(page, id), "players.css");
  else if (kind === "enter" && id) view = lazyView(() => import("./devices.js"), ({ EnterView }) => new EnterView(page, id), "players.css");
  else if (link.barred) view = lazyView(() => import("./entrance.js"), ({ DoorView }) => new DoorView(page), "players.css");
  else if (kind === "m" && id) view = matchView(id, /^\d{1,4}$/.test(part) ? Number(part) : null, part === "study");
  else if (kind === "puzzles" || kind === "puzzle") view = puzzles(kind === "puzzle" ? id : "");
  else if (kind === "learn") view = lessons(id ?? "", part);
  else if (kind === "think") view = thinking();
  else if (kind === "p") view = analysis();
  else if (kind === "player" && id) view = profile(id, part);
  else if (kind === "bot" && id) view = botPage(id);
  else if (kind === "groups" || kind === "join") view = groups(kind === "join" ? (id ?? "") : "");
  else if (kind === "group" && id) view = group(id);
  else if (kind === "wall" && id) view = wall(id);
  else if (kind === "admin") view = admin(id ?? "");
  else if (kind === "mails" && id) view = endMails(id, part);
  else if (kind === "leaders") view = leaders(id ?? "", part);
  else if (kind === "tournaments") view = tournaments();
  else if (kind === "tournament" && id) view = tournament(id);
  else if (kind === "tv") view = tv(id ?? "");
  else if (kind === "archive") view = archive(id ?? "");
  else if (kind === "openings") view = explorer(id ?? "");
  else if (kind === "versus") view = versus(id ?? "", part);
  else view = new LobbyView(page, kind === "s" ? id : "");
  fill(shown, view.element);
  document.body.dataset.view = kind === "m" || kind === "p" || kind === "tv" ? "match" : kind === "think" || kind === "wall" ? kind : "lobby";
  scrollTo(0, 0);
}

const matchModule = () => import("./match.js");

/** Load the view of a match while the player chooses its terms. */
const matchSoon = () => {
  // The view itself says when it cannot be loaded.
  matchModule().catch(() => {});
};

/** @param {string} id @param {number | null} ply @param {boolean} isStudied */
const matchView = (id, ply, isStudied) => lazyView(matchModule, ({ MatchView }) => new MatchView(page, id, ply, isStudied));

/** @param {string} id */
const puzzles = (id) => lazyView(() => import("./puzzles.js"), ({ PuzzleView }) => new PuzzleView(page, id), "learn.css");

const thinking = () =>
  lazyView(() => import("./thinking.js"), ({ ThinkingView }) => new ThinkingView(page), "thinking.css");

const analysis = () => lazyView(() => import("./analysis.js"), ({ AnalysisView }) => new AnalysisView(page));

/** @param {string} id @param {string} match in which one met, or nothing */
const profile = (id, match) =>
  lazyView(() => import("./profile.js"), ({ ProfileView }) => new ProfileView(page, id, match), "players.css");

/** @param {string} code */
const botPage = (code) => lazyView(() => import("./botpage.js"), ({ BotPage }) => new BotPage(page, code), "bots.css");

/** @param {string} part */
const admin = (part) =>
  lazyView(() => import("./admin.js"), ({ AdminView }) => new AdminView(page, part), "players.css", "admin.css");

/** @param {string} player @param {string} mark */
const endMails = (player, mark) =>
  lazyView(() => import("./mails.js"), ({ EndMailsView }) => new EndMailsView(page, player, mark), "social.css");

/** @param {string} pool @param {string} kind */
const leaders = (pool, kind) =>
  lazyView(() => import("./leaders.js"), ({ LeadersView }) => new LeadersView(page, pool, kind), "players.css");

/** @param {string} code of an invitation, or nothing */
const groups = (code) => lazyView(() => import("./groups.js"), ({ GroupsView }) => new GroupsView(page, code), "groups.css");

/** @param {string} id */
const group = (id) => lazyView(() => import("./group.js"), ({ GroupView }) => new GroupView(page, id), "groups.css");

/** @param {string} id of a tournament; or of matches, with plus signs between them */
const wall = (id) =>
  id.includes("+")
    ? lazyView(() => import("./wall.js"), ({ WallView }) => new WallView(page, id), "wall.css")
    : lazyView(() => import("./eventwall.js"), ({ EventWallView }) => new EventWallView(page, id), "wall.css");

const tournaments = () =>
  lazyView(() => import("./tournaments.js"), ({ TournamentsView }) => new TournamentsView(page), "archive.css", "tournament.css");

/** @param {string} id */
const tournament = (id) =>
  lazyView(() => import("./tournament.js"), ({ TournamentView }) => new TournamentView(page, id), "archive.css", "tournament.css");

/** @param {string} game */
const tv = (game) => lazyView(() => import("./tv.js"), ({ TvView }) => new TvView(page, game), "archive.css");

/** @param {string} query */
const archive = (query) =>
  lazyView(() => import("./archive.js"), ({ ArchiveView }) => new ArchiveView(page, query), "archive.css");

/** @param {string} query */
const explorer = (query) =>
  lazyView(() => import("./explorer.js"), ({ ExplorerView }) => new ExplorerView(page, query), "archive.css");

/** @param {string} one @param {string} other */
const versus = (one, other) =>
  lazyView(() => import("./versus.js"), ({ VersusView }) => new VersusView(page, one, other), "archive.css");

/** @param {string} game @param {string} number */
const lessons = (game, number) =>
  lazyView(() => import("./lessons.js"), ({ LessonView }) => new LessonView(page, game, number), "learn.css");

function header() {
  const askWho = () => (link.hasAccount ? account().then(({ openAccount }) => openAccount(page), page.complain) : askName());
  const name = button("", askWho, "me chip");
  const enter = button(t("Sign in"), signIn, "plain enter", { hidden: true });
  const theme = button("", () => turnTheme(), "icon");
  const noise = button("", () => turnSound(), "icon");
  const draw = () => {
    const { me, hasAccount } = link;
    fill(name, me ? [h("bdi", me.name), icon(hasAccount ? "person" : "pen")] : "…");
    const label = me && (hasAccount ? t("You are {name}. Your account", { name: nameOf(me) }) : t("You are {name}. Change your name", { name: nameOf(me) }));
    set(name, { "aria-label": label ?? t("You are not connected yet. Change your name"), title: hasAccount ? t("Your account") : t("Change your name") });
    enter.hidden = !me || hasAccount;
    const { theme: pinned, sound: on } = settings;
    fill(theme, icon(pinned));
    const colours = { system: t("Colours: system"), light: t("Colours: light"), dark: t("Colours: dark") }[pinned];
    set(theme, { "aria-label": `${colours}. ${t("Change")}`, title: colours });
    fill(noise, icon(on ? "loud" : "quiet"));
    set(noise, { "aria-label": t("Sound"), "aria-pressed": String(on), title: on ? t("Sound is on") : t("Sound is off") });
  };
  const turnTheme = () => {
    keep({ theme: /** @type {const} */ ({ system: "light", light: "dark", dark: "system" })[settings.theme] });
    draw();
  };
  const turnSound = () => {
    keep({ sound: !settings.sound });
    sound("turn");
    draw();
  };
  fill(
    byId("top"),
    h("a.brand", { href: "#/", "aria-label": "Cornered" }, h("img", { src: "icon.svg", alt: "", width: 26, height: 26 }), h("span", "Cornered")),
    h("nav.flow", { "aria-label": t("Learn") }, h("a", { href: "#/learn" }, t("Learn")), h("a", { href: "#/puzzles" }, t("Puzzles"))),
    h("span.grow", byId("banner")),
    waitingChip(),
    enter,
    name,
    noise,
    theme,
    button(icon("help"), help, "icon", { "aria-label": t("Help and keys"), title: t("Help and keys") }),
  );
  draw();
  link.hear({ online: draw, renamed: draw });
}

/** A link to the lobby while I wait in a pool and read something else. */
function waitingChip() {
  const words = t("You wait for an opponent. Back to the lobby");
  const chip = h("a.button.wait", { href: "#/", hidden: true, "aria-label": words, title: words }, h("span.pulse", { "aria-hidden": "true" }), h("span", t("Waiting")));
  const draw = () => {
    chip.hidden = !store.waiting || !/^#\/(?!s\/)\w/.test(location.hash);
  };
  store.addEventListener("change", draw);
  window.addEventListener("hashchange", draw);
  return chip;
}

/** Show the keys. */
function help() {
  load(() => import("./help.js")).then(({ showHelp }) => showHelp(), page.complain);
}

/** Ask for a name. */
function askName() {
  const input = h("input", {
    name: "name",
    maxlength: 24,
    dir: "auto",
    required: true,
    value: link.me?.name ?? "",
    autocomplete: "nickname",
    "aria-label": t("Your name"),
  });
  const { form } = openSheet(
    t("Your name"),
    "small",
    h("label.field", h("span", t("Others see it beside the board.")), input),
    h(
      "div.as-guest",
      h("p.quiet", t("You are a guest of this browser. With an account you are yourself on every device, and have a rating that lasts.")),
      h("div.row", instead(t("Create an account"), register), instead(t("Sign in"), signIn), instead(t("Your data"), guestData)),
    ),
    h("footer", h("button.primary", t("Use this name"))),
  );
  form.addEventListener("submit", () => {
    const wanted = input.value.trim();
    if (wanted && wanted !== link.me?.name) {
      link.rename(wanted);
    }
  });
  input.select();
}

/** A button of the sheet of the name that opens another sheet instead. @param {string} text @param {() => unknown} open */
function instead(text, open) {
  const press = () => {
    element.closest("dialog")?.close();
    open();
  };
  const element = button(text, press, "plain", { type: "button" });
  return element;
}

const guestData = () => account().then(({ openGuestData }) => openGuestData(page), page.complain);

/** The banner with the state of the connection. */
function network() {
  const banner = byId("banner");
  let away = false;
  let timer = 0;
  const say = (/** @type {string} */ text, /** @type {string} */ kind) => {
    clearTimeout(timer);
    fill(banner, text);
    banner.dataset.kind = kind;
  };
  link.hear({
    offline: () => {
      // A short interruption is not shown.
      const lost = () => {
        away = true;
        if (banner.dataset.kind === "restarting") return;
        const why = navigator.onLine ? t("Connection lost.") : t("Your device is offline.");
        say(`${why} ${t("Reconnecting…")}`, "away");
      };
      timer = window.setTimeout(lost, link.welcomed ? 400 : 1500);
    },
    notice: ({ code, text }) => {
      if (code === "report_closed") {
        toast(sentence(text), [], 15);
        return;
      }
      say(sentence(text), "restarting");
      away = true;
    },
    unwelcome: ({ text }) => {
      say(sentence(text), "away");
      away = true;
    },
    online: () => {
      clearTimeout(timer);
      if (!away) return;
      away = false;
      say(t("Connected again."), "back");
      timer = window.setTimeout(() => say("", ""), 2500);
    },
  });
}

/** Messages that concern every view: challenges and pairings. */
function summons() {
  /** @type {Map<string, () => void>} */
  const open = new Map();
  link.hear({
    paired: ({ match }) => {
      sound("turn");
      const playing = view?.playingIn;
      if (!playing || playing === match) page.go(`#/m/${match}`);
      else toast(t("Another game of yours has begun."), [h("a.button", { href: `#/m/${match}` }, t("Go there"))], 30);
    },
    challenged: ({ challenge, by, to, game, clock, expires, rated }) => {
      if (to.id !== link.me?.id) return;
      sound("turn");
      const answer = (/** @type {Needing<"challenge">} */ type) => () => {
        open.get(challenge)?.();
        link.ask({ type, challenge }, { lasting: true }).catch(page.complain);
      };
      const terms = [store.title(game.name), optionText(game, store.offered(game.name)), clockText(clock), rated ? t("rated") : ""];
      open.set(
        challenge,
        toast(
          t("{name} asks you for a game: {terms}.", { name: nameOf(by), terms: terms.filter(Boolean).join(", ") }),
          [button(t("Play"), answer("accept_challenge"), "primary"), button(t("No, thanks"), answer("decline_challenge"))],
          Math.max(5, (expires - link.now()) / 1000),
        ),
      );
    },
    challenge_closed: ({ challenge, how, reason }) => {
      open.get(challenge)?.();
      open.delete(challenge);
      if (how === "declined") toast(reason ? t("Declined: {reason}", { reason: isolated(sentence(reason)) }) : t("The challenge was declined."));
      if (how === "expired") toast(t("The challenge went unanswered."));
    },
    tournament_message: ({ name, by, text }) => toast(`${isolated(name)}, ${nameOf(by)}: ${isolated(text)}`, [], 20),
    barred: route,
    signed_out: () => toast(t("You were signed out here, and play as a guest."), [button(t("Sign in"), signIn, "primary")], 30),
    group_message: ({ name, line }) => line.by.id !== link.me?.id && toast(`${isolated(name)}: ${isolated(line.text)}`, [], 20),
    waiting: ({ reason }) => reason && toast(sentence(reason)),
    refused: ({ text }) => page.complain(new Error(sentence(text))),
  });
}

/** @type {HTMLElement} */ (document.querySelector(".skip")).textContent = t("Skip to the game");
set(byId("toasts"), { role: "region", "aria-label": t("Notifications") });
header();
network();
summons();
link.hear({ online: () => link.live.length && turnsSoon(), paired: turnsSoon, notified: turnsSoon });
document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (event.key === "?" && !target.closest("input, select, textarea, dialog")) help();
});
window.addEventListener("hashchange", route);
link.open();
route();
// Browsers have it at secure addresses only. It is registered after the first view, which it must not delay.
if ("serviceWorker" in navigator)
  window.addEventListener("load", () => navigator.serviceWorker.register("sw.js").catch(console.warn));

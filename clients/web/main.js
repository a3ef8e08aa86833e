/** The page's frame: connection, header, routes, and events outside the views. */

import { announce, button, fill, h, set } from "./dom.js";
import { askSettings } from "./form.js";
import { showHelp } from "./help.js";
import { icon } from "./icons.js";
import { Link } from "./link.js";
import { LobbyView } from "./lobby.js";
import { MatchView } from "./match.js";
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
  complain: (error) => toast(/** @type {Error} */ (error).message || "That did not work."),
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
        { type: "challenge", to: to.id, game: chosen.game, clock: chosen.clock, seat: chosen.seat },
        { lasting: true },
      );
      if (to.kind === "person") toast(`${nameOf(to)} is asked for a game.`);
    } catch (error) {
      page.complain(error);
    }
  },

  quickBot: (game) => {
    const last = settings.forms[`bot:${game}`];
    const bot = store.bot(game, last?.bot);
    if (!bot) {
      toast("No bot that plays this is free just now. Try again in a moment.");
      return Promise.resolve();
    }
    return page.challenge(bot.player, {
      game: { name: game, options: last?.options ?? {} },
      clock: last?.clock ?? { kind: "none" },
      seat: last?.seat ?? null,
    });
  },

  form: async (game, mode, to) => {
    const answer = await askSettings(store, { game, mode, to });
    if (!answer) return;
    if (mode === "open") await page.openTable(answer.settings);
    else if (answer.to) await page.challenge(answer.to, answer.settings);
  },

  openTable: async (chosen) => {
    try {
      await link.ask({ type: "create_seek", settings: chosen }, { lasting: true });
      page.go("#/");
    } catch (error) {
      page.complain(error);
    }
  },
};

/** @type {{element: Element, close: () => void, match?: string} | null} */
let view = null;

/** Show the view of the URL. */
function route() {
  const [, kind, id] = location.hash.split("/");
  const shown = byId("view");
  view?.close();
  if (kind === "m" && id) view = new MatchView(page, id);
  else view = new LobbyView(page, kind === "s" ? id : "");
  fill(shown, view.element);
  document.body.dataset.view = kind === "m" ? "match" : "lobby";
  scrollTo(0, 0);
}

function header() {
  const name = button("", askName, "plain me", { title: "Change your name" });
  const theme = button("", () => turnTheme(), "icon");
  const noise = button("", () => turnSound(), "icon");
  const draw = () => {
    fill(name, link.me ? h("bdi", link.me.name) : "…");
    set(name, { "aria-label": `You are ${(link.me && nameOf(link.me)) ?? "not connected yet"}. Change your name` });
    const { theme: pinned, sound: on } = settings;
    fill(theme, icon(pinned));
    set(theme, { "aria-label": `Colours: ${pinned}. Change`, title: `Colours: ${pinned}` });
    fill(noise, icon(on ? "loud" : "quiet"));
    set(noise, { "aria-label": "Sound", "aria-pressed": String(on), title: `Sound is ${on ? "on" : "off"}` });
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
    h("a.brand", { href: "#/" }, h("img", { src: "icon.svg", alt: "", width: 26, height: 26 }), "Cornered"),
    h("span.grow", byId("banner")),
    name,
    noise,
    theme,
    button(icon("help"), showHelp, "icon", { "aria-label": "Help and keys", title: "Help and keys" }),
  );
  draw();
  link.hear({ online: draw });
}

/** Ask for a name. */
function askName() {
  const input = h("input", {
    name: "name",
    maxlength: 24,
    required: true,
    value: link.me?.name ?? "",
    autocomplete: "nickname",
    "aria-label": "Your name",
  });
  const { form } = openSheet(
    "Your name",
    "small",
    h("label.field", h("span", "Others see it beside the board."), input),
    h("footer", h("button.primary", "Use this name")),
  );
  form.addEventListener("submit", () => {
    const wanted = input.value.trim();
    if (wanted && wanted !== link.me?.name) {
      keep({ greeted: true });
      link.rename(wanted);
    }
  });
  input.select();
}

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
        if (banner.dataset.kind !== "restarting") say("Connection lost. Reconnecting…", "away");
      };
      timer = window.setTimeout(lost, link.welcomed ? 400 : 1500);
    },
    notice: ({ text }) => {
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
      say("Connected again.", "back");
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
      const busy = view instanceof MatchView && view.isPlaying() && view.match !== match;
      if (!busy) page.go(`#/m/${match}`);
      else toast("Another game of yours has begun.", [h("a.button", { href: `#/m/${match}` }, "Go there")], 30);
    },
    challenged: ({ challenge, by, to, game, clock, expires }) => {
      if (to.id !== link.me?.id) return;
      sound("turn");
      const answer = (/** @type {Needing<"challenge">} */ type) => () => {
        open.get(challenge)?.();
        link.ask({ type, challenge }, { lasting: true }).catch(page.complain);
      };
      const terms = [store.title(game.name), optionText(game, store.offered(game.name)), clockText(clock)];
      open.set(
        challenge,
        toast(
          `${nameOf(by)} asks you for a game: ${terms.filter(Boolean).join(", ")}.`,
          [button("Play", answer("accept_challenge"), "primary"), button("No, thanks", answer("decline_challenge"))],
          Math.max(5, (expires - link.now()) / 1000),
        ),
      );
    },
    challenge_closed: ({ challenge, how, reason }) => {
      open.get(challenge)?.();
      open.delete(challenge);
      if (how === "declined") toast(reason ? `Declined: ${isolated(sentence(reason))}` : "The challenge was declined.");
      if (how === "expired") toast("The challenge went unanswered.");
    },
    refused: ({ text }) => page.complain(new Error(sentence(text))),
  });
}

header();
network();
summons();
document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (event.key === "?" && !target.closest("input, select, textarea, dialog")) showHelp();
});
window.addEventListener("hashchange", route);
link.open();
route();

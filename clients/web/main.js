/** The page's frame: connection, header, addresses, and what may happen anywhere. */

import { announce, fill, h } from "./dom.js";
import { askSettings } from "./form.js";
import { showHelp } from "./help.js";
import { icon } from "./icons.js";
import { Link } from "./link.js";
import { LobbyView } from "./lobby.js";
import { MatchView } from "./match.js";
import { keep, settings, sound } from "./settings.js";
import { Store } from "./store.js";
import { clockText, optionText, sentence } from "./words.js";

const address = new URL("ws", location.href.split(/[?#]/)[0]);
address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
const link = new Link(address.href, tokenStore());
const store = new Store(link);

/** With `?guest` every tab is somebody else. */
function tokenStore() {
  return new URLSearchParams(location.search).has("guest") ? sessionStorage : localStorage;
}

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Show a message that leaves by itself. @param {string} text @param {any[]} buttons @param {number} [seconds] */
function toast(text, buttons = [], seconds = 6) {
  const element = h("div", { class: "toast" }, h("p", {}, text), buttons);
  byId("toasts").append(element);
  announce(text);
  const timer = setTimeout(() => element.remove(), seconds * 1000);
  return () => {
    clearTimeout(timer);
    element.remove();
  };
}

/** What views may do to the page. */
export const page = {
  link,
  store,
  toast,
  /** Tell of a refusal. @param {any} error */
  complain: (error) => toast(error.message || "That did not work."),
  /** @param {string} hash */
  go: (hash) => {
    if (location.hash === hash) route();
    else location.hash = hash;
  },

  /** Challenge somebody and wait for the answer. @param {any} to @param {any} chosen */
  challenge: async (to, chosen) => {
    try {
      await link.ask(
        { type: "challenge", to: to.id, game: chosen.game, clock: chosen.clock, seat: chosen.seat },
        { lasting: true },
      );
      if (to.kind === "person") toast(`${to.name} is asked for a game.`);
    } catch (error) {
      page.complain(error);
    }
  },

  /** Start a game against a bot at once, as last time. @param {string} game */
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

  /** @param {string} game @param {"bot" | "open" | "player"} mode @param {any} [to] */
  form: async (game, mode, to) => {
    const answer = await askSettings(store, { game, mode, to });
    if (!answer) return;
    if (mode === "open") await page.openTable(answer.settings);
    else if (answer.to) await page.challenge(answer.to, answer.settings);
  },

  /** @param {any} chosen */
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

/** Show what the address names. */
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
  const name = h("button", { class: "plain me", title: "Change your name", on: { click: askName } });
  const theme = h("button", { class: "icon", on: { click: () => turnTheme() } });
  const noise = h("button", { class: "icon", on: { click: () => turnSound() } });
  const draw = () => {
    fill(name, link.me ? link.me.name : "…");
    name.setAttribute("aria-label", `You are ${link.me?.name ?? "not connected yet"}. Change your name`);
    const { theme: pinned } = settings;
    fill(theme, icon(pinned));
    theme.setAttribute("aria-label", `Colours: ${pinned}. Change`);
    theme.title = `Colours: ${pinned}`;
    fill(noise, icon(settings.sound ? "loud" : "quiet"));
    noise.setAttribute("aria-label", "Sound");
    noise.setAttribute("aria-pressed", String(settings.sound));
    noise.title = settings.sound ? "Sound is on" : "Sound is off";
  };
  const turnTheme = () => {
    keep({ theme: /** @type {any} */ ({ system: "light", light: "dark", dark: "system" })[settings.theme] });
    draw();
  };
  const turnSound = () => {
    keep({ sound: !settings.sound });
    sound("turn");
    draw();
  };
  fill(
    byId("top"),
    h("a", { class: "brand", href: "#/" }, h("img", { src: "icon.svg", alt: "", width: 26, height: 26 }), "Cornered"),
    h("span", { class: "gap" }, byId("banner")),
    name,
    noise,
    theme,
    h(
      "button",
      { class: "icon", "aria-label": "Help and keys", title: "Help and keys", on: { click: showHelp } },
      icon("help"),
    ),
  );
  draw();
  link.addEventListener("online", draw);
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
  const dialog = h(
    "dialog",
    { class: "settings small", "aria-labelledby": "name-title" },
    h(
      "form",
      {
        method: "dialog",
        class: "sheet",
        on: {
          submit: () => {
            const wanted = input.value.trim();
            if (wanted && wanted !== link.me?.name) {
              keep({ greeted: true });
              link.rename(wanted);
            }
          },
        },
      },
      h(
        "header",
        {},
        h("h2", { id: "name-title" }, "Your name"),
        h(
          "button",
          { type: "button", class: "icon", "aria-label": "Close", on: { click: () => dialog.close() } },
          icon("close"),
        ),
      ),
      h("label", { class: "field" }, h("span", {}, "Others see it beside the board."), input),
      h("footer", {}, h("button", { class: "primary" }, "Use this name")),
    ),
  );
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  input.select();
}

/** A thin line that tells the truth about the network. */
function network() {
  const banner = byId("banner");
  let away = false;
  let timer = 0;
  const say = (/** @type {string} */ text, /** @type {string} */ kind) => {
    clearTimeout(timer);
    fill(banner, text);
    banner.dataset.kind = kind;
  };
  link.addEventListener("offline", () => {
    // A blink of the network is nobody's business.
    timer = window.setTimeout(
      () => {
        away = true;
        if (banner.dataset.kind !== "restarting") say("Connection lost. Reconnecting…", "away");
      },
      link.welcomed ? 400 : 1500,
    );
  });
  link.addEventListener("notice", (event) => {
    say(sentence(/** @type {CustomEvent} */ (event).detail.text), "restarting");
    away = true;
  });
  link.addEventListener("online", () => {
    clearTimeout(timer);
    if (!away) return;
    away = false;
    say("Connected again.", "back");
    timer = window.setTimeout(() => say("", ""), 2500);
  });
}

/** Things that others do to us, wherever we are. */
function summons() {
  link.addEventListener("paired", (event) => {
    const { match } = /** @type {CustomEvent} */ (event).detail;
    sound("turn");
    const busy = view instanceof MatchView && view.isPlaying() && view.match !== match;
    if (!busy) page.go(`#/m/${match}`);
    else toast("Another game of yours has begun.", [h("a", { class: "button", href: `#/m/${match}` }, "Go there")], 30);
  });
  /** @type {Map<string, () => void>} */
  const open = new Map();
  link.addEventListener("challenged", (event) => {
    const { challenge, by, to, game, clock, expires } = /** @type {CustomEvent} */ (event).detail;
    if (to.id !== link.me?.id) return;
    sound("turn");
    const answer = (/** @type {string} */ type) => () => {
      open.get(challenge)?.();
      link.ask({ type, challenge }, { lasting: true }).catch(page.complain);
    };
    const words = [store.title(game.name), optionText(game, store.offered(game.name)), clockText(clock)]
      .filter(Boolean)
      .join(", ");
    open.set(
      challenge,
      toast(
        `${by.name} asks you for a game: ${words}.`,
        [
          h("button", { class: "primary", on: { click: answer("accept_challenge") } }, "Play"),
          h("button", { on: { click: answer("decline_challenge") } }, "No, thanks"),
        ],
        Math.max(5, (expires - link.now()) / 1000),
      ),
    );
  });
  link.addEventListener("challenge_closed", (event) => {
    const { challenge, how, reason } = /** @type {CustomEvent} */ (event).detail;
    open.get(challenge)?.();
    open.delete(challenge);
    if (how === "declined") toast(reason ? `Declined: ${sentence(reason)}` : "The challenge was declined.");
    if (how === "expired") toast("The challenge went unanswered.");
  });
  link.addEventListener("refused", (event) => {
    page.complain(new Error(sentence(/** @type {CustomEvent} */ (event).detail.text)));
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

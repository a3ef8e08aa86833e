/** How I am notified: push messages to this browser, and of what. */

import { button, fill, h } from "./dom.js";
import { mailPart } from "./mails.js";
import { openSheet } from "./sheet.js";
import { counted, t } from "./socialtexts.js";

/** @typedef {import("./protocol").Notices} Notices */
/** @typedef {Notices["push"][number]} Kind */

/** @type {Record<Kind, string>} */
const KINDS = {
  turn: t("Your turn in a game by days"),
  challenge: t("Somebody challenges you"),
  round: t("A round of a tournament begins"),
};
/** What the names of browsers and systems are told by; the first one counts. @type {[RegExp, string][]} */
const BROWSERS = [[/Firefox/, "Firefox"], [/Edg/, "Edge"], [/OPR/, "Opera"], [/Chrome/, "Chrome"], [/Safari/, "Safari"]];
/** @type {[RegExp, string][]} */
const SYSTEMS = [[/Android/, "Android"], [/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Windows/, "Windows"], [/Mac OS/, "macOS"], [/Linux/, "Linux"]];
/** Where the service worker finds the sentences of notifications, in the language of the page. */
const TEXTS = "notice-texts";
const CACHE = "notices";

/** Bytes of a key as the browser wants it. @param {string} text in base64url */
const bytesOf = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (each) => each.charCodeAt(0));

/** A key of a subscription in base64url. @param {ArrayBuffer | null} key */
const textOf = (key) => btoa(String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer(0)))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

/** This browser's subscription, where it has one. */
async function subscription() {
  const registration = await navigator.serviceWorker?.getRegistration();
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** Keep the sentences where the service worker finds them. @param {Page} page */
async function keepTexts(page) {
  const games = Object.fromEntries(page.store.games.map((game) => [game.name, game.title]));
  const holes = { name: "{name}", game: "{game}" };
  const texts = {
    turn: t("Your turn in {game}.", holes),
    turnBy: t("Your turn against {name} in {game}.", holes),
    challenge: t("{name} challenges you to a game of {game}.", holes),
    round: t("A round begins: your game of {game} is ready.", holes),
    games,
  };
  const cache = await caches.open(CACHE);
  await cache.put(TEXTS, Response.json(texts));
}

/** What this browser is called in lists. */
function label() {
  const named = (/** @type {[RegExp, string][]} */ names) => names.find(([sign]) => sign.test(navigator.userAgent))?.[1];
  return [named(BROWSERS), named(SYSTEMS)].filter(Boolean).join(", ");
}

/** Open the sheet. @param {Page} page */
export async function openNotices(page) {
  const { link, complain } = page;
  const place = h("div.fields.notices");
  openSheet(t("Notifications"), "small account", place);
  const draw = async () => {
    try {
      const [notices, here] = await Promise.all([link.ask({ type: "ask_notices" }), subscription()]);
      show(notices, here);
    } catch (error) {
      fill(place, h("p.empty", /** @type {Error} */ (error).message));
    }
  };
  const act = (/** @type {() => Promise<unknown>} */ work) => async () => {
    try {
      await work();
    } catch (error) {
      complain(error);
    }
    await draw();
  };

  const subscribe = (/** @type {string} */ key) => async () => {
    if ((await Notification.requestPermission()) !== "granted")
      throw new Error(t("Your browser does not allow notifications of this page. You can change that in its settings."));
    const registration = await navigator.serviceWorker.ready;
    const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
    await keepTexts(page);
    const keys = { p256dh: textOf(made.getKey("p256dh")), auth: textOf(made.getKey("auth")) };
    await link.ask({ type: "subscribe_push", endpoint: made.endpoint, ...keys, label: label() });
  };
  const unsubscribe = (/** @type {PushSubscription} */ here) => async () => {
    await link.ask({ type: "unsubscribe_push", endpoint: here.endpoint });
    await here.unsubscribe();
  };

  const kindsField = (/** @type {readonly Kind[]} */ mine, /** @type {(kinds: Kind[]) => Promise<unknown>} */ choose, /** @type {string} */ legend) => {
    const ticks = /** @type {Kind[]} */ (Object.keys(KINDS)).map((kind) => h("input", { type: "checkbox", name: kind, checked: mine.includes(kind) }));
    const chosen = act(() => choose(ticks.flatMap((tick) => (tick.checked ? [/** @type {Kind} */ (tick.name)] : []))));
    for (const tick of ticks) tick.addEventListener("change", chosen);
    return h("fieldset.scopes", h("legend", legend), ticks.map((tick) => h("label.switch.flow", tick, h("span", KINDS[/** @type {Kind} */ (tick.name)]))));
  };

  const show = (/** @type {Notices} */ notices, /** @type {PushSubscription | null} */ here) => {
    const { push_key: key, push, devices } = notices;
    const offered = "serviceWorker" in navigator && typeof PushManager === "function" && typeof Notification === "function";
    fill(
      place,
      h("p.quiet", t("While this page is open it tells you itself. Push messages reach you when it is closed.")),
      key === null && h("p", t("This server sends no push messages.")),
      key !== null && !offered && h("p", t("This browser takes no push messages here. On an iPhone, add Cornered to the home screen first.")),
      key !== null && offered && (here ? button(t("No push messages to this browser"), act(unsubscribe(here)), "", { type: "button" }) : button(t("Push messages to this browser"), act(subscribe(key)), "primary", { type: "button" })),
      key !== null && kindsField(push, (kinds) => link.ask({ type: "set_notices", push: kinds }), t("Push messages for")),
      devices.length > 0 && h("p.quiet", counted(devices.length, "{count} browser of yours gets them: {names}.", "{count} browsers of yours get them: {names}.", { names: devices.map((name) => name || t("unnamed")).join("; ") })),
      devices.length > 0 && button(t("End them on all browsers"), act(() => link.ask({ type: "unsubscribe_push" })), "plain", { type: "button" }),
      notices.has_mail && mailPart(page, notices, draw, kindsField),
    );
  };
  fill(place, h("p.quiet", t("Loading…")));
  await draw();
}

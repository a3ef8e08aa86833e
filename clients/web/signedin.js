/** Where one is signed in: the devices, and the tokens of programs. */

import { copyField } from "./copyfield.js";
import { dayText } from "./dates.js";
import { showLink } from "./devices.js";
import { button, fill, h } from "./dom.js";
import { formSheet, textField } from "./fields.js";
import { confirmation } from "./passkeys.js";
import { counted, list, t } from "./playertexts.js";
import { openSheet } from "./sheet.js";
import { ago } from "./words.js";

/** @typedef {import("./protocol").Account} Account */
/** @typedef {import("./protocol").PersonalToken} PersonalToken */
/** @typedef {import("./protocol").SessionInfo} SessionInfo */
/** @typedef {PersonalToken["scopes"][number]} Scope */

const DAY_MS = 86_400_000;
/** How many days a token may last; the longest is `MAX_TOKEN_DAYS` of the protocol. */
const DAYS = [7, 30, 90, 366];
const USUAL_DAYS = 90;

/** @type {Record<Scope, string>} */
const SCOPES = {
  read: t("read: watch games and the lobby"),
  play: t("play: play as you"),
  bot: t("bot: play and analyse as a bot"),
  admin: t("admin: do what administrators may"),
};
/** @type {Record<Scope, string>} the same in a word */
const SCOPE_NAMES = { read: t("read[scope]"), play: t("play[scope]"), bot: t("bot[scope]"), admin: t("admin[scope]") };

/** A list that is asked for, with a sentence while it is not there. @param {HTMLElement} place @param {() => Promise<void>} ask */
async function fillIn(place, ask) {
  fill(place, h("p.quiet", t("Loading…")));
  try {
    await ask();
  } catch (error) {
    fill(place, h("p.problem", /** @type {Error} */ (error).message));
  }
}

/** The devices on which one is signed in. @param {Page} page @param {Account} account */
export function sessionsSheet(page, account) {
  const { link } = page;
  const place = h("div.list");
  const another = button(t("Sign in another device"), () => showLink(page, account), "primary", { type: "button", hidden: !link.hasAccount });
  const others = button(t("Sign out all others"), () => end({ type: "end_other_sessions" }), "", { type: "button", hidden: true });
  const note = h("p.quiet", t("With a device ends what it made: personal tokens, and devices that were signed in by its link."));
  openSheet(t("Signed-in devices"), "small account", place, note, h("footer", others, h("span.grow"), another));
  const draw = () =>
    fillIn(place, async () => {
      const { sessions } = await link.ask({ type: "ask_sessions" });
      others.hidden = sessions.length < 2;
      fill(place, sessions.map(line));
    });
  const end = async (/** @type {{type: "end_other_sessions"} | {type: "end_session", session: string}} */ command) => {
    try {
      if (command.type === "end_session") await link.ask(command);
      else await link.ask(command);
      await draw();
    } catch (error) {
      page.complain(error);
    }
  };
  const line = (/** @type {SessionInfo} */ { session, label, created, seen, is_current: isCurrent }) => {
    const device = label || t("Unknown device");
    const facts = [t("since {date}", { date: dayText(created) }), t("last used {ago}", { ago: ago(seen, Date.now()) })];
    return h(
      "div.line.flow",
      h("div.grow", h("bdi", device), isCurrent ? h("span.quiet", " ", t("(this device)")) : null, h("div.quiet", facts.join(" · "))),
      isCurrent ? null : button(t("Sign out"), () => end({ type: "end_session", session }), "", { type: "button", "aria-label": t("Sign out {device}", { device }) }),
    );
  };
  draw();
}

/** The tokens of programs. @param {Page} page @param {Account} account */
export function tokensSheet(page, account) {
  const { link } = page;
  const place = h("div.list");
  const create = button(t("New token"), () => newToken(page, account, draw), "primary", { type: "button" });
  openSheet(t("Personal tokens"), "small account", h("p.quiet", t("A program that shows a token plays or reads as you. Give it no more than it needs.")), place, h("footer", create));
  const draw = () =>
    fillIn(place, async () => {
      const { tokens } = await link.ask({ type: "ask_tokens" });
      fill(place, tokens.length ? tokens.map(line) : h("p.quiet.empty", t("You have no tokens.")));
    });
  const revoke = async (/** @type {string} */ token) => {
    try {
      await link.ask({ type: "revoke_token", token });
      await draw();
    } catch (error) {
      page.complain(error);
    }
  };
  const line = (/** @type {PersonalToken} */ { token, label, scopes, expires }) => {
    const days = Math.max(0, Math.ceil((expires - Date.now()) / DAY_MS));
    const facts = [list(scopes.map((scope) => SCOPE_NAMES[scope])), counted(days, "{count} day left", "{count} days left")];
    return h(
      "div.line.flow",
      h("div.grow", h("bdi", label), h("div.quiet", facts.join(" · "))),
      button(t("Revoke"), () => revoke(token), "", { type: "button", "aria-label": t("Revoke {label}", { label }) }),
    );
  };
  draw();
}

/** @param {Page} page @param {Account} account @param {() => void} changed */
function newToken(page, account, changed) {
  const label = textField(t("What is it for?"), { name: "label", required: true, maxlength: 60, autocomplete: "off" }, { hint: t("Such as the name of the program.") });
  const offered = /** @type {Scope[]} */ (Object.keys(SCOPES)).filter((scope) => scope !== "admin" || account.role === "admin");
  const ticks = offered.map((scope) => h("input", { type: "checkbox", name: "scope", value: scope, checked: scope === "read" }));
  const days = h(
    "select",
    { name: "days" },
    DAYS.map((each) => h("option", { value: each }, counted(each, "{count} day", "{count} days"))),
  );
  days.value = String(USUAL_DAYS);
  const { fields, before, proof } = confirmation(page, account, t("Password"));
  formSheet(t("New token"), {
    fields: [label, ...fields],
    before,
    after: [
      h("fieldset.scopes", h("legend", t("It may")), ticks.map((tick, index) => h("label.switch.flow", tick, h("span", SCOPES[offered[index]])))),
      h("label.field", h("span", t("It ends after")), days),
      h("p.quiet", t("It ends too when this device is signed out.")),
    ],
    submit: t("Create it"),
    where: fields.length ? { bad_credentials: fields[0] } : {},
    send: async () => {
      const scopes = ticks.flatMap((tick, index) => (tick.checked ? [offered[index]] : []));
      if (!scopes.length) throw new Error(t("Choose at least one thing that it may do."));
      const { secret } = await page.link.ask({ type: "create_token", label: label.input.value.trim(), scopes, days: Number(days.value), ...(await proof()) });
      changed();
      openSheet(
        t("Your new token"),
        "small account",
        h("p", t("Copy it now: it is shown only once.")),
        copyField(page, t("Token"), secret, t("The token is copied.")),
        h("footer", h("button.primary", t("Done"))),
      );
    },
  });
}

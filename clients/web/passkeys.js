/** The passkeys of an account: the list, a new one, and what an account confirms with one where it has no password. */

import { button, fill, h } from "./dom.js";
import { formSheet, passwordField, textField } from "./fields.js";
import { t } from "./playertexts.js";
import { openSheet } from "./sheet.js";
import { hasPasskeys, makePasskey, mayHavePasskeys, provePasskey } from "./webauthn.js";
import { ago } from "./words.js";

/** @typedef {import("./protocol").PasskeyInfo} PasskeyInfo */
/** @typedef {import("./protocol").Account} Account */
/** @typedef {import("./fields.js").Field} Field */

/** The name of this browser and its system, for a session or a passkey that begins here. */
export function deviceName() {
  const { userAgent } = navigator;
  const named = (/** @type {[RegExp, string][]} */ names) => names.find(([form]) => form.test(userAgent))?.[1] ?? "";
  const browser = named([[/Edg/, "Edge"], [/OPR/, "Opera"], [/Firefox/, "Firefox"], [/Chrom/, "Chrome"], [/Safari/, "Safari"]]);
  const system = named([[/Android/, "Android"], [/iPhone|iPad/, "iOS"], [/Windows/, "Windows"], [/Mac OS/, "macOS"], [/Linux/, "Linux"]]);
  return [browser, system].filter(Boolean).join(", ");
}

/** Why there are no passkeys at this address, where that is so. */
export const noPasskeys = () =>
  mayHavePasskeys() ? null : h("p.quiet", t("Passkeys work by https and on localhost only, so here you use a password."));

/**
 * What confirms a change of the account: the password, or a passkey where there is none. `proof` is what the command is sent with.
 * @param {Page} page @param {Account} account @param {string} label of the password
 * @returns {{fields: Field[], before: Child[], proof: () => Promise<{password?: string, proof?: any}>}}
 */
export function confirmation(page, account, label) {
  if (account.has_password) {
    const password = passwordField(label, "current-password");
    return { fields: [password], before: [], proof: async () => ({ password: password.input.value }) };
  }
  if (account.passkeys) return { fields: [], before: [h("p.quiet", t("You confirm it with your passkey."))], proof: async () => ({ proof: await provePasskey(page, "confirm") }) };
  return { fields: [], before: [h("p.quiet", t("Sign in again first, and do this within ten minutes."))], proof: async () => ({}) };
}

/** The passkeys of my account. @param {Page} page @param {Account} account @param {(count: number) => void} changed */
export function passkeysSheet(page, account, changed) {
  const { link } = page;
  const place = h("div.list", h("p.quiet", t("Loading…")));
  const redraw = (/** @type {readonly PasskeyInfo[]} */ passkeys) => {
    changed(passkeys.length);
    fill(place, passkeys.length ? passkeys.map(line) : h("p.quiet.empty", t("You have no passkeys.")));
  };
  const ask = () => link.ask({ type: "ask_passkeys" }).then(({ passkeys }) => redraw(passkeys));
  const remove = async (/** @type {string} */ passkey) => {
    try {
      await link.ask({ type: "remove_passkey", passkey });
      await ask();
    } catch (error) {
      page.complain(error);
    }
  };
  const line = (/** @type {PasskeyInfo} */ { passkey, label, site, used }) => {
    const elsewhere = site === location.hostname ? [] : [t("works at {site}", { site })];
    const facts = [t("last used {ago}", { ago: ago(used, Date.now()) }), ...elsewhere];
    let pressed = false;
    const press = () => {
      if (pressed) remove(passkey);
      else fill(out, t("Really remove it?"));
      pressed = true;
    };
    const out = button(t("Remove"), press, "", { type: "button", "aria-label": t("Remove {label}", { label }) });
    return h("div.line.flow", h("div.grow", h("bdi", label || t("Unknown device")), h("div.quiet", facts.join(" · "))), out);
  };
  const add = hasPasskeys() && mayHavePasskeys() ? button(t("New passkey"), () => newPasskey(page, account, redraw), "primary", { type: "button" }) : null;
  openSheet(
    t("Passkeys"),
    "small account",
    h("p.quiet", t("A passkey is a key on your device, which you unlock with a finger, a face or a PIN. Nobody can guess it or coax it out of you.")),
    place,
    noPasskeys(),
    add && h("footer", add),
  );
  ask().catch((error) => fill(place, h("p.problem", error.message)));
}

/** @param {Page} page @param {Account} account @param {(passkeys: readonly PasskeyInfo[]) => void} done */
function newPasskey(page, account, done) {
  const label = textField(t("What is it called?"), { name: "label", required: true, maxlength: 60, autocomplete: "off", value: deviceName() }, { hint: t("Such as the name of the device.") });
  const { fields, before, proof } = confirmation(page, account, t("Password"));
  formSheet(t("New passkey"), {
    fields: [label, ...fields],
    before,
    submit: t("Make it"),
    where: fields.length ? { bad_credentials: fields[0] } : {},
    send: async () => {
      const confirmed = await proof();
      const passkey = await makePasskey(page, "add", account.player.name);
      const { passkeys } = await page.link.ask({ type: "add_passkey", passkey, label: label.input.value.trim(), ...confirmed });
      done(passkeys);
    },
  });
}

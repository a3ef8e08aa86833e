/** How one becomes or returns to an account: registration, sign-in, recovery, and the codes that are shown once. */

import { button, fill, h } from "./dom.js";
import { formSheet, nameField, passwordField, textField } from "./fields.js";
import { deviceName, noPasskeys } from "./passkeys.js";
import { t } from "./playertexts.js";
import { visitProvider } from "./provider.js";
import { openSheet } from "./sheet.js";
import { hasPasskeys, makePasskey, provePasskey } from "./webauthn.js";
import { nameOf, sentence } from "./words.js";

/** Whether a guest still has the name that the server gave. @param {string} name */
const isNameless = (name) => /^Guest\b/.test(name);

/** A button of a sheet that opens another one in its place. @param {string} text @param {() => unknown} open */
const instead = (text, open) => {
  const element = button(text, () => {
    element.closest("dialog")?.close();
    open();
  }, "plain", { type: "button" });
  return element;
};

/** @param {Page} page @returns {Promise<import("./protocol").Policies | null>} what the server permits; null while it does not answer */
const askPolicies = (page) => page.link.ask({ type: "ask_policies" }).catch(() => null);

/** Whether passkeys work here, for the server and for this browser. @param {import("./protocol").Policies | null} policies */
const offersPasskeys = (policies) => Boolean(policies?.passkeys) && hasPasskeys();

/** The way to the provider, where there is one. @param {Page} page @param {import("./protocol").Policies | null} policies */
const atProvider = (page, policies) =>
  policies?.oidc ? button(t("Sign in with {name}", { name: policies.oidc }), () => visitProvider(page, "sign_in").catch((error) => page.complain(error)), "", { type: "button" }) : null;

/** Make an account of the guest: with a passkey where there are any. @param {Page} page */
export async function register(page) {
  const { link } = page;
  let policies;
  try {
    policies = await link.ask({ type: "ask_policies" });
  } catch (error) {
    page.complain(error);
    return;
  }
  if (policies.registration === "closed") {
    const closed = policies.oidc ? t("On this server accounts are made by signing in with {name}.", { name: policies.oidc }) : t("On this server accounts are made by its operator.");
    openSheet(t("Create an account"), "small account", h("p", closed), h("div.row", atProvider(page, policies)), h("footer", instead(t("Sign in"), () => signIn(page))));
    return;
  }
  registerBy(page, policies, offersPasskeys(policies), link.me && !isNameless(link.me.name) ? link.me.name : "");
}

/** @param {Page} page @param {import("./protocol").Policies} policies @param {boolean} byPasskey @param {string} known the name so far */
function registerBy(page, policies, byPasskey, known) {
  const { link } = page;
  const name = nameField(t("Name"), known);
  const password = passwordField(t("Password"), "new-password");
  const byInvitation = policies.registration === "invitation";
  const invitation = textField(t("Invitation code"), { name: "invitation", required: byInvitation, autocomplete: "off" });
  const before = link.barred
    ? h("p.quiet", t("No e-mail is asked for."))
    : h("p.quiet", t("Your games stay yours, and you can sign in on any device. No e-mail is asked for."));
  const other = () => registerBy(page, policies, !byPasskey, name.input.value);
  const send = async () => {
    const label = deviceName();
    const terms = { name: name.input.value.trim(), label, ...(byInvitation ? { invitation: invitation.input.value.trim() } : {}) };
    const answer = byPasskey
      ? await link.ask({ type: "register_by_passkey", ...terms, passkey: await makePasskey(page, "register", terms.name), passkey_label: label })
      : await link.ask({ type: "register", ...terms, password: password.input.value });
    const { player, token } = answer;
    const isGuest = player.id === link.me?.id;
    if (isGuest) link.entered(player, token);
    showCodes(page, player, answer.codes, isGuest ? undefined : () => link.entered(player, token));
  };
  formSheet(t("Create an account"), {
    fields: [name, ...(byPasskey ? [] : [password]), ...(byInvitation ? [invitation] : [])],
    before: [before],
    after: [
      byPasskey ? h("p.quiet", t("Your device makes a passkey, which you unlock with a finger, a face or a PIN. There is no password to forget.")) : noPasskeys(),
      h("div.row.ways-in", offersPasskeys(policies) ? instead(byPasskey ? t("Use a password") : t("Use a passkey"), other) : null, atProvider(page, policies)),
    ],
    beside: instead(t("I have one: sign in"), () => signIn(page)),
    submit: byPasskey ? t("Create it with a passkey") : t("Create it"),
    where: { name_taken: name, bad_name: name, malformed: name, weak_password: password, bad_invitation: invitation },
    send,
  });
}

/** Sign in on this device. @param {Page} page @param {string} [known] the name */
export async function signIn(page, known = "") {
  const { link } = page;
  const policies = await askPolicies(page);
  const name = nameField(t("Name"), known);
  const password = passwordField(t("Password"), "current-password");
  const guest = link.me && !link.hasAccount ? h("p.quiet", t("What you played here as {name} stays with that guest.", { name: nameOf(link.me) })) : null;
  const problem = h("p.problem", { role: "alert" });
  const passkey = async () => {
    problem.textContent = "";
    try {
      const { token } = await link.ask({ type: "sign_in_by_passkey", passkey: await provePasskey(page, "sign_in"), label: deviceName() });
      link.become(token);
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
    }
  };
  const byPasskey = offersPasskeys(policies) ? button(t("Sign in with a passkey"), passkey, "primary", { type: "button" }) : null;
  const first = [byPasskey, atProvider(page, policies)].filter((way) => way !== null);
  formSheet(t("Sign in"), {
    fields: [name, password],
    before: first.length ? [h("div.first-ways", first), problem, h("p.or", t("or with a password"))] : [],
    after: [
      guest,
      first.length ? null : noPasskeys(),
      h("div.row.ways-in", instead(t("Forgotten the password?"), () => recover(page, name.input.value)), instead(t("Create an account"), () => register(page))),
    ],
    submit: t("Sign in"),
    isSecond: first.length > 0,
    where: { bad_credentials: password, malformed: name },
    send: async () => {
      const { token } = await link.ask({ type: "sign_in", name: name.input.value.trim(), password: password.input.value, label: deviceName() });
      link.become(token);
    },
  });
  if (!known) first[0]?.focus();
}

/** Set a new password by a recovery code. @param {Page} page @param {string} [known] the name */
function recover(page, known = "") {
  const { link } = page;
  const name = nameField(t("Name"), known);
  const code = textField(t("Recovery code"), { name: "code", required: true, autocomplete: "one-time-code", autocapitalize: "none", maxlength: 40 }, { hint: t("One of those that you kept when you registered. Each works once.") });
  const password = passwordField(t("New password"), "new-password");
  formSheet(t("Recover your account"), {
    fields: [name, code, password],
    after: [h("p.quiet", t("You are signed out everywhere else. Without a code, ask the operator of this server."))],
    submit: t("Set the password"),
    where: { bad_credentials: code, malformed: name, weak_password: password },
    send: async () => {
      const { token } = await link.ask({ type: "recover", name: name.input.value.trim(), code: code.input.value.trim(), password: password.input.value, label: deviceName() });
      link.become(token);
    },
  });
}

/**
 * Show recovery codes, which nobody can read again.
 * @param {Page} page
 * @param {Player} player
 * @param {readonly string[]} codes
 * @param {() => void} [done] what follows
 */
export function showCodes(page, player, codes, done) {
  const text = [t("Cornered: recovery codes of {name}", { name: player.name }), location.origin, "", ...codes].join("\n");
  const kept = h("input", { type: "checkbox" });
  const finish = h("button.primary", { disabled: true }, t("Done"));
  kept.addEventListener("change", () => (finish.disabled = !kept.checked));
  const { dialog } = openSheet(
    t("Keep your recovery codes"),
    "small account codes",
    h("p", t("With one of them you set a new password if you ever lose your passkey or password. They are shown only now.")),
    h("p.of-whom", t("Cornered: recovery codes of {name}", { name: nameOf(player) })),
    h("ol.code-list", codes.map((code) => h("li", h("code", code)))),
    h(
      "div.row",
      button(t("Copy"), () => page.copy(text, t("The codes are copied.")), "", { type: "button" }),
      button(t("Print"), () => print(), "", { type: "button" }),
      save(t("Save as a file"), `cornered-${player.id}.txt`, text),
    ),
    h("label.switch.flow", kept, h("span", t("I have kept them in a safe place."))),
    h("footer", finish),
  );
  // A slip of the hand must not lose them.
  dialog.querySelector(".icon")?.remove();
  dialog.addEventListener("cancel", (event) => kept.checked || event.preventDefault());
  dialog.addEventListener("close", () => done?.());
  dialog.querySelector("button")?.focus();
}

/** A link that saves a text. @param {string} label @param {string} download the file's name @param {string} text */
function save(label, download, text) {
  return h("a.button", { download, href: URL.createObjectURL(new Blob([text], { type: "text/plain" })) }, label);
}

/** What is shown where the server admits accounts only. @implements {View} */
export class DoorView {
  /** @param {Page} page */
  constructor(page) {
    const { banned } = page.link;
    const inside = banned
      ? [h("h1", t("You cannot come in")), h("p", sentence(banned)), h("p.quiet", t("Ask those who run this server if you think that this is wrong."))]
      : [
          h("h1", t("This server is for accounts")),
          h("p", t("Sign in to play here.")),
          h("div.row", button(t("Sign in"), () => signIn(page), "primary"), button(t("Create an account"), () => register(page))),
        ];
    this.element = h("div.match.loading", h("div.sheet.panel", inside));
    document.title = "Cornered";
    fill(/** @type {HTMLElement} */ (document.getElementById("banner")));
  }

  close() {}
}

/** One's own account: name, password, recovery codes, devices, tokens, what is stored, and the end of it. */

import { button, fill, h } from "./dom.js";
import { showCodes } from "./entrance.js";
import { formSheet, nameField, passwordField } from "./fields.js";
import { icon } from "./icons.js";
import { load } from "./lazy.js";
import { confirmation, passkeysSheet } from "./passkeys.js";
import { counted, number, t } from "./playertexts.js";
import { visitProvider } from "./provider.js";
import { openSheet } from "./sheet.js";
import { sessionsSheet, tokensSheet } from "./signedin.js";

/** @typedef {import("./protocol").Account} Account */

/** Open the sheet of my account. @param {Page} page */
export async function openAccount(page) {
  const { link } = page;
  /** @type {Account} */
  let account;
  /** @type {import("./protocol").Policies | null} */
  let policies;
  try {
    [account, policies] = await Promise.all([link.ask({ type: "ask_account" }), link.ask({ type: "ask_policies" }).catch(() => null)]);
  } catch (error) {
    page.complain(error);
    return;
  }
  const lines = h("div.settings-list");
  const provider = () => {
    if (!account.is_linked) return linkProvider(page, account, policies?.oidc ?? "");
    return unlinkProvider(page, policies?.oidc ?? "", () => {
      account = { ...account, is_linked: false };
      draw();
    });
  };
  const draw = () => {
    const { player, codes_left: codes, passkeys, has_password: hasPassword } = account;
    const renamed = (/** @type {Account} */ now) => {
      account = now;
      draw();
    };
    fill(
      lines,
      line(t("Name"), player.name, () => rename(page, account, renamed)),
      line(t("Passkeys"), passkeys ? number(passkeys) : t("none"), () => passkeysSheet(page, account, (count) => renamed({ ...account, passkeys: count }))),
      line(t("Password"), hasPassword ? "" : t("none"), () => changePassword(page, account, () => renamed({ ...account, has_password: true }))),
      policies?.oidc ? line(policies.oidc, account.is_linked ? t("linked") : t("not linked"), () => provider()) : null,
      line(t("Recovery codes"), counted(codes, "{count} left", "{count} left"), () => renewCodes(page, account, (left) => renamed({ ...account, codes_left: left }))),
      line(t("Notifications"), "", () => social(page, "notices")),
      line(t("Blocked players"), "", () => social(page, "blocked")),
      line(t("Signed-in devices"), "", () => sessionsSheet(page, account)),
      line(t("Personal tokens"), "", () => tokensSheet(page, account)),
      account.role === "admin" ? h("a.button.plain.setting", { href: "#/admin", on: { click: () => dialog.close() } }, h("span", t("Administration")), h("span.grow"), icon("on")) : null,
      line(t("Save my data"), "", () => saveData(page)),
      line(t("Delete my account"), "", () => remove(page, player, account)),
    );
  };
  draw();
  const profile = h("a.button", { href: `#/player/${account.player.id}`, on: { click: () => dialog.close() } }, t("My profile"));
  const out = button(t("Sign out"), () => signOut(page), "", { type: "button" });
  const { dialog } = openSheet(t("Your account"), "small account", lines, h("footer", out, h("span.grow"), profile));
  dialog.querySelector("a")?.focus();
}

/** A line of the sheet that opens another one. @param {string} label @param {string} value @param {() => unknown} open */
const line = (label, value, open) =>
  button([h("span", label), h("bdi.quiet.grow", value), icon("on")], open, "plain setting", { type: "button" });

/** Open the sheet of notifications, or of those whom I block. @param {Page} page @param {"notices" | "blocked"} which */
async function social(page, which) {
  try {
    if (which === "notices") await (await load(() => import("./notices.js"), "social.css")).openNotices(page);
    else (await load(() => import("./relations.js"), "social.css")).openBlocked(page);
  } catch (error) {
    page.complain(error);
  }
}

/** What is stored of a guest, and the end of it. @param {Page} page */
export function openGuestData(page) {
  const { me } = page.link;
  if (!me) return;
  openSheet(
    t("Your data"),
    "small account",
    h("p.quiet", t("You are a guest: only this browser knows you.")),
    h("div.settings-list", line(t("Notifications"), "", () => social(page, "notices")), line(t("Blocked players"), "", () => social(page, "blocked")), line(t("Save my data"), "", () => saveData(page)), line(t("Delete me"), "", () => remove(page, me))),
  );
}

/** @param {Page} page @param {Account} account @param {(account: Account) => void} done */
function rename(page, { player, old_names: old }, done) {
  const name = nameField(t("New name"), player.name, { autocomplete: "nickname", name: "name" });
  formSheet(t("Change your name"), {
    fields: [name],
    after: [
      h("p.quiet", t("Your present name stays reserved for you for a while.")),
      old.length ? h("p.quiet", t("Names of yours until now: {names}", { names: old.map((each) => each.name).join(", ") })) : null,
    ],
    submit: t("Use this name"),
    where: { name_taken: name, bad_name: name, malformed: name },
    send: async () => {
      const now = await page.link.ask({ type: "rename", name: name.input.value.trim() });
      page.link.registered(now.player);
      done(now);
    },
  });
  name.input.select();
}

/** Lets password managers know whose password it is. @param {Player} player */
const owner = (player) => h("input.unseen", { type: "text", name: "username", autocomplete: "username", value: player.name, readonly: true, tabindex: -1, "aria-hidden": "true" });

/** @param {Page} page @param {Account} account @param {() => void} done */
function changePassword(page, account, done) {
  const { fields, before, proof } = confirmation(page, account, t("Present password"));
  const password = passwordField(t("New password"), "new-password");
  const has = account.has_password;
  formSheet(has ? t("Change your password") : t("Set a password"), {
    fields: [...fields, password],
    before: [owner(account.player), ...before],
    after: [h("p.quiet", t("All other devices are signed out, and all personal tokens end."))],
    submit: has ? t("Change it") : t("Set the password"),
    where: { ...(has ? { bad_credentials: fields[0] } : {}), weak_password: password },
    send: async () => {
      const confirmed = await proof();
      const { password: old, ...others } = confirmed;
      await page.link.ask({ type: "change_password", ...(old === undefined ? others : { old }), password: password.input.value });
      page.toast(t("The password is changed."));
      done();
    },
  });
}

/** @param {Page} page @param {Account} account @param {(left: number) => void} done */
function renewCodes(page, account, done) {
  const { fields, before, proof } = confirmation(page, account, t("Password"));
  formSheet(t("New recovery codes"), {
    fields,
    before: [owner(account.player), h("p.quiet", t("The old codes stop working.")), ...before],
    submit: t("Show new codes"),
    where: account.has_password ? { bad_credentials: fields[0] } : {},
    send: async () => {
      const { codes } = await page.link.ask({ type: "renew_codes", ...(await proof()) });
      done(codes.length);
      showCodes(page, account.player, codes);
    },
  });
}

/** @param {Page} page @param {Account} account @param {string} name of the provider */
function linkProvider(page, account, name) {
  const { fields, before, proof } = confirmation(page, account, t("Password"));
  formSheet(name, {
    fields,
    before: [owner(account.player), h("p", t("Once it is linked, {name} signs you in to this account too.", { name })), ...before],
    submit: t("Link it"),
    where: account.has_password ? { bad_credentials: fields[0] } : {},
    send: async () => visitProvider(page, "link", await proof()),
  });
}

/** @param {Page} page @param {string} name of the provider @param {() => void} done */
function unlinkProvider(page, name, done) {
  formSheet(name, {
    fields: [],
    before: [h("p", t("You sign in with {name} to this account.", { name }))],
    submit: t("Unlink it"),
    danger: t("Really unlink it?"),
    send: async () => {
      await page.link.ask({ type: "unlink_oidc" });
      done();
    },
  });
}

/** Fetch everything that is stored of me, part by part, into one file. @param {Page} page */
function saveData(page) {
  const progress = h("p", { role: "status" }, t("Collecting your data…"));
  const { dialog } = openSheet(t("Save my data"), "small account", progress);
  const collect = async () => {
    /** @type {string[]} */
    const parts = [];
    /** @type {string | null} */
    let after = null;
    do {
      /** @type {import("./protocol").Export} */
      const part = await page.link.ask({ type: "ask_export", ...(after === null ? {} : { after }) });
      parts.push(`${part.text.trimEnd()}\n`);
      after = part.more;
      const size = parts.reduce((sum, text) => sum + text.length, 0);
      fill(progress, t("Collecting your data: {size} KB so far…", { size: number(Math.ceil(size / 1000)) }));
    } while (after !== null && dialog.isConnected);
    const file = new Blob(parts, { type: "application/jsonl" });
    const link = h("a.button.primary", { download: `cornered-${page.link.me?.id}.jsonl`, href: URL.createObjectURL(file) }, t("Save the file"));
    fill(progress, t("Here is all that this server stores about you: one line of JSON for each thing."));
    progress.after(h("div.row", link));
    link.focus();
  };
  collect().catch((error) => fill(progress, error.message));
}

/** @param {Page} page @param {Player} player @param {Account} [account] */
function remove(page, player, account) {
  const { link } = page;
  const none = { fields: [], before: [], proof: async () => ({}) };
  const { fields, before, proof } = account ? confirmation(page, account, t("Password")) : none;
  formSheet(account ? t("Delete my account") : t("Delete me"), {
    fields,
    before: [
      account ? owner(player) : null,
      h("p", t("Your name, your sessions and tokens, and your rating are deleted. Your games stay for those who played them with you; in them you are called “deleted”.")),
      h("p", h("strong", t("This cannot be undone."))),
      ...before,
    ],
    submit: t("Delete me"),
    danger: t("Really delete me?"),
    where: fields.length ? { bad_credentials: fields[0] } : {},
    send: async () => {
      await link.ask({ type: "delete_account", ...(await proof()) });
      link.become(null);
    },
  });
}

/** @param {Page} page */
async function signOut(page) {
  try {
    await page.link.ask({ type: "sign_out" });
    page.link.become(null);
  } catch (error) {
    page.complain(error);
  }
}

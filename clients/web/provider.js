/** Signing in at a school's or company's own provider: the way there, and what happens when the browser is back. */

import { fill, h } from "./dom.js";
import { formSheet, nameField } from "./fields.js";
import { deviceName } from "./passkeys.js";
import { t } from "./playertexts.js";

/** Where this tab keeps the secret of a visit. */
const SECRET = "cornered.oidc";

/**
 * Go to the provider. What confirms a link goes along.
 * @param {Page} page @param {"sign_in" | "link"} purpose @param {{password?: string, proof?: any}} [confirmed]
 */
export async function visitProvider(page, purpose, confirmed = {}) {
  const { path, secret } = await page.link.ask({ type: "begin_oidc", purpose, ...confirmed });
  sessionStorage.setItem(SECRET, secret);
  location.assign(path);
}

/** Return when the server has answered `hello`, or admits accounts only. @param {Page["link"]} link @returns {Promise<void>} */
export const greeted = (link) =>
  new Promise((resolve) => {
    if (link.state === "online" || link.barred) resolve();
    else for (const event of ["online", "barred"]) link.addEventListener(event, () => resolve(), { once: true });
  });

/** Finish a visit with the code in the page's address, which is taken out of it. @param {Page} page @param {string} code */
export async function finishVisit(page, code) {
  const secret = sessionStorage.getItem(SECRET) ?? "";
  sessionStorage.removeItem(SECRET);
  history.replaceState(null, "", "#/");
  await greeted(page.link);
  page.go("#/");
  if (code === "refused" || !secret) {
    page.complain(new Error(t("You were not signed in there. Try again, or choose another way.")));
    return;
  }
  try {
    await finish(page, code, secret);
  } catch (error) {
    if (/** @type {Refused} */ (error).code === "name_taken") askName(page, code, secret);
    else page.complain(error);
  }
}

/** @param {Page} page @param {string} code @param {string} secret @param {string} [name] */
async function finish(page, code, secret, name) {
  const answer = await page.link.ask({ type: "finish_oidc", code, secret, label: deviceName(), ...(name ? { name } : {}) });
  if (answer.type === "acknowledged") page.toast(t("Your account is linked."));
  else page.link.entered(answer.player, answer.token);
}

/** @param {Page} page @param {string} code @param {string} secret */
function askName(page, code, secret) {
  const name = nameField(t("Name"), "");
  formSheet(t("Choose a name"), {
    fields: [name],
    before: [h("p.quiet", t("Others see it beside the board."))],
    submit: t("Use this name"),
    where: { name_taken: name, bad_name: name, malformed: name },
    send: () => finish(page, code, secret, name.input.value.trim()),
  });
}

/** What is shown until the server has answered. @implements {View} */
export class ReturnView {
  /** @param {Page} page @param {string} code */
  constructor(page, code) {
    this.element = h("div.match.loading", h("div.sheet.panel", h("p", { role: "status" }, t("Signing in…"))));
    fill(/** @type {HTMLElement} */ (document.getElementById("banner")));
    finishVisit(page, code);
  }

  close() {}
}

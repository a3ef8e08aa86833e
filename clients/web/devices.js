/** A second device of one's own: the link that signs it in, as a QR code, and what the device does with it. */

import { copyField } from "./copyfield.js";
import { button, fill, h, s } from "./dom.js";
import { formSheet } from "./fields.js";
import { confirmation, deviceName } from "./passkeys.js";
import { t } from "./playertexts.js";
import { greeted } from "./provider.js";
import { openSheet } from "./sheet.js";
import { nameOf } from "./words.js";

/** Light modules around a QR code, which cameras need. */
const QUIET_ZONE = 4;

/** A QR code, dark on light in both colour schemes: not every camera reads the opposite. @param {readonly string[]} rows */
function drawn(rows) {
  const size = rows.length + 2 * QUIET_ZONE;
  const dark = rows.map((row, y) => [...row].map((cell, x) => (cell === "1" ? `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z` : "")).join(""));
  return s(
    "svg",
    { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("QR code of the link"), "shape-rendering": "crispEdges" },
    s("rect", { width: size, height: size, fill: "#fff" }),
    s("path", { d: dark.join(""), fill: "#000" }),
  );
}

/** Show a link that signs another device in, once that is confirmed. @param {Page} page @param {import("./protocol").Account} account */
export function showLink(page, account) {
  const { fields, before, proof } = confirmation(page, account, t("Password"));
  formSheet(t("Sign in another device"), {
    fields,
    before: [h("p", t("A link signs the other device in as you. That device is signed out with this one.")), ...before],
    submit: t("Show the link"),
    where: fields.length ? { bad_credentials: fields[0] } : {},
    send: async () => drawLink(page, await page.link.ask({ type: "ask_sign_in_link", ...(await proof()) })),
  });
}

/** @param {Page} page @param {import("./protocol").SignInLink} answer */
function drawLink(page, { link, qr, expires }) {
  const { dialog } = openSheet(
    t("Sign in another device"),
    "small account",
    h("p", t("Hold your other device's camera to this code. Who has it is signed in as you: it works once, for two minutes.")),
    drawn(qr),
    copyField(page, t("Link"), link, t("The link is copied.")),
    h("footer", h("button.primary", t("Done"))),
  );
  window.setTimeout(() => dialog.close(), Math.max(0, expires - Date.now() - page.link.ahead));
}

/** What a device shows that was opened by such a link: it signs in when that is pressed, so that no link does it unasked. @implements {View} */
export class EnterView {
  /** @param {Page} page @param {string} code */
  constructor(page, code) {
    const { link } = page;
    history.replaceState(null, "", "#/");
    const problem = h("p.problem", { role: "alert" });
    const enter = button(t("Sign in here"), async () => {
      enter.disabled = true;
      try {
        const { token } = await link.ask({ type: "sign_in_by_link", code, label: deviceName() });
        link.become(token);
      } catch (error) {
        problem.textContent = /** @type {Error} */ (error).message;
      }
    }, "primary");
    const away = button(t("Cancel"), () => page.go("#/"));
    const whose = h("p.quiet");
    this.element = h(
      "div.match.loading",
      h("div.sheet.panel", h("h1", t("Sign in on this device")), h("p", t("Another device shows this link. Go on if it is yours.")), whose, problem, h("div.row", enter, away)),
    );
    enter.disabled = true;
    greeted(link).then(() => {
      enter.disabled = false;
      if (link.me && !link.barred) fill(whose, t("What you played here as {name} stays with that player.", { name: nameOf(link.me) }));
    });
    fill(/** @type {HTMLElement} */ (document.getElementById("banner")));
  }

  close() {}
}

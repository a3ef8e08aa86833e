/** E-mails about my games: where they go and of what, and the page that a link in one of them opens. */

import { button, fill, h } from "./dom.js";
import { textField } from "./fields.js";
import { language, t } from "./socialtexts.js";

/** @typedef {import("./protocol").Notices} Notices */

/**
 * The part of the sheet of notifications about e-mails.
 * @param {Page} page
 * @param {Notices} notices
 * @param {() => Promise<void>} changed
 * @param {(mine: readonly Notices["mail"][number][], choose: (kinds: Notices["mail"][number][]) => Promise<unknown>, legend: string) => HTMLElement} kinds
 */
export function mailPart({ link, complain, toast }, { address, is_confirmed: isConfirmed, mail }, changed, kinds) {
  const act = (/** @type {() => Promise<unknown>} */ work) => async () => {
    try {
      await work();
    } catch (error) {
      complain(error);
    }
    await changed();
  };
  const forget = button(t("No e-mails"), act(() => link.ask({ type: "set_mail", address: null })), "plain", { type: "button" });
  if (!link.hasAccount) return h("p.quiet", t("With an account you can get e-mails too."));
  if (address && isConfirmed)
    return h("div.mail", h("p", t("E-mails go to {address}, at most one an hour while you are away.", { address })), kinds(mail, (chosen) => link.ask({ type: "set_notices", mail: chosen }), t("E-mails for")), forget);
  if (address) {
    const code = textField(t("Code"), { name: "code", inputmode: "numeric", maxlength: 6, autocomplete: "one-time-code" }, { hint: t("It was sent to {address}.", { address }) });
    const confirm = act(async () => {
      await link.ask({ type: "confirm_mail", code: code.input.value.trim() });
      toast(t("The address is confirmed."));
    });
    return h("div.mail", code.element, h("div.row", button(t("Confirm"), confirm, "primary", { type: "button" }), forget));
  }
  const field = textField(t("E-mail address"), { name: "email", type: "email", autocomplete: "email", maxlength: 254 }, { hint: t("A code is sent to it first.") });
  const ask = act(() => link.ask({ type: "set_mail", address: field.input.value.trim(), language: language === "de" ? "de" : "en" }));
  return h("div.mail", field.element, button(t("Send the code"), ask, "", { type: "button" }));
}

/** What the link in an e-mail opens: nothing ends without a press, since programs follow links too. @implements {View} */
export class EndMailsView {
  /** @param {Page} page @param {string} player @param {string} mark */
  constructor(page, player, mark) {
    const place = h("div.sheet.panel");
    this.element = h("div.match.loading", place);
    const end = async () => {
      try {
        await page.link.ask({ type: "end_mails", player, mark });
        fill(place, h("h1", t("E-mails about games")), h("p", t("No more e-mails are sent to this address.")), h("a.button.primary", { href: "#/" }, t("To the lobby")));
      } catch (error) {
        page.complain(error);
      }
    };
    fill(place, h("h1", t("E-mails about games")), h("p", t("Shall e-mails about your games end?")), button(t("End them"), end, "primary"));
    document.title = t("E-mails about games");
  }

  close() {}
}

/** The sheet of another player: profile, follow, block, and report to those who run the server. */

import { relationButtons } from "./relations.js";
import { h } from "./dom.js";
import { formSheet, textField } from "./fields.js";
import { t } from "./moderationtexts.js";
import { openSheet } from "./sheet.js";
import { nameOf } from "./words.js";

/** `MAX_GROUNDS` of the protocol. */
const MAX_GROUNDS = 300;

/** Ask why a player is reported, and send it; with the game that it is about, if any. @param {Page} page @param {Player} player @param {string | null} match */
export function reportPlayer(page, player, match) {
  const grounds = textField(
    t("What happened?"),
    { name: "grounds", required: true, maxlength: MAX_GROUNDS, dir: "auto", autocomplete: "off" },
    { hint: t("In one or two sentences.") },
  );
  formSheet(t("Report {name}", { name: nameOf(player) }), {
    fields: [grounds],
    before: [
      h("p", t("An administrator of this server reads it. The other player is not told who reported.")),
      match ? h("p.quiet", t("The game is attached, with the chat that you can read now.")) : null,
    ],
    submit: t("Send the report"),
    send: async () => {
      await page.link.ask({ type: "report_player", player: player.id, match, grounds: grounds.input.value.trim() });
      page.toast(t("Thank you. Your report was received; you are told when it was looked at."));
    },
  });
}

/** Show what one may do about a player. @param {Page} page @param {Player} player @param {string | null} match the game in which one met */
export function openPlayer(page, player, match) {
  const close = () => dialog.close();
  const report = () => {
    close();
    reportPlayer(page, player, match);
  };
  const { dialog } = openSheet(
    nameOf(player),
    "small account",
    h(
      "div.row",
      h("a.button.primary", { href: `#/player/${player.id}${match ? `/${match}` : ""}`, on: { click: close } }, t("Profile")),
      h("button", { type: "button", on: { click: report } }, t("Report…")),
    ),
    relationButtons(page, player),
  );
}

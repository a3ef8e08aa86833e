/** The sheet from which a finished game is shared: link, pictures, animation, code for other sites, and its record. */

import { copyField } from "./copyfield.js";
import { h } from "./dom.js";
import { counted, t } from "./language.js";
import { gameAddress } from "./permalink.js";
import { openSheet } from "./sheet.js";
import { nameOf } from "./words.js";

/** Open the sheet. @param {Page} page @param {MatchRecord} record @param {number} ply the position on the board */
export function shareGame(page, record, ply) {
  const { id } = record;
  const address = gameAddress(id, ply);
  const whole = address.replace(/\/\d+$/, "");
  const names = record.seats.map(({ player }) => nameOf(player)).join(" – ");
  const title = `${record.title}, ${names}`;
  const code = `<a href="${whole}"><img src="${whole}.svg" width="400" alt="${escaped(title)}"></a>`;
  openSheet(
    t("Share this game"),
    "share",
    h("img.picture", { src: `${address}.svg`, alt: counted(ply, "The position after {count} ply", "The position after {count} plies") }),
    copyField(page, t("Link to this position"), address, t("The link is copied.")),
    copyField(page, t("Moving picture for other sites"), code, t("The code is copied.")),
    h(
      "div.row",
      { role: "group", "aria-label": t("Pictures") },
      file(t("Picture (PNG)"), `${address}.png`, `${id}-${ply}.png`),
      file(t("Picture (SVG)"), `${address}.svg`, `${id}-${ply}.svg`),
      file(t("Moving picture"), `${whole}.svg`, `${id}.svg`),
    ),
    h(
      "div.row",
      { role: "group", "aria-label": t("Record") },
      file(t("Record (text)"), `matches/${id}.txt`, `${id}.txt`),
      file(t("Record (JSON)"), `matches/${id}.jsonl`, `${id}.jsonl`),
    ),
  );
}

/** @param {string} label @param {string} href @param {string} download */
const file = (label, href, download) => h("a.button", { href, download }, label);

/** Names are others' words, and the code is for other pages. @param {string} words */
const escaped = (words) =>
  words.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

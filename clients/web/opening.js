/** The sheet that opens a game record, as text or JSON, in the analysis. */

import { opened } from "./analysis.js";
import { button, fill, h } from "./dom.js";
import { t } from "./studytexts.js";
import { lineRoute } from "./permalink.js";
import { openSheet } from "./sheet.js";
import { sentence } from "./words.js";

/** `MAX_RECORD_CHARACTERS` of the protocol. */
const MOST_CHARACTERS = 6000;

/** A record without its clocks, which the analysis does not show, and with its lines where they were. @param {string} text */
function shortened(text) {
  if (!text.trimStart().startsWith("{")) return text.replace(/\{[^{}]*\}/g, (comment) => comment.replace(/[^\n]/g, ""));
  try {
    const { clocks: _, ...rest } = JSON.parse(text);
    return JSON.stringify(rest);
  } catch {
    // What is wrong with it the server says.
    return text;
  }
}

/** Open the sheet. @param {Page} page */
export function openRecord(page) {
  const area = h("textarea", {
    rows: 9,
    spellcheck: "false",
    placeholder: '[Game "trapgrid"]\n[Options "size=5"]\n\n1. e2 a4 2. …',
    "aria-label": t("Record"),
  });
  const trouble = h("p.trouble", { role: "alert" });
  const choose = h("input", { type: "file", accept: ".txt,.json,.jsonl", "aria-label": t("File") });
  choose.addEventListener("change", async () => {
    const [file] = choose.files ?? [];
    if (!file) return;
    // A record is much shorter; a wrong file is not read as a whole.
    area.value = await file.slice(0, 20 * MOST_CHARACTERS).text();
    open();
  });
  const open = async () => {
    const text = shortened(area.value).trimEnd();
    trouble.textContent = "";
    if (!text) return;
    if (text.length > MOST_CHARACTERS) {
      fill(trouble, t("A record has at most {most} characters without its clocks; this one has {length}.", { most: MOST_CHARACTERS, length: text.length }));
      return;
    }
    try {
      const read = await page.link.ask({ type: "read_record", text });
      const { positions } = await page.link.ask({ type: "ask_line", game: read.game });
      const route = lineRoute(read.game, page.store.offered(read.game.name), positions[0], read.moves);
      opened.set(route, read);
      dialog.close();
      page.go(route);
    } catch (error) {
      fill(trouble, sentence(/** @type {Error} */ (error).message));
    }
  };
  const { dialog } = openSheet(
    t("Open a record"),
    "opening",
    h("p.quiet", t("A game in the form in which this server's records are saved. It is checked, shown, and not kept.")),
    h("label.field", h("span", t("A file")), choose),
    h("label.field", h("span", t("or its text")), area),
    trouble,
    h("footer", button(t("Open"), open, "primary", { type: "button" })),
  );
}

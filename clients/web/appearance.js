/** The sheet of the board's look and of how moves are made, on every board of this browser. */

import { h, s } from "./dom.js";
import { t } from "./language.js";
import { languageField } from "./languagefield.js";
import { piece } from "./marks.js";
import { BOARDS, CONFIRMS, keep, PIECES, settings } from "./settings.js";
import { openSheet } from "./sheet.js";

/** @type {Record<(typeof BOARDS)[number], string>} */
const BOARD_NAMES = { wood: t("Wood"), slate: t("Slate"), paper: t("Paper") };
/** @type {Record<(typeof PIECES)[number], string>} */
const PIECE_NAMES = { shapes: t("Shapes"), tokens: t("Discs") };

/** @type {Record<(typeof CONFIRMS)[number], string>} */
const CONFIRM_NAMES = { auto: t("On small cells"), always: t("Always"), never: t("Never") };

/** Open the sheet. @param {() => void} changed called after each choice, to draw the boards again */
export function askAppearance(changed) {
  const boards = BOARDS.map((name) =>
    choice("board", name, BOARD_NAMES[name], settings.board === name, h("span.swatch", { data: { board: name } })),
  );
  const pieces = PIECES.map((name) =>
    choice(
      "pieces",
      name,
      PIECE_NAMES[name],
      settings.pieces === name,
      [0, 1, 2, 3].map((seat) => s("svg.mark", { viewBox: "-12 -12 24 24" }, piece(seat, 9.5, name))),
    ),
  );
  const confirms = CONFIRMS.map((name) =>
    choice("confirm", name, CONFIRM_NAMES[name], settings.confirm === name, null),
  );
  const { form } = openSheet(
    t("Board, pieces and moves"),
    "small",
    h("fieldset.pills", h("legend", t("Board")), h("div.row", boards)),
    h("fieldset.pills", h("legend", t("Pieces")), h("div.row", pieces)),
    h("fieldset.pills", h("legend", t("A second tap makes the move")), h("div.row", confirms)),
    h(
      "label.switch.flow",
      h("input", { type: "checkbox", name: "premove", checked: settings.premove }),
      h("span", t("Premove: choose a move before your turn")),
    ),
    languageField(),
    h("footer", h("button.primary", t("Done"))),
  );
  form.addEventListener("change", (event) => {
    // The language is kept by its own field.
    if (/** @type {HTMLInputElement} */ (event.target).name === "language") return;
    const chosen = new FormData(form);
    keep({
      board: BOARDS.find((name) => name === chosen.get("board")) ?? "wood",
      pieces: PIECES.find((name) => name === chosen.get("pieces")) ?? "shapes",
      confirm: CONFIRMS.find((name) => name === chosen.get("confirm")) ?? "auto",
      premove: chosen.has("premove"),
    });
    changed();
  });
}

/** @param {string} name @param {string} value @param {string} words @param {boolean} checked @param {Content} picture */
function choice(name, value, words, checked, picture) {
  return h("label.pill", h("input", { type: "radio", name, value, checked }), h("span", picture, words));
}

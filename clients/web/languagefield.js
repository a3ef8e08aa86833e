/** The choice of the page's language. Each language is listed by its own name, for those who cannot read the present one. */

import { h } from "./dom.js";
import { LANGUAGES, t } from "./language.js";
import { keep, settings } from "./settings.js";

/** The field; a choice loads the page again in that language. */
export function languageField() {
  const change = () => {
    keep({ language: select.value });
    location.reload();
  };
  const select = h(
    "select",
    { name: "language", on: { change } },
    h("option", { value: "system" }, t("as the browser")),
    Object.entries(LANGUAGES).map(([value, name]) => h("option", { value, lang: value }, name)),
  );
  select.value = settings.language;
  return h("label.field.language", h("span", t("Language")), select);
}

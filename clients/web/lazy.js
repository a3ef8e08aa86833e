/** Loads what the first view does not need when it is opened: modules, each with its stylesheets, and data files. */

import { button, fill, h } from "./dom.js";
import { t } from "./language.js";

const UNLOADED = t("This part of Cornered could not be loaded. Check the connection, then try again, or reload the page.");

/** @type {Map<string, Promise<void>>} stylesheets that are there or on their way */
const sheets = new Map();

/** Add a stylesheet, once. @param {string} name */
function style(name) {
  const known = sheets.get(name);
  if (known) return known;
  const loaded = new Promise((/** @type {(none: void) => void} */ resolve, reject) => {
    const link = h("link", { rel: "stylesheet", href: name });
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      sheets.delete(name);
      reject(new Error(`${name} cannot be fetched`));
    };
    document.head.append(link);
  });
  sheets.set(name, loaded);
  return loaded;
}

/**
 * Import a module and add its stylesheets: `load(() => import("./study.js"), "study.css")`. What is there is not
 * fetched again. Rejects with a sentence for the user, after which it may be called again.
 * @template Module
 * @param {() => Promise<Module>} module
 * @param {...string} styles
 */
export async function load(module, ...styles) {
  try {
    const [loaded] = await Promise.all([module(), ...styles.map(style)]);
    return loaded;
  } catch (cause) {
    console.error(cause);
    throw new Error(UNLOADED, { cause });
  }
}

/** @type {Map<string, Promise<unknown>>} data files that are there or on their way */
const files = new Map();

/**
 * Load a JSON file, once. Rejects with a sentence for the user, after which it may be called again. The caller names the type.
 * @param {string} name
 * @returns {Promise<any>}
 */
export function loadFile(name) {
  const known = files.get(name);
  if (known) return known;
  const loaded = fetch(name)
    .then((answer) => {
      if (!answer.ok) throw new Error(`${name} is answered with ${answer.status}`);
      return answer.json();
    })
    .catch((cause) => {
      files.delete(name);
      throw new Error(UNLOADED, { cause });
    });
  files.set(name, loaded);
  return loaded;
}

/**
 * Return a view that is loaded while a sentence holds its place; where that fails, there is a button to try again.
 * @template Module
 * @param {() => Promise<Module>} module
 * @param {(module: Module) => View} make
 * @param {...string} styles
 * @returns {View}
 */
export function lazyView(module, make, ...styles) {
  const element = h("div.lazy", { role: "status" });
  /** @type {View | null} */
  let view = null;
  let closed = false;
  const open = async () => {
    fill(element, h("p.quiet.empty", t("Loading…")));
    let loaded;
    try {
      loaded = await load(module, ...styles);
    } catch (error) {
      fill(element, h("p.empty", /** @type {Error} */ (error).message), h("p.empty", button(t("Try again"), open, "primary")));
      return;
    }
    if (closed) return;
    view = make(loaded);
    element.replaceWith(view.element);
  };
  open();
  return {
    element,
    get playingIn() {
      return view?.playingIn;
    },
    close: () => {
      closed = true;
      view?.close();
    },
  };
}

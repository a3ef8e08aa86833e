/** Creates and updates DOM elements; no other module creates nodes by name. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Set properties on an element: `class`, `on` (listeners), `data`, ARIA and other attributes; null and false leave one out.
 * @template {HTMLElement | SVGElement} E
 * @param {E} element
 * @param {Properties} properties
 * @returns {E}
 */
export function set(element, properties) {
  const { on = {}, ...rest } = properties;
  for (const [event, listener] of Object.entries(on))
    element.addEventListener(event, /** @type {EventListener} */ (listener));
  for (const [name, value] of Object.entries(rest)) {
    if (name === "data") Object.assign(element.dataset, value);
    else if (name === "value" || name === "checked" || name === "disabled") Object.assign(element, { [name]: value });
    else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  return element;
}

/** @param {Content[]} children */
const present = (children) =>
  /** @type {string[]} */ (children.flat().filter((child) => child || child === 0 || child === ""));

/**
 * Return a function that creates elements: `h("p.quiet", { title }, "text")`. Properties may come first; children are nodes, texts, lists
 * of these, or nothing.
 * @param {(tag: string) => HTMLElement | SVGElement} create
 * @returns {(name: string, ...content: (Properties | Content)[]) => Element}
 */
const maker =
  (create) =>
  (name, ...content) => {
    const [tag, ...classes] = name.split(".");
    const element = create(tag);
    if (content[0]?.constructor === Object) set(element, /** @type {Properties} */ (content.shift()));
    element.classList.add(...classes);
    element.append(...present(/** @type {Content[]} */ (content)));
    return element;
  };

/** Make an HTML element. */
export const h = /** @type {Maker<HTMLElementTagNameMap>} */ (maker((tag) => document.createElement(tag)));
/** Make an SVG element. */
export const s = /** @type {Maker<SVGElementTagNameMap>} */ (maker((tag) => document.createElementNS(SVG, tag)));

/** Make a button. @param {Content} content @param {On["click"]} click @param {string} [kind] its class @param {Properties} [more] */
export const button = (content, click, kind = "", more = {}) =>
  h("button", { ...(kind && { class: kind }), ...more, on: { click } }, content);

/**
 * Update the children of `parent` to `items` in order, with the nodes of unchanged keys reused.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string} key
 * @param {(item: T) => Kept<T>} make
 */
export function keyed(parent, items, key, make) {
  const old = new Map(/** @type {Kept<T>[]} */ ([...parent.children]).map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = key(item);
    let node = old.get(name);
    if (node) {
      old.delete(name);
      node.update?.(item);
    } else {
      node = make(item);
      node.dataset.key = name;
    }
    if (node === place) place = node.nextElementSibling;
    else parent.insertBefore(node, place);
  }
  for (const gone of old.values()) gone.remove();
}

/** Replace an element's children. @param {Element} parent @param {...Content} children */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
}

/** Announce a text to screen readers. @param {string} text @param {boolean} [urgent] */
export function announce(text, urgent = false) {
  const region = document.getElementById(urgent ? "urgent" : "polite");
  if (!region) return;
  // A live region does not announce an equal text again, so each text gets its own element.
  region.append(h("p", {}, text));
  while (region.childElementCount > 3) region.firstElementChild?.remove();
}

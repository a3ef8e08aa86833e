/** Making and updating elements: the only place that creates DOM nodes by name. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {{[name: string]: any, on?: Record<string, (event: any) => void>}} Properties */

/**
 * Set properties on an element: `class`, `on` (listeners), `data`, ARIA and other attributes; null and false leave one out.
 * @template {Element} E
 * @param {E} element
 * @param {Properties} properties
 * @returns {E}
 */
export function set(element, properties) {
  const { on = {}, ...rest } = properties;
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  for (const [name, value] of Object.entries(rest)) {
    if (name === "data") Object.assign(/** @type {any} */ (element).dataset, value);
    else if (name === "value" || name === "checked" || name === "disabled") /** @type {any} */ (element)[name] = value;
    else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  return element;
}

/** @param {any[]} children */
const present = (children) => children.flat().filter((child) => child || child === 0 || child === "");

/**
 * Return what makes elements: `h("p.quiet", { title }, "text")`. Properties may come first; children are nodes, texts, lists
 * of these, or nothing.
 * @param {(tag: string) => Element} create
 * @returns {(name: string, ...content: any[]) => any}
 */
const maker =
  (create) =>
  (name, ...content) => {
    const [tag, ...classes] = name.split(".");
    const element = create(tag);
    if (content[0]?.constructor === Object) set(element, content.shift());
    element.classList.add(...classes);
    element.append(...present(content));
    return element;
  };

/** Make an HTML element. */
export const h = maker((tag) => document.createElement(tag));
/** Make an SVG element. */
export const s = maker((tag) => document.createElementNS(SVG, tag));

/** Make a button. @param {any} content @param {(event: any) => void} click @param {string} [kind] its class @param {Record<string, any>} [more] */
export const button = (content, click, kind = "", more = {}) =>
  h("button", { ...(kind && { class: kind }), ...more, on: { click } }, content);

/**
 * Make the children of `parent` show `items` in order, keeping the nodes of those that stay.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string} key
 * @param {(item: T) => Element & {update?: (item: T) => void}} make
 */
export function keyed(parent, items, key, make) {
  const old = new Map([...parent.children].map((child) => [/** @type {any} */ (child).dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = key(item);
    /** @type {any} */
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

/** Replace an element's children. @param {Element} parent @param {...any} children */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
}

/** Say something to screen readers. @param {string} text @param {boolean} [urgent] */
export function announce(text, urgent = false) {
  const region = document.getElementById(urgent ? "urgent" : "polite");
  if (!region) return;
  // A region that says the same thing twice is silent the second time, so each word gets its own element.
  region.append(h("p", {}, text));
  while (region.childElementCount > 3) region.firstElementChild?.remove();
}

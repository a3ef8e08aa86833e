/** Making and updating elements: the only place that creates DOM nodes by name. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Set properties on an element: `class`, `on` (listeners), `data`, ARIA and other attributes; null and false leave one out.
 * @template {Element} E
 * @param {E} element
 * @param {Record<string, any>} properties
 * @returns {E}
 */
export function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "data") Object.assign(/** @type {any} */ (element).dataset, value);
    else if (name === "value" || name === "checked" || name === "disabled") /** @type {any} */ (element)[name] = value;
    else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  return element;
}

/**
 * Make an HTML element. Children are nodes, texts, lists of these, or null.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...any} children
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  const element = set(document.createElement(tag), properties);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Make an SVG element.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...Node} children
 * @returns {any}
 */
export function s(tag, properties = {}, ...children) {
  const element = set(document.createElementNS(SVG, tag), properties);
  element.append(...children);
  return element;
}

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

/**
 * Replace an element's children.
 * @param {Element} parent
 * @param {...any} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
}

/** Say something to screen readers. @param {string} text @param {boolean} [urgent] */
export function announce(text, urgent = false) {
  const region = document.getElementById(urgent ? "urgent" : "polite");
  if (!region) return;
  // A region that says the same thing twice is silent the second time, so each word gets its own element.
  region.append(h("p", {}, text));
  while (region.childElementCount > 3) region.firstElementChild?.remove();
}

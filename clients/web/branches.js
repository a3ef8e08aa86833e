/** The tree of a search in SVG: whole where it is small, else the current path with the moves beside it. */

import { fill, s, set } from "./dom.js";
import { t } from "./studytexts.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./trace.js").TraceNode} TraceNode */

/** A tree of so many nodes is drawn whole. */
const WHOLE_NODES = 80;
/** Units between leaves, by what is written under them. */
const SLOT = 38;
const WIDE_SLOT = 52;
const SHARE_SLOT = 26;
const LEVEL = 62;
const MARGIN = 24;
const RADIUS = 9;

/** @type {Record<string, string>} */
const SHAPES = {
  max: `M0 ${-RADIUS}L${RADIUS} ${RADIUS * 0.8}H${-RADIUS}Z`,
  min: `M0 ${RADIUS}L${RADIUS} ${-RADIUS * 0.8}H${-RADIUS}Z`,
  chance: `M${-RADIUS} 0a${RADIUS} ${RADIUS} 0 1 1 ${2 * RADIUS} 0a${RADIUS} ${RADIUS} 0 1 1 ${-2 * RADIUS} 0Z`,
  seat: `M${-RADIUS * 0.8} ${-RADIUS * 0.8}H${RADIUS * 0.8}V${RADIUS * 0.8}H${-RADIUS * 0.8}Z`,
};

export class Branches {
  /** @param {Trace} trace @param {(step: number) => void} go shows the step that enters a node */
  constructor(trace, go) {
    this.trace = trace;
    this.go = go;
    this.svg = s("svg", { role: "img", "aria-label": t("The search tree") });
    this.element = /** @type {HTMLDivElement} */ (document.createElement("div"));
    set(this.element, { class: "branches", tabindex: 0, role: "group", "aria-label": t("Search tree") });
    this.element.append(this.svg);
    this.element.addEventListener("click", (event) => {
      const id = /** @type {Element} */ (event.target).closest("[data-node]")?.getAttribute("data-node");
      if (id) go(this.trace.all[Number(id)].entered);
    });
  }

  /** Draw the tree as it is now. */
  draw() {
    const { trace } = this;
    const current = trace.all[trace.current];
    const root = trace.all[trace.focus?.root ?? -1];
    if (!root) return;
    const path = trace.path(current);
    const onPath = new Set(path.map(({ id }) => id));
    const shown = this.#shown(root, path);
    const places = layOut(trace, root, shown);
    const width = Math.max(...[...places.values()].map(({ x }) => x)) + 2 * MARGIN;
    const height = Math.max(...[...places.values()].map(({ y }) => y)) + MARGIN + 18;
    set(this.svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    const links = [];
    const marks = [];
    for (const [id, place] of places) {
      const node = trace.all[id];
      const above = places.get(node.parent);
      const isSeen = node.entered <= trace.step;
      const state = `${isSeen ? "" : " later"}${onPath.has(id) ? " path" : ""}${id === current?.id ? " current" : ""}`;
      if (above) links.push(s("path", { class: `branch${state}`, d: `M${above.x} ${above.y}L${place.x} ${place.y}` }));
      const mark = s("g", { class: `node seat-${Math.max(0, node.turn)} ${trace.role(node)}${state}`, data: { node: String(id) } });
      set(mark, { transform: `translate(${place.x} ${place.y})` });
      mark.append(s("path", { d: isSeen ? SHAPES[trace.role(node)] : "M-3 0a3 3 0 1 1 6 0a3 3 0 1 1 -6 0Z" }));
      if (isSeen) {
        if (node.parent >= 0 && above) mark.append(text("move", node.move, -RADIUS - 5));
        mark.append(text("value", trace.label(node), RADIUS + 13));
        const hidden = node.children.length && !node.children.some((child) => places.has(child)) ? node.size - 1 : 0;
        if (hidden) mark.append(text("hidden", `+${hidden}`, RADIUS + 25));
        if (node.pruned) mark.append(text("pruned", `✂${node.pruned}`, RADIUS + 25));
      }
      marks.push(mark);
    }
    fill(this.svg, links, marks);
    this.#follow(places.get(current?.id ?? root.id));
  }

  /** The nodes to draw. @param {TraceNode} root @param {TraceNode[]} path @returns {Set<number>} */
  #shown(root, path) {
    const { all } = this.trace;
    const shown = new Set([root.id]);
    const whole = root.size <= WHOLE_NODES;
    for (const node of whole ? all.filter((each) => each.root === root.id) : path) {
      shown.add(node.id);
      for (const child of node.children) shown.add(child);
    }
    return shown;
  }

  /** Keep the current node in view. @param {{x: number, y: number} | undefined} place */
  #follow(place) {
    if (!place) return;
    const { element } = this;
    const x = place.x - element.scrollLeft;
    const y = place.y - element.scrollTop;
    if (x < 40 || x > element.clientWidth - 40) element.scrollLeft = place.x - element.clientWidth / 2;
    if (y < 30 || y > element.clientHeight - 50) element.scrollTop = place.y - element.clientHeight / 2;
  }
}

/**
 * A place for every shown node: leaves in their order from the left, parents above the middle of their children.
 * @param {Trace} trace @param {TraceNode} root @param {Set<number>} shown
 */
function layOut(trace, root, shown) {
  /** @type {Map<number, {x: number, y: number}>} */
  const places = new Map();
  const { search } = trace.settings;
  const wide = ["mcts", "expectiminimax", "star1"].includes(search) ? WIDE_SLOT : SLOT;
  const slot = Math.max(wide, trace.parts > 1 ? trace.parts * SHARE_SLOT : 0);
  let next = Math.max(MARGIN, slot / 2);
  /** @param {TraceNode} node @returns {number} */
  const place = (node) => {
    const children = node.children.filter((child) => shown.has(child));
    const y = MARGIN + node.depth * LEVEL;
    if (!children.length) {
      places.set(node.id, { x: next, y });
      next += slot;
    } else {
      const xs = children.map((child) => place(trace.all[child]));
      places.set(node.id, { x: (xs[0] + xs[xs.length - 1]) / 2, y });
    }
    return /** @type {{x: number}} */ (places.get(node.id)).x;
  };
  place(root);
  return places;
}

/** @param {string} kind @param {string} words @param {number} y */
function text(kind, words, y) {
  const element = s("text", { class: kind, y });
  element.textContent = words;
  return element;
}

/** A game tree as nested details; opening a branch also shows its position on the board. */

import { button, fill, h } from "./dom.js";
import { t } from "./studytexts.js";

/** @typedef {import("./protocol").TreeNode} TreeNode */

/** What an analyst says of a move. @type {Record<string, string>} */
const MARKS = { best: t("best"), cut: t("cut") };

/**
 * Draw a tree into a list.
 * @param {Element} list
 * @param {readonly TreeNode[]} nodes each after its parent
 * @param {(node: TreeNode) => string} words the value of a move
 * @param {(moves: string[]) => void} show
 */
export function drawTree(list, nodes, words, show) {
  /** @param {number} parent @param {string[]} path @returns {HTMLElement[]} */
  const below = (parent, path) =>
    nodes.flatMap((node, index) => {
      if (node.parent !== parent) return [];
      const moves = [...path, node.move];
      const kind = node.mark ?? "";
      const label = [h("strong", node.move), ` ${words(node)} `, h("small", MARKS[kind] ?? kind)];
      const branches = below(index, moves);
      const go = () => show(moves);
      return branches.length
        ? h(
            "li",
            h(
              "details",
              { open: kind === "best" },
              h("summary", { class: kind, on: { click: go } }, label),
              h("ul", branches),
            ),
          )
        : h("li", button(label, go, `plain ${kind}`));
    });
  fill(list, below(-1, []));
}

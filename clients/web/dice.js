/** Verification of the dice: the commitment, the seed after the end, and every roll computed again. */

import { button, fill, h } from "./dom.js";
import { t } from "./language.js";
import { isRoll } from "./position.js";

const SPAN = 1n << 256n;
const FACES = 3n;

/** @param {string} hex */
const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
/** @param {ArrayBuffer} buffer */
const hexOf = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The roll at a ply: HMAC-SHA256 of the seed over "match:ply", without bias. @param {CryptoKey} key @param {string} match @param {number} ply */
async function roll(key, match, ply) {
  const limit = SPAN - (SPAN % FACES);
  for (let attempt = 0; ; attempt++) {
    const text = attempt ? `${match}:${ply}:${attempt}` : `${match}:${ply}`;
    const number = BigInt(`0x${hexOf(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)))}`);
    if (number < limit) return String(Number(number % FACES) + 1);
  }
}

/** Check the commitment and every roll of a finished match. @param {MatchRecord} record @param {string} hex the seed */
async function verdict(record, hex) {
  if (!crypto.subtle) return t("This browser checks hashes on secure addresses only.");
  const seed = bytes(hex);
  if (hexOf(await crypto.subtle.digest("SHA-256", seed)) !== record.commitment)
    return t("The seed does not match the promise.");
  const key = await crypto.subtle.importKey("raw", seed, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  let rolls = 0;
  for (const [ply, move] of record.moves.entries()) {
    if (!isRoll(move)) continue;
    if ((await roll(key, record.id, ply)) !== move) return t("The roll at move {number} is not the seed's.", { number: ply + 1 });
    rolls += 1;
  }
  return t("Checked: the seed matches the promise, and all {rolls} rolls follow from it.", { rolls });
}

/** Show the commitment, and after the end the verification, of a match with dice. @param {HTMLElement} element @param {MatchRecord} record */
export function diceProof(element, record) {
  if (!record.spec.options.dice || !record.commitment) return;
  const { seed } = record;
  const sign = String(seed);
  if (element.dataset.shown === sign) return;
  element.dataset.shown = sign;
  const result = h("p", { role: "status" });
  fill(
    element,
    h(
      "details",
      h("summary", seed ? t("Check the dice") : t("The dice are promised")),
      h("p.quiet", t("SHA-256 of the seed, told before the first roll:")),
      h("code", record.commitment),
      seed
        ? [
            h("p.quiet", t("The seed:")),
            h("code", seed),
            button(t("Verify"), async () => (result.textContent = await verdict(record, seed)), "plain"),
            result,
          ]
        : null,
    ),
  );
}

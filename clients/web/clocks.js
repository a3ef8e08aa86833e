/** The clocks that forms offer. */

/** @type {ClockInput[]} */
export const CLOCKS = [
  { kind: "fischer", initial: 60, increment: 1 },
  { kind: "fischer", initial: 180, increment: 2 },
  { kind: "fischer", initial: 300, increment: 5 },
  { kind: "fischer", initial: 900, increment: 10 },
  { kind: "per_move", seconds: 20 },
  { kind: "correspondence", days: 1 },
  { kind: "correspondence", days: 3 },
];

/** Icons as SVG paths, independent of fonts. */

import { s } from "./dom.js";

const PATHS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  on: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  close: "M6 6l12 12M18 6L6 18",
  send: "M4 12h14M12 5l7 7-7 7",
  more: "M6 9l6 6 6-6",
  help: "M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 17.500v.5",
  loud: "M4 9.500h3.500L12 6v12l-4.500-3.500H4zM15.500 9a4 4 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11",
  quiet: "M4 9.500h3.500L12 6v12l-4.500-3.500H4zM16 9.500l5 5M21 9.500l-5 5",
  light:
    "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400",
  dark: "M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z",
  system: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  turn: "M7 4v14M3.500 14.500L7 18l3.500-3.500M17 20V6M13.500 9.500L17 6l3.500 3.500",
  pen: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  person: "M12 4.500a3.800 3.800 0 1 0 0 7.600 3.800 3.800 0 0 0 0-7.600zM4.500 20c.6-4 3.500-6 7.500-6s6.900 2 7.500 6",
  look: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM16.500 13.500a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700L12 17",
  won: "M8 4h8v5a4 4 0 0 1-8 0zM8 5.500H4.500c0 3 1.500 4.500 3.700 4.500M16 5.500h3.500c0 3-1.500 4.500-3.700 4.500M12 13v4M8.500 20h7M9.500 20c0-2 1-3 2.500-3s2.500 1 2.500 3",
  lost: "M6 21V4M6 4.500l12 3.500-12 4",
  drawn: "M5 9.500h14M5 14.500h14",
  off: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM6.500 17.500l11-11",
  notes: "M5 6h14M5 12h14M5 18h8",
};
const SOLID = new Set(["first", "back", "on", "last"]);

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return s(
    "svg",
    { class: `icon-art${SOLID.has(name) ? " solid" : ""}`, viewBox: "0 0 24 24", "aria-hidden": "true" },
    s("path", { d: PATHS[name] }),
  );
}

/** The texts about finished games, openings and TV: their catalogue is added before the modules begin that import this one. */

import { extend } from "./language.js";

export { counted, language, number, rich, t, told } from "./language.js";

await extend("archive");

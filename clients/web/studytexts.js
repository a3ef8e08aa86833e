/** The texts about positions, searches, puzzles and lessons: their catalogue is added before the modules begin that import this one. */

import { extend } from "./language.js";

export { counted, language, number, rich, t, told } from "./language.js";

await extend("study");

/** The texts about tournaments: their catalogue is added before the modules begin that import this one. */

import { extend } from "./language.js";

export { counted, number, t } from "./language.js";

await extend("tournaments");

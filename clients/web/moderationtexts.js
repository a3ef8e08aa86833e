/** The texts about reports and for administrators: their catalogue is added before the modules begin that import this one. */

import { extend } from "./language.js";

export { counted, number, t } from "./language.js";

await extend("moderation");

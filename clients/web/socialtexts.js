/** The texts about friends, turns and notifications: their catalogue is added before the modules begin that import this one. */

import { extend } from "./language.js";

export { counted, language, t } from "./language.js";

await extend("social");

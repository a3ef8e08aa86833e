/** The texts about classes and clubs: their catalogue is added before the modules begin that import this one. */

import { extend } from "./language.js";

export { counted, t } from "./language.js";

await extend("groups");

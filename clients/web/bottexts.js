/** The texts of a bot's page: their catalogue is added before the modules begin that import this one. */

import { extend } from "./language.js";

export { counted, list, number, t } from "./language.js";

await extend("bots");

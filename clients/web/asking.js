/** Questions that wait for their turn where the server's limits say so. */

/** Times that a question is asked again. */
const REPEATS = 5;
const LEAST_WAIT_MS = 300;

/**
 * Ask; where that is too fast, wait for as long as the server says and ask again, unless `signal` is aborted.
 * @template {keyof Fields} T
 * @param {Page["link"]} link @param {{type: T} & Fields[T]} message @param {AbortSignal} [signal]
 * @returns {Promise<Answer<T>>}
 */
export async function askInTurn(link, message, signal) {
  for (let repeat = 0; ; repeat++) {
    try {
      return await link.ask(message);
    } catch (error) {
      const { code, wait } = /** @type {Refused} */ (error);
      if (code !== "too_fast" || repeat === REPEATS || signal?.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.max(LEAST_WAIT_MS, wait)));
    }
  }
}

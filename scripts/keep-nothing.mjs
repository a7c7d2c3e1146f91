// Answers that do not mention caching are not cached: no page and no call has to remember it.

/**
 * Decides when the answer begins, because a route may set its own header, and two headers would contradict each other.
 *
 * @param {import('node:http').ServerResponse} res
 */
export function keepNothingByDefault(res) {
  const writeHead = res.writeHead
  // Forwards every call signature of the original.
  res.writeHead = (...given) => {
    if (!res.hasHeader('cache-control')) res.setHeader('Cache-Control', 'no-store')
    return writeHead.apply(res, /** @type {any} */ (given))
  }
}

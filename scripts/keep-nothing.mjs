// What says nothing about being kept is kept by nobody: no page and no call has to remember it.

/**
 * Decided when the answer begins, because a route may say it otherwise, and two words about it would contradict each other.
 *
 * @param {import('node:http').ServerResponse} res
 */
export function keepNothingByDefault(res) {
  const writeHead = res.writeHead
  // Called in all the ways the original can be.
  res.writeHead = (...given) => {
    if (!res.hasHeader('cache-control')) res.setHeader('Cache-Control', 'no-store')
    return writeHead.apply(res, /** @type {any} */ (given))
  }
}

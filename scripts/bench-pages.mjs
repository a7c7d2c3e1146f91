// `npm run bench:pages`: how fast the pages feel in a browser at 375 and 1280 pixels, and the clicks and seconds to the
// first event, the first automation and the first payment. Exits with 1 when a bar is missed.
//   npm run bench:pages -- --only manager     some of the pages (may be given more than once)
import './node-version.mjs'
import './record-flag.mjs'
import { browserOrExit } from './browser.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: true }))

const browser = await browserOrExit()
const { runTs } = await import('./run-ts.mjs')
const { benchPages } = await runTs('packages/lab/bench/pages.ts')
process.exit(await /** @type {Function} */ (benchPages)(process.argv.slice(2), browser))

// `npm run bench:lighthouse`: Lighthouse as a phone over the main pages, median of three. Exits with 1 when a bar is missed.
//   npm run bench:lighthouse -- --only manager     some of the pages (may be given more than once)
import './node-version.mjs'
import './record-flag.mjs'
import { browserOrExit } from './browser.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: true }))

const browser = await browserOrExit()
const { runTs } = await import('./run-ts.mjs')
const { benchLighthouse } = await runTs('packages/lab/bench/lighthouse.ts')
process.exit(await /** @type {Function} */ (benchLighthouse)(process.argv.slice(2), browser))

// `npm run picture:main-job`: plays the main job on a started product, for docs/images/main-job.webp in the README.
import './node-version.mjs'
import { browserOrExit } from './browser.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: true }))

const browser = await browserOrExit()
const { runTs } = await import('./run-ts.mjs')
const { drawMainJob } = await runTs('packages/lab/screens/main-job.ts')
await /** @type {Function} */ (drawMainJob)(browser)

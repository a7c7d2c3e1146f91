// `npm run bench:automation`: time from an event to its rules' actions, fairness under a burst, calls to the platform.
import './node-version.mjs'
import './record-flag.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: false }))
const { runTs } = await import('./run-ts.mjs')
const { benchAutomation } = await runTs('packages/lab/bench/automation.ts')
process.exit(await /** @type {Function} */ (benchAutomation)(process.argv.slice(2)))

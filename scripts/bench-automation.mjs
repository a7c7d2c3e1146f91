// `npm run bench:automation`: from an event to what its rules do, fairness under a burst, and calls to the platform.
import './node-version.mjs'
import './record-flag.mjs'

const { runTs } = await import('./run-ts.mjs')
const { benchAutomation } = await runTs('packages/lab/bench/automation.ts')
process.exit(await /** @type {Function} */ (benchAutomation)(process.argv.slice(2)))

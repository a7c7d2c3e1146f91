// `npm run bench:rules`: rule evaluations per second on one core, compared with predicates written by hand.
import './node-version.mjs'
import './record-flag.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: false }))
const { runTs } = await import('./run-ts.mjs')
const { benchRules } = await runTs('packages/lab/bench/rules.ts')
process.exit(/** @type {Function} */ (benchRules)(process.argv.slice(2)))

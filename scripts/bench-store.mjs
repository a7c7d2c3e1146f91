// `npm run bench:store`: what the three acts of each event cost on PostgreSQL, row by row and in batches.
import './node-version.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: false }))
const { runTs } = await import('./run-ts.mjs')
const { benchStore } = await runTs('packages/lab/bench/store.ts')
process.exit(await /** @type {Function} */ (benchStore)())

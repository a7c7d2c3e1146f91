// `npm run bench:manager`: server time for the manager page of a busy account, compared with an empty one.
import './node-version.mjs'
import './record-flag.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: true }))

const { runTs } = await import('./run-ts.mjs')
const { benchManager } = await runTs('packages/lab/bench/manager.ts')
process.exit(await /** @type {Function} */ (benchManager)(process.argv.slice(2)))

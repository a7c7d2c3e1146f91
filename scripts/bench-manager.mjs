// `npm run bench:manager`: how long the server takes for the manager page of a busy account, beside one that has nothing.
import './node-version.mjs'
import './record-flag.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: true }))

const { runTs } = await import('./run-ts.mjs')
const { benchManager } = await runTs('packages/lab/bench/manager.ts')
process.exit(await /** @type {Function} */ (benchManager)(process.argv.slice(2)))

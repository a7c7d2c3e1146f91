// `npm run bench`: acks and forwards per second, latency, memory and bytes per event, compared with a bare handler.
import './node-version.mjs'
import './record-flag.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: true }))

const { bundleTs, runTs } = await import('./run-ts.mjs')
const [load, receivers, bare] = await Promise.all(
  ['load', 'receivers', 'bare'].map((name) => bundleTs(`packages/lab/bench/${name}.ts`)),
)
const { bench } = await runTs('packages/lab/bench/bench.ts')
process.exit(await /** @type {Function} */ (bench)({ load, receivers, bare }, process.argv.slice(2)))

// `npm run bench:open`: open loop, from a cold start and warm, beside the minimal loop. See packages/lab/bench/open.ts.
import './node-version.mjs'
import './record-flag.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: true }))

const { bundleTs, runTs } = await import('./run-ts.mjs')
const [openLoad, minimal] = await Promise.all(
  ['open-load', 'minimal'].map((name) => bundleTs(`packages/lab/bench/${name}.ts`)),
)
const { benchOpen } = await runTs('packages/lab/bench/open.ts')
process.exit(await /** @type {Function} */ (benchOpen)({ openLoad, minimal }, process.argv.slice(2)))

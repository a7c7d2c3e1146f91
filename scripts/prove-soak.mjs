// `npm run prove:soak`: half an hour of load and abuse at once; nothing may grow, and SIGTERM under load loses nothing.
// `-- --minutes 30 --rate 100 --seed S`; a short trial: `-- --minutes 0.5`
import './record-flag.mjs'
import { bundleTs, runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
const abuse = await bundleTs('packages/lab/soak/abuse.ts')
const { soak } = await runTs('packages/lab/soak/soak.ts')
await /** @type {Function} */ (soak)(abuse, process.argv.slice(2))

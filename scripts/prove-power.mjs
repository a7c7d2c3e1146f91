// `npm run prove:power`: cuts the power of the built server, losing unsynced data. No acknowledged event may be lost.
// `-- --rounds N --rate R --seed S`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
await runTs('packages/lab/power/power.ts')

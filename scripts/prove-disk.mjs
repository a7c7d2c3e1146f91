// `npm run prove:disk`: the built server on a full, a read-only, a failing and a slow disk: 503 and never a false 200.
// `-- --rounds N --rate R --seed S`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
await runTs('packages/lab/disk/disk.ts')

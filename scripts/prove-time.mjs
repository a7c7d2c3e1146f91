// `npm run prove:time`: 72 simulated hours of failures, holds, replays, restarts and overlaps, checked against a model.
// `-- --seeds 100 --from 1 --hours 72 --jobs 2`, `-- --seed 7`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: false }))
await runTs('packages/lab/time/time.ts')

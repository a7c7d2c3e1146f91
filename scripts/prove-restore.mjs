// `npm run prove:restore`: a backup of a big database under load, the drill, and a restore to an empty folder: seconds,
// sizes, memory, and the effect on event senders meanwhile. `-- --gib 1.1 --rate 50 --seed S`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
await runTs('packages/lab/restore/restore.ts')

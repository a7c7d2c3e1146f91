// `npm run prove:move`: an installation goes to PostgreSQL and back with `npm run move`: every row compared, moves ended
// by kill -9 in between, nothing sent until the release; seconds, MB/s and memory. `-- --events 1000000`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
await runTs('packages/lab/move/move.ts')

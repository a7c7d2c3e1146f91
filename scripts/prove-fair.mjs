// `npm run prove:fair`: shows, with figures, that no account waits for another account's broken server.
// `-- --seconds 20 --rate 300 --flood 10 --seed 1`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: false }))
await runTs('packages/lab/fair/fair.ts')

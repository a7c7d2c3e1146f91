// `npm run prove:listening`: simulated days in which customers answer: nobody is chased after it, every receipt is true.
// `-- --rounds N --seed S`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: false }))
await runTs('packages/lab/listening/listening.ts')

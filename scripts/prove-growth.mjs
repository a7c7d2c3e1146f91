// `npm run prove:growth`: checks that no text makes a function work longer, or keep more, than its length justifies.
// `-- --only phone`, `-- --few`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: false }))
await runTs('packages/lab/growth/growth.ts')

// `npm run prove:crash`: ends the built server without warning, over and over, and shows that nothing acknowledged is lost.
// `-- --rounds N --rate R --seed S`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
await runTs('packages/lab/crash/crash.ts')

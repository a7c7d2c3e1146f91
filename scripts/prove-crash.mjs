// `npm run prove:crash`: kills the built server again and again and shows that no acknowledged event is lost.
// `-- --rounds N --rate R --seed S`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
await runTs('packages/lab/crash/crash.ts')

// `npm run fuzz`: sends wrong input to every call of the built server and reports what broke. `-- --seed 1 --each 60`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
await runTs('packages/lab/fuzz/fuzz.ts')

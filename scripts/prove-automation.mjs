// `npm run prove:automation`: ends the process of 1,000 runs at every boundary: nothing sent twice, made twice or lost.
// `-- --rounds N --seed S`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: false }))
await runTs('packages/lab/automation/automation.ts')

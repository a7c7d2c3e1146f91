// `npm run prove:growth`: does any text make a function work longer, or keep more, than its length says? `-- --only phone`, `-- --few`.
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'

await runTs('packages/lab/growth/growth.ts')

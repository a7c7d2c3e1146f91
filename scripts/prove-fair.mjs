// `npm run prove:fair`: shows, with figures, that no account waits for another account's broken server.
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'

await runTs('packages/lab/fair/fair.ts')

// `npm run prove:fair`: shows, with figures, that nobody waits for somebody else's broken server.
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'

await runTs('packages/lab/fair/fair.ts')

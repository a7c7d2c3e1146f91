// `npm run prove:guard`: shows, with figures, that no user input makes this service connect to a private address.
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: false }))
await runTs('packages/lab/guard/guard.ts')

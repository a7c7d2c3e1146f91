// `npm run fuzz`: sends wrong input to every call of the built server and reports what broke.
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'

await runTs('packages/lab/fuzz/fuzz.ts')

// `npm run prove:time`: 72 simulated hours of failures, holds, replays, restarts and overlaps, checked against a model.
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'

await runTs('packages/lab/time/time.ts')

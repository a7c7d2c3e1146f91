// `npm run prove:time`: 72 hours of failures, holds, replays, restarts and overlaps in pretend time, against a model.
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'

await runTs('packages/lab/time/time.ts')

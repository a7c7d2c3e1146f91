// `npm run prove:image`: runs the Dockerfile's steps by hand on its Node, starts the result ten times, and loads pages
// for a minute under garbage collection. `-- --starts N --seconds N`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: false }))
await runTs('packages/lab/image/image.ts')

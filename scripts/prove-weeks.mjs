// `npm run prove:weeks`: weeks of a trade business in pretend time. `-- --weeks N --from SEED`
import './node-version.mjs'
import './record-flag.mjs'

const { orExplain, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: false }))
const { runTs } = await import('./run-ts.mjs')
await runTs('packages/lab/weeks/weeks.ts')

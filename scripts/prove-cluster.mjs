// `npm run prove:cluster`: three instances on one PostgreSQL, and what happens to them.
// `-- --scenario kill,pause,… --times N --minutes N --rate N --seed S`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
const { proveCluster } = await runTs('packages/lab/cluster/cluster.ts')
await /** @type {Function} */ (proveCluster)({ name: 'cluster', script: 'prove:cluster' })

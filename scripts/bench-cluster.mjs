// `npm run bench:cluster`: how fast three instances on one PostgreSQL are. `-- --minutes N --rate N --seed S`
import './record-flag.mjs'
import { runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
const { proveCluster } = await runTs('packages/lab/cluster/cluster.ts')
await /** @type {Function} */ (proveCluster)({ name: 'bench-cluster', script: 'bench:cluster' })

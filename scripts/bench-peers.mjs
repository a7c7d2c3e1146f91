// `npm run bench:peers`: the same job on Fieldhook, n8n and Node-RED. Installs the peers once in this user's cache
// (n8n: about 2 GB, minutes); reports a failed install, measures the rest. Options: packages/lab/bench/peers/peers.ts.
import './record-flag.mjs'
import './node-version.mjs'
import { join } from 'node:path'

const { orExplain, ROOT, setUp } = await import('./setup.mjs')
await orExplain(() => setUp({ build: true }))

const { bundleTs, runTs } = await import('./run-ts.mjs')
const { installPeer, PEERS } = await import('./peer-packages.mjs')
const [load, receivers] = await Promise.all(
  ['load', 'receivers'].map((name) => bundleTs(`packages/lab/bench/${name}.ts`)),
)
const { benchPeers } = await runTs('packages/lab/bench/peers/peers.ts')
process.exit(
  await /** @type {Function} */ (benchPeers)(
    {
      programs: { load, receivers },
      serveMain: join(ROOT, 'scripts/serve-main.mjs'),
      install: (/** @type {keyof typeof PEERS} */ name) => installPeer(PEERS[name], console.log),
    },
    process.argv.slice(2),
  ),
)

// `npm run prove:siege`: ten minutes of every known attack on availability at once, beside twenty ordinary accounts.
// `-- --seconds 600 --control <built folder of earlier code> --node <its Node>`; trial: `-- --seconds 30 --quiet 10`
import './record-flag.mjs'
import { bundleTs, runTs } from './run-ts.mjs'
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp({ build: true }))
const attack = await bundleTs('packages/lab/siege/attacker.ts')
const platform = await bundleTs('packages/lab/siege/platform.ts')
const { siege } = await runTs('packages/lab/siege/siege.ts')
await /** @type {Function} */ (siege)({ attack, platform }, process.argv.slice(2))

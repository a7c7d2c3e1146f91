// `npm run prove`: runs every proof and bench in sequence, each writing its figures to docs/proof/; then docs/proof.md.
// `-- --only crash,power`, `-- --skip mutate`, `-- --page` only writes the page, `-- --list` lists all with durations.
import './node-version.mjs'

const { orExplain, setUp, ROOT } = await import('./setup.mjs')
process.chdir(ROOT)
const { runTs } = await import('./run-ts.mjs')
const { prove } = await runTs('packages/lab/report/prove.ts')
const prepare = () => orExplain(() => setUp({ build: true }))
process.exit(await /** @type {Function} */ (prove)(process.argv.slice(2), prepare))

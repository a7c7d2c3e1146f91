// `npm run prove`: every proof and every bench, one after the other, each writing its figures to docs/proof/; then docs/proof.md.
// `-- --only crash,power`, `-- --skip mutate`, `-- --page` makes only the page, `-- --list` says what there is and how long it takes.
import './node-version.mjs'

const { orExplain, setUp, ROOT } = await import('./setup.mjs')
process.chdir(ROOT)
const { runTs } = await import('./run-ts.mjs')
const { prove } = await runTs('packages/lab/report/prove.ts')
const prepare = () => orExplain(() => setUp({ build: true }))
process.exit(await /** @type {Function} */ (prove)(process.argv.slice(2), prepare))

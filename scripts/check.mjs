// npm run check: types, lint, format, import law, unused code, house rules. All run, even after a failure.
import { refuseOptions } from './help.mjs'

refuseOptions()
const { orExplain, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  await setUp({ build: false })
  const { CHECKS, runCheck } = await import('./stages.mjs')
  // The checks are read-only, so they run in parallel: the types alone take as long as the others together.
  const failed = (await Promise.all(CHECKS.map(async (check) => ((await runCheck(check)) ? [] : [check.name])))).flat()
  console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`)
  process.exitCode = failed.length === 0 ? 0 : 1
})

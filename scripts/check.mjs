// npm run check: types, lint and format, import law, house rules, unit tests. All of them run, also after one failed.
import './node-version.mjs'

const { orExplain, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  await setUp({ build: false })
  const { CHECKS, runCheck, UNIT_CHECK } = await import('./stages.mjs')
  const failed = []
  for (const stage of [...CHECKS, UNIT_CHECK]) if (!(await runCheck(stage))) failed.push(stage.name)
  console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`)
  process.exitCode = failed.length === 0 ? 0 : 1
})

// npm run check: types, lint and format, import law, what nobody uses, house rules, unit tests. All of them run, also after one failed.
import './node-version.mjs'

const { orExplain, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  await setUp({ build: false })
  const { CHECKS, runCheck, UNIT_CHECK } = await import('./stages.mjs')
  // The checks read and change nothing: side by side, because the types alone take as long as the others together.
  const failed = (await Promise.all(CHECKS.map(async (check) => ((await runCheck(check)) ? [] : [check.name])))).flat()
  if (!(await runCheck(UNIT_CHECK))) failed.push(UNIT_CHECK.name)
  console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`)
  process.exitCode = failed.length === 0 ? 0 : 1
})

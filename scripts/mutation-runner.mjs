// Runs test files over and over in one process, for `npm run mutate`: loading the runner anew for each mutant would take longer
// than the tests. Started with a folder; told by messages what changed and what to run.
import { Writable } from 'node:stream'
import { createVitest } from 'vitest/node'

const [root = process.cwd()] = process.argv.slice(2)
process.chdir(root)

const vitest = await createVitest(
  'test',
  {
    root,
    watch: false,
    project: ['unit', 'dom'],
    maxWorkers: 1,
    pool: 'threads',
    reporters: [{}],
    cache: false,
    testTimeout: 15_000,
    hookTimeout: 15_000,
  },
  {},
  // What the tests print belongs to nobody here.
  { stdout: nowhere(), stderr: nowhere() },
)
await vitest.globTestSpecifications()

process.on('message', async (/** @type {{ changed: string[], tests: string[] }} */ { changed, tests }) => {
  try {
    for (const file of changed) vitest.invalidateFile(file)
    forgetOutcomes()
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(tests.map(specificationOf))
    const failed = testModules.filter((module) => !module.ok())
    process.send?.({
      passed: failed.length === 0 && unhandledErrors.length === 0,
      failed: failed.map(({ moduleId }) => moduleId),
      ran: testModules.length,
      why: failed[0] ? `${failed[0].state()} ${whyOf(failed[0])}` : String(unhandledErrors[0] ?? ''),
    })
  } catch (error) {
    process.send?.({ passed: false, failed: tests, ran: 0, why: String(error) })
  }
})
process.send?.({ ready: true })

/** Also of a file that no pattern names: a copy of a test. @param {string} file */
function specificationOf(file) {
  const project = vitest.projects.find(({ name }) => name === (file.endsWith('x') ? 'dom' : 'unit'))
  if (!project) throw new Error('the project of the tests is missing')
  return project.createSpecification(file)
}

/** What was found for the mutant before must not be taken for this one's. */
function forgetOutcomes() {
  vitest.state.clearErrors()
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
}

/** @param {import('vitest/node').TestModule} module */
function whyOf(module) {
  for (const test of module.children.allTests('failed'))
    return `${test.fullName}: ${test.result().errors?.[0]?.message ?? ''}`
  return module.errors()[0]?.message ?? 'it could not be loaded'
}

function nowhere() {
  return new Writable({ write: (_text, _encoding, done) => done() })
}

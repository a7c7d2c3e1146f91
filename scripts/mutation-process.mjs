// The process that runs the tests of one mutant after the other, for `npm run mutate`.
import { fork } from 'node:child_process'
import { join } from 'node:path'

/** @typedef {{ passed: boolean, failed: string[], ran: number, why: string }} Outcome */

/**
 * A process that runs tests; ended and started again when a fault keeps it from answering.
 *
 * @param {string} folder
 */
export function testRunner(folder) {
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null

  async function started() {
    if (child) return child
    const env = /** @type {NodeJS.ProcessEnv} */ ({ ...process.env, NODE_ENV: 'test', NO_COLOR: '1' })
    const fresh = fork(join(folder, 'scripts/mutation-runner.mjs'), [folder], {
      cwd: folder,
      env,
      // A fault may make Node itself complain at length.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: process.platform !== 'win32',
    })
    child = fresh
    fresh.once('exit', () => {
      if (child === fresh) child = null
    })
    await new Promise((ready, failed) => {
      fresh.once('message', ready)
      fresh.once('exit', (code) => failed(new Error(`the test runner ended with ${code}`)))
    })
    return fresh
  }

  /** With all its workers. */
  function end() {
    const ending = child
    child = null
    if (!ending?.pid) return
    try {
      process.kill(process.platform === 'win32' ? ending.pid : -ending.pid, 'SIGKILL')
    } catch {
      // Already gone.
    }
  }

  process.on('exit', end)
  return {
    /** @param {string[]} changed @param {string[]} tests @param {number} patience @returns {Promise<Outcome | 'too slow'>} */
    async run(changed, tests, patience) {
      const asked = await started()
      return new Promise((answer) => {
        const done = (/** @type {Outcome | 'too slow'} */ outcome) => {
          clearTimeout(timer)
          asked.off('message', hear)
          asked.off('exit', gone)
          answer(outcome)
        }
        const hear = (/** @type {any} */ outcome) => done(outcome)
        // A fault may end the whole process: that is noticed too.
        const gone = () => done({ passed: false, failed: [], ran: 0, why: 'the runner ended' })
        const timer = setTimeout(() => {
          end()
          done('too slow')
        }, patience)
        asked.once('message', hear)
        asked.once('exit', gone)
        asked.send({ changed, tests })
      })
    },
    async stop() {
      end()
    },
  }
}

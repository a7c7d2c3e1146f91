// Real processes with short limits: what hangs is ended and says where, what works is left alone.
import { spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { STANDSTILL_EXIT_CODE } from '../../scripts/watchdog.mjs'

const MODULE = pathToFileURL('scripts/watchdog.mjs').href
const LIMITS = '{ tickMs: 50, blockedAfterMs: 600, silentAfterMs: 800, patienceMs: 1_500 }'
/** Long enough for every limit above to be passed. */
const A_WHILE = 1_200

interface Ended {
  code: number | null
  signal: string | null
  said: string
}

/** Runs a program that begins to watch, and then does `rest`. `seen` is told what it prints, to act on it. */
function ran(turns: string, rest: string, seen: (said: string, pid: number) => void = () => {}): Promise<Ended> {
  const program = `import { execFileSync } from 'node:child_process'
    import { watchOver } from ${JSON.stringify(MODULE)}
    let turns = 0, asked = 0
    setInterval(() => { turns++ }, 10)
    const watchdog = watchOver(() => (${turns}), ${LIMITS})
    ${rest}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += String(chunk)
      seen(said, child.pid ?? 0)
    })
  }
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, said }))
  })
}

test('a process that hangs is ended with a code of its own and a line that says where', async () => {
  const [blocked, native, silent] = await Promise.all([
    ran('{ scheduler: turns }', 'setTimeout(function hangs() { for (;;); }, 50)'),
    ran('{ scheduler: turns }', "setTimeout(() => execFileSync('sleep', ['4']), 50)"),
    ran('{ scheduler: turns, deliveries: 5 }', ''),
  ])
  expect(blocked.code).toBe(STANDSTILL_EXIT_CODE)
  expect(blocked.said).toContain('"msg":"watchdog.blocked"')
  expect(blocked.said).toMatch(/"reason":"hangs .*"msg":"watchdog\.blocked_at"/)
  expect(native).toMatchObject({ code: null, signal: 'SIGKILL' })
  expect(native.said).toContain('"msg":"watchdog.killed"')
  expect(silent.code).toBe(STANDSTILL_EXIT_CODE)
  expect(silent.said).toContain('\\"deliveries\\" gave no sign of life')
  expect(silent.said).not.toContain('watchdog.blocked')
})

test('what works is left alone, also after it was stopped for a while, and when the watchdog itself was', async () => {
  const lives = `setTimeout(() => process.exit(0), ${A_WHILE})`
  const [healthy, continued, unwatched, held] = await Promise.all([
    ran('{ scheduler: turns }', lives),
    ran(
      '{ scheduler: turns }',
      `console.log('begun'); setTimeout(() => process.exit(0), ${A_WHILE / 2})`,
      (said, pid) => {
        if (said !== 'begun\n') return
        process.kill(pid, 'SIGSTOP')
        setTimeout(() => process.kill(pid, 'SIGCONT'), A_WHILE)
      },
    ),
    ran('{ scheduler: 1 }', `await watchdog.stop(); ${lives}`),
    // A loop that is not named is not watched, and is watched anew when it comes back. Counted in ticks: on a busy machine
    // turns take longer.
    ran('asked++ % 12 < 6 ? { scheduler: turns, runs: 0 } : { scheduler: turns }', lives),
  ])
  const fine = { code: 0, signal: null, said: '' }
  expect([healthy, unwatched, held]).toEqual([fine, fine, fine])
  expect(continued).toEqual({ ...fine, said: 'begun\n' })
})

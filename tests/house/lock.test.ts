import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isAlive, markOf, withLock } from '../../scripts/lock.mjs'

const LOCK_MODULE = new URL('../../scripts/lock.mjs', import.meta.url).href
const quiet = () => {}

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-lock-'))
  file = join(folder, '.cache/setup.lock')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Another process that runs `work` (source text) with the lock; gives its lines as they come. */
function otherProcess(work: string) {
  const source = `import { appendFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { withLock } from ${JSON.stringify(LOCK_MODULE)}
const file = ${JSON.stringify(file)}
const say = (line) => console.log(line)
await withLock(file, async (recordChild) => { ${work} }, say)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  return {
    child,
    ended: new Promise<number | null>((resolve) => child.on('exit', resolve)),
    said: async (text: RegExp) => {
      while (!text.test(said)) await pause(10)
      return text.exec(said)?.[1] ?? ''
    },
  }
}

test('gives back what the work gives and leaves no lock behind', async () => {
  expect(await withLock(file, async () => 'done', quiet)).toBe('done')
  expect(existsSync(file)).toBe(false)
})

test('leaves no lock behind when the work fails', async () => {
  await expect(withLock(file, () => Promise.reject(new Error('no network')), quiet)).rejects.toThrow('no network')
  expect(existsSync(file)).toBe(false)
})

test('five processes take turns and never overlap', async () => {
  const diary = join(folder, 'diary')
  const note = (word: string) => `appendFileSync(${JSON.stringify(diary)}, '${word}\\n')`
  const others = Array.from({ length: 5 }, () => otherProcess(`${note('in')}; await pause(30); ${note('out')}`))
  expect(await Promise.all(others.map((each) => each.ended))).toEqual([0, 0, 0, 0, 0])
  expect(readFileSync(diary, 'utf8')).toBe('in\nout\n'.repeat(5))
})

test('a waiter says whom it waits for, and takes over when the holder is killed', async () => {
  const holder = otherProcess("say('holding'); await pause(60_000)")
  await holder.said(/holding/)
  const lines: string[] = []
  const mine = withLock(
    file,
    async () => 'mine',
    (line) => lines.push(line),
  )
  while (lines.length === 0) await pause(10)
  expect(lines[0]).toContain(`process ${holder.child.pid}`)
  holder.child.kill('SIGKILL')
  expect(await mine).toBe('mine')
})

test("a killed holder's install is ended before anybody else begins", async () => {
  const holder = otherProcess(
    "const install = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }); recordChild(install.pid); say('left ' + install.pid); await pause(60_000)",
  )
  const orphan = markOf(Number(await holder.said(/left (\d+)/)))
  holder.child.kill('SIGKILL')
  await holder.ended
  expect(isAlive(orphan)).toBe(true)
  const lines: string[] = []
  const wasGone = await withLock(
    file,
    async () => !isAlive(orphan),
    (line) => lines.push(line),
  )
  expect(wasGone).toBe(true)
  expect(lines.join()).toContain('cut off')
})

test('a process number that was used again is not taken for the holder', async () => {
  await withLock(
    file,
    async () => {
      const lock = JSON.parse(readFileSync(file, 'utf8'))
      expect(isAlive(lock.holder)).toBe(true)
      expect(isAlive({ ...lock.holder, since: 'another boot 1' })).toBe(false)
    },
    quiet,
  )
})

test('a lock file that a crash left empty is taken over once it is old', async () => {
  await withLock(file, async () => {}, quiet)
  writeFileSync(file, '')
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(file, longAgo, longAgo)
  expect(await withLock(file, async () => 'mine', quiet)).toBe('mine')
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isLongerThan } from '#app/lib/apart.ts'
import { asCaller } from '#app/lib/caller.server.ts'
import { createWorkApart, type RunningWorkApart, type WorkApartOptions } from './work-apart.server.ts'

/** What the thread really does; the main thread's own table tells when work was done at once. */
const THREAD = `
import { parentPort } from 'node:worker_threads'
const table = {
  echo: (text) => 'apart: ' + text.trim(),
  spin: () => { for (;;); },
  burn: (text, ms) => { const until = performance.now() + ms; while (performance.now() < until); return text.trim() },
  fail: () => { throw new TypeError('wrong') },
  fill: () => { const kept = []; for (;;) kept.push(new Array(10_000).fill(kept.length)) },
  leave: () => process.exit(3),
  sleep: (text, ms) => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms); return text.trim() },
}
parentPort.on('message', ({ name, given }) => {
  const began = performance.now()
  const cost = () => ({ ms: performance.now() - began, spent: spent() })
  try { const value = table[name](...given); parentPort.postMessage({ kind: 'done', value, ...cost() }) }
  catch (error) { parentPort.postMessage({ kind: 'failed', error, ...cost() }) }
})
function spent() { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000 }
parentPort.postMessage({ kind: 'ready', spent: spent() })
`
const TABLE = {
  echo: (text: string) => `at once: ${text.trim()}`,
  spin: (text: string) => text,
  burn: (text: string, _ms: number) => text,
  fail: (text: string) => text,
  fill: (text: string) => text,
  leave: (text: string) => text,
  sleep: (text: string, _ms: number) => text,
}
const long = (text: string) => text.padEnd(5_000)

let folder: string
let file: string
let apart: RunningWorkApart<typeof TABLE>
let ended: string[]
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apart-'))
  file = join(folder, 'thread.mjs')
  writeFileSync(file, THREAD)
})
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => apart.stop())

function begin(options: Partial<WorkApartOptions> = {}) {
  ended = []
  apart = createWorkApart(TABLE, { file, onEnd: (how) => ended.push(how), ...options })
  return apart
}

describe('where work is done', () => {
  it('is the main thread for what is small, and a thread of its own for what is long', async () => {
    begin()
    expect(await apart.do('echo', 'a', 'short')).toEqual({ outcome: 'done', value: 'at once: short' })
    expect(await apart.do('echo', 'a', long('much'))).toEqual({ outcome: 'done', value: 'apart: much' })
    expect(ended).toEqual(['done'])
  })

  it('is the main thread for everything where there is no other', async () => {
    begin({ file: null })
    expect(await apart.do('echo', 'a', long('much'))).toEqual({ outcome: 'done', value: 'at once: much' })
  })

  it('goes by all that was sent, wherever in it the text stands', () => {
    expect(isLongerThan(100, { a: [{ b: 'x'.repeat(60) }, 'y'.repeat(60)] })).toBe(true)
    expect(isLongerThan(100, { a: ['x'.repeat(60)] })).toBe(false)
  })
})

describe('work that goes on too long', () => {
  it('is counted in processor time: what waits for a processor is let be, but not for ever', async () => {
    begin({ deadlineMs: 150 })
    await apart.do('echo', 'a', long('the thread has begun'))
    expect(await apart.do('sleep', 'a', long('much'), 400)).toEqual({ outcome: 'done', value: 'much' })
    const began = performance.now()
    expect(await apart.do('sleep', 'a', long('much'), 5_000)).toEqual({ outcome: 'too_long' })
    expect(performance.now() - began).toBeLessThan(3_000)
  })

  it('is ended by its deadline, while the main thread goes on, and the next is done', async () => {
    begin({ deadlineMs: 150 })
    let turns = 0
    const ticking = setInterval(() => turns++, 5)
    const stuck = apart.do('spin', 'a', long('never'))
    const next = apart.do('echo', 'b', long('next'))
    expect(await stuck).toEqual({ outcome: 'too_long' })
    clearInterval(ticking)
    expect(turns).toBeGreaterThan(10)
    expect(await next).toEqual({ outcome: 'done', value: 'apart: next' })
    expect(ended).toEqual(['too_long', 'done'])
  })

  it('is ended when it fills its memory, and the next is done', async () => {
    begin({ memoryMb: 16, deadlineMs: 8_000 })
    expect(await apart.do('fill', 'a', long('much'))).toEqual({ outcome: 'too_long' })
    expect(await apart.do('echo', 'a', long('next'))).toEqual({ outcome: 'done', value: 'apart: next' })
  })
})

describe('a fault', () => {
  it('of the work is thrown, and the thread goes on', async () => {
    begin()
    await expect(apart.do('fail', 'a', long('x'))).rejects.toThrow('wrong')
    expect(await apart.do('echo', 'a', long('next'))).toEqual({ outcome: 'done', value: 'apart: next' })
    expect(ended).toEqual(['failed', 'done'])
  })

  it('of the thread is thrown for the work it had, and another thread does the next', async () => {
    begin()
    const left = apart.do('leave', 'a', long('x'))
    const next = apart.do('echo', 'a', long('next'))
    await expect(left).rejects.toThrow('ended with 3')
    expect(await next).toEqual({ outcome: 'done', value: 'apart: next' })
  })
})

describe('turns', () => {
  it('go round the accounts, however much one of them has waiting', async () => {
    begin({ mostOfOne: 10 })
    const order: string[] = []
    const job = (of: string) => apart.do('burn', of, long(of), 5).then(() => order.push(of))
    const all = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(job)
    expect(apart.waiting()).toBe(6)
    await Promise.all(all)
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a'])
  })

  it('are refused past what one account may have waiting, for that one only', async () => {
    begin({ mostOfOne: 2, deadlineMs: 1_500 })
    const jobs = [1, 2, 3].map(() => apart.do('burn', 'a', long('x'), 5))
    expect(await apart.do('echo', 'a', long('one more'))).toEqual({ outcome: 'busy', retryAfterMs: 1_500 })
    expect(await apart.do('echo', 'b', long('other'))).toEqual({ outcome: 'done', value: 'apart: other' })
    expect((await Promise.all(jobs)).map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done'])
  })

  it('are refused past what all may have waiting', async () => {
    begin({ most: 2 })
    const jobs = ['a', 'b', 'c'].map((of) => apart.do('burn', of, long('x'), 5))
    expect(await apart.do('echo', 'd', long('x'))).toMatchObject({ outcome: 'busy' })
    await Promise.all(jobs)
  })
})

it('is paid for by whoever asked', async () => {
  begin({ deadlineMs: 150 })
  const meter = { ms: 0, account: null }
  await asCaller('192.0.2.1', () => apart.do('burn', 'a', long('x'), 40), meter)
  expect(meter.ms).toBeGreaterThan(39)
  await asCaller('192.0.2.1', () => apart.do('spin', 'a', long('x')), meter)
  expect(meter.ms).toBeGreaterThan(189)
})

describe('stopping', () => {
  it('ends the work under way, refuses what waits and what comes', async () => {
    begin()
    const jobs = [apart.do('spin', 'a', long('x')), apart.do('echo', 'b', long('x'))]
    await apart.stop()
    expect((await Promise.all(jobs)).map(({ outcome }) => outcome)).toEqual(['busy', 'busy'])
    expect(await apart.do('echo', 'a', long('x'))).toMatchObject({ outcome: 'busy' })
    expect(await apart.do('echo', 'a', 'short')).toEqual({ outcome: 'done', value: 'at once: short' })
  })

  it('of an idle thread gives its memory back; the next work begins another', async () => {
    begin({ idleMs: 20 })
    await apart.do('echo', 'a', long('x'))
    await new Promise((done) => setTimeout(done, 100))
    expect(await apart.do('echo', 'a', long('again'))).toEqual({ outcome: 'done', value: 'apart: again' })
  })
})

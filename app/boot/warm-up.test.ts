import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '#app/lib/clocks.server.ts'
import { QUIET, TEST_SETTINGS } from '#tests/support/test-app.server.ts'
import { startApp } from './boot.server.ts'
import { readEnv } from './env.server.ts'
import { warmUp } from './warm-up.server.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-warm-test-'))
  vi.stubEnv('TMPDIR', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const input = (given: Partial<Parameters<typeof warmUp>[0]> = {}) => ({
  clock: systemClock(),
  log: QUIET,
  settings: TEST_SETTINGS,
  migrationsFolder: 'db/migrations',
  signal: new AbortController().signal,
  pace: { lasts: 1_000, rest: 0 },
  ...given,
})

// How many it sends in its time depends on the machine.
test('sends many events through, and leaves nothing behind', async () => {
  expect(await warmUp(input())).toBeGreaterThan(10)
  expect(readdirSync(folder)).toEqual([])
})

test('rests between events where others work meanwhile', async () => {
  const events = await warmUp(input({ pace: { lasts: 500, rest: 60 } }))
  expect(events).toBeGreaterThan(10)
  expect(events).toBeLessThanOrEqual(16 * Math.ceil(500 / 60))
})

test('ends soon when the process ends', async () => {
  const began = performance.now()
  await warmUp(input({ signal: AbortSignal.abort() }))
  expect(performance.now() - began).toBeLessThan(900)
})

test('that fails is told, leaves nothing, and stops nothing', async () => {
  const warn = vi.fn()
  expect(await warmUp(input({ migrationsFolder: '/nowhere', log: { ...QUIET, warn } }))).toBe(0)
  expect(warn).toHaveBeenCalledWith(expect.anything(), 'process.not_warm')
  expect(readdirSync(folder)).toEqual([])
})

test('readiness waits for it, and the product knows nothing of its events', async () => {
  const env = readEnv({
    DATABASE_URL: `file:${join(folder, 'data', 'fieldhook.db')}`,
    LOG_LEVEL: 'silent',
    WARM_UP: 'yes',
  })
  const running = await startApp({ env })
  running.started()
  const { app } = running
  expect(await app.ready()).toMatchObject({ ready: false, reasons: expect.arrayContaining(['warming up']) })
  await expect.poll(async () => (await app.ready()).ready, { timeout: 8_000 }).toBe(true)
  expect(await app.store.accounts.findAccount('00000000-0000-4000-8000-000000000000')).toBeNull()
  expect(await app.store.deliveries.waitingTotals()).toEqual({ deliveries: 0, bytes: 0 })
  running.beginDrain()
  await running.stop()
})

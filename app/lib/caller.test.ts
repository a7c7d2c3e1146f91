import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, expect, test, vi } from 'vitest'
import { asCaller, currentCaller, noteProved } from './caller.server.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const OWN = [{ accountUuid: 'a', staffUuid: null }]

test('work that nobody asked for has no caller', () => {
  noteProved(OWN)
  expect(currentCaller()).toBeNull()
})

test('the caller is known wherever the work of the request goes on, and in no other request', async () => {
  const seen = await Promise.all(
    ['192.0.2.1', '192.0.2.2'].map((ip) =>
      asCaller(ip, async () => {
        await new Promise((resolve) => setImmediate(resolve))
        if (ip === '192.0.2.1') noteProved(OWN)
        await Promise.resolve()
        return currentCaller()
      }),
    ),
  )
  expect(seen).toEqual([
    { ip: '192.0.2.1', accounts: OWN },
    { ip: '192.0.2.2', accounts: [] },
  ])
  expect(currentCaller()).toBeNull()
})

test('a request within a request is still the first one’s', () => {
  const ip = asCaller('192.0.2.1', () => asCaller('192.0.2.2', () => currentCaller()?.ip))
  expect(ip).toBe('192.0.2.1')
})

test('a failure of the work is the work’s own', async () => {
  await expect(asCaller('192.0.2.1', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('nobody is followed half a minute after the last request, and everybody again from the next one on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const letGo = vi.spyOn(AsyncLocalStorage.prototype, 'disable')
  let goOn = () => {}
  let answered = () => {}
  const first = asCaller('192.0.2.1', () => {
    const late = new Promise<void>((resolve) => {
      goOn = resolve
    }).then(currentCaller)
    return new Promise<void>((resolve) => {
      answered = resolve
    }).then(() => ({ late }))
  })
  // As long as it takes, the request is followed …
  vi.advanceTimersByTime(600_000)
  const second = asCaller('192.0.2.2', async () => currentCaller()?.ip)
  expect(await second).toBe('192.0.2.2')
  answered()
  const { late } = await first
  // … and for a moment longer, for what its caller did not wait for.
  vi.advanceTimersByTime(29_000)
  goOn()
  expect(await late).toMatchObject({ ip: '192.0.2.1' })

  expect(letGo).not.toHaveBeenCalled()
  vi.advanceTimersByTime(30_000)
  expect(letGo).toHaveBeenCalledOnce()
  expect(asCaller('192.0.2.4', () => currentCaller()?.ip)).toBe('192.0.2.4')
  expect(await asCaller('192.0.2.5', async () => currentCaller()?.ip)).toBe('192.0.2.5')
})

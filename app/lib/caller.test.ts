import { expect, test } from 'vitest'
import { asCaller, currentCaller, noteProved } from './caller.server.ts'

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

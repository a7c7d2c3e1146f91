import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#app/lib/clocks.server.ts'
import { watchConnectionAttempts } from '#tests/support/guard-trial.server.ts'
import {
  type HostileBehaviour,
  type HostileReceivers,
  startHostileReceivers,
} from '#tests/support/hostile-receivers.server.ts'
import { createOutbound } from './outbound.server.ts'
import type { Outbound } from './outbound.ts'

let zoo: HostileReceivers
let outbound: Outbound

beforeAll(async () => {
  zoo = await startHostileReceivers()
  outbound = guarded(zoo.hostPorts)
})
afterAll(async () => {
  await outbound.close()
  await zoo.close()
})

function guarded(egressAllow: readonly string[]): Outbound {
  return createOutbound({
    clock: systemClock(),
    selfHosts: ['addon.self.test'],
    egressAllow,
    limits: { connectMs: 500 },
    trustedCa: [zoo.authority],
  })
}

test.each<[HostileBehaviour, boolean]>([
  ['ok', true],
  ['tls-ok', true],
  ['never-answers', true],
  ['refuses', false],
  ['tls-expired', false],
  ['tls-silent', false],
])('a knock at an address that is "%s": %s', async (behaviour, connects) => {
  expect(await outbound.knock(zoo.url(behaviour))).toBe(connects)
})

test('a refused address is not dialled, nor is any by a process that ends', async () => {
  const strict = guarded([])
  const ended = guarded(zoo.hostPorts)
  await ended.close()
  const spy = watchConnectionAttempts()
  expect(await strict.knock(zoo.url('ok'))).toBe(false)
  expect(await strict.knock('http://[::1]:1/')).toBe(false)
  expect(await ended.knock(zoo.url('ok'))).toBe(false)
  spy.stop()
  expect(spy.attempts).toEqual([])
  await strict.close()
})

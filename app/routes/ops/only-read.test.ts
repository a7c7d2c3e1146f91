import { expect, test } from 'vitest'
import { action as healthz } from './healthz.ts'
import { action as readyz } from './readyz.ts'
import { action as securityText } from './security-text.ts'

test.each([healthz, readyz, securityText])('an address that is only read says so to a POST', async (action) => {
  const answer = action()
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  expect(await answer.json()).toEqual({ message: 'This address takes GET.' })
})

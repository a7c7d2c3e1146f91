import { describe, expect, it } from 'vitest'
import { missingScopes, permissionsSentence } from './permissions.ts'

const CONNECTED = { state: 'connected', scope: 'vendor read_jobs', stateReason: null } as const

describe('the permissions to ask for again', () => {
  it('are those we want and were not granted', () => {
    expect(missingScopes(CONNECTED, ['vendor', 'read_jobs'])).toEqual([])
    expect(missingScopes(CONNECTED, ['vendor', 'read_jobs', 'publish_sms'])).toEqual(['publish_sms'])
  })

  it('are those that ServiceM8 refused since, granted or not, each named once', () => {
    const refused = { ...CONNECTED, stateReason: 'read_jobs publish_sms' }
    expect(missingScopes(refused, ['vendor', 'publish_sms'])).toEqual(['publish_sms', 'read_jobs'])
  })

  it('are not guessed when nobody knows what was granted, and not told of a lost connection', () => {
    expect(missingScopes({ ...CONNECTED, scope: '' }, ['vendor'])).toEqual([])
    expect(missingScopes({ state: 'reconnect', scope: 'vendor', stateReason: 'It was revoked.' }, ['x'])).toEqual([])
  })
})

it('names a few of many', () => {
  expect(permissionsSentence(['a', 'b'])).toBe('Fieldhook needs a, b. Reconnect and allow all permissions.')
  expect(permissionsSentence(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])).toContain('f, 2 more.')
})

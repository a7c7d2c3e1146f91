import { expect, test } from 'vitest'
import { placesOf } from './places.ts'

const ACCOUNT = { accountUUID: 'account-1', admin: false }
const currentAt = (path: string) =>
  placesOf(ACCOUNT, path)
    .filter(({ current }) => current)
    .map(({ words }) => words)

test('the same five places on every page, for the account and the role of the page', () => {
  expect(placesOf({ ...ACCOUNT, admin: true }, '/').map(({ words, to }) => [words, to])).toEqual([
    ['Webhooks', '/fieldhook?accountUUID=account-1&admin=yes'],
    ['Automations', '/automation?accountUUID=account-1&admin=yes'],
    ['History', '/automation/runs?accountUUID=account-1&admin=yes'],
    ['Subscription', '/subscription?accountUUID=account-1&admin=yes'],
    ['Account', '/account?accountUUID=account-1&admin=yes'],
  ])
})

test.each([
  ['/', 'Webhooks'],
  ['/fieldhook', 'Webhooks'],
  ['/deliveries/7', 'Webhooks'],
  ['/webhook-activity', 'Webhooks'],
  ['/automation', 'Automations'],
  ['/automation/settings', 'Automations'],
  ['/automation/templates/16', 'Automations'],
  ['/automation/runs', 'History'],
  ['/automation/runs/7', 'History'],
  ['/subscription', 'Subscription'],
  ['/account', 'Account'],
])('%s belongs to %s alone', (path, place) => {
  expect(currentAt(path)).toEqual([place])
})

test('the page of the operator belongs to none', () => {
  expect(currentAt('/operator')).toEqual([])
})

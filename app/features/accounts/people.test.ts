import { expect, test } from 'vitest'
import { FRESH_FOR, type OwnerAct, ownerActRefusal } from './people.ts'

const NOW = 1_800_000_000_000
const FRESH = { role: 'owner', staffUuid: 'elin', provedAt: NOW } as const
const STALE = { ...FRESH, provedAt: NOW - FRESH_FOR } as const
const MEMBER = { ...FRESH, role: 'member' } as const

test.each<OwnerAct>(['pay', 'roles', 'export', 'erase', 'keys', 'end_all'])('%s is for owners', (act) => {
  expect(ownerActRefusal(act, FRESH, NOW)).toBeNull()
  expect(ownerActRefusal(act, MEMBER, NOW)).toBe('owner')
  expect(ownerActRefusal(act, { ...MEMBER, staffUuid: null }, NOW)).toBe('unnamed')
})

test.each<OwnerAct>(['roles', 'export', 'erase', 'keys', 'end_all'])(
  '%s wants an opening of the last 10 minutes',
  (act) => {
    expect(ownerActRefusal(act, STALE, NOW)).toBe('fresh')
    expect(ownerActRefusal(act, { ...STALE, provedAt: STALE.provedAt + 1 }, NOW)).toBeNull()
  },
)

test('paying does not: the card asks by itself', () => {
  expect(ownerActRefusal('pay', STALE, NOW)).toBeNull()
})

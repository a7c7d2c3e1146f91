import { expect, test } from 'vitest'
import { FRESH_FOR, OWNER_ACT_TEXTS, type OwnerAct, ownerActRefusal, ownerNote } from './people.ts'

const NOW = 1_800_000_000_000
const FRESH = { role: 'owner', staffUuid: 'elin', freshAt: NOW } as const
const STALE = { ...FRESH, freshAt: NOW - FRESH_FOR } as const
const MEMBER = { ...FRESH, role: 'member' } as const

test.each<OwnerAct>(['pay', 'roles', 'export', 'erase', 'keys', 'end_all'])('%s is for owners', (act) => {
  expect(ownerActRefusal(act, FRESH, NOW)).toBeNull()
  expect(ownerActRefusal(act, MEMBER, NOW)).toBe('owner')
  expect(ownerActRefusal(act, { ...MEMBER, staffUuid: null }, NOW)).toBe('unnamed')
})

test.each<OwnerAct>(['roles', 'export', 'erase', 'keys', 'end_all'])(
  '%s wants an opening or a sign-in of the last 10 minutes',
  (act) => {
    expect(ownerActRefusal(act, STALE, NOW)).toBe('fresh')
    expect(ownerActRefusal(act, { ...STALE, freshAt: STALE.freshAt + 1 }, NOW)).toBeNull()
  },
)

test('paying does not: the card asks by itself', () => {
  expect(ownerActRefusal('pay', STALE, NOW)).toBeNull()
})

test('no sentence is longer than twelve words', () => {
  const notes = (['owner', 'unnamed', 'fresh'] as const).map((refusal) =>
    ownerNote({ refusal, owners: [] }, 'make a new signing secret'),
  )
  const texts = [...Object.values(OWNER_ACT_TEXTS).flatMap(({ title, description }) => [title, description]), ...notes]
  const sentences = texts.flatMap((text) => (text ?? '').split(/(?<=\.) /))
  expect(sentences.filter((sentence) => sentence.split(' ').length > 12)).toEqual([])
})

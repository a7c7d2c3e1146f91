import { describe, expect, test } from 'vitest'
import { type EndpointKey, keyOf, refOf } from '#app/domain/endpoint-key.ts'
import { sampleRule } from '#tests/support/sample-views.ts'
import { foldRules, WHOLE_CARDS } from './endpoint-status.ts'
import type { WebhookStatus } from './endpoint-view.ts'

const rules = (count: number, statusOf: (n: number) => WebhookStatus = () => 'working') =>
  Array.from({ length: count }, (_, index) => ({
    view: sampleRule({ id: keyOf({ kind: 'extra', id: index + 1 }), status: statusOf(index + 1) }),
  }))
const ids = (cards: { view: { id: EndpointKey } }[]) => cards.map(({ view }) => refOf(view.id).id)

describe('the rules of an account', () => {
  test('have their whole cards while they are few', () => {
    expect(foldRules(rules(WHOLE_CARDS), null)).toMatchObject({ whole: { length: WHOLE_CARDS }, lines: [] })
  })

  test('are lines when they are many, except for the open one and those that need somebody', () => {
    const folded = foldRules(
      rules(1_000, (n) => (n === 7 ? 'failing' : n === 900 ? 'stopped' : n === 8 ? 'paused' : 'working')),
      keyOf({ kind: 'extra', id: 500 }),
    )
    expect(ids(folded.whole)).toEqual([7, 500, 900])
    expect(folded.lines).toHaveLength(997)
    expect(folded.lines[0]).toEqual({
      id: 'rule-1',
      kind: 'extra',
      name: 'Accounting',
      label: 'Job',
      callbackUrl: 'https://accounts.example.com/in',
      status: 'working',
    })
  })

  test('stay a page when a thousand fail at once', () => {
    const folded = foldRules(
      rules(1_000, () => 'failing'),
      keyOf({ kind: 'extra', id: 999 }),
    )
    expect(folded.whole).toHaveLength(WHOLE_CARDS + 1)
    expect(folded.lines).toHaveLength(1_000 - WHOLE_CARDS - 1)
  })

  test('keep the card of one that only a press can start, however many fail before it', () => {
    expect(
      ids(
        foldRules(
          rules(40, (n) => (n === 40 ? 'stopped' : 'failing')),
          null,
        ).whole,
      ),
    ).toContain(40)
  })

  test('are all there, whichever card is named', () => {
    for (const opened of [null, 3, keyOf({ kind: 'extra', id: 2 }), keyOf({ kind: 'extra', id: 4_000 })] as const) {
      const { whole, lines } = foldRules(rules(30), opened)
      expect(whole.length + lines.length).toBe(30)
    }
  })
})

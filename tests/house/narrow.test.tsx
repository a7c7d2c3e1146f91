// A text that is cut at its end is never wider than its place. A browser looks at some pages (tests/e2e/narrow.spec.ts);
// this looks at the classes, in states that would take long to reach there.
import { cleanup } from '@testing-library/react'
import type { ReactElement } from 'react'
import { afterEach, expect, test } from 'vitest'
import { renderPage } from '#tests/support/page-stub.tsx'
import { sampleRule } from '#tests/support/sample-views.ts'
import * as scenes from '#tests/support/sentence-scenes.tsx'

afterEach(cleanup)

const BOUNDED = /^(absolute|sr-only|truncate|overflow-hidden|min-w-0|(max-)?w-[\d[].*|max-w-full)$/

/** Grids that grow with a text that should be cut: without a column of their own they are as wide as it is whole. */
function grown(root: Element): string[] {
  return [...root.querySelectorAll('.truncate')].flatMap((text) => {
    for (let item = text; item.parentElement !== null; item = item.parentElement) {
      const { classList, className } = item.parentElement
      if (!classList.contains('grid')) continue
      if ([...classList].some((name) => name.startsWith('grid-cols-'))) return []
      if (![...item.classList].some((name) => BOUNDED.test(name))) return [`${className}: ${text.textContent}`]
    }
    return []
  })
}

const line = { id: 'rule-9', kind: 'extra', name: 'Far', label: 'Job', status: 'failing' } as const
const ruleLines = [{ ...line, callbackUrl: 'https://hooks.example.com/catch/a-long-address-of-one-word' }]

test.each<[string, () => ReactElement]>([
  ['the webhook manager with many rules', () => scenes.manager({ rules: [sampleRule()], ruleLines })],
  ['an open card', () => scenes.manager({ step: { step: 'card', webhookId: 1 } })],
  ['the automations', scenes.automations],
  ['Find a delivery', scenes.search],
  ['the activity', scenes.activity],
  ['the history', scenes.history],
  ['who did what', scenes.audit],
])('on a phone, a long text does not widen %s', (_, page) => {
  const { container } = renderPage({ at: '/', page })
  expect(grown(container)).toEqual([])
})

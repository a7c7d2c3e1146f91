import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { PollState } from '#app/domain/polling.ts'
import { minutes } from '#app/lib/duration.ts'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { renderPage } from '#tests/support/page-stub.tsx'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import { PollingFacts } from './polling-facts.tsx'

function renderFacts(over: Partial<PollState> = {}) {
  const polling: PollState = {
    lastOkAt: SAMPLE_NOW - minutes(2),
    nextAt: SAMPLE_NOW + minutes(3),
    problem: null,
    ...over,
  }
  renderPage({
    page: () => (
      <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
        <PollingFacts objectType="jobmaterial" polling={polling} />
      </AccountTimeProvider>
    ),
  })
  return (label: string) => screen.getByText(label).parentElement?.querySelector('dd')?.textContent
}

describe('what stands in place of our address', () => {
  it('says why, when we looked last and when we look next', () => {
    const shown = renderFacts()
    screen.getByText('ServiceM8 sends no webhooks for job materials, so Fieldhook looks every 5 minutes.')
    expect(shown('Last checked')).toBe('2 minutes ago')
    expect(shown('Next check')).toBe('in 3 minutes')
  })

  it('says when there was none so far, and when one is due', () => {
    const shown = renderFacts({ lastOkAt: null, nextAt: SAMPLE_NOW - 1 })
    expect(shown('Last checked')).toBe('Not yet')
    expect(shown('Next check')).toBe('any moment')
  })
})

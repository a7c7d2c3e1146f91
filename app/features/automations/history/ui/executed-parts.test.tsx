import { useLoaderData } from '@remix-run/react'
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { renderPage } from '#tests/support/page-stub.tsx'
import { sampleLogLine } from '#tests/support/sample-rules.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import '#app/ui/sheet-dialog.tsx'
import { LogsDialog } from './logs-dialog.tsx'

test('the log shows the records that matched, the parameters, when one that waited started, and what each placeholder became', async () => {
  const account = { accountUUID: 'account-1', admin: false }
  renderPage({
    page: () => (
      <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
        <LogsDialog logs={[sampleLogLine({ startedAt: SAMPLE_NOW })]} account={account} tab="rules" />
      </AccountTimeProvider>
    ),
  })
  const said = (await screen.findByRole('dialog')).textContent ?? ''
  expect(said).toMatch(/Thank the customer · status changed to Completed · started \d\d:\d\d/)
  expect(said).toContain('Matched records: 1 of 9Job 4411StatusCompleted')
  expect(said).toContain('ParametersMessageHi {entry.0.contact_first_name}')
  expect(said).toContain('Replacements{entry.0.contact_first_name} → Margaret{')
  expect(said).toContain('{entry.0.total as money} → £1,234.50Value: 1234.50')
  expect(said).toContain('{entry.0.company_name or "you"} → youThere was no value.')
})

test('a log with a run in progress refreshes itself until the run ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    let loads = 0
    renderPage({ loader: () => ++loads, page: () => <LogsOfLoad /> })
    const dialog = await screen.findByRole('dialog')
    expect(dialog.textContent).toContain('Running')
    expect(loads).toBe(1)
    vi.advanceTimersByTime(3_000)
    await screen.findByText('Success')
    expect(loads).toBe(2)
    vi.advanceTimersByTime(30_000)
    expect(loads).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

/** The run is in progress at the first load, and done from the second on. */
function LogsOfLoad() {
  const line = sampleLogLine(useLoaderData<number>() === 1 ? { status: 'working', isLive: true, actions: [] } : {})
  return (
    <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
      <LogsDialog logs={[line]} account={{ accountUUID: 'account-1', admin: false }} tab="rules" />
    </AccountTimeProvider>
  )
}

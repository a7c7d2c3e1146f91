// Long: every kind of entry, the filter, and what happens while it is open.
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_LOG_FILTER, type ForwardingResultView, type LogEntryView } from '#app/features/events/log-view.ts'
import { minutes } from '#app/lib/duration.ts'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { renderPage } from '#tests/support/page-stub.tsx'
import { SAMPLE_NOW, SAMPLE_ZONE, sampleEntry, sampleResult } from '#tests/support/sample-views.ts'
import { LOG_REFRESH_MS, type LogTurn, liveTurn } from './live-log.tsx'
import type { LogOwner } from './log-entry-actions.tsx'
import type { LogAnswer } from './log-filter.ts'
import { LogPanel } from './log-panel.tsx'

const answerOf = (entries: LogEntryView[]): LogAnswer => ({ entries, now: SAMPLE_NOW })

interface Options {
  opened?: LogAnswer | null
  /** What the resource answers, turn by turn; the last one stays. */
  turns?: (LogTurn | { message: string })[]
  owner?: LogOwner
  /** Called when the page is loaded. */
  loader?: () => null
}

function renderPanel({ opened = null, turns = [answerOf([])], owner, loader }: Options = {}) {
  const asked: URLSearchParams[] = []
  function Page() {
    const [filter, setFilter] = useState(DEFAULT_LOG_FILTER)
    return (
      <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
        <p>timeRange: {filter.timeRange}</p>
        <button type="button" onClick={() => setFilter({ ...filter, timeRange: 'week' })}>
          Another address
        </button>
        <LogPanel
          id="log"
          subject="Job"
          source="/log?accountUUID=account-1&webhook=1"
          opened={opened}
          filter={filter}
          anchor="webhook-1"
          openQuery={{ accountUUID: 'account-1', log: '1' }}
          closedQuery={{ accountUUID: 'account-1' }}
          owner={owner}
        />
      </AccountTimeProvider>
    )
  }
  renderPage({
    ...(loader ? { loader } : {}),
    page: () => <Page />,
    routes: [
      {
        path: '/log',
        loader: ({ request }) => {
          asked.push(new URL(request.url).searchParams)
          return turns[Math.min(asked.length, turns.length) - 1] ?? null
        },
      },
    ],
  })
  return asked
}

const toggle = () => screen.getByRole('button', { name: 'View Recent Activity' })

const list = () => within(screen.getByRole('region', { name: 'Recent Activity of Job' }))

afterEach(() => {
  vi.useRealTimers()
})

describe('the panel', () => {
  it('leads to all deliveries of its webhook or rule', () => {
    renderPanel({
      opened: answerOf([]),
      owner: { account: { accountUUID: 'account-1', admin: false }, webhookId: 'rule-3' },
    })
    const link = screen.getByRole('link', { name: 'All deliveries of Job' })
    expect(link.getAttribute('href')).toBe('/deliveries?accountUUID=account-1&webhook=rule-3')
  })

  it('is closed, asks for nothing, and opens with the button', async () => {
    const asked = renderPanel()
    expect(toggle().getAttribute('aria-expanded')).toBe('false')
    expect(asked).toHaveLength(0)
    fireEvent.click(toggle())
    expect(toggle().getAttribute('aria-expanded')).toBe('true')
    screen.getByRole('heading', { name: 'Recent Activity' })
    await waitFor(() => expect(asked).toHaveLength(1))
    fireEvent.click(toggle())
    expect(screen.queryByRole('heading', { name: 'Recent Activity' })).toBeNull()
  })

  it('without scripts opens and closes by the address of the page', () => {
    renderPanel()
    const form = toggle().closest('form')
    expect(form?.getAttribute('action')).toBe('/#webhook-1')
    expect(Object.fromEntries(new FormData(form ?? undefined))).toEqual({ accountUUID: 'account-1', log: '1' })
  })

  it('shows at once what the page came with', () => {
    renderPanel({ opened: answerOf([sampleEntry()]) })
    screen.getByText('Job 3128 · Joan Hartley')
  })

  it('says in the words of the specification that there is nothing', async () => {
    renderPanel()
    fireEvent.click(toggle())
    await screen.findByText('No recent activity')
    screen.getByText("Webhook events will appear here when they're received")
    // Nobody chose the last day.
    expect(screen.queryByText(/filter\./)).toBeNull()
    const form = screen.getByRole('button', { name: 'Show all time' }).closest('form')
    expect(Object.fromEntries(new FormData(form ?? undefined))).toMatchObject({ log: '1', timeRange: 'all' })
  })

  it('can be scrolled with the keys', () => {
    renderPanel({ opened: answerOf([sampleEntry()]) })
    const list = screen.getByRole('region', { name: 'Recent Activity of Job' })
    expect(list.tabIndex).toBe(0)
    // 24rem, and what is more scrolls; on a phone it is as long as what is in it.
    expect(list.className).toMatch(/^relative overflow-y-auto .* sm:max-h-96$/)
  })
})

describe('an entry', () => {
  it('names the type, the record, the time and the changed fields', () => {
    renderPanel({ opened: answerOf([sampleEntry()]) })
    const entry = screen.getByRole('region', { name: 'Recent Activity of Job' }).textContent ?? ''
    expect(entry).toContain('Job 3128 · Joan Hartley')
    expect(entry).toContain('15:08')
    expect(entry).toContain('Changed fields: status, completion_date')
  })

  it('of a record of which nothing is known shows its id', () => {
    renderPanel({ opened: answerOf([sampleEntry({ recordName: 'Job', objectUuid: 'c0ffee' })]) })
    screen.getByText('c0ffee')
  })

  it('of a test event says so instead of its id', () => {
    renderPanel({ opened: answerOf([sampleEntry({ recordName: 'Job', objectUuid: 'c0ffee', test: true })]) })
    screen.getByText('Test: Job')
    expect(screen.queryByText('c0ffee')).toBeNull()
  })

  it('says when there was nowhere to forward to', () => {
    renderPanel({ opened: answerOf([sampleEntry({ forwardedTo: [] })]) })
    screen.getByText('No forwarding configured for this webhook')
  })

  it('says when the webhook forwards other fields only', () => {
    const owner = { account: { accountUUID: 'account-1', admin: false }, webhookId: 1, fields: ['total'] }
    renderPanel({ opened: answerOf([sampleEntry({ forwardedTo: [] })]), owner })
    screen.getByText('Not forwarded: none of the chosen fields changed.')
  })

  it('says what waits', () => {
    const url = 'https://hooks.example.com/catch/1'
    const deliveries = [
      { id: 1, endpointId: 1, url },
      { id: 2, endpointId: 1, url, waits: { nextAt: SAMPLE_NOW + minutes(4) } },
      { id: 3, endpointId: 2, url, waits: { nextAt: null } },
    ]
    renderPanel({ opened: answerOf([sampleEntry({ forwardingResults: [sampleResult()], deliveries })]) })
    expect(screen.getAllByText('Waiting to be sent')).toHaveLength(2)
    screen.getByText('in 4 minutes')
  })

  it('shows a success with its status, its time and, folded away, the answer', () => {
    renderPanel({ opened: answerOf([sampleEntry({ forwardingResults: [sampleResult()] })]) })
    list().getByText('Success')
    screen.getByText('Status 200')
    screen.getByText('86 ms')
    expect(screen.getByText('ok').closest('details')?.open).toBe(false)
  })

  it('shows the latest attempt, why it failed and when the next one is; earlier ones are folded away', () => {
    const failed = sampleResult({
      success: false,
      statusCode: 404,
      error: 'Your address answered 404.',
      responseBody: null,
    })
    renderPanel({
      opened: answerOf([
        sampleEntry({
          forwardingResults: [
            failed,
            {
              ...failed,
              attempt: 2,
              statusCode: null,
              error: 'No answer in 15 seconds.',
              nextAttemptAt: SAMPLE_NOW + minutes(4),
            },
          ],
        }),
      ]),
    })
    const [latest, earlier] = list().getAllByText('Failed')
    expect(latest?.closest('details')).toBeNull()
    expect(earlier?.closest('details')?.open).toBe(false)
    screen.getByText('No answer')
    screen.getByText('No answer in 15 seconds.')
    screen.getByText('in 4 minutes')
    screen.getByText('One earlier attempt')
  })

  it('says a next attempt comes any moment once its time has come', () => {
    const failed = sampleResult({ success: false, nextAttemptAt: SAMPLE_NOW - minutes(3) })
    renderPanel({ opened: answerOf([sampleEntry({ forwardingResults: [failed] })]) })
    screen.getByText('any moment')
  })

  it('says where the time went, with a dash for what is not known', () => {
    const timing = { dnsMs: null, connectMs: 12, tlsMs: null, firstByteMs: 74 }
    renderPanel({ opened: answerOf([sampleEntry({ forwardingResults: [sampleResult({ timing })] })]) })
    expect(screen.getByRole('region', { name: 'Recent Activity of Job' }).textContent).toContain(
      'DNS – · connect 12 ms · TLS – · first byte 74 ms',
    )
  })

  it('calls what was never sent neither an attempt nor 0 ms long', () => {
    const never = sampleResult({
      success: false,
      statusCode: null,
      responseTime: 0,
      timing: null,
      error: 'Not sent: the webhook was deleted.',
      responseBody: null,
    })
    renderPanel({ opened: answerOf([sampleEntry({ forwardingResults: [never] })]) })
    screen.getByText('Not sent')
    const entry = screen.getByRole('region', { name: 'Recent Activity of Job' }).textContent ?? ''
    expect(entry).not.toMatch(/0 ms|No answer|Attempt 1|DNS/)
  })

  it('shows a hostile answer as the text it is', () => {
    const responseBody = '<img src=x onerror=alert(1)>'
    renderPanel({ opened: answerOf([sampleEntry({ forwardingResults: [sampleResult({ responseBody })] })]) })
    screen.getByText(responseBody)
    expect(document.querySelector('img')).toBeNull()
  })
})

describe('the filter', () => {
  it('offers the choices of the specification', () => {
    renderPanel({ opened: answerOf([]) })
    const choices = (label: string) =>
      [...screen.getByLabelText<HTMLSelectElement>(label).options].map((one) => one.value)
    expect(choices('Page size')).toEqual(['5', '10', '25', '50'])
    expect(choices('Time range')).toEqual(['hour', 'day', 'week', 'month', 'all'])
    expect(choices('Forwarding status')).toEqual(['all', 'forwarded', 'not_forwarded', 'success', 'failed'])
    expect(screen.getByLabelText<HTMLSelectElement>('Page size').value).toBe('10')
    expect(screen.getByLabelText<HTMLSelectElement>('Time range').value).toBe('day')
    expect(screen.getByLabelText<HTMLSelectElement>('Forwarding status').value).toBe('all')
    expect(screen.getByLabelText<HTMLInputElement>('Response details').checked).toBe(true)
  })

  it('counts at once', async () => {
    const asked = renderPanel({ opened: answerOf([]) })
    await waitFor(() => expect(asked).toHaveLength(1))
    fireEvent.change(screen.getByLabelText('Forwarding status'), { target: { value: 'failed' } })
    await waitFor(() => expect(asked).toHaveLength(2))
    fireEvent.click(screen.getByLabelText('Response details'))
    await waitFor(() => expect(asked).toHaveLength(3))
    expect(Object.fromEntries(asked[2] ?? [])).toEqual({
      accountUUID: 'account-1',
      webhook: '1',
      limit: '10',
      timeRange: 'day',
      forwardingStatus: 'failed',
      hasDetails: 'false',
    })
  })

  it('changes to all time where the list is empty, and nothing else does', async () => {
    const loader = vi.fn(() => null)
    const asked = renderPanel({ loader })
    fireEvent.click(await screen.findByRole('button', { name: 'View Recent Activity' }))
    fireEvent.change(screen.getByLabelText('Time range'), { target: { value: 'hour' } })
    fireEvent.change(screen.getByLabelText('Page size'), { target: { value: '25' } })
    fireEvent.click(screen.getByRole('button', { name: 'Pause activity of Job' }))
    fireEvent.click(await screen.findByRole('button', { name: 'Show all time' }))
    const wanted = { timeRange: 'all', limit: '25' }
    await waitFor(() => expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject(wanted))
    const chosen = (label: string) => screen.getByLabelText<HTMLSelectElement>(label).value
    expect({ timeRange: chosen('Time range'), limit: chosen('Page size') }).toEqual(wanted)
    screen.getByRole('button', { name: 'Resume activity of Job' })
    expect(screen.queryByRole('button', { name: 'Show all time' })).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Recent Activity of Job' }))
    // The address of the page stays.
    expect(loader).toHaveBeenCalledTimes(1)
  })

  it('stays as chosen when the page goes to another address', async () => {
    renderPanel({ opened: answerOf([]) })
    fireEvent.change(screen.getByLabelText('Time range'), { target: { value: 'all' } })
    fireEvent.click(screen.getByRole('button', { name: 'Pause activity of Job' }))
    fireEvent.click(screen.getByRole('button', { name: 'Another address' }))
    await screen.findByText('timeRange: week')
    expect(screen.getByLabelText<HTMLSelectElement>('Time range').value).toBe('all')
    screen.getByRole('button', { name: 'Resume activity of Job' })
  })

  it('is a form of the page without scripts', () => {
    renderPanel({ opened: answerOf([]) })
    const form = screen.getByLabelText('Page size').closest('form')
    expect(form?.getAttribute('method')).toBe('get')
    expect(new FormData(form ?? undefined).get('log')).toBe('1')
    expect(within(form as HTMLElement).getByText('Apply').className).toContain('without-script')
  })
})

describe('while it is open', () => {
  async function pass(ms: number) {
    await act(() => vi.advanceTimersByTimeAsync(ms))
  }

  function pretendTime() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  }

  it('asks again every five seconds', async () => {
    pretendTime()
    const asked = renderPanel()
    fireEvent.click(toggle())
    await waitFor(() => expect(asked).toHaveLength(1))
    await screen.findByText('No recent activity')
    await pass(LOG_REFRESH_MS - 1)
    expect(asked).toHaveLength(1)
    await pass(1)
    await waitFor(() => expect(asked).toHaveLength(2))
    expect(LOG_REFRESH_MS).toBe(5_000)
  })

  it('stops asking while it is paused', async () => {
    pretendTime()
    const asked = renderPanel()
    fireEvent.click(toggle())
    await screen.findByText('No recent activity')
    fireEvent.click(screen.getByRole('button', { name: 'Pause activity of Job' }))
    await pass(LOG_REFRESH_MS * 2)
    expect(asked).toHaveLength(1)
    fireEvent.click(screen.getByRole('button', { name: 'Resume activity of Job' }))
    await pass(LOG_REFRESH_MS)
    await waitFor(() => expect(asked).toHaveLength(2))
  })

  it('stops asking when it is closed', async () => {
    pretendTime()
    const asked = renderPanel()
    fireEvent.click(toggle())
    await screen.findByText('No recent activity')
    fireEvent.click(toggle())
    await pass(LOG_REFRESH_MS * 3)
    expect(asked).toHaveLength(1)
  })

  it('says politely that something came, and only then', async () => {
    pretendTime()
    renderPanel({ turns: [answerOf([sampleEntry()]), answerOf([sampleEntry({ id: 'event-2' }), sampleEntry()])] })
    fireEvent.click(toggle())
    await waitFor(() => expect(screen.getAllByText(/Job 3128/)).toHaveLength(1))
    const spoken = document.querySelector('[aria-live="polite"]')
    expect(spoken?.textContent).toBe('')
    await pass(LOG_REFRESH_MS)
    await waitFor(() => expect(spoken?.textContent).toBe('1 new event for Job.'))
  })

  it('loads the page again, without a word, when a known event got on', async () => {
    pretendTime()
    const loader = vi.fn(() => null)
    const failed = sampleResult({ success: false, nextAttemptAt: SAMPLE_NOW + minutes(4) })
    const turn = (forwardingResults: ForwardingResultView[]) => answerOf([sampleEntry({ forwardingResults })])
    renderPanel({
      turns: [turn([failed]), turn([failed]), turn([{ ...failed, nextAttemptAt: null }, sampleResult({ attempt: 2 })])],
      loader,
    })
    fireEvent.click(await screen.findByRole('button', { name: 'View Recent Activity' }))
    await screen.findByText('Failed', { selector: 'span' })
    fireEvent.click(screen.getByRole('button', { name: 'Refresh activity of Job' }))
    const spoken = await screen.findByText('The activity of Job is up to date.')
    expect(loader).toHaveBeenCalledTimes(1)
    await pass(LOG_REFRESH_MS)
    await list().findByText('Success')
    await waitFor(() => expect(loader).toHaveBeenCalledTimes(2))
    expect(spoken.textContent).toBe('The activity of Job is up to date.')
  })

  it('keeps what it has when a turn fails, and says so', async () => {
    pretendTime()
    renderPanel({ turns: [answerOf([sampleEntry()]), { failed: true }, answerOf([sampleEntry()])] })
    fireEvent.click(toggle())
    await screen.findByText(/Job 3128/)
    await pass(LOG_REFRESH_MS)
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('Failed to fetch logs')
    screen.getByText(/Job 3128/)
    await pass(LOG_REFRESH_MS)
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  })

  it('takes a refusal for a turn that failed', async () => {
    renderPanel({ turns: [{ message: 'Authentication required' }] })
    fireEvent.click(toggle())
    await screen.findByText('Failed to fetch logs')
  })

  it('refreshes when asked to, and says that it did', async () => {
    const asked = renderPanel()
    fireEvent.click(toggle())
    await screen.findByText('No recent activity')
    fireEvent.click(screen.getByRole('button', { name: 'Refresh activity of Job' }))
    await waitFor(() => expect(asked).toHaveLength(2))
    await screen.findByText('The activity of Job is up to date.')
  })
})

describe('one turn in the browser', () => {
  const call = (serverLoader: () => Promise<unknown>) =>
    liveTurn({ serverLoader, params: {}, request: new Request('http://localhost/log') } as Parameters<
      typeof liveTurn
    >[0])

  it('hands on what the server answers', async () => {
    const answer = answerOf([sampleEntry()])
    expect(await call(async () => answer)).toBe(answer)
  })

  it('never throws: that would cost the whole page', async () => {
    const turn = await call(async () => {
      throw new TypeError('Failed to fetch')
    })
    expect(turn).toEqual({ failed: true })
  })
})

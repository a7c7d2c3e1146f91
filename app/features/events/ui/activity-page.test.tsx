// Long: one page with its two lists, live and paused.
import { act, fireEvent, screen, within } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { minutes, seconds } from '#app/lib/duration.ts'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import {
  type ApiRecord,
  apiItems,
  FEW_ROWS,
  MOST_TEXT,
  newestFirst,
  type WebhookRecord,
  webhookItems,
} from '../activity-view.ts'
import { ActivityPage, type ActivityPageProps, ActivityWithoutAccount } from './activity-page.tsx'
import { ACTIVITY_REFRESH_MS } from './live-activity.tsx'

const iso = (at: number) => new Date(at).toISOString()

const event = (over: Partial<WebhookRecord> = {}): WebhookRecord => ({
  id: 1,
  objectType: 'job',
  objectUuid: '5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d',
  recordName: 'Note on job 3128 · Joan Hartley',
  test: false,
  changedFields: ['status', 'completion_date'],
  webhookData: { object: 'job' },
  receivedAt: iso(SAMPLE_NOW - minutes(4)),
  ...over,
})

const call = (over: Partial<ApiRecord> = {}): ApiRecord => ({
  id: 1,
  activityType: 'challenge_response',
  method: 'POST',
  endpoint: '/hooks/platform/:token',
  statusCode: 200,
  duration: 3,
  remoteIp: '203.0.113.7',
  userAgent: 'ServiceM8/1.0',
  requestData: 'mode=subscribe, object job',
  responseData: 'The challenge, echoed.',
  createdAt: iso(SAMPLE_NOW - minutes(5)),
  ...over,
})

function propsOf(events: WebhookRecord[], calls: ApiRecord[]): ActivityPageProps {
  return {
    accountUUID: 'account-1',
    accountName: 'Smith & Sons Plumbing',
    timezone: SAMPLE_ZONE,
    admin: false,
    now: SAMPLE_NOW,
    logEnds: 'Entries are kept for 30 days.',
    items: newestFirst(webhookItems(events), apiItems(calls)),
    type: 'all',
    allRows: false,
  }
}

function renderActivity(events: WebhookRecord[], calls: ApiRecord[], over: Partial<ActivityPageProps> = {}) {
  return renderPage({
    at: '/?accountUUID=account-1',
    page: () => <ActivityPage {...propsOf(events, calls)} {...over} />,
  })
}

const entries = () => within(screen.getByRole('list', { name: 'Events and calls' })).getAllByRole('listitem')
const button = (name: string) => screen.getByRole('button', { name })

/** The two calls as the server answers them, and every request they got. */
interface Server {
  events: WebhookRecord[]
  calls: ApiRecord[]
  /** Instead of an answer: a status, or no network at all. */
  fault: number | 'no network' | null
  asked: { path: string; account: string | null; status: number }[]
}

let server: Server

beforeEach(() => {
  server = { events: [], calls: [], fault: null, asked: [] }
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    const url = new URL(address, 'https://fieldhook.example.com')
    const note = (status: number) =>
      server.asked.push({ path: url.pathname, account: url.searchParams.get('accountUUID'), status })
    if (server.fault === 'no network') throw new TypeError('Failed to fetch')
    if (server.fault !== null) {
      note(server.fault)
      return Response.json({ message: 'Not now' }, { status: server.fault })
    }
    const list = url.pathname === '/api/webhook-activity' ? server.events : server.calls
    const tag = `"${JSON.stringify(list).length}-${list.length}"`
    const known = new Headers(init.headers).get('if-none-match') === tag
    note(known ? 304 : 200)
    return known
      ? new Response(null, { status: 304, headers: { etag: tag } })
      : Response.json(list, { headers: { etag: tag } })
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Lets the page's own clock run until the next turn is over. */
async function nextTurn() {
  await act(() => vi.advanceTimersByTimeAsync(ACTIVITY_REFRESH_MS))
}

describe('an event', () => {
  it('shows its object, its record, its changed fields and when it came', () => {
    renderActivity([event()], [])
    const [entry] = entries()
    const row = entry?.querySelector('summary')
    expect(row?.textContent).toBe('Webhook Note on job 3128 · Joan Hartleystatus, completion_date15:08')
    expect(entry?.textContent).toContain('Record id: 5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d')
    expect(entry?.textContent).toContain('Changed fields: status, completion_date')
    expect(screen.getByText('15:08').title).toBe('Fri 21 Nov 2025, 15:08:09 (Australia/Sydney)')
  })

  it('has its raw data and the exact time folded away', () => {
    renderActivity([event()], [])
    const details = screen.getByText('Raw data').closest('details')
    expect(details?.open).toBe(false)
    expect(details?.textContent).toContain('"object": "job"')
    expect(details?.textContent).toContain('Fri 21 Nov 2025, 15:08:09 (Australia/Sydney)')
  })

  it('says what is not there', () => {
    renderActivity([event({ changedFields: [], webhookData: null })], [])
    expect(entries()[0]?.textContent).toContain('Changed fields: –')
    expect(entries()[0]?.textContent).toContain('No longer kept.')
  })
})

describe('an exchange with the platform', () => {
  it('shows its type, method, endpoint, status, duration and remote address', () => {
    renderActivity([], [call()])
    const text = entries()[0]?.textContent ?? ''
    for (const part of [
      'Challenge Response',
      'POST /hooks/platform/:token',
      'Status 200',
      'Duration: 3 ms',
      'Remote IP: 203.0.113.7',
    ])
      expect(text).toContain(part)
  })

  it('has request and response folded away', () => {
    renderActivity([], [call()])
    const details = screen.getByText('Request data').closest('details')
    expect(details?.open).toBe(false)
    expect(within(details as HTMLElement).getByRole('region', { name: 'Request data' }).textContent).toBe(
      'mode=subscribe, object job',
    )
    expect(within(details as HTMLElement).getByRole('region', { name: 'Response data' }).textContent).toBe(
      'The challenge, echoed.',
    )
  })

  it('is an error from 300 on, and without an answer', () => {
    const failed = { activityType: 'api_call', remoteIp: null, requestData: null, responseData: null }
    renderActivity(
      [],
      [call({ ...failed, id: 2, statusCode: 502 }), call({ ...failed, id: 1, statusCode: null, duration: null })],
    )
    const [first, second] = entries()
    expect(first?.textContent).toContain('API Call')
    expect(first?.textContent).toContain('Error 502')
    expect(first?.textContent).toContain('Remote IP: –')
    expect(first?.textContent).toContain('The request had no body.')
    expect(second?.textContent).toContain('No answer')
    expect(second?.textContent).toContain('Duration: –')
  })
})

describe('the page', () => {
  it('merges both, newest first', () => {
    renderActivity([event()], [call(), call({ id: 2, activityType: 'api_call', createdAt: iso(SAMPLE_NOW) })])
    const kinds = entries().map((entry) => /API Call|Webhook|Challenge Response/.exec(entry.textContent ?? '')?.[0])
    expect(kinds).toEqual(['API Call', 'Webhook', 'Challenge Response'])
  })

  it('shows events first, and counts what else there is', () => {
    const calls = [call(), call({ id: 2, activityType: 'api_call' }), call({ id: 3, activityType: 'sign_in' })]
    const drawn = renderActivity([event()], calls, { type: 'events' })
    expect(entries()).toHaveLength(1)
    const chips = within(screen.getByRole('navigation', { name: 'Type' })).getAllByRole('link')
    expect(chips.map((chip) => chip.textContent)).toEqual(['Events1', 'Calls2', 'Challenges1', 'All4'])
    expect(chips[0]?.getAttribute('aria-current')).toBe('true')
    expect(chips[1]?.getAttribute('href')).toBe('/webhook-activity?accountUUID=account-1&type=calls')
    drawn.unmount()
    renderActivity([event()], calls, { type: 'challenges' })
    expect(entries()[0]?.textContent).toContain('Challenge Response')
    expect(entries()).toHaveLength(1)
  })

  it('shows the first rows, and all of them when asked', () => {
    const many = Array.from({ length: FEW_ROWS + 5 }, (_, id) => event({ id }))
    const drawn = renderActivity(many, [], { type: 'events' })
    expect(entries()).toHaveLength(FEW_ROWS)
    expect(screen.getByRole('link', { name: `Show all ${FEW_ROWS + 5}` }).getAttribute('href')).toBe(
      '/webhook-activity?accountUUID=account-1&rows=all',
    )
    drawn.unmount()
    renderActivity(many, [], { type: 'events', allRows: true })
    expect(entries()).toHaveLength(FEW_ROWS + 5)
  })

  it('shows what strangers send as text only', () => {
    const script = '<img src=x onerror=alert(1)>'
    const { container } = renderActivity(
      [
        event({
          objectType: script,
          objectUuid: script,
          recordName: script,
          changedFields: [script],
          webhookData: { object: script },
        }),
      ],
      [call({ activityType: script, method: script, endpoint: script, requestData: script, userAgent: script })],
    )
    expect(container.querySelector('img, script')).toBeNull()
    expect(container.textContent?.split(script)).toHaveLength(12)
  })

  it('leads to everything when a text is too long for a page', () => {
    renderActivity([event({ webhookData: 'x'.repeat(MOST_TEXT + 5) })], [])
    expect(entries()[0]?.textContent).toContain(`The beginning of ${MOST_TEXT + 5} characters.`)
    expect(screen.getByText('All of it, as JSON').getAttribute('href')).toBe(
      '/api/webhook-activity?accountUUID=account-1',
    )
  })

  it('says in the words of the specification that there is nothing yet', () => {
    renderActivity([], [])
    screen.getByText('No Webhook Activity Yet')
  })

  it('says of a type without entries only that it has none', () => {
    const { unmount } = renderActivity([event()], [call({ activityType: 'api' })], { type: 'challenges' })
    screen.getByText('No challenges among the latest 100 calls')
    expect(screen.queryByText('No Webhook Activity Yet')).toBeNull()
    unmount()
    renderActivity([event()], [call()], { type: 'calls' })
    screen.getByText('No calls except challenges')
  })

  it('says in the words of the specification that it needs an account', () => {
    renderPage({ page: () => <ActivityWithoutAccount /> })
    screen.getByText('Please provide an account UUID to view webhook activity')
  })

  it('leads back to the webhooks, as an admin when it was opened as one', () => {
    const { unmount } = renderActivity([], [])
    expect(screen.getByRole('link', { name: 'Back to webhooks' }).getAttribute('href')).toBe(
      '/fieldhook?accountUUID=account-1',
    )
    unmount()
    renderActivity([], [], { admin: true })
    expect(screen.getByRole('link', { name: 'Back to webhooks' }).getAttribute('href')).toBe(
      '/fieldhook?accountUUID=account-1&admin=yes',
    )
  })

  it('without scripts refreshes by its own address, and has no style that the policy would refuse', () => {
    // The router of the test is one for browsers.
    expectNoise(/useLayoutEffect does nothing on the server/)
    const html = renderToString(
      pageStub({ at: '/?accountUUID=account-1', page: () => <ActivityPage {...propsOf([event()], [call()])} /> }),
    )
    expect(html).toMatch(
      /<form method="get" action="\/"[^>]*><input type="hidden" name="accountUUID" value="account-1"\/>/,
    )
    expect(html).toMatch(/<span class="needs-script"><button[^>]*>.*Pause/)
    expect(html).toContain('Raw data')
    expect(html).not.toMatch(/\sstyle=|<style|\son[a-z]+=|javascript:/)
  })
})

describe('the refresh', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
  })

  it('asks both calls every two seconds, shows what is new and says so', async () => {
    server.calls = [call()]
    renderActivity([], [call()])
    await act(() => vi.advanceTimersByTimeAsync(ACTIVITY_REFRESH_MS - 1))
    expect(server.asked).toEqual([])
    await act(() => vi.advanceTimersByTimeAsync(1))
    expect(server.asked.map(({ path, account }) => `${path} ${account}`)).toEqual([
      '/api/webhook-activity account-1',
      '/api/api-activity account-1',
    ])
    expect(entries()).toHaveLength(1)
    server.events = [event({ receivedAt: iso(SAMPLE_NOW + seconds(3)) })]
    await nextTurn()
    expect(entries()).toHaveLength(2)
    screen.getByText('One new entry.')
    // Never ahead of the present, although it came after the page was made.
    expect(entries()[0]?.querySelector('time')?.textContent).toBe('15:12')
  })

  it('costs nothing while nothing changes', async () => {
    server.events = [event()]
    renderActivity([event()], [])
    await nextTurn()
    await nextTurn()
    expect(server.asked.map(({ status }) => status)).toEqual([200, 200, 304, 304])
    expect(entries()).toHaveLength(1)
  })

  it('leaves open what somebody is reading', async () => {
    renderActivity([event()], [])
    const details = screen.getByText('Raw data').closest('details') as HTMLDetailsElement
    details.open = true
    server.events = [event({ id: 2, receivedAt: iso(SAMPLE_NOW) }), event()]
    await nextTurn()
    expect(entries()).toHaveLength(2)
    expect(details.isConnected && details.open).toBe(true)
  })

  it('rests while nobody can see the page, and comes at once when somebody does', async () => {
    renderActivity([], [])
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    await nextTurn()
    expect(server.asked).toEqual([])
    hidden.mockReturnValue(false)
    await act(async () => {
      document.dispatchEvent(new Event('visibilitychange'))
    })
    expect(server.asked).toHaveLength(2)
    hidden.mockRestore()
  })

  it('can be paused, and goes on', async () => {
    renderActivity([], [])
    fireEvent.click(button('Pause'))
    screen.getByText('Paused. Press Refresh for news.')
    await nextTurn()
    expect(server.asked).toEqual([])
    fireEvent.click(button('Resume'))
    await nextTurn()
    expect(server.asked).toHaveLength(2)
  })

  it('comes at once by hand, also while paused, and says that it did', async () => {
    server.events = [event()]
    renderActivity([], [])
    fireEvent.click(button('Pause'))
    await act(async () => {
      fireEvent.click(button('Refresh'))
    })
    expect(entries()).toHaveLength(1)
    screen.getByText('The activity is up to date.')
  })

  it.each([500, 503, 'no network'] as const)(
    'that fails (%s) keeps the page, says so, and tries again',
    async (fault) => {
      server.events = [event()]
      renderActivity([event()], [])
      server.fault = fault
      await nextTurn()
      expect(screen.getByRole('alert').textContent).toContain('The activity could not be refreshed')
      expect(entries()).toHaveLength(1)
      server.fault = null
      await nextTurn()
      expect(screen.queryByRole('alert')).toBeNull()
    },
  )

  it.each([401, 404])('after the session ended (%s) keeps the page and leads to signing in', async (fault) => {
    renderActivity([event()], [])
    server.fault = fault
    await nextTurn()
    expect(screen.getByRole('alert').textContent).toContain('You are no longer signed in')
    expect(entries()).toHaveLength(1)
    expect(screen.getByRole('link', { name: 'Sign in again' }).getAttribute('href')).toBe('/?accountUUID=account-1')
  })

  it('does not ask again while an answer is awaited', async () => {
    const waiting: ((response: Response) => void)[] = []
    vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => waiting.push(resolve)))
    renderActivity([], [])
    await nextTurn()
    await nextTurn()
    expect(waiting).toHaveLength(2)
    await act(async () => {
      for (const answer of waiting) answer(Response.json([]))
    })
    await nextTurn()
    expect(waiting).toHaveLength(4)
  })
})

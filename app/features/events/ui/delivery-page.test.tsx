import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hours, minutes } from '#app/lib/duration.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { sampleAttempt, sampleDelivery } from '#tests/support/sample-deliveries.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import type { DeliveryView } from '../delivery-detail.ts'
import { DELIVERY_REFRESH_MS, DeliveryPage } from './delivery-page.tsx'

/** `onLoad`: told each time the page's data are asked for. */
function renderDelivery(
  over: Partial<DeliveryView> = {},
  { sent = [], onLoad }: { sent?: Record<string, string>[]; onLoad?: () => void } = {},
) {
  renderPage({
    at: '/?accountUUID=account-1',
    page: () => (
      <DeliveryPage
        accountUUID="account-1"
        accountName="Smith & Sons Plumbing"
        timezone={SAMPLE_ZONE}
        admin={false}
        now={SAMPLE_NOW}
        delivery={sampleDelivery(over)}
        beside={{ newer: null, older: 11 }}
      />
    ),
    ...(onLoad && {
      loader: () => {
        onLoad()
        return null
      },
    }),
    action: async ({ request }) => {
      sent.push(Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])))
      return null
    },
  })
}

const TITLE = 'Job 3128 · Joan Hartley → hooks.example.com/catch/1'
const part = (name: string) => screen.getByRole('region', { name })
const hrefOf = (name: string | RegExp) => screen.getByRole('link', { name }).getAttribute('href')

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the page of a delivery', () => {
  it('begins with how it stands, and says it once', () => {
    renderDelivery({ attempts: [] })
    screen.getByRole('heading', { level: 1, name: TITLE })
    screen.getByText('Delivered: your address answered 200.')
    expect(screen.queryByText('Delivered.')).toBeNull()
  })

  it('says for what it waits, when it is tried next, and when it is given up', () => {
    renderDelivery({
      status: 'held',
      sentence: 'The whole webhook waits.',
      waiting: {
        reason: 'The whole webhook waits.',
        nextAt: SAMPLE_NOW + minutes(5),
        atEarliest: true,
        until: SAMPLE_NOW + hours(50),
      },
    })
    screen.getByText('On hold.')
    const wait = screen.getByText(/Gives up/).textContent
    expect(wait).toBe('Next attempt in 5 minutes at the earliest. Gives up in 2 days.')
  })

  it('leads to the card it was sent for, and to the search', () => {
    renderDelivery()
    expect(hrefOf('Back to webhooks')).toBe('/fieldhook?accountUUID=account-1#webhook-3')
    expect(hrefOf('Job webhook')).toBe('/fieldhook?accountUUID=account-1#webhook-3')
    expect(hrefOf('Find a delivery')).toBe('/deliveries?accountUUID=account-1')
    expect(hrefOf('All deliveries of this record')).toBe(
      '/deliveries?accountUUID=account-1&object=job&record=5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d',
    )
  })

  it('leads to the next one of the list, and keeps ids in a closed part', () => {
    renderDelivery()
    expect(hrefOf('Older')).toBe('/deliveries/11?accountUUID=account-1')
    expect(screen.queryByRole('link', { name: 'Newer' })).toBeNull()
    expect(screen.queryByText('Other deliveries of this event')).toBeNull()
    const uuid = within(part('Event')).getByText('5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d')
    expect(uuid.closest('details')?.open).toBe(false)
  })

  it('draws the attempts on a track of 72 hours, with the next one and the end', () => {
    const failed = { delivered: false, statusCode: 500 }
    const attempts = [
      sampleAttempt({ ...failed, number: 2, at: SAMPLE_NOW - minutes(3) }),
      sampleAttempt({ ...failed, number: 1, at: SAMPLE_NOW - minutes(4) }),
    ]
    const until = SAMPLE_NOW + hours(72) - minutes(4)
    const waiting = { reason: '', nextAt: SAMPLE_NOW + minutes(5), atEarliest: false, until }
    renderDelivery({ status: 'waiting', attemptsMade: 2, attempts, waiting })
    const track = screen.getByRole('img', { name: /^2 attempts, 2 failed; next 15:17; gives up Mon/ })
    const places = [...track.querySelectorAll('circle')].map((dot) => Number.parseFloat(dot.getAttribute('cx') ?? ''))
    const [next = 0, second = 0, first = 0] = places
    expect(places).toHaveLength(3)
    expect([first, second > first, next > second, next < 96]).toEqual([4, true, true, true])
    expect([...track.querySelectorAll('text')].filter((mark) => mark.textContent === '×')).toHaveLength(2)
  })

  it('draws no track for what went out at once', () => {
    renderDelivery()
    expect(screen.queryByRole('img')).toBeNull()
  })

  it('draws the times of all attempts on one scale', () => {
    const timing = (firstByteMs: number) => ({ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs })
    renderDelivery({
      attemptsMade: 2,
      attempts: [sampleAttempt({ number: 2, timing: timing(25) }), sampleAttempt({ timing: timing(100) })],
    })
    const bars = [...part('Attempts').querySelectorAll('svg.w-full.h-1\\.5 rect:not(:first-child)')]
    expect(bars.map((bar) => bar.getAttribute('width'))).toEqual(['25', '100'])
  })

  it('shows each attempt with its outcome, its times, the address dialled and the answer as text', () => {
    renderDelivery({
      attemptsMade: 2,
      attempts: [
        sampleAttempt({ number: 2, responseBody: '<script>alert(1)</script>' }),
        sampleAttempt({
          delivered: false,
          statusCode: null,
          durationMs: 15_000,
          sentence: 'No answer in 15 seconds.',
          timing: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
          peerIp: null,
          responseBody: null,
        }),
      ],
    })
    const [latest, first] = within(part('Attempts')).getAllByRole('listitem')
    for (const words of ['Success', 'Attempt 2', 'Status 200', '256 ms', '15:08', '203.0.113.9']) {
      expect(latest?.textContent).toContain(words)
    }
    expect(latest?.textContent).toContain('DNS 4 ms · connect 12 ms · TLS 30 ms · first byte 210 ms')
    within(part('Attempts')).getByText('<script>alert(1)</script>')
    expect(first?.textContent).toContain('No answer in 15 seconds.')
    expect(first?.textContent).toContain('DNS – · connect – · TLS – · first byte –')
    screen.getByText(/^– nothing to measure/)
  })

  it('does not call an attempt what was never sent', () => {
    const note = sampleAttempt({
      number: 2,
      sent: false,
      delivered: false,
      sentence: 'Not sent: the webhook was deleted.',
      timing: null,
      statusCode: null,
      durationMs: 0,
      responseBody: null,
    })
    renderDelivery({ attempts: [note, sampleAttempt()] })
    const [latest] = within(part('Attempts')).getAllByRole('listitem')
    expect(latest?.textContent).toContain('Not sent')
    expect(latest?.textContent).not.toMatch(/Attempt 2|0 ms|No answer/)
  })

  it('says so when it was not tried', () => {
    renderDelivery({ attempts: [], attemptsMade: 0 })
    screen.getByText('Not tried so far')
  })

  it('counts the attempts that are not listed', () => {
    renderDelivery({ attemptsMade: 340 })
    screen.getByText('The latest 1 of 340 attempts.')
  })

  it('shows the request as it was sent: address, headers with the signature hidden, body indented', () => {
    renderDelivery()
    const request = part('Request').textContent
    expect(request).toContain('Attempt 1 · 15:08')
    expect(request).toContain('POST https://hooks.example.com/catch/1')
    expect(request).toContain('webhook-id: evt_1_5')
    expect(request).toContain('webhook-signature: v1,••••••••••••')
    expect(within(part('Body')).getByText(/"object"/).textContent).toBe(
      '{\n  "object": "job",\n  "entry": [\n    {\n      "uuid": "5f1c3a52"\n    }\n  ]\n}',
    )
  })

  it('has the command on the page, for readers without scripts, too', () => {
    renderDelivery()
    const command = part('As a curl command').textContent
    expect(command).toContain("curl -X POST 'https://hooks.example.com/catch/1'")
    expect(command).toContain("-H 'webhook-signature: v1,SIGN_WITH_YOUR_SECRET'")
  })

  it('copies the command', async () => {
    const copied: string[] = []
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } })
    renderDelivery()
    fireEvent.click(screen.getByRole('button', { name: 'Copy as curl' }))
    await screen.findByText('Copied to clipboard!')
    expect(copied).toEqual([part('As a curl command').querySelector('pre')?.textContent])
  })

  it('gives the command to copy by hand where the browser refuses', async () => {
    vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.reject(new Error('refused')) } })
    renderDelivery()
    fireEvent.click(screen.getByRole('button', { name: 'Copy as curl' }))
    const field = await screen.findByLabelText<HTMLTextAreaElement>('The command, to copy by hand')
    expect(field.value).toContain('curl -X POST')
  })

  it('says what is no longer kept, and offers no command then', () => {
    const { request } = sampleDelivery()
    renderDelivery({ request: { ...request, body: null }, whyNotAgain: 'This event is too old.' })
    screen.getByText('What was sent is no longer kept.')
    screen.getByText('It cannot be sent again. This event is too old.')
    expect(screen.queryByRole('button', { name: /Copy as curl|Send again/ })).toBeNull()
  })

  it('sends again, by a form of its own', async () => {
    const sent: Record<string, string>[] = []
    renderDelivery({}, { sent })
    fireEvent.click(screen.getByRole('button', { name: 'Send again delivery 12' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'send_again', delivery: '12' }]))
  })

  it('lists what else was sent of the event', () => {
    const other = {
      status: 'failed',
      cause: 'retry',
      url: 'https://b.example.com',
      rule: 'Zapier',
      attempts: 3,
      lastCode: 500,
    } as const
    renderDelivery({ others: [{ id: 9, ...other, createdAt: SAMPLE_NOW - hours(3) }] })
    const others = part('Other deliveries of this event').textContent
    expect(hrefOf('Delivery 9')).toBe('/deliveries/9?accountUUID=account-1')
    expect(others).toContain('Given up')
    expect(others).toContain('Sent again by hand, 12:12. Last answer 500.')
    expect(others).toContain('Zapier: https://b.example.com')
  })
})

describe('while it waits', () => {
  const WAITING = {
    status: 'waiting',
    attemptsMade: 1,
    waiting: { reason: 'Later.', nextAt: SAMPLE_NOW + minutes(5), atEarliest: false, until: SAMPLE_NOW + hours(50) },
  } as const

  async function pass(ms: number) {
    await act(() => vi.advanceTimersByTimeAsync(ms))
  }

  /** The page as it is watched; gives how often its data were asked for. */
  async function watch(over: Partial<DeliveryView> = WAITING) {
    let loads = 0
    renderDelivery(over, { onLoad: () => loads++ })
    // It is drawn once its data are there.
    await pass(0)
    screen.getByRole('heading', { level: 1, name: TITLE })
    return () => loads
  }

  /** Answers the delivery's call, turn by turn; the last one stays. */
  function answering(...turns: (object | null)[]): string[] {
    const asked: string[] = []
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    vi.stubGlobal('fetch', async (address: string) => {
      asked.push(address)
      const turn = turns[Math.min(asked.length, turns.length) - 1]
      return turn ? Response.json(turn) : Response.error()
    })
    return asked
  }

  it('is asked about every few seconds, and the page comes anew once something happened', async () => {
    const asked = answering({ status: 'waiting', attemptsMade: 1 }, { status: 'delivered', attemptsMade: 2 })
    const loads = await watch()
    await pass(2_000)
    expect(asked).toEqual(['/api/deliveries/12?accountUUID=account-1'])
    const before = loads()
    await pass(DELIVERY_REFRESH_MS)
    expect(asked).toHaveLength(2)
    await pass(0)
    expect(loads()).toBe(before + 1)
  })

  it('keeps the page when a turn fails', async () => {
    const asked = answering(null)
    const loads = await watch()
    const before = loads()
    await pass(3 * DELIVERY_REFRESH_MS)
    expect(asked.length).toBeGreaterThan(2)
    expect(loads()).toBe(before)
    screen.getByRole('heading', { level: 1, name: TITLE })
  })

  it('asks nothing about one that has ended', async () => {
    const asked = answering({})
    await watch({})
    await pass(3 * DELIVERY_REFRESH_MS)
    expect(asked).toEqual([])
  })
})

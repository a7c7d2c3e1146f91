// Long: every control of a card in every state.
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Replay } from '#app/domain/deliveries/stored-delivery.ts'
import type { OwnerRights } from '#app/domain/people.ts'
import { hours } from '#app/lib/duration.ts'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import {
  SAMPLE_NOW,
  SAMPLE_ZONE,
  sampleEntry,
  sampleReplay,
  sampleResult,
  sampleWebhook,
} from '#tests/support/sample-views.ts'
import type { ReplayPanelData } from '../controls/replay-text.ts'
import type { EndpointView } from '../endpoint-view.ts'
import { REPLAY_REFRESH_MS, type ReplayTurn } from './live-replay.tsx'
import { liveTurn } from './log/live-log.tsx'
import { LogEntries } from './log/log-entries.tsx'
import type { ManagerStep } from './manager-address.ts'
import { OwnerRightsProvider } from './owner-rights.tsx'
import { WebhookCard } from './webhook-card.tsx'

const ACCOUNT = { accountUUID: 'account-1', admin: false }

type Sent = Record<string, string>

interface Options {
  rights?: OwnerRights
  webhook?: Partial<EndpointView>
  step?: ManagerStep
  replay?: ReplayPanelData | null
  /** What the resource of a running replay answers, turn by turn; the last one stays. */
  turns?: ReplayTurn[]
  /** What the webhook is after the next form was sent. */
  after?: Partial<EndpointView>
}

function Card({ webhook, step = { step: 'none' }, replay = null }: Options) {
  return (
    <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
      <WebhookCard
        alone
        webhook={sampleWebhook(webhook)}
        account={ACCOUNT}
        step={step}
        log={null}
        replay={replay}
        logSource="/log"
        result={undefined}
      />
    </AccountTimeProvider>
  )
}

function renderCard(options: Options = {}): Sent[] {
  const sent: Sent[] = []
  let change: (over: Partial<EndpointView>) => void = () => {}
  function Changing() {
    const [over, setOver] = useState<Partial<EndpointView>>({})
    change = setOver
    return (
      <OwnerRightsProvider value={options.rights ?? { refusal: null, owners: [] }}>
        <Card {...options} webhook={{ ...options.webhook, ...over }} />
      </OwnerRightsProvider>
    )
  }
  let turn = 0
  renderPage({
    at: '/?accountUUID=account-1',
    page: () => <Changing />,
    action: async ({ request }) => {
      sent.push(Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])))
      if (options.after) change(options.after)
      return null
    },
    routes: [
      {
        path: '/fieldhook/replay',
        loader: () => {
          turn += 1
          return options.turns?.[Math.min(turn, options.turns.length) - 1] ?? { failed: true }
        },
      },
    ],
  })
  return sent
}

const button = (name: string | RegExp) => screen.getByRole('button', { name })
const noButton = (name: string | RegExp) => expect(screen.queryByRole('button', { name })).toBeNull()

afterEach(() => {
  vi.useRealTimers()
})

describe('the last day in a row', () => {
  it('says of each hour with attempts what became of them', () => {
    const none = Array.from({ length: 22 }, () => ({ delivered: 0, failed: 0 }))
    renderCard({ webhook: { hours: [{ delivered: 1, failed: 0 }, ...none, { delivered: 12, failed: 3 }] } })
    const titles = [...document.querySelectorAll('summary svg g title')].map((title) => title.textContent)
    expect(titles).toEqual(['Yesterday 16:00: 1 delivered, 0 failed', '15:00: 12 delivered, 3 failed'])
  })
})

describe('the buttons of a card', () => {
  it('pause, and keep the focus where resume now is', async () => {
    const user = userEvent.setup()
    const sent = renderCard({ after: { state: 'paused', status: 'paused', active: false } })
    await user.click(button('Pause Job webhook'))
    const resume = await screen.findByRole('button', { name: 'Resume Job webhook' })
    expect(sent).toEqual([{ intent: 'pause', id: '1', accountUUID: 'account-1' }])
    await waitFor(() => expect(document.activeElement).toBe(resume))
  })

  it('resume', async () => {
    const sent = renderCard({ webhook: { state: 'paused', status: 'paused', active: false } })
    noButton(/^Pause/)
    await userEvent.setup().click(button('Resume Job webhook'))
    await waitFor(() => expect(sent).toMatchObject([{ intent: 'resume', id: '1' }]))
  })

  it('show a test event on its way, until it has its answer', async () => {
    let answer = () => {}
    const page = () => <Card webhook={{ callbackUrl: 'https://hooks.zapier.com/catch/1' }} />
    const action = () =>
      new Promise<null>((resolve) => {
        answer = () => resolve(null)
      })
    renderPage({ page, action })
    const way = () => document.querySelector('.underway')?.closest('p')
    expect(way()).toBeUndefined()
    await userEvent.setup().click(button('Send test event to Job webhook'))
    await waitFor(() => expect(way()?.textContent).toBe('EventZapier'))
    expect(way()?.getAttribute('aria-hidden')).toBe('true')
    answer()
    await waitFor(() => expect(way()).toBeUndefined())
  })

  it('send a test', async () => {
    const sent = renderCard()
    await userEvent.setup().click(button('Send test event to Job webhook'))
    await waitFor(() => expect(sent).toMatchObject([{ intent: 'test', id: '1' }]))
  })

  it('offer nothing that cannot work without an address', () => {
    renderCard({ webhook: { callbackUrl: '', status: 'no_address' } })
    for (const name of [/^Pause/, /^Send test event/, /^Send everything since/, /^Start again/]) noButton(name)
  })

  it.each(['stopped', 'failing'] as const)('offer no replay to an address that is %s', (state) => {
    renderCard({ webhook: { state, status: state } })
    button(/^Start again/)
    noButton(/^Send everything since/)
  })

  it('are forms of the page, so that they work without scripts', () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const html = renderToString(pageStub({ page: () => <Card webhook={{ replays: [sampleReplay()] }} /> }))
    for (const intent of ['pause', 'test', 'rotate_secret', 'cancel_replay']) {
      expect(html).toContain(`name="intent" value="${intent}"`)
    }
    expect(html).not.toMatch(/\sstyle=/)
  })
})

it.each(['webhook', 'extra'] as const)('the foot of a card (%s) stays inside it', (kind) => {
  renderCard({ webhook: { kind } })
  const details = screen.getByText('Waiting').closest('dl')?.parentElement
  expect(details?.lastElementChild?.textContent).toContain('View Recent Activity')
  expect(details?.lastElementChild?.className).not.toMatch(/-mb-/)
})

describe('a webhook in trouble', () => {
  it('that its receiver stopped is started again with what it missed, and the heading has the focus after', async () => {
    const stopped = { state: 'stopped', status: 'stopped', active: false, missed: 12 } as const
    const sent = renderCard({ webhook: stopped, after: { state: 'active', status: 'waiting', missed: null } })
    noButton(/^Pause/)
    expect(screen.getByRole<HTMLInputElement>('checkbox').checked).toBe(true)
    screen.getByText('and send everything since it stopped (12 events)')
    await userEvent.setup().click(button('Start again: Job webhook'))
    await waitFor(() => expect(screen.queryByRole('checkbox')).toBeNull())
    expect(sent).toMatchObject([{ intent: 'start_again', id: '1', missed: 'yes' }])
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Job' })))
  })

  it('is started without what it missed when that is not wanted', async () => {
    const user = userEvent.setup()
    const sent = renderCard({ webhook: { state: 'failing', status: 'failing', active: false, missed: 1 } })
    await user.click(screen.getByLabelText('and send everything since it stopped (1 event)'))
    await user.click(button('Start again: Job webhook'))
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(sent[0]).not.toHaveProperty('missed')
  })

  it('asks nothing when nothing was missed', () => {
    renderCard({ webhook: { state: 'stopped', status: 'stopped', active: false, missed: 0 } })
    button('Start again: Job webhook')
    expect(screen.queryByRole('checkbox')).toBeNull()
  })

  it('that is still tried can be tried at once, when something waits', async () => {
    const sent = renderCard({ webhook: { status: 'failing', pending: 3 } })
    await userEvent.setup().click(button('Try again now: Job webhook'))
    await waitFor(() => expect(sent).toMatchObject([{ intent: 'start_again' }]))
  })

  it('that asked us to wait is left alone until then', () => {
    renderCard({ webhook: { status: 'failing', pending: 5, asked: true } })
    noButton(/^Try again now/)
  })

  it('that has nothing waiting is left alone', () => {
    renderCard({ webhook: { status: 'failing', pending: 0, missed: 0 } })
    noButton(/^Try again now/)
    expect(screen.queryByText(/given up/)).toBeNull()
  })

  it('with very many of them says how many at least', () => {
    renderCard({ webhook: { status: 'failing', pending: 0, missed: 500 } })
    screen.getByText('500 or more events were given up or stopped.')
  })

  it('whose events were all given up says how many, and leads to sending them', () => {
    renderCard({ webhook: { status: 'failing', pending: 0, missed: 2 } })
    noButton(/^Try again now/)
    const form = screen.getByText('2 events were given up or stopped.').parentElement?.querySelector('form')
    expect(Object.fromEntries(new FormData(form ?? undefined))).toMatchObject({ replay: '1' })
  })
})

describe('the signing secret', () => {
  it('is renewed with a sentence about the old one', async () => {
    const sent = renderCard()
    screen.getByText(/The old one stays valid for 24 hours/)
    // Folded away: pressed by its form, as a browser does once it is open.
    const form = screen.getByText('New signing secret').closest('form')
    await act(async () => form?.requestSubmit())
    await waitFor(() => expect(sent).toMatchObject([{ intent: 'rotate_secret', id: '1' }]))
  })

  it('is renewed by owners: a member reads who can, an owner whose last proof is too old what to do first', () => {
    renderCard({ rights: { refusal: 'owner', owners: [] } })
    expect(screen.queryByText('New signing secret')).toBeNull()
    screen.getByText('Owners can make a new signing secret. The account page lists them.')
    cleanup()
    renderCard({ rights: { refusal: 'fresh', owners: [] } })
    expect(screen.getByText<HTMLButtonElement>('New signing secret').disabled).toBe(true)
    screen.getByText('To make a new signing secret, open Fieldhook from ServiceM8 again.')
    screen.getByText('Or sign in again')
  })

  it('is open and has the focus after that, and says until when the old one counts', () => {
    renderCard({
      step: { step: 'secret', webhookId: 1 },
      webhook: { previousSecretUntil: SAMPLE_NOW + hours(24) },
    })
    const secret = screen.getByLabelText<HTMLInputElement>('Signing secret')
    expect(document.activeElement).toBe(secret)
    expect(secret.closest('details')?.open).toBe(true)
    expect(screen.getByText(/stays valid until/).textContent).toContain('Tomorrow 15:12')
  })
})

describe('sending everything since a moment', () => {
  const FORM = { since: '2025-11-20T15:12', status: 'failed', objectUuid: '' }
  const panel = (over: Partial<ReplayPanelData> = {}) => ({
    webhookId: 1,
    form: FORM,
    errors: {},
    count: null,
    ...over,
  })
  const step: ManagerStep = { step: 'replay', webhookId: 1, form: null }

  it('is opened by an address', () => {
    renderCard()
    const form = screen.getByText('Send everything since …').closest('form')
    expect(Object.fromEntries(new FormData(form ?? undefined))).toEqual({ accountUUID: 'account-1', replay: '1' })
  })

  it('is asked in the time of the account, and counted by an address too', () => {
    renderCard({ step, replay: panel() })
    const since = screen.getByLabelText<HTMLInputElement>('Since')
    expect(since.value).toBe('2025-11-20T15:12')
    screen.getByText("Your account's time: Australia/Sydney.")
    const form = since.closest('form')
    expect(form?.getAttribute('method')).toBe('get')
    expect(Object.fromEntries(new FormData(form ?? undefined))).toEqual({
      accountUUID: 'account-1',
      replay: '1',
      ...FORM,
    })
    noButton(/^Send \d/)
    expect(document.activeElement?.textContent).toBe('Send everything since …')
  })

  it('shows the count before anything is sent, and sends what was counted', async () => {
    const sent = renderCard({ step, replay: panel({ count: 214 }) })
    expect(document.activeElement?.textContent).toBe('214 events would be sent.')
    await userEvent.setup().click(button('Send 214 events'))
    await waitFor(() => expect(sent).toEqual([{ intent: 'replay', id: '1', accountUUID: 'account-1', ...FORM }]))
  })

  it('forgets the count as soon as something else is asked', async () => {
    renderCard({ step, replay: panel({ count: 214 }) })
    await userEvent.setup().selectOptions(screen.getByLabelText('Which events'), 'all')
    noButton(/^Send \d/)
    button('Count events')
  })

  it('has no button to send nothing', () => {
    renderCard({ step, replay: panel({ count: 0 }) })
    screen.getByText(/^Nothing since then was given up or stopped\. Choose “All”/)
    noButton(/^Send \d/)
  })

  it('puts a message to its field', () => {
    renderCard({ step, replay: panel({ errors: { since: ['Choose a date and a time.'] } }) })
    screen.getByText('Choose a date and a time.')
    expect(document.activeElement).toBe(screen.getByLabelText('Since'))
  })
})

describe('a replay under way', () => {
  const line = () => within(screen.getByRole('region', { name: 'Sending again to Job' }))

  it('shows how far it is and can be cancelled', async () => {
    const sent = renderCard({ webhook: { replays: [sampleReplay()] } })
    line().getByText('60 of 214 events delivered.')
    const bar = line().getByRole<HTMLProgressElement>('progressbar')
    expect([bar.value, bar.max]).toEqual([60, 214])
    await userEvent.setup().click(button('Cancel sending again to Job'))
    await waitFor(() => expect(sent).toMatchObject([{ intent: 'cancel_replay', id: '1', replay: '1' }]))
  })

  it('goes on by itself, survives a turn that fails, and says how it ended', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const ended: Replay = sampleReplay({ state: 'done', delivered: 214, endedAt: SAMPLE_NOW })
    renderCard({
      webhook: { replays: [sampleReplay()] },
      turns: [{ failed: true }, { replay: sampleReplay({ delivered: 150 }) }, { replay: ended }],
    })
    await act(() => vi.advanceTimersByTimeAsync(REPLAY_REFRESH_MS))
    line().getByText('60 of 214 events delivered.')
    await act(() => vi.advanceTimersByTimeAsync(REPLAY_REFRESH_MS))
    await waitFor(() => line().getByText('150 of 214 events delivered.'))
    await act(() => vi.advanceTimersByTimeAsync(REPLAY_REFRESH_MS))
    await waitFor(() => line().getByText('All 214 events were delivered.'))
    const spoken = document.querySelector('[aria-live="polite"]')
    expect(spoken?.textContent).toBe('Sending again to Job: All 214 events were delivered.')
    noButton(/^Cancel sending/)
  })

  it('says that it waits while the webhook is paused', () => {
    renderCard({ webhook: { state: 'paused', status: 'paused', replays: [sampleReplay()] } })
    line().getByText('Paused: it continues when you resume.')
  })

  it('says that it waits while sending is on hold', () => {
    renderCard({ webhook: { status: 'held', replays: [sampleReplay()] } })
    line().getByText('On hold: it continues when sending does.')
  })

  it('never throws in the browser: that would cost the whole page', async () => {
    const call = (serverLoader: () => Promise<unknown>) =>
      liveTurn({ serverLoader, params: {}, request: new Request('http://localhost/r') } as Parameters<
        typeof liveTurn
      >[0])
    expect(await call(() => Promise.reject(new TypeError('Failed to fetch')))).toEqual({ failed: true })
    expect(await call(async () => ({ replay: null }))).toEqual({ replay: null })
  })
})

describe('an entry of the log', () => {
  function renderEntry(results: Parameters<typeof sampleResult>[0][]): Sent[] {
    const sent: Sent[] = []
    renderPage({
      page: () => (
        <LogEntries
          entries={[sampleEntry({ forwardingResults: results.map((over) => sampleResult(over)) })]}
          details
          owner={{ account: ACCOUNT, webhookId: 1 }}
        />
      ),
      action: async ({ request }) => {
        sent.push(Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])))
        return null
      },
    })
    return sent
  }

  it('is sent again by its newest delivery, once per address', async () => {
    const sent = renderEntry([{ deliveryId: 4, success: false, statusCode: 500, error: 'No.' }, { deliveryId: 9 }])
    await userEvent.setup().click(button('Send again delivery 9'))
    await waitFor(() =>
      expect(sent).toEqual([{ intent: 'send_again', id: '1', accountUUID: 'account-1', delivery: '9' }]),
    )
  })

  it('names the address when there are several', () => {
    renderEntry([{ deliveryId: 1 }, { deliveryId: 2, url: 'https://other.example.com/x' }])
    button('Send again to hooks.example.com delivery 1')
    button('Send again to other.example.com delivery 2')
    expect(screen.getAllByText('Response').map((response) => response.textContent)).toEqual([
      'Response of delivery 1, attempt 1',
      'Response of delivery 2, attempt 1',
    ])
  })

  it('has no buttons before it was tried', () => {
    renderEntry([])
    noButton(/Send again|Copy as curl/)
  })

  it('numbers its attempts', () => {
    renderEntry([{ attempt: 1 }, { attempt: 2 }])
    expect(screen.getAllByText(/^Attempt [12],/)).toHaveLength(2)
  })

  it('is copied as a command, or offered to be copied by hand', async () => {
    const user = userEvent.setup()
    vi.stubGlobal('fetch', async (address: string) => {
      expect(address).toBe('/fieldhook/curl?accountUUID=account-1&webhook=1&event=event-1')
      return Response.json({ curl: 'curl -X POST …' })
    })
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValueOnce(new Error('not allowed'))
    renderEntry([{}])
    await user.click(button('Copy as curl of event event-1'))
    const byHand = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'The command, to copy by hand' })
    expect(byHand.value).toBe('curl -X POST …')
    write.mockRestore()
    vi.unstubAllGlobals()
  })
})

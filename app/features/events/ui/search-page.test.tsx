import { useLoaderData } from '@remix-run/react'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { EMPTY_FORM, sampleAnswer, sampleHit } from '#tests/support/sample-deliveries.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import { type SearchedWebhook, searchChoices } from '../search-filter.ts'
import { type SearchForm, searchFormOf } from '../search-view.ts'
import { SearchPage, type SearchPageProps } from './search-page.tsx'

const WEBHOOKS: SearchedWebhook[] = [
  { key: 12, endpointId: 5, object: 'job', name: null, url: 'https://hooks.zapier.com/hooks/catch/1' },
  { key: 'rule-3', endpointId: 7, object: 'job', name: 'Accounts', url: 'https://example.com/in' },
]

function renderSearch(
  over: Partial<SearchPageProps> = {},
  sent: Record<string, string>[] = [],
  forms: FormData[] = [],
) {
  return renderPage({
    at: '/?accountUUID=account-1',
    page: () => (
      <SearchPage
        accountUUID="account-1"
        accountName="Smith & Sons Plumbing"
        timezone={SAMPLE_ZONE}
        admin={false}
        now={SAMPLE_NOW}
        form={EMPTY_FORM}
        errors={{}}
        before=""
        logEnds="Entries are kept for 30 days."
        answer={sampleAnswer()}
        choices={searchChoices(over.form ?? EMPTY_FORM, WEBHOOKS)}
        statuses={COUNTED}
        volume={[]}
        {...over}
      />
    ),
    action: async ({ request }) => {
      const form = await request.formData()
      forms.push(form)
      sent.push(Object.fromEntries([...form].map(([name, value]) => [name, String(value)])))
      return null
    },
  })
}

const COUNTED = {
  counts: { waiting: 3, delivered: 1_208, failed: 0, held: 0, stopped: 0, not_forwarded: 0 },
  complete: true,
}

const line = () => within(screen.getByRole('list', { name: 'Deliveries' })).getAllByRole('listitem')
const hrefOf = (name: string | RegExp) => screen.getByRole('link', { name }).getAttribute('href')

describe('the form', () => {
  it('asks for the page by its address, and keeps the account and the role', () => {
    renderSearch({ admin: true, form: { ...EMPTY_FORM, id: '42', status: 'held', from: '2025-11-21T09:00' } })
    const form = screen.getByRole('button', { name: 'Find' }).closest('form')
    expect([form?.getAttribute('method'), form?.getAttribute('action')]).toEqual(['get', '/deliveries'])
    expect(Object.fromEntries(new FormData(form ?? undefined))).toEqual({
      accountUUID: 'account-1',
      admin: 'yes',
      ...EMPTY_FORM,
      id: '42',
      status: 'held',
      from: '2025-11-21T09:00',
    })
  })

  it('takes the keyboard to the search with /, and lets a / be typed there', () => {
    renderSearch()
    const box = screen.getByLabelText('Search')
    expect(fireEvent.keyDown(document.body, { key: '/' })).toBe(false)
    expect(document.activeElement).toBe(box)
    expect(fireEvent.keyDown(box, { key: '/' })).toBe(true)
  })

  it('has a chip for every status that occurs, with its number', () => {
    renderSearch({ form: { ...EMPTY_FORM, id: '3128', status: 'waiting' } })
    const chips = within(screen.getByRole('navigation', { name: 'Status' })).getAllByRole('link')
    expect(chips.map((chip) => chip.textContent)).toEqual(['All1,211', 'Waiting3', 'Delivered1,208'])
    expect(chips.map((chip) => chip.getAttribute('aria-current'))).toEqual([null, 'true', null])
    const marked = 'forced-color-adjust-none forced-colors:bg-[Highlight] forced-colors:text-[HighlightText]'.split(' ')
    expect(chips.map(({ classList }) => marked.every((name) => classList.contains(name)))).toEqual([false, true, false])
    expect(chips[2]?.getAttribute('href')).toBe('/deliveries?accountUUID=account-1&id=3128&status=delivered')
  })

  it('lets a narrow row break before the clock, so that it says where it was sent', () => {
    renderSearch()
    const detail = within(screen.getByRole('list', { name: 'Deliveries' })).getAllByText(/^→ /)[0]
    expect([...(detail?.classList ?? [])]).toEqual(expect.arrayContaining(['sm:truncate', 'max-sm:line-clamp-3']))
    expect(detail?.classList.contains('truncate')).toBe(false)
    expect(detail?.parentElement?.classList.contains('flex-wrap')).toBe(true)
  })

  it('has a chip for every status when not everything was counted', () => {
    renderSearch({ statuses: { ...COUNTED, complete: false } })
    const chips = within(screen.getByRole('navigation', { name: 'Status' })).getAllByRole('link')
    expect(chips.map((chip) => chip.textContent)).toEqual([
      'All1,211+',
      'Waiting3+',
      'Delivered1,208+',
      'Given up',
      'On hold',
      'Stopped',
      'Not forwarded',
    ])
  })

  it('keeps an object outside the list that the address names', () => {
    renderSearch({ form: { ...EMPTY_FORM, object: 'staff' } })
    expect(screen.getByLabelText<HTMLSelectElement>('Object').value).toBe('staff')
  })

  it('offers each webhook and rule by name, and keeps the chosen one in every link', () => {
    const form = { ...EMPTY_FORM, webhook: 'rule-3' }
    const volume = [{ date: '2025-11-21', delivered: 2, failed: 1 }]
    renderSearch({ form, volume, answer: sampleAnswer({ end: 'full', next: '12.3' }) })
    const choice = screen.getByLabelText<HTMLSelectElement>('Webhook')
    expect([...choice.options].map((one) => one.text)).toEqual(['Any webhook', 'Job → hooks.zapier.com', 'Accounts'])
    expect(choice.value).toBe('rule-3')
    expect(screen.getByText('More filters').closest('details')?.open).toBe(true)
    for (const name of [/^Delivered/, 'Older', /^21 November 2025/]) expect(hrefOf(name)).toContain('webhook=rule-3')
  })

  it('says that the address names no webhook of the account', () => {
    const errors = { webhook: ['Must be a webhook or forwarding rule of this account'] }
    renderSearch({ form: { ...EMPTY_FORM, webhook: '99' }, errors, answer: null })
    const choice = screen.getByLabelText<HTMLSelectElement>('Webhook')
    expect([choice.value, document.activeElement]).toEqual(['', choice])
    screen.getByText('Must be a webhook or forwarding rule of this account')
  })

  it('has the rarer filters folded away until one of them is used, or wrong', () => {
    const { unmount } = renderSearch()
    const more = () => screen.getByText('More filters').closest('details')
    expect(more()?.open).toBe(false)
    unmount()
    const day = renderSearch({ form: { ...EMPTY_FORM, from: '2025-11-20T00:00', until: '2025-11-20T23:59' } })
    expect(more()?.open).toBe(false)
    day.unmount()
    renderSearch({ form: { ...EMPTY_FORM, field: 'status' } })
    expect(more()?.open).toBe(true)
  })

  it('says what is wrong where it is wrong, and shows no result', () => {
    renderSearch({
      form: { ...EMPTY_FORM, code: 'oops' },
      errors: { code: ['Must be a status (404), a group (4xx), or none'] },
      answer: null,
    })
    const code = screen.getByLabelText<HTMLInputElement>('Response code')
    expect([code.value, code.getAttribute('aria-invalid')]).toEqual(['oops', 'true'])
    expect(document.activeElement).toBe(code)
    screen.getByText('Must be a status (404), a group (4xx), or none')
    expect(screen.queryByRole('heading', { name: 'Deliveries' })).toBeNull()
  })

  it('can be cleared once something is asked', () => {
    const { unmount } = renderSearch()
    expect(screen.queryByRole('link', { name: 'Clear' })).toBeNull()
    unmount()
    renderSearch({ form: { ...EMPTY_FORM, status: 'held' } })
    expect(hrefOf('Clear')).toBe('/deliveries?accountUUID=account-1')
  })
})

describe('while it is used', () => {
  function Searched() {
    const { form } = useLoaderData() as { form: SearchForm }
    const time = { timezone: SAMPLE_ZONE, now: SAMPLE_NOW }
    const account = { accountUUID: 'account-1', accountName: 'Smith', admin: false }
    return (
      <SearchPage
        {...account}
        {...time}
        form={form}
        errors={{}}
        before=""
        logEnds=""
        answer={sampleAnswer()}
        choices={searchChoices(form, WEBHOOKS)}
        statuses={null}
        volume={[]}
      />
    )
  }

  it('keeps what is typed while the answer is on its way, and is filled afresh by any other address', async () => {
    let answered: Promise<void> = Promise.resolve()
    const loader = async ({ request }: { request: Request }) => {
      await answered
      return { form: searchFormOf(new URL(request.url).searchParams) }
    }
    renderPage({ page: () => <p />, at: '/deliveries', routes: [{ path: '/deliveries', Component: Searched, loader }] })
    const code = await screen.findByLabelText<HTMLInputElement>('Response code')
    const id = () => screen.getByLabelText<HTMLInputElement>('Search')
    let answer = () => {}
    answered = new Promise((done) => {
      answer = done
    })
    fireEvent.change(code, { target: { value: '404' } })
    fireEvent.click(screen.getByRole('button', { name: 'Find' }))
    await screen.findByRole('button', { name: 'Looking…' })
    fireEvent.change(id(), { target: { value: '42' } })
    answer()
    const clear = await screen.findByRole('link', { name: 'Clear' })
    expect([id().value, screen.getByLabelText<HTMLInputElement>('Response code').value]).toEqual(['42', '404'])
    fireEvent.click(clear)
    await waitFor(() => expect(id().value).toBe(''))
    expect(screen.getByLabelText<HTMLInputElement>('Response code').value).toBe('')
  })
})

describe('a line', () => {
  it('names status, time, object, record, what became of it, and the address before the fields', () => {
    renderSearch({
      answer: sampleAnswer({
        hits: [
          sampleHit({
            status: 'waiting',
            attempts: 2,
            sentence: 'Your address answered 500.',
            nextAt: SAMPLE_NOW + minutes(4),
          }),
        ],
      }),
    })
    const [text] = line().map((one) => one.textContent ?? '')
    expect(text).toBe(
      'Job 3128 · Joan Hartley→ hooks.example.com/catch/1 · 2 attempts · status, completion_date15:08Waiting 200 86 ms Details of delivery 12',
    )
    const why = within(screen.getByRole('list', { name: 'Not delivered' })).getByRole('listitem')
    expect(why.textContent).toBe(
      '1 event to hooks.example.com/catch/1 Your address answered 500. Next attempt in 4 minutes.',
    )
  })

  it('groups what failed for the same reason, and sends a group again at one press', async () => {
    const failed = { status: 'waiting', sentence: 'Your address answered 500.' } as const
    const hits = [
      sampleHit({ ...failed, id: 1, nextAt: SAMPLE_NOW + minutes(9) }),
      sampleHit({ ...failed, id: 2, nextAt: SAMPLE_NOW + minutes(5) }),
      sampleHit({ ...failed, id: 3, url: 'https://other.example.com/' }),
      sampleHit({ id: 4 }),
    ]
    const sent: FormData[] = []
    renderSearch({ answer: sampleAnswer({ hits }) }, [], sent)
    const groups = within(screen.getByRole('list', { name: 'Not delivered' })).getAllByRole('listitem')
    expect(groups.map((group) => group.textContent)).toEqual([
      '2 events to hooks.example.com/catch/1 Your address answered 500. Next attempt in 5 minutes.Send all again',
      '1 event to other.example.com Your address answered 500.',
    ])
    fireEvent.click(screen.getByRole('button', { name: 'Send all again: 2 deliveries to hooks.example.com/catch/1' }))
    await waitFor(() => expect(sent.map((form) => form.getAll('delivery'))).toEqual([['1', '2']]))
  })

  it('says that a group is of this page only, when there are more pages', () => {
    const hits = [1, 2].map((id) => sampleHit({ id, status: 'failed', sentence: 'It hung.' }))
    const group = () => screen.getByRole('list', { name: 'Not delivered' }).textContent
    const { unmount } = renderSearch({ answer: sampleAnswer({ hits, end: 'full', next: '9.9' }) })
    expect(group()).toBe('2 events on this page to hooks.example.com/catch/1 It hung.Send all again')
    unmount()
    renderSearch({ answer: sampleAnswer({ hits }), before: '9.9' })
    expect(group()).toContain('2 events on this page to')
  })

  it('names the present address where a group goes when it is sent again, and the earlier one in what failed', () => {
    const moved = {
      status: 'failed',
      url: 'https://staging.example.com/in',
      goesTo: 'https://new.example.com/in',
    } as const
    const hits = [1, 2].map((id) => sampleHit({ ...moved, id, sentence: 'Your address answered 404.' }))
    renderSearch({ answer: sampleAnswer({ hits }) })
    const [group] = within(screen.getByRole('list', { name: 'Not delivered' })).getAllByRole('listitem')
    expect(group?.textContent).toBe(
      '2 events to staging.example.com/in Your address answered 404.Sent again, they go to new.example.com/in.Send all again',
    )
    screen.getByRole('button', { name: 'Send all again: 2 deliveries to new.example.com/in' })
  })

  it('shows the last days as bars, and in a sentence', () => {
    const day = (date: string, delivered: number, failed: number) => ({ date, delivered, failed })
    renderSearch({ volume: [day('2025-11-20', 10, 0), day('2025-11-21', 2, 1)] })
    screen.getByText('Last 2 days: 12 delivered, 1 failed attempt')
    const days = screen.getByRole('navigation', { name: 'Days' })
    const heights = [...days.querySelectorAll('rect')].map((bar) => Number(bar.getAttribute('height')))
    expect(heights).toEqual([8, 4, 40, 0])
  })

  it('says that the days are those of the whole account when other filters are set', () => {
    const volume = [{ date: '2025-11-20', delivered: 10, failed: 2 }]
    const day = { from: '2025-11-20T00:00', until: '2025-11-20T23:59' }
    for (const [asked, says] of [
      [{ webhook: 'job' }, /^Last 1 days, whole account: 10 delivered, 2 failed attempts$/],
      [{ status: 'failed', ...day }, /^20 November 2025, whole account: 10 delivered, 2 failed\./],
      [day, /^20 November 2025: 10 delivered, 2 failed\./],
    ] as const) {
      const { container, unmount } = renderSearch({ form: { ...EMPTY_FORM, ...asked }, volume })
      expect(container.querySelector('figcaption')?.textContent).toMatch(says)
      unmount()
    }
  })

  it('has a link for each day with attempts, which keeps the other filters', () => {
    const day = (date: string, delivered: number) => ({ date, delivered, failed: 0 })
    const form = { ...EMPTY_FORM, object: 'job', from: '2025-11-20T00:00', until: '2025-11-20T23:59' }
    renderSearch({ form, volume: [day('2025-11-19', 0), day('2025-11-20', 10), day('2025-11-21', 2)] })
    const days = within(screen.getByRole('navigation', { name: 'Days' })).getAllByRole('link')
    expect(days.map((one) => [one.textContent, one.getAttribute('aria-current')])).toEqual([
      ['21 November 2025: 2 delivered, 0 failed', null],
      ['20 November 2025: 10 delivered, 0 failed', 'true'],
    ])
    screen.getByText(
      /^20 November 2025, whole account: 10 delivered, 0 failed\. Later attempts are listed under the day of their event\./,
    )
    expect(hrefOf('All days')).toBe('/deliveries?accountUUID=account-1&object=job')
    expect(days[0]?.getAttribute('href')).toBe(
      '/deliveries?accountUUID=account-1&object=job&from=2025-11-21T00%3A00&until=2025-11-21T23%3A59',
    )
  })

  it('leads to the delivery', () => {
    renderSearch({ admin: true })
    expect(hrefOf(/Details of delivery 12$/)).toBe('/deliveries/12?accountUUID=account-1&admin=yes')
  })

  it('sends again, by a form of its own', async () => {
    const sent: Record<string, string>[] = []
    renderSearch({}, sent)
    fireEvent.click(screen.getByRole('button', { name: 'Send again delivery 12' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'send_again', delivery: '12' }]))
  })

  it('offers nothing to press where there is nothing to send', () => {
    renderSearch({ answer: sampleAnswer({ hits: [sampleHit({ canSendAgain: false }), sampleHit(null)] }) })
    expect(screen.queryByRole('button', { name: /Send again/ })).toBeNull()
    expect(screen.getAllByRole('link', { name: /Details of delivery/ })).toHaveLength(1)
    expect(line()[1]?.textContent).toContain('Not forwarded')
  })

  it('shows hostile words as the text they are', () => {
    renderSearch({
      answer: sampleAnswer({ hits: [sampleHit({ status: 'failed', sentence: '<img src=x onerror=alert(1)>' })] }),
    })
    screen.getByText('<img src=x onerror=alert(1)>')
    expect(document.querySelector('li img')).toBeNull()
  })
})

describe('the result', () => {
  it('goes on with older ones, keeps the filters, and leads back to the newest', () => {
    renderSearch({
      form: { ...EMPTY_FORM, status: 'failed' },
      before: '90.4',
      answer: sampleAnswer({ end: 'full', next: '12.3' }),
    })
    expect(hrefOf('Older')).toBe('/deliveries?accountUUID=account-1&status=failed&before=12.3')
    expect(hrefOf('Newest')).toBe('/deliveries?accountUUID=account-1&status=failed')
  })

  it('has no further page at its end', () => {
    renderSearch()
    expect(screen.queryByRole('navigation', { name: 'Pages of the result' })).toBeNull()
  })

  it('says plainly how far back it looked, and offers to go on from there', () => {
    renderSearch({ answer: sampleAnswer({ hits: [], end: 'limit', next: '500.0', looked: 20_000 }) })
    screen.getByText('There may be more further back')
    const notice = screen.getByText(/20,000 entries searched, nothing matched/)
    expect(notice.textContent).toContain('This page reaches back to 10:12.')
    expect(hrefOf('Look further back')).toBe('/deliveries?accountUUID=account-1&before=500.0')
    expect(screen.queryByText('Nothing found')).toBeNull()
  })

  it('says when more records are called that than one search takes', () => {
    renderSearch({ answer: sampleAnswer({ more: true }) })
    screen.getByText('More than 10,000 records are called that')
  })

  it.each([
    [EMPTY_FORM, '', 'No deliveries yet'],
    [EMPTY_FORM, '5.0', 'No older deliveries'],
    [{ ...EMPTY_FORM, status: 'failed' }, '', 'Nothing found'],
    [{ ...EMPTY_FORM, id: '77' }, '', 'Nothing found'],
  ])('says why it is empty (%#)', (form, before, title) => {
    renderSearch({ form, before, answer: sampleAnswer({ hits: [], looked: 0, lookedBackTo: null }) })
    screen.getByText(title)
  })

  it('leads back to the webhooks', () => {
    renderSearch()
    expect(hrefOf('Back to webhooks')).toBe('/fieldhook?accountUUID=account-1')
  })
})

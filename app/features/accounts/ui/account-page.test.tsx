import { useLoaderData } from '@remix-run/react'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { accountAddress, accountPartAt, shownAccount } from '#app/domain/account-address.ts'
import { keptUntil } from '#app/domain/kept-until.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import { AccountPage, type AccountPageProps } from './account-page.tsx'
import { ErasePage, type ErasePageProps } from './erase-page.tsx'
import { ExportPage } from './export-page.tsx'
import { RetentionPage, type RetentionPageProps } from './retention-page.tsx'
import { SessionsPage, type SessionsPageProps } from './sessions-page.tsx'

afterEach(() => vi.unstubAllGlobals())

const MAY = { refusal: null, owners: [] }

const FRAME = {
  account: { accountUUID: 'account-1', admin: false },
  accountName: 'Smith & Sons Plumbing',
  timezone: SAMPLE_ZONE,
  now: SAMPLE_NOW,
}

function propsOf(over: Partial<AccountPageProps> = {}): AccountPageProps {
  return {
    ...FRAME,
    connection: { state: 'connected', since: SAMPLE_NOW - hours(48), scopes: ['vendor', 'read_jobs'] },
    browsers: 2,
    people: { people: [], rights: MAY },
    newest: { what: 'Sent a text to a customer', facts: 'run 5', at: SAMPLE_NOW - minutes(3) },
    eventsKept: '30 days',
    ...over,
  }
}

const SESSIONS: SessionsPageProps['sessions'] = [
  {
    id: 'session-of-this-browser',
    since: SAMPLE_NOW - hours(2),
    lastSeen: SAMPLE_NOW,
    endsAt: SAMPLE_NOW + hours(8),
    how: 'signed_in',
    staffUuid: null,
    name: null,
    current: true,
  },
  {
    id: 'session-of-the-frame--',
    since: SAMPLE_NOW - hours(1),
    lastSeen: SAMPLE_NOW - minutes(5),
    endsAt: SAMPLE_NOW + hours(7),
    how: 'opened_in_servicem8',
    staffUuid: 's-kim',
    name: 'Kim Doyle',
    current: false,
  },
]

/** What the page sends. */
function listening() {
  const sent: Record<string, string>[] = []
  const action = async ({ request }: { request: Request }) => {
    sent.push(Object.fromEntries(new URLSearchParams(await request.text())))
    return null
  }
  return { sent, action }
}

const draw = (over: Partial<AccountPageProps> = {}) => {
  const { sent, action } = listening()
  renderPage({ page: () => <AccountPage {...propsOf(over)} />, action })
  return sent
}

const sessionsPage = (over: Partial<SessionsPageProps> = {}) => (
  <SessionsPage {...FRAME} sessions={SESSIONS} rights={MAY} asked={false} {...over} />
)
const erasePage = (over: Partial<ErasePageProps> = {}) => (
  <ErasePage {...FRAME} rights={MAY} nameToType="Smith & Sons Plumbing" refused={null} {...over} />
)

const drawSessions = (over: Partial<SessionsPageProps> = {}) => {
  const { sent, action } = listening()
  renderPage({ page: () => sessionsPage(over), action })
  return sent
}

/** Everything that only owners may do, on its three pages at once. */
const drawOwnerActs = (rights: SessionsPageProps['rights']) =>
  renderPage({
    page: () => (
      <>
        {sessionsPage({ rights })}
        <ExportPage {...FRAME} rights={rights} />
        {erasePage({ rights })}
      </>
    ),
  })

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /[\w£]/.test(word)).length

describe('the first page', () => {
  const person = { role: 'owner', since: SAMPLE_NOW - hours(40), you: false } as const
  const people = ['Kim Doyle', 'Alex Reid', 'Elin Hughes', 'Sam Okoro', 'Tom Finch'].map((name, index) => ({
    ...person,
    name,
    staffUuid: `s-${index}`,
    you: index === 0,
  }))

  it('has at most 350 words, closed parts and screen readers’ words included', () => {
    draw({ people: { people, rights: MAY }, connection: { state: 'reconnect', since: SAMPLE_NOW, scopes: ['vendor'] } })
    const words = wordsIn(
      [...document.querySelectorAll('h1, h2, h3, p, li, a, button, summary')]
        .filter((element) => !element.querySelector('h1, h2, h3, p, li, a, button, summary'))
        .map(({ textContent }) => textContent)
        .join(' '),
    )
    expect(words).toBeGreaterThan(60)
    expect(words).toBeLessThanOrEqual(350)
  })

  it('says of each part how it is, and leads to its page', () => {
    draw()
    const rows = within(screen.getByRole('region', { name: 'Security and data' })).getAllByRole('link')
    expect(rows.map((row) => [row.textContent, row.getAttribute('href')])).toEqual([
      ['Active sessions2 browsers', '/account/sessions?accountUUID=account-1'],
      ['Who did whatSent a text to a customer · run 5, 3 minutes ago', '/account/activity?accountUUID=account-1'],
      ['Data retentionEvents: 30 days', '/account/retention?accountUUID=account-1'],
      ['ExportEverything in one file', '/account/export?accountUUID=account-1'],
      ['Erase this accountDeletes its data for good', '/account/erase?accountUUID=account-1'],
    ])
  })

  it('says one browser, and that nothing happened yet', () => {
    draw({ browsers: 1, newest: null })
    const card = screen.getByRole('region', { name: 'Security and data' })
    expect(card.textContent).toContain('1 browser')
    expect(card.textContent).toContain('Nothing yet')
  })
})

describe('the people', () => {
  const kim = {
    staffUuid: 's-kim',
    name: 'Kim Doyle',
    role: 'owner',
    since: SAMPLE_NOW - hours(40),
    you: true,
  } as const
  const alex = { staffUuid: 's-alex', name: 'Alex Reid', role: 'member', since: SAMPLE_NOW, you: false } as const

  it('are listed with their roles, and an owner makes somebody else one', async () => {
    const sent = draw({ people: { people: [kim, alex], rights: MAY } })
    const card = screen.getByRole('region', { name: 'People' })
    const [first, second] = within(card).getAllByRole('listitem')
    expect(first?.textContent).toContain('Kim DoyleOwnerYou')
    expect(second?.textContent).toContain('Alex ReidMember')
    fireEvent.click(within(card).getByRole('button', { name: 'Make owner: Alex Reid' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'role', person: 's-alex', role: 'owner' }]))
  })

  it('keep their buttons an hour later, and say what to do first', () => {
    draw({ people: { people: [kim, alex], rights: { refusal: 'fresh', owners: ['Kim Doyle'] } } })
    const card = within(screen.getByRole('region', { name: 'People' }))
    const button = card.getByRole<HTMLButtonElement>('button', { name: 'Make owner: Alex Reid' })
    const note = card.getByText('To change roles, open Fieldhook from ServiceM8 again.')
    expect([button.disabled, button.getAttribute('aria-describedby')]).toEqual([true, note.id])
  })

  it('are nobody at first: the card says who becomes the owner', () => {
    draw()
    expect(screen.getByRole('region', { name: 'People' }).textContent).toContain(
      'The first person who does becomes the owner.',
    )
  })
})

describe('what only owners may', () => {
  const ACTS = ['Sign out everywhere', 'Download everything', 'Erase this account'] as const
  const controls = () =>
    [...screen.queryAllByRole('button'), ...screen.queryAllByRole('link')]
      .map(({ textContent }) => textContent ?? '')
      .filter((name) => ACTS.some((act) => act === name) || name.startsWith('Make '))
  const rights = (refusal: 'owner' | 'unnamed' | 'fresh') => ({ refusal, owners: ['Elin Hughes'] })

  it('is not offered to a member, who reads who can', () => {
    drawOwnerActs(rights('owner'))
    expect(controls()).toEqual([])
    for (const act of ['sign everybody out', 'download everything', 'erase this account']) {
      screen.getByText(`Owners can ${act}: Elin Hughes.`)
    }
    expect(screen.queryByRole('textbox')).toBeNull()
    cleanup()
    drawSessions({ rights: rights('owner'), asked: true })
    expect(controls()).toEqual([])
  })

  it('says to whom nobody knows how an owner is known', () => {
    drawOwnerActs(rights('unnamed'))
    expect(controls()).toEqual([])
    screen.getByText('Owners can erase this account: Elin Hughes. If you are one, open Fieldhook from ServiceM8.')
  })

  it('stays in sight when the last proof is too old, with what to do first', () => {
    drawOwnerActs(rights('fresh'))
    expect(controls()).toEqual([...ACTS])
    for (const name of ACTS) {
      const button = screen.getByRole<HTMLButtonElement>('button', { name })
      const note = document.getElementById(button.getAttribute('aria-describedby') ?? '')
      expect([button.disabled, note?.textContent]).toEqual([
        true,
        expect.stringMatching(/^To .+, open Fieldhook from ServiceM8 again\.$/),
      ])
    }
  })

  it('leads to a new sign-in beside each of them, but not in the frame, where that would change nothing', () => {
    const links = () => screen.queryAllByRole<HTMLAnchorElement>('link', { name: /^Or sign in again/ })
    drawOwnerActs(rights('fresh'))
    expect(links().map((link) => link.getAttribute('href'))).toEqual(
      ACTS.map(() => '/api/oauth/authorize?accountuuid=account-1&token=fieldhook'),
    )
    cleanup()
    drawOwnerActs(rights('unnamed'))
    expect(links()).toEqual([])
    cleanup()
    vi.stubGlobal('top', {})
    drawOwnerActs(rights('fresh'))
    expect(controls()).toEqual([...ACTS])
    expect(links()).toEqual([])
  })

  it('is there again as soon as somebody comes back from the sign-in', async () => {
    let refusal: 'fresh' | null = 'fresh'
    const Page = () => sessionsPage({ rights: useLoaderData() })
    renderPage({ page: () => <Page />, loader: () => ({ refusal, owners: [] }) })
    expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Sign out everywhere' })).disabled).toBe(true)
    refusal = null
    await waitFor(() => {
      // Once the page listens.
      document.dispatchEvent(new Event('visibilitychange'))
      expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Sign out everywhere' }).disabled).toBe(false)
    })
  })
})

describe('who is signed in', () => {
  it('names each browser, how it came in, and which one this is', () => {
    drawSessions()
    const list = screen.getByRole('region', { name: '2 browsers' })
    const [mine, frame] = within(list).getAllByRole('listitem')
    expect(mine?.textContent).toContain('Signed in through ServiceM8')
    expect(mine?.textContent).toContain('This browser')
    expect(frame?.textContent).toContain('Kim DoyleOpened from inside ServiceM8')
    expect(frame?.textContent).not.toContain('This browser')
    expect(frame?.textContent).toContain('5 minutes ago')
  })

  it('signs one out by its own button', async () => {
    const sent = drawSessions()
    fireEvent.click(screen.getByRole('button', { name: 'Sign out: Kim Doyle' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'end_session', id: 'session-of-the-frame--' }]))
  })

  it('asks before it signs everybody out', async () => {
    const sent = drawSessions()
    fireEvent.click(screen.getByRole('button', { name: 'Sign out everywhere' }))
    const dialog = await screen.findByRole('alertdialog', { name: 'Sign out everywhere?' })
    expect(dialog.textContent).toContain('Deliveries and automations continue')
    expect(sent).toEqual([])
    fireEvent.click(within(dialog).getByRole('button', { name: 'Sign out everywhere' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'end_all' }]))
  })

  it('asks in the page where there is no script', () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const html = renderToString(pageStub({ page: () => sessionsPage({ asked: true }) }))
    expect(html).toContain('Sign out everywhere?')
    expect(html).toContain('name="intent" value="end_all"')
    expect(html).toContain('Stay signed in')
    const plain = renderToString(pageStub({ page: () => sessionsPage() }))
    expect(plain).toContain('name="step" value="end_all"')
    expect(plain).not.toContain('name="intent" value="end_all"')
  })
})

describe('the connection', () => {
  it('says since when and what is allowed', () => {
    draw()
    const card = screen.getByRole('region', { name: 'Connection to ServiceM8' })
    expect(card.textContent).toContain('Connected')
    expect(card.textContent).toContain('What ServiceM8 allows (2)')
    expect(
      within(card)
        .getByRole('link', { name: /Reconnect/ })
        .getAttribute('href'),
    ).toBe('/api/oauth/authorize?accountuuid=account-1&token=fieldhook')
  })

  it('says what it means that it has ended', () => {
    draw({ connection: { state: 'reconnect', since: SAMPLE_NOW, scopes: [] } })
    const card = screen.getByRole('region', { name: 'Connection to ServiceM8' })
    expect(card.textContent).toContain('Not connected')
    expect(card.textContent).toContain('Sign in again to continue.')
  })
})

it('says how long everything is kept', () => {
  const kinds = keptUntil({ retentionDays: 45 }).slice(0, 3)
  const counts: RetentionPageProps['counts'] = {
    events: { count: 100_001, oldestAt: SAMPLE_NOW - hours(48) },
    bodies: { count: 0, oldestAt: null },
  }
  const shortage = 'Storage is nearly full at the moment.'
  renderPage({ page: () => <RetentionPage {...FRAME} kinds={kinds} counts={counts} shortage={shortage} /> })
  const page = document.body.textContent ?? ''
  for (const said of ['45 days', 'You have more than 100,000, the oldest from', 'You have none.', 'nearly full']) {
    expect(page).toContain(said)
  }
})

it('offers everything as a file', () => {
  renderPage({ page: () => <ExportPage {...FRAME} rights={MAY} /> })
  const link = screen.getByRole('link', { name: 'Download everything' })
  expect(link.getAttribute('href')).toBe('/api/export?accountUUID=account-1')
  // With it, a browser shows no page that says why there is no file.
  expect(link.hasAttribute('download')).toBe(false)
})

describe('erasing', () => {
  it('asks first, then says what goes and what stays; offers the copy, and wants the name', async () => {
    const { sent, action } = listening()
    renderPage({ page: () => erasePage(), action })
    const regions = screen.getAllByRole('region').map((region) => region.getAttribute('aria-labelledby'))
    expect(regions).toEqual(['erase-title', 'goes-title', 'stays-title'])
    expect(screen.getByRole('region', { name: 'What we keep' }).textContent).toContain('for 400 days')
    const card = screen.getByRole('region', { name: 'Erase everything for good?' })
    expect(within(card).getByRole('link', { name: 'Download everything first' }).getAttribute('href')).toBe(
      '/api/export?accountUUID=account-1',
    )
    const box = within(card).getByRole('textbox', { name: 'Type the name of the account' })
    fireEvent.change(box, { target: { value: 'Smith & Sons Plumbing' } })
    fireEvent.click(within(card).getByRole('button', { name: 'Erase this account' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'erase', name: 'Smith & Sons Plumbing' }]))
  })

  it('keeps what was typed, and says why it was not enough', () => {
    const refused = { name: 'Smith', message: 'Type the name exactly as it is shown. Nothing was erased.' }
    renderPage({ page: () => erasePage({ refused }) })
    const box = screen.getByRole<HTMLInputElement>('textbox', { name: 'Type the name of the account' })
    expect([box.value, box.getAttribute('aria-invalid'), document.activeElement]).toEqual(['Smith', 'true', box])
    expect(screen.getByText(/Nothing was erased/).textContent).toContain('exactly')
  })
})

describe('addresses', () => {
  it('say whose page it is and what is open on it', () => {
    const account = { accountUUID: 'a b', admin: true }
    expect(accountAddress(account, 'activity', { group: 'access', from: '' })).toBe(
      '/account/activity?accountUUID=a+b&admin=yes&group=access',
    )
    expect(accountPartAt('/account/erase')).toBe('erase')
    expect(accountPartAt('/Account/Erase/')).toBe('erase')
    expect(accountPartAt('/account')).toBeNull()
    expect(accountPartAt('/account/everything')).toBeNull()
  })

  it.each([
    [
      { view: 'manager', accountUUID: 'a', admin: true },
      { accountUUID: 'a', admin: true },
    ],
    [
      { view: 'settings', account: { accountUUID: 'a', admin: false } },
      { accountUUID: 'a', admin: false },
    ],
    [{ view: 'gate', accountUUID: 'a' }, null],
    [{ accountUUID: '' }, null],
    [{ account: null }, null],
    [null, null],
    ['text', null],
  ])('of %j the page about the account is for %j', (page, account) => {
    expect(shownAccount(page)).toEqual(account)
  })
})

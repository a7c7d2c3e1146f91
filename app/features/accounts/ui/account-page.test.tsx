import { useLoaderData } from '@remix-run/react'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { accountAddress, readAccountStep, shownAccount } from '#app/domain/account-address.ts'
import { keptUntil } from '#app/domain/kept-until.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import { AccountPage, type AccountPageProps } from './account-page.tsx'

afterEach(() => vi.unstubAllGlobals())

const MAY = { refusal: null, owners: [] }

function propsOf(over: Partial<AccountPageProps> = {}): AccountPageProps {
  return {
    account: { accountUUID: 'account-1', admin: false },
    accountName: 'Smith & Sons Plumbing',
    timezone: SAMPLE_ZONE,
    now: SAMPLE_NOW,
    connection: { state: 'connected', since: SAMPLE_NOW - hours(48), scopes: ['vendor', 'read_jobs'] },
    sessions: [
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
    ],
    people: { people: [], rights: MAY },
    kept: { kinds: keptUntil({ retentionDays: 45, backups: null }).slice(0, 3), counts: {}, shortage: null },
    step: null,
    nameToType: 'Smith & Sons Plumbing',
    refused: null,
    children: <p>the list</p>,
    ...over,
  }
}

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
    fireEvent.click(within(card).getByRole('button', { name: 'Make Alex Reid an owner' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'role', person: 's-alex', role: 'owner' }]))
  })

  it('keep their buttons an hour later, and say what to do first', () => {
    draw({ people: { people: [kim, alex], rights: { refusal: 'fresh', owners: ['Kim Doyle'] } } })
    const card = within(screen.getByRole('region', { name: 'People' }))
    const button = card.getByRole<HTMLButtonElement>('button', { name: 'Make Alex Reid an owner' })
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
  const ACTS = ['Sign out everywhere', 'Download everything', 'Erase this account…'] as const
  const controls = () =>
    [...screen.queryAllByRole('button'), ...screen.queryAllByRole('link')]
      .map(({ textContent }) => textContent ?? '')
      .filter((name) => ACTS.some((act) => act === name) || name.startsWith('Make '))
  const rights = (refusal: 'owner' | 'unnamed' | 'fresh') => ({
    people: [],
    rights: { refusal, owners: ['Elin Hughes'] },
  })

  it('is not offered to a member, who reads who can', () => {
    for (const step of [null, 'end_all', 'erase'] as const) {
      draw({ people: rights('owner'), step })
      expect(controls()).toEqual([])
      for (const act of ['sign everybody out', 'download everything', 'erase this account']) {
        screen.getByText(`Owners can ${act}: Elin Hughes.`)
      }
      expect(screen.queryByRole('textbox')).toBeNull()
      cleanup()
    }
  })

  it('says to whom nobody knows how an owner is known', () => {
    draw({ people: rights('unnamed') })
    expect(controls()).toEqual([])
    screen.getByText('Owners can erase this account: Elin Hughes. If you are one, open Fieldhook from ServiceM8.')
  })

  it('stays in sight when the last proof is too old, with what to do first', () => {
    draw({ people: rights('fresh') })
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
    draw({ people: rights('fresh') })
    expect(links().map((link) => link.getAttribute('href'))).toEqual(
      ACTS.map(() => '/api/oauth/authorize?accountuuid=account-1&token=fieldhook'),
    )
    cleanup()
    draw({ people: rights('unnamed') })
    expect(links()).toEqual([])
    cleanup()
    vi.stubGlobal('top', {})
    draw({ people: rights('fresh') })
    expect(controls()).toEqual([...ACTS])
    expect(links()).toEqual([])
  })

  it('is there again as soon as somebody comes back from the sign-in', async () => {
    let refusal: 'fresh' | null = 'fresh'
    const Page = () => <AccountPage {...propsOf({ people: { people: [], rights: useLoaderData() } })} />
    renderPage({ page: () => <Page />, loader: () => ({ refusal, owners: [] }) })
    expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Sign out everywhere' })).disabled).toBe(true)
    refusal = null
    document.dispatchEvent(new Event('visibilitychange'))
    await waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Sign out everywhere' }).disabled).toBe(false),
    )
  })
})

describe('who is signed in', () => {
  it('names each browser, how it came in, and which one this is', () => {
    draw()
    const list = screen.getByRole('region', { name: 'Signed in now' })
    const [mine, frame] = within(list).getAllByRole('listitem')
    expect(mine?.textContent).toContain('Signed in through ServiceM8')
    expect(mine?.textContent).toContain('This browser')
    expect(frame?.textContent).toContain('Kim DoyleOpened from inside ServiceM8')
    expect(frame?.textContent).not.toContain('This browser')
    expect(frame?.textContent).toContain('5 minutes ago')
  })

  it('signs one out by its own button', async () => {
    const sent = draw()
    fireEvent.click(screen.getByRole('button', { name: 'Sign out: Kim Doyle' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'end_session', id: 'session-of-the-frame--' }]))
  })

  it('asks before it signs everybody out', async () => {
    const sent = draw()
    fireEvent.click(screen.getByRole('button', { name: 'Sign out everywhere' }))
    const dialog = await screen.findByRole('alertdialog', { name: 'Sign out everywhere?' })
    expect(dialog.textContent).toContain('Deliveries and automations go on')
    expect(sent).toEqual([])
    fireEvent.click(within(dialog).getByRole('button', { name: 'Sign out everywhere' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'end_all' }]))
  })

  it('asks in the page where there is no script', () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const html = renderToString(pageStub({ page: () => <AccountPage {...propsOf({ step: 'end_all' })} /> }))
    expect(html).toContain('Sign out everywhere?')
    expect(html).toContain('name="intent" value="end_all"')
    expect(html).toContain('Stay signed in')
    const plain = renderToString(pageStub({ page: () => <AccountPage {...propsOf()} /> }))
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
        .getByRole('link', { name: /Connect again/ })
        .getAttribute('href'),
    ).toBe('/api/oauth/authorize?accountuuid=account-1&token=fieldhook')
  })

  it('says what it means that it has ended', () => {
    draw({ connection: { state: 'reconnect', since: SAMPLE_NOW, scopes: [] } })
    const card = screen.getByRole('region', { name: 'Connection to ServiceM8' })
    expect(card.textContent).toContain('Not connected')
    expect(card.textContent).toContain('until you sign in again')
  })
})

it('says how long everything is kept, and offers it as a file', () => {
  const kinds = keptUntil({ retentionDays: 45, backups: null }).slice(0, 3)
  const counts = { events: { count: 100_001, oldestAt: SAMPLE_NOW - hours(48) }, bodies: { count: 0, oldestAt: null } }
  draw({ kept: { kinds, counts, shortage: 'Storage is nearly full at the moment.' } })
  const card = screen.getByRole('region', { name: 'What is kept, and until when' }).textContent
  for (const said of ['45 days', 'You have more than 100,000; the oldest is from', 'You have none.', 'nearly full']) {
    expect(card).toContain(said)
  }
  const link = screen.getByRole('link', { name: 'Download everything' })
  expect(link.getAttribute('href')).toBe('/api/export?accountUUID=account-1')
  expect(link.hasAttribute('download')).toBe(true)
  expect(screen.getByText('the list').textContent).toBe('the list')
})

describe('erasing', () => {
  it('says nothing to press before it was read', () => {
    draw()
    const card = screen.getByRole('region', { name: 'Erase this account' })
    expect(within(card).queryByRole('button')).toBeNull()
    expect(within(card).getByRole('link').getAttribute('href')).toBe(
      '/account?accountUUID=account-1&step=erase#erase-title',
    )
  })

  it('says what goes, what stays, offers the copy first, and wants the name', async () => {
    const sent = draw({ step: 'erase' })
    const card = screen.getByRole('region', { name: 'Erase this account' })
    expect(card.textContent).toContain('What stays, and why')
    expect(card.textContent).toContain('for 400 days')
    expect(within(card).getByRole('link', { name: 'Download everything first' }).getAttribute('href')).toBe(
      '/api/export?accountUUID=account-1',
    )
    const box = within(card).getByRole('textbox', { name: 'Type the name of the account' })
    expect(document.activeElement).toBe(box)
    fireEvent.change(box, { target: { value: 'Smith & Sons Plumbing' } })
    fireEvent.click(within(card).getByRole('button', { name: 'Erase this account' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'erase', name: 'Smith & Sons Plumbing' }]))
  })

  it('keeps what was typed, and says why it was not enough', () => {
    draw({ refused: { name: 'Smith', message: 'Type the name exactly as it is shown. Nothing was erased.' } })
    const box = screen.getByRole<HTMLInputElement>('textbox', { name: 'Type the name of the account' })
    expect([box.value, box.getAttribute('aria-invalid'), document.activeElement]).toEqual(['Smith', 'true', box])
    expect(screen.getByText(/Nothing was erased/).textContent).toContain('exactly')
  })
})

describe('addresses', () => {
  it('say whose page it is and what is open on it', () => {
    const account = { accountUUID: 'a b', admin: true }
    expect(accountAddress(account, 'erase', { group: 'access', from: '' })).toBe(
      '/account?accountUUID=a+b&admin=yes&step=erase&group=access',
    )
    expect(readAccountStep(new URLSearchParams('step=erase'))).toBe('erase')
    expect(readAccountStep(new URLSearchParams('step=everything'))).toBeNull()
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

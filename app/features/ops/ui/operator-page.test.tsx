import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { days, minutes } from '#app/lib/duration.ts'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { operatorFacts } from '#tests/support/sample-operator.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import { type OperatorFacts, operatorView } from '../operator-view.ts'
import { OPERATOR_REFRESH_MS, OperatorPage } from './operator-page.tsx'

const drawn = (over: Partial<OperatorFacts> = {}, asked: string | null = null) => (
  <OperatorPage
    accountUUID="account-1"
    accountName="Brisbane Plumbing"
    timezone={SAMPLE_ZONE}
    asked={asked}
    view={operatorView(operatorFacts(over))}
  />
)

function draw(over: Partial<OperatorFacts> = {}, loader?: () => null, asked: string | null = null) {
  const sent: Record<string, string>[] = []
  renderPage({
    page: () => drawn(over, asked),
    ...(loader && { loader }),
    action: async ({ request }) => {
      sent.push(Object.fromEntries(new URLSearchParams(await request.text())))
      return null
    },
  })
  return sent
}

const region = (name: string) => screen.getByRole('region', { name })
const textOf = (name: string) => region(name).textContent ?? ''

describe('the page', () => {
  it('names whose it is, answers first, then says what that rests on', () => {
    draw()
    expect(screen.getByText('Brisbane Plumbing').nextElementSibling?.textContent).toBe('Operator')
    expect(screen.getByText(/^Everything is fine: nothing is overdue/).textContent).toContain('12 minutes old')
    expect(textOf('Deliveries')).toContain('Nothing is overdue.')
    expect(textOf('Deliveries')).toContain('Start delay p99: 3 ms')
    expect(screen.getAllByRole('img').map((image) => image.getAttribute('aria-label'))).toEqual([
      'Events a minute: – now, peak 0.',
      'Oldest due delivery: – now, peak none.',
      'Database: 100 MB of 2.0 GB.',
    ])
    expect(region('Since the last start, 2 hours ago').querySelector('figure')).not.toBeNull()
    expect(textOf('Space')).toContain('(about 51,230)about 80 MB')
    expect(screen.getByRole('meter', { name: 'Database' }).getAttribute('aria-valuetext')).toBe('100 MB of 2.0 GB')
    expect(textOf('Backups and drills')).toContain('stored as 30 MB, in 3.0 s')
    expect(textOf('Refused and changed, last 24 hours')).toContain('Requests refused7 times')
    expect(textOf('This installation')).toContain('Node 20.20.0, SQLite 3.51.3')
    expect(textOf('Data retention')).toContain('400 days')
    expect(textOf('Failing addresses')).toContain('No failing addresses')
  })

  it('says when the database will be full, where it will', () => {
    const { space } = operatorFacts()
    draw({ space: { ...space, outlook: { perDayBytes: 1, daysLeft: 9, sentence: 'Full in about 9 days.' } } })
    expect(
      screen.getByRole('img', { name: /^Database: 100 MB of 2.0 GB, full about \d+ \w+ 20\d\d\.$/ }),
    ).not.toBeNull()
  })

  it('of several instances shows how many there are, and that the curves are of this one', () => {
    const facts = operatorFacts()
    draw({ delivering: { ...facts.delivering, instances: { members: 3, unowned: 0 } } })
    expect(textOf('Deliveries')).toContain('Instances3')
    expect(screen.getByRole('heading', { name: /^This instance: / })).not.toBeNull()
    expect(textOf('This instance')).toContain('Memory in use')
    expect(screen.queryByRole('heading', { name: 'This installation' })).toBeNull()
  })

  it('lists what needs somebody when there is more than one thing', () => {
    const facts = operatorFacts()
    draw({
      delivering: { ...facts.delivering, oldestDueAgeMs: minutes(7) },
      backups: { ...facts.backups, setUp: false, runs: [] },
    })
    expect(screen.getByText(/^Something needs you now/).textContent).toContain('And 1 other thing below.')
    expect(screen.getAllByText(/No backups are made/)).toHaveLength(2)
    expect(textOf('Deliveries')).toContain('waits for 7 minutes')
  })

  it('says who makes the backups of a database server', () => {
    const space = { ...operatorFacts().space, walBytes: null }
    draw({ space, backups: { setUp: 'server', lastBackupAt: null, lastDrillAt: null, runs: [] } })
    expect(textOf('Space')).toMatch(/On the server101 MB, 1\.0 MB free(?!Write)/)
    expect(textOf('Backups and drills')).toContain('The database server makes the backups')
    expect(screen.queryByText(/No backups are made/)).toBeNull()
  })

  it('says how a restored copy is let go', () => {
    draw({ held: true, backups: { setUp: 'copy', lastBackupAt: null, lastDrillAt: null, runs: [] } })
    expect(textOf('Backups and drills')).toBe('Backups and drillsA held copy makes no backups.')
    expect(screen.getByText(/^Fieldhook works, one thing needs you: on hold \(a restored or moved copy/).tagName).toBe(
      'SPAN',
    )
    expect(screen.getByText('This copy is on hold').parentElement?.textContent).toContain('npm run release -- --yes')
  })

  it('says whose addresses fail, since when and how', () => {
    const classes = [
      { words: '5xx', count: 2 },
      { words: 'name not found', count: 1 },
    ]
    const group = { accountUuid: 'a', accountName: 'Alder & Finch', since: SAMPLE_NOW - days(4), switchedOff: 1 }
    draw({ failing: { accounts: 1, addresses: 3, more: true, groups: [{ ...group, addresses: 3, classes }] } })
    const card = textOf('Failing addresses')
    for (const said of [
      'Alder & Finch',
      '5xx (2), name not found (1), since',
      '1 switched off after 72 hours',
      'There are more',
    ]) {
      expect(card).toContain(said)
    }
  })

  it('works without scripts: pages of accounts are addresses, the button is a form', () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const { accounts } = operatorFacts()
    const html = renderToString(
      pageStub({ page: () => drawn({ accounts: { ...accounts, page: 2, pages: 3, count: 40 } }, 'account-1') }),
    )
    expect(html).toContain('href="/operator?accountUUID=account-1&amp;admin=yes#accounts-title"')
    expect(html).toContain('href="/operator?accountUUID=account-1&amp;admin=yes&amp;page=3#accounts-title"')
    expect(html).toContain('name="intent" value="end_sessions"')
  })

  it('signs everybody out of an account, after it has asked', async () => {
    draw()
    const ask = within(region('Accounts')).getByRole('link', { name: 'Sign out of Smith & Sons Plumbing' })
    expect(ask.getAttribute('href')).toBe('/operator?accountUUID=account-1&admin=yes&sign_out=account-1#accounts-title')
    expect(screen.getAllByRole('button').map((button) => button.textContent)).toEqual(['Pause'])
    cleanup()
    const sent = draw({}, undefined, 'account-1')
    const question = region('Sign everybody out of Smith & Sons Plumbing?')
    expect(question.textContent).toContain('Deliveries and automations continue.')
    within(question).getByRole('button', { name: 'Sign out everywhere' }).click()
    await waitFor(() => expect(sent).toEqual([{ intent: 'end_sessions', account: 'account-1' }]))
  })
})

describe('while somebody looks at it', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  async function turn(answer: () => Promise<Response>) {
    const asked: string[] = []
    vi.stubGlobal('fetch', (path: string) => {
      asked.push(path)
      return answer()
    })
    await act(() => vi.advanceTimersByTimeAsync(OPERATOR_REFRESH_MS))
    return asked
  }

  it('is asked for anew, and says when that no longer works', async () => {
    vi.useFakeTimers()
    let loads = 0
    draw({}, () => {
      loads += 1
      return null
    })
    await act(() => vi.advanceTimersByTimeAsync(50))
    const first = loads
    expect(await turn(async () => Response.json({}))).toEqual(['/api/sessions?accountUUID=account-1'])
    expect(loads).toBe(first + 1)
    await turn(() => Promise.reject(new TypeError('no network')))
    expect(screen.getByRole('alert').textContent).toContain('Fieldhook does not answer')
    expect(loads).toBe(first + 1)
    await turn(async () => Response.json({}))
    expect(screen.queryByRole('alert')).toBeNull()
    await turn(async () => new Response(null, { status: 401 }))
    expect(screen.getByRole('alert').textContent).toContain('You are no longer signed in')
    expect(await turn(async () => Response.json({}))).toEqual([])
  })

  it('is asked for nothing while it is paused', async () => {
    vi.useFakeTimers()
    draw()
    await act(() => vi.advanceTimersByTimeAsync(50))
    fireEvent.click(screen.getByRole('button', { name: 'Pause' }))
    expect(await turn(async () => Response.json({}))).toEqual([])
    expect(screen.getByText('Paused.')).toBeDefined()
    fireEvent.click(screen.getByRole('button', { name: 'Resume' }))
    expect(await turn(async () => Response.json({}))).toHaveLength(1)
  })
})

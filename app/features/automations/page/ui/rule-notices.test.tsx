import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { NoticeView } from '#app/features/notices/notice-view.ts'
import { minutes } from '#app/lib/duration.ts'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { renderPage } from '#tests/support/page-stub.tsx'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import { RuleNotices } from './rule-notices.tsx'

const ACCOUNT = { accountUUID: 'account-1', admin: false }

function notice(over: Partial<NoticeView> = {}): NoticeView {
  const shown = { name: 'Thank the customer', what: 'failed 3 times', count: 3, ...over }
  return {
    ...{ id: 7, card: null, automationId: 2, kind: 'failing', runId: 12, mail: null },
    ...{ sentence: 'Step 1, Send SMS: ServiceM8 refused this text.', since: SAMPLE_NOW - minutes(20), at: SAMPLE_NOW },
    title: `${shown.name} ${shown.what}`,
    ...shown,
  }
}

function renderNotices(...notices: NoticeView[]) {
  const sent: Record<string, string>[] = []
  renderPage({
    at: '/?accountUUID=account-1',
    page: () => (
      <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
        <RuleNotices notices={notices} account={ACCOUNT} />
      </AccountTimeProvider>
    ),
    action: async ({ request }: { request: Request }) => {
      sent.push(Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])))
      return null
    },
  })
  return sent
}

/** The name of a link as it is read out. */
const link = (name: string) => {
  const links = screen.getAllByRole('link').filter(({ textContent }) => textContent === name)
  return links.length === 1 ? links[0]?.getAttribute('href') : links
}

describe('notices about automations', () => {
  it('are no box when there are none', () => {
    renderNotices()
    expect(screen.queryByRole('region', { name: 'Notices' })).toBeNull()
  })

  it('say in one row what happened, since when and why, with a way to it', () => {
    renderNotices(notice())
    const [row] = within(screen.getByRole('region', { name: 'Notices' })).getAllByRole('listitem')
    expect(row?.textContent).toMatch(
      /^Thank the customer failed 3 times since \S+: Step 1, Send SMS: ServiceM8 refused this text\.Open/,
    )
    expect(link('Open: Thank the customer failed 3 times')).toBe('/automation/runs/12?accountUUID=account-1')
  })

  it('lead to where each is mended', () => {
    renderNotices(
      notice({ id: 1, kind: 'waiting', what: 'has 3 runs waiting for you', runId: null }),
      notice({ id: 2, kind: 'silent', what: 'has not run for 9 days, usually twice a week', runId: null }),
      notice({ id: 3, kind: 'stopped', what: 'was stopped', runId: null }),
      notice({
        id: 4,
        kind: 'reconnect',
        name: 'Your automations',
        what: 'stand still',
        automationId: null,
        runId: null,
      }),
      notice({ id: 5, kind: 'plan', name: 'Your automations', what: 'are held', automationId: null, runId: null }),
      notice({ id: 6, kind: 'recovered', what: 'works again', runId: null }),
    )
    expect(link('Open: Thank the customer has 3 runs waiting for you')).toBe(
      '/automation/runs?accountUUID=account-1&rule=2&status=needs_you',
    )
    expect(link('Why?: Thank the customer has not run for 9 days, usually twice a week')).toBe(
      '/automation/runs?accountUUID=account-1&view=why',
    )
    expect(link('Open: Thank the customer was stopped')).toBe('/automation?accountUUID=account-1&edit=2#automation-2')
    const signIn = 'Sign in again: Your automations stand still (opens in a new tab)'
    expect(link(signIn)).toContain('/api/oauth/authorize?accountuuid=account-1')
    expect(screen.getByText('Sign in again').getAttribute('target')).toBe('_blank')
    expect(link('Open: Your automations are held')).toBe('/subscription?accountUUID=account-1')
    // Good news has a list of its own.
    expect(screen.getAllByRole('list')).toHaveLength(2)
  })

  it('say how many more there are than twenty', () => {
    renderNotices(...Array.from({ length: 23 }, (_, id) => notice({ id })))
    expect(screen.getAllByRole('listitem')).toHaveLength(21)
    screen.getByText('And 3 more.')
  })

  it('go when they are dismissed', async () => {
    const sent = renderNotices(notice())
    await userEvent.click(screen.getByRole('button', { name: 'Dismiss: Thank the customer failed 3 times' }))
    await waitFor(() => expect(sent).toEqual([{ act: 'dismiss_notice', id: '7', accountUUID: 'account-1' }]))
  })
})

import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { SAMPLE_NOW, SAMPLE_ZONE, sampleRule, sampleWebhook } from '#tests/support/sample-views.ts'
import { ManagerPage, type ManagerPageProps } from './manager-page.tsx'

function renderManager(over: Partial<ManagerPageProps>, sent: Record<string, string>[] = []) {
  renderPage({
    at: '/?accountUUID=account-1',
    page: () => (
      <ManagerPage
        accountUUID="account-1"
        accountName="Smith & Sons Plumbing"
        timezone={SAMPLE_ZONE}
        admin={false}
        now={SAMPLE_NOW}
        webhooks={[]}
        rules={[]}
        lastEventAt={SAMPLE_NOW - minutes(2)}
        step={{ step: 'none' }}
        log={null}
        replay={null}
        logSource="/fieldhook/log"
        {...over}
      />
    ),
    action: async ({ request }) => {
      sent.push(Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])))
      return null
    },
  })
}

describe('the line at the top', () => {
  it('says how the only one in trouble is, and leads to it', () => {
    const statusMessage = 'Failing since 13:22. Your address answered 500.'
    const note = { id: 2, objectType: 'note', label: 'Note', status: 'failing', statusMessage } as const
    renderManager({ webhooks: [sampleWebhook(), sampleWebhook(note)] })
    const row = within(screen.getByRole('list', { name: 'Needs attention' })).getByRole('listitem')
    expect(row.textContent).toBe('Note – Failing since 13:22. Your address answered 500.Show Note')
    expect(screen.queryByText(/needs attention/)).toBeNull()
    expect(screen.getByRole('link', { name: 'Show Note' }).getAttribute('href')).toBe(
      '?accountUUID=account-1&card=2#webhook-2',
    )
  })

  it('lists what is in trouble: what is wrong, and the button that helps', async () => {
    const sent: Record<string, string>[] = []
    const failing = { status: 'failing', pending: 3, statusMessage: 'Failing since 13:22. 3 events waiting.' } as const
    const stopped = { status: 'stopped', state: 'stopped', statusMessage: 'Stopped by your system.' } as const
    renderManager(
      {
        webhooks: [sampleWebhook(), sampleWebhook({ id: 2, objectType: 'note', label: 'Note', ...failing })],
        rules: [sampleRule(stopped)],
      },
      sent,
    )
    screen.getByText('1 of 2 webhooks and 1 forwarding rule need attention. Last event 2 minutes ago.')
    const rows = within(screen.getByRole('list', { name: 'Needs attention' })).getAllByRole('listitem')
    expect(rows.map((row) => row.textContent)).toEqual([
      'Note – Failing since 13:22. 3 events waiting.Try again nowShow Note',
      'Accounting – Stopped by your system.Start againShow Accounting',
    ])
    const [first] = rows
    if (!first) throw new Error('no row')
    fireEvent.click(within(first).getByRole('button', { name: 'Try again now: Note webhook' }))
    await waitFor(() =>
      expect(sent).toEqual([{ intent: 'start_again', id: '2', place: 'health', accountUUID: 'account-1' }]),
    )
  })

  it('lists five of them and counts the others, lines included', () => {
    const webhooks = Array.from({ length: 6 }, (_, n) => sampleWebhook({ id: n + 1, status: 'unsubscribed' }))
    const line = { id: 'rule-9', kind: 'extra', name: 'Far', label: 'Job', callbackUrl: '', status: 'failing' } as const
    renderManager({ webhooks, ruleLines: [line] })
    expect(within(screen.getByRole('list', { name: 'Needs attention' })).getAllByRole('listitem')).toHaveLength(5)
    screen.getByText('And 2 more.')
  })

  it('leaves the row to the card when there is only one, which is open', () => {
    renderManager({ webhooks: [sampleWebhook({ status: 'failing', pending: 1 })] })
    expect(screen.queryByRole('list', { name: 'Needs attention' })).toBeNull()
    screen.getByRole('button', { name: 'Try again now: Job webhook' })
  })
})

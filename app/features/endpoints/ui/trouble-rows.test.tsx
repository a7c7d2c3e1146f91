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
      'Accounting – Stopped by your system.Start againShow Accounting',
      'Note – Failing since 13:22. 3 events waiting.Try again nowShow Note',
    ])
    const [, second] = rows
    if (!second) throw new Error('no row')
    fireEvent.click(within(second).getByRole('button', { name: 'Try again now: Note webhook' }))
    await waitFor(() =>
      expect(sent).toEqual([{ intent: 'start_again', id: '2', place: 'health', accountUUID: 'account-1' }]),
    )
  })

  it('does not press where the receiver asked us to wait', () => {
    const asked = { status: 'failing', pending: 5, asked: true, statusMessage: 'We send again at 14:00.' } as const
    renderManager({ webhooks: [sampleWebhook(), sampleWebhook({ id: 2, label: 'Note', ...asked })] })
    const row = within(screen.getByRole('list', { name: 'Needs attention' })).getByRole('listitem')
    expect(row.textContent).toBe('Note – We send again at 14:00.Show Note')
  })

  it('lists five of them and counts the others, lines included', () => {
    const webhooks = Array.from({ length: 6 }, (_, n) => sampleWebhook({ id: n + 1, status: 'unsubscribed' }))
    const line = { id: 'rule-9', kind: 'extra', name: 'Far', label: 'Job', callbackUrl: '', status: 'failing' } as const
    renderManager({ webhooks, ruleLines: [line] })
    expect(within(screen.getByRole('list', { name: 'Needs attention' })).getAllByRole('listitem')).toHaveLength(5)
    expect(screen.getByRole('link', { name: 'And 2 more.' }).getAttribute('href')).toBe('#webhooks-title')
  })

  it('begins with what only a press can start, and leads to the others', () => {
    const webhooks = [sampleWebhook({ id: 1, status: 'failing' }), sampleWebhook({ id: 2, status: 'failing' })]
    const rules = (['failing', 'failing', 'failing', 'stopped'] as const).map((status, n) =>
      sampleRule({
        id: `rule-${n + 1}`,
        name: `Rule ${n + 1}`,
        status,
        state: status === 'stopped' ? status : 'active',
      }),
    )
    renderManager({ webhooks, rules: [...rules, sampleRule({ id: 'rule-5', status: 'failing', state: 'failing' })] })
    const rows = within(screen.getByRole('list', { name: 'Needs attention' })).getAllByRole('listitem')
    expect(rows).toHaveLength(5)
    expect(rows[0]?.textContent).toMatch(/^Rule 4 /)
    within(rows[1] as HTMLElement).getByRole('button', { name: 'Start again: Accounting rule' })
    expect(screen.getByRole('link', { name: 'And 2 more.' }).getAttribute('href')).toBe('#rules-title')
    expect(document.getElementById('rules-title')?.textContent).toBe('Forwarding Rules')
  })

  it('leaves the row to the card when there is only one, which is open', () => {
    renderManager({ webhooks: [sampleWebhook({ status: 'failing', pending: 1 })] })
    expect(screen.queryByRole('list', { name: 'Needs attention' })).toBeNull()
    screen.getByRole('button', { name: 'Try again now: Job webhook' })
  })
})

import { screen, within } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { NO_AUDIT_FILTER, SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import { AuditLog, type AuditLogProps } from './audit-log.tsx'

const LINE = {
  id: 9,
  at: SAMPLE_NOW - minutes(3),
  who: 'Alex Smith',
  actor: 'staff',
  what: 'Deleted the webhook for job',
  outcome: 'done',
  facts: 'hooks.example.com',
  run: null,
  ip: '192.0.2.1',
  accountUuid: null,
} as const

function listOf(over: Partial<AuditLogProps> = {}) {
  const props: AuditLogProps = {
    carried: { accountUUID: 'account-1' },
    addressOf: (asked) => `/account?${new URLSearchParams({ accountUUID: 'account-1', ...asked })}`,
    form: NO_AUDIT_FILTER,
    errors: {},
    lines: [LINE, { ...LINE, id: 8, outcome: 'refused', what: 'Request GET /api/webhooks', facts: '', ip: null }],
    next: null,
    isOlder: false,
    everybody: false,
    other: null,
    runTo: (run) => `/automation/runs/${run}`,
    ...over,
  }
  return (
    <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
      <AuditLog {...props} />
    </AccountTimeProvider>
  )
}

describe('who did what', () => {
  it('says what, who, when, from where and how it ended', () => {
    renderPage({ page: () => listOf() })
    const [deleted, refused] = within(screen.getByRole('list', { name: 'Newest first' })).getAllByRole('listitem')
    expect(deleted?.textContent).toContain('Deleted the webhook for job')
    expect(deleted?.textContent).toContain('Alex Smith')
    expect(deleted?.textContent).toContain('from 192.0.2.1')
    expect(deleted?.textContent).toContain('hooks.example.com')
    expect(deleted?.textContent).not.toContain('Done')
    expect(refused?.textContent).toContain('Refused')
    expect(refused?.textContent).not.toContain('from')
  })

  it('leads to the run that sent a message', () => {
    renderPage({
      page: () => listOf({ lines: [{ ...LINE, what: 'Sent a text to a customer', facts: 'run 5', run: 5 }] }),
    })
    expect(screen.getByRole('listitem').textContent).toContain('Sent a text to a customer · run 5')
    expect(screen.getByRole('link', { name: 'run 5' }).getAttribute('href')).toBe('/automation/runs/5')
  })

  it('keeps the filter closed until it is used', () => {
    const isOpen = () => document.querySelector('details')?.open
    const { unmount } = renderPage({ page: () => listOf() })
    expect(isOpen()).toBe(false)
    unmount()
    renderPage({ page: () => listOf({ form: { ...NO_AUDIT_FILTER, group: 'access' } }) })
    expect(isOpen()).toBe(true)
  })

  it('shows a hostile name as text', () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const what = 'Created the automation <img src=x onerror=alert(1)>'
    const html = renderToString(pageStub({ page: () => listOf({ lines: [{ ...LINE, what }] }) }))
    expect(html).not.toContain('<img')
    expect(html).toContain('&lt;img')
  })

  it('is filtered by a form that works by address', () => {
    const form = { group: 'messages', outcome: 'failed', from: '2026-01-01', until: '' }
    renderPage({ page: () => listOf({ form }) })
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'About' }).value).toBe('messages')
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Outcome' }).value).toBe('failed')
    expect(screen.getByLabelText<HTMLInputElement>('From').value).toBe('2026-01-01')
    expect(document.querySelector('form')?.getAttribute('method')).toBe('get')
    expect(document.querySelector('input[name=accountUUID]')?.getAttribute('value')).toBe('account-1')
    expect(screen.getByRole('link', { name: 'Clear' }).getAttribute('href')).toBe('/account?accountUUID=account-1')
  })

  it('goes on to older ones with the same filter', () => {
    const form = { ...NO_AUDIT_FILTER, group: 'access' }
    renderPage({ page: () => listOf({ form, next: 8, isOlder: true }) })
    expect(screen.getByRole('link', { name: 'Older' }).getAttribute('href')).toContain('group=access')
    expect(screen.getByRole('link', { name: 'Older' }).getAttribute('href')).toContain('before=8')
    expect(screen.getByRole('link', { name: 'Newest' }).getAttribute('href')).not.toContain('before')
  })

  it('says when nothing is there, and when nothing fits', () => {
    const { unmount } = renderPage({ page: () => listOf({ lines: [] }) })
    expect(screen.getByText('Nothing yet').textContent).toBe('Nothing yet')
    unmount()
    renderPage({ page: () => listOf({ lines: [], form: { ...NO_AUDIT_FILTER, outcome: 'failed' } }) })
    expect(screen.getByRole('link', { name: 'Show everything' }).getAttribute('href')).toBe(
      '/account?accountUUID=account-1',
    )
  })

  it('says what of the filter cannot be read', () => {
    renderPage({ page: () => listOf({ lines: null, errors: { from: ['Please enter a day.'], before: ['x'] } }) })
    expect(screen.getByLabelText('From').getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByRole('alert').textContent).toContain('This page of the list does not exist')
    expect(screen.queryByRole('list')).toBeNull()
  })

  it('shows an operator whose entry it is', () => {
    const lines = [{ ...LINE, what: 'webhook.deleted', facts: '', accountUuid: 'account-2' }]
    renderPage({
      page: () => listOf({ everybody: true, lines, other: { to: '/account?x', label: 'Only this account' } }),
    })
    expect(screen.getByRole('heading', { name: /^All accounts/ }).textContent).toContain('newest first')
    expect(screen.getByRole('listitem').textContent).toContain('account account-2')
    expect(screen.getByRole('link', { name: 'Only this account' }).getAttribute('href')).toBe('/account?x')
  })
})

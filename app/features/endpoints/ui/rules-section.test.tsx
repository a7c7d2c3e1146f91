import { useActionData } from '@remix-run/react'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { keyOf, noRoomForEndpoints } from '#app/domain/endpoint-key.ts'
import { OBJECT_TYPES } from '#app/domain/object-catalog.ts'
import { DEFAULT_LOG_FILTER } from '#app/features/events/log-view.ts'
import { minutes } from '#app/lib/duration.ts'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import {
  SAMPLE_NOW,
  SAMPLE_ZONE,
  sampleEntry,
  sampleReplay,
  sampleResult,
  sampleRule,
} from '#tests/support/sample-views.ts'
import type { ReplayPanelData } from '../controls/replay-text.ts'
import type { EndpointLine, EndpointView } from '../endpoint-view.ts'
import type { FormResult } from '../form-result.ts'
import type { LogAnswer } from './log/log-filter.ts'
import type { ManagerStep } from './manager-address.ts'
import { RulesSection } from './manager-page.tsx'

interface Options {
  rules?: EndpointView[]
  lines?: EndpointLine[]
  noRoom?: string
  admin?: boolean
  step?: ManagerStep
  log?: LogAnswer | null
  replay?: ReplayPanelData | null
  result?: FormResult
  /** What the server does with a form; null = it was done. */
  answer?: (form: Record<string, string>) => FormResult | null
}

function Section({ rules = [], lines = [], noRoom, admin = false, step = { step: 'none' }, ...rest }: Options) {
  const refused = useActionData<FormResult | null>()
  return (
    <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
      <RulesSection
        alone
        rules={rules}
        lines={lines}
        noRoom={noRoom ?? null}
        account={{ accountUUID: 'account-1', admin }}
        step={step}
        log={rest.log ?? null}
        replay={rest.replay ?? null}
        logSource="/fieldhook/log"
        result={(refused as FormResult | null) ?? rest.result}
      />
    </AccountTimeProvider>
  )
}

function renderSection(options: Options = {}) {
  const sent: Record<string, string>[] = []
  renderPage({
    at: '/?accountUUID=account-1',
    page: () => <Section {...options} />,
    action: async ({ request }) => {
      const form = Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)]))
      sent.push(form)
      return options.answer?.(form) ?? null
    },
    routes: [{ path: '/fieldhook/log', loader: () => options.log ?? null }],
  })
  return sent
}

const card = (name: string) => within(screen.getByRole('article', { name }))
const adding = () => screen.getByText('Add another address').closest('details') as HTMLDetailsElement

describe('the section', () => {
  it('says what it is for, and that there is nothing yet', () => {
    renderSection()
    screen.getByRole('region', { name: 'Forwarding Rules' })
    screen.getByText('Send the same events to another address.')
    expect(screen.queryByRole('article')).toBeNull()
    expect(adding().open).toBe(false)
  })

  it('offers no form when no address fits any more', () => {
    renderSection({ rules: [sampleRule()], noRoom: noRoomForEndpoints(1_000) })
    expect(screen.queryByText('Add another address')).toBeNull()
    screen.getByText(/^This installation stops at 1,000 addresses for one account\./)
  })

  it('shows many in one line each, in their order, with the whole card of the open one', () => {
    const { statusMessage: _onTheCard, ...facts } = sampleRule()
    renderSection({
      rules: [sampleRule({ id: 'rule-2', name: 'Office 2' })],
      lines: [1, 3].map((ruleId) => ({ ...facts, id: keyOf({ kind: 'extra', id: ruleId }), name: `Office ${ruleId}` })),
    })
    expect(screen.getAllByRole('heading', { level: 3 }).map((one) => one.textContent)).toEqual([
      'Office 1',
      'Office 2',
      'Office 3',
    ])
    expect(screen.getAllByRole('article')).toHaveLength(1)
    const open = screen.getByRole('link', { name: 'Open Office 3 rule' })
    expect(open.getAttribute('href')).toBe('?accountUUID=account-1&card=rule-3#rule-3')
  })

  it('has the focus on its heading when a rule went away with it', async () => {
    let change: (rules: EndpointView[]) => void = () => {}
    function Changing() {
      const [rules, setRules] = useState([sampleRule()])
      change = setRules
      const step: ManagerStep = rules.length > 0 ? { step: 'confirmDelete', webhookId: 'rule-1' } : { step: 'none' }
      return <Section rules={rules} step={step} />
    }
    renderPage({
      at: '/?accountUUID=account-1',
      page: () => <Changing />,
      action: () => {
        change([])
        return null
      },
    })
    await userEvent.setup().click(screen.getByRole('button', { name: 'Delete rule' }))
    await waitFor(() => expect(screen.queryByRole('article')).toBeNull())
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 2, name: 'Forwarding Rules' }))
  })
})

describe('a rule’s card', () => {
  it('shows name, object, address, filter, status, and what waits', () => {
    renderSection({
      rules: [
        sampleRule({
          status: 'failing',
          statusMessage: 'Failing since 13:42. Your address answered 404. Is the scenario switched on?',
          fields: ['status', 'date'],
          pending: 3,
          nextAttemptAt: SAMPLE_NOW + minutes(4),
        }),
      ],
    })
    const rule = card('Accounting')
    rule.getByText('Active')
    rule.getByText('Failing')
    rule.getByText('Since 13:42. Your address answered 404. Is the scenario switched on?')
    const facts = Object.fromEntries(
      rule.getAllByRole('term').map((term) => [term.textContent, term.nextElementSibling?.textContent]),
    )
    expect(facts).toMatchObject({
      Object: 'Job',
      'Forwards to': 'https://accounts.example.com/in',
      'Field filter': 'statusdate',
      Waiting: '3 events',
      'Next retry': 'in 4 minutes',
    })
    expect(rule.queryByLabelText('Forwarding URL')).toBeNull()
  })

  it.each([
    ['Pause Accounting rule', 'pause', {}],
    ['Resume Accounting rule', 'resume', { state: 'paused', status: 'paused', active: false }],
    ['Send test event to Accounting rule', 'test', {}],
    ['Start again: Accounting rule', 'start_again', { state: 'stopped', status: 'stopped' }],
    ['New signing secret for Accounting rule', 'rotate_secret', {}],
  ] as const)('has the button “%s”', async (name, intent, over) => {
    const sent = renderSection({ rules: [sampleRule(over)], step: { step: 'secret', webhookId: 'rule-1' } })
    await userEvent.setup().click(card('Accounting').getByRole('button', { name }))
    await waitFor(() => expect(sent).toMatchObject([{ intent, id: 'rule-1', accountUUID: 'account-1' }]))
  })

  it('keeps its secret closed until it was renewed or asked for', () => {
    renderSection({ rules: [sampleRule()] })
    expect(card('Accounting').getByLabelText<HTMLInputElement>('Signing secret').closest('details')?.open).toBe(false)
  })

  it('asks before it is deleted, and says what goes on', async () => {
    const sent = renderSection({
      rules: [sampleRule({ pending: 2 })],
      step: { step: 'confirmDelete', webhookId: 'rule-1' },
    })
    const question = within(screen.getByRole('region', { name: 'Delete the Accounting rule?' }))
    question.getByText(
      /nothing about Job records to accounts\.example\.com any more\. Other addresses still get theirs\./,
    )
    question.getByText('2 waiting events are dropped.')
    expect(question.getByRole('link', { name: 'Keep it' }).getAttribute('href')).toBe('/?accountUUID=account-1#rule-1')
    await userEvent.setup().click(question.getByRole('button', { name: 'Delete rule' }))
    await waitFor(() => expect(sent).toMatchObject([{ intent: 'delete', id: 'rule-1' }]))
  })

  it('asks in a dialog where there are scripts', async () => {
    const user = userEvent.setup()
    renderSection({ rules: [sampleRule()] })
    await user.click(card('Accounting').getByRole('button', { name: 'Delete Accounting rule' }))
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete the Accounting rule?' })
    await user.click(within(dialog).getByRole('button', { name: 'Keep it' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  })

  it('shows what went to its address, and how far a replay is', () => {
    const entry = sampleEntry({
      forwardingResults: [sampleResult({ rule: 'Accounting', url: 'https://a.example/in' })],
    })
    renderSection({
      rules: [sampleRule({ replays: [sampleReplay()] })],
      step: { step: 'log', webhookId: 'rule-1', filter: DEFAULT_LOG_FILTER },
      log: { entries: [entry], now: SAMPLE_NOW },
    })
    const log = within(screen.getByRole('region', { name: 'Recent Activity of Accounting' }))
    expect(log.getByText('https://a.example/in').parentElement?.textContent).toBe('Accounting: https://a.example/in')
    screen.getByRole('region', { name: 'Sending again to Accounting' })
  })

  it('opens “Send everything since …” by its address', () => {
    const form = { since: '2025-11-20T15:12', status: 'failed', objectUuid: '' }
    renderSection({
      rules: [sampleRule()],
      step: { step: 'replay', webhookId: 'rule-1', form },
      replay: { webhookId: 'rule-1', form, errors: {}, count: 3 },
    })
    const panel = within(screen.getByRole('region', { name: 'Send everything since …' }))
    panel.getByText('3 events would be sent.')
    panel.getByRole('button', { name: 'Send 3 events' })
  })
})

describe('editing a rule', () => {
  const step = { step: 'edit', webhookId: 'rule-1' } as const

  it('sends name, address and filter of the one that the address names', async () => {
    const sent = renderSection({
      rules: [sampleRule({ fields: ['status'] }), sampleRule({ id: 'rule-2', name: 'Second' })],
      step,
    })
    const rule = card('Accounting')
    const name = rule.getByLabelText<HTMLInputElement>('Rule name')
    expect([name.value, document.activeElement]).toEqual(['Accounting', name])
    expect(card('Second').queryByRole('button', { name: 'Save' })).toBeNull()
    fireEvent.change(name, { target: { value: 'Books' } })
    fireEvent.change(rule.getByLabelText('Field filter'), { target: { value: 'status, date' } })
    fireEvent.click(rule.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(sent[0]).toEqual({
      intent: 'update',
      id: 'rule-1',
      accountUUID: 'account-1',
      name: 'Books',
      forwardUrl: 'https://accounts.example.com/in',
      fieldFilters: 'status, date',
    })
  })

  it('keeps what was typed when it was refused, and says what is wrong with it', () => {
    renderSection({
      rules: [sampleRule()],
      step,
      result: {
        fieldErrors: { forwardUrl: ['Must be a valid HTTPS URL'] },
        values: { intent: 'update', id: 'rule-1', name: 'Books', forwardUrl: 'nowhere', fieldFilters: '' },
      },
    })
    const url = card('Accounting').getByLabelText<HTMLInputElement>('Forward to')
    expect([url.value, url.getAttribute('aria-invalid'), document.activeElement]).toEqual(['nowhere', 'true', url])
    card('Accounting').getByText('Must be a valid HTTPS URL')
  })
})

describe('the form for another address', () => {
  const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
  const object = () => screen.getByLabelText<HTMLSelectElement>('Object')
  const add = () => screen.getByRole('button', { name: 'Add address' })

  it('offers every object, whether it has a webhook or not', () => {
    renderSection()
    const offered = [...object().options].map((option) => option.value).filter((value) => value !== '')
    expect(offered.toSorted()).toEqual([...OBJECT_TYPES].toSorted())
  })

  it('sends what was entered, and is closed and empty again afterwards', async () => {
    const sent = renderSection()
    adding().open = true
    fireEvent.change(field('Rule name'), { target: { value: 'Accounting' } })
    fireEvent.change(object(), { target: { value: 'job' } })
    fireEvent.change(field('Forward to'), { target: { value: 'https://accounts.example.com/in' } })
    fireEvent.click(screen.getByRole('button', { name: 'Status Changes' }))
    fireEvent.click(add())
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(sent[0]).toMatchObject({
      intent: 'create_rule',
      accountUUID: 'account-1',
      name: 'Accounting',
      objectType: 'job',
      forwardUrl: 'https://accounts.example.com/in',
      fieldFilters: 'status, quote_date, work_order_date, completion_date, unsuccessful_date',
    })
    await waitFor(() => expect(field('Rule name').value).toBe(''))
    expect(adding().open).toBe(false)
  })

  it('stays open with what was typed when it was refused', async () => {
    renderSection({
      answer: (values) => ({ fieldErrors: { name: ['Rule name is required'] }, values }),
    })
    adding().open = true
    fireEvent.change(field('Forward to'), { target: { value: 'https://accounts.example.com/in' } })
    fireEvent.click(add())
    await screen.findByText('Rule name is required')
    expect(adding().open).toBe(true)
    expect(field('Forward to').value).toBe('https://accounts.example.com/in')
  })

  it('says on top what concerns no single field', () => {
    renderSection({ result: { fieldErrors: {}, formError: 'Challenge failed', values: { intent: 'create_rule' } } })
    screen.getByText('The address was not added')
    screen.getByText('Challenge failed')
  })

  it('lets only an admin name another object', () => {
    renderSection()
    expect(screen.queryByLabelText('Another object, by name')).toBeNull()
  })

  it('has for an admin a field for the name of the object', () => {
    renderSection({ admin: true })
    expect(field('Name of the object').name).toBe('customObject')
    expect(field('Another object, by name').name).toBe('useCustom')
  })
})

describe('on the server', () => {
  const long = `${'a very long name '.repeat(5)}${'x'.repeat(80)}`.slice(0, 100)
  const cases: [string, Options][] = [
    ['the empty section', {}],
    ['rules with long names', { rules: [sampleRule({ name: long })], admin: true }],
    ['the edit form', { rules: [sampleRule()], step: { step: 'edit', webhookId: 'rule-1' } }],
    ['the question before deleting', { rules: [sampleRule()], step: { step: 'confirmDelete', webhookId: 'rule-1' } }],
    [
      'a refused form',
      { result: { fieldErrors: { name: ['Rule name is required'] }, values: { intent: 'create_rule', name: '' } } },
    ],
  ]

  it.each(cases)('%s has no style of its own, and every button is in a form', (_name, options) => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const html = renderToString(pageStub({ page: () => <Section {...options} /> }))
    expect(html).toContain('Forwarding Rules')
    expect(html).not.toMatch(/\sstyle=|<style|\son[a-z]+=|javascript:/)
  })

  it('the first wrong field has the focus and the form is open, without scripts', () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const html = renderToString(pageStub({ page: () => <Section {...cases[4]?.[1]} /> }))
    expect(html).toMatch(/<details open=""[^>]*><summary[^>]*>.*Add another address/)
    expect(html).toMatch(/<input[^>]*name="name"[^>]*autofocus|<input[^>]*autofocus[^>]*name="name"/)
  })
})

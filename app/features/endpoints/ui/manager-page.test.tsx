// Long: one page, in each of its states.

import { useActionData } from '@remix-run/react'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it } from 'vitest'
import { OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import { DEFAULT_LOG_FILTER } from '#app/features/events/log-view.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { hasDraft } from '#app/ui/form/draft.ts'
import { UNREACHED } from '#app/ui/form/unreached.tsx'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import {
  SAMPLE_NOW,
  SAMPLE_ZONE,
  sampleEntry,
  sampleResult,
  sampleRule,
  sampleWebhook,
} from '#tests/support/sample-views.ts'
import type { FormResult } from '../form-result.ts'
import { type LogAnswer, logFilterQuery } from './log/log-filter.ts'
import { ManagerPage, type ManagerPageProps } from './manager-page.tsx'

function propsOf(over: Partial<ManagerPageProps> = {}): ManagerPageProps {
  return {
    accountUUID: 'account-1',
    accountName: 'Smith & Sons Plumbing',
    timezone: SAMPLE_ZONE,
    admin: false,
    now: SAMPLE_NOW,
    webhooks: [sampleWebhook()],
    rules: [],
    lastEventAt: SAMPLE_NOW - minutes(2),
    step: { step: 'none' },
    log: null,
    replay: null,
    logSource: '/fieldhook/log',
    ...over,
  }
}

function renderManager(over: Partial<ManagerPageProps> = {}, sent: Record<string, string>[] = []) {
  return renderPage({
    at: '/?accountUUID=account-1',
    page: () => <ManagerPage {...propsOf(over)} />,
    action: async ({ request }) => {
      const form = await request.formData()
      sent.push(Object.fromEntries([...form].map(([name, value]) => [name, String(value)])))
      return null
    },
  })
}

afterEach(() => sessionStorage.clear())

const card = (name: string) => screen.getByRole('article', { name })

it('names the bars of a row by the hours that were read, also an hour later', () => {
  const attempts = Array.from({ length: 24 }, (_, index) => ({ delivered: index === 23 ? 2 : 0, failed: 0 }))
  const firstHour = sampleWebhook().firstHour - hours(1)
  renderManager({ webhooks: [sampleWebhook({ hours: attempts, firstHour })] })
  expect(screen.getByText('14:00: 2 delivered, 0 failed').tagName).toBe('title')
})

describe('the first steps', () => {
  const steps = (done: number): ManagerPageProps['firstSteps'] =>
    (['webhook', 'event', 'automation'] as const).map((step, index) => ({
      step,
      done: index < done,
      next: index === done,
    }))

  it('say what to do now, and lead to the library', () => {
    renderManager({ firstSteps: steps(2) })
    const region = screen.getByRole('region', { name: 'First steps' })
    const items = within(region).getAllByRole('listitem')
    expect(items.map((item) => item.getAttribute('aria-current'))).toEqual([null, null, 'step'])
    expect(within(region).getByRole('link', { name: 'Choose an automation' }).getAttribute('href')).toBe(
      '/automation?accountUUID=account-1&tab=templates',
    )
  })

  it('tick off what is done', () => {
    renderManager({ firstSteps: steps(1) })
    const items = within(screen.getByRole('region', { name: 'First steps' })).getAllByRole('listitem')
    expect(items[0]?.textContent).toBe('Create a webhook (done)')
    expect(items[1]?.textContent).toBe('2Change a job in ServiceM8')
  })

  it('name the object of the first card', () => {
    renderManager({ firstSteps: steps(1), webhooks: [sampleWebhook({ objectType: 'company', label: 'Company' })] })
    const items = within(screen.getByRole('region', { name: 'First steps' })).getAllByRole('listitem')
    expect(items[1]?.textContent).toBe('2Change any company in ServiceM8')
  })

  it('are not there when nobody needs them', () => {
    renderManager({ firstSteps: [] })
    expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull()
  })
})

describe('the header', () => {
  it('leads to the activity only for an admin', () => {
    renderManager()
    expect(screen.queryByRole('link', { name: 'View Activity' })).toBeNull()
  })

  it('keeps the role of an admin in every link', () => {
    renderManager({ admin: true })
    expect(screen.getByRole('link', { name: 'View Activity' }).getAttribute('href')).toBe(
      '/webhook-activity?accountUUID=account-1&admin=yes',
    )
    expect(screen.getByRole('link', { name: 'Find a delivery' }).getAttribute('href')).toBe(
      '/deliveries?accountUUID=account-1&admin=yes',
    )
  })

  it('asks to sign in again when the platform no longer accepts the connection', () => {
    renderManager({ reconnect: 'Sign in again to go on changing webhooks.' })
    const link = screen.getByRole('link', { name: /^Reconnect/ })
    expect(link.getAttribute('href')).toBe('/api/oauth/authorize?accountuuid=account-1&token=fieldhook')
  })

  it('has one Reconnect whatever the state: messages of other pages lead to it', () => {
    const reconnect = () => screen.getByRole('link', { name: /^Reconnect/ })
    const { unmount } = renderManager()
    expect(reconnect().getAttribute('href')).toBe('/api/oauth/authorize?accountuuid=account-1&token=fieldhook')
    unmount()
    renderManager({ missingScopes: ['publish_sms', 'read_job_queues'] })
    screen.getByText('ServiceM8 permissions are missing')
    screen.getByText('Fieldhook needs publish_sms, read_job_queues. Reconnect and allow all permissions.')
    expect(reconnect().getAttribute('target')).toBe('_blank')
  })
})

describe('the list', () => {
  it.each([
    ['a webhook', 2, { webhooks: [sampleWebhook({ id: 1 }), sampleWebhook({ id: 2 })] }],
    ['the last webhook', 1, { webhooks: [sampleWebhook()] }],
    ['the last rule', 'rule-1', { webhooks: [], rules: [sampleRule()] }],
  ] as const)('goes on at Undo after %s was deleted, and names it', async (_what, key, lists) => {
    let remove = () => {}
    function Changing() {
      const [gone, setGone] = useState(false)
      remove = () => setGone(true)
      const left = { webhooks: lists.webhooks.slice(0, 1).filter(({ id }) => id !== key), rules: [] }
      const after = { ...left, deleted: { key, called: 'Job webhook', waiting: 2 } }
      const before = {
        ...lists,
        webhooks: [...lists.webhooks],
        step: { step: 'confirmDelete', webhookId: key } as const,
      }
      return <ManagerPage {...propsOf(gone ? after : { ...before, rules: 'rules' in lists ? [...lists.rules] : [] })} />
    }
    renderPage({ at: '/?accountUUID=account-1', page: () => <Changing /> })
    screen.getByRole('button', { name: /^Delete (webhook|rule)$/ }).focus()
    act(() => remove())
    const undo = screen.getByRole('group', { name: 'The Job webhook was deleted. 2 events wait.' })
    expect(document.activeElement).toBe(undo)
  })

  it('offers three ways to begin when there is nothing yet, and no empty boxes', () => {
    renderManager({ webhooks: [], lastEventAt: null, demoAddress: 'http://localhost/demo' })
    const card = within(screen.getByRole('region', { name: 'Create New Webhook' }))
    card.getByLabelText('Callback URL')
    for (const name of ['Zapier', 'Make', 'n8n']) {
      const way = card.getByText(name).closest('details')
      expect(way?.querySelectorAll('li')).toHaveLength(3)
    }
    expect(card.getByLabelText<HTMLInputElement>('To try it out').value).toBe('http://localhost/demo')
    expect(screen.queryByRole('heading', { name: 'Active Webhooks' })).toBeNull()
    expect(screen.queryByRole('heading', { name: 'Forwarding Rules' })).toBeNull()
    screen.getByText('No webhooks yet. Create the first one and events appear here.')
  })

  it('watches jobs without an address at one press', async () => {
    const sent: Record<string, string>[] = []
    renderManager({ webhooks: [] }, sent)
    await userEvent.setup().click(screen.getByRole('button', { name: 'Watch jobs here' }))
    await waitFor(() => expect(sent).toMatchObject([{ intent: 'create', object: 'job', callback_url: '' }]))
  })

  it('shows each webhook with a word for its status, its sentence, its address and its fields', () => {
    renderManager({
      webhooks: [
        sampleWebhook({
          status: 'failing',
          statusMessage: 'Failing since 13:42. Your address answered 404. Is the scenario switched on?',
          fields: ['status', 'date'],
          pending: 3,
          nextAttemptAt: SAMPLE_NOW + minutes(4),
        }),
      ],
    })
    const job = within(card('Job'))
    // One status: its word stands in the row, and the sentence goes on. How it is set stands among the facts.
    expect(card('Job').textContent.match(/failing/gi)).toHaveLength(1)
    expect(job.getByText('Failing').closest('summary')?.textContent).toContain('hooks.example.com/catch/1')
    job.getByText('Since 13:42. Your address answered 404. Is the scenario switched on?')
    expect(job.getByText('Active').previousElementSibling?.textContent).toBe('Set to')
    expect(job.getByText('Failing').closest('summary')?.textContent).not.toContain('Active')
    job.getByText('https://hooks.example.com/catch/1')
    job.getByText('status')
    job.getByText('3 events')
    job.getByText('in 4 minutes')
  })

  it('leaves the row on a phone to the address', () => {
    renderManager({ webhooks: [sampleWebhook({ pending: 0 })] })
    const time = card('Job').querySelector('summary time')
    expect(time?.closest('.max-sm\\:hidden')).not.toBeNull()
  })

  it('says in its row how much waits before anything that a narrow line may cut', () => {
    renderManager({ webhooks: [sampleWebhook({ pending: 1258 })] })
    expect(card('Job').querySelector('summary')?.textContent).toMatch(/1,258 waiting · (all fields|\d+ fields?) · /)
    within(card('Job')).getByText('1,258 events')
  })

  it('says a retry comes any moment once its time has come', () => {
    renderManager({ webhooks: [sampleWebhook({ pending: 1, nextAttemptAt: SAMPLE_NOW - minutes(3) })] })
    expect(screen.getByText('Next retry').nextElementSibling?.textContent).toBe('any moment')
  })

  it('says inactive, all fields and no address where it is so, and – for what is not known', () => {
    renderManager({
      webhooks: [sampleWebhook({ active: false, status: 'paused', callbackUrl: '', lastEventAt: null })],
    })
    const job = within(card('Job'))
    expect(job.getByText('Inactive').previousElementSibling?.textContent).toBe('Set to')
    job.getByText('Paused')
    job.getByText('All fields')
    job.getByText('None: events are only shown here')
    expect(job.getAllByText('–')).toHaveLength(2)
  })

  it.each([
    ['working', 'Working. Last delivered 2 minutes ago.', 'Last delivered 2 minutes ago.'],
    ['paused', 'Paused since 08:30. Events are kept.', 'Since 08:30. Events are kept.'],
    ['held', 'On hold since 08:30. Trial ended.', 'Since 08:30. Trial ended.'],
    ['waiting', 'Waiting for the first event.', 'Waiting for the first event.'],
  ] as const)('says a status once: %s', (status, statusMessage, said) => {
    renderManager({ webhooks: [sampleWebhook({ status, statusMessage })] })
    expect(card('Job').querySelector('p')?.textContent).toBe(said)
  })

  it('folds away a long list of fields', () => {
    renderManager({ webhooks: [sampleWebhook({ fields: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] })] })
    const more = within(card('Job')).getByText('2 more fields').closest('details')
    expect(more?.open).toBe(false)
    expect(more?.textContent).toContain('h')
  })

  it('offers the forwarding address to copy, and keeps the signing secret closed', () => {
    renderManager()
    const job = within(card('Job'))
    expect(job.getByLabelText<HTMLInputElement>('Forwarding URL').value).toContain('token-of-job')
    const secret = job.getByLabelText<HTMLInputElement>('Signing secret')
    expect(secret.value).toBe('whsec_c2VjcmV0')
    expect(secret.closest('details')?.open).toBe(false)
  })
})

describe('editing', () => {
  it('opens the one webhook that the address names', () => {
    renderManager({
      webhooks: [
        sampleWebhook({ fields: ['status', 'date'] }),
        sampleWebhook({ id: 2, objectType: 'note', label: 'Note' }),
      ],
      step: { step: 'edit', webhookId: 1 },
    })
    const fields = within(card('Job')).getByLabelText<HTMLInputElement>('Monitored fields')
    expect(fields.value).toBe('status, date')
    expect(document.activeElement).toBe(fields)
    expect(within(card('Note')).queryByRole('button', { name: 'Save' })).toBeNull()
    expect(within(card('Job')).getByRole('link', { name: 'Cancel' }).getAttribute('href')).toBe(
      '/?accountUUID=account-1#webhook-1',
    )
  })

  it('sends the fields, the address and the webhook', async () => {
    const sent: Record<string, string>[] = []
    renderManager({ step: { step: 'edit', webhookId: 1 } }, sent)
    fireEvent.click(within(card('Job')).getByRole('button', { name: 'Status Changes' }))
    fireEvent.click(within(card('Job')).getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(sent[0]).toMatchObject({
      intent: 'update',
      id: '1',
      fields: 'status, quote_date, work_order_date, completion_date, unsuccessful_date',
      callback_url: 'https://hooks.example.com/catch/1',
    })
  })

  it('holds what was typed while another page is looked at, for this webhook, until it is saved or cancelled', async () => {
    const user = userEvent.setup()
    const step = { step: 'edit', webhookId: 1 } as const
    const fields = () => within(card('Job')).getByLabelText<HTMLInputElement>('Monitored fields')
    const said = () => fields().form?.querySelector('[role=status]')?.textContent
    const first = renderManager({ step })
    expect(said()).toBe('')
    await user.clear(within(card('Job')).getByLabelText('Callback URL'))
    await user.type(fields(), 'status')
    expect(said()).toBe('Changes not saved')
    first.unmount()
    const other = renderManager({ webhooks: [sampleWebhook({ id: 2 })], step: { step: 'edit', webhookId: 2 } })
    expect([fields().value, said()]).toEqual(['', ''])
    other.unmount()
    const second = renderManager({ step })
    expect(within(card('Job')).getByLabelText<HTMLInputElement>('Callback URL').value).toBe('')
    expect([fields().value, said(), hasDraft('account-1')]).toEqual(['status', 'We kept what you typed.', true])
    await user.click(within(card('Job')).getByRole('link', { name: 'Cancel' }))
    expect(hasDraft('account-1')).toBe(false)
    second.unmount()
    const sent: Record<string, string>[] = []
    renderManager({ step }, sent)
    expect([fields().value, said()]).toEqual(['', ''])
    await user.type(fields(), 'date')
    await user.click(within(card('Job')).getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(hasDraft('account-1')).toBe(false))
    expect(sent).toMatchObject([{ intent: 'update', fields: 'date' }])
  })

  it('holds what a person typed also when the next session names nobody, and nothing for another person', async () => {
    const step = { step: 'edit', webhookId: 1 } as const
    const fields = () => within(card('Job')).getByLabelText<HTMLInputElement>('Monitored fields')
    const typed = (person: string) => {
      const { unmount } = renderManager({ step, person })
      const found = [fields().value, fields().form?.querySelector('[role=status]')?.textContent]
      unmount()
      return found
    }
    const first = renderManager({ step, person: 'S' })
    await userEvent.type(fields(), 'status')
    first.unmount()
    const kept = ['status', 'We kept what you typed.']
    expect([typed('T'), typed(''), typed('S'), typed('T')]).toEqual([['', ''], kept, kept, ['', '']])
    expect(sessionStorage.length).toBe(1)
    const last = renderManager({ step, person: '' })
    fireEvent.click(within(card('Job')).getByRole('link', { name: 'Cancel' }))
    last.unmount()
    expect([typed('S'), sessionStorage.length]).toEqual([['', ''], 0])
  })

  it('gives nobody unknown what two people typed, and takes it from neither', async () => {
    const step = { step: 'edit', webhookId: 1 } as const
    const fields = () => within(card('Job')).getByLabelText<HTMLInputElement>('Monitored fields')
    const seen = async (person: string, text = '') => {
      const { unmount } = renderManager({ step, person })
      if (text !== '') await userEvent.type(fields(), text)
      const { value } = fields()
      unmount()
      return value
    }
    await seen('S', 'status')
    await seen('T', 'date')
    expect([await seen(''), await seen('S'), await seen('T')]).toEqual(['', 'status', 'date'])
  })

  it.each([['the first webhook'], ['the first address']])(
    'forgets %s once it is made, although the page changes',
    async (what) => {
      const isRule = what === 'the first address'
      const label = isRule ? 'Forward to' : 'Callback URL'
      function Page() {
        const made = useActionData<object>() !== undefined
        const given = isRule
          ? { webhooks: [], rules: made ? [sampleRule({ name: 'Accounts' })] : [] }
          : { webhooks: made ? [sampleWebhook()] : [] }
        return <ManagerPage {...propsOf(given)} />
      }
      const user = userEvent.setup()
      renderPage({ at: '/?accountUUID=account-1', page: () => <Page />, action: async () => ({ made: true }) })
      const form = () => within(screen.getByLabelText<HTMLInputElement>(label).form as HTMLFormElement)
      if (isRule) await user.type(form().getByLabelText('Rule name'), 'Accounts ')
      await user.selectOptions(form().getByLabelText(isRule ? 'Object' : 'Object type'), 'job')
      await user.type(form().getByLabelText(label), 'https://hooks.example.com/one')
      expect(hasDraft('account-1')).toBe(true)
      await user.click(form().getByRole('button', { name: isRule ? 'Add address' : 'Create Webhook' }))
      await waitFor(() => expect(screen.queryByText('Just show me events')).toBeNull())
      expect([form().getByLabelText<HTMLInputElement>(label).value, hasDraft('account-1')]).toEqual(['', false])
    },
  )

  it.each([
    [{ unreached: true }, UNREACHED, UNREACHED],
    [{}, 'Try later.', 'The webhook was not deletedTry later.'],
  ])('says of a delete that was not answered only that there is no connection: %j', async (more, formError, says) => {
    const values = { intent: 'delete', id: '1' }
    function Page() {
      const answered = useActionData<{ result: FormResult }>()
      return <ManagerPage {...propsOf(answered)} />
    }
    const result = { fieldErrors: {}, formError, values }
    renderPage({ page: () => <Page />, action: async () => ({ ...more, result }) })
    await userEvent.selectOptions(screen.getByLabelText('Object type'), 'note')
    fireEvent.click(screen.getByRole('button', { name: 'Create Webhook' }))
    expect((await within(card('Job')).findByRole('alert')).textContent).toBe(says)
  })

  it('holds another address whose name is there already', async () => {
    const rules = [sampleRule({ name: 'Accounts' })]
    const name = () => screen.getByLabelText<HTMLInputElement>('Rule name')
    const first = renderManager({ rules })
    await userEvent.type(name(), 'Accounts')
    first.unmount()
    renderManager({ rules })
    expect(name().value).toBe('Accounts')
  })

  it('keeps what was typed when it was refused, and says what is wrong with it', () => {
    renderManager({
      step: { step: 'edit', webhookId: 1 },
      result: {
        fieldErrors: { callback_url: ['Must be a valid HTTPS URL'] },
        values: { intent: 'update', id: '1', fields: 'status', callback_url: 'nowhere' },
      },
    })
    const url = within(card('Job')).getByLabelText<HTMLInputElement>('Callback URL')
    expect(url.value).toBe('nowhere')
    expect(url.getAttribute('aria-invalid')).toBe('true')
    expect(document.activeElement).toBe(url)
    within(card('Job')).getByText('Must be a valid HTTPS URL')
  })
})

describe('the quick reference', () => {
  it('has the response codes and the objects of the specification', () => {
    renderManager()
    const reference = within(screen.getByRole('region', { name: 'Quick Reference' }))
    const codes = reference
      .getAllByRole('term')
      .map((term) => `${term.textContent} ${term.nextElementSibling?.textContent}`)
    expect(codes).toEqual([
      '200 Success',
      '410 Unsubscribe the webhook',
      '429 Rate limited',
      'Other 4xx/5xx Retried for 72 hours',
    ])
    for (const pair of [
      'Job and Job Activity',
      'Company and Job Contact',
      'Material and Job Material',
      'Task and Job Payment',
      'Note and Attachment',
      'Form Response',
    ]) {
      reference.getByText(pair)
    }
    expect(reference.getAllByRole('link').every((link) => link.getAttribute('rel') === 'noopener noreferrer')).toBe(
      true,
    )
  })
})

describe('on the server', () => {
  const log: LogAnswer = { entries: [sampleEntry({ forwardingResults: [sampleResult()] })], now: SAMPLE_NOW }
  const cases: [string, Partial<ManagerPageProps>][] = [
    ['the plain page', { admin: true, reconnect: 'Sign in again.' }],
    ['the empty page', { webhooks: [] }],
    ['an open log', { step: { step: 'log', webhookId: 1, filter: DEFAULT_LOG_FILTER }, log }],
    ['the edit form', { step: { step: 'edit', webhookId: 1 } }],
    ['the question before deleting', { step: { step: 'confirmDelete', webhookId: 1 } }],
    [
      'a page with every kind of webhook',
      {
        webhooks: OBJECT_KINDS.map((kind, at) =>
          sampleWebhook({ id: at + 1, label: kind.label, objectType: kind.type }),
        ),
      },
    ],
  ]

  it.each(cases)('%s has no style of its own, which the policy would refuse', (_name, over) => {
    // The router of the test is one for browsers.
    expectNoise(/useLayoutEffect does nothing on the server/)
    const html = renderToString(pageStub({ page: () => <ManagerPage {...propsOf(over)} /> }))
    expect(html).toContain('Create New Webhook')
    expect(html).not.toMatch(/\sstyle=|<style|\son[a-z]+=|javascript:/)
  })

  it('the log that the address opens is there to read', () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const step = { step: 'log', webhookId: 1, filter: DEFAULT_LOG_FILTER } as const
    const html = renderToString(pageStub({ page: () => <ManagerPage {...propsOf({ step, log })} /> }))
    expect(html).toContain('Job 3128 · Joan Hartley')
    for (const [name] of Object.entries(logFilterQuery(DEFAULT_LOG_FILTER))) expect(html).toContain(`name="${name}"`)
  })

  it.each([
    ['select', 'object', 'Object type is required'],
    ['input', 'fields', 'ServiceM8 knows none of these fields of Job: status.'],
  ])('the first wrong field has the focus, without scripts too: %s %s', (tag, name, error) => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const result = {
      fieldErrors: { [name]: [error] },
      values: { intent: 'create', callback_url: 'https://a.example', object: '', fields: 'status' },
    }
    const html = renderToString(pageStub({ page: () => <ManagerPage {...propsOf({ result })} /> }))
    expect(html).toMatch(new RegExp(`<${tag}(?=[^>]*name="${name}")[^>]*autofocus`))
    expect(html).toContain('value="https://a.example"')
    expect(html).toContain(error)
  })
})

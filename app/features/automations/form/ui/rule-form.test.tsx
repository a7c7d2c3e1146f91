// Long: every section of the form and every action in it.
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { ACTION_TYPES, type ActionType, actionSpec } from '#app/domain/automations/action-parameters.ts'
import { JOB_STATUSES } from '#app/domain/automations/rule.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { WRITABLE_JOB_FIELDS } from '../../actions/job-fields.ts'
import { EMPTY_LISTS, type FormLists } from '../../rules/form-lists.ts'
import { exportRule } from '../../rules/import-rule.ts'
import type { NamedRule } from '../../rules/loops.ts'
import { definitionOf } from '../../rules/rule-definition.ts'
import { type FieldErrors, ruleForm } from '../../rules/rule-form.ts'
import { formFields } from '../../rules/rule-json.ts'
import { aidsOf } from '../form-aids.ts'
import { toBody } from '../form-body.ts'
import { applyIntent, setValue } from '../form-change.ts'
import { parseFormIntent } from '../form-intent.ts'
import type { DraftPreview, FormPreview } from '../form-preview.ts'
import { emptyForm, type FormState, formOfFields } from '../form-state.ts'
import { readForm } from '../form-wire.ts'
import { RuleFormPanel } from './rule-form.tsx'

// Fetched when they are first wanted: a busy machine should not be measured by that.
beforeAll(async () => {
  await Promise.all([import('../form-check.ts'), import('#app/ui/toast/toaster.tsx'), import('./live-preview.tsx')])
})

/** What the page asked about the unsaved rule, and what it is told. */
let looks: URLSearchParams[] = []
let told: (asked: URLSearchParams) => FormPreview = () => ({ kind: 'trouble', message: 'ServiceM8 did not answer.' })
const realFetch = globalThis.fetch
beforeEach(() => {
  looks = []
  told = () => ({ kind: 'trouble', message: 'ServiceM8 did not answer.' })
  globalThis.fetch = async (_path, options) => {
    const asked = new URLSearchParams(String(options?.body))
    looks.push(asked)
    return Response.json(told(asked))
  }
})
afterEach(() => {
  globalThis.fetch = realFetch
})

const LISTS: FormLists = {
  ...EMPTY_LISTS,
  queues: [{ uuid: 'q-1', label: 'Parts' }],
  staff: [{ uuid: 's-1', label: 'Ann Alder' }],
  companies: [{ uuid: 'c-1', label: 'Smith (c-1)' }],
  jobs: [{ uuid: 'j-1', label: '1041 · Boiler' }],
  emailTemplates: [{ uuid: 'e-1', label: 'Thanks', subject: 'Thank you', text: 'We are done.' }],
  smsTemplates: [{ uuid: 't-1', label: 'Done: We are…', text: 'We are done.' }],
  documentTemplates: [{ uuid: 'd-1', label: 'Our invoice' }],
  badges: [{ uuid: 'b-1', label: 'VIP' }],
}

interface Options {
  state?: FormState
  errors?: FieldErrors
  lists?: FormLists
  rules?: NamedRule[]
  accountUUID?: string
}

function renderForm({
  state = emptyForm(),
  errors = {},
  lists = LISTS,
  rules = [],
  accountUUID = 'account-1',
}: Options = {}) {
  const sent: FormData[] = []
  const form = {
    state,
    saved: emptyForm(),
    at: '',
    errors,
    trouble: null,
    aids: aidsOf(state, rules),
    rules,
    webhooks: [{ id: 4, objectType: 'job', label: 'Job', active: true }],
  }
  renderPage({
    page: () => <RuleFormPanel accountUUID={accountUUID} form={form} lists={lists} />,
    action: async ({ request }) => {
      sent.push(await request.formData())
      return null
    },
  })
  return { sent, user: userEvent.setup() }
}

const write = (state: FormState, values: Record<string, string>) =>
  Object.entries(values).reduce((last, [name, value]) => setValue(last, name, value), state)
const press = (state: FormState, text: string) => {
  const intent = parseFormIntent(`form.${text}`)
  if (intent === null) throw new Error(text)
  return applyIntent(state, intent)
}
const started = () => write(emptyForm(), { name: 'Tell them', events: 'object:job', triggerType: 'job_status' })
const withAction = (type: ActionType) => press(started(), `add_step:${type}`)

const sentence = () =>
  document.querySelector('[aria-live] [data-part]')?.parentElement?.textContent?.replace(/\s+/g, ' ') ?? ''
const heading = (name: string) => screen.queryByRole('heading', { name })
/** By its label; a plainer word may stand before it. */
const control = <Element extends HTMLElement = HTMLInputElement>(label: string | RegExp) =>
  screen.queryByLabelText<Element>(label) ??
  screen.getByLabelText<Element>((words) => typeof label === 'string' && words.trim().endsWith(` ${label}`))
const button = (name: string | RegExp) => screen.getByRole('button', { name })
/** Opens the menu of actions and takes one. */
async function addStep(user: ReturnType<typeof userEvent.setup>, label: string) {
  await user.click(screen.getByText('Add step'))
  await user.click(button(label))
}
const described = (element: HTMLElement) =>
  (element.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent)
    .join(' | ')

describe('the form', () => {
  it('grows step by step', async () => {
    const { user } = renderForm()
    expect(heading('Basic Information')).not.toBeNull()
    expect(heading('Trigger Configuration')).toBeNull()
    await user.type(control('Automation Name'), 'Tell them')
    expect(heading('Trigger Configuration')).not.toBeNull()
    expect(heading('Filter Conditions')).toBeNull()
    await user.selectOptions(control('Webhook Subscription'), 'Job')
    for (const name of ['Filter Conditions', 'Actions to Execute']) expect(heading(name)).not.toBeNull()
    expect(screen.queryByRole('button', { name: 'Cancel Edit' })).toBeNull()
    await addStep(user, 'Update Job Status')
    expect(button('Create Automation')).not.toBeNull()
    expect(control('Active').checked).toBe(true)
    await user.selectOptions(control('Action Type'), 'Choose what to do')
    expect(screen.queryByRole('button', { name: 'Create Automation' })).toBeNull()
    await user.clear(control('Automation Name'))
    expect(heading('Actions to Execute')).toBeNull()
  })

  it('is for an edit with its own words and a way out', () => {
    renderForm({ state: { ...withAction('send_sms'), ruleId: 7 } })
    expect(heading('Edit Automation')).not.toBeNull()
    expect(button('Update Automation')).not.toBeNull()
    expect(button('Cancel Edit')).not.toBeNull()
  })

  it('says the rule in one sentence while it is written', async () => {
    const { user } = renderForm({ state: started() })
    await user.selectOptions(control('Only when it becomes'), 'Completed')
    await addStep(user, 'Send SMS')
    await waitFor(() => expect(sentence()).toBe('When a job becomes Completed, text the customer, once per job.'))
    // The condition stands in the trigger alone.
    expect(screen.queryByRole('listitem', { name: 'Condition 1' })).toBeNull()
    screen.getByText('No conditions: it runs for every job.')
  })

  it('shows how often right below the actions, and what it means for a customer', async () => {
    const { user } = renderForm({ state: started() })
    await addStep(user, 'Update Job Status')
    const often = () => control<HTMLSelectElement>('How often for the same record')
    expect(often().closest('details')?.textContent).toMatch(/^Advanced/)
    expect([...often().options].map(({ text }) => text)).toEqual([
      'Once per job',
      'At most once a day per job',
      'At most once a week per job',
      'At most once a month per job',
      'Every time',
    ])
    expect(often().value).toBe('change')
    await user.selectOptions(control('Action Type'), 'Send SMS')
    expect(often().value).toBe('record')
    expect(often().closest('details')).toBeNull()
    expect(described(often())).toBe('The customer gets each message once.')
    await user.selectOptions(often(), 'Every time')
    expect(described(often())).toBe('The customer can get this message more than once.')
    await waitFor(() => expect(sentence()).toContain('text the customer, every time.'))
    await user.click(screen.getByLabelText('To'))
    await user.paste('{staff mobile}')
    expect(described(often())).toBe('The receiver can get this message more than once.')
    await user.selectOptions(often(), 'Once per job')
    expect(described(often())).toBe('The receiver gets each message once.')
  })

  it('names a trigger that fires at every later edit, and offers the right one', async () => {
    const { user, sent } = renderForm({
      state: write(write(withAction('send_sms'), { becomes: 'Completed' }), { triggerType: 'job_updated' }),
    })
    // Once per job: both are true together.
    screen.getByText('Any later edit of a Completed job can start this, once per job.')
    screen.getByText('The customer gets each message once.')
    await user.selectOptions(control('How often for the same record'), 'Every time it changes')
    screen.getByText('This also fires on every later edit of a Completed job.')
    screen.getByText('The customer can get this message more than once.')
    const change = button('Change to “Its status becomes Completed”')
    expect([change.getAttribute('type'), change.getAttribute('name'), change.getAttribute('value')]).toEqual([
      'submit',
      'intent',
      'form.on_status',
    ])
    // A phone is narrower than this label.
    expect(change.className).not.toContain('whitespace-nowrap')
    await user.click(change)
    expect(control<HTMLSelectElement>('Trigger Type').value).toBe('job_status')
    expect(document.activeElement).toBe(control('Trigger Type'))
    expect(screen.queryByText(/later edit/)).toBeNull()
    expect(sent).toEqual([])
  })

  it('sends the state that is on the screen', async () => {
    const { user, sent } = renderForm({ state: withAction('send_sms') })
    fireEvent.change(control('Message'), { target: { value: 'Hello {entry.0.contact_first_name or "there"}' } })
    await user.click(button('Create Automation'))
    await waitFor(() => expect(sent).toHaveLength(1))
    const [form] = sent
    expect(form?.get('intent')).toBe('form.save')
    expect(form?.get('accountUUID')).toBe('account-1')
    // Beside its controls, the form carries its state once, and it is what the controls show.
    const hidden = [...document.querySelectorAll<HTMLInputElement>('form input[type=hidden]')]
    const apart = hidden.filter(({ value }) => value !== '').map(({ name }) => name)
    expect(apart).toEqual(['accountUUID', 'state'])
    expect(readForm([['state', form?.get('state')]])).toEqual(readForm(form ?? []))
    expect(readForm(form ?? []).steps[0]).toMatchObject({
      type: 'send_sms',
      parameters: { message: 'Hello {entry.0.contact_first_name or "there"}' },
    })
  })

  it('tells what is missing, where and at once, and sends nothing', async () => {
    const { user, sent } = renderForm({ state: press(withAction('create_task'), 'add_condition') })
    await user.click(button('Create Automation'))
    await screen.findByText('Please check your form for errors: Filter Conditions, Actions to Execute')
    screen.getByText('Form Validation Error')
    expect(described(control('Field'))).toContain('Field is required')
    expect(described(control('Task Title'))).toContain('Title is required')
    expect(sent).toEqual([])
    await waitFor(() => expect(document.activeElement).toBe(control('Field')))
    fireEvent.change(control('Task Title'), { target: { value: 'Ring' } })
    await waitFor(() => expect(control('Task Title').hasAttribute('aria-invalid')).toBe(false))
  })

  it('marks what a new job needs', async () => {
    const { problemsOf } = await import('../form-check.ts')
    const state = withAction('create_job')
    renderForm({ state, errors: problemsOf(state) })
    expect(described(control('Company UUID *'))).toContain('Customer is required')
    expect(described(control('Job Status *'))).toContain('Job Status is required')
  })

  it('needs at least one action', async () => {
    const { user } = renderForm({ state: started() })
    await user.click(button('Create Automation'))
    await screen.findByText('At least one action is required')
    const add = screen.getByText('Add step')
    await waitFor(() => expect(document.activeElement).toBe(add))
    expect(described(add)).toBe('At least one action is required')
    expect(add.closest('details')?.open).toBe(true)
  })

  it('wants an account first', async () => {
    const { user, sent } = renderForm({ state: withAction('send_sms'), accountUUID: '' })
    await user.click(button('Create Automation'))
    await screen.findByText('Authentication Error')
    screen.getByText('Please authenticate with the platform first.')
    expect(sent).toEqual([])
  })

  it("shows the server's refusal at its fields", () => {
    renderForm({ state: withAction('create_task'), errors: { name: ['Automation name is required'] } })
    expect(described(control('Automation Name'))).toContain('Automation name is required')
  })

  it('does not send when Enter is pressed in a field', async () => {
    const { user, sent } = renderForm({ state: withAction('create_task') })
    await user.type(control('Automation Name'), '{Enter}')
    expect(sent).toEqual([])
    expect(screen.getAllByRole('listitem', { name: /^Action \d/ })).toHaveLength(1)
  })
})

describe('the trigger', () => {
  it('has three sources', async () => {
    const { user } = renderForm({ state: write(emptyForm(), { name: 'x' }) })
    for (const name of [/Webhook Event$/, /Scheduled API Check$/, /Manual Endpoint$/])
      screen.getByRole('radio', { name })
    await user.click(screen.getByRole('radio', { name: /Scheduled API Check$/ }))
    expect(control<HTMLSelectElement>('Check Frequency').value).toBe('daily')
    expect(control<HTMLSelectElement>('API Endpoint').options).toHaveLength(8)
    expect([...control<HTMLSelectElement>('Check Frequency').options]).toHaveLength(9)
    expect(heading('Actions to Execute')).not.toBeNull()
    await user.click(screen.getByRole('radio', { name: /Manual Endpoint$/ }))
    screen.getByText(/both required/)
  })

  it('offers webhooks of the account, and objects without one', () => {
    renderForm({ state: write(emptyForm(), { name: 'x' }) })
    const values = [...control<HTMLSelectElement>('Webhook Subscription').options].map(({ value }) => value)
    expect(values).toEqual(expect.arrayContaining(['webhook:4:job', 'object:job', 'object:jobactivity']))
  })

  it('asks each frequency only for what it needs', async () => {
    const { user } = renderForm({ state: write(emptyForm(), { name: 'x', triggerSource: 'api_polling' }) })
    const frequency = control<HTMLSelectElement>('Check Frequency')
    expect(screen.queryByLabelText('Weekday')).toBeNull()
    await user.selectOptions(frequency, 'weekly')
    control('Weekday')
    await user.selectOptions(frequency, 'monthly')
    control('Day of the month')
    await user.selectOptions(frequency, 'once')
    control('Schedule Date')
    await user.selectOptions(frequency, 'on_demand')
    expect(screen.queryByLabelText('Time of day')).toBeNull()
  })

  it('asks what happens to records that match already only where that can be chosen', async () => {
    const { user } = renderForm({ state: withAction('create_task') })
    expect(screen.queryByRole('radio', { name: /^Only new ones/ })).toBeNull()
    await user.click(screen.getByRole('radio', { name: /Scheduled API Check$/ }))
    expect(screen.getByRole<HTMLInputElement>('radio', { name: /^Only new ones/ }).checked).toBe(true)
    const hint = () => screen.getByText(/^Skips what matches now/).textContent
    expect(hint()).toBe('Skips what matches now.')
    await user.selectOptions(control<HTMLSelectElement>('How often for the same record'), 'week')
    expect(hint()).toBe('Skips what matches now until next week.')
    await user.click(screen.getByRole('radio', { name: /^Also what matches now/ }))
    expect(screen.getByRole<HTMLInputElement>('radio', { name: /^Also what matches now/ }).checked).toBe(true)
  })
})

describe('conditions', () => {
  it('have the fourteen fields first, then ages, then more', async () => {
    const { user } = renderForm({ state: started() })
    await user.click(button('Add Condition'))
    const groups = [...control<HTMLSelectElement>('Field').querySelectorAll('optgroup')]
    expect(groups.map(({ label }) => label)).toEqual(['Usual', 'How long ago', 'More fields'])
    expect(groups[0]?.querySelectorAll('option')).toHaveLength(14)
    expect(groups[1]?.querySelectorAll('option')).toHaveLength(5)
    expect(control<HTMLSelectElement>('Operator').options).toHaveLength(10)
    expect(document.activeElement).toBe(control('Field'))
  })

  it('offer the values there are, and none where none counts', async () => {
    const { user } = renderForm({ state: press(started(), 'add_condition') })
    await user.selectOptions(control('Field'), 'status')
    expect([...control<HTMLSelectElement>('Value').options].map(({ value }) => value)).toEqual(['', ...JOB_STATUSES])
    await user.selectOptions(control('Field'), 'queue_uuid')
    within(control('Value')).getByText('Parts')
    await user.selectOptions(control('Operator'), 'is_empty')
    expect(control('Value').disabled).toBe(true)
    await user.selectOptions(control('Operator'), 'is_not_empty')
    expect(control('Value').disabled).toBe(true)
  })

  it('are joined from the second on, and removed one by one', async () => {
    const { user } = renderForm({ state: press(started(), 'add_condition') })
    expect(screen.queryByLabelText('Joined by')).toBeNull()
    await user.click(button('Add Condition'))
    await user.selectOptions(control('Joined by'), 'OR')
    await user.click(button('Remove condition 1'))
    expect(screen.queryByLabelText('Joined by')).toBeNull()
    expect(screen.getAllByRole('listitem', { name: /^Condition/ })).toHaveLength(1)
    expect(document.activeElement).toBe(button('Add Condition'))
  })

  it('say that jobs have no priority, and what days in the queue are counted from', async () => {
    const { user } = renderForm({ state: press(started(), 'add_condition') })
    await user.selectOptions(control('Field'), 'priority')
    expect(described(control('Field'))).toContain('jobs have no priority')
    await user.selectOptions(control('Field'), 'days_in_queue')
    expect(described(control('Field'))).toMatch(
      /^Known only for queues with a number of days in ServiceM8\. Counted back /,
    )
  })
})

test('grouping is offered where it acts: in scheduled checks', async () => {
  const { user } = renderForm({ state: started() })
  expect(heading('Group Actions')).toBeNull()
  await user.click(screen.getByRole('radio', { name: /Manual Endpoint$/ }))
  expect(heading('Group Actions')).toBeNull()
  await user.click(screen.getByRole('radio', { name: /Scheduled API Check$/ }))
  expect(heading('Group Actions')).not.toBeNull()
})

test('grouping asks what to group by', async () => {
  const { user } = renderForm({ state: write(started(), { triggerSource: 'api_polling' }) })
  expect(screen.queryByLabelText('Group by')).toBeNull()
  await user.click(control('Combine matching records'))
  expect([...control<HTMLSelectElement>('Group by').options].map(({ value }) => value)).toEqual([
    '',
    'company_uuid',
    'status',
    'queue',
    'priority',
    'staff_uuid',
  ])
})

describe('actions', () => {
  it('are added, moved and removed, and the second can wait', async () => {
    const { user } = renderForm({ state: press(withAction('send_sms'), 'add_step:create_task') })
    const types = () => screen.getAllByLabelText<HTMLSelectElement>('Action Type').map(({ value }) => value)
    expect(types()).toEqual(['send_sms', 'create_task'])
    const [wait, ...others] = screen.getAllByLabelText('Wait for Previous Action')
    expect(others).toEqual([])
    const hint = document.getElementById(wait?.getAttribute('aria-describedby') ?? '')
    expect(hint?.textContent).toBe('Skips this unless the step before worked or had nothing to do.')
    expect(screen.queryByRole('button', { name: 'Move action 1 up' })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Move action 2 down' })).toBeNull()
    await user.click(button('Move action 2 up'))
    expect(types()).toEqual(['create_task', 'send_sms'])
    expect(document.activeElement).toBe(button('Move action 1 down'))
    await user.click(button('Remove action 1'))
    expect(types()).toEqual(['send_sms'])
    await addStep(user, 'Create Job')
    expect(types()).toEqual(['send_sms', 'create_job'])
  })

  it.each<[ActionType, string[]]>([
    ['update_job_status', ['Job Status']],
    ['assign_to_queue', ['Queue']],
    [
      'send_email',
      ['To', 'CC', 'Reply To', 'Subject', 'Message', 'Include the staff signature', 'Include attachments'],
    ],
    ['send_sms', ['To', 'Use SMS Template', 'Message', 'Link to the job']],
    [
      'generate_document',
      ['Object Type', 'Output Format', 'Template', 'Store in the job diary', 'Keep as an attachment of the job'],
    ],
    ['send_staff_message', ['Staff Member', 'Message', 'Link to the job']],
    ['post_activity_feed', ['Message', 'Show the action bar']],
    ['send_notification', ['Notification Type', 'Message', 'Address']],
    ['create_task', ['Task Title', 'Task Description']],
    ['update_job_field', ['Field Name', 'Field Value']],
    [
      'create_job',
      [
        'Company UUID *',
        'Job Status *',
        'Job Description',
        'Job Address',
        'Date',
        'Purchase Order Number',
        'Billing Address',
        'Category',
        'Queue',
      ],
    ],
  ])('%s has every parameter', (type, labels) => {
    renderForm({ state: withAction(type) })
    for (const label of labels) expect(control(label)).not.toBeNull()
  })

  it.each(ACTION_TYPES)('%s calls its boxes what the parameters are called', (type) => {
    renderForm({ state: withAction(type) })
    for (const { name, label, kind } of actionSpec(type).parameters) {
      const box =
        kind === 'flag' ? document.querySelector<HTMLInputElement>(`[type=checkbox][name$=".p.${name}"]`) : null
      if (box) expect(box.labels?.[0]?.textContent).toBe(label)
    }
  })

  it.each(ACTION_TYPES)('%s: what is typed into any control is in what is posted', async (type) => {
    const { sent, user } = renderForm({ state: withAction(type) })
    const known = ['type', 'wait', ...actionSpec(type).parameters.map(({ name }) => `p.${name}`)]
    const typed: [string, string][] = []
    for (const box of document.querySelectorAll<HTMLInputElement>('input[name*=".p."], textarea[name*=".p."]')) {
      if (!['text', 'textarea'].includes(box.type)) continue
      const parameter = box.name.replace(/^(o\.)?s\.s\d+\./, '')
      expect(known).toContain(parameter)
      fireEvent.change(box, { target: { value: 'https://a.example/1' } })
      expect(box.value).toBe('https://a.example/1')
      typed.push([parameter.slice(2), box.value])
    }
    expect(sent).toEqual([])
    await addStep(user, 'Update Job Status')
    const form = document.querySelector('form')
    const [step] = readForm(new FormData(form ?? undefined)).steps
    for (const [name, value] of typed) expect([name, step?.parameters[name]]).toEqual([name, value])
  })

  it('the address of a notification is typed, posted, saved and shown again', async () => {
    const { user, sent } = renderForm({ state: withAction('send_notification') })
    await user.type(control('Message'), 'Done')
    await user.type(control('Address'), 'https://mine.example/in')
    expect(control('Address').value).toBe('https://mine.example/in')
    await user.click(button('Create Automation'))
    await waitFor(() => expect(sent).toHaveLength(1))
    const state = readForm(sent[0] ?? [])
    expect(state.steps[0]?.parameters).toMatchObject({ url: 'https://mine.example/in', message: 'Done' })
    const form = ruleForm.parse(toBody(state))
    expect(form.actions[0]?.parameters).toMatchObject({ url: 'https://mine.example/in' })
    const copied = JSON.parse(exportRule({ name: 'x', definition: definitionOf(form, 'job') }, '')) as object
    expect(JSON.stringify(copied)).toContain('https://mine.example/in')
    const again = formOfFields(formFields(definitionOf(form, 'job')))
    expect(again.steps[0]?.parameters.url).toBe('https://mine.example/in')
  })

  it.each([
    ['send_sms', 1_600],
    ['post_activity_feed', 500],
  ] as const)('%s says that a text is too long while it is typed', (type, most) => {
    renderForm({ state: withAction(type) })
    fireEvent.change(control('Message'), { target: { value: 'x'.repeat(most) } })
    expect(control('Message').hasAttribute('aria-invalid')).toBe(false)
    fireEvent.change(control('Message'), { target: { value: 'x'.repeat(most + 1) } })
    expect(described(control('Message'))).toContain(`Message has at most ${most} characters`)
    expect(control('Message').getAttribute('aria-invalid')).toBe('true')
  })

  it('update_job_field offers every field that a rule may write, each with its values', async () => {
    const { user } = renderForm({ state: withAction('update_job_field') })
    const field = control<HTMLSelectElement>('Field Name')
    expect([...field.options].map(({ value }) => value).filter(Boolean)).toEqual(
      WRITABLE_JOB_FIELDS.map(({ name }) => name),
    )
    expect(WRITABLE_JOB_FIELDS).toHaveLength(21)
    await user.selectOptions(field, 'status')
    expect([...control<HTMLSelectElement>('Field Value').options].map(({ value }) => value)).toEqual([
      '',
      ...JOB_STATUSES,
    ])
    await user.selectOptions(field, 'queue_uuid')
    within(control('Field Value')).getByText('Parts')
    await user.selectOptions(field, 'payment_received')
    within(control('Field Value')).getByText('Yes')
    await user.selectOptions(field, 'date')
    expect(control('Field Value').type).toBe('date')
  })

  it('badges are added and removed by name, or replaced together', async () => {
    const { user } = renderForm({ state: withAction('update_job_field') })
    await user.selectOptions(control('Field Name'), 'badges')
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Add a badge' }).checked).toBe(true)
    await user.selectOptions(control('Badge'), 'VIP')
    await user.click(screen.getByRole('radio', { name: 'Remove a badge' }))
    expect(control<HTMLSelectElement>('Badge').value).toBe('VIP')
    await user.click(screen.getByRole('radio', { name: 'Replace all badges' }))
    expect(control('Badges').value).toBe('VIP')
    await user.selectOptions(control('Field Name'), 'job_address')
    expect(control('Field Value').value).toBe('')
    expect(screen.queryByRole('radio', { name: 'Add a badge' })).toBeNull()
  })

  it('a document is kept unless both boxes are empty, and that is told', async () => {
    const { user } = renderForm({ state: withAction('generate_document') })
    expect(control('Keep as an attachment of the job').checked).toBe(true)
    expect(screen.queryByText('Tick a box under Options to keep the document.')).toBeNull()
    await user.click(control('Keep as an attachment of the job'))
    screen.getByText('Tick a box under Options to keep the document.')
    await user.click(control('Store in the job diary'))
    expect(screen.queryByText('Tick a box under Options to keep the document.')).toBeNull()
  })

  it('count the characters of a text message, and fill in a template', async () => {
    const { user } = renderForm({ state: withAction('send_sms') })
    expect(described(control('Message'))).toContain(
      '0/1600 characters. Messages over 153 chars use multiple SMS credits.',
    )
    expect(described(control('To'))).toContain("Leave empty to text the job's contact.")
    expect(control('To').placeholder).toBe('+447700900123')
    await user.click(control('Use SMS Template'))
    await user.selectOptions(control('SMS Template'), 't-1')
    expect(control('Message').value).toBe('We are done.')
    expect(described(control('Message'))).toContain('12/1600 characters.')
  })

  it('count the characters of a post to the feed', () => {
    renderForm({ state: withAction('post_activity_feed') })
    fireEvent.change(control('Message'), { target: { value: 'Hello' } })
    expect(described(control('Message'))).toContain('5/500 characters')
  })

  it('have three kinds of e-mail, each with its own fields', async () => {
    const { user } = renderForm({ state: withAction('send_email') })
    fireEvent.change(control('Message'), { target: { value: 'Hello' } })
    await user.click(screen.getByRole('radio', { name: 'HTML' }))
    control('HTML Body')
    await user.click(screen.getByRole('radio', { name: 'Template' }))
    await user.selectOptions(control('Email Template'), 'e-1')
    screen.getByText('We are done.')
    await user.click(screen.getByRole('radio', { name: 'Plain Text' }))
    expect(control('Message').value).toBe('')
  })

  it('attach files and the document of an earlier action', async () => {
    const { user } = renderForm({ state: press(withAction('generate_document'), 'add_step:send_email') })
    await user.click(control('Include attachments'))
    expect(control('Attachments of the job').checked).toBe(true)
    control('Attachment Filter')
    control('All of them')
    await user.click(control('A generated document'))
    await user.selectOptions(control('Document of'), 'Action 1')
    expect(control<HTMLSelectElement>('Document of').value).toBe('1')
    await user.click(control('Attachments of the job'))
    expect(control('Include attachments').checked).toBe(true)
    await user.click(control('A generated document'))
    expect(control('Include attachments').checked).toBe(false)
  })

  it('say that the action of a document was removed', () => {
    const made = press(withAction('generate_document'), 'add_step:send_email')
    const [document, mail] = made.steps.map(({ key }) => key)
    const at = (name: string) => `s.${mail}.p.${name}`
    const written = write(made, { [at('includeGeneratedDocument')]: 'true', [at('documentActionIndex')]: '1' })
    renderForm({ state: press(written, `remove_step:${document}`) })
    const chosen = control<HTMLSelectElement>('Document of').selectedOptions[0]
    expect(chosen?.textContent).toBe('An action that was removed')
  })

  it.each([
    ['Materials', 'Add Material', 'Material UUID', 'Copy materials from all jobs'],
    ['Material Bundles', 'Add Bundle', 'Bundle UUID', 'Copy material bundles from all jobs'],
  ])('take %s from one source at a time', async (legend, add, uuid, all) => {
    const { user } = renderForm({ state: withAction('create_job') })
    const group = within(screen.getByRole('group', { name: legend }))
    await user.click(button(add))
    expect(control('Quantity').value).toBe('1')
    expect(control(uuid)).toBe(document.activeElement)
    if (legend === 'Materials') expect(control('Unit Cost').step).toBe('0.01')
    await user.click(group.getByRole('radio', { name: 'Copy from jobs' }))
    expect(screen.queryByLabelText(new RegExp(`${uuid}$`))).toBeNull()
    await user.selectOptions(control('Source Job UUID'), 'j-1')
    await user.click(control(all))
    expect(screen.queryByLabelText(/Source Job UUID$/)).toBeNull()
    await user.click(group.getByRole('radio', { name: 'Typed in here' }))
    expect(screen.queryByLabelText(new RegExp(`${uuid}$`))).toBeNull()
  })

  it('with line breaks stand in a box that keeps them, also while they are written', async () => {
    const lines = { description: 'Ask Ann.\nThen Bob.', address: '12 High Street\nLeeds' }
    const state = withAction('create_job')
    const address = `s.${state.steps[0]?.key}.p.job_address`
    const { user, sent } = renderForm({
      state: write(state, { description: lines.description, [address]: lines.address }),
    })
    for (const [label, text] of [
      ['Description', lines.description],
      ['Job Address', lines.address],
    ] as const) {
      expect(control(label).tagName).toBe('TEXTAREA')
      expect(control(label).value).toBe(text)
    }
    expect(control('Billing Address').tagName).toBe('INPUT')
    const box = control('Job Address')
    await user.clear(box)
    await user.type(box, '14 High Street{Enter}Leeds')
    expect(control('Job Address')).toBe(box)
    expect(box.value).toBe('14 High Street\nLeeds')
    expect(sent).toEqual([])
  })

  it('take a day from the calendar, or the day they run', async () => {
    const { user } = renderForm({ state: withAction('create_job') })
    expect(control('Date').type).toBe('date')
    await user.click(control('Another day: TODAY, TODAY+3 or a placeholder'))
    expect(control('Date').value).toBe('TODAY')
    expect(control('Date').type).toBe('text')
  })

  it('take a day that counts from the run for a date of the job, and say how a moment is written', async () => {
    const state = withAction('update_job_field')
    const { user } = renderForm({ state: write(state, { [`s.${state.steps[0]?.key}.p.fieldName`]: 'date' }) })
    expect(control('Field Value').type).toBe('date')
    await user.click(control('Another day: TODAY, TODAY+3 or a placeholder'))
    await user.type(control('Field Value'), '+3')
    expect(control('Field Value').value).toBe('TODAY+3')
    expect(described(control('Field Value'))).toContain('TODAY+3 three days later')
    await user.selectOptions(control('Field Name'), 'Completed on')
    expect(control('Field Value').type).toBe('text')
    expect(described(control('Field Value'))).toContain('A date and time like 2026-03-31 14:30')
  })

  it('say that a chat program gets the message as text', () => {
    renderForm({ state: withAction('send_notification') })
    const address = control('Address')
    expect(described(address)).toBe("Leave empty for your webhook's own address.")
    fireEvent.change(address, { target: { value: 'https://hooks.slack.com/services/T0/B0/x' } })
    expect(described(control('Address'))).toBe('Slack gets the message as text.')
  })

  it('take an id that is not on a list', () => {
    renderForm({ state: withAction('assign_to_queue') })
    fireEvent.change(control('Queue: an id or a placeholder'), { target: { value: '{queue_uuid}' } })
    expect(control<HTMLSelectElement>('Queue').selectedOptions[0]?.textContent).toBe('As written: {queue_uuid}')
  })

  it('say why a list is empty', () => {
    renderForm({ state: withAction('assign_to_queue'), lists: EMPTY_LISTS })
    expect(described(control('Queue'))).toContain('needs you to be signed in')
  })
})

describe('placeholders', () => {
  it('are searched by their label and written where the caret is', async () => {
    const { user } = renderForm({ state: withAction('send_sms') })
    fireEvent.change(control('Message'), { target: { value: 'Hi , done' } })
    control<HTMLTextAreaElement>('Message').setSelectionRange(3, 3)
    await user.click(button('Insert a placeholder into Message'))
    await user.type(await screen.findByLabelText('Search placeholders'), 'first name')
    await user.click(
      within(screen.getByRole('list', { name: 'Placeholders' })).getAllByRole('button')[0] as HTMLElement,
    )
    expect(control('Message').value).toBe('Hi {first name}, done')
    expect(document.activeElement).toBe(control('Message'))
  })

  it('say how many a search found, that none was, and what Enter inserted', async () => {
    const { user } = renderForm({ state: withAction('send_sms') })
    const said = (sentence: RegExp | string) => screen.findByText(sentence, { selector: '.sr-only[aria-live] > *' })
    await user.click(button('Insert a placeholder into Message'))
    const search = await screen.findByLabelText('Search placeholders')
    await user.type(search, 'first name')
    await said(/^\d+ found$/)
    await user.type(search, 'zzz')
    await said('No placeholder has that name. Try another word.')
    await user.clear(search)
    await user.type(search, 'first name{Enter}')
    await said('{first name} inserted.')
    expect(control('Message').value).toContain('{first name}')
  })

  it('are left by Escape, with the focus where they were opened', async () => {
    const { user } = renderForm({ state: withAction('send_sms') })
    await user.click(button('Insert a placeholder into Message'))
    await user.type(await screen.findByLabelText('Search placeholders'), '{Escape}')
    expect(screen.queryByLabelText('Search placeholders')).toBeNull()
    expect(document.activeElement).toBe(button('Insert a placeholder into Message'))
  })

  it('that may be empty or are unknown are told below the text', async () => {
    renderForm({ state: withAction('send_sms') })
    fireEvent.change(control('Message'), {
      target: { value: 'Hi {entry.0.contact_first_name} {entry.0.jobb_address}' },
    })
    await waitFor(() => expect(described(control('Message'))).toContain('may be empty'))
    expect(described(control('Message'))).toContain('Did you mean')
  })

  it('blanks of a template are marked, and named before it is switched on', async () => {
    const { user } = renderForm({ state: withAction('send_sms') })
    fireEvent.change(control('Message'), { target: { value: 'Call us. [[Business name]]' } })
    expect(described(control('Message'))).toContain('Still to fill in: Business name')
    await user.click(button('Create Automation'))
    await screen.findByText('To switch it on, add: Business name')
  })
})

test('automations that may start each other are named while the rule is written', async () => {
  const other = press(write(started(), { triggerType: 'job_queue' }), 'add_step:update_job_status')
  const { draftOf } = await import('../form-body.ts')
  const rules = [{ id: 9, name: 'Back again', active: true, definition: draftOf(other) }]
  renderForm({ state: withAction('assign_to_queue'), rules })
  await screen.findByText(/your automation "Back again" starts on that/)
})

test('what protects customers is kept out of the way until it is used', async () => {
  const { user, sent } = renderForm({ state: write(withAction('create_task'), { 's.s1.p.title': 'Ring' }) })
  await user.click(screen.getByText('Advanced'))
  await user.click(control('Respect quiet hours'))
  await user.selectOptions(control('How often for the same record'), 'week')
  await user.click(button('Create Automation'))
  await waitFor(() => expect(sent).toHaveLength(1))
  expect(readForm(sent[0] ?? []).values).toMatchObject({ respectQuietHours: 'true', once: 'week' })
})

describe('materials, bundles and categories', () => {
  const stocked: FormLists = {
    ...LISTS,
    materials: [{ uuid: 'm-1', label: 'Valve (V1)' }],
    categories: [{ uuid: 'cat-1', label: 'Heating' }],
  }
  const withLine = (uuid: string) =>
    setValue(press(withAction('create_job'), 'add_line:s1:materials'), 's.s1.l.l2.uuid', uuid)

  it('are chosen from lists of the account', async () => {
    const { user } = renderForm({ state: withLine(''), lists: stocked })
    const material = control<HTMLSelectElement>('Material UUID')
    await user.selectOptions(material, 'Valve (V1)')
    expect(material).toHaveProperty('value', 'm-1')
    await user.selectOptions(screen.getByLabelText('Category'), 'Heating')
    expect(screen.getByLabelText('Category')).toHaveProperty('value', 'cat-1')
  })

  it('an id that is on no list stays, and can be typed while the platform is down', () => {
    renderForm({ state: withLine('gone-1') })
    expect(control('Material UUID')).toHaveProperty('value', 'gone-1')
    expect(screen.getByLabelText('Material UUID: an id')).toHaveProperty('value', 'gone-1')
    expect(screen.getAllByText(/^ServiceM8 has nothing to choose from/).length).toBeGreaterThan(0)
  })

  it('what is wrong with a line is said at its own control, and the focus goes there', async () => {
    const id = '00000000-0000-4000-8000-000000000001'
    const add = (state: FormState, list: string) => press(state, `add_line:s1:${list}`)
    const lines = add(add(add(withLine(id), 'materials'), 'materials'), 'material_bundles')
    const state = write(lines, {
      's.s1.p.company_uuid': id,
      's.s1.p.status': 'Quote',
      // The second stays empty and is not sent.
      's.s1.l.l4.uuid': id,
      's.s1.l.l4.quantity': '0',
      's.s1.l.l4.unit_cost': '-1',
      's.s1.l.l5.quantity': '2',
    })
    const { user, sent } = renderForm({ state, lists: stocked })
    await user.click(button('Create Automation'))
    const line = (name: string) => within(screen.getByRole('listitem', { name }))
    const third = line('Material 3')
    await waitFor(() => expect(document.activeElement).toBe(third.getByLabelText('Quantity')))
    expect(described(third.getByLabelText('Quantity'))).toBe('Quantity is a number above 0')
    expect(described(third.getByLabelText('Unit Cost'))).toBe('Unit cost is a number from 0 with at most two decimals')
    expect(described(line('Bundle 1').getByLabelText('Bundle Bundle UUID'))).toContain('Choose a bundle from the list')
    expect(document.querySelectorAll('[aria-invalid]')).toHaveLength(3)
    expect(sent).toHaveLength(0)
  })
})

test('an unknown placeholder is said once, as a note or as an error', async () => {
  const { user } = renderForm({ state: write(withAction('send_sms'), { 's.s1.p.message': 'Hi {entry.0.nobody}' }) })
  const said = () => screen.getAllByText(/^There is no \{entry\.0\.nobody\} here/)
  expect(said()).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Create Automation' }))
  await waitFor(() => expect(screen.getByLabelText('Message').getAttribute('aria-invalid')).toBe('true'))
  expect(said()).toHaveLength(1)
})

describe('looking at the unsaved rule', () => {
  const messageIn = (asked: URLSearchParams) => readForm(asked).steps[0]?.parameters.message ?? ''
  const previewOf = (uuid: string, text: string): DraftPreview => ({
    kind: 'preview',
    record: { uuid, label: `Job ${uuid}`, matches: uuid === '1' },
    failed: uuid === '1' ? [] : ['Status is Quote, and not Completed'],
    choices: ['1', '2'].map((each) => ({ uuid: each, label: `Job ${each}`, matches: each === '1' })),
    note: null,
    preview: {
      about: `Job ${uuid}`,
      matched: 1,
      total: 1,
      customerMessages: 1,
      credits: 1,
      often: 'Once per job',
      steps: [
        {
          label: 'Send SMS',
          outcome: 'would_run',
          sentence: null,
          effects: [
            {
              summary: '',
              channel: 'Text message',
              to: '+447700900001',
              texts: [{ label: 'Text', text }],
              changes: [],
              credits: 1,
              attachments: [],
              held: null,
            },
          ],
          warnings: [],
          notes: [],
        },
      ],
    },
  })

  it('the preview follows what is written, with the record that is chosen', async () => {
    told = (asked) => previewOf(asked.get('preview.record') || '1', messageIn(asked))
    renderForm({ state: withAction('send_sms') })
    await waitFor(() => expect(looks.length).toBe(1), { timeout: 5_000 })
    const pane = within(screen.getByRole('complementary', { name: 'Preview of the automation in the form' }))
    fireEvent.change(screen.getByLabelText('Message'), { target: { value: 'We are done' } })
    fireEvent.change(screen.getByLabelText('Message'), { target: { value: 'We are done!' } })
    await pane.findByText('We are done!', {}, { timeout: 5_000 })
    // Two letters, one question.
    expect(looks.map(messageIn)).toEqual(['', 'We are done!'])
    expect(pane.queryByText(/^Does not meet the conditions/)).toBeNull()
    fireEvent.click(pane.getByRole('button', { name: /^Job 2/ }))
    await pane.findByText('Status is Quote, and not Completed', {}, { timeout: 5_000 })
    expect(looks.at(-1)?.get('preview.record')).toBe('2')
  })

  it('a platform that does not answer is told, and the form stays as it is', async () => {
    renderForm({ state: withAction('send_sms') })
    await screen.findByText('ServiceM8 did not answer.', {}, { timeout: 5_000 })
    expect(screen.getByRole('button', { name: 'Create Automation' })).toHaveProperty('disabled', false)
  })

  it('the list of placeholders has the values of a real record, and says what may be empty', async () => {
    told = () => ({
      kind: 'samples',
      about: 'Job 1',
      values: { 'entry.0.contact_mobile': '', 'entry.0.status': 'Quote' },
    })
    renderForm({ state: withAction('send_sms') })
    fireEvent.click(await screen.findByRole('button', { name: 'Insert a placeholder into Message' }))
    await screen.findByText('With the values of Job 1.')
    const choice = (name: string) => screen.getByText(`{${name}}`).closest('button')?.textContent
    expect(choice('status')).toContain('Quote')
    expect(choice('mobile')).toContain('– · may be empty')
  })
})

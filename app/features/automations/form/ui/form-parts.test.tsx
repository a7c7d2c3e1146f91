// Long: one file for the parts of one form, each with and without scripts.
// The frame of the form: parts that close, the sentence, blanks, the bar, work that is kept, and how much is in sight.
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { formAfter, stagedForm } from '#tests/support/rule-form-stage.tsx'
import { seenOf } from '#tests/support/seen-of.ts'
import type { DraftPreview } from '../form-preview.ts'
import { emptyForm, type FormState } from '../form-state.ts'
import { readForm } from '../form-wire.ts'
import { findWork, forgetWork, keepWork, workKey } from './kept-work.tsx'

beforeAll(() =>
  Promise.all([
    import('../form-check.ts'),
    import('#app/ui/toast/toaster.tsx'),
    import('./live-preview.tsx'),
    import('../form-aids.ts'),
  ]),
)
let answer: object = { kind: 'trouble', message: 'Not now.' }
beforeEach(() => {
  answer = { kind: 'trouble', message: 'Not now.' }
  sessionStorage.clear()
  // Memory holds it, too, also what tests of other files left in this process.
  for (const opened of ['new', 'edit-7', 'import']) forgetWork(workKey('account-1', '', opened))
  vi.stubGlobal('fetch', async () => Response.json(answer))
})
afterEach(() => vi.unstubAllGlobals())

const TWO = formAfter([
  'name=Thank the customer',
  'events=object:job',
  'triggerType=job_status',
  'becomes=Completed',
  'add_condition',
  'c.c2.field=contact_mobile',
  'c.c2.operator=is_not_empty',
  'add_step:send_sms',
  's.s3.p.message=Hi {entry.0.contact_first_name or "there"}, your job is done.',
  'add_step:create_task',
  's.s4.p.title=Call back',
])
const BLANKS = formAfter([
  'name=Thanks',
  'events=object:job',
  'triggerType=job_status',
  'becomes=Completed',
  'active=',
  'add_step:send_sms',
  's.s2.p.message=Thanks from [[Business name]]',
])
const filled = (state: FormState, answers: Record<string, string>): FormState => ({ ...state, answers })

function open(state: FormState, more: Parameters<typeof stagedForm>[1] = {}) {
  const sent: FormData[] = []
  const drawn = renderPage({
    page: () => stagedForm(state, more),
    action: async ({ request }) => {
      sent.push(await request.formData())
      return null
    },
  })
  const form = drawn.container.querySelector('form')
  if (!form) throw new Error('no form')
  return { ...drawn, form, sent, user: userEvent.setup() }
}
const line = (part: string) => document.getElementById(`part-${part}`) as HTMLElement
const isOpen = (part: string) => (line(part).parentElement as HTMLDetailsElement).open
const serverDrawn = (state: FormState, more: Parameters<typeof stagedForm>[1] = {}) => {
  expectNoise(/useLayoutEffect does nothing on the server/)
  const page = document.createElement('div')
  page.innerHTML = renderToString(pageStub({ page: () => stagedForm(state, more) }))
  return page.querySelector('form') as HTMLFormElement
}

describe('how much is in sight', () => {
  it.each([true, false])('a rule with two actions: at most 450 words and 16 controls (scripts: %s)', (alive) => {
    const form = alive ? open(TWO).form : serverDrawn(TWO)
    const { words, controls } = seenOf(form)
    expect(words).toBeGreaterThan(50)
    expect(words).toBeLessThanOrEqual(450)
    expect(controls).toBeLessThanOrEqual(16)
  })

  it('the same while the message is open to be written', () => {
    const { form } = open(TWO)
    fireEvent.click(line('s3'))
    const { words, controls } = seenOf(form)
    expect(words).toBeLessThanOrEqual(450)
    // The message itself, its receiver, its placeholders, its options, and three buttons to move it or take it away.
    expect(controls).toBeLessThanOrEqual(16 + 6)
  })

  it('every sentence of the open form has at most 12 words', () => {
    const { form } = open(TWO)
    for (const part of ['when', 'if', 's3', 's4', 'advanced']) fireEvent.click(line(part))
    const hints = [...form.querySelectorAll('p[id$="-hint"], fieldset > p, legend + p')].map(
      (hint) => hint.textContent ?? '',
    )
    expect(hints.length).toBeGreaterThan(3)
    const long = hints
      .flatMap((text) => text.split(/[.!?:]\s/))
      .filter((sentence) => sentence.split(/\s+/).filter(Boolean).length > 12)
    expect(long).toEqual([])
  })
})

describe('the parts', () => {
  it('that are finished are one line with Edit; a press opens them', async () => {
    const { user } = open(TWO)
    expect(['when', 'if', 's3', 's4'].map(isOpen)).toEqual([false, false, false, false])
    expect(line('when').textContent).toBe('A job becomes CompletedEdit')
    expect(line('if').textContent).toBe('It has a mobile numberEdit')
    expect(line('s3').textContent).toBe('Text the customerEdit')
    expect(line('advanced').textContent).toContain('No limits set')
    await user.click(line('s3'))
    await waitFor(() => expect(isOpen('s3')).toBe(true))
    within(line('s3').parentElement as HTMLElement).getByLabelText('Message')
  })

  it('without scripts a press comes back at the part it changes; with scripts nothing jumps', () => {
    const leadsTo = (form: HTMLElement) =>
      Object.fromEntries(
        [...form.querySelectorAll<HTMLButtonElement>('button[name=intent]')].map((button) => [
          button.value,
          button.getAttribute('formaction')?.split('#')[1],
        ]),
      )
    expect(leadsTo(serverDrawn(TWO))).toMatchObject({
      'form.add_condition': 'part-if',
      'form.add_step:send_email': 'part-newest',
      'form.up:s4': 'part-s4',
      'form.remove_step:s4': 'automation-form',
    })
    expect(new Set(Object.values(leadsTo(open(TWO).form)))).toEqual(new Set([undefined]))
  })

  it('without scripts a new step is where the press leads, whatever else the press changes', () => {
    const drawn = serverDrawn(formAfter(['name=Thanks', 'events=object:job', 'triggerType=job_status']))
    const press = drawn.querySelector('button[value="form.add_step:send_sms"]')
    const controls = [...new FormData(drawn)].map((one): [string, FormDataEntryValue] =>
      one[0] === 'becomes' ? ['becomes', 'Completed'] : one,
    )
    const after = serverDrawn(formAfter(['add_step:create_task', 'add_step:send_sms'], readForm(controls)))
    const place = after.querySelector(`#${press?.getAttribute('formaction')?.split('#')[1]}`)
    expect(place?.querySelector('textarea')?.name).toBe('s.s3.p.message')
  })

  it('a part with an error is open, with and without scripts', async () => {
    const errors = { 'actions.1.parameters.title': ['Title is required'] }
    expect(serverDrawn(TWO, { errors }).querySelector('#part-s4')?.closest('details')?.open).toBe(true)
    const { user } = open(formAfter(['s.s4.p.title='], TWO))
    await user.click(line('s4'))
    await user.click(screen.getByRole('button', { name: 'Create Automation' }))
    await waitFor(() => expect(document.activeElement?.getAttribute('name')).toBe('s.s4.p.title'))
    expect(isOpen('s4')).toBe(true)
  })

  it.each([
    ['no step', { actions: ['Add at least one action'] }, '#add-step'],
    ['no field', { 'conditions.1.field': ['Choose a field'], actions: ['Add one'] }, '[name="c.c2.field"]'],
    ['blanks', { active: ['Still open'] }, '[role=alert]'],
    ['a step as a whole', { 'actions.0.parameters': ['Refers to a later step'] }, '[role=alert]'],
    ['a change elsewhere', {}, '[role=alert]'],
  ])('without scripts a refused press comes back at what is wrong: %s', (_what, errors, place) => {
    const form = serverDrawn(TWO, { errors, trouble: { kind: 'error', title: 'Failed to create automation' } })
    const focused = [...form.querySelectorAll('[autofocus]')]
    expect(focused).toEqual([form.querySelector(place)])
    // A fragment would win over the focus.
    expect(form.querySelector('button[value="form.save"]')?.getAttribute('formaction')).toBeNull()
  })

  it('a new step closes what is finished, and has the focus', async () => {
    const { user } = open(TWO)
    await user.click(line('when'))
    await waitFor(() => expect(isOpen('when')).toBe(true))
    await user.click(screen.getByText('Add step'))
    await user.click(screen.getByRole('button', { name: 'Send SMS' }))
    expect(isOpen('when')).toBe(false)
    expect(isOpen('s5')).toBe(true)
    expect((screen.getByText('Add step').closest('details') as HTMLDetailsElement).open).toBe(false)
    await waitFor(() => expect(document.activeElement?.getAttribute('name')).toMatch(/^s\.s5\./))
  })

  it('the menu has all actions in three groups', () => {
    open(TWO)
    for (const name of ['Tell someone', 'Change the job', 'Make something']) screen.getByRole('group', { name })
    expect(document.querySelectorAll('button[value^="form.add_step:"]')).toHaveLength(11)
  })

  it('the sentence leads to each of them: by script with the focus, without as a link', async () => {
    const { user, form } = open(TWO)
    const links = () => [...form.querySelectorAll<HTMLAnchorElement>('a[data-part]')]
    expect(links().map((link) => link.textContent)).toEqual([
      'When a job becomes Completed',
      'it has a mobile number',
      'text the customer and create the task "Call back", once per job',
    ])
    await user.click(links()[1] as HTMLElement)
    await waitFor(() => expect(isOpen('if')).toBe(true))
    expect(document.activeElement).toBe(line('if'))
    for (const link of serverDrawn(TWO).querySelectorAll<HTMLAnchorElement>('a[data-part]')) {
      expect(document.getElementById(link.hash.slice(1))).not.toBeNull()
    }
  })

  it('rare things are closed, and say what is set', () => {
    open(formAfter(['cooldownDays=3', 'askFirst=true', 's.s3.p.linkToJob=true', 'settleMinutes=5'], TWO))
    expect(line('advanced').textContent).toContain('3 days between messages, asks you first')
    expect(screen.getAllByText('Options')[0]?.parentElement?.textContent).toBe(
      "Options · to the job's contact, linked to the job",
    )
    expect(screen.getByText('More precise').parentElement?.textContent).toBe('More precise · after 5 minutes')
  })

  it('the preview names the kind of record that it tests with', async () => {
    open(formAfter(['events=object:company', 'triggerType=job_updated'], TWO))
    await screen.findByText('Test with a real customer. Nothing is sent.')
  })

  it.each<[chosen: string[], said: string]>([
    [['triggerType=job_status', 'triggerFromValue=Quote'], ' · from Quote, one job, after 10 minutes'],
    [['triggerType=job_created', 'triggerFromValue=Quote'], ' · one job, after 10 minutes'],
    [['atOnce=true'], ' · one job'],
    [['events=object:company', 'triggerType=job_updated', 'atOnce=true'], ''],
    [['triggerSource=api_polling'], ''],
  ])('after %j a closed part names what applies alone', (chosen, said) => {
    open(formAfter(['triggerJobUuid=j', 'settleMinutes=10', ...chosen], TWO))
    expect(screen.getByText('More precise').parentElement?.textContent).toBe(`More precise${said}`)
  })
})

describe('blanks of a template', () => {
  it('stand at the top, and one press creates the rule switched on', async () => {
    const { user, sent } = open(filled(BLANKS, { 'Business name': 'Alder' }))
    screen.getByText('1 thing to fill in')
    expect(screen.getByLabelText<HTMLInputElement>('Business name').value).toBe('Alder')
    await user.click(screen.getByRole('button', { name: 'Create and turn on' }))
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(sent[0]?.get('intent')).toBe('form.save:on')
    expect(readForm(sent[0] ?? []).answers).toEqual({ 'Business name': 'Alder' })
  })

  it('that is still empty is said at its own box, and has the focus', async () => {
    const { user, sent } = open(BLANKS)
    await user.click(screen.getByRole('button', { name: 'Create and turn on' }))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Business name')))
    screen.getByText('Fill this in to switch it on.')
    expect(sent).toEqual([])
    await user.type(screen.getByLabelText('Business name'), 'Finch')
    await user.click(screen.getByRole('button', { name: 'Create and turn on' }))
    await waitFor(() => expect(sent).toHaveLength(1))
  })
})

describe('what is not saved', () => {
  it('is named, discarded in one press, and brought back by the next', async () => {
    const { user } = open(emptyForm())
    expect(screen.queryByText('Not saved yet')).toBeNull()
    await user.type(screen.getByLabelText('Automation Name'), 'Half')
    screen.getByText('Not saved yet')
    await user.click(screen.getByRole('button', { name: 'Discard' }))
    expect(screen.getByLabelText<HTMLInputElement>('Automation Name').value).toBe('')
    expect(document.activeElement).toBe(screen.getByLabelText('Automation Name'))
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(screen.getByLabelText<HTMLInputElement>('Automation Name').value).toBe('Half')
  })

  it('comes back to its own form after another page, for its own person alone', async () => {
    const first = open(emptyForm(), { opened: 'new-', person: 'ann' })
    await first.user.type(screen.getByLabelText('Automation Name'), 'Half written')
    first.unmount()
    const again = open(emptyForm(), { opened: 'new-', person: 'ann' })
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Automation Name').value).toBe('Half written'))
    again.unmount()
    for (const other of [
      { opened: 'new-', person: 'tom' },
      { opened: 'edit-7', person: 'ann' },
      { opened: 'import', person: 'ann' },
    ]) {
      const elsewhere = open(emptyForm(), other)
      await screen.findByLabelText('Automation Name')
      expect(screen.getByLabelText<HTMLInputElement>('Automation Name').value).toBe('')
      elsewhere.unmount()
    }
  })

  it('is there also when the next session names nobody, and the other way round', async () => {
    const called = () => screen.getByLabelText<HTMLInputElement>('Automation Name')
    const first = open(emptyForm(), { opened: 'new-', person: 'sam' })
    await first.user.type(called(), 'Half written')
    first.unmount()
    for (const person of ['', 'sam']) {
      const next = open(emptyForm(), { opened: 'new-', person })
      await waitFor(() => expect(called().value).toBe('Half written'))
      next.unmount()
    }
    expect(Object.keys(sessionStorage)).toEqual([workKey('account-1', 'sam', 'new')])
    forgetWork(workKey('account-1', '', 'new'))
    expect(sessionStorage.length).toBe(0)
  })

  it('is forgotten once it is discarded', async () => {
    const key = workKey('account-1', 'ann', 'new')
    const first = open(emptyForm(), { opened: 'new-', person: 'ann' })
    await first.user.type(screen.getByLabelText('Automation Name'), 'Gone')
    expect(sessionStorage.getItem(key)).toContain('Gone')
    await first.user.click(screen.getByRole('button', { name: 'Discard' }))
    await waitFor(() => expect(sessionStorage.getItem(key)).toBeNull())
  })

  it('works where the browser refuses its storage', async () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('no', 'SecurityError')
    })
    const first = open(emptyForm(), { opened: 'new-', person: 'eve' })
    await first.user.type(screen.getByLabelText('Automation Name'), 'Framed')
    first.unmount()
    open(emptyForm(), { opened: 'new-', person: 'eve' })
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Automation Name').value).toBe('Framed'))
    vi.restoreAllMocks()
  })
})

describe('the preview', () => {
  const previewed: DraftPreview = {
    kind: 'preview',
    record: { uuid: '1', label: 'Job 3128 · Joan Hartley · 14 Marlow Rise', matches: true },
    failed: [],
    choices: [],
    note: null,
    preview: {
      about: '',
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
              ...{ summary: '', channel: 'Text message', to: '+447700900001', changes: [], credits: 1 },
              ...{ texts: [{ label: 'Text', text: 'Hi Joan, your job is done.' }], attachments: [], held: null },
            },
          ],
          warnings: [],
          notes: [],
        },
        { label: 'Create Task', outcome: 'would_run', sentence: null, effects: [], warnings: [], notes: [] },
      ],
    },
  }

  test('is a bubble, is said in the bar and in the box, opens as a sheet, and goes to the own phone', async () => {
    answer = previewed
    const { user, sent, form } = open(TWO)
    await screen.findByText('→ 1 text, 1 task', {}, { timeout: 5_000 })
    expect(screen.getByText('Job 3128 · Joan Hartley').closest('a')?.hash).toBe('#live-preview-title')
    expect((await screen.findByText('Hi Joan, your job is done.')).closest('blockquote')).not.toBeNull()
    expect(line('s3').parentElement?.textContent).toContain('About 26 characters · 1 credit')
    await user.click(screen.getByText('→ 1 text, 1 task'))
    const sheet = await screen.findByRole('dialog', { name: 'Live preview' })
    within(sheet).getByText('Hi Joan, your job is done.')
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    const phone = await screen.findByRole('button', { name: 'Text this to my own phone' })
    expect(phone.getAttribute('form')).toBe(form.id)
    await user.type(screen.getByLabelText('Your mobile number'), '07700 900777')
    await user.click(phone)
    await waitFor(() => expect(sent).toHaveLength(1))
    const named = ['intent', 'preview.text.0', 'preview.phone.0']
    expect(named.map((name) => sent[0]?.get(name))).toEqual([
      'form.text_me:0',
      'Hi Joan, your job is done.',
      '07700 900777',
    ])
    expect(document.activeElement).toBe(phone)
  })

  test('keeps the number that was typed without scripts, and comes back at the preview', async () => {
    const asked = { preview: { answer: previewed, search: '', record: '1', phone: '12345' } }
    open(TWO, asked)
    expect((await screen.findByLabelText<HTMLInputElement>('Your mobile number')).value).toBe('12345')
    const page = serverDrawn(TWO, asked).getRootNode() as HTMLElement
    const press = page.querySelector('button[value="form.text_me:0"]')
    expect(press?.getAttribute('formaction')).toMatch(/#live-preview-title$/)
  })
})

test('kept work follows the switch, and is stale only when the rule itself changed', () => {
  const named = (name: string, active: string, version: number): FormState => ({
    ...emptyForm(),
    ruleId: 7,
    values: { ...emptyForm().values, name, active },
    opened: { version, active },
  })
  keepWork('k', named('Typed', 'true', 1), named('Ring', 'true', 1))
  expect(findWork('k', named('Ring', '', 1))).toMatchObject({ stale: false, state: named('Typed', '', 1) })
  // The bar says so from then on: saving replaces it at once.
  expect(findWork('k', named('Other', '', 2))).toMatchObject({ stale: true, state: named('Typed', '', 2) })
  forgetWork('k')
})

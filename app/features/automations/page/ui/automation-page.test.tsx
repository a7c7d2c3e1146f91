// Long: one page, in each of its states.
import { useLocation } from '@remix-run/react'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WAIT_SENTENCES } from '#app/domain/call-budget.ts'
import { hours } from '#app/lib/duration.ts'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { sampleCard, sampleLogLine, samplePreview } from '#tests/support/sample-rules.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import type { PageResult } from '../act-on-rule.ts'
import { listTrouble } from '../page-text.ts'
// Fetched on demand in the product.
import '#app/ui/toast/toaster.tsx'
import { AutomationPage, type AutomationPageProps } from './automation-page.tsx'

function propsOf(over: Partial<AutomationPageProps> = {}): AutomationPageProps {
  return {
    accountUUID: 'account-1',
    accountName: 'Smith & Sons Plumbing',
    timezone: SAMPLE_ZONE,
    admin: false,
    now: SAMPLE_NOW,
    rules: [sampleCard()],
    logs: null,
    month: '',
    limits: 'Quiet hours: off.',
    notices: [],
    repeats: [],
    tab: 'rules',
    step: { step: 'none' },
    result: null,
    rights: { refusal: null, owners: [] },
    trouble: null,
    reconnect: null,
    form: (beside) => (
      <>
        <p>The form</p>
        {beside}
      </>
    ),
    ...over,
  }
}

const optionsOf = (over: Partial<AutomationPageProps> = {}, sent: Record<string, string>[] = []) => ({
  at: '/?accountUUID=account-1',
  page: () => <AutomationPage {...propsOf(over)} />,
  action: async ({ request }: { request: Request }) => {
    const form = await request.formData()
    sent.push(Object.fromEntries([...form].map(([name, value]) => [name, String(value)])))
    return null
  },
})

const renderAutomations = (over: Partial<AutomationPageProps> = {}, sent: Record<string, string>[] = []) =>
  renderPage(optionsOf(over, sent))

/** As a browser without scripts has it. */
function withoutScripts(over: Partial<AutomationPageProps> = {}) {
  // The router of the test is one for browsers.
  expectNoise(/useLayoutEffect does nothing on the server/)
  return renderToString(pageStub(optionsOf(over)))
}

const NOTICE: AutomationPageProps['notices'][number] = {
  ...{ id: 3, card: null, automationId: 9, kind: 'stopped', runId: null, mail: null, count: 1 },
  ...{ name: 'Thank the customer', what: 'was stopped', title: 'Thank the customer was stopped' },
  ...{ sentence: 'It failed too often.', since: SAMPLE_NOW, at: SAMPLE_NOW },
}

const card = (name = 'Thank the customer') => within(screen.getByRole('article', { name }))

const NOT_MET: Extract<PageResult, { kind: 'not_met' }> = {
  kind: 'not_met',
  ruleId: 3,
  name: 'Thank the customer',
  mode: 'run',
  recordUuid: '',
  record: null,
  failed: [
    {
      field: 'status',
      operator: 'equals',
      value: 'Completed',
      words: '"Status" is Quote. The automation needs: Completed.',
    },
  ],
}

function WhereItLed() {
  const { search, hash } = useLocation()
  return <p>{`${search}${hash}`}</p>
}

afterEach(() => vi.unstubAllGlobals())

it('comes back at the card of a press while there are no scripts, and stays where it is with them', () => {
  const leadsTo = (page: ParentNode) =>
    ['Preview', 'Run Now'].map((name) =>
      page.querySelector(`#automation-3 [aria-label^="${name}"]`)?.getAttribute('formaction'),
    )
  const page = document.createElement('div')
  page.innerHTML = withoutScripts()
  expect(leadsTo(page)).toEqual(Array(2).fill('/?accountUUID=account-1#automation-3'))
  page.innerHTML = withoutScripts({ notices: [NOTICE] })
  const dismiss = page.querySelector('[aria-label="Dismiss: Thank the customer was stopped"]')
  // Notice 3 is not automation 3.
  expect([dismiss?.getAttribute('form'), dismiss?.getAttribute('formaction')]).toEqual(['automation-form', null])
  renderAutomations()
  expect(leadsTo(document)).toEqual([null, null])
})

describe('the header', () => {
  it('leads home and to the logs, and shows the tools of an admin to nobody else', () => {
    renderAutomations()
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Automations')
    expect(screen.getByRole('link', { name: 'Home' }).getAttribute('href')).toBe('/?accountUUID=account-1')
    screen.getByRole('button', { name: 'View Logs' })
    const tabs = within(screen.getByRole('navigation', { name: 'Automations' })).getAllByRole('link')
    expect(tabs.map((tab) => tab.textContent)).toEqual(['Your Automations', 'Template Library'])
    // Where the system sets the colours, a transparent line is drawn too.
    const unmarked = 'forced-colors:border-[Canvas]'
    expect(tabs.map(({ classList }) => classList.contains(unmarked))).toEqual([false, true])
    expect(tabs[0]?.getAttribute('aria-current')).toBe('page')
    expect(screen.queryByText('Admin Mode')).toBeNull()
    expect(screen.queryByRole('button', { name: /Check Mode/ })).toBeNull()
  })

  it('says which limits are on, and leads to them', () => {
    renderAutomations({ limits: 'Your limits: no quiet hours.' })
    expect(screen.getByText('Your limits: no quiet hours.')).not.toBeNull()
    for (const name of ['Settings', 'Change quiet hours and limits']) {
      expect(screen.getByRole('link', { name }).getAttribute('href')).toBe('/automation/settings?accountUUID=account-1')
    }
  })

  it('has a badge, the API test and Check Mode for an admin', async () => {
    const sent: Record<string, string>[] = []
    renderAutomations({ admin: true }, sent)
    screen.getByText('Admin Mode')
    expect(screen.getByRole('link', { name: 'API Testing' }).getAttribute('href')).toBe(
      '/automation?accountUUID=account-1&admin=yes&tab=api',
    )
    fireEvent.click(screen.getByRole('button', { name: 'Check Mode: Thank the customer' }))
    await waitFor(() => expect(sent).toEqual([{ act: 'check', id: '3', accountUUID: 'account-1' }]))
  })

  it.each([
    [
      'insufficient_scope: read_job_queues is needed',
      "Updated Permissions Required. Your OAuth token needs updated permissions. Please click 'Reconnect' in the Webhook Manager to get new permissions for job queues access.",
    ],
    [
      'ServiceM8 answered 500.',
      'Authentication Required: Please authenticate with the platform first to access jobs and queues data.',
    ],
  ])('%s is told in the documented words', (said, words) => {
    renderAutomations({ trouble: listTrouble(said, false) })
    expect(document.body.textContent).toContain(words)
    screen.getByText(`ServiceM8 said: ${said}`)
  })

  it('a limit of calls is told alone: signing in again would not help', () => {
    const message = WAIT_SENTENCES.minute
    renderAutomations({ trouble: listTrouble(message, true) })
    expect(screen.getByText(message).parentElement?.textContent).toBe(message)
  })
})

describe('the list', () => {
  it('says what will appear when there is nothing yet, and that it could not be fetched when it could not', () => {
    renderAutomations({ rules: [] })
    screen.getByRole('heading', { name: 'Existing Automations' })
    screen.getByText('No automations yet')
    expect(withoutScripts({ rules: null })).toContain('Failed to fetch automations')
  })

  it('has a card that says the rule in one sentence, with its trigger, count and actions', () => {
    renderAutomations()
    const text = screen.getByRole('article').textContent
    expect(text).toContain('When a job becomes Completed, only if it has a mobile number, then text the customer.')
    expect(text).toContain('Ask for a review.')
    expect(text).toContain('Webhook Event, reacts within seconds')
    expect(text).toContain('Started 4 times, last 5 minutes ago')
    expect(text).toContain('Send SMS, Create Task')
    card().getByText('Active')
    expect(text).not.toContain('Next check')
  })

  it('shows the schedule and when it looks next', () => {
    renderAutomations({
      rules: [sampleCard({ schedule: 'Every day at 08:00', nextRunAt: SAMPLE_NOW + hours(2) })],
    })
    expect(screen.getByRole('article').textContent).toContain('Every day at 08:00')
    expect(screen.getByRole('article').textContent).toContain('Next check in 2 hours')
  })

  it('switches off what is on, and on what is off', async () => {
    const sent: Record<string, string>[] = []
    renderAutomations({ rules: [sampleCard(), sampleCard({ id: 4, name: 'Chase', active: false })] }, sent)
    expect(screen.getByRole('switch', { name: 'Active: Thank the customer' }).getAttribute('aria-checked')).toBe('true')
    card('Chase').getByText('Inactive')
    fireEvent.click(screen.getByRole('switch', { name: 'Active: Thank the customer' }))
    await waitFor(() => expect(sent).toEqual([{ act: 'switch', id: '3', to: 'off', accountUUID: 'account-1' }]))
    fireEvent.click(screen.getByRole('switch', { name: 'Active: Chase' }))
    await waitFor(() => expect(sent[1]).toEqual({ act: 'switch', id: '4', to: 'on', accountUUID: 'account-1' }))
  })

  it('says why a rule is paused and what to do, by the kind of pause', async () => {
    const sent: Record<string, string>[] = []
    renderAutomations({ rules: [sampleCard({ pausedReason: 'It set itself off 3 times within 10 minutes.' })] }, sent)
    expect(screen.getByRole('article').textContent).toMatch(/Paused.*It set itself off 3 times within 10 minutes\./)
    expect(card().queryByText('Active')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Start again: Thank the customer' }))
    await waitFor(() => expect(sent).toEqual([{ act: 'switch', id: '3', to: 'on', accountUUID: 'account-1' }]))
    const lost = 'ServiceM8 no longer accepts our connection. Please click Reconnect in the Webhook Manager.'
    const html = withoutScripts({ rules: [sampleCard({ pausedReason: lost, pauseEndsByItself: true })] })
    expect(html).toContain('It resumes automatically')
    expect(html).not.toContain('Start again')
  })

  it('says that it is preparing, what is still open, and asks about what matches already', async () => {
    const sent: Record<string, string>[] = []
    renderAutomations(
      {
        rules: [
          sampleCard({ preparing: true }),
          sampleCard({ id: 4, name: 'Copy', active: false, openBlanks: ['Business name'] }),
          sampleCard({ id: 5, name: 'Daily', active: false, asksAboutExisting: true }),
        ],
      },
      sent,
    )
    card().getByText('Getting ready. It starts in a moment.')
    // Its fields load with the first card that needs them.
    await card('Copy').findByText('Business name')
    expect(card('Copy').queryByRole('button', { name: /Save and turn on/ })).toBeNull()
    fireEvent.click(card('Daily').getByRole('button', { name: 'Switch on, also for what matches already' }))
    await waitFor(() => expect(sent[0]).toMatchObject({ act: 'switch', id: '5', to: 'on', existing: 'yes' }))
  })

  it('takes what is still open right on the card, with what is known of the account', async () => {
    const sent: Record<string, string>[] = []
    const askedBlanks = [
      { label: 'Business name', value: 'Alder & Finch' },
      { label: 'Review link', value: '' },
    ]
    const openBlanks = askedBlanks.map(({ label }) => label)
    renderAutomations({ rules: [sampleCard({ id: 4, name: 'Copy', active: false, openBlanks, askedBlanks })] }, sent)
    expect((await card('Copy').findByLabelText<HTMLInputElement>('Business name')).value).toBe('Alder & Finch')
    fireEvent.change(card('Copy').getByLabelText('Review link'), { target: { value: 'https://x.example' } })
    fireEvent.click(card('Copy').getByRole('button', { name: 'Save and turn on: Copy' }))
    await waitFor(() =>
      expect(sent[0]).toMatchObject({
        act: 'fill',
        id: '4',
        'blank.4.Business name': 'Alder & Finch',
        'blank.4.Review link': 'https://x.example',
      }),
    )
  })

  it('runs and previews a rule, and leads to its form', async () => {
    const sent: Record<string, string>[] = []
    renderAutomations({}, sent)
    fireEvent.click(screen.getByRole('button', { name: 'Run Now: Thank the customer' }))
    await waitFor(() => expect(sent).toEqual([{ act: 'run', id: '3', accountUUID: 'account-1' }]))
    fireEvent.click(screen.getByRole('button', { name: 'Preview: Thank the customer' }))
    await waitFor(() => expect(sent[1]).toEqual({ act: 'preview', id: '3', accountUUID: 'account-1' }))
    const edit = screen.getByRole('button', { name: 'Edit Thank the customer' }).closest('form')
    expect(edit?.querySelector('input[name=edit]')?.getAttribute('value')).toBe('3')
  })
})

it('goes on at the card of a rule whose form is left, unless the focus is elsewhere', () => {
  let open: (step: AutomationPageProps['step']) => void = () => {}
  function Editing() {
    const [step, setStep] = useState<AutomationPageProps['step']>({ step: 'edit', ruleId: 3 })
    open = setStep
    const form: AutomationPageProps['form'] = (beside) => (
      <>
        {step.step === 'edit' ? <input aria-label="Automation Name" /> : <p>The form</p>}
        {beside}
      </>
    )
    return <AutomationPage {...propsOf({ step, form })} />
  }
  renderPage({ ...optionsOf(), page: () => <Editing /> })
  screen.getByRole('textbox', { name: 'Automation Name' }).focus()
  act(() => open({ step: 'none' }))
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 3, name: 'Thank the customer' }))
  act(() => open({ step: 'edit', ruleId: 3 }))
  expect(document.activeElement?.id).toBe('rule-form')
  const logs = screen.getByRole('button', { name: 'View Logs' })
  logs.focus()
  act(() => open({ step: 'none' }))
  expect(document.activeElement).toBe(logs)
})

describe('copying', () => {
  const clipboard = (writeText: (text: string) => Promise<void>) =>
    vi.stubGlobal('navigator', Object.create(navigator, { clipboard: { value: { writeText } } }))

  it('takes the JSON and, of a manual rule only, the address', async () => {
    const copied: string[] = []
    clipboard(async (text) => {
      copied.push(text)
    })
    const triggerUrl = 'https://hooks.example.com/api/automation/4/trigger?key=k'
    renderAutomations({ rules: [sampleCard(), sampleCard({ id: 4, name: 'Pack', triggerUrl })] })
    expect(screen.queryByRole('button', { name: 'Copy trigger URL: Thank the customer' })).toBeNull()
    await act(async () => {
      fireEvent.click(screen.getByRole('button', { name: 'Copy as JSON: Thank the customer' }))
    })
    await screen.findByText('Automation copied')
    await act(async () => {
      fireEvent.click(screen.getByRole('button', { name: 'Copy trigger URL: Pack' }))
    })
    await screen.findByText('Endpoint URL copied')
    expect(copied).toEqual(['{"rules":[]}', triggerUrl])
  })

  it('leads to the text itself when the browser refuses', async () => {
    clipboard(async () => {
      throw new Error('not allowed')
    })
    renderPage({ ...optionsOf(), routes: [{ path: '/automation', Component: WhereItLed }] })
    await act(async () => {
      fireEvent.click(screen.getByRole('button', { name: 'Copy as JSON: Thank the customer' }))
    })
    await screen.findByText('?accountUUID=account-1&json=3#automation-3')
  })

  it('shows the text in a box that can only be read, for those without scripts', () => {
    renderAutomations({ step: { step: 'json', ruleId: 3 } })
    const box = screen.getByLabelText('The automation as JSON')
    expect(box).toHaveProperty('readOnly', true)
    expect(box).toHaveProperty('value', '{"rules":[]}')
  })

  it('shows the address with a way to a new one', async () => {
    const sent: Record<string, string>[] = []
    const triggerUrl = 'https://hooks.example.com/api/automation/3/trigger?key=k'
    renderAutomations({ rules: [sampleCard({ triggerUrl })], step: { step: 'url', ruleId: 3 } }, sent)
    expect(screen.getByLabelText('Endpoint URL')).toHaveProperty('value', triggerUrl)
    fireEvent.click(screen.getByRole('button', { name: 'Make a new address' }))
    await waitFor(() => expect(sent[0]).toMatchObject({ act: 'new_url', id: '3' }))
  })
})

describe('deleting', () => {
  it('asks first, and nothing happens on Cancel', async () => {
    const sent: Record<string, string>[] = []
    renderAutomations({}, sent)
    fireEvent.click(screen.getByRole('button', { name: 'Delete Thank the customer' }))
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Delete Automation' }))
    fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(sent).toEqual([])
    fireEvent.click(screen.getByRole('button', { name: 'Delete Thank the customer' }))
    fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(sent).toEqual([{ act: 'delete', id: '3', accountUUID: 'account-1' }]))
  })

  it('asks in the page where the address says so', () => {
    renderAutomations({ step: { step: 'delete', ruleId: 3 } })
    within(screen.getByRole('region', { name: 'Delete Automation' })).getByRole('button', { name: 'Delete' })
  })
})

describe('conditions that are not met', () => {
  it('are listed in a dialog, with Run Anyway and Cancel', async () => {
    const sent: Record<string, string>[] = []
    renderAutomations({ result: NOT_MET }, sent)
    const dialog = await screen.findByRole('alertdialog', { name: 'Automation Conditions Not Met' })
    expect(dialog.textContent).toContain('"Status" is Quote. The automation needs: Completed.')
    expect(dialog.textContent).toContain('status equals "Completed"')
    fireEvent.click(within(dialog).getByRole('button', { name: 'Run Anyway' }))
    await waitFor(() => expect(sent).toEqual([{ act: 'run', id: '3', bypass: 'yes', accountUUID: 'account-1' }]))
  })

  it('can be left alone, and the focus is back on the button', async () => {
    renderAutomations({ result: NOT_MET })
    const dialog = await screen.findByRole('alertdialog')
    fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Run Now: Thank the customer' }))
  })

  it('of a preview lead back to Preview, and Show Anyway leads to what it shows', async () => {
    let answer: (result: PageResult) => void = () => {}
    function Answered() {
      const [result, setResult] = useState<PageResult>({ ...NOT_MET, mode: 'preview' })
      answer = setResult
      return <AutomationPage {...propsOf({ result })} />
    }
    renderPage({ ...optionsOf(), page: () => <Answered /> })
    fireEvent.keyDown(await screen.findByRole('alertdialog'), { key: 'Escape' })
    await waitFor(() => expect(document.activeElement).toBe(card().getByRole('button', { name: /^Preview:/ })))
    act(() => answer({ ...NOT_MET, mode: 'preview' }))
    within(await screen.findByRole('alertdialog'))
      .getByRole('button', { name: 'Show Anyway' })
      .focus()
    act(() => answer(previewed('preview')))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    // The dialog gives the focus back a moment later.
    await act(() => new Promise((done) => setTimeout(done, 20)))
    expect(document.activeElement?.textContent).toBe('Preview')
    expect(document.activeElement?.tagName).toBe('H4')
  })

  it('are part of the page without scripts', () => {
    const html = withoutScripts({ result: NOT_MET })
    expect(html).toContain('Automation Conditions Not Met')
    expect(html).toContain('Run Anyway')
  })

  it.each([
    ['a record that was asked for', 'Job 3120', 'Job 3120 does not meet the conditions.', 'for Job 3120.'],
    ['none', null, 'No record meets the conditions of “Thank the customer” now.', 'for the newest record.'],
  ])('name %s, and what Run Anyway runs it for', async (_, record, sentence, runs) => {
    const recordUuid = record === null ? '' : 'job-3120'
    const result = { ...NOT_MET, record, recordUuid }
    const sent: Record<string, string>[] = []
    renderAutomations({ result }, sent)
    const dialog = await screen.findByRole('alertdialog')
    expect(dialog.textContent).toContain(sentence)
    expect(dialog.textContent).toContain(`Run Anyway runs it once, ${runs}`)
    fireEvent.click(within(dialog).getByRole('button', { name: 'Run Anyway' }))
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(sent[0]?.recordUuid ?? '').toBe(recordUuid)
    const page = withoutScripts({ result })
    expect(page).toContain(sentence)
    if (record !== null) expect(page).toContain('job-3120')
  })

  it('of a preview can only be shown, not run', async () => {
    renderAutomations({ result: { ...NOT_MET, mode: 'preview' } })
    const dialog = within(await screen.findByRole('alertdialog'))
    dialog.getByRole('button', { name: 'Show Anyway' })
    expect(dialog.queryByRole('button', { name: 'Run Anyway' })).toBeNull()
  })
})

const previewed = (mode: 'check' | 'preview'): PageResult => ({
  kind: 'previewed',
  ruleId: 3,
  name: 'Thank the customer',
  mode,
  preview: samplePreview(),
})

describe('a preview', () => {
  it('says who gets what over which channel, what it costs, what changes and what is in the way', () => {
    renderAutomations({ result: previewed('preview') })
    const panel = screen.getByRole('region', { name: 'Preview' })
    for (const words of [
      'This is what would happen. Nothing was sent.',
      'Job 4411 · Margaret Smith',
      '2 of 9',
      '1. Send SMS',
      'Would run',
      'Text message',
      '+61400000001',
      'Thank you, Margaret!',
      'Moved to 08:00: it is after hours.',
      '{job_address} is empty on this job.',
      'Quote → Completed',
    ]) {
      expect(panel.textContent).toContain(words)
    }
    expect(document.activeElement?.textContent).toBe('Preview')
  })

  it('of an admin is called Check Mode', () => {
    renderAutomations({ result: previewed('check'), admin: true })
    screen.getByRole('region', { name: 'Check Mode' })
  })
})

describe('the logs', () => {
  it('are in a dialog with the documented title and text', async () => {
    renderAutomations({
      step: { step: 'logs' },
      logs: [
        sampleLogLine(),
        sampleLogLine({ id: 13, status: 'failure', reason: 'The queue is gone.', about: 'Job 4412', actions: [] }),
      ],
    })
    const dialog = await screen.findByRole('dialog', { name: 'Recent Automation Logs' })
    expect(dialog.textContent).toContain('Last 20 automation executions across all your automations')
    expect(dialog.textContent).toContain('Done: Send SMS. Text to +61400000001')
    expect(dialog.textContent).toContain('The queue is gone.')
    within(dialog).getByText('Failure')
    const link = within(dialog).getByRole('link', { name: 'Job 4411 · Margaret Smith · Thank the customer' })
    expect(link.getAttribute('href')).toBe('/automation/runs/12?accountUUID=account-1')
  })

  it('are part of the page without scripts, and say when they cannot be read or nothing ran yet', () => {
    expect(withoutScripts({ step: { step: 'logs' }, logs: [sampleLogLine()] })).toContain('Recent Automation Logs')
    expect(withoutScripts({ logs: 'failed' })).toContain('Failed to fetch logs')
    expect(withoutScripts({ logs: [] })).toContain('Nothing has run yet')
  })
})

describe('import', () => {
  it('belongs to the form of the automation without scripts, so that what stands there is sent along and kept', () => {
    const html = withoutScripts()
    const formOf = (tag: string | undefined) => /\bform="([^"]*)"/.exec(tag ?? '')?.[1]
    expect(formOf(/<textarea[^>]*name="json"[^>]*>/.exec(html)?.[0])).toBe('automation-form')
    expect(formOf(/<button[^>]*value="act=import"[^>]*>/.exec(html)?.[0])).toBe('automation-form')
  })

  it('sends what was pasted', async () => {
    const sent: Record<string, string>[] = []
    renderAutomations({}, sent)
    fireEvent.change(screen.getByLabelText('Paste JSON'), { target: { value: '{"name":"x"}' } })
    fireEvent.click(screen.getByRole('button', { name: 'Import' }))
    await waitFor(() => expect(sent).toEqual([{ act: 'import', json: '{"name":"x"}', accountUUID: 'account-1' }]))
  })

  it('keeps what was pasted beside the reason it was refused, until Cancel', () => {
    const refused: PageResult = { kind: 'import_refused', text: '{', message: 'Invalid JSON format' }
    renderAutomations({ result: refused })
    const box = screen.getByLabelText('Paste JSON')
    expect(box).toHaveProperty('value', '{')
    expect(box.getAttribute('aria-invalid')).toBe('true')
    screen.getByText('Import failed: Invalid JSON format')
    expect(box.closest('details')?.open).toBe(true)
  })

  it('keeps what was typed since then, too, when another button has its result', () => {
    const refused: PageResult = { kind: 'import_refused', text: '{', message: 'Invalid JSON format' }
    function Page() {
      const [result, setResult] = useState<PageResult | null>(refused)
      return (
        <>
          <button type="button" onClick={() => setResult(null)}>
            Another
          </button>
          <AutomationPage {...propsOf({ result })} />
        </>
      )
    }
    renderPage({ ...optionsOf(), page: () => <Page /> })
    fireEvent.change(screen.getByLabelText('Paste JSON'), { target: { value: '{"name":"x"}' } })
    fireEvent.click(screen.getByRole('button', { name: 'Another' }))
    const box = screen.getByLabelText('Paste JSON')
    expect(box).toHaveProperty('value', '{"name":"x"}')
    expect(box.closest('details')?.open).toBe(true)
  })

  it('without scripts shows again what was typed here and on the cards, and each button sends it along', () => {
    const blank = { openBlanks: ['Link'], askedBlanks: [{ label: 'Link', value: '' }] }
    const html = withoutScripts({
      rules: [sampleCard({ id: 4, active: false, ...blank })],
      step: { step: 'delete', ruleId: 4 },
      typed: { json: 'half', 'blank.4.Link': 'https://x.example' },
    })
    expect(/<textarea[^>]*name="json"[^>]*>([^<]*)/.exec(html)?.[1]).toBe('half')
    const input = /<input[^>]*name="blank\.4\.Link"[^>]*>/.exec(html)?.[0]
    expect(input).toMatch(
      /form="automation-form".*value="https:\/\/x\.example"|value="https:\/\/x\.example".*form="automation-form"/,
    )
    for (const act of ['fill', 'delete']) {
      expect(html).toMatch(new RegExp(`<button[^>]*form="automation-form"[^>]*value="act=${act}&amp;id=4"`))
    }
  })
})

it('on another tab shows what belongs there instead of the list', () => {
  renderAutomations({ tab: 'templates', children: <p>The library</p> })
  screen.getByText('The library')
  expect(screen.queryByText('Existing Automations')).toBeNull()
})

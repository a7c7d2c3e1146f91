// Long: one table. Every button, link, page and setting that a message names is where the message says, in the state in which
// it appears.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanup } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { runReason, runReasonText } from '#app/domain/automations/run-reasons.ts'
import { drawnNames, isCalled, type KINDS, namedControls, namedIn } from '#tests/support/named-controls.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { formAfter } from '#tests/support/rule-form-stage.tsx'
import { sampleCard } from '#tests/support/sample-rules.ts'
import { sampleRule, sampleWebhook } from '#tests/support/sample-views.ts'
import type { Scene } from '#tests/support/sentence-scenes.tsx'
import * as scenes from '#tests/support/sentence-scenes.tsx'

const ROOT = join(import.meta.dirname, '../..')

interface Entry {
  /** The text, or a part of it that stays. */
  says: string
  name: string
}
interface Shown extends Entry {
  is: keyof typeof KINDS
  /** As it is drawn, where a message writes it small. */
  drawn?: string
  /** Where the reader is sent, in every state in which the message appears. */
  on: readonly Scene[]
  /** The message stands there too. */
  here?: true
}
interface Documented extends Entry {
  /** A section of this document. */
  document: string
}
interface Elsewhere extends Entry {
  /** Why no page of ours has it. */
  elsewhere: string
}

const MANAGER: readonly Scene[] = [
  () => scenes.manager(),
  () => scenes.manager({ reconnect: 'ServiceM8 no longer accepts this connection.' }),
  () => scenes.manager({ missingScopes: ['publish_sms'] }),
  () => scenes.manager({ webhooks: [] }),
]
const STOPPED = [scenes.inTrouble('stopped'), scenes.inTrouble('stopped', 'rule')]
const GIVEN_UP = [scenes.inTrouble('failing'), scenes.inTrouble('failing', 'rule')]
const PAUSED = [scenes.inTrouble('paused'), scenes.inTrouble('paused', 'rule')]
const CHECKED = [scenes.checked('active'), scenes.checked('stopped'), scenes.checked('failing')]
const FRAME: readonly Scene[] = [() => scenes.frame()]
const ON_DEMAND: readonly Scene[] = [
  (text) => scenes.automations({ rules: [sampleCard({ source: 'api_polling', schedule: text })] }),
]
const form =
  (...steps: string[]): Scene =>
  () =>
    scenes.ruleForm(formAfter(['name=Call back', ...steps]))
const ON_JOBS = ['triggerSource=webhook', 'events=object:job'] as const
const FORMS: readonly Scene[] = [
  form(...ON_JOBS, 'triggerType=job_status', 'add_step:send_sms'),
  form('triggerSource=api_polling', 'apiEndpoint=/api_1.0/job.json', 'pollInterval=daily', 'add_step:send_sms'),
  form('triggerSource=manual_endpoint', 'add_step:send_sms'),
]
const LATER_EDITS: readonly Scene[] = [
  form(...ON_JOBS, 'triggerType=job_status', 'add_step:send_sms', 'becomes=Completed', 'triggerType=job_updated'),
]

const reconnect = (says: string): Shown[] => [
  { says, name: 'Reconnect', is: 'button', on: MANAGER },
  { says, name: 'Webhook Manager', is: 'heading', on: MANAGER },
]
const sendTest = (says: string): Shown => ({ says, name: 'Send test event', is: 'button', on: CHECKED, here: true })
const subscribeAgain = (says: string, plan: Parameters<typeof scenes.heldPlan>[0], on: readonly Scene[]): Shown => ({
  says,
  name: plan === 'trial' || plan === 'canceled' ? 'subscribe' : says.includes('pay now') ? 'pay now' : 'pay',
  is: 'button',
  drawn: plan === 'trial' || plan === 'canceled' ? 'Subscribe' : 'Pay now',
  on,
})
const subscription = (plan: Parameters<typeof scenes.heldPlan>[0]): readonly Scene[] => [
  () => scenes.subscription(scenes.heldPlan(plan)),
]
const planLine = (plan: Parameters<typeof scenes.heldPlan>[0]): readonly Scene[] => [
  () => scenes.planLine(scenes.heldPlan(plan)),
]
const ofAnotherTool = (says: string, name: string): Elsewhere => ({
  says,
  name,
  elsewhere: 'a setting of the automation tool that the address belongs to',
})

const SHOWN: readonly Shown[] = [
  ...[
    'Sign in again in the Webhook Manager.',
    'Compare with ServiceM8 in the Webhook Manager',
    'Notices by e-mail are chosen in the Webhook Manager.',
    'open “Notices by e-mail” in the Webhook Manager.',
  ].map((says): Shown => ({ says, name: 'Webhook Manager', is: 'heading', on: MANAGER })),
  ...reconnect('We may not do this in ServiceM8: '),
  ...reconnect('Updated Permissions Required. '),
  ...reconnect('Reconnect in the Webhook Manager, then run it again.'),
  ...reconnect('ServiceM8 shows us no messages yet. Reconnect in the Webhook Manager.'),
  ...reconnect('ServiceM8 no longer accepts our connection. Please click Reconnect'),
  {
    says: 'Reconnect to see receipts and answers.',
    name: 'Reconnect',
    is: 'button',
    on: [() => scenes.receiptsRefused()],
    here: true,
  },
  {
    says: 'Reconnect and allow all permissions.',
    name: 'Reconnect',
    is: 'button',
    on: [() => scenes.manager({ missingScopes: ['publish_sms'] })],
    here: true,
  },
  {
    says: 'The address was cut or changed. Press Find',
    name: 'Find',
    is: 'button',
    on: [() => scenes.audit()],
    here: true,
  },
  {
    says: 'The link is incomplete. Press Find',
    name: 'Find',
    is: 'button',
    on: [() => scenes.search(), () => scenes.history()],
    here: true,
  },
  {
    says: 'Choose an end that differs from the start, or ',
    name: 'No quiet hours',
    is: 'setting',
    on: [(text) => scenes.settings({ quietTo: [text] })],
    here: true,
  },
  { says: '“Respect quiet hours” is in each automation', name: 'Respect quiet hours', is: 'setting', on: FORMS },
  { says: '“Respect quiet hours” is in each automation', name: 'Advanced', is: 'heading', on: FORMS },
  {
    says: 'Open a run about a customer in the history. Then press',
    name: 'Stop messages to this customer',
    is: 'button',
    on: [() => scenes.run(['Margaret Smith']), () => scenes.run(['Margaret Smith', 'Tom Finch'])],
  },
  { says: 'Only when you press Run Now', name: 'Run Now', is: 'button', on: ON_DEMAND, here: true },
  { says: 'When you press Run Now', name: 'Run Now', is: 'button', on: ON_DEMAND, here: true },
  { says: 'It runs only when you press Run Now.', name: 'Run Now', is: 'button', on: ON_DEMAND },
  { says: 'Fill in what is open, then press Create Automation.', name: 'Create Automation', is: 'button', on: FORMS },
  { says: 'Check it, then press Create Automation.', name: 'Create Automation', is: 'button', on: FORMS },
  {
    says: ' has none. Choose Company.',
    name: 'Company',
    is: 'choice',
    on: [form('triggerSource=webhook', 'events=object:company', 'add_step:generate_document')],
  },
  {
    says: 'Choose “All” to send what was never sent.',
    name: 'All',
    is: 'choice',
    drawn: 'All, delivered ones too',
    on: [() => scenes.replay()],
    here: true,
  },
  { says: 'A job is never ', name: 'Quote', is: 'choice', on: [form(...ON_JOBS, 'triggerType=job_status')] },
  {
    says: 'The copy does not say which records start it.',
    name: 'Webhook Subscription',
    is: 'setting',
    on: [form('triggerSource=webhook')],
  },
  { says: 'Press History to see it.', name: 'History', is: 'button', on: FRAME },
  {
    says: 'Did you mean “Its status becomes',
    name: 'Its status becomes …',
    drawn: 'Change to “Its status becomes Completed”',
    is: 'button',
    on: LATER_EDITS,
    here: true,
  },
  {
    says: 'Change to “Its status becomes',
    name: 'Its status becomes …',
    drawn: 'Change to “Its status becomes Completed”',
    is: 'button',
    on: LATER_EDITS,
  },
  {
    says: 'Edit one to choose “How often for the same record”',
    name: 'How often for the same record',
    is: 'setting',
    on: FORMS,
  },
  {
    says: 'Tick a box under Options to keep the document.',
    name: 'Options',
    is: 'heading',
    on: [form(...ON_JOBS, 'triggerType=job_status', 'add_step:generate_document', 's.s1.p.createAttachment=')],
    here: true,
  },
  {
    says: 'does not keep its document.',
    name: 'Keep as an attachment of the job',
    is: 'setting',
    on: [form(...ON_JOBS, 'triggerType=job_status', 'add_step:generate_document')],
  },
  {
    says: 'Copy it. Paste it under “Import Automation”',
    name: 'Import Automation',
    is: 'heading',
    on: [() => scenes.automations({ step: { step: 'json', ruleId: 3 } })],
    here: true,
  },
  subscribeAgain('Trial ended: subscribe to resume', 'trial', planLine('trial')),
  {
    ...subscribeAgain('Trial ended: subscribe to resume.', 'trial', subscription('trial')),
    drawn: 'Subscribe Now - £5/month',
    here: true,
  },
  subscribeAgain('Subscription ended: subscribe to resume', 'canceled', planLine('canceled')),
  subscribeAgain('Payment failed: pay to resume', 'past_due', planLine('past_due')),
  subscribeAgain('Payment failed: pay to resume. ', 'unpaid', planLine('unpaid')),
  { ...subscribeAgain('…: subscribe to resume. ', 'canceled', [...planLine('trial'), ...planLine('canceled')]) },
  subscribeAgain('Your last payment did not go through: pay now to resume.', 'past_due', subscription('past_due')),
  {
    ...subscribeAgain('An owner presses Pay now: open Fieldhook from ServiceM8.', 'past_due', subscription('past_due')),
    name: 'Pay',
  },
  subscribeAgain('Your subscription is not paid: pay now to resume.', 'unpaid', subscription('unpaid')),
  {
    ...subscribeAgain('Your subscription has ended: subscribe to resume.', 'canceled', subscription('canceled')),
    drawn: 'Subscribe Now - £5/month',
    here: true,
  },
  {
    says: 'Manage billing shows what it waits for.',
    name: 'Manage billing',
    is: 'button',
    on: subscription('new_word'),
    here: true,
  },
  {
    says: 'Your subscription is canceled. Press “Keep subscription” first, then pay.',
    name: 'Keep subscription',
    is: 'button',
    on: [() => scenes.subscription({ ...scenes.heldPlan('unpaid'), cancelAtPeriodEnd: true })],
  },
  {
    says: 'You can also pay open invoices with “Manage billing”.',
    name: 'Manage billing',
    is: 'button',
    on: [() => scenes.quote()],
    here: true,
  },
  {
    says: 'asks us to send nothing more. Press “Start again” on its card when',
    name: 'Start again',
    is: 'button',
    on: STOPPED,
    here: true,
  },
  { says: 'The address answered 410. Press “Start again”', name: 'Start again', is: 'button', on: STOPPED },
  { says: 'We had stopped trying this address. Press “Start', name: 'Start again', is: 'button', on: GIVEN_UP },
  { says: 'Not sent: your address answered 410', name: 'Start again', is: 'button', on: STOPPED },
  { says: 'so we stopped trying. ', name: 'Start again', is: 'button', on: GIVEN_UP, here: true },
  {
    says: 'When your system works again, press “Start again”',
    name: 'Start again',
    is: 'button',
    on: [...STOPPED, ...GIVEN_UP],
  },
  { says: 'oldest first, when you resume.', name: 'resume', drawn: 'Resume', is: 'button', on: PAUSED, here: true },
  { says: '… will be sent when you resume.', name: 'resume', drawn: 'Resume', is: 'button', on: PAUSED },
  { says: 'Resume the … to send ', name: 'Resume', is: 'button', on: PAUSED },
  { says: 'We keep events and send them when you resume.', name: 'resume', drawn: 'Resume', is: 'button', on: PAUSED },
  { says: 'is paused. We send this event when you resume.', name: 'resume', drawn: 'Resume', is: 'button', on: PAUSED },
  { says: 'Paused: it continues when you resume.', name: 'resume', drawn: 'Resume', is: 'button', on: PAUSED },
  { says: 'Paused. Press Refresh', name: 'Refresh', is: 'button', on: [() => scenes.activity()] },
  { says: 'Newest first. Press Refresh', name: 'Refresh', is: 'button', on: [() => scenes.activity()], here: true },
  { says: 'Press Refresh to try again.', name: 'Refresh', is: 'button', on: [() => scenes.activity()] },
  sendTest('as it does even with the workflow off. '),
  sendTest('shows whether events get through.'),
  sendTest('shows whether events are let in.'),
  sendTest('sends one that looks real.'),
  ...['Enter one under “Notices by e-mail”.', 'To stop these e-mails, open “Notices by e-mail”'].map(
    (says): Shown => ({ says, name: 'Notices by e-mail', is: 'heading', on: MANAGER }),
  ),
]

const DOCUMENTED: readonly Documented[] = [
  ...['The file is damaged', 'The disk is full', 'The App Secret is known', 'Notices by e-mail'],
].map((name) => ({ says: `"${name}"`, name, document: 'docs/operating.md' }))

const ELSEWHERE: readonly Elsewhere[] = [
  ...(
    [
      ['As trigger choose “Webhooks by Zapier”.', 'Webhooks by Zapier'],
      ['Choose the event “Catch Hook” and continue.', 'Catch Hook'],
      ['Add the module “Webhooks”.', 'Webhooks'],
      ['Choose “Custom webhook”, add one and save.', 'Custom webhook'],
      ['Add the node “Webhook”.', 'Webhook'],
      ['Set “HTTP Method” to POST', 'HTTP Method'],
      ['Copy the “Production URL” and paste it here.', 'Production URL'],
    ] as const
  ).map(([says, name]) => ({ says, name, elsewhere: 'a control of Zapier, Make or n8n' })),
  { says: 'Press Fieldhook in ServiceM8', name: 'Fieldhook', elsewhere: 'the button of the add-on, inside ServiceM8' },
  { says: 'press Fieldhook in ServiceM8', name: 'Fieldhook', elsewhere: 'the button of the add-on, inside ServiceM8' },
  { says: '"May have been sent": a person decides.', name: 'May have been sent', elsewhere: 'a state, for developers' },
  { says: 'Then press Back to where you were.', name: 'Back', elsewhere: 'the button of the browser' },
  { says: 'Use SMS Template', name: 'SMS Template', elsewhere: 'a label of the form itself' },
  { says: '{entry.0.job_address or "Your job"}', name: 'Your job', elsewhere: 'a fallback in a text to a customer' },
  {
    says: '{entry.0.company_name or "A customer"}',
    name: 'A customer',
    elsewhere: 'a fallback in a text to a colleague',
  },
  { says: 'Write “Reply YES to confirm”', name: 'Reply YES to confirm', elsewhere: 'words to a customer' },
  { says: 'For example “Accounting”.', name: 'Accounting', elsewhere: 'an example of what to type' },
  { says: 'docs/operating.md, "PostgreSQL"', name: 'PostgreSQL', elsewhere: 'a section of the operating guide' },
  ofAnotherTool('Choose “Anyone” under “Who can trigger the flow?”', 'Anyone'),
  ofAnotherTool('Choose “Anyone” under “Who can trigger the flow?”', 'Who can trigger the flow?'),
  ofAnotherTool('Deploy the script as a web app for “Anyone”', 'Anyone'),
  ofAnotherTool('Deploy it as a web app with access for “Anyone”', 'Anyone'),
]

const TABLE: readonly Entry[] = [...SHOWN, ...DOCUMENTED, ...ELSEWHERE]
const FOUND = namedControls(ROOT)
const isAbout = ({ says, name }: Entry, one: { text: string; name: string }) =>
  one.name === name && one.text.includes(says)

const draw = (scene: Scene, text: string) =>
  renderPage({ at: '/?accountUUID=account-1', page: () => scene(text) }).container

const wordsOf = (page: Element) => (page.textContent ?? '').replace(/\s+/g, ' ')

test('every message that names a control has an entry in the table', () => {
  const missing = FOUND.filter((one) => !TABLE.some((entry) => isAbout(entry, one)))
  expect(missing.map(({ file, line, name, text }) => `${file}:${line} names ${name}: ${text}`)).toEqual([])
})

test('every entry is about a message that is there', () => {
  const gone = TABLE.filter((entry) => !FOUND.some((one) => isAbout(entry, one)))
  expect(gone.map(({ says, name }) => `${name}: ${says}`)).toEqual([])
})

test.each(SHOWN)('$name is where it is said to be: $says', (entry) => {
  const texts = new Set(FOUND.filter((one) => isAbout(entry, one)).map(({ text }) => text))
  for (const text of texts) {
    for (const scene of entry.on) {
      const page = draw(scene, text)
      const names = drawnNames(page, entry.is)
      expect(isCalled(names, entry.drawn ?? entry.name), `no such ${entry.is} among ${names.join(' | ')}`).toBe(true)
      if (entry.here) expect(wordsOf(page)).toContain(entry.says.trim())
      cleanup()
    }
  }
})

test.each(DOCUMENTED)('$name is a section of $document', ({ name, document }) => {
  expect(readFileSync(join(ROOT, document), 'utf8')).toMatch(new RegExp(`^#+ ${name}$`, 'm'))
})

describe('where the control is not there, the message does not name it', () => {
  test('an automation that waits for a new connection has a button to the Webhook Manager', () => {
    const page = draw(
      () =>
        scenes.automations({
          rules: [sampleCard({ pausedReason: runReasonText(runReason('reconnect')), pauseEndsByItself: true })],
        }),
      '',
    )
    expect(isCalled(drawnNames(page, 'button'), 'Webhook Manager')).toBe(true)
  })

  test('a webhook without an address has no test event to send', () => {
    const page = draw(() => scenes.firstSteps(''), '')
    expect(isCalled(drawnNames(page, 'button'), 'Send test event')).toBe(false)
    expect(wordsOf(page)).not.toContain('“Send test event”')
    expect(wordsOf(page)).toContain('Change a job in ServiceM8')
  })

  test.each(['trial', 'past_due', 'unpaid', 'canceled', 'new_word'] as const)(
    'where nobody can pay, nobody is asked to: %s',
    (status) => {
      const page = draw(() => scenes.subscription(scenes.heldPlan(status), 'off'), '')
      expect(drawnNames(page, 'button').filter((name) => /^(Pay|Subscribe|Manage)/.test(name))).toEqual([])
      expect(wordsOf(page)).not.toMatch(/pay now|subscribe to|Manage billing/)
    },
  )
})

describe('the walker notices', () => {
  const namesOf = (source: string) => namedIn('app/x.tsx', source).map(({ name }) => name)

  test.each([
    ["const a = 'Please press Send again to try it.'", ['Send']],
    ["const a = 'Then press “Send again” on its card.'", ['Send again']],
    ['const a = "Please click \'Reconnect\' in the Webhook Manager."', ['Reconnect', 'Webhook Manager']],
    ["const a = 'It is full. Restart the webhook.'", ['Restart']],
    ["const a = 'The limit is under Quiet Hours.'", ['Quiet Hours']],
    ["const a = 'It goes on when you resume.'", ['resume']],
    ['const a = <p>Press <b>Find</b> to begin.</p>', ['Find']],
    ['const a = <p>{hint}: choose “No limit” below.</p>', ['No limit']],
    ["import a from 'Press Find'\nconst b = 'It’s there, isn’t it?'", []],
  ])('%s', (source, names) => {
    expect(namesOf(source)).toEqual(names)
  })

  test('a button that was renamed, one that cannot be pressed, and one that only begins alike', () => {
    const names = (html: string) => {
      const page = document.createElement('div')
      page.innerHTML = html
      return drawnNames(page, 'button')
    }
    expect(isCalled(names('<button aria-label="Start again: Job webhook">Start again</button>'), 'Start again')).toBe(
      true,
    )
    expect(isCalled(names('<a href="/">Reconnect <span>(opens in a new tab)</span></a>'), 'Reconnect')).toBe(true)
    expect(isCalled(names('<button>Resume</button>'), 'Start again')).toBe(false)
    expect(isCalled(names('<button disabled>Start again</button>'), 'Start again')).toBe(false)
    expect(isCalled(names('<p>Start again</p>'), 'Start again')).toBe(false)
    expect(isCalled(names('<button>Start again with everything</button>'), 'Start again')).toBe(false)
  })

  test('a card that says “Start again” and has another button', () => {
    const page = draw(() => scenes.manager({ webhooks: [sampleWebhook()], rules: [sampleRule()] }), '')
    expect(isCalled(drawnNames(page, 'button'), 'Start again')).toBe(false)
  })
})

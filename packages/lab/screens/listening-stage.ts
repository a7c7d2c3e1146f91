// What an account looks like after its messages were read: one delivered, one not confirmed, a customer's answer with a message
// that waits for it, and an automation that fails.
import type { APIRequestContext } from '@playwright/test'
import { fieldValue } from '#tests/support/scriptless-browser.ts'

interface ListeningStage {
  request: APIRequestContext
  origin: string
  account: string
  /** A call of the product, as JSON. */
  call: (method: 'GET' | 'POST', path: string, data?: object) => Promise<{ id: number }>
  /** A form of the pretend platform's console. */
  press: (what: string, form: Record<string, string>) => Promise<unknown>
}

const NUMBERS = [
  ...['pageSize', 'perMinute', 'perDay', 'messagesPerMinute', 'messagesPerDay', 'dropNextDeliveries'],
  ...['historyLateMinutes', 'historyClockSkewMinutes', 'deliveryDelaySeconds'],
]
const COMPLETED = {
  ...{ triggerSource: 'webhook', object: 'job', triggerType: 'job_status' },
  conditions: [{ field: 'status', operator: 'equals', value: 'Completed' }],
}

/** Moves the pretend clock by an hour. `jobs`: two that are not completed yet. Ends once the pages show it all. */
export async function furnishListening(stage: ListeningStage, jobs: readonly [string, string]): Promise<void> {
  const { origin, account, call, press } = stage
  const [answered, silent] = jobs
  const make = (rule: object) => call('POST', '/api/automation', { accountUUID: account, ...rule })
  const text = (message: string) => [
    { type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message, linkToJob: true } },
  ]
  await make({ name: 'Say thank you', ...COMPLETED, actions: text('Thank you for choosing Alder & Finch.') })
  await make({ name: 'Ask for a review', ...COMPLETED, settleMinutes: 30, actions: text('How did we do?') })
  const office = {
    notificationType: 'webhook',
    url: `${origin}/sandbox/receiver/office?status=404`,
    message: 'event=done',
  }
  const broken = await make({
    ...COMPLETED,
    name: 'Tell the office',
    conditions: [],
    object: 'company',
    triggerType: 'job_updated',
    actions: [{ type: 'send_notification', parameters: office }],
  })
  const complete = (job: string) => press(`accounts/${account}/jobs/${job}/status`, { status: 'Completed' })
  const console = `/sandbox/console/accounts/${account}`

  await complete(answered)
  await shown(stage, `${console}/outbox?kind=sms`, /Thank you for choosing/)
  await loseNextTexts(stage)
  await complete(silent)
  await shown(stage, `${console}/outbox?kind=sms`, /Thank you for choosing[\s\S]*Thank you for choosing/)
  const words = 'Lovely work, thank you. Please ring me before the next visit.'
  await press(`accounts/${account}/jobs/${answered}/answers`, { channel: 'sms', from: '', text: words })
  await call('POST', `/api/automation/${broken.id}/run`, {})
  await press('clock', { by: '1h' })
  await shown(stage, `/automation/runs?accountUUID=${account}`, /Customers answered[\s\S]*They answered (at|on)/)
  await shown(stage, `/automation/runs?accountUUID=${account}`, /Not confirmed/i)
  await shown(stage, `/automation?accountUUID=${account}`, /Tell the office failed/)
}

/** The platform takes the next texts of both automations, and the customer never gets them. Its numbers stay. */
async function loseNextTexts({ request, origin, account, press }: ListeningStage): Promise<void> {
  const html = await (await request.get(`${origin}/sandbox/console/accounts/${account}/switches`)).text()
  const kept = Object.fromEntries(NUMBERS.map((name) => [name, fieldValue(html, name)]))
  await press(`accounts/${account}/options`, {
    ...kept,
    ...{ undeliveredNext: '2', objectSpelling: 'lower', deliveryWrapping: 'json' },
    ...{ withheldScopes: '', undocumentedWebhooks: '', manifestWebhooks: '' },
  })
}

async function shown({ request, origin }: ListeningStage, path: string, words: RegExp): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    // React marks where one text meets another.
    const html = (await (await request.get(origin + path)).text()).replaceAll('<!-- -->', '')
    if (words.test(html)) return
    await new Promise((next) => setTimeout(next, 200))
  }
  throw new Error(`${path} does not show ${words}`)
}

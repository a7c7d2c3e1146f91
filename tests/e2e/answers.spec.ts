// When a customer answers: the follow-up waits with their words, and goes out after Go on, or never after Stop.
import type { BrowserContext, Page } from '@playwright/test'
import { collectComplaints, expect, expectLooks, FIRM, openSignedIn, type Server, test } from './stage.ts'

const WORDS = 'Please ring me before you come'
const ON_COMPLETED = {
  ...{ triggerSource: 'webhook', object: 'job', triggerType: 'job_status' },
  conditions: [{ field: 'status', operator: 'equals', value: 'Completed' }],
}
const textOf = (message: string) => [
  { type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message, linkToJob: true } },
]
const RULES = [
  { name: 'Thank the customer', ...ON_COMPLETED, actions: textOf('Thank you for your order.') },
  { name: 'Ask for a review', ...ON_COMPLETED, settleMinutes: 30, actions: textOf('How did we do?') },
]

const card = (page: Page) => page.getByRole('list', { name: 'Customers answered' }).getByRole('listitem')
const texts = (page: Page) => page.getByRole('article').filter({ hasText: 'Text message' })

async function passTime(page: Page, server: Server, words: '1 minute' | '1 hour'): Promise<void> {
  await page.goto(`${server.origin}/sandbox`)
  await page.getByRole('button', { name: `Move the clock forward by ${words}` }).click()
  await expect(page.getByText(`The clock moved forward by ${words}`)).toBeVisible()
}

/** The page again, until it shows what the add-on does by itself. */
async function comes(page: Page, address: string, shows: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.goto(address)
    await shows()
  }).toPass({ timeout: 30_000 })
}

/** A job is completed: one text goes out, another follows later. Then the customer answers in the pretend platform. */
async function answered(page: Page, context: BrowserContext, server: Server) {
  await openSignedIn(context, page, server)
  const accountUUID = new URL(page.url()).searchParams.get('accountUUID') ?? ''
  const outbox = `${server.origin}/sandbox/console/accounts/${accountUUID}/outbox`
  const history = `${server.origin}/automation/runs?accountUUID=${accountUUID}`
  for (const rule of RULES) {
    const data = { ...rule, accountUUID }
    const made = await page.request.post(`${server.origin}/api/automation`, {
      data,
      headers: { origin: server.origin },
    })
    expect(made.ok(), await made.text()).toBe(true)
  }
  await page.goto(`${server.origin}/sandbox`)
  const jobs = page.getByRole('region', { name: FIRM })
  const job = jobs.getByRole('article').filter({ has: page.getByRole('button', { name: 'Work Order', pressed: true }) })
  const link = job.first().getByRole('link', { name: /^Job / })
  const address = new URL((await link.getAttribute('href')) ?? '', server.origin).href
  await job.first().getByRole('button', { name: 'Completed', exact: true }).click()
  await comes(page, outbox, () => expect(texts(page)).toHaveCount(1, { timeout: 300 }))
  await page.goto(address)
  await page.getByLabel('The customer answers by text').fill(WORDS)
  await page.getByRole('button', { name: 'Answer by text' }).click()
  await expect(page.getByText(`The customer answered “${WORDS}”.`)).toBeVisible()
  await passTime(page, server, '1 hour')
  const follows = page.getByRole('listitem').filter({ hasText: 'Ask for a review' })
  await comes(page, history, async () => {
    await expect(card(page)).toHaveCount(1, { timeout: 300 })
    // "on Friday …" when the hour has led past midnight.
    await expect(follows).toContainText(/They answered (at|on)/, { timeout: 300 })
  })
  return { history, outbox, follows }
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('Go on sends what waited for the customer, once', async ({ page, context, server }) => {
      const complaints = collectComplaints(page)
      const { history, outbox } = await answered(page, context, server)
      await expect(card(page)).toContainText(/^Job \S+.*by text/)
      await expect(card(page).getByText(WORDS, { exact: true })).toBeVisible()
      await card(page)
        .getByRole('button', { name: /^Go on: Job / })
        .click()
      await expect(
        page.getByText('1 message to them can go now. Quiet hours and limits still apply.').first(),
      ).toBeVisible()
      await expect(card(page)).toHaveCount(0)
      await comes(page, outbox, () => expect(texts(page)).toHaveCount(2, { timeout: 300 }))
      await passTime(page, server, '1 hour')
      await page.goto(outbox)
      await expect(texts(page).filter({ hasText: 'How did we do?' })).toHaveCount(1)
      await page.goto(history)
      await expect(card(page)).toHaveCount(0)
      expect(complaints).toEqual([])
    })

    test('Stop leaves out what waited for the customer, for good', async ({ page, context, server }) => {
      const complaints = collectComplaints(page)
      const { history, outbox, follows } = await answered(page, context, server)
      await card(page)
        .getByRole('button', { name: /^Stop: Job / })
        .click()
      await expect(page.getByText('1 message to them is left out.').first()).toBeVisible()
      await passTime(page, server, '1 hour')
      await comes(page, history, () => expect(follows).toContainText('stopped', { timeout: 300 }))
      await expect(card(page)).toHaveCount(0)
      await page.goto(outbox)
      await expect(texts(page)).toHaveCount(1)
      await expect(texts(page)).toContainText('Thank you for your order.')
      expect(complaints).toEqual([])
    })
  })
}

test('an answer in the history is accessible and fits the screen', async ({ page, context, server }) => {
  const { follows } = await answered(page, context, server)
  await expectLooks(page, 'answers')
  await follows.getByRole('link').first().click()
  await expect(page.getByText(WORDS).first()).toBeVisible()
  await expectLooks(page, 'answer-run')
})

// Three templates of the library, built from blank as a person would, run against the pretend platform, and read in its outbox.
import type { BrowserContext, Locator, Page } from '@playwright/test'
import { collectComplaints, expect, FIRM, openSignedIn, type Server, test } from './stage.ts'

const says = (page: Page, words: string | RegExp) => expect(page.getByText(words).first()).toBeVisible()
const form = (page: Page) => page.locator('#automation-form')
const action = (page: Page, number: number) => form(page).getByRole('listitem', { name: `Action ${number}` })
const condition = (page: Page, number: number) => form(page).getByRole('listitem', { name: `Condition ${number}` })
const live = (page: Page) => page.getByRole('complementary', { name: 'Preview of the automation in the form' })
const press = (page: Page, name: string) => form(page).getByRole('button', { name, exact: true }).first().click()

/** Opens the menu of actions and takes one. */
async function addStep(page: Page, label: string): Promise<void> {
  await form(page).locator('#add-step').click()
  await form(page).getByRole('button', { name: label, exact: true }).click()
}

async function openAutomations(page: Page, context: BrowserContext, server: Server): Promise<void> {
  await openSignedIn(context, page, server)
  const address = new URL(page.url())
  address.pathname = '/automation'
  await page.goto(address.href)
  await expect(form(page)).toBeVisible()
}

/** What the pretend platform sent in the name of the firm. */
async function readOutbox(page: Page, server: Server): Promise<Locator> {
  await page.goto(`${server.origin}/sandbox`)
  const outbox = page.getByRole('region', { name: FIRM }).getByRole('link', { name: /outbox/i })
  await page.goto(new URL((await outbox.first().getAttribute('href')) ?? '', server.origin).href)
  await expect(page.getByRole('heading', { name: 'Outbox', exact: true })).toBeVisible()
  return page.getByRole('main')
}

/** Runs it, past its conditions if nothing meets them today. */
async function runNow(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Run Now: ${name}` }).click()
  const anyway = page.getByRole('button', { name: 'Run Anyway' })
  const ran = page.getByText(/^Automation executed/).first()
  // A customer is written to only after a person saw what goes out.
  const forReal = page.getByRole('button', { name: 'Run for real' })
  await expect(anyway.or(ran).or(forReal).first()).toBeVisible()
  if (await anyway.isVisible()) await anyway.click()
  await expect(ran.or(forReal).first()).toBeVisible()
  if (await forReal.isVisible()) await forReal.click()
  await expect(ran).toBeVisible()
}

test('by clicks: an accepted quote is booked in, with pickers and a preview that goes along', async ({
  page,
  context,
  server,
}) => {
  const complaints = collectComplaints(page)
  await openAutomations(page, context, server)
  await expect(form(page).getByRole('button', { name: 'Continue' })).toHaveCount(0)
  const of = form(page)
  await of.getByLabel('Automation Name').fill('Quote accepted')
  await of.getByLabel('Webhook Subscription').selectOption({ label: 'Job' })
  await of.getByLabel('Trigger Type').selectOption({ label: 'Its status changes' })
  await of.getByLabel('Only when it becomes').selectOption('Work Order')
  await of.getByText('More precise').click()
  await of.getByLabel('Only when it was').selectOption('Quote')
  await press(page, 'Add Condition')
  await condition(page, 1).getByLabel('Field').selectOption('quote_sent')
  await condition(page, 1).getByLabel('Value').selectOption({ label: 'Yes' })

  await addStep(page, 'Assign to Queue')
  await action(page, 1).getByLabel('Queue', { exact: true }).selectOption({ index: 1 })
  await addStep(page, 'Send SMS')
  const message = action(page, 2).getByLabel('Message', { exact: true })
  await message.fill('Thank you ')
  await action(page, 2).getByRole('button', { name: 'Insert a placeholder into Message' }).click()
  await says(page, /^With the values of Job \d+/)
  await page.getByLabel('Search placeholders').fill('contact first')
  const picked = page.getByRole('list', { name: 'Placeholders' }).getByRole('button').first()
  await expect(picked).toContainText('may be empty')
  await picked.click()
  await expect(message).toHaveValue('Thank you {first name}')
  await says(page, '{first name} may be empty, and then the message is not sent.')
  await message.fill('Thank you {entry.0.contact_first_nme}')
  await says(page, 'There is no {entry.0.contact_first_nme} here.')
  await message.fill('Thank you {entry.0.contact_first_name or "for accepting"}! We will call within a day.')
  await addStep(page, 'Send Staff Message')
  await action(page, 3).getByLabel('Staff Member', { exact: true }).selectOption({ index: 2 })
  await action(page, 3)
    .getByLabel('Message', { exact: true })
    .fill('Accepted: job {entry.0.generated_job_id}, {entry.0.company_name}. Please book.')

  // The preview has followed, and follows to another record.
  await expect(live(page)).toContainText(/Thank you \w+! We will call within a day\./)
  await expect(live(page)).toContainText(/Accepted: job \d+, .+\. Please book\./)
  await live(page).getByText('Try another record').click()
  const other = live(page).getByRole('list', { name: 'Records' }).getByRole('button', { pressed: false }).first()
  const number = /Job (\d+)/.exec((await other.textContent()) ?? '')?.[1] ?? 'none'
  await live(page).getByLabel('Job number or customer').fill(number)
  await expect(live(page)).toContainText(`Accepted: job ${number}, `)
  await live(page).getByRole('button', { name: 'The last 30 days' }).click()
  await expect(live(page)).toContainText(/In the last 30 days this automation would have/)
  await expect(live(page)).toContainText('ServiceM8 keeps the day a job reached its current status.')

  await press(page, 'Create Automation')
  await says(page, 'Automation created')
  await runNow(page, 'Quote accepted')
  expect(complaints).toEqual([])
  const outbox = await readOutbox(page, server)
  await expect(outbox).toContainText('We will call within a day.')
  await expect(outbox).toContainText(/Accepted: job \d+/)
})

test.describe('without a mouse', () => {
  test('by keys alone: a new job is told to the office', async ({ page, context, server }) => {
    await openAutomations(page, context, server)
    await expect(form(page).getByRole('button', { name: 'Continue' })).toHaveCount(0)
    const { keyboard } = page
    const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement)
    const tabTo = async (target: Locator) => {
      for (let step = 0; step < 150; step += 1) {
        if ((await target.count()) > 0 && (await isFocused(target.first()))) return
        await keyboard.press('Tab')
      }
      throw new Error('the keyboard does not get there')
    }
    const choose = async (target: Locator, label: RegExp) => {
      await tabTo(target)
      for (let step = 0; step < 60; step += 1) {
        const chosen = await target.evaluate(
          (element) => (element as HTMLSelectElement).selectedOptions[0]?.label ?? '',
        )
        if (label.test(chosen)) return
        await keyboard.press('ArrowDown')
      }
      throw new Error('there is no such choice')
    }
    const of = form(page)
    await tabTo(of.getByLabel('Automation Name'))
    await keyboard.type('New job: tell the office')
    await choose(of.getByLabel('Webhook Subscription'), /^Job$/)
    await choose(of.getByLabel('Trigger Type'), /^It is created$/)
    await tabTo(of.getByRole('button', { name: 'Add Condition' }))
    await keyboard.press('Enter')
    await choose(condition(page, 1).getByLabel('Field'), /^Status$/)
    await choose(condition(page, 1).getByLabel('Operator'), /^is not$/)
    await choose(condition(page, 1).getByLabel('Value'), /^Completed$/)
    await tabTo(of.locator('#add-step'))
    await keyboard.press('Enter')
    await tabTo(of.getByRole('button', { name: 'Send Staff Message' }))
    await keyboard.press('Enter')
    await choose(action(page, 1).getByLabel('Staff Member', { exact: true }), /^(?!Choose|Whoever)/)
    await tabTo(action(page, 1).getByLabel('Message', { exact: true }))
    await keyboard.type('New ')
    await tabTo(action(page, 1).getByRole('button', { name: 'Insert a placeholder into Message' }))
    await keyboard.press('Enter')
    await expect(page.getByLabel('Search placeholders')).toBeFocused()
    await keyboard.type('job number')
    await keyboard.press('Enter')
    await expect(action(page, 1).getByLabel('Message', { exact: true })).toBeFocused()
    await keyboard.press('End')
    await keyboard.type(', {entry.0.job_address or "no address yet"}.')
    // Finished, the trigger is one line: the sentence leads back to it.
    await tabTo(of.getByRole('link', { name: 'When a job is created' }))
    await keyboard.press('Enter')
    await expect(of.locator('#part-when')).toBeFocused()
    await tabTo(of.locator('summary', { hasText: 'More precise' }))
    await keyboard.press('Enter')
    await tabTo(of.getByLabel('Wait first, in minutes'))
    await keyboard.type('2')
    await tabTo(of.getByRole('button', { name: 'Create Automation' }))
    await keyboard.press('Enter')
    await says(page, 'Automation created')
    await says(page, /^When a job is created/)
    await tabTo(page.getByRole('button', { name: 'Run Now: New job: tell the office' }))
    await keyboard.press('Enter')
    await says(page, /^Automation executed/)
    await expect(await readOutbox(page, server)).toContainText(/New \d+, .+\./)
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('by round trips: a quote is asked after, looked at first, and nothing written is lost', async ({
    page,
    context,
    server,
  }) => {
    await openAutomations(page, context, server)
    const of = form(page)
    await of.getByLabel('Automation Name').fill('Quote check-in after 3 days')
    await press(page, 'Continue')
    await of.getByText('Scheduled API Check').click()
    await press(page, 'Continue')
    await of.getByLabel('Time of day').fill('10:00')
    const lines = [
      ['status', 'equals', 'Quote'],
      ['quote_sent', 'equals', '1'],
      ['days_since_quote', 'greater_than', '2'],
      ['contact_mobile', 'is_not_empty', ''],
    ] as const
    for (const [index, [field, operator, value]] of lines.entries()) {
      await press(page, 'Add Condition')
      const line = condition(page, index + 1)
      await line.getByLabel('Field').selectOption(field)
      await line.getByLabel('Operator').selectOption(operator)
      await press(page, 'Show the values to choose from')
      if (value === '') continue
      const box = line.getByLabel('Value')
      if (field === 'days_since_quote') await box.fill(value)
      else await box.selectOption(value)
    }
    await addStep(page, 'Send SMS')
    await of.getByText('Placeholders to copy into the texts').click()
    await press(page, 'Show them with the values of a real record')
    await says(page, /^With the values of Job \d+/)
    await expect(of.getByText('{entry.0.generated_job_id}')).toBeVisible()
    await action(page, 1)
      .getByLabel('Message', { exact: true })
      .fill('Hi {entry.0.contact_first_name or "there"}, did our quote reach you?')

    await live(page).getByRole('button', { name: 'Preview', exact: true }).click()
    await expect(live(page)).toContainText(/Hi \w+, did our quote reach you\?/)
    await live(page).getByRole('button', { name: 'The last 30 days' }).click()
    await expect(live(page)).toContainText(/In the last 30 days this automation would have/)
    await of.getByText('Also what matches now').click()
    await press(page, 'Create Automation')
    await says(page, 'Automation created')

    // Half of another one is written when a button of the list is pressed: it is still there afterwards.
    await of.getByLabel('Automation Name').fill('Half written')
    await runNow(page, 'Quote check-in after 3 days')
    await expect(of.getByLabel('Automation Name')).toHaveValue('Half written')
    await of.getByLabel('Automation Name').fill('Half written, and more')
    await page.getByRole('button', { name: 'View Logs' }).click()
    await expect(page.getByRole('region', { name: 'Recent Automation Logs' })).toBeVisible()
    await expect(of.getByLabel('Automation Name')).toHaveValue('Half written, and more')
    await page.getByRole('button', { name: 'Edit Quote check-in after 3 days' }).click()
    await expect(of.getByLabel('Automation Name')).toHaveValue('Quote check-in after 3 days')
    await press(page, 'Cancel Edit')
    await expect(of.getByLabel('Automation Name')).toHaveValue('')
    await expect(await readOutbox(page, server)).toContainText('did our quote reach you?')
  })
})

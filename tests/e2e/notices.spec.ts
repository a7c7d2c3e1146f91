// When an address stops taking events: its owner is told once, on the page and by e-mail, sees why, mends it, is told again.
import type { BrowserContext, Page } from '@playwright/test'
import {
  collectComplaints,
  createWebhook,
  expect,
  expectLooks,
  FIRM,
  openSignedIn,
  type Server,
  setFirstJobStatus,
  test,
} from './stage.ts'

const card = (page: Page) => page.getByRole('article', { name: 'Job', exact: true })
const onTop = (page: Page) => page.getByRole('region', { name: 'Notices', exact: true })
const mailForm = (page: Page) => page.getByRole('region', { name: 'Notices by e-mail' })
const says = (page: Page, words: string | RegExp) =>
  expect(page.getByText(words, { exact: true }).first()).toBeVisible()

async function reloadUntil(page: Page, address: string, words: string | RegExp): Promise<void> {
  await expect(async () => {
    await page.goto(address)
    await expect(page.locator('main')).toContainText(words, { timeout: 300 })
  }).toPass({ timeout: 30_000 })
}

/** Presses a button of the stage's clock: what is timed happens as if that long had passed. */
async function moveClock(page: Page, server: Server, by: '1 minute' | '1 hour' | '3 days'): Promise<void> {
  await page.goto(`${server.origin}/sandbox`)
  await page.getByRole('button', { name: `Move the clock forward by ${by}` }).click()
  await expect(page.getByText(`The clock moved forward by ${by}`)).toBeVisible()
}

async function openOutbox(page: Page, server: Server): Promise<void> {
  await page.goto(`${server.origin}/sandbox`)
  const outbox = page.getByRole('region', { name: FIRM }).getByRole('link', { name: /outbox/i })
  await outbox.first().click()
  await expect(page.getByRole('heading', { name: 'Outbox', exact: true })).toBeVisible()
}

/** A webhook whose address answers 500, after three events and an hour. */
async function letFail(page: Page, context: BrowserContext, server: Server, name: string): Promise<string> {
  await openSignedIn(context, page, server)
  await createWebhook(page, { url: `${server.origin}/sandbox/receiver/${name}?status=500`, object: 'Job' })
  await says(page, 'Webhook created successfully!')
  const manager = page.url()
  for (const status of ['Completed', 'Quote', 'Work Order']) await setFirstJobStatus(page, server, status)
  await reloadUntil(page, manager, '3 events waiting.')
  await moveClock(page, server, '1 hour')
  await reloadUntil(page, manager, 'Job webhook started failing')
  return manager
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('is told once on the page and by e-mail, and again when it works', async ({ page, context, server }) => {
      const manager = await letFail(page, context, server, 'watched')
      await expect(onTop(page)).toContainText('Job webhook started failing')
      await expect(onTop(page).getByRole('listitem')).toHaveCount(1)
      await expect(card(page)).toContainText('Your address answered 500')
      await reloadUntil(page, manager, 'E-mail sent to office@alderandfinch.test.')
      // Looked into by itself: the latest event is what is wrong.
      await expect(card(page)).toContainText(/Address checked .*: Your address answered 500/)
      await openOutbox(page, server)
      await expect(page.getByRole('heading', { name: /“Your Job webhook is failing”/ })).toHaveCount(1)
      await expect(page.locator('main')).toContainText('3 events are waiting.')

      await page.goto(manager)
      await page.getByRole('button', { name: 'Edit Job webhook' }).click()
      await card(page).getByLabel('Callback URL').fill(`${server.origin}/sandbox/receiver/watched`)
      await card(page).getByRole('button', { name: 'Save' }).click()
      await says(page, 'Webhook fields updated successfully!')
      await reloadUntil(page, manager, 'Last delivered')
      await moveClock(page, server, '1 minute')
      await reloadUntil(page, manager, 'Job webhook works again')
      await expect(onTop(page).getByRole('listitem')).toHaveCount(1)
      await openOutbox(page, server)
      await expect(page.getByRole('heading', { name: /“Your Job webhook works again”/ })).toHaveCount(1)

      await page.goto(manager)
      await onTop(page).getByRole('button', { name: 'Dismiss: Job webhook works again' }).click()
      await expect(onTop(page)).toHaveCount(0)
      await expect(card(page)).not.toContainText('works again')
      // Told once: nothing new comes with the next rounds.
      await moveClock(page, server, '1 hour')
      await page.goto(manager)
      await expect(onTop(page)).toHaveCount(0)
    })

    test('an address is checked when it is saved and on request, in words', async ({ page, context, server }) => {
      const complaints = collectComplaints(page)
      await openSignedIn(context, page, server)
      await createWebhook(page, { url: `${server.origin}/sandbox/receiver/off?status=404`, object: 'Job' })
      await says(page, 'Webhook created successfully!')
      await expect(card(page)).toContainText('It may be mistyped, or its scenario switched off.')
      for (const step of ['Address', 'Name', 'Connect', 'TLS', 'Answer']) {
        await expect(card(page).getByRole('listitem').filter({ hasText: step }).first()).toBeVisible()
      }
      // A check is no event.
      const answer = await fetch(`${server.origin}/sandbox/receiver/off?format=json`)
      const { requests } = (await answer.json()) as { requests: { method: string; bodyBytes: number }[] }
      expect(requests.map(({ method, bodyBytes }) => [method, bodyBytes])).toEqual([['OPTIONS', 0]])
      await expect(card(page)).toContainText('Waiting for the first event.')

      await page.getByRole('button', { name: 'Edit Job webhook' }).click()
      await card(page).getByLabel('Callback URL').fill(`${server.origin}/sandbox/receiver/on`)
      await card(page).getByRole('button', { name: 'Save' }).click()
      await says(page, 'Webhook fields updated successfully!')
      await expect(card(page)).toContainText('Your address can be reached and answers.')
      await card(page).getByRole('button', { name: 'Check this address: Job webhook' }).click()
      await says(page, 'Address checked: all well')
      expect(complaints).toEqual([])
    })

    test('e-mails can be switched off, and a wrong address keeps what was typed', async ({ page, context, server }) => {
      await openSignedIn(context, page, server)
      const field = mailForm(page).getByLabel('E-mail address')
      const open = async () => {
        if (await field.isHidden()) await mailForm(page).getByRole('heading', { name: 'Notices by e-mail' }).click()
      }
      await open()
      // What the browser itself would stop is left to the server.
      await field.fill('boss@localhost')
      await mailForm(page).getByRole('button', { name: 'Save' }).click()
      await expect(mailForm(page)).toContainText('Enter one e-mail address, such as office@example.com')
      await expect(field).toHaveValue('boss@localhost')
      await field.fill('boss@alderandfinch.test')
      await mailForm(page).getByRole('button', { name: 'Save' }).click()
      await says(page, /Notices go to boss@alderandfinch\.test\./)
      await open()
      await mailForm(page).getByLabel('Tell me by e-mail when something needs me').uncheck()
      await mailForm(page).getByRole('button', { name: 'Save' }).click()
      await says(page, 'E-mails are switched off')
      await page.reload()
      await open()
      await expect(mailForm(page).getByLabel('Tell me by e-mail when something needs me')).not.toBeChecked()
      await expect(field).toHaveValue('boss@alderandfinch.test')
    })

    test('comparing with ServiceM8 says what was found', async ({ page, context, server }) => {
      await openSignedIn(context, page, server)
      await createWebhook(page, { url: `${server.origin}/sandbox/receiver/demo`, object: 'Job' })
      await says(page, 'Webhook created successfully!')
      await card(page).getByText('More', { exact: true }).click()
      await card(page).getByRole('button', { name: 'Compare with ServiceM8 now: Job webhook' }).click()
      await says(page, 'Compared with ServiceM8')
      await expect(card(page)).toContainText('it lists this webhook as active')
    })
  })
}

test('a failing card with notice and check is accessible and fits the screen', async ({ page, context, server }) => {
  const manager = await letFail(page, context, server, 'shown')
  await reloadUntil(page, manager, 'E-mail sent to')
  await expectLooks(page, 'notices-failing')
  await page.getByRole('button', { name: 'Edit Job webhook' }).click()
  await card(page).getByLabel('Callback URL').fill(`${server.origin}/sandbox/receiver/shown`)
  await card(page).getByRole('button', { name: 'Save' }).click()
  await says(page, 'Webhook fields updated successfully!')
  await reloadUntil(page, manager, 'Last delivered')
  await moveClock(page, server, '1 minute')
  await reloadUntil(page, manager, 'Job webhook works again')
  await expectLooks(page, 'notices-recovered')
})

import type { Page } from '@playwright/test'
import {
  collectComplaints,
  createWebhook,
  DEMO_RECEIVER,
  expect,
  expectAccessible,
  openAddOn,
  openSignedIn,
  type Server,
  test,
} from './stage.ts'

const SENTENCE = 'ServiceM8 sends no webhooks for job contacts, so Fieldhook looks every 5 minutes.'

/** On the page of the first job of the pretend platform. */
async function openFirstJob(page: Page, server: Server): Promise<void> {
  await page.goto(`${server.origin}/sandbox`)
  await page
    .getByRole('link', { name: /^Job \d+$/ })
    .first()
    .click()
  await expect(page.getByRole('heading', { level: 1, name: /^Job \d+/ })).toBeVisible()
}

async function moveClock(page: Page, by: string): Promise<void> {
  const button = page.getByRole('button', { name: `Move the clock forward by ${by}` })
  if (!(await button.isVisible())) await page.getByText('Move the clock forward', { exact: true }).click()
  await button.click()
}

/** Bodies that have come out at the demo receiver, newest first. */
async function received(server: Server): Promise<string> {
  return (await fetch(`${server.origin}${DEMO_RECEIVER}?format=json`)).text()
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a contact that is added arrives, although the platform sends no webhook for it', async ({
      page,
      context,
      server,
    }) => {
      const complaints = collectComplaints(page)
      await openSignedIn(context, page, server)
      const manager = page.url()
      await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job Contact' })
      await expect(page.getByText('Webhook created successfully!').first()).toBeVisible()
      const card = page.getByRole('article', { name: 'Job Contact', exact: true })
      await expect(card.getByText(SENTENCE)).toBeVisible()
      await expect(card.getByText('Last checked', { exact: true })).toBeVisible()
      await expect(card.getByText('Next check', { exact: true })).toBeVisible()
      await expect(card.getByText('Forwarding URL')).toHaveCount(0)
      await expect(card.getByText('Waiting for the first event.')).toBeVisible()

      await openFirstJob(page, server)
      await page.getByLabel('First name').fill('Wanda')
      await page.getByLabel('Mobile').fill('+447700900123')
      await page.getByRole('button', { name: 'Add a contact' }).click()
      await expect(page.getByText(/^No webhook was posted: ServiceM8 has none for job contacts\./)).toBeVisible()
      expect(await received(server)).not.toContain('jobcontact')

      await moveClock(page, '1 hour')
      await expect.poll(() => received(server)).toContain('jobcontact')
      expect(await received(server)).toContain('mobile')

      // Nothing of it comes again, however often the list is read.
      await moveClock(page, '1 hour')
      await page.getByRole('button', { name: 'Remove Wanda Ferry' }).click()
      await moveClock(page, '1 hour')
      await expect(page.getByRole('button', { name: 'Remove Wanda Ferry' })).toHaveCount(0)
      await expect.poll(async () => (await received(server)).split('changed_fields').length - 1).toBe(2)

      await page.goto(manager)
      await expect(card.getByText(/Last delivered/).first()).toBeVisible()
      await card.getByText('View Recent Activity').click()
      const log = page.getByRole('region', { name: 'Recent Activity', exact: true })
      await expect(log.getByText('Success', { exact: true }).filter({ visible: true }).first()).toBeVisible()
      await expect(log).toContainText('mobile')
      expect(complaints).toEqual([])
    })

    test('a missing permission is said before anything is made, and what was typed is kept', async ({
      page,
      context,
      server,
    }) => {
      await openAddOn(page, server)
      const account = new URL(page.url()).searchParams.get('accountUUID')
      await page.goto(`${server.origin}/sandbox/console/accounts/${account}/switches`)
      await page.getByLabel('Rights that are never granted').fill('read_job_contacts')
      await page.getByRole('button', { name: 'Save the switches' }).click()
      await expect(page.getByText('The switches are saved.')).toBeVisible()
      await openSignedIn(context, page, server)
      await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job Contact' })
      await expect(page.getByText(/the permission read_job_contacts is missing/).first()).toBeVisible()
      await expect(page.getByLabel('Callback URL').first()).toHaveValue(server.origin + DEMO_RECEIVER)
      await expect(page.getByRole('button', { name: 'Watch jobs here' })).toBeVisible()
    })
  })
}

test('the form says of a chosen object that it is checked every few minutes', async ({ page, context, server }) => {
  await openSignedIn(context, page, server)
  await page.getByLabel('Object type', { exact: true }).selectOption({ label: 'Job Contact' })
  await expect(page.getByText(SENTENCE)).toBeVisible()
  await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job Contact', fields: 'mobile, email' })
  await expect(page.getByText('Webhook created successfully!').first()).toBeVisible()
  await expectAccessible(page)
})

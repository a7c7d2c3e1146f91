// What a developer does with one delivery: finds it by what is known about it, looks into it, sends it again.
import type { Locator, Page } from '@playwright/test'
import {
  collectComplaints,
  createWebhook,
  DEMO_RECEIVER,
  expect,
  expectLooks,
  openSignedIn,
  type Server,
  setFirstJobStatus,
  test,
} from './stage.ts'

const TOO_LONG = 'x'.repeat(101)
const card = (page: Page) => page.getByRole('article', { name: 'Job', exact: true })
const lines = (page: Page) => page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
const says = (page: Page, words: string | RegExp) =>
  expect(page.getByText(words, { exact: true }).first()).toBeVisible()
const part = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

/** The page again until it says this: what a person without scripts does with the browser's own button. */
async function reloadUntil(page: Page, address: string, words: string | RegExp): Promise<void> {
  await expect(async () => {
    await page.goto(address)
    await expect(page.getByRole('main')).toContainText(words, { timeout: 300 })
  }).toPass({ timeout: 30_000 })
}

/** On the page of this delivery, titled by what it is about and where it went. */
async function expectDelivery(page: Page, id: number): Promise<void> {
  await expect(page).toHaveURL(new RegExp(`/deliveries/${id}\\?`))
  await expect(page.getByRole('heading', { level: 1, name: /^Job .*→ / })).toBeVisible()
}

async function changeAddress(page: Page, url: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit Job webhook' }).click()
  await card(page).getByLabel('Callback URL').fill(url)
  await card(page).getByRole('button', { name: 'Save' }).click()
  await says(page, 'Webhook fields updated successfully!')
}

async function find(page: Page, asked: { id?: string; status?: string; code?: string }): Promise<void> {
  await page.getByLabel('Search', { exact: true }).fill(asked.id ?? '')
  const code = page.getByLabel('Response code')
  if (asked.code && !(await code.isVisible())) await page.getByText('More filters').click()
  if (await code.isVisible()) await code.fill(asked.code ?? '')
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  if (asked.status) await pickStatus(page, asked.status)
}

async function pickStatus(page: Page, status: string): Promise<void> {
  const chip = page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: new RegExp(`^${status}`) })
  await chip.click()
  await expect(chip).toHaveAttribute('aria-current', 'true')
}

/** Signs in with one webhook for jobs; gives the manager's address and the search's. */
async function begin(page: Page, server: Server, url: string) {
  await openSignedIn(page.context(), page, server)
  await createWebhook(page, { url, object: 'Job' })
  await says(page, 'Webhook created successfully!')
  const manager = page.url()
  return { manager, search: manager.replace('/fieldhook', '/deliveries') }
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a delivery that failed is found, looked into, and sent again', async ({ page, server }) => {
      const complaints = collectComplaints(page)
      const { manager, search } = await begin(page, server, `${server.origin}/sandbox/receiver/mended?status=500`)
      await page.getByRole('link', { name: 'Find a delivery' }).click()
      await says(page, 'No deliveries yet')
      await setFirstJobStatus(page, server, 'Completed')
      await reloadUntil(page, search, 'Your address answered 500.')
      await expect(lines(page)).toHaveCount(1)
      await expect(lines(page).first()).toContainText('Waiting')

      await find(page, { code: '404' })
      await says(page, 'Nothing found')
      await find(page, { code: '5xx', status: 'Waiting' })
      await expect(lines(page)).toHaveCount(1)
      await expect(page).toHaveURL(/code=5xx/)

      await page.getByRole('link', { name: 'Details of delivery 1' }).click()
      await expectDelivery(page, 1)
      const attempt = part(page, 'Attempts').getByRole('listitem').last()
      await expect(attempt).toContainText('Attempt 1')
      await expect(attempt).toContainText('Status 500')
      await expect(attempt).toContainText(/DNS (–|\d+ ms) · connect \d+ ms · TLS – · first byte \d+ ms/)
      await expect(part(page, 'Request')).toContainText('/sandbox/receiver/mended?status=500')
      await expect(part(page, 'Request')).toContainText('webhook-signature: v1,••••••••••••')
      await expect(part(page, 'Body')).toContainText('"changed_fields"')
      await expect(part(page, 'Event')).toContainText('status')
      await part(page, 'Request').getByText('As a curl command').click()
      await expect(part(page, 'As a curl command')).toContainText('SIGN_WITH_YOUR_SECRET')
      const detail = page.url()

      await page.goto(manager)
      await changeAddress(page, `${server.origin}/sandbox/receiver/mended`)
      await page.goto(detail)
      const webhookId = ((await part(page, 'Request').textContent()) ?? '').match(/evt_[0-9a-f]{32}_\d+/)?.[0] ?? ''
      const record = ((await part(page, 'Event').textContent()) ?? '').match(/[0-9a-f]{8}-[0-9a-f-]{27}/)?.[0] ?? ''
      await page.getByRole('button', { name: 'Send again delivery 1' }).click()
      await says(page, 'Sent again')
      await expectDelivery(page, 2)
      if (javaScriptEnabled) await says(page, 'Delivered: your address answered 200.')
      else await reloadUntil(page, page.url(), 'Delivered: your address answered 200.')
      await expect(part(page, 'Event')).toContainText('Sent again by hand')
      await part(page, 'Other deliveries of this event').getByRole('link', { name: 'Delivery 1' }).click()
      await expectDelivery(page, 1)

      await page.getByRole('link', { name: 'Find a delivery' }).click()
      for (const id of [webhookId, record]) {
        await find(page, { id })
        await expect(page).toHaveURL(new RegExp(`id=${id}`))
        await expect(page.getByLabel('Search', { exact: true })).toHaveValue(id)
        await expect(lines(page)).toHaveCount(2)
      }
      await find(page, { id: '2' })
      await expectDelivery(page, 2)
      expect(complaints).toEqual([])
    })

    test('a line of the search sends again and stays where it is', async ({ page, server }) => {
      const { search } = await begin(page, server, server.origin + DEMO_RECEIVER)
      await setFirstJobStatus(page, server, 'Completed')
      await reloadUntil(page, search, 'Delivered')
      await find(page, { status: 'Delivered' })
      await expect(page).toHaveURL(/status=delivered/)
      await page.getByRole('button', { name: 'Send again delivery 1' }).click()
      await says(page, 'Sent again')
      await expect(page).toHaveURL(/status=delivered/)
      await expect(async () => {
        await page.goto(search)
        await expect(lines(page).filter({ hasText: 'Delivered' })).toHaveCount(2, { timeout: 300 })
      }).toPass({ timeout: 30_000 })
    })

    test('a delivery is found by the number of its job', async ({ page, server }) => {
      const { search } = await begin(page, server, server.origin + DEMO_RECEIVER)
      await setFirstJobStatus(page, server, 'Completed')
      await reloadUntil(page, search, 'Delivered')
      const call = search.replace('/deliveries', '/api/deliveries')
      const { objectUuid } = (await (await page.request.get(call)).json()).deliveries[0].event
      const console = await (await page.request.get(`${server.origin}/sandbox`)).text()
      const number = new RegExp(`id="job-${objectUuid}-title"><a[^>]*>Job (?:<!-- -->)?(\\d+)`).exec(console)?.[1] ?? ''
      expect(number).toMatch(/^\d+$/)
      await find(page, { id: number })
      await expect(lines(page)).toHaveCount(1)
      await expect(lines(page)).toContainText(`Job ${number}`)
      await find(page, { id: 'Nobody of this name' })
      await says(page, 'Nothing found')
    })

    test('the log of a webhook leads to the delivery, with its times', async ({ page, server }) => {
      const { manager } = await begin(page, server, server.origin + DEMO_RECEIVER)
      await setFirstJobStatus(page, server, 'Completed')
      await reloadUntil(page, manager, 'Last delivered')
      await card(page).getByText('View Recent Activity').click()
      const log = page.getByRole('region', { name: 'Recent Activity of Job' })
      await expect(log).toContainText(/connect \d+ ms · TLS – · first byte \d+ ms/)
      await log.getByRole('link', { name: 'Details of delivery 1' }).click()
      await expectDelivery(page, 1)
      await says(page, 'Delivered: your address answered 200.')
      await page.getByRole('link', { name: 'Job webhook' }).click()
      await expect(card(page)).toBeVisible()
    })

    test('wrong filters are explained and kept; what is not there says so and leads back', async ({ page, server }) => {
      const { search } = await begin(page, server, '')
      await page.goto(search)
      await find(page, { id: TOO_LONG, code: 'oops' })
      await expect(page.getByLabel('Search', { exact: true })).toHaveValue(TOO_LONG)
      await expect(page.getByLabel('Search', { exact: true })).toHaveAttribute('aria-invalid', 'true')
      await says(page, 'Must be a status (404), a group (4xx), or none')
      await page.getByRole('link', { name: 'Clear' }).click()
      await says(page, 'No deliveries yet')
      const answer = await page.goto(search.replace('/deliveries', '/deliveries/77'))
      expect(answer?.status()).toBe(404)
      await expect(page.getByRole('heading', { level: 1, name: 'This delivery is no longer kept' })).toBeVisible()
      await page.getByRole('link', { name: 'Find a delivery' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Find a delivery' })).toBeVisible()
    })
  })
}

test('a delivery is copied as a command, without the secret', async ({ page, context, server }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin })
  const { search } = await begin(page, server, server.origin + DEMO_RECEIVER)
  await setFirstJobStatus(page, server, 'Completed')
  await reloadUntil(page, search, 'Delivered')
  await page.getByRole('link', { name: 'Details of delivery 1' }).click()
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await says(page, 'Copied to clipboard!')
  const command = await page.evaluate(() => navigator.clipboard.readText())
  expect(command).toContain(`curl -X POST '${server.origin}${DEMO_RECEIVER}'`)
  expect(command).toContain('"changed_fields"')
  expect(command).not.toContain('whsec_')
})

test('the search is accessible and fits the screen, empty, filled and refused', async ({ page, server }) => {
  const { manager, search } = await begin(page, server, server.origin + DEMO_RECEIVER)
  await page.goto(search)
  await expectLooks(page, 'search-empty')
  await setFirstJobStatus(page, server, 'Completed')
  await reloadUntil(page, search, 'Delivered')
  await page.goto(manager)
  await changeAddress(page, `${server.origin}/sandbox/receiver/broken?status=500`)
  await setFirstJobStatus(page, server, 'Completed')
  await reloadUntil(page, search, 'Your address answered 500.')
  await expectLooks(page, 'search')
  await page.getByText('More filters').click()
  await page.getByLabel('Changed field').fill('a b')
  await find(page, { id: TOO_LONG, code: 'oops' })
  await says(page, 'Must be a status (404), a group (4xx), or none')
  await expect(page.getByLabel('Search', { exact: true })).toBeFocused()
  await expectLooks(page, 'search-wrong')
})

test('a delivery is accessible and fits the screen, delivered, held and failed', async ({ page, server }) => {
  const { manager, search } = await begin(page, server, `${server.origin}/sandbox/receiver/broken?status=500`)
  await setFirstJobStatus(page, server, 'Completed')
  await reloadUntil(page, search, 'Your address answered 500.')
  await page.goto(manager)
  await page.getByRole('button', { name: 'Pause Job webhook' }).click()
  await says(page, 'Webhook paused')
  const detail = search.replace('/deliveries', '/deliveries/1')
  await page.goto(detail)
  await expectLooks(page, 'delivery-held')
  await page.goto(manager)
  await changeAddress(page, server.origin + DEMO_RECEIVER)
  await page.goto(detail)
  await page.getByRole('button', { name: 'Send again delivery 1' }).click()
  await says(page, 'Delivered: your address answered 200.')
  await part(page, 'Request').getByText('As a curl command').click()
  await expectLooks(page, 'delivery')
})

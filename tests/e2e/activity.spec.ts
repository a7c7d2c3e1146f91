import type { BrowserContext, Page } from '@playwright/test'
import {
  collectComplaints,
  createWebhook,
  DEMO_RECEIVER,
  expect,
  expectAccessible,
  expectLooks,
  FIRM,
  openAddOn,
  openSignedIn,
  type Server,
  setFirstJobStatus,
  test,
} from './stage.ts'

const NO_ACCOUNT = 'Please provide an account UUID to view webhook activity'

/** Signs the admin's account in, creates a webhook for jobs, and opens the activity as the manager's button does. */
async function openActivity(page: Page, context: BrowserContext, server: Server): Promise<void> {
  await openSignedIn(context, page, server)
  await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job' })
  await expect(page.getByRole('article', { name: 'Job', exact: true })).toBeVisible()
  await openAddOn(page, server, { admin: true })
  await page.getByRole('link', { name: 'View Activity' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Webhook Activity' })).toBeVisible()
}

/** Events come first; the other types are one press away. */
async function showAll(page: Page): Promise<void> {
  const all = page.getByRole('navigation', { name: 'Type' }).getByRole('link', { name: /^All/ })
  await all.click()
  await expect(all).toHaveAttribute('aria-current', 'true')
}

/** Opens the add-on as an account that is no admin, and signs that account in. Gives its id. */
async function signInAsOrdinary(page: Page, context: BrowserContext, server: Server): Promise<string> {
  await page.goto(`${server.origin}/sandbox`)
  const others = page.getByRole('link', { name: /^Open Fieldhook as / }).filter({ hasNotText: FIRM })
  const address = new URL((await others.first().getAttribute('href')) ?? '', server.origin)
  const accountUUID = address.searchParams.get('accountUUID') ?? ''
  await page.goto(address.href)
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: /^Sign in with ServiceM8/ }).click()
  const tab = await opened
  // The pretend platform proposes nobody: the person has to choose.
  await tab.locator(`input[name="account"][value="${accountUUID}"]`).check()
  await tab.getByRole('button', { name: 'Allow' }).click()
  await expect(tab.getByRole('heading', { name: 'Create New Webhook' })).toBeVisible()
  await tab.close()
  return accountUUID
}

const rows = (page: Page) => page.getByRole('list', { name: 'Events and calls' }).getByRole('listitem')
const events = (page: Page) => rows(page).filter({ hasText: 'Raw data' })

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin sees the challenge, and an event soon after a change', async ({ page, context, server }) => {
      const complaints = collectComplaints(page)
      await openActivity(page, context, server)
      await expect(page.getByText('No Webhook Activity Yet')).toBeVisible()
      await showAll(page)
      const challenge = rows(page).filter({ hasText: 'Challenge Response' })
      await expect(challenge).toHaveCount(1)
      await expect(challenge).toContainText('POST')
      await expect(challenge).toContainText('Status 200')
      await expect(challenge).toContainText(/Duration: \d+ ms/)
      await expect(challenge).toContainText('Remote IP: ')
      await challenge.locator('summary').click()
      await expect(challenge.getByRole('region', { name: 'Response data' })).toBeVisible()
      await expect(rows(page).filter({ hasText: 'API Call' }).first()).toBeVisible()
      await expect(events(page)).toHaveCount(0)

      if (javaScriptEnabled) {
        // The page itself is not touched: it notices.
        const stage = await context.newPage()
        await setFirstJobStatus(stage, server, 'Completed')
        await stage.close()
      } else {
        const address = page.url()
        await setFirstJobStatus(page, server, 'Completed')
        await expect
          .poll(async () => (await (await fetch(`${server.origin}${DEMO_RECEIVER}?format=json`)).text()).length)
          .toBeGreaterThan(100)
        await page.goto(address)
        await page.getByRole('button', { name: 'Refresh' }).click()
      }
      const event = events(page).first()
      await expect(event).toContainText('Job')
      await expect(event).toContainText('Changed fields: ')
      await expect(event).toContainText('status')
      // Newest first: the event came after everything that was there.
      await expect(rows(page).first()).toContainText(/Webhook|API Call/)
      await event.locator('summary').click()
      await expect(event.getByRole('region', { name: 'Raw data' })).toContainText('changed_fields')
      expect(complaints).toEqual([])
    })

    test('an ordinary account is told in plain words that this is not for it', async ({ page, context, server }) => {
      const accountUUID = await signInAsOrdinary(page, context, server)
      for (const flag of ['', '&admin=yes']) {
        const answer = await page.goto(`${server.origin}/webhook-activity?accountUUID=${accountUUID}${flag}`)
        expect(answer?.status()).toBe(403)
        await expect(page.getByRole('heading', { level: 1, name: 'This page is not for your account' })).toBeVisible()
        await expect(page.getByText('Webhook activity is for admins of this add-on')).toBeVisible()
      }
      if (javaScriptEnabled) await expectAccessible(page)
    })

    test('without an account it asks for one, and without a session it is the gate', async ({ page, server }) => {
      await page.goto(`${server.origin}/webhook-activity`)
      await expect(page.getByText(NO_ACCOUNT)).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(page)
      await page.goto(`${server.origin}/webhook-activity?accountUUID=5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d`)
      await expect(page.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
    })
  })
}

test('a refresh that fails keeps the page and says so, and the next one mends it', async ({
  page,
  context,
  server,
}) => {
  await openActivity(page, context, server)
  await showAll(page)
  const before = await rows(page).count()
  await context.setOffline(true)
  await expect(page.getByRole('alert')).toContainText('The activity could not be refreshed')
  await expect(rows(page)).toHaveCount(before)
  await context.setOffline(false)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a session that ended elsewhere keeps the page and leads to signing in', async ({ page, context, server }) => {
  await openActivity(page, context, server)
  await showAll(page)
  await context.clearCookies()
  await expect(page.getByRole('alert')).toContainText('You are no longer signed in')
  await expect(rows(page).first()).toBeVisible()
  await page.getByRole('link', { name: 'Sign in again' }).click()
  await expect(page.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
})

test('what a stranger sends is text, and nothing of it runs', async ({ page, context, server }) => {
  const complaints = collectComplaints(page)
  await openSignedIn(context, page, server)
  await createWebhook(page, { url: '', object: 'Job' })
  const forwarding = await page.getByRole('textbox', { name: 'Forwarding URL' }).inputValue()
  const hostile = '</pre><script>document.title="owned"</script><img src=x onerror=alert(1)>\ud800\u202e'
  const sent = await fetch(forwarding, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      object: 'job',
      entry: [
        { uuid: '5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d', changed_fields: ['status'], time: '2026-01-05 09:00:00' },
      ],
      resource_url: hostile,
    }),
  })
  expect(sent.status).toBe(200)
  await openAddOn(page, server, { admin: true })
  await page.getByRole('link', { name: 'View Activity' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Webhook Activity' })).toBeVisible()
  // Drawn by the server, too.
  await page.reload()
  await events(page).first().locator('summary').click()
  await expect(events(page).first().getByRole('region', { name: 'Raw data' })).toContainText(
    '<img src=x onerror=alert(1)>',
  )
  await expect(page).toHaveTitle('Webhook activity · Fieldhook')
  expect(await page.locator('pre script, pre img').count()).toBe(0)
  expect(complaints).toEqual([])
})

test('the two lists are asked for with a tag and answered with 304, and say once how long they may be kept', async ({
  page,
  context,
  server,
}) => {
  await openActivity(page, context, server)
  const unchanged = page.waitForResponse(
    (answer) => answer.url().includes('/api/api-activity') && answer.status() === 304,
  )
  await unchanged
  const accountUUID = new URL(page.url()).searchParams.get('accountUUID')
  for (const call of ['webhook-activity', 'api-activity']) {
    const address = `${server.origin}/api/${call}?accountUUID=${accountUUID}`
    const first = await page.request.get(address)
    const etag = first.headers().etag ?? ''
    const again = await page.request.get(address, { headers: { 'if-none-match': etag } })
    for (const [answer, status] of [
      [first, 200],
      [again, 304],
    ] as const) {
      expect([call, answer.status(), answer.headers().etag]).toEqual([call, status, etag])
      const kept = answer.headersArray().filter(({ name }) => name.toLowerCase() === 'cache-control')
      expect(kept.map(({ value }) => value)).toEqual(['private, no-cache'])
    }
    expect((await again.body()).length).toBe(0)
  }
})

test('the activity is accessible and fits the screen', async ({ page, context, server }) => {
  await page.goto(`${server.origin}/webhook-activity`)
  await expectLooks(page, 'activity-no-account')
  await openActivity(page, context, server)
  const stage = await context.newPage()
  await setFirstJobStatus(stage, server, 'Completed')
  await stage.close()
  await expect(events(page).first()).toBeVisible()
  await showAll(page)
  await events(page).first().locator('summary').click()
  await rows(page).filter({ hasText: 'API Call' }).first().locator('summary').click()
  await expectLooks(page, 'activity')
  await context.setOffline(true)
  await expect(page.getByRole('alert')).toBeVisible()
  await expectLooks(page, 'activity-failed')
})

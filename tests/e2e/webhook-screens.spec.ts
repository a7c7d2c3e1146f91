// The webhook screens as a person uses them: how long they are, where a result stands, and where the focus goes.
import type { BrowserContext, Locator, Page } from '@playwright/test'
import {
  collectComplaints,
  expect,
  expectAccessible,
  openAddOn,
  openSignedIn,
  type Server,
  setFirstJobStatus,
  signIn,
  test,
} from './stage.ts'

const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

interface Furnished {
  account: string
  call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    data?: object,
  ): Promise<{ id: number; deliveries?: { id: number }[] }>
}

/** Seven webhooks, one paused, one without an address, and a failing forwarding rule; some events. */
async function furnish(page: Page, context: BrowserContext, server: Server): Promise<Furnished> {
  await openAddOn(page, server, { admin: true })
  await signIn(context, page)
  const account = new URL(page.url()).searchParams.get('accountUUID') ?? ''
  const headers = { origin: server.origin, 'sec-fetch-site': 'same-origin' }
  const call: Furnished['call'] = async (method, path, data) => {
    const answer = await context.request.fetch(server.origin + path, { method, headers, ...(data && { data }) })
    expect(answer.ok(), `${method} ${path}: ${answer.status()}`).toBe(true)
    return answer.json()
  }
  const receiver = (name: string) => `${server.origin}/sandbox/receiver/${name}`
  const webhook = (object: string, callback_url: string, fields = '') =>
    call('POST', '/api/webhooks', { accountUUID: account, object, callback_url, fields })
  await webhook('job', receiver('demo'))
  await webhook('note', receiver('notes'), 'note')
  const company = await webhook('company', receiver('customers'))
  await webhook('jobactivity', '')
  await webhook('jobpayment', 'https://hooks.slack.com/services/T000/B000/abc')
  await webhook('task', 'https://hooks.zapier.com/hooks/catch/123/abc/')
  await webhook('attachment', receiver('files'))
  await call('POST', `/api/forwarding-rules?accountUUID=${account}`, {
    name: 'Accounts office',
    objectType: 'job',
    forwardUrl: `${receiver('broken')}?status=500`,
    fieldFilters: 'status',
  })
  await call('PUT', `/api/webhooks/${company.id}`, { active: false })
  for (const status of ['Completed', 'Quote', 'Work Order']) await setFirstJobStatus(page, server, status)
  return { account, call }
}

async function sizeOf(page: Page) {
  return page.evaluate(() => ({
    words: (document.querySelector('main') as HTMLElement).innerText.split(/\s+/).filter(Boolean).length,
    height: document.documentElement.scrollHeight,
  }))
}

test('seven webhooks and a rule fit a screen', async ({ page, context, server }) => {
  const { account } = await furnish(page, context, server)
  const manager = `${server.origin}/fieldhook?accountUUID=${account}`
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(async () => {
    await page.goto(manager)
    await expect(page.getByRole('list', { name: 'Needs attention' })).toContainText('answered 500', { timeout: 300 })
  }).toPass({ timeout: 30_000 })
  await expect(page.getByRole('button', { name: 'Try again now: Accounts office rule' })).toBeVisible()
  const desk = await sizeOf(page)
  expect(desk.words).toBeLessThanOrEqual(200)
  expect(desk.height).toBeLessThanOrEqual(900)
  await page.setViewportSize({ width: 375, height: 812 })
  await page.goto(manager)
  const phone = await sizeOf(page)
  expect(phone.words).toBeLessThanOrEqual(200)
  expect(phone.height).toBeLessThanOrEqual(1_300)
  await page.goto(`${server.origin}/webhook-activity?accountUUID=${account}&admin=yes`)
  await expect(page.getByRole('listitem').filter({ hasText: 'Job' }).first()).toBeVisible()
  expect((await sizeOf(page)).height).toBeLessThanOrEqual(3_000)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(manager)
    await expectAccessible(page)
  }
})

/** In the part of the page that is on screen. */
async function expectInView(result: Locator): Promise<void> {
  await expect(result).toBeInViewport({ ratio: 0.9 })
}

const toasts = (page: Page) => page.getByRole('region', { name: 'Messages (F8)' }).getByRole('listitem')

/** The controls under the message that is open. */
async function coveredBy(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const toast = document.querySelector('[role=region][aria-label^="Messages"] li')?.getBoundingClientRect()
    if (!toast) return ['no message']
    return [...document.querySelectorAll('main a, main button, main input, main summary, header a')].flatMap((one) => {
      const { width, left, right, top, bottom } = one.getBoundingClientRect()
      const over = width > 0 && left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top
      return over ? [one.textContent ?? ''] : []
    })
  })
}

for (const width of [375, 1280]) {
  test(`at ${width} pixels, the result of a press stands in view under the button, and no message covers anything`, async ({
    page,
    context,
    server,
  }) => {
    const complaints = collectComplaints(page)
    await page.setViewportSize({ width, height: 812 })
    await openSignedIn(context, page, server)
    // The whole way by the keyboard.
    await page.getByRole('button', { name: 'Watch jobs here' }).focus()
    await page.keyboard.press('Enter')
    const job = card(page, 'Job')
    await expect(job.getByRole('heading', { name: 'Job' })).toBeFocused()
    // Said by a message, which covers no control.
    await expect(toasts(page).first()).toContainText('Webhook created successfully!')
    await expect.poll(() => coveredBy(page)).toEqual([])
    await job.getByRole('button', { name: 'Edit Job webhook' }).click()
    await job.getByLabel('Callback URL').fill(`${server.origin}/sandbox/receiver/gone?status=410`)
    await job.getByRole('button', { name: 'Save' }).click()
    await expect(toasts(page).first()).toContainText('Webhook fields updated successfully!')
    await expect(toasts(page)).toHaveCount(0, { timeout: 10_000 })

    // A 410 to a test is shown, not obeyed.
    const testButton = job.getByRole('button', { name: 'Send test event to Job webhook' })
    await testButton.click()
    const failed = job.getByText('Failed to send test webhook')
    await expectInView(failed)
    await expect(job.getByText(/The test changed nothing/)).toBeVisible()
    await expect(testButton).toBeFocused()
    await expect(job).not.toContainText('Stopped')
    await expect(toasts(page)).toHaveCount(0)
    const [button, result] = [await testButton.boundingBox(), await failed.boundingBox()]
    expect((result?.y ?? 0) - (button?.y ?? 0)).toBeLessThan(160)

    const check = job.getByRole('button', { name: 'Check this address: Job webhook' })
    await check.click()
    await expectInView(job.getByText('Address checked: something is wrong'))
    await expectInView(job.getByRole('listitem').filter({ hasText: 'Answer' }).first())
    await expect(check).toBeFocused()
    await expect(toasts(page)).toHaveCount(0)
    await job.getByRole('button', { name: 'Pause Job webhook' }).click()
    await expectInView(job.getByText('Webhook paused'))

    await testButton.click()
    await job.getByRole('link', { name: 'See what was sent' }).click()
    await expect(page.getByText('Test event', { exact: true })).toBeVisible()
    expect(complaints.filter((one) => !one.startsWith('AbortError'))).toEqual([])
  })
}

/** Every button that stays on its page. The last one of its page ends it. */
async function pressEvery(page: Page, names: readonly (string | RegExp)[], within: Locator): Promise<void> {
  for (const name of names) {
    const button = within.getByRole('button', { name }).first()
    await button.focus()
    await page.keyboard.press('Enter')
    await page.waitForLoadState('networkidle')
    await expect(
      page.getByRole('heading', { name: '404 Page Not Found' }),
      `no page after “${name}”: ${page.url()}`,
    ).toHaveCount(0)
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.tagName), { message: `the focus after “${name}”` })
      .not.toBe('BODY')
  }
}

test('the focus is somewhere after every button of the manager', async ({ page, context, server }) => {
  const { account } = await furnish(page, context, server)
  const by = `accountUUID=${account}&admin=yes`
  await page.goto(`${server.origin}/fieldhook?${by}`)
  await pressEvery(page, [/^Refresh/], page.getByRole('main'))
  await card(page, 'Job').getByRole('heading', { name: 'Job' }).click()
  await pressEvery(
    page,
    [/^Send test event/, /^Check this address/, /^Copy Forwarding URL/, /^Pause/, /^Resume/, /^View Recent Activity/],
    card(page, 'Job'),
  )
  await expect(page.getByRole('region', { name: 'Recent Activity of Job' }).getByRole('listitem').first()).toBeVisible()
  await pressEvery(
    page,
    [/^Refresh activity/, /^Send again/, /^View Recent Activity/, /^Edit/, /^Save/, /^Edit/],
    card(page, 'Job'),
  )
  await card(page, 'Job').getByRole('link', { name: 'Cancel' }).click()
  await card(page, 'Job').getByText('More', { exact: true }).click()
  await pressEvery(page, [/^Compare with ServiceM8/, /^Send everything since/], card(page, 'Job'))
  await card(page, 'Job').getByLabel('Which events').selectOption('all')
  await pressEvery(page, [/^Count events/, /^Send \d+ event/], card(page, 'Job'))
  await card(page, 'Note').getByRole('heading', { name: 'Note' }).click()
  await pressEvery(page, [/^Delete/], card(page, 'Note'))
  await pressEvery(page, ['Keep it', /^Delete/], page.locator('body'))
  await page.getByRole('button', { name: 'Delete webhook' }).press('Enter')
  await expect(card(page, 'Note')).toHaveCount(0)
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
  await page.getByText('Add another address').click()
  await page.getByLabel('Rule name').fill('Second office')
  await page.getByLabel('Object', { exact: true }).selectOption({ label: 'Job' })
  await page.getByLabel('Forward to').fill(`${server.origin}/sandbox/receiver/second`)
  await page.getByRole('button', { name: 'Add address' }).press('Enter')
  await expect(card(page, 'Second office').getByRole('heading')).toBeFocused()
})

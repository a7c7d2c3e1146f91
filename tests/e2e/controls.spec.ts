// What an owner does when something is wrong: sees why, mends it, pauses, starts again, sends what was missed.
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

const card = (page: Page) => page.getByRole('article', { name: 'Job', exact: true })
const says = (page: Page, words: string | RegExp) =>
  expect(page.getByText(words, { exact: true }).first()).toBeVisible()

/** The page again until the card says this: what a person without scripts does with the browser's own button. */
async function reloadUntil(page: Page, address: string, words: string | RegExp): Promise<void> {
  await expect(async () => {
    await page.goto(address)
    await expect(card(page)).toContainText(words, { timeout: 300 })
  }).toPass({ timeout: 30_000 })
}

async function changeAddress(page: Page, url: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit Job webhook' }).click()
  await card(page).getByLabel('Callback URL').fill(url)
  await card(page).getByRole('button', { name: 'Save' }).click()
  await says(page, 'Webhook fields updated successfully!')
}

async function openLog(page: Page): Promise<Locator> {
  await card(page).getByText('View Recent Activity').click()
  return page.getByRole('region', { name: 'Recent Activity of Job' })
}

async function received(server: Server, name: string): Promise<number> {
  const answer = await fetch(`${server.origin}/sandbox/receiver/${name}?format=json`)
  return ((await answer.text()).match(/changed_fields/g) ?? []).length
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a broken address says so, is mended, and the event is sent again', async ({ page, context, server }) => {
      const complaints = collectComplaints(page)
      await openSignedIn(context, page, server)
      await createWebhook(page, { url: `${server.origin}/sandbox/receiver/mended?status=500`, object: 'Job' })
      await says(page, 'Webhook created successfully!')
      const manager = page.url()
      await setFirstJobStatus(page, server, 'Completed')
      await reloadUntil(page, manager, /Failing.*Since .*answered 500/s)

      await page.getByRole('button', { name: 'Send test event to Job webhook' }).click()
      await says(page, 'Failed to send test webhook')
      await says(page, /answered 500/)
      await changeAddress(page, `${server.origin}/sandbox/receiver/mended`)
      const before = await received(server, 'mended')

      const log = await openLog(page)
      const failed = log.getByRole('listitem').filter({ hasText: 'Status 500' })
      await failed.getByRole('button', { name: 'Send again' }).last().click()
      await says(page, 'Sent again')
      await expect.poll(() => received(server, 'mended')).toBeGreaterThan(before)
      if (!javaScriptEnabled) await page.reload()
      await expect(log.getByText('Success', { exact: true }).first()).toBeVisible()
      await page.getByRole('button', { name: 'Send test event to Job webhook' }).click()
      await says(page, 'Test webhook sent successfully (Status: 200)')
      // A press while the open log is fetching cancels that fetch; the router writes this down as an error.
      expect(complaints.filter((one) => !one.startsWith('AbortError'))).toEqual([])
    })

    test('a paused webhook keeps its events, and resuming delivers them', async ({ page, context, server }) => {
      await openSignedIn(context, page, server)
      await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job' })
      await says(page, 'Webhook created successfully!')
      const manager = page.url()
      await page.getByRole('button', { name: 'Pause Job webhook' }).click()
      await says(page, 'Webhook paused')
      if (javaScriptEnabled) await expect(page.getByRole('button', { name: 'Resume Job webhook' })).toBeFocused()
      await setFirstJobStatus(page, server, 'Completed')
      await reloadUntil(page, manager, '1 event waiting.')
      expect(await received(server, 'demo')).toBe(0)

      await page.getByRole('button', { name: 'Resume Job webhook' }).click()
      await says(page, 'Webhook resumed')
      await expect.poll(() => received(server, 'demo')).toBe(1)
      await reloadUntil(page, manager, 'Last delivered')
    })

    test('an address that answered 410 is started again, with what it missed', async ({ page, context, server }) => {
      await openSignedIn(context, page, server)
      await createWebhook(page, { url: `${server.origin}/sandbox/receiver/gone?status=410`, object: 'Job' })
      await says(page, 'Webhook created successfully!')
      const manager = page.url()
      await setFirstJobStatus(page, server, 'Completed')
      await reloadUntil(page, manager, 'By your system since')
      await expect(card(page).getByLabel('and send everything since it stopped (1 event)')).toBeChecked()
      // The same address, which still answers 410: it stops once more, and says so.
      await page.getByRole('button', { name: 'Start again: Job webhook' }).click()
      await says(page, 'Webhook started again')
      await reloadUntil(page, manager, 'By your system since')

      await changeAddress(page, `${server.origin}/sandbox/receiver/back`)
      await expect(card(page)).not.toContainText('By your system since')
      await card(page).getByText('More', { exact: true }).click()
      await page.getByRole('button', { name: /^Send everything since/ }).click()
      await card(page).getByRole('button', { name: 'Count events' }).click()
      await says(page, '1 event would be sent.')
      await card(page).getByRole('button', { name: 'Send 1 event' }).click()
      await says(page, 'Sending 1 event again')
      await expect.poll(() => received(server, 'back')).toBe(1)
      if (!javaScriptEnabled) await reloadUntil(page, manager, 'The event was delivered.')
      await expect(card(page)).toContainText('The event was delivered.')
    })

    test('a new signing secret is shown, and the old one stays valid for a day', async ({ page, context, server }) => {
      await openSignedIn(context, page, server)
      await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job' })
      await card(page).getByText('More', { exact: true }).click()
      await card(page).getByText('Signing secret', { exact: true }).first().click()
      const secret = card(page).getByRole('textbox', { name: 'Signing secret' })
      const before = await secret.inputValue()
      await card(page).getByRole('button', { name: 'New signing secret for Job webhook' }).click()
      await says(page, /stays valid for 24 hours, until/)
      await expect(secret).toBeVisible()
      await expect(secret).toHaveValue(/^whsec_.{44}$/)
      await expect(secret).not.toHaveValue(before)
      await expect(card(page)).toContainText('Events are signed with both')
      if (javaScriptEnabled) await expect(secret).toBeFocused()
    })
  })
}

test('an event is copied as a command, without the secret', async ({ page, context, server }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin })
  await openSignedIn(context, page, server)
  await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job' })
  await says(page, 'Webhook created successfully!')
  const manager = page.url()
  await setFirstJobStatus(page, server, 'Completed')
  await reloadUntil(page, manager, 'Last delivered')
  const log = await openLog(page)
  await log.getByRole('button', { name: 'Copy as curl' }).first().click()
  await says(page, 'Copied to clipboard!')
  const command = await page.evaluate(() => navigator.clipboard.readText())
  expect(command).toContain(`curl -X POST '${server.origin}${DEMO_RECEIVER}'`)
  expect(command).toContain('"changed_fields"')
  expect(command).not.toContain('whsec_')
})

test('cards in every state are accessible and fit the screen', async ({ page, context, server }) => {
  await openSignedIn(context, page, server)
  await createWebhook(page, { url: `${server.origin}/sandbox/receiver/a?status=500`, object: 'Job' })
  await says(page, 'Webhook created successfully!')
  const manager = page.url()
  await setFirstJobStatus(page, server, 'Completed')
  await reloadUntil(page, manager, /Failing.*Since/s)
  await openLog(page)
  await expect(page.getByRole('button', { name: 'Copy as curl' }).first()).toBeVisible()
  await expectLooks(page, 'controls-failing-log')

  await page.goto(manager)
  await changeAddress(page, `${server.origin}/sandbox/receiver/a?status=410`)
  await reloadUntil(page, manager, 'By your system since')
  await expectLooks(page, 'controls-stopped')

  await changeAddress(page, `${server.origin}/sandbox/receiver/a`)
  await card(page).getByText('More', { exact: true }).click()
  await card(page).getByText('Signing secret', { exact: true }).first().click()
  await expectLooks(page, 'controls-working-more')
  await page.getByRole('button', { name: /^Send everything since/ }).click()
  await card(page).getByRole('button', { name: 'Count events' }).click()
  await says(page, /would be sent\./)
  await expectLooks(page, 'controls-replay')
  await card(page)
    .getByRole('button', { name: /^Send 1 event/ })
    .click()
  await expect(card(page)).toContainText('The event was delivered.')
  await page.getByRole('button', { name: 'Pause Job webhook' }).click()
  await says(page, 'Webhook paused')
  await page.goto(manager)
  await expectLooks(page, 'controls-paused')
})

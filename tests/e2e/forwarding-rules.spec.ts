// Several systems get the same events: each has its address, its filter, its own pause, and its own line in the log.
import type { Page } from '@playwright/test'
import {
  collectComplaints,
  createWebhook,
  expect,
  expectLooks,
  openSignedIn,
  type Server,
  setFirstJobStatus,
  test,
} from './stage.ts'

const section = (page: Page) => page.getByRole('region', { name: 'Forwarding Rules' })
const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const says = (page: Page, words: string | RegExp) =>
  expect(page.getByText(words, { exact: true }).first()).toBeVisible()
const receiver = (server: Server, name: string) => `${server.origin}/sandbox/receiver/${name}`

interface NewRule {
  name: string
  object: string
  url: string
  filter?: string
}

async function addRule(page: Page, { name, object, url, filter = '' }: NewRule): Promise<void> {
  const rules = section(page)
  await rules.getByText('Add another address', { exact: true }).click()
  await rules.getByLabel('Rule name').fill(name)
  await rules.getByLabel('Object', { exact: true }).selectOption({ label: object })
  await rules.getByLabel('Forward to').fill(url)
  await rules.getByLabel('Field filter').fill(filter)
  await rules.getByRole('button', { name: 'Add address' }).click()
}

/** The page again until the rule's card says this: what a person without scripts does with the browser's own button. */
async function reloadUntil(page: Page, address: string, name: string, words: string | RegExp): Promise<void> {
  await expect(async () => {
    await page.goto(address)
    await expect(card(page, name)).toContainText(words, { timeout: 300 })
  }).toPass({ timeout: 30_000 })
}

async function received(server: Server, name: string): Promise<number> {
  const answer = await fetch(`${receiver(server, name)}?format=json`)
  return ((await answer.text()).match(/changed_fields/g) ?? []).length
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('one event reaches the webhook and every rule whose filter it passes', async ({ page, context, server }) => {
      const complaints = collectComplaints(page)
      await openSignedIn(context, page, server)
      await expect(section(page).getByRole('article')).toHaveCount(0)
      await createWebhook(page, { url: receiver(server, 'first'), object: 'Job' })
      await says(page, 'Webhook created successfully!')
      const manager = page.url()
      await addRule(page, { name: 'Accounting', object: 'Job', url: receiver(server, 'second'), filter: 'status' })
      await says(page, 'Forwarding rule created successfully!')
      await addRule(page, { name: 'Badges only', object: 'Job', url: receiver(server, 'third'), filter: 'badges' })
      await expect(card(page, 'Badges only')).toBeVisible()

      await setFirstJobStatus(page, server, 'Completed')
      await reloadUntil(page, manager, 'Accounting', 'Last delivered')
      await expect.poll(() => received(server, 'first')).toBe(1)
      expect(await received(server, 'second')).toBe(1)
      expect(await received(server, 'third')).toBe(0)
      await expect(card(page, 'Badges only')).toContainText('Waiting for the first delivery.')

      await card(page, 'Job').getByRole('heading', { name: 'Job' }).click()
      await card(page, 'Job').getByText('View Recent Activity').click()
      const log = page.getByRole('region', { name: 'Recent Activity of Job' })
      await expect(log).toContainText(`Accounting: ${receiver(server, 'second')}`)
      await expect(log).toContainText(receiver(server, 'first'))
      await log.getByRole('button', { name: 'Send again to Accounting' }).click()
      await says(page, 'Sent again')
      await expect.poll(() => received(server, 'second')).toBe(2)
      expect(await received(server, 'first')).toBe(1)
      // A press while the open log is fetching cancels that fetch; the router writes this down as an error.
      expect(complaints.filter((one) => !one.startsWith('AbortError'))).toEqual([])
    })

    test('a rule needs no webhook, and is paused and moved on its own', async ({ page, context, server }) => {
      await openSignedIn(context, page, server)
      const manager = page.url()
      await addRule(page, { name: 'Office', object: 'Job', url: receiver(server, 'office') })
      await says(page, 'Forwarding rule created successfully!')
      await page.getByRole('button', { name: 'Pause Office rule' }).click()
      await says(page, 'Rule paused')
      await setFirstJobStatus(page, server, 'Completed')
      await reloadUntil(page, manager, 'Office', '1 event waiting.')
      expect(await received(server, 'office')).toBe(0)

      await page.getByRole('button', { name: 'Edit Office rule' }).click()
      await card(page, 'Office').getByLabel('Rule name').fill('Front desk')
      await card(page, 'Office').getByLabel('Forward to').fill(receiver(server, 'desk'))
      await card(page, 'Office').getByRole('button', { name: 'Save' }).click()
      await says(page, 'Forwarding rule updated successfully!')
      await page.getByRole('button', { name: 'Resume Front desk rule' }).click()
      await says(page, 'Rule resumed')
      await expect.poll(() => received(server, 'desk')).toBe(1)
    })

    test('a rule is tested, gets a new secret, and is deleted', async ({ page, context, server }) => {
      await openSignedIn(context, page, server)
      const manager = page.url()
      await addRule(page, { name: 'Front desk', object: 'Job', url: receiver(server, 'desk') })
      await says(page, 'Forwarding rule created successfully!')
      await page.getByRole('button', { name: 'Send test event to Front desk rule' }).click()
      await says(page, 'Test webhook sent successfully (Status: 200)')
      const desk = card(page, 'Front desk')
      await desk.getByText('More', { exact: true }).click()
      await desk.getByText('Signing secret', { exact: true }).first().click()
      const secret = desk.getByRole('textbox', { name: 'Signing secret' })
      const before = await secret.inputValue()
      await desk.getByRole('button', { name: 'New signing secret for Front desk rule' }).click()
      await says(page, /stays valid for 24 hours, until/)
      await expect(secret).toHaveValue(/^whsec_.{44}$/)
      await expect(secret).not.toHaveValue(before)

      await page.goto(manager)
      await page.getByRole('button', { name: 'Delete Front desk rule' }).click()
      await says(page, 'Delete the Front desk rule?')
      await page.getByRole('button', { name: 'Delete rule' }).click()
      await says(page, 'Forwarding rule deleted successfully!')
      await expect(section(page).getByRole('article')).toHaveCount(0)
      const undo = page.getByRole('group', { name: 'The Front desk rule was deleted.' })
      if (javaScriptEnabled) await expect(undo).toBeFocused()
    })

    test('what was typed wrong stays, with a word about it', async ({ page, context, server }) => {
      await openSignedIn(context, page, server)
      await addRule(page, { name: ' ', object: 'Job', url: 'http://192.0.2.1/in', filter: 'not a field' })
      await says(page, 'Rule name is required')
      const rules = section(page)
      await expect(rules).toContainText('is not a field name')
      await expect(rules.getByLabel('Forward to')).toHaveValue('http://192.0.2.1/in')
      await rules.getByLabel('Rule name').fill('Accounting')
      await rules.getByLabel('Field filter').fill('')
      await rules.getByRole('button', { name: 'Add address' }).click()
      await says(page, 'Must be a valid HTTPS URL')
      await expect(rules.getByLabel('Rule name')).toHaveValue('Accounting')
      await expect(rules.getByLabel('Object', { exact: true })).toHaveValue('job')
    })
  })
}

test('rules in every state are accessible and fit the screen', async ({ page, context, server }) => {
  // Four pictures of a long page, each looked over: twice the usual time.
  const long = `Accounting-${'x'.repeat(60)} and the office`
  await openSignedIn(context, page, server)
  const manager = page.url()
  await section(page).getByText('Add another address', { exact: true }).click()
  await expectLooks(page, 'rules-empty')
  await page.goto(manager)
  await createWebhook(page, { url: receiver(server, 'first'), object: 'Job' })
  await says(page, 'Webhook created successfully!')
  await addRule(page, { name: long, object: 'Job', url: receiver(server, 'second'), filter: 'status, date' })
  await expect(card(page, long)).toBeVisible()
  await addRule(page, { name: 'Broken', object: 'Job', url: `${receiver(server, 'broken')}?status=500` })
  await expect(card(page, 'Broken')).toBeVisible()
  await setFirstJobStatus(page, server, 'Completed')
  await reloadUntil(page, manager, 'Broken', /Failing.*Since/s)
  await card(page, long).getByRole('heading', { name: long }).click()
  await page.getByRole('button', { name: `Pause ${long} rule` }).click()
  await says(page, 'Rule paused')
  await page.goto(manager)
  await expectLooks(page, 'rules-states')
  await card(page, 'Job').getByRole('heading', { name: 'Job' }).click()
  await card(page, 'Job').getByText('View Recent Activity').click()
  await expect(page.getByRole('region', { name: 'Recent Activity of Job' })).toContainText('Broken:')
  await expectLooks(page, 'rules-log')
  await page.goto(manager)
  await card(page, long).getByRole('heading', { name: long }).click()
  await page.getByRole('button', { name: `Edit ${long} rule` }).click()
  await expect(card(page, long).getByRole('button', { name: 'Save' })).toBeVisible()
  await expectLooks(page, 'rules-edit')
})

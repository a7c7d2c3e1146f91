// What an owner does with automations that exist: looks, runs, switches, copies, brings in, deletes.
import type { BrowserContext, Page } from '@playwright/test'
import {
  collectComplaints,
  expect,
  expectAccessible,
  expectLooks,
  keepPicture,
  openAddOn,
  type Server,
  signIn,
  test,
} from './stage.ts'

const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const says = (page: Page, words: string | RegExp) =>
  expect(page.getByText(words, { exact: true }).filter({ visible: true }).first()).toBeVisible()

/** Signed in, with these rules, on the page of automations. */
async function openAutomations(
  { page, context, server }: { page: Page; context: BrowserContext; server: Server },
  rules: Record<string, unknown>[],
  options: { admin?: boolean } = {},
): Promise<void> {
  await openAddOn(page, server, options)
  await signIn(context, page)
  const accountUUID = new URL(page.url()).searchParams.get('accountUUID')
  for (const rule of rules) {
    const made = await page.request.post(`${server.origin}/api/automation`, {
      data: { ...rule, accountUUID },
      headers: { origin: server.origin },
    })
    expect(made.status(), await made.text()).toBe(201)
  }
  await page.getByRole('link', { name: 'Automations' }).click()
  await expect(page.getByRole('heading', { name: 'Existing Automations' })).toBeVisible()
}

const ACTIONS = [{ type: 'create_task', parameters: { title: 'Call back about job {entry.0.generated_job_id}' } }]
const CALL_BACK = {
  name: 'Call back',
  description: 'So that nobody is forgotten.',
  triggerSource: 'api_polling',
  apiEndpoint: '/api_1.0/job.json',
  pollInterval: 'on_demand',
  conditions: [{ field: 'generated_job_id', operator: 'is_not_empty', value: '' }],
  actions: ACTIONS,
}
const NEVER = {
  name: 'Never matches',
  triggerSource: 'webhook',
  object: 'job',
  triggerType: 'job_updated',
  conditions: [{ field: 'job_description', operator: 'contains', value: 'Parked on the moon' }],
  actions: ACTIONS,
}
const TEXT_THEM = {
  name: 'Text them',
  triggerSource: 'webhook',
  object: 'job',
  triggerType: 'job_updated',
  actions: [{ type: 'send_sms', parameters: { to: '+447700900123', message: 'Job {entry.0.generated_job_id}' } }],
}
const PACK = { name: 'Pack the van', triggerSource: 'manual_endpoint', actions: ACTIONS }

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })
    // The checker is itself a script.
    const expectReadable = (page: Page) => (javaScriptEnabled ? expectAccessible(page) : Promise.resolve())

    test('a rule is looked at, run, switched off and deleted, and the logs tell of it', async ({
      page,
      context,
      server,
    }) => {
      const complaints = collectComplaints(page)
      await openAutomations({ page, context, server }, [NEVER, CALL_BACK])
      const rule = card(page, 'Call back')
      await expect(rule).toContainText('So that nobody is forgotten.')
      await expect(rule).toContainText('Scheduled API Check')
      await expect(rule).toContainText('Create Task')

      await rule.getByRole('button', { name: 'Preview: Call back' }).click()
      const preview = page.getByRole('region', { name: 'Preview', exact: true })
      await expect(preview).toContainText('Nothing was sent.')
      if (!javaScriptEnabled) await expect(page).toHaveURL(/#automation-\d+$/)
      await expect(preview).toContainText(/Call back about job \d+/)
      await expectReadable(page)
      await preview.getByRole('link', { name: 'Close' }).click()
      await expect(preview).toHaveCount(0)

      await rule.getByRole('button', { name: 'Run Now: Call back' }).click()
      await says(page, /^Automation executed/)
      // A page whose answer is still arriving would swallow the press.
      await page.waitForLoadState()
      await page.getByRole('button', { name: 'View Logs' }).click()
      const logs = javaScriptEnabled
        ? page.getByRole('dialog', { name: 'Recent Automation Logs' })
        : page.getByRole('region', { name: 'Recent Automation Logs' })
      await expect(logs).toContainText('Last 20 automation executions across all your automations')
      await expect(logs.getByText('Call back').first()).toBeVisible()
      if (javaScriptEnabled) {
        // The open log refreshes itself while a run is in progress.
        await expect(logs).toContainText(/Create Task/, { timeout: 30_000 })
      } else {
        await expect(async () => {
          await page.reload()
          await expect(logs).toContainText(/Create Task/, { timeout: 500 })
        }).toPass({ timeout: 30_000 })
      }
      await expectReadable(page)
      await logs.getByRole(javaScriptEnabled ? 'button' : 'link', { name: 'Close', exact: true }).click()
      await expect(logs).toHaveCount(0)

      const active = page.getByRole('switch', { name: 'Active: Call back' })
      await expect(active).toBeChecked()
      await active.click()
      await says(page, 'Automation updated')
      await expect(active).not.toBeChecked()
      await expect(rule).toContainText('Inactive')

      await rule.getByRole('button', { name: 'Delete Call back' }).click()
      const asked = javaScriptEnabled
        ? page.getByRole('alertdialog', { name: 'Delete Automation' })
        : page.getByRole('region', { name: 'Delete Automation' })
      await expect(asked).toBeVisible()
      await expectReadable(page)
      await asked.getByRole('button', { name: 'Delete', exact: true }).click()
      await says(page, 'Automation deleted')
      await expect(rule).toHaveCount(0)
      await expect(card(page, 'Never matches')).toBeVisible()
      await page.waitForLoadState()
      await page.getByRole('button', { name: 'Undo: delete Call back' }).click()
      await says(page, 'Automation restored')
      await expect(rule).toContainText('Inactive')
      expect(complaints).toEqual([])
    })

    test('conditions that are not met are listed, and Run Anyway acts all the same', async ({
      page,
      context,
      server,
    }) => {
      await openAutomations({ page, context, server }, [NEVER])
      await page.getByRole('button', { name: 'Run Now: Never matches' }).click()
      const asked = javaScriptEnabled
        ? page.getByRole('alertdialog', { name: 'Automation Conditions Not Met' })
        : page.getByRole('region', { name: 'Automation Conditions Not Met' })
      await expect(asked).toContainText('Parked on the moon')
      await expectReadable(page)
      await asked.getByRole(javaScriptEnabled ? 'button' : 'link', { name: 'Cancel' }).click()
      await expect(asked).toHaveCount(0)
      await page.getByRole('button', { name: 'Run Now: Never matches' }).click()
      await asked.getByRole('button', { name: 'Run Anyway' }).click()
      await says(page, 'Automation executed')
      await expect(card(page, 'Never matches')).toContainText(/Started once/)
    })

    test('a rule that writes to customers asks first, for another record too, and then texts once', async ({
      page,
      context,
      server,
    }) => {
      await openAutomations({ page, context, server }, [TEXT_THEM])
      const rule = card(page, 'Text them')
      await expect(rule).toContainText('Once per job')
      await rule.getByRole('button', { name: 'Run Now: Text them' }).click()
      const asked = rule.getByRole('region', { name: /^Run for Job / })
      await expect(asked).toContainText('This press has sent nothing yet.')
      await expect(asked).toContainText('No messages from automations to them so far.')
      await expectReadable(page)
      await asked.getByText('Choose another record').click()
      const other = asked.getByRole('listitem').getByRole('button', { name: /^Job / }).nth(1)
      const [number = ''] = ((await other.textContent()) ?? '').match(/Job \d+/) ?? []
      await other.click()
      await expect(rule.getByRole('region', { name: new RegExp(`^Run for ${number}\\b`) })).toBeVisible()
      await rule.getByRole('button', { name: 'Run for real' }).click()
      await says(page, /^Automation executed/)
      await expect(rule).toContainText(/Started once/)
    })

    test('a rule is copied, pasted, and comes into the form as a new entry', async ({ page, context, server }) => {
      await openAutomations({ page, context, server }, [PACK])
      const rule = card(page, 'Pack the van')
      // What cannot be put on the clipboard is shown, to be taken from there.
      await page.goto(`${page.url()}&json=1`)
      const json = await page.getByLabel('The automation as JSON').inputValue()
      expect(json).toContain('"Pack the van"')
      await page.goto(page.url().replace('json=1', 'url=1'))
      await expect(rule.getByLabel('Endpoint URL')).toHaveValue(/\/api\/automation\/1\/trigger\?key=/)
      await page.goto(page.url().replace('&url=1', ''))

      await page.getByRole('region', { name: 'Import Automation' }).locator('summary').click()
      await page.getByLabel('Paste JSON').fill('{')
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await says(page, 'Import failed: Invalid JSON format')
      await page.getByLabel('Paste JSON').fill(json)
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await expect(page.getByLabel('Automation Name')).toHaveValue('Pack the van (Imported)')
      await expect(page.getByRole('article')).toHaveCount(1)
    })
  })
}

test('an admin has a badge, Check Mode and the API test; nobody else does', async ({ page, context, server }) => {
  await openAutomations({ page, context, server }, [CALL_BACK], { admin: true })
  await says(page, 'Admin Mode')
  await page.getByRole('button', { name: 'Check Mode: Call back' }).click()
  await expect(page.getByRole('region', { name: 'Check Mode' })).toContainText('Nothing was sent.')
  await page.getByRole('link', { name: 'API Testing' }).click()
  await expect(page.getByRole('heading', { name: 'API Explorer' })).toBeVisible()
  await page.goto(page.url().replace('admin=yes', 'admin=no'))
  await expect(page.getByRole('heading', { name: 'Existing Automations' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'API Testing' })).toHaveCount(0)
})

test('somebody who is not signed in is told so', async ({ page, server }) => {
  await page.goto(`${server.origin}/automation?accountUUID=00000000-0000-4000-8000-000000000001`)
  await says(page, 'Authentication Required: Please authenticate with the platform to manage automations.')
})

test('empty and full, the page is accessible and fits the screen', async ({ page, context, server }) => {
  await openAutomations({ page, context, server }, [])
  await expectLooks(page, 'automation-empty')
  for (const rule of [CALL_BACK, NEVER, PACK]) {
    const accountUUID = new URL(page.url()).searchParams.get('accountUUID')
    const sent = { data: { ...rule, accountUUID }, headers: { origin: server.origin } }
    await page.request.post(`${server.origin}/api/automation`, sent)
  }
  await page.reload()
  await expect(page.getByRole('article')).toHaveCount(3)
  await expectLooks(page, 'automation-list')
  await page.getByRole('button', { name: 'Preview: Call back' }).click()
  await expect(page.getByRole('region', { name: 'Preview', exact: true })).toBeVisible()
  await expectLooks(page, 'automation-preview')
  await page
    .getByRole('region', { name: 'Preview', exact: true })
    .getByRole('button', { name: 'The last 30 days' })
    .click()
  await expect(page.getByRole('region', { name: 'The last 30 days' })).toContainText(
    'In the last 30 days this automation',
  )
  await expectLooks(page, 'automation-backtest')
  await page.getByRole('button', { name: 'Run Now: Never matches' }).click()
  await expect(page.getByRole('alertdialog')).toBeVisible()
  await keepPicture(page, '.cache/screens/automation-not-met.png')
})

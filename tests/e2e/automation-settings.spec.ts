// Limits for all automations, and a customer who wants no messages: set, seen where they matter, taken back.
import { mkdirSync } from 'node:fs'
import type { BrowserContext, Page } from '@playwright/test'
import { collectComplaints, expect, expectAccessible, keepPicture, openSignedIn, type Server, test } from './stage.ts'

interface Stage {
  page: Page
  context: BrowserContext
  server: Server
}

const TEXT = {
  name: 'Text the customer',
  triggerSource: 'webhook',
  object: 'job',
  triggerType: 'job_updated',
  conditions: [{ field: 'contact_mobile', operator: 'is_not_empty', value: '' }],
  actions: [
    { type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: 'Job {entry.0.generated_job_id}' } },
  ],
}

async function open({ page, context, server }: Stage) {
  await openSignedIn(context, page, server)
  const accountUUID = new URL(page.url()).searchParams.get('accountUUID') ?? ''
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`${server.origin}${path}`, { data, headers: { origin: server.origin } })
    expect(answer.ok(), await answer.text()).toBe(true)
    return answer.json()
  }
  const { id } = await post('/api/automation', { ...TEXT, accountUUID })
  return {
    at: (path: string) => `${server.origin}${path}?accountUUID=${accountUUID}`,
    runNow: () => post(`/api/automation/${id}/run`, {}),
  }
}

const says = (page: Page, words: string | RegExp) =>
  expect(page.getByText(words).filter({ visible: true }).first()).toBeVisible()

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })
    // The checker is itself a script.
    const expectReadable = (page: Page) => (javaScriptEnabled ? expectAccessible(page) : Promise.resolve())

    test('limits are set and seen, and a customer is left in peace and allowed again', async ({
      page,
      context,
      server,
    }) => {
      const complaints = collectComplaints(page)
      const { at, runNow } = await open({ page, context, server })
      await page.goto(at('/automation'))
      await says(page, 'Quiet hours: 20:00–08:00 where asked.')
      await page.getByRole('link', { name: 'Settings', exact: true }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Automation settings' })).toBeVisible()
      await expectReadable(page)

      // What is not right is said beside its field, which has the focus; the rest stays as typed.
      await page.getByLabel('Ask me above this many an hour').fill('plenty')
      await page.getByLabel('Days between messages to one number or e-mail').fill('7')
      await page.getByRole('button', { name: 'Save settings' }).click()
      await says(page, 'Enter a number.')
      await expect(page.getByLabel('Ask me above this many an hour')).toBeFocused()
      await expect(page.getByLabel('Days between messages to one number or e-mail')).toHaveValue('7')
      await expectReadable(page)

      await page.getByLabel('Ask me above this many an hour').fill('20')
      await page.getByLabel('For all automations').check()
      await page.getByLabel('From', { exact: true }).fill('00:00')
      await page.getByLabel('Until', { exact: true }).fill('23:59')
      await page.getByLabel('Staff messages and e-mail signatures').selectOption({ index: 2 })
      await page.getByRole('button', { name: 'Save settings' }).click()
      await says(page, 'Settings saved')
      await expect(page.getByLabel('For all automations')).toBeChecked()
      await expect(page.getByLabel('Ask me above this many an hour')).toHaveValue('20')
      await says(page, /Set: quiet hours 00:00 to 23:59, for all automations; at least 7 days between/)

      // They stand where the rules are, and in the form of each.
      await page.getByRole('link', { name: 'Back to automations' }).click()
      await says(page, /^Your limits: quiet hours 00:00 to 23:59, for all automations/)

      // A run says until when its message waits.
      await runNow()
      await page.goto(at('/automation/runs'))
      await page.getByRole('list', { name: 'Runs' }).getByRole('link').first().click()
      await says(page, /Waits until your quiet hours end: (today|tomorrow), 23:59/)
      await expectReadable(page)
      await page.getByRole('button', { name: 'Stop messages to this customer' }).click()
      await says(page, 'Messages stopped')
      await says(page, 'Gets no automatic messages.')

      await page.getByRole('link', { name: 'Change quiet hours and limits' }).click()
      const muted = page.getByRole('region', { name: 'No messages to' })
      await expect(muted.getByText(/stopped this/)).toBeVisible()
      await expectReadable(page)
      await muted.getByRole('button', { name: /^Allow again: / }).click()
      await says(page, 'Messages allowed again')
      await says(page, 'No blocked customers')
      expect(complaints).toEqual([])
    })
  })
}

test('the page fits a phone and a desk, by day and by night', async ({ page, context, server }) => {
  const { at, runNow } = await open({ page, context, server })
  await runNow()
  await page.goto(at('/automation/runs'))
  await page.getByRole('list', { name: 'Runs' }).getByRole('link').first().click()
  await page.getByRole('button', { name: 'Stop messages to this customer' }).click()
  await says(page, 'Gets no automatic messages.')
  const run = page.url()
  mkdirSync('test-results/automation-settings', { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      for (const [name, address] of [
        ['settings', at('/automation/settings')],
        ['run', run],
        ['automations', at('/automation')],
      ] as const) {
        await page.goto(address)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        const spare = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        expect([name, width, spare <= 0]).toEqual([name, width, true])
        await keepPicture(page, `test-results/automation-settings/${name}-${width}-${colorScheme}.png`)
        if (name === 'settings') await expectAccessible(page)
      }
    }
  }
})

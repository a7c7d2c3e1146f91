// When an automation fails: its owner is told by e-mail, follows the link to the run, mends the automation, and is told that
// it works again.
import type { BrowserContext, Page } from '@playwright/test'
import {
  collectComplaints,
  expect,
  expectAccessible,
  FIRM,
  keepPicture,
  openSignedIn,
  type Server,
  test,
} from './stage.ts'

const onTop = (page: Page) => page.getByRole('region', { name: 'Notices', exact: true })
const form = (page: Page) => page.locator('#automation-form')

/** Signed in, with an automation that tells a system which answers 404. */
async function brokenRule(page: Page, context: BrowserContext, server: Server) {
  await openSignedIn(context, page, server)
  const accountUUID = new URL(page.url()).searchParams.get('accountUUID') ?? ''
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`${server.origin}${path}`, { data, headers: { origin: server.origin } })
    expect(answer.ok(), await answer.text()).toBe(true)
    return answer.json()
  }
  const url = `${server.origin}/sandbox/receiver/office?status=404`
  const rule = {
    ...{ name: 'Tell the office', triggerSource: 'webhook', object: 'job', triggerType: 'job_updated', accountUUID },
    actions: [{ type: 'send_notification', parameters: { notificationType: 'webhook', url, message: 'event=done' } }],
  }
  const { id } = await post('/api/automation', rule)
  return {
    automations: `${server.origin}/automation?accountUUID=${accountUUID}`,
    runNow: () => post(`/api/automation/${id}/run`, {}),
  }
}

async function passAMinute(page: Page, server: Server): Promise<void> {
  await page.goto(`${server.origin}/sandbox`)
  await page.getByRole('button', { name: 'Move the clock forward by 1 minute' }).click()
  await expect(page.getByText('The clock moved forward by 1 minute')).toBeVisible()
}

/** The outbox once it holds a mail with that subject. */
async function openMail(page: Page, server: Server, subject: string): Promise<void> {
  await page.goto(`${server.origin}/sandbox`)
  const outbox = page.getByRole('region', { name: FIRM }).getByRole('link', { name: /outbox/i })
  const address = new URL((await outbox.first().getAttribute('href')) ?? '', server.origin).href
  await expect(async () => {
    await page.goto(address)
    await expect(page.getByRole('heading', { name: `“${subject}”` })).toHaveCount(1, { timeout: 300 })
  }).toPass({ timeout: 30_000 })
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('the owner goes from the mail to the run, mends the automation, and hears that it works', async ({
      page,
      context,
      server,
    }) => {
      const complaints = collectComplaints(page)
      const { automations, runNow } = await brokenRule(page, context, server)
      await runNow()
      await passAMinute(page, server)
      await openMail(page, server, 'Tell the office failed')
      const mail = (await page.getByRole('main').textContent()) ?? ''
      const link = /Open it: (http\S+\/automation\/runs\/\d+\?accountUUID=[\w-]+)/.exec(mail)?.[1] ?? ''
      expect(link).not.toBe('')

      await page.goto(automations)
      await expect(onTop(page)).toContainText(/Tell the office failed .*Step 1, Send Notification/)
      if (javaScriptEnabled) await expectAccessible(page)
      await keepPicture(page, '.cache/screens/rule-notices.png')

      await page.goto(link)
      await expect(page.getByText('404').first()).toBeVisible()
      await page.getByRole('link', { name: 'Edit the automation' }).click()
      const address = form(page).getByLabel('Address', { exact: true })
      await expect(form(page).getByRole('button', { name: 'Update Automation' }).first()).toBeVisible()
      // A finished step is one line until it is opened.
      if (!(await address.isVisible())) await form(page).locator('summary', { hasText: 'Notify another' }).click()
      await address.fill(`${server.origin}/sandbox/receiver/office`)
      await form(page).getByRole('button', { name: 'Update Automation' }).first().click()
      await expect(page.getByText('Automation updated').first()).toBeVisible()

      await runNow()
      await passAMinute(page, server)
      await openMail(page, server, 'Tell the office works again')
      await page.goto(automations)
      await expect(onTop(page)).toContainText('Tell the office works again')
      await onTop(page).getByRole('button', { name: 'Dismiss: Tell the office works again' }).click()
      await expect(onTop(page)).toHaveCount(0)
      expect(complaints).toEqual([])
    })
  })
}

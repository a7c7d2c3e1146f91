// What stands beside a long form on a desk: the preview in sight, and the list never behind it.
import { expect, openSignedIn, test } from './stage.ts'

const RULES = [1, 2, 3, 4, 5, 6].map((number) => ({
  name: `Rule ${number}`,
  triggerSource: 'webhook',
  object: 'job',
  triggerType: 'job_status',
  actions: [{ type: 'create_task', parameters: { title: `Ring ${number}` } }],
}))

test('at 1280 by 800 the preview and every card can be seen, whatever is written', async ({
  page,
  context,
  server,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await openSignedIn(context, page, server)
  const address = new URL(page.url())
  address.pathname = '/automation'
  await page.goto(address.href)
  await page.getByText('Import Automation').last().click()
  await page.getByLabel('Paste JSON').fill(JSON.stringify({ rules: RULES }))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Rule 6 (Imported)' })).toBeVisible()

  const form = page.locator('#automation-form')
  await form.getByLabel('Automation Name').fill('Long')
  await form.getByLabel('Webhook Subscription').selectOption({ label: 'Job' })
  await form.getByLabel('Trigger Type').selectOption({ label: 'Anything about it changes' })
  for (let step = 0; step < 5; step += 1) {
    await form.locator('#add-step').click()
    await form.getByRole('button', { name: 'Send Email' }).click()
  }
  const preview = page.getByRole('complementary', { name: 'Preview of the automation in the form' })
  await expect(preview).toBeVisible()

  const inSight = () =>
    page.evaluate(() => {
      const pane = document.querySelector('aside[aria-label^="Preview"]')?.getBoundingClientRect()
      const list = document.getElementById('beside-form')?.getBoundingClientRect()
      return { preview: pane?.bottom ?? 0, list: list?.top ?? 0, left: window.innerHeight - (list?.top ?? 0) }
    })
  for (const part of [0.3, 0.6, 0.9]) {
    await page.evaluate((at) => window.scrollTo(0, document.body.scrollHeight * at), part)
    const { preview: bottom, list, left } = await inSight()
    expect(bottom).toBeLessThanOrEqual(list)
    expect(left).toBeGreaterThan(250)
    await expect(preview).toBeInViewport()
    await page.screenshot({ path: test.info().outputPath(`at-${part * 10}.png`) })
  }
  for (const rule of RULES) {
    const card = page.getByRole('article', { name: `${rule.name} (Imported)` })
    const edit = card.getByRole('link', { name: /^Edit / }).or(card.getByRole('button', { name: /^Edit / }))
    await edit.first().scrollIntoViewIfNeeded()
    await edit.first().click({ trial: true })
  }
  await page.screenshot({ path: test.info().outputPath('list-end.png') })
})

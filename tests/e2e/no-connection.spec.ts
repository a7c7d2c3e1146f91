// A phone with bad reception, and a session that ends elsewhere: no form loses what was typed.
import type { Page } from '@playwright/test'
import { DEMO_RECEIVER, expect, openSignedIn, test } from './stage.ts'

const LOST = 'No connection. It may not have been done. Check, then try again.'

/** Each form: its page, what a person types into, and the button that sends it. */
const FORMS = [
  { name: 'settings', path: '/automation/settings', field: 'From', typed: '21:30', button: 'Save settings' },
  { name: 'mail', path: '/fieldhook', opens: 'Notices by e-mail', field: 'Days we are closed', typed: '2026-12-24' },
  { name: 'address', path: '/fieldhook', opens: 'Add another address', field: 'Rule name', typed: 'Accounts' },
  { name: 'template', path: '/automation/templates/16', field: 'Review link', typed: 'https://a.example/r' },
] as const

const BUTTONS = { mail: 'Save: notices by e-mail', address: 'Add address', template: 'Turn on', settings: '' } as const

for (const form of FORMS) {
  test(`${form.name}: a press without network or session keeps what was typed`, async ({ page, context, server }) => {
    await openSignedIn(context, page, server)
    const address = new URL(page.url())
    address.pathname = form.path
    await page.goto(address.href, { waitUntil: 'networkidle' })
    const field = page.getByRole('main').getByLabel(form.field, { exact: true })
    const press = () => page.getByRole('button', { name: 'button' in form ? form.button : BUTTONS[form.name] }).click()
    if ('opens' in form) await page.locator('summary').filter({ hasText: form.opens }).click()
    await field.fill(form.typed)
    if (form.name === 'address') await fillAddress(page, `${server.origin}${DEMO_RECEIVER}`)
    await context.setOffline(true)
    if (form.name === 'template') await expect(page.getByText('No connection. The preview is old.')).toBeVisible()
    await press()
    await expect(page.getByRole('main').getByText(LOST).first()).toBeVisible()
    await expect(field).toHaveValue(form.typed)
    await context.setOffline(false)
    const cookies = await context.cookies()
    await context.clearCookies()
    await press()
    await expect(page.getByText('We keep the unsaved text of this tab.')).toBeVisible()
    await context.addCookies(cookies)
    await page.goto(address.href, { waitUntil: 'networkidle' })
    await expect(field).toBeVisible()
    await expect(field).toHaveValue(form.typed)
    await press()
    if (form.name === 'template') await page.waitForURL(/\/automation\?/)
    else await expect(page.getByText(/^(Changes not saved|We kept what you typed\.)$/)).toHaveCount(0)
    await page.goto(address.href, { waitUntil: 'networkidle' })
    await expect(page.getByText(/^(Changes not saved|We kept what you typed\.)$/)).toHaveCount(0)
  })
}

async function fillAddress(page: Page, url: string): Promise<void> {
  const rule = page.locator('form').filter({ has: page.getByLabel('Rule name') })
  await rule.getByLabel('Object', { exact: false }).first().selectOption({ index: 1 })
  await rule.locator('input[type=url]').fill(url)
}

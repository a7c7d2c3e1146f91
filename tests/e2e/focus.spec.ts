// Every button of the lists and their details, found on the page itself, so that a new one is not missed: after each press
// the keyboard's focus is somewhere, and the page is still there.
import type { Page } from '@playwright/test'
import { furnish, type Screen, signInFirm } from '#lab/screens/screens.ts'
import { expect, test } from './stage.ts'

const SCREENS = [
  'deliveries',
  'delivery',
  'activity',
  'automations',
  'runs',
  'run',
  'runs-upcoming',
  'automation-settings',
]
/** Leaves the page for another one of the browser's: nothing of ours has the focus then. */
const LEAVES = /\(opens in a new tab\)|^Export|^Download/

const buttonsOf = (page: Page) => page.getByRole('main').locator('button:visible:not([aria-disabled=true]):enabled')

async function namesOf(page: Page): Promise<string[]> {
  const names = await buttonsOf(page).evaluateAll((all) =>
    all.map((one) => one.getAttribute('aria-label') ?? (one.textContent ?? '').trim()),
  )
  return [...new Set(names)].filter((name) => name !== '' && !LEAVES.test(name))
}

async function pressEvery(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: 'networkidle' })
  const names = await namesOf(page)
  let pressed = 0
  for (const name of names) {
    const button = page.getByRole('main').getByRole('button', { name, exact: true }).first()
    // A press may have changed what is on the page.
    if (!(await button.isVisible())) await page.goto(address, { waitUntil: 'networkidle' })
    if (!(await button.isVisible())) continue
    await button.focus()
    await page.keyboard.press('Enter')
    await page.waitForLoadState('networkidle')
    const said = `after “${name}” of ${address}`
    await expect(page.getByRole('heading', { name: '404 Page Not Found' }), said).toHaveCount(0)
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), { message: said }).not.toBe('BODY')
    await page.keyboard.press('Escape')
    pressed++
  }
  return pressed
}

test('the focus is somewhere after every button of the lists and their details', async ({ page, context, server }) => {
  test.setTimeout(240_000)
  const account = await signInFirm(context.request, server)
  const newcomer = await signInFirm(context.request, server, 1)
  const screens: Screen[] = await furnish(context.request, server, account, newcomer)
  for (const { name, path } of screens.filter((screen) => SCREENS.includes(screen.name)))
    expect(await pressEvery(page, server.origin + path), name).toBeGreaterThan(0)
})

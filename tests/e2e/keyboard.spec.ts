// Two of the three journeys that matter, by keys alone and as somebody hears them who listens to the page. The third, an automation, is
// in rule-by-hand.spec.ts. docs/accessibility.md tells all three.
import type { Locator, Page } from '@playwright/test'
import { DEMO_RECEIVER, expect, FIRM, openAddOn, test } from './stage.ts'
import { openSubscription } from './subscription-stage.ts'

/** Presses Tab until it is there; every stop on the way can be seen. Gives the number of stops. */
async function tabTo(page: Page, target: Locator, most = 40): Promise<number> {
  for (let stops = 1; stops <= most; stops++) {
    await page.keyboard.press('Tab')
    const ring = await page.evaluate(() => {
      const at = document.activeElement
      if (!at || at === document.body || at.tagName === 'IFRAME') return 'elsewhere'
      const { outlineStyle, outlineWidth } = getComputedStyle(at)
      return at.matches(':focus-visible') && outlineStyle !== 'none'
        ? outlineWidth
        : `none at ${at.outerHTML.slice(0, 80)}`
    })
    expect(ring).toMatch(/^(elsewhere|[1-9][\d.]*px)$/)
    if (await target.evaluate((element) => element === document.activeElement)) return stops
  }
  throw new Error(`the keyboard does not get to ${target}`)
}

test('by keys alone: from the gate to a forwarded event, and to the card form', async ({ page, context, server }) => {
  await openAddOn(page, server)
  const opened = context.waitForEvent('page')
  await tabTo(page, page.getByRole('link', { name: /^Sign in with ServiceM8/ }), 5)
  await page.keyboard.press('Enter')
  const tab = await opened
  await tabTo(tab, tab.getByRole('radio').first())
  // Arrows move within a group; the firm may be the first.
  for (let tries = 0; tries < 5 && !(await tab.getByRole('radio', { name: FIRM }).isChecked()); tries++)
    await tab.keyboard.press(tries === 0 ? ' ' : 'ArrowDown')
  await tabTo(tab, tab.getByRole('button', { name: 'Allow' }))
  await tab.keyboard.press('Enter')
  await expect(tab.getByRole('heading', { name: 'Create New Webhook' })).toBeVisible()
  // Heard on arrival: where one is, how things stand, what to do.
  await expect(tab.getByRole('main')).toMatchAriaSnapshot(`
    - heading "Webhook Manager" [level=1]
    - paragraph: No webhooks yet. Create the first one and events appear here.
    - region "First steps":
      - heading "First steps" [level=2]
      - list:
        - listitem: Create a webhook
        - listitem: Change a job in ServiceM8
        - listitem: Choose an automation
  `)
  // The first stop of every page leads past its head.
  await tab.reload()
  expect(await tabTo(tab, tab.getByRole('link', { name: /^Skip to/ }))).toBe(1)
  await tab.keyboard.press('Enter')
  await tabTo(tab, tab.getByLabel('Callback URL'))
  await tab.keyboard.type(server.origin + DEMO_RECEIVER)
  await tabTo(tab, tab.getByLabel('Object type', { exact: true }), 2)
  await tab.keyboard.type('Job')
  await tab.keyboard.press('Enter')
  await tabTo(tab, tab.getByRole('button', { name: 'Create webhook' }), 15)
  await tab.keyboard.press('Enter')
  const heard = tab.locator('[aria-live]')
  await expect(heard.filter({ hasText: 'Webhook created successfully!' }).first()).toBeAttached()
  await tabTo(tab, tab.getByRole('button', { name: 'Send test event to Job webhook' }), 60)
  await tab.keyboard.press('Enter')
  await expect(tab.getByText(/Test webhook sent/).first()).toBeVisible()
  // A test is no change in ServiceM8.
  const steps = tab.getByRole('region', { name: 'First steps' })
  await expect(steps.getByRole('listitem').filter({ hasText: '(done)' })).toHaveText(['Create a webhook (done)'])

  const account = new URL(tab.url()).searchParams.get('accountUUID') ?? ''
  await openSubscription(tab, server, account)
  await tabTo(tab, tab.getByRole('button', { name: /^Upgrade Now/ }))
  await tab.keyboard.press('Enter')
  const number = tab.getByLabel('Card number')
  await expect(number).toBeVisible()
  // Focus stays in the page, before what has just opened.
  await expect.poll(() => tab.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
  for (const [label, text] of [
    ['Card number', '4242424242424242'],
    ['Expiry date', '1240'],
    ['CVC', '123'],
    ['Postcode', 'SW1A 1AA'],
  ] as const) {
    if (!(await tab.getByLabel(label).evaluate((field) => field === document.activeElement)))
      await tabTo(tab, tab.getByLabel(label), 8)
    await tab.keyboard.type(text)
  }
  await tab.keyboard.press('Enter')
  await expect(tab.getByText('Your subscription is now active!').first()).toBeVisible()
})

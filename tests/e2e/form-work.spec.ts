// The rule form around its fields: work that is not saved, what stays in sight, blanks of a template, and a text to try.
import type { BrowserContext, Page } from '@playwright/test'
import {
  createWebhook,
  DEMO_RECEIVER,
  expect,
  expectAccessible,
  FIRM,
  openSignedIn,
  type Server,
  signIn,
  test,
} from './stage.ts'

const form = (page: Page) => page.locator('#automation-form')
const name = (page: Page) => form(page).getByLabel('Automation Name')
const says = (page: Page, words: string | RegExp) => expect(page.getByText(words).first()).toBeVisible()
const toLibrary = (page: Page) =>
  page.getByRole('navigation', { name: 'Automations' }).getByRole('link', { name: 'Template Library' }).click()
const alive = (page: Page) => expect(form(page).getByRole('button', { name: 'Continue' })).toHaveCount(0)

async function openAutomations(page: Page, context: BrowserContext, server: Server): Promise<URL> {
  await openSignedIn(context, page, server)
  const address = new URL(page.url())
  address.pathname = '/automation'
  await page.goto(address.href)
  await expect(form(page)).toBeVisible()
  return address
}

async function writeSms(page: Page): Promise<void> {
  const of = form(page)
  await name(page).fill('Tell them it is done')
  await of.getByLabel('Webhook Subscription').selectOption({ label: 'Job' })
  await of.getByLabel('Trigger Type').selectOption({ label: 'It is created' })
  await of.locator('#add-step').click()
  await of.getByRole('button', { name: 'Send SMS' }).click()
  await of.getByLabel('Message', { exact: true }).fill('Hi {entry.0.contact_first_name or "there"}, we are done.')
}

test('what is typed is there again: after the tabs, Back, another place, a reload; not after Discard', async ({
  page,
  context,
  server,
}) => {
  await openAutomations(page, context, server)
  await alive(page)
  await writeSms(page)
  const back = async () => {
    await expect(name(page)).toHaveValue('Tell them it is done')
    await expect(form(page).getByLabel('Message', { exact: true })).toHaveValue(/we are done\.$/)
  }
  await toLibrary(page)
  await expect(page.getByRole('heading', { name: 'Create Automation' })).toHaveCount(0)
  await page.goBack()
  await back()
  await toLibrary(page)
  await page.getByRole('link', { name: 'Your Automations' }).click()
  await back()
  const places = page.getByRole('navigation', { name: 'Fieldhook' })
  await places.getByRole('link', { name: 'History' }).click()
  await expect(form(page)).toHaveCount(0)
  await places.getByRole('link', { name: 'Automations' }).click()
  await back()
  await page.reload()
  await back()
  await says(page, 'Not saved yet')
  await form(page).getByRole('button', { name: 'Discard' }).click()
  await expect(name(page)).toHaveValue('')
  await expect(name(page)).toBeFocused()
  await page.reload()
  await alive(page)
  await expect(name(page)).toHaveValue('')
})

test('when the session is over, the gate names the page, and signing in brings back what was typed', async ({
  page,
  context,
  server,
}) => {
  const address = await openAutomations(page, context, server)
  await alive(page)
  await writeSms(page)
  await context.clearCookies()
  await form(page).getByRole('button', { name: 'Create Automation' }).click()
  await expect(page.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
  await says(page, 'Sign in to continue to Automations.')
  await says(page, 'We keep the unsaved text of this tab.')
  await expectAccessible(page)
  const manager = await context.newPage()
  await manager.goto(`${server.origin}/fieldhook?accountUUID=${address.searchParams.get('accountUUID')}`)
  await signIn(context, manager)
  await manager.close()
  await page.reload()
  await expect(name(page)).toHaveValue('Tell them it is done')
  await expect(form(page).getByLabel('Message', { exact: true })).toHaveValue(/we are done\.$/)
})

test('when the session is over, a webhook that was typed is there again after the sign-in', async ({
  page,
  context,
  server,
}) => {
  await openSignedIn(context, page, server)
  await createWebhook(page, { url: `${server.origin}${DEMO_RECEIVER}`, object: 'Job' })
  await says(page, 'Webhook created successfully!')
  await context.clearCookies()
  await createWebhook(page, { url: 'https://hooks.example.com/notes', object: 'Note' })
  await expect(page.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
  await says(page, 'We keep the unsaved text of this tab.')
  await expectAccessible(page)
  await signIn(context, page)
  const create = page.getByRole('region', { name: 'Create New Webhook' })
  await expect(create.getByLabel('Callback URL')).toHaveValue('https://hooks.example.com/notes')
  await expect(create.getByLabel('Object type', { exact: true })).toHaveValue('note')
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a name that was typed is there again after Back', async ({ page, context, server }) => {
    await openAutomations(page, context, server)
    await name(page).fill('Typed by hand')
    await toLibrary(page)
    await page.goBack()
    await expect(name(page)).toHaveValue('Typed by hand')
  })

  test('parts close to one line, the sentence and the bar lead on, Discard brings back what is stored', async ({
    page,
    context,
    server,
  }) => {
    const address = await openAutomations(page, context, server)
    const made = await page.request.post(`${server.origin}/api/automation`, {
      data: {
        accountUUID: address.searchParams.get('accountUUID'),
        name: 'Ring them',
        triggerSource: 'webhook',
        object: 'job',
        triggerType: 'job_created',
        actions: [{ type: 'create_task', parameters: { title: 'Ring' } }],
      },
      headers: { origin: server.origin },
    })
    const { id } = (await made.json()) as { id: number }
    await page.goto(`${address.href}&edit=${id}`)
    const of = form(page)
    await expect(of.getByLabel('Trigger Type')).toBeHidden()
    await expect(of.getByRole('link', { name: 'When a job is created' })).toHaveAttribute('href', '#part-when')
    await of.locator('#part-when').click()
    await expect(of.getByLabel('Trigger Type')).toBeVisible()
    await of.getByLabel('Trigger Type').selectOption({ label: 'Anything about it changes' })
    await of.getByRole('button', { name: 'Continue' }).click()
    // The part in which the button was pressed stays open.
    await expect(of.getByLabel('Trigger Type')).toBeVisible()
    await says(page, 'Changes not saved')
    await of.getByRole('button', { name: 'Discard' }).click()
    await expect(of.getByRole('link', { name: 'When a job is created' })).toBeVisible()
  })
})

test('a template has one thing to fill in, and one press turns it on', async ({ page, context, server }) => {
  await openAutomations(page, context, server)
  await page.goto(`${page.url()}&copy=10`)
  await alive(page)
  const blank = form(page).getByLabel('Business name', { exact: true })
  await expect(blank).toHaveValue(FIRM)
  for (const box of await form(page).locator('input[name^="b."]').all()) {
    if ((await box.inputValue()) === '') await box.fill('0113 496 0000')
  }
  await form(page).getByRole('button', { name: 'Create and turn on' }).click()
  await says(page, 'Automation created')
  await expect(page.getByRole('switch', { name: /^Active: / }).first()).toBeChecked()
})

for (const width of [320, 375, 1280]) {
  test(`at ${width} px nothing that has the focus is under the sentence or the bar`, async ({
    page,
    context,
    server,
  }) => {
    await page.setViewportSize({ width, height: 700 })
    await openAutomations(page, context, server)
    await alive(page)
    await writeSms(page)
    const of = form(page)
    await name(page).focus()
    let stops = 0
    for (; stops < 60; stops += 1) {
      await page.keyboard.press('Tab')
      const hidden = await page.evaluate(() => {
        const at = document.activeElement
        if (!at?.closest('#automation-form')) return 'left'
        const box = at.getBoundingClientRect()
        // A radio button is as large as its tile.
        const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height / 2, 20)]
        const top = document.elementFromPoint(x, y)
        const own = at.contains(top) || top?.contains(at) || at.closest('label')?.contains(top ?? null)
        return own ? '' : `${at.outerHTML.slice(0, 90)} is under ${top?.outerHTML.slice(0, 60)}`
      })
      if (hidden === 'left') break
      expect(hidden).toBe('')
    }
    expect(stops).toBeGreaterThan(10)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
    // The last control of the form is not under the bar.
    const active = of.getByLabel('Active')
    await active.scrollIntoViewIfNeeded()
    await active.click({ trial: true })
    if (width >= 1024) return
    const peek = of.locator('a[data-peek]')
    await expect(peek).toContainText('→ 1 text')
    expect((await peek.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await peek.click()
    const sheet = page.getByRole('dialog', { name: 'Live preview' })
    await expect(sheet).toContainText(/Hi \w+, we are done\./)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(sheet).toHaveCount(0)
  })
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('the previewed text goes to the own phone, and not to the customer', async ({ page, context, server }) => {
      const address = await openAutomations(page, context, server)
      const accountUUID = address.searchParams.get('accountUUID') ?? ''
      const staff = await page.request.get(`${server.origin}/api/servicem8/staff/${accountUUID}`)
      const [first] = (await staff.json()) as { uuid: string }[]
      // A sign-in in a browser names nobody: not even the sender of the settings gets it.
      await page.request.fetch(`${server.origin}/api/automation-settings?accountUUID=${accountUUID}`, {
        method: 'PUT',
        data: { senderStaffUuid: first?.uuid },
        headers: { origin: server.origin },
      })
      const of = form(page)
      if (javaScriptEnabled) {
        await alive(page)
        await writeSms(page)
      } else {
        await name(page).fill('Tell them it is done')
        await of.getByRole('button', { name: 'Continue' }).first().click()
        await of.getByLabel('Webhook Subscription').selectOption({ label: 'Job' })
        await of.getByRole('button', { name: 'Continue' }).click()
        await of.getByLabel('Trigger Type').selectOption({ label: 'It is created' })
        await of.locator('#add-step').click()
        await of.getByRole('button', { name: 'Send SMS' }).click()
        await of.getByLabel('Message', { exact: true }).fill('Hi {entry.0.contact_first_name or "there"}, we are done.')
        await page.getByRole('button', { name: 'Preview', exact: true }).first().click()
      }
      const pane = page.getByRole('complementary', { name: 'Preview of the automation in the form' })
      await expect(pane).toContainText(/Hi \w+, we are done\./)
      await pane.getByRole('button', { name: 'Text this to my own phone' }).click()
      await says(page, /^Enter your mobile number/)
      await pane.getByLabel('Your mobile number').fill('+447700900777')
      await pane.getByRole('button', { name: 'Text this to my own phone' }).click()
      await says(page, 'Texted your phone')
      await expect(name(page)).toHaveValue('Tell them it is done')
      await page.goto(`${server.origin}/sandbox`)
      const outbox = page.getByRole('region', { name: FIRM }).getByRole('link', { name: /outbox/i })
      await page.goto(new URL((await outbox.first().getAttribute('href')) ?? '', server.origin).href)
      await expect(page.getByRole('main').getByText(/, we are done\./)).toHaveCount(1)
    })
  })
}

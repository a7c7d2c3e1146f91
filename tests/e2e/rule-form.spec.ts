import { gzipSync } from 'node:zlib'
import type { BrowserContext, Locator, Page } from '@playwright/test'
import { collectComplaints, expect, expectLooks, openSignedIn, type Server, test } from './stage.ts'

const says = (page: Page, words: string | RegExp) => expect(page.getByText(words).first()).toBeVisible()
const form = (page: Page) => page.locator('#automation-form')
const action = (page: Page, number: number) => form(page).getByRole('listitem', { name: `Action ${number}` })
const condition = (page: Page, number: number) => form(page).getByRole('listitem', { name: `Condition ${number}` })
const press = (page: Page, name: string | RegExp) =>
  form(page).getByRole('button', { name, exact: true }).first().click()

/** Opens the menu of actions, unless a save without an action did, and takes one. */
async function addStep(page: Page, label: string): Promise<void> {
  const item = form(page).getByRole('button', { name: label, exact: true })
  if (!(await item.isVisible())) await form(page).locator('#add-step').click()
  await item.click()
}

async function openAutomations(page: Page, context: BrowserContext, server: Server): Promise<void> {
  await openSignedIn(context, page, server)
  const address = new URL(page.url())
  address.pathname = '/automation'
  await page.goto(address.href)
  await expect(form(page)).toBeVisible()
}

/** A form that is ready for hands: alive, or drawn by the server alone. */
async function ready(page: Page, scripts: boolean): Promise<void> {
  const offered = form(page).getByRole('button', { name: 'Continue' })
  if (scripts) await expect(offered).toHaveCount(0)
  else await expect(offered.first()).toBeVisible()
}

/** Counts presses and choices, as a person makes them; typing is none. */
function counted() {
  let clicks = 0
  return {
    clicks: () => clicks,
    async press(target: Locator) {
      clicks += 1
      await target.click()
    },
    async choose(target: Locator, label: string) {
      clicks += 1
      await target.selectOption({ label })
    },
    async type(target: Locator, text: string) {
      clicks += 1
      await target.fill(text)
    },
  }
}

/** What can be filled in or pressed in the form, without the links of its sentence; and the words of the page. */
async function expectShort(page: Page): Promise<void> {
  const seen = await form(page).evaluate((element) => {
    const count = (text: string) => text.split(/\s+/).filter(Boolean).length
    // Of a closed list, one choice is in sight.
    const unseen = [...document.querySelectorAll<HTMLSelectElement>('main select')].filter((one) =>
      one.checkVisibility(),
    )
    const hidden = unseen.map((one) => count(one.innerText) - count(one.selectedOptions[0]?.label ?? ''))
    return {
      controls: [...element.querySelectorAll('input:not([type=hidden]), select, textarea, button, summary')]
        .filter((one) => one.checkVisibility({ visibilityProperty: true }))
        .map((one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').trim() || one.getAttribute('name')),
      words: count(document.querySelector('main')?.innerText ?? '') - hidden.reduce((sum, one) => sum + one, 0),
    }
  })
  expect(seen.controls.length, seen.controls.join(' | ')).toBeLessThanOrEqual(16)
  expect(seen.words).toBeLessThanOrEqual(450)
}

const NAME = 'Tell them it is done'
const TEXT = 'Hi {entry.0.contact_first_name or "there"}, your job is done.'

test.describe('with JavaScript', () => {
  test('a new user has a text sent when a job is completed, in at most 8 clicks', async ({ page, context, server }) => {
    const complaints = collectComplaints(page)
    await openAutomations(page, context, server)
    await ready(page, true)
    const hand = counted()
    const of = form(page)
    await hand.type(of.getByLabel('Automation Name'), NAME)
    await hand.choose(of.getByLabel('Webhook Subscription'), 'Job')
    await hand.choose(of.getByLabel('Trigger Type'), 'Its status changes')
    await hand.choose(of.getByLabel('Only when it becomes'), 'Completed')
    await hand.press(of.locator('#add-step'))
    await hand.press(of.getByRole('button', { name: 'Send SMS' }))
    await hand.type(action(page, 1).getByLabel('Message', { exact: true }), TEXT)
    await says(page, 'When a job becomes Completed, text the customer, once per job.')
    await says(page, `${TEXT.length}/1600 characters. Messages over 153 chars use multiple SMS credits.`)
    await hand.press(of.getByRole('button', { name: 'Create Automation' }))
    await says(page, 'Automation created')
    await says(page, NAME)
    expect(hand.clicks()).toBeLessThanOrEqual(8)
    // The form is empty again.
    await expect(of.getByLabel('Automation Name')).toHaveValue('')
    expect(complaints).toEqual([])
  })

  test('a placeholder is picked from the list', async ({ page, context, server }) => {
    await openAutomations(page, context, server)
    await ready(page, true)
    await form(page).getByLabel('Automation Name').fill(NAME)
    await form(page).getByText('Manual Endpoint').click()
    await addStep(page, 'Create Task')
    await action(page, 1).getByRole('button', { name: 'Insert a placeholder into Task Title' }).click()
    await page.getByLabel('Search placeholders').fill('job number')
    await page.getByLabel('Search placeholders').press('Enter')
    await expect(action(page, 1).getByLabel('Task Title', { exact: true })).toHaveValue('{job number}')
    await expect(action(page, 1).getByLabel('Task Title', { exact: true })).toBeFocused()
  })

  test('what is wrong is told before anything is sent, and the page stays small', async ({ page, context, server }) => {
    await openAutomations(page, context, server)
    await ready(page, true)
    const html = await (await page.request.get(page.url())).text()
    let bytes = 0
    // What the page asks for at once; the rest is fetched when it is wanted.
    const links = html.match(/<link[^>]*rel="modulepreload"[^>]*>/g) ?? []
    for (const path of new Set(links.flatMap((link) => link.match(/\/assets\/[\w.-]+\.js/) ?? []))) {
      bytes += gzipSync(await (await page.request.get(`${server.origin}${path}`)).body()).length
    }
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThan(150_500)
    await form(page).getByLabel('Automation Name').fill(NAME)
    await form(page).getByText('Manual Endpoint').click()
    await press(page, 'Create Automation')
    await says(page, 'Form Validation Error')
    await says(page, 'Please check your form for errors: Actions to Execute')
    await says(page, 'At least one action is required')
    await expect(form(page).getByRole('button', { name: 'Create Job', exact: true })).toBeVisible()
    await addStep(page, 'Create Job')
    await press(page, 'Create Automation')
    await says(page, 'Customer is required')
    await says(page, 'Job Status is required')
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the same rule is built, edited, reordered and corrected by round trips', async ({ page, context, server }) => {
    await openAutomations(page, context, server)
    await ready(page, false)
    const of = form(page)
    await of.getByLabel('Automation Name').fill(NAME)
    await press(page, 'Continue')
    await of.getByLabel('Webhook Subscription').selectOption({ label: 'Job' })
    await press(page, 'Continue')
    await of.getByLabel('Trigger Type').selectOption({ label: 'Its status changes' })
    await press(page, 'Continue')
    await of.getByLabel('Only when it becomes').selectOption('Completed')
    await press(page, 'Create Automation')
    await says(page, 'Please check your form for errors: Actions to Execute')
    await says(page, 'A job becomes Completed')
    await addStep(page, 'Send SMS')
    await action(page, 1).getByLabel('Message', { exact: true }).fill(TEXT)
    await addStep(page, 'Update Job Status')
    // What is finished is one line.
    await expect(action(page, 1)).toContainText('Text the customer')
    await expect(action(page, 1).getByLabel('Message', { exact: true })).toBeHidden()
    await action(page, 2).getByLabel('Job Status').selectOption('Unsuccessful')
    await action(page, 2).getByText('Options').click()
    await action(page, 2).getByLabel('Wait for Previous Action').check()
    await action(page, 2).getByRole('button', { name: 'Move action 2 up' }).click()
    await expect(action(page, 1).getByLabel('Job Status')).toHaveValue('Unsuccessful')
    await expect(action(page, 2).getByLabel('Message', { exact: true })).toHaveValue(TEXT)
    await action(page, 1).getByRole('button', { name: 'Remove action 1' }).click()
    await says(page, 'When a job becomes Completed, text the customer, once per job.')
    await press(page, 'Create Automation')
    await says(page, 'Automation created')

    await page
      .getByRole('link', { name: /^Edit/ })
      .or(page.getByRole('button', { name: /^Edit/ }))
      .first()
      .click()
    await expect(of.getByLabel('Automation Name')).toHaveValue(NAME)
    await expect(action(page, 1).getByLabel('Message', { exact: true })).toHaveValue(TEXT)
    await of.getByLabel('Automation Name').fill('')
    await press(page, 'Update Automation')
    await says(page, 'Automation name is required')
    await of.getByLabel('Automation Name').fill('Another name')
    await press(page, 'Continue')
    await press(page, 'Update Automation')
    await says(page, 'Automation updated')
    await says(page, 'Another name')
  })
})

test('a rule is opened, changed, left and saved', async ({ page, context, server }) => {
  await openAutomations(page, context, server)
  await ready(page, true)
  const of = form(page)
  await of.getByLabel('Automation Name').fill(NAME)
  await of.getByText('Scheduled API Check').click()
  await addStep(page, 'Create Task')
  await action(page, 1).getByLabel('Task Title', { exact: true }).fill('Ring {entry.0.company_name}')
  await of.getByText('Also what matches now').click()
  await of.getByLabel('Active').uncheck()
  await press(page, 'Create Automation')
  await says(page, 'Automation created')
  const edit = page
    .getByRole('link', { name: /^Edit/ })
    .or(page.getByRole('button', { name: /^Edit/ }))
    .first()
  await edit.click()
  await expect(of.getByLabel('Automation Name')).toHaveValue(NAME)
  await expect(of.getByLabel('Active')).not.toBeChecked()
  await press(page, 'Cancel Edit')
  await expect(of.getByLabel('Automation Name')).toHaveValue('')
  await edit.click()
  await expect(action(page, 1).getByLabel('Task Title', { exact: true })).toHaveValue('Ring {entry.0.company_name}')
  await of.getByLabel('Automation Name').fill('Ring them')
  await press(page, 'Update Automation')
  await says(page, 'Automation updated')
  await says(page, 'Ring them')

  // On a slow line, what the server drew stays until its scripts are here.
  let letGo = () => {}
  const held = new Promise<void>((done) => {
    letGo = done
  })
  await page.route(/\/assets\/rest-sections/, async (route) => {
    await held
    await route.continue()
  })
  await edit.click()
  await expect(of.getByLabel('Automation Name')).toHaveValue('Ring them')
  const asked = page.waitForRequest(/\/assets\/rest-sections/)
  await page.reload({ waitUntil: 'commit' })
  const title = action(page, 1).getByLabel('Task Title', { exact: true })
  await expect(title).toHaveCount(1)
  await title.evaluate((field) => {
    const told = () => document.contains(field) || Object.assign(window, { torn: true })
    new MutationObserver(told).observe(document.body, { childList: true, subtree: true })
  })
  await asked
  // The part above is at work: React has taken the form over.
  const isTakenOver = () =>
    Object.keys(document.forms.namedItem('automation-form') ?? {}).some((key) => /^__react/.test(key))
  await page.waitForFunction(isTakenOver)
  await page.evaluate(async () => {
    for (let frame = 0; frame < 40; frame++) await new Promise((drawn) => requestAnimationFrame(drawn))
  })
  letGo()
  await ready(page, true)
  expect(await page.evaluate(() => Object.hasOwn(window, 'torn'))).toBe(false)
})

test('the form at each step is accessible and fits the screen', async ({ page, context, server }) => {
  await openAutomations(page, context, server)
  await ready(page, true)
  const of = form(page)
  await expectLooks(page, 'rule-form-empty')
  await of.getByLabel('Automation Name').fill(NAME)
  await of.getByLabel('Webhook Subscription').selectOption({ label: 'Job' })
  await of.getByLabel('Trigger Type').selectOption({ label: 'Its status changes' })
  await of.getByLabel('Only when it becomes').selectOption('Completed')
  await press(page, 'Add Condition')
  await condition(page, 1).getByLabel('Field').selectOption('contact_mobile')
  await condition(page, 1).getByLabel('Operator').selectOption('is_not_empty')
  await addStep(page, 'Create Job')
  await action(page, 1).getByText('Options').click()
  await press(page, 'Add Material')
  await addStep(page, 'Send Email')
  await action(page, 2).getByText('Options').click()
  await action(page, 2).getByLabel('Include attachments').check()
  await addStep(page, 'Send SMS')
  await action(page, 3).getByLabel('Message', { exact: true }).fill('Hi {entry.0.contact_first_name} [[Business name]]')
  await of.getByText('Advanced', { exact: true }).click()
  await action(page, 3).getByRole('button', { name: 'Insert a placeholder into Message' }).click()
  await page.getByLabel('Search placeholders').fill('name')
  await press(page, 'Create Automation')
  await says(page, 'Customer is required')
  await says(page, /^With the values of Job/)
  await expect(page.getByRole('complementary')).toContainText('Fill in Customer and Job Status to see this step.')
  await expectLooks(page, 'rule-form-full')
})

for (const width of [375, 1280]) {
  test(`at ${width} px a rule with one of two actions open has at most 16 controls and 450 words`, async ({
    page,
    context,
    server,
  }) => {
    await page.setViewportSize({ width, height: 800 })
    await openAutomations(page, context, server)
    await ready(page, true)
    const of = form(page)
    await of.getByLabel('Automation Name').fill(NAME)
    await of.getByLabel('Webhook Subscription').selectOption({ label: 'Job' })
    await of.getByLabel('Trigger Type').selectOption({ label: 'Its status changes' })
    await of.getByLabel('Only when it becomes').selectOption('Completed')
    await addStep(page, 'Create Task')
    await action(page, 1).getByLabel('Task Title', { exact: true }).fill('Ring {entry.0.company_name}')
    await addStep(page, 'Send SMS')
    await action(page, 2).getByLabel('Message', { exact: true }).fill(TEXT)
    await expect(page.getByRole('complementary').first()).toContainText('2. Send SMS')
    await expectShort(page)
    // Stored, with a condition, and changed: the longest bar and the most parts.
    await press(page, 'Add Condition')
    await condition(page, 1).getByLabel('Field').selectOption('contact_mobile')
    await condition(page, 1).getByLabel('Operator').selectOption('is_not_empty')
    await press(page, 'Create Automation')
    await says(page, 'Automation created')
    await page
      .getByRole('link', { name: `Edit ${NAME}` })
      .or(page.getByRole('button', { name: `Edit ${NAME}` }))
      .first()
      .click()
    await expect(of.getByRole('button', { name: 'Cancel Edit' })).toBeVisible()
    await action(page, 2).locator('summary').first().click()
    await action(page, 2).getByLabel('Message', { exact: true }).fill(`${TEXT} Thank you!`)
    await expectShort(page)
    await action(page, 2).getByText('Options').click()
    await action(page, 2).getByLabel('Action Type').selectOption('send_email')
    await action(page, 2).getByText('Options').click()
    await action(page, 2).getByLabel('Message', { exact: true }).fill(TEXT)
    await expectShort(page)
  })

  test(`at ${width} px the list stands below the preview, and beside the form where there is room`, async ({
    page,
    context,
    server,
  }) => {
    await page.setViewportSize({ width, height: 800 })
    await openAutomations(page, context, server)
    await ready(page, true)
    const list = page.getByRole('heading', { name: 'Existing Automations' })
    const before = await list.boundingBox()
    await page.getByLabel('Automation Name').fill('Tell them')
    await page.getByLabel('Webhook Subscription').selectOption({ label: 'Job' })
    const preview = page.getByRole('complementary', { name: 'Preview of the automation in the form' })
    await expect(preview).toBeVisible()
    // The live pane takes the place of the one that the server drew.
    await expect(async () => {
      const [top, below, left] = await Promise.all([
        preview.boundingBox(),
        list.boundingBox(),
        form(page).boundingBox(),
      ])
      if (!before || !top || !below || !left) throw new Error('something is not drawn')
      expect(below.y).toBeGreaterThanOrEqual(top.y + top.height)
      expect(below.x).toBe(before.x)
      if (width >= 1024) expect(Math.min(top.x, below.x)).toBeGreaterThan(left.x + left.width)
    }).toPass()
    if (width < 1024) return
    await page.locator('#add-step').click()
    await page.mouse.wheel(0, 900)
    await expect(preview).toBeInViewport()
  })
}

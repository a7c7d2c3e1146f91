// What every browser journey starts from: a server of its own, and the steps a person repeats.
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { axeFindings } from '#lab/screens/axe.ts'
import { signInFirm } from '#lab/screens/screens.ts'
import { type ProductHost, productHost } from '../support/product-host.ts'
import { fieldValue } from '../support/scriptless-browser.ts'

export { expect }

export const FIRM = 'Alder & Finch Plumbing and Heating'
export const DEMO_RECEIVER = '/sandbox/receiver/demo'

export interface Server {
  origin: string
}

export const test = base.extend<{ server: Server }, { host: ProductHost }>({
  host: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern.
    async ({}, use) => {
      const host = productHost()
      await use(host)
      host.end()
    },
    { scope: 'worker' },
  ],
  server: async ({ host }, use) => {
    const server = await host.startAnew()
    await use(server)
    await server.dispose()
  },
  // Opened after the server, and so closed before it: a server that stops waits for connections that a browser keeps.
  context: async ({ server: _server, context }, use) => use(context),
})

/** From the pretend platform's start page into the add-on, as a newcomer would. */
export async function openAddOn(page: Page, server: Server, options: { admin?: boolean } = {}): Promise<void> {
  await page.goto(`${server.origin}/sandbox`)
  const name = options.admin ? `With admin tools , for ${FIRM}` : `Open Fieldhook as ${FIRM}`
  const link = page.getByRole('link', { name: options.admin ? /^With admin tools.*Alder & Finch/ : name }).first()
  const href = await link.getAttribute('href')
  await page.goto(new URL(href ?? '', server.origin).href)
}

/** Signs in through the gate: new tab, consent, back. Leaves `page` on the manager and closes the tab. */
export async function signInAtGate(context: BrowserContext, page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: /^Sign in with ServiceM8/ }).click()
  const tab = await opened
  await tab.getByRole('radio', { name: FIRM }).check()
  await tab.getByRole('button', { name: 'Allow' }).click()
  await expect(tab.getByRole('heading', { name: 'Create New Webhook' })).toBeVisible()
  await tab.close()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Create New Webhook' })).toBeVisible()
}

/**
 * The same without a click, for journeys that begin after it: the browser's cookies come from the platform's own consent form,
 * sent over HTTP. `page` is on the add-on already; leaves it on the manager.
 */
export async function signIn(context: BrowserContext, page: Page): Promise<void> {
  const { origin, searchParams } = new URL(page.url())
  const account = searchParams.get('accountUUID') ?? ''
  const consent = await context.request.get(`${origin}/api/oauth/authorize?accountuuid=${account}&token=fieldhook`)
  await context.request.post(`${origin}/sandbox/servicem8/oauth/authorize`, {
    form: { ticket: fieldValue(await consent.text(), 'ticket'), account, decision: 'accept' },
    headers: { origin, 'sec-fetch-site': 'same-origin' },
  })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Create New Webhook' })).toBeVisible()
}

/** Both at once, for journeys that are not about the way in: the manager is the first page that the browser loads. */
export async function openSignedIn(context: BrowserContext, page: Page, server: Server): Promise<void> {
  const accountUUID = await signInFirm(context.request, server)
  await page.goto(`${server.origin}/fieldhook?${new URLSearchParams({ accountUUID })}`)
  await expect(page.getByRole('heading', { name: 'Create New Webhook' })).toBeVisible()
}

export async function createWebhook(
  page: Page,
  input: { url: string; object: string; fields?: string },
): Promise<void> {
  // On a phone, the form comes after the list.
  const toForm = page.getByRole('link', { name: 'New webhook' })
  if (await toForm.isVisible()) await toForm.click()
  await page.getByLabel('Callback URL').first().fill(input.url)
  await page.getByLabel('Object type', { exact: true }).selectOption({ label: input.object })
  if (input.fields) await page.getByRole('textbox', { name: 'Fields' }).fill(input.fields)
  await page.getByRole('button', { name: 'Create webhook' }).click()
}

/** Presses a status button on the first job of the pretend platform that does not have that status yet. */
export async function setFirstJobStatus(page: Page, server: Server, status: string): Promise<void> {
  await page.goto(`${server.origin}/sandbox`)
  await page.getByRole('button', { name: status, exact: true, pressed: false }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

/** Nothing serious for people who use assistive technology. */
export async function expectAccessible(page: Page): Promise<void> {
  // While a page still arrives, its last button may not have its words yet.
  await page.waitForLoadState('domcontentloaded')
  // A dialog that is still fading in has the contrast of a ghost.
  await page.evaluate(async () => {
    // One that ends may begin another: until a whole picture was drawn without any.
    for (let still = false; !still; ) {
      await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))
      const ending = document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
      // What lies in a closed part stands still until it is opened.
      const moves = ({ effect }: Animation) => !(effect instanceof KeyframeEffect) || effect.target?.checkVisibility()
      const running = ending.filter((one) => one.playState === 'running' && moves(one))
      await Promise.allSettled(running.map((one) => one.finished))
      still = running.length === 0
    }
  })
  expect(await axeFindings(page)).toEqual([])
}

const DESK = { width: 1280, height: 800 }
const PHONE = { width: 375, height: 812 }

/** Accessible and no wider than the screen, by day as the page is and by night on the other kind of screen. */
export async function expectLooks(page: Page, name: string): Promise<void> {
  const own = page.viewportSize() ?? DESK
  const other = own.width < DESK.width ? DESK : PHONE
  for (const [colorScheme, size] of [
    ['light', own],
    ['dark', other],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(size)
    await expectAccessible(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
    await keepPicture(page, `.cache/screens/${name}-${colorScheme}-${size.width}.png`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(own)
}

/** For whoever wants to look at what was tested: `E2E_PICTURES=1`. To draw and pack them takes a tenth of the time. */
export async function keepPicture(page: Page, path: string): Promise<void> {
  if (process.env.E2E_PICTURES) await page.screenshot({ path, fullPage: true, animations: 'disabled' })
}

/** Fails the test for anything the browser complains about: a refused script, a mismatch, a broken request. */
export function collectComplaints(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} ${message.location().url}`.trim())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return complaints
}

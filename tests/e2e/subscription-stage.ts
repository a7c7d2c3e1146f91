// What the browser tests of the subscription repeat: moving the clock, coming back to the page, entering a card.
import type { BrowserContext, Page } from '@playwright/test'
import { expect, openSignedIn, type Server, signIn } from './stage.ts'

/** The console's own steps. */
export type ClockStep = '1m' | '1h' | '1d' | '3d' | '14d'

/** Signs in as the demo firm. Gives its id. */
export async function beginTrial(context: BrowserContext, page: Page, server: Server): Promise<string> {
  await openSignedIn(context, page, server)
  page.setDefaultTimeout(15_000)
  return new URL(page.url()).searchParams.get('accountUUID') ?? ''
}

/** Moves the sandbox's clock, as its buttons do. */
export async function moveClock(page: Page, server: Server, ...steps: ClockStep[]): Promise<void> {
  for (const by of steps) {
    const answer = await page.request.post(`${server.origin}/sandbox/console/clock`, {
      form: { by, back: '/sandbox' },
      headers: { origin: server.origin },
    })
    expect(answer.status()).toBe(200)
  }
}

/** Opens the page; signs in again where the moved clock has ended the session. */
export async function openSubscription(page: Page, server: Server, accountUUID: string): Promise<void> {
  const address = `${server.origin}/subscription?${new URLSearchParams({ accountUUID })}`
  await page.goto(address)
  const title = page.getByRole('heading', { level: 1 })
  if ((await title.textContent()) === 'Connect to ServiceM8') {
    await page.goto(`${server.origin}/fieldhook?${new URLSearchParams({ accountUUID })}`)
    await signIn(page.context(), page)
    await page.goto(address)
  }
  await expect(title).toHaveText('Subscription')
}

export const cardOf = (page: Page, name: 'Status' | 'Usage' | 'Pricing' | 'Payment') =>
  page.getByRole('region', { name, exact: true })

export const CARDS = {
  pays: '4242424242424242',
  isDeclined: '4000000000000002',
  /** Asks its owner each time; renewals fail. */
  asksEachTime: '4000002760003184',
} as const

/** Fills the card form that is open, and pays. */
export async function payWith(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry date').fill('12 / 40')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Postcode').fill('SW1A 1AA')
  await page.getByRole('button', { name: /^Pay £/ }).click()
}

/** A message, wherever it shows: as a toast, or as the line at the top of the page. */
export async function expectSaid(page: Page, title: string, words: string | RegExp): Promise<void> {
  await expect(page.getByText(title, { exact: true }).filter({ visible: true }).first()).toBeVisible()
  await expect(page.getByText(words).filter({ visible: true }).first()).toBeVisible()
}

/** Counts the invoices of a state on the provider's own page, which "Manage billing" opens in a new tab. */
export async function countInvoices(context: BrowserContext, page: Page, state: string): Promise<number> {
  const opened = context.waitForEvent('page')
  await page.getByRole('button', { name: /^Manage billing/ }).click()
  const portal = await opened
  const table = portal.getByRole('table', { name: 'Invoices' })
  await expect(table).toBeVisible()
  const count = await table.getByText(state, { exact: true }).count()
  await portal.close()
  return count
}

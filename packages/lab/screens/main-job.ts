// The main job as a moving picture for the README: an address is entered, a job is completed, the event is delivered.
import { statSync, writeFileSync } from 'node:fs'
import { chromium, type Page } from '@playwright/test'
import { startServerProcess } from '#tests/support/server-process.ts'
import { movingPicture, type Still } from './moving-picture.ts'
import { signInFirm } from './screens.ts'

const SIZE = { width: 960, height: 600 }
const QUALITY = 82
const MOST_BYTES = 1_000_000
const TO = 'docs/images/main-job.webp'

/**
 * Plays it on a started product with a pretend platform, and writes the picture.
 *
 * @throws Error when a step cannot be played, or the picture is larger than 1 MB
 */
export async function drawMainJob(browser: {
  path: string
  env: Record<string, string>
  flags: string[]
}): Promise<void> {
  const server = await startServerProcess()
  const launched = await chromium.launch({
    args: browser.flags,
    ...(browser.path && { executablePath: browser.path }),
    env: { ...process.env, ...browser.env } as Record<string, string>,
  })
  try {
    const context = await launched.newContext({ viewport: SIZE, locale: 'en-GB', reducedMotion: 'reduce' })
    const account = await signInFirm(context.request, server)
    const page = await context.newPage()
    const stills: Still[] = []
    const show = async (words: string, forMs: number) => void stills.push({ webp: await still(page, words), forMs })
    await page.goto(`${server.origin}/fieldhook?accountUUID=${account}`)
    await show('Fieldhook sends what happens in ServiceM8 to your other programs', 2_400)
    await page.getByLabel('Callback URL').first().pressSequentially(`${server.origin}/sandbox/receiver/demo`)
    await page.getByLabel('Object type', { exact: true }).selectOption({ label: 'Job' })
    await show('Enter an address, and choose what it should hear of', 2_600)
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByRole('article', { name: 'Job', exact: true }).waitFor()
    await show('The webhook is there', 1_800)
    const manager = page.url()
    await page.goto(`${server.origin}/sandbox`)
    const completed = page.getByRole('button', { name: 'Completed', exact: true, pressed: false }).first()
    await completed.scrollIntoViewIfNeeded()
    await show('A job is completed in ServiceM8', 2_000)
    await completed.click()
    await page.waitForLoadState('networkidle')
    await page.goto(manager)
    const row = page.getByRole('article', { name: 'Job', exact: true })
    await row.scrollIntoViewIfNeeded()
    await show('The event is stored before it is acknowledged, then delivered', 2_400)
    await page.goto(`${server.origin}/deliveries?accountUUID=${account}`)
    await show('Every delivery can be found by job number or customer', 2_400)
    await page.getByRole('main').getByRole('link', { name: /^Job/ }).first().click()
    await page.waitForLoadState('networkidle')
    await show('Each attempt shows what was sent, and what came back', 3_400)
    writeFileSync(TO, movingPicture(stills, SIZE))
    const { size } = statSync(TO)
    if (size > MOST_BYTES) throw new Error(`${TO} has ${size} bytes, more than 1 MB.`)
    console.log(`Drew ${TO}: ${stills.length} pictures, ${Math.round(size / 1_000)} KB.`)
  } finally {
    await launched.close()
    await server.dispose()
  }
}

/** The page as it is, with a line of words below. */
async function still(page: Page, words: string): Promise<Buffer> {
  await page.evaluate((said) => {
    document.getElementById('caption')?.remove()
    const line = document.createElement('p')
    line.id = 'caption'
    line.textContent = said
    line.style.cssText =
      'position:fixed;inset:auto 0 0 0;margin:0;padding:14px 20px;z-index:9999;text-align:center;' +
      'background:#111827;color:#fff;font:600 19px/1.3 system-ui,sans-serif'
    document.body.append(line)
  }, words)
  const wire = await page.context().newCDPSession(page)
  const { data } = await wire.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  await wire.detach()
  return Buffer.from(data, 'base64')
}

// How fast the pages feel: the size of a first visit, layout shifts, the time until a press is visible, and the presses
// and seconds of the three main journeys.
import { parseArgs } from 'node:util'
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'
import { type ServerProcess, startServerProcess } from '#tests/support/server-process.ts'
import { commandLine, recordFigures } from '../report/figures.ts'
import { keepFigures } from '../report/kept-figures.ts'
import { furnish, type Screen, signInFirm } from '../screens/screens.ts'
import { countedHands, openedBy, type Walked } from './hands.ts'

/** KB of script, compressed (1,000 bytes); layout shift; milliseconds from a press to the next frame. */
const BARS = { scriptKb: 150, shift: 0.1, interactionMs: 100, journeyMs: 120_000 }
const WIDTHS = [375, 1280]
/** Chrome's “3G”. Bytes a second, milliseconds a round trip. The middle of some visits counts. */
const SLOW = { offline: false, downloadThroughput: 180_000, uploadThroughput: 84_375, latency: 562.5 }
const SLOW_VISITS = 3
const MEASURED = [
  'gate',
  'manager',
  'activity',
  'deliveries',
  'delivery',
  'automations',
  'automation-form',
  'automation-templates',
  'runs',
  'run',
  'subscription',
  'account',
]

interface Felt {
  /** Script the page requests immediately. */
  scriptKb: number
  /** Including what it fetches by itself when idle. */
  laterKb: number
  /** Number of files. */
  scripts: number
  shift: number
  paintMs: number
  /** The largest paint on 3G. */
  slowPaintMs: number
  interactionMs: number
}

const { figures, group, keep } = keepFigures()
const faults: string[] = []

/** Command line after `npm run bench:pages --`. Exits with 1 when a bar is missed. */
export async function benchPages(
  args: string[],
  browser: { path: string; env: Record<string, string>; flags: string[] },
): Promise<number> {
  const { values } = parseArgs({ args, options: { only: { type: 'string', multiple: true } } })
  const server = await startServerProcess()
  const launched = await chromium.launch({
    args: browser.flags,
    ...(browser.path && { executablePath: browser.path }),
    env: { ...process.env, ...browser.env } as Record<string, string>,
  })
  try {
    await walkJourneys(launched, server)
    await measurePages(launched, server, values.only ?? MEASURED)
  } finally {
    await launched.close()
    await server.dispose()
  }
  recordFigures('pages', { command: commandLine('bench:pages'), figures, faults })
  for (const fault of faults) console.log(`MISSED  ${fault}`)
  return faults.length === 0 ? 0 : 1
}

/** A different firm from the one that furnishes the pages, so that everything is new. */
async function walkJourneys(browser: Browser, server: ServerProcess): Promise<void> {
  group('Three journeys, by hand')
  console.log('Three journeys, by hand (1280 px)')
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-AU' })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(`${server.origin}/sandbox`)
  const door = page.getByRole('link', { name: /^Open Fieldhook as/ }).nth(1)
  const firm = ((await door.textContent()) ?? '').replace('Open Fieldhook as', '').trim()
  await page.goto(new URL((await door.getAttribute('href')) ?? '', server.origin).href)

  tell('from opening the add-on to the first forwarded event', await firstEvent(page, firm, server))
  tell('from there to the first automation', await firstAutomation(page))
  tell('from there to a paid month', await firstPayment(page))
  await context.close()
}

async function firstEvent(page: Page, firm: string, server: ServerProcess): Promise<Walked> {
  const hand = countedHands()
  const tab = await openedBy(page, () => hand.press(page.getByRole('link', { name: /^Sign in with ServiceM8/ })))
  await hand.press(tab.getByRole('radio', { name: firm }))
  await hand.press(tab.getByRole('button', { name: 'Allow' }))
  await hand.type(tab.getByLabel('Callback URL').first(), `${server.origin}/sandbox/receiver/demo`)
  await hand.choose(tab.getByLabel('Object type', { exact: true }), 'Job')
  await hand.press(tab.getByRole('button', { name: 'Create webhook' }))
  await hand.press(tab.getByRole('button', { name: 'Send test event to Job webhook' }))
  await hand.see(tab.getByText('Test webhook sent successfully', { exact: false }))
  const walked = hand.walked()
  await page.goto(tab.url())
  await tab.close()
  return walked
}

async function firstAutomation(page: Page): Promise<Walked> {
  const hand = countedHands()
  await hand.press(page.getByRole('link', { name: 'Choose an automation' }))
  await hand.press(page.getByRole('link', { name: 'Use Ask for a review the day after' }))
  await hand.type(page.getByLabel('Review link'), 'https://example.com/review')
  await hand.press(page.getByRole('button', { name: 'Turn on' }))
  await hand.see(page.getByText('Automation created'))
  return hand.walked()
}

async function firstPayment(page: Page): Promise<Walked> {
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  const hand = countedHands()
  await hand.press(page.getByRole('link', { name: 'Subscription', exact: true }))
  await hand.press(page.getByRole('button', { name: /^Upgrade Now/ }))
  await hand.type(page.getByLabel('Card number'), '4242424242424242')
  await hand.type(page.getByLabel('Expiry date'), '1240')
  await hand.type(page.getByLabel('CVC'), '123')
  await hand.type(page.getByLabel('Postcode'), 'SW1A 1AA')
  await hand.press(page.getByRole('button', { name: /^Pay £/ }))
  await hand.see(page.getByText('Your subscription is now active!'))
  return hand.walked()
}

function tell(name: string, { presses, fields, keys, machineMs, personMs }: Walked): void {
  const seconds = Math.round(personMs / 1000)
  const met = personMs < BARS.journeyMs
  const found = `${presses} presses, ${fields} fields with ${keys} characters; the machine ${(machineMs / 1000).toFixed(1)} s, a person about ${seconds} s`
  keep(name, found, { bar: 'under 2 minutes', met })
  console.log(`  ${met ? 'reached' : 'MISSED '}  ${name}: ${found}`)
  if (!met) faults.push(`${name} takes ${seconds} s`)
}

async function measurePages(browser: Browser, server: ServerProcess, names: readonly string[]): Promise<void> {
  const desk = await browser.newContext()
  const account = await signInFirm(desk.request, server)
  const newcomer = await signInFirm(desk.request, server, 1)
  const screens = (await furnish(desk.request, server, account, newcomer)).filter(({ name }) => names.includes(name))
  const storageState = await desk.storageState()
  for (const width of WIDTHS) {
    group(`First visit at ${width} px, nothing cached`)
    console.log(`\nFirst visit at ${width} px, nothing cached`)
    for (const screen of screens) {
      const visitor = { viewport: { width, height: 800 }, ...(screen.stranger ? {} : { storageState }) }
      const slow: number[] = []
      for (let turn = 0; turn < SLOW_VISITS; turn++) {
        const context = await browser.newContext(visitor)
        slow.push(await slowPaint(context, server.origin + screen.path))
        await context.close()
      }
      const context = await browser.newContext(visitor)
      const slowPaintMs = Math.round(slow.toSorted((a, b) => a - b)[SLOW_VISITS >> 1] ?? 0)
      judge(screen, width, { ...(await visit(context, server.origin, screen)), slowPaintMs })
      await context.close()
    }
  }
  await desk.close()
}

function judge({ name }: Screen, width: number, felt: Felt): void {
  const missed = [
    ...(felt.scriptKb > BARS.scriptKb ? [`${felt.scriptKb} KB of script`] : []),
    ...(felt.shift > BARS.shift ? [`layout shift ${felt.shift}`] : []),
    ...(felt.interactionMs > BARS.interactionMs ? [`a press took ${felt.interactionMs} ms`] : []),
  ]
  const found = `${felt.scriptKb} KB of script at once, ${felt.laterKb} KB in ${felt.scripts} files with what it fetches ahead; shift ${felt.shift}, largest paint ${felt.paintMs} ms, on 3G ${felt.slowPaintMs} ms; slowest press ${felt.interactionMs} ms`
  keep(name, found, { bar: '150 KB, shift under 0.1, presses under 100 ms', met: missed.length === 0 })
  console.log(`  ${missed.length === 0 ? 'reached' : 'MISSED '}  ${name}: ${found}`)
  if (missed.length > 0) faults.push(`${name} at ${width} px: ${missed.join(', ')}`)
}

async function slowPaint(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage()
  await page.addInitScript(listen)
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', SLOW)
  await page.goto(address, { waitUntil: 'networkidle', timeout: 60_000 })
  return page.evaluate(() => (window as unknown as { felt: Felt }).felt.paintMs)
}

/** Opens the page as a first visit, then presses everything that does not leave the page. */
async function visit(context: BrowserContext, origin: string, screen: Screen): Promise<Omit<Felt, 'slowPaintMs'>> {
  const page = await context.newPage()
  await page.addInitScript(listen)
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  // Size of each answer's head, by request: only the compressed script itself counts.
  const heads = new Map<string, { path: string; bytes: number }>()
  const files: { path: string; bytes: number }[] = []
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    const path = new URL(response.url).pathname
    if (type === 'Script' && path.startsWith('/assets/'))
      heads.set(requestId, { path, bytes: response.encodedDataLength })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const head = heads.get(requestId)
    if (head) files.push({ path: head.path, bytes: encodedDataLength - head.bytes })
  })
  await page.goto(origin + screen.path, { waitUntil: 'networkidle' })
  const html = await (await page.request.get(origin + screen.path)).text()
  const kb = (some: typeof files) => Math.round(some.reduce((sum, { bytes }) => sum + bytes, 0) / 100) / 10
  for (const summary of (await page.locator('summary:visible').all()).slice(0, 4)) {
    await summary.click()
    await summary.click()
  }
  for (const field of (await page.locator('input[type=text]:visible, input:not([type]):visible').all()).slice(0, 2)) {
    if (await field.isEditable()) await field.pressSequentially('abc', { delay: 30 })
  }
  // The browser reports its measurements with the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))))
  const felt = await page.evaluate(() => (window as unknown as { felt: Felt }).felt)
  return {
    scriptKb: kb(files.filter(({ path }) => html.includes(`href="${path}"`) || html.includes(`src="${path}"`))),
    laterKb: kb(files),
    scripts: files.length,
    shift: Math.round(felt.shift * 1000) / 1000,
    paintMs: Math.round(felt.paintMs),
    interactionMs: Math.round(felt.interactionMs),
  }
}

/** Runs in the page before anything else. A shift within half a second after a press is expected and does not count. */
function listen(): void {
  const felt = { shift: 0, paintMs: 0, interactionMs: 0 }
  Object.assign(window, { felt })
  const observe = (type: string, each: (entry: PerformanceEntry) => void, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true, ...more })
  observe('layout-shift', (entry) => {
    const shift = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
    if (!shift.hadRecentInput) felt.shift += shift.value
  })
  observe('largest-contentful-paint', (entry) => {
    felt.paintMs = entry.startTime
  })
  observe(
    'event',
    (entry) => {
      // A pointer that stands somewhere when the page opens presses nothing.
      const { interactionId } = entry as PerformanceEntry & { interactionId: number }
      if (interactionId > 0) felt.interactionMs = Math.max(felt.interactionMs, entry.duration)
    },
    { durationThreshold: 16 },
  )
}

// Takes a screenshot of every screen at every width and in both themes, and reports what a machine can detect: elements
// wider than the screen, touch targets that are too small, findings of axe.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Page } from '@playwright/test'
import { startServerProcess } from '#tests/support/server-process.ts'
import { axeFindings } from './axe.ts'
import { furnish, type Screen, signInFirm } from './screens.ts'
import { drawSheets } from './sheets.ts'

const WIDTHS = [320, 375, 768, 1280]
const THEMES = ['light', 'dark'] as const
/** The pictures of the user guide: the first view, at the most common width. */
const GUIDE_FOLDER = 'docs/images/guide'
const GUIDE: Readonly<Record<string, number>> = {
  'manager-new': 1280,
  manager: 1280,
  delivery: 375,
  'automation-form': 1280,
  'automation-templates': 1280,
  run: 375,
  notices: 1280,
  answers: 375,
  receipts: 375,
  subscription: 375,
  account: 1280,
}
/** Touch targets, in CSS pixels (design of the product). */
const THUMB = 44

interface Finding {
  screen: string
  where: string
  problem: string
}

/** Command line after `npm run screens --`. Exits with 1 when something was found. */
export async function takeScreens(
  args: string[],
  browser: { path: string; env: Record<string, string>; flags: string[] },
): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      to: { type: 'string', default: '.cache/looks' },
      only: { type: 'string', multiple: true },
      width: { type: 'string', multiple: true },
      theme: { type: 'string', multiple: true },
      guide: { type: 'boolean', default: false },
      beside: { type: 'string' },
    },
  })
  const widths = values.guide ? [375, 1280] : (values.width?.map(Number) ?? WIDTHS)
  const themes = THEMES.filter((theme) => (values.guide ? theme === 'light' : (values.theme?.includes(theme) ?? true)))
  const server = await startServerProcess()
  const launched = await chromium.launch({
    args: browser.flags,
    ...(browser.path && { executablePath: browser.path }),
    env: { ...process.env, ...browser.env } as Record<string, string>,
  })
  const findings: Finding[] = []
  try {
    const desk = await launched.newContext()
    const stranger = await launched.newContext()
    const account = await signInFirm(desk.request, server)
    const newcomer = await signInFirm(desk.request, server, 1)
    const screens = (await furnish(desk.request, server, account, newcomer)).filter(
      ({ name }) => !values.only || values.only.includes(name),
    )
    const signedIn = await desk.storageState()
    for (const colorScheme of themes) {
      for (const width of widths) {
        const folder = values.guide ? GUIDE_FOLDER : join(values.to, `${width}-${colorScheme}`)
        mkdirSync(folder, { recursive: true })
        const options = {
          colorScheme,
          viewport: { width, height: width < 700 ? 812 : 800 },
          hasTouch: width < 700,
          isMobile: width < 700,
          locale: 'en-AU',
          timezoneId: 'Australia/Sydney',
          reducedMotion: 'reduce' as const,
        }
        const context = await launched.newContext({ ...options, storageState: signedIn })
        const outside = await launched.newContext(options)
        for (const screen of screens) {
          if (values.guide && GUIDE[screen.name] !== width) continue
          const page = await (screen.stranger ? outside : context).newPage()
          const path = join(folder, `${screen.name}.png`)
          for (const problem of await takeOne(page, server.origin, screen, { path, fullPage: !values.guide }))
            findings.push({ screen: screen.name, where: `${width} ${colorScheme}`, problem })
          await page.close()
        }
        await context.close()
        await outside.close()
      }
    }
    await stranger.close()
    if (values.beside) await drawSheets(launched, { before: values.beside, now: values.to })
    console.log(`Pictures in ${values.guide ? GUIDE_FOLDER : values.to}`)
  } finally {
    await launched.close()
    await server.dispose()
  }
  for (const line of gathered(findings)) console.log(line)
  return findings.length === 0 ? 0 : 1
}

async function takeOne(
  page: Page,
  origin: string,
  screen: Screen,
  shot: { path: string; fullPage: boolean },
): Promise<string[]> {
  await page.goto(origin + screen.path, { waitUntil: 'networkidle' })
  for (const text of screen.open ?? []) await page.getByText(text).first().click()
  if (screen.scrollTo)
    await page
      .getByText(screen.scrollTo)
      .first()
      .evaluate((line) => line.scrollIntoView())
  await page.screenshot(shot)
  return [
    ...(await axeFindings(page, ['best-practice'])).map((one) => `axe ${one}`),
    ...(await page.evaluate(seen, THUMB)),
  ]
}

/** Runs in the page: elements wider than the screen, targets too small to press, number of first-level headings. */
function seen(thumb: number): string[] {
  const problems: string[] = []
  const over = document.documentElement.scrollWidth - window.innerWidth
  if (over > 0) problems.push(`${over} px wider than the screen`)
  const h1 = document.querySelectorAll('h1').length
  if (h1 !== 1) problems.push(`${h1} first headings`)
  for (const element of document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')) {
    const box = element.getBoundingClientRect()
    if (box.width === 0 || box.height === 0 || getComputedStyle(element).visibility === 'hidden') continue
    // A link inside a sentence is as tall as its line; a labelled box is pressed on its label.
    const inText = element.tagName === 'A' && getComputedStyle(element).display === 'inline'
    const label = element.closest('label') ?? (element.id ? document.querySelector(`label[for="${element.id}"]`) : null)
    const hidden = box.width <= 1 || element.matches('[tabindex="-1"], .sr-only, .visually-hidden')
    const tall = Math.max(box.height, label?.getBoundingClientRect().height ?? 0)
    if (!inText && !hidden && tall < thumb - 0.5)
      problems.push(
        `${Math.round(box.width)}×${Math.round(tall)} to press: ${element.tagName.toLowerCase()} "${(element.innerText || element.getAttribute('aria-label') || element.getAttribute('name') || '').trim().slice(0, 40)}"`,
      )
  }
  return [...new Set(problems)]
}

/** Reports the same problem at several widths in one line. */
function gathered(findings: Finding[]): string[] {
  const lines = new Map<string, string[]>()
  for (const { screen, where, problem } of findings) {
    const key = `${screen}: ${problem}`
    lines.set(key, [...(lines.get(key) ?? []), where])
  }
  return [...lines].map(([key, where]) => `${key}  [${where.join(', ')}]`)
}

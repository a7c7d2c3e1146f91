// Lighthouse over the main pages, as a phone: performance, accessibility, best practices. Lighthouse is fetched from the
// package registry when this runs, in one version: 130 packages that nothing else of the project needs.
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { freePort } from '#tests/support/free-port.ts'
import { startServerProcess } from '#tests/support/server-process.ts'
import { run } from '../../../scripts/children.mjs'
import { commandLine, recordFigures } from '../report/figures.ts'
import { keepFigures } from '../report/kept-figures.ts'
import { furnish, signInFirm } from '../screens/screens.ts'

const LIGHTHOUSE = 'lighthouse@12.8.2'
const BARS = { performance: 95, accessibility: 100, 'best-practices': 100 } as const
type Category = keyof typeof BARS
const CATEGORIES = Object.keys(BARS) as Category[]
const PAGES = [
  'gate',
  'manager-new',
  'manager',
  'activity',
  'deliveries',
  'delivery',
  'automations',
  'automation-form',
  'automation-templates',
  'automation-settings',
  'runs',
  'run',
  'subscription',
  'account',
  'api-reference',
]
/** Performance depends on the moment: the median counts. */
const TIMES = 3

interface Report {
  categories: Record<Category, { score: number | null }>
  audits: Record<string, { title: string; score: number | null; numericValue?: number }>
}

/** Command line after `npm run bench:lighthouse --`. Exits with 1 when a bar is missed. */
export async function benchLighthouse(
  args: string[],
  browser: { path: string; env: Record<string, string>; flags: string[] },
): Promise<number> {
  const { values } = parseArgs({ args, options: { only: { type: 'string', multiple: true } } })
  const { figures, keep } = keepFigures()
  const faults: string[] = []
  const server = await startServerProcess()
  const port = await freePort()
  const launched = await chromium.launch({
    // Lighthouse drives this browser: not every one can be started by it.
    args: [...browser.flags, `--remote-debugging-port=${port}`],
    ...(browser.path && { executablePath: browser.path }),
    env: { ...process.env, ...browser.env } as Record<string, string>,
  })
  try {
    const desk = await launched.newContext()
    const account = await signInFirm(desk.request, server)
    const newcomer = await signInFirm(desk.request, server, 1)
    const screens = await furnish(desk.request, server, account, newcomer)
    const cookie = (await desk.cookies(server.origin)).map(({ name, value }) => `${name}=${value}`).join('; ')
    await desk.close()
    const wanted = values.only ?? PAGES
    const missing = wanted.filter((name) => !screens.some((screen) => screen.name === name))
    if (missing.length > 0) throw new Error(`no such page: ${missing.join(', ')}`)
    for (const { name, path, stranger } of screens) {
      if (!wanted.includes(name)) continue
      await expectSignedIn(server.origin + path, stranger ? '' : cookie, name === 'gate')
      const reports: Report[] = []
      for (let time = 0; time < TIMES; time++)
        reports.push(await reportOn(server.origin + path, stranger ? '' : cookie, port))
      const scores = CATEGORIES.map((category) => middle(reports.map((report) => scoreOf(report, category))))
      const paint = middle(reports.map(({ audits }) => audits['largest-contentful-paint']?.numericValue ?? Number.NaN))
      const met = CATEGORIES.every((category, at) => (scores[at] ?? 0) >= BARS[category])
      const found = `${scores.join(' · ')}; largest paint ${(paint / 1000).toFixed(1)} s on a slow phone`
      keep(name, found, { bar: Object.values(BARS).join(' · '), met })
      console.log(`  ${met ? 'reached' : 'MISSED '}  ${name}: ${found}`)
      if (met) continue
      faults.push(`${name}: ${scores.join(' · ')}`)
      for (const { title, score } of Object.values(reports[0]?.audits ?? {}))
        if (score !== null && score < 0.9) console.log(`             ${score} ${title}`)
    }
  } finally {
    await launched.close()
    await server.dispose()
  }
  recordFigures('lighthouse', { command: commandLine('bench:lighthouse'), figures, faults })
  for (const fault of faults) console.log(`MISSED  ${fault}`)
  return faults.length === 0 ? 0 : 1
}

/** The gate has the address of the page behind it, and good marks too. */
async function expectSignedIn(url: string, cookie: string, isGate: boolean): Promise<void> {
  const html = await (await fetch(url, { headers: { cookie } })).text()
  if (html.includes('Connect to ServiceM8') !== isGate) throw new Error(`${url} is ${isGate ? 'not ' : ''}the gate`)
}

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const scoreOf = ({ categories }: Report, category: Category) => Math.round((categories[category].score ?? 0) * 100)

/** @throws Error with the last lines of Lighthouse, when it gave no report */
async function reportOn(url: string, cookie: string, port: number): Promise<Report> {
  const { code, output } = await run(
    'npm',
    [
      ...['exec', '--yes', `--package=${LIGHTHOUSE}`, '--', 'lighthouse', url, '--quiet', '--output=json'],
      ...[`--only-categories=${CATEGORIES.join(',')}`, `--port=${port}`],
      ...(cookie ? [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`] : []),
    ],
    { timeoutMs: 120_000 },
  )
  const from = output.indexOf('{\n')
  if (code !== 0 || from < 0) throw new Error(`Lighthouse gave no report:\n${output.slice(-2_000)}`)
  return JSON.parse(output.slice(from, output.lastIndexOf('}') + 1)) as Report
}

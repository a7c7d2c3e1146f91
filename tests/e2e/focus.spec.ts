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

/** Pressing another one takes these away for good. */
const GONE = /^(Stop|Go on|Dismiss): |^Cancel the run/

/** Accessible names of the buttons that can be pressed, each once. */
async function namesOf(page: Page): Promise<string[]> {
  const tree = await page.getByRole('main').ariaSnapshot()
  // A line of YAML each: `- button "Save" [disabled]`, or quoted once more.
  const names = tree.split('\n').flatMap((line) => {
    const [, quoted, name = '', states = ''] = /^ *- ('?)button "((?:[^"\\]|\\.)*)"(.*)/.exec(line) ?? []
    if (quoted === undefined || states.includes('[disabled]')) return []
    const written = name.replaceAll('\\', '')
    return quoted ? written.replaceAll("''", "'") : written
  })
  return [...new Set(names.filter((name) => name !== '' && !LEAVES.test(name)))]
}

/** Counts what the page asks the server, so that a press is judged after its answer was drawn. */
function calls(page: Page) {
  let open = 0
  page.on('request', () => open++)
  page.on('requestfinished', () => open--)
  page.on('requestfailed', () => open--)
  return async () => {
    for (let quiet = 0; quiet < 3; quiet = open <= 0 ? quiet + 1 : 0) await page.waitForTimeout(50)
  }
}

/** Returns what was pressed, and what was gone before its turn. */
async function pressEvery(page: Page, address: string, settled: () => Promise<void>) {
  const open = async () => {
    await page.goto(address)
    // Before that, a press posts a form and loads a page.
    await page.waitForFunction(() =>
      Object.keys(document.querySelector('main') ?? {}).some((key) => key.startsWith('__react')),
    )
    await settled()
  }
  await open()
  const gone: string[] = []
  const pressed: string[] = []
  for (const name of await namesOf(page)) {
    const button = page.getByRole('main').getByRole('button', { name, exact: true }).first()
    // A press may have changed what is on the page.
    if (!(await button.isVisible())) await open()
    if (!(await button.isVisible())) {
      gone.push(name)
      continue
    }
    await button.focus()
    await page.keyboard.press('Enter')
    await settled()
    const said = `after “${name}” of ${address}`
    await expect(page.getByRole('heading', { name: '404 Page Not Found' }), said).toHaveCount(0)
    // The focus moves two frames after what had it went: on a busy machine, later than the answer was drawn.
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName ?? 'BODY'), said).not.toBe('BODY')
    await page.keyboard.press('Escape')
    pressed.push(name)
  }
  return { pressed, gone }
}

test('the focus is somewhere after every button of the lists and their details', async ({ page, context, server }) => {
  const account = await signInFirm(context.request, server)
  const newcomer = await signInFirm(context.request, server, 1)
  const screens: Screen[] = await furnish(context.request, server, account, newcomer)
  const settled = calls(page)
  for (const { name, path } of screens.filter((screen) => SCREENS.includes(screen.name))) {
    const { pressed, gone } = await pressEvery(page, server.origin + path, settled)
    expect(pressed.length, name).toBeGreaterThan(0)
    expect(
      gone.filter((one) => !GONE.test(one)),
      name,
    ).toEqual([])
  }
})

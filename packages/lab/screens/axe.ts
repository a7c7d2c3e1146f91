// What stands in the way of people who use assistive technology, found by axe.
import type { Page } from '@playwright/test'
import axe from 'axe-core'

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/**
 * Runs axe in the page as it is drawn now. Our pages have no frames, so the rules of one document are enough.
 *
 * @returns one line per broken rule: its name and what breaks it
 */
export async function axeFindings(page: Page, moreTags: readonly string[] = []): Promise<string[]> {
  // Half a megabyte, which takes as long to read as a page to check: once for each document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const violations = await page.evaluate(
    async (values) => {
      const here = globalThis as unknown as { axe: typeof axe }
      return (await here.axe.run({ runOnly: { type: 'tag', values }, resultTypes: ['violations'] })).violations
    },
    [...WCAG, ...moreTags],
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
}

// Every page on the narrowest phone, and at 400 % on a desk: nothing is wider than the screen, and the current tab is in sight.
import { furnish, signInFirm } from '#lab/screens/screens.ts'
import { expect, test } from './stage.ts'

// Not as a phone: there the browser makes the page as wide as its content, and the difference is 0.
test.use({ viewport: { width: 320, height: 640 }, isMobile: false })

test('at 320 px no page is wider than the screen, and its tab is in sight', async ({ page, context, server }) => {
  const account = await signInFirm(context.request, server)
  const newcomer = await signInFirm(context.request, server, 1)
  const screens = await furnish(context.request, server, account, newcomer)
  const wide: string[] = []
  for (const { name, path, stranger } of screens) {
    if (stranger) continue
    await page.goto(server.origin + path)
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) one.open = true
    })
    const found = await page.evaluate(() => {
      const width = document.documentElement.clientWidth
      const over = document.documentElement.scrollWidth - width
      const tab = document.querySelector('nav[aria-label="Fieldhook"] [aria-current]')?.getBoundingClientRect()
      if (tab && tab.right > width) return `its tab ends at ${tab.right} px`
      if (over <= 0) return ''
      const past = [...document.querySelectorAll('main *')].filter(
        (one) => one.getBoundingClientRect().right > width + 0.5,
      )
      const ends = past.filter((one) => !past.some((other) => other !== one && one.contains(other)))
      return `${over} px: ${ends
        .slice(0, 3)
        .map((one) => one.outerHTML.slice(0, 160))
        .join(' | ')}`
    })
    if (found !== '') wide.push(`${name} ${found}`)
  }
  expect(wide).toEqual([])
})

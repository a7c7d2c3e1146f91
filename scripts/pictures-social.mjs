// `npm run pictures:social`: draws public/social.png (1200 × 630) and the icons of the web manifest from
// docs/parts/social-picture.html, with the tests' browser. Run it after changing that file.
import './node-version.mjs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { orExplain, ROOT, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  await setUp({ build: false })
  const { FLAGS, findBrowser, tellWhatWasTried } = await import('./browser.mjs')
  const { found, tried } = await findBrowser()
  if (!found) {
    console.error(tellWhatWasTried(tried))
    process.exit(1)
  }
  const { chromium } = await import('@playwright/test')
  const browser = await chromium.launch({
    ...(found.path ? { executablePath: found.path } : {}),
    args: FLAGS,
    env: { .../** @type {Record<string, string>} */ (process.env), ...found.env },
  })
  try {
    for (const [file, part, scale] of /** @type {const} */ ([
      ['social.png', '.social', 1],
      ['icon-512.png', '.icon', 1],
      ['icon-192.png', '.icon', 192 / 512],
    ])) {
      const page = await browser.newPage({ viewport: { width: 1200, height: 1200 }, deviceScaleFactor: scale })
      await page.goto(pathToFileURL(join(ROOT, 'docs/parts/social-picture.html')).href)
      await page.evaluate(() => document.fonts.ready.then(() => undefined))
      await page.locator(part).screenshot({ path: join(ROOT, 'public', file) })
      await page.close()
      console.log(`Drew public/${file}.`)
    }
  } finally {
    await browser.close()
  }
})

// The API reference: an index of one screen, a page per subject, and links from when it was one page.
import { expect, expectAccessible, test } from './stage.ts'

test('the index takes one screen, on a phone and on a desk', async ({ page, server }) => {
  for (const [width, height] of [
    [375, 812],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto(`${server.origin}/api-reference`)
    await expectAccessible(page)
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBeLessThanOrEqual(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  }
})

test('a link to the old page leads to the call, the subject or the object', async ({ page, server }) => {
  for (const [old, now] of [
    ['#createWebhook', '/api-reference/webhooks#createWebhook'],
    ['#forwarding-rules', '/api-reference/forwarding-rules'],
    ['#forward', '/api-reference/forward'],
    ['#type-Webhook', '/api-reference/webhooks#type-Webhook'],
  ]) {
    await page.goto(`${server.origin}/api-reference${old}`)
    await page.waitForURL(`${server.origin}${now}`)
  }
  await expectAccessible(page)
  await page.goto(`${server.origin}/api-reference#main`)
  await expect(page.getByRole('heading', { level: 1, name: 'API reference' })).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('an old link arrives at the line of its call, which has the link', async ({ page, server }) => {
    await page.goto(`${server.origin}/api-reference#createWebhook`)
    const line = page.locator('#createWebhook')
    await expect(line).toBeInViewport()
    await line.click()
    await expect(page.getByRole('article', { name: /^Makes a webhook/ })).toBeInViewport()
  })
})

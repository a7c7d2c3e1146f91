import { expect, FIRM, test } from './stage.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an unknown id is greeted, and linked by signing in', async ({ page, context, server }) => {
      await page.goto(`${server.origin}/fieldhook?accountuuid=office-7`)
      const greeting = 'New account detected: Please sign in to link this account.'
      await expect(page.getByText(greeting).filter({ visible: true }).first()).toBeVisible()
      const opened = context.waitForEvent('page')
      await page.getByRole('link', { name: /^Sign in with ServiceM8/ }).click()
      const tab = await opened
      await tab.getByRole('radio', { name: FIRM }).check()
      await tab.getByRole('button', { name: 'Allow' }).click()
      await expect(tab.getByText('Authentication successful! Connected via OAuth2.').first()).toBeVisible()
      await expect(
        tab.getByText('Account linked successfully. External account office-7 linked to the platform account.').first(),
      ).toBeVisible()
      expect(new URL(tab.url()).search).toBe('?accountUUID=office-7')
      // Opened without an id it is the account this browser opened last.
      await tab.goto(`${server.origin}/fieldhook`)
      await expect(tab.getByRole('heading', { name: 'Create New Webhook' })).toBeVisible()
    })

    test('a session that is over is said to be', async ({ page, context, server }) => {
      await context.addCookies([{ name: 'sid-top', value: 'x'.repeat(43), url: server.origin }])
      await page.goto(`${server.origin}/fieldhook?accountuuid=office-7`)
      const greeting = 'Account check failed: Please sign in to authenticate.'
      await expect(page.getByText(greeting).filter({ visible: true }).first()).toBeVisible()
    })
  })
}

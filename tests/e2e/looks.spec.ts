import {
  createWebhook,
  DEMO_RECEIVER,
  expect,
  expectAccessible,
  openAddOn,
  setFirstJobStatus,
  signIn,
  test,
} from './stage.ts'

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme })

    test('gate, manager and log are accessible and fit the screen', async ({ page, context, server }, info) => {
      const shot = async (name: string) => {
        await expectAccessible(page)
        // Wider than the screen = a person has to scroll sideways.
        expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
          0,
        )
        await page.screenshot({
          path: `.cache/screens/${name}-${colorScheme}-${info.project.name}.png`,
          fullPage: true,
        })
      }
      await openAddOn(page, server)
      await expect(page.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
      await shot('gate')
      await signIn(context, page)
      await shot('manager-empty')
      await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job' })
      await expect(page.getByRole('article', { name: 'Job', exact: true })).toBeVisible()
      await createWebhook(page, { url: `${server.origin}${DEMO_RECEIVER}?status=500`, object: 'Note', fields: 'note' })
      await expect(page.getByRole('article', { name: 'Note', exact: true })).toBeVisible()
      await createWebhook(page, { url: '', object: 'Company' })
      await expect(page.getByRole('article', { name: 'Company', exact: true })).toBeVisible()
      const manager = page.url()
      await setFirstJobStatus(page, server, 'Completed')
      await page.goto(manager)
      await page.getByRole('article', { name: 'Job', exact: true }).getByText('View Recent Activity').click()
      await expect(
        page
          .getByRole('region', { name: 'Recent Activity', exact: true })
          .getByText('Success', { exact: true })
          .filter({ visible: true })
          .first(),
      ).toBeVisible()
      await shot('manager')
    })
  })
}

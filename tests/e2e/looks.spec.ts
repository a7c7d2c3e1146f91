import {
  createWebhook,
  DEMO_RECEIVER,
  expect,
  expectLooks,
  openAddOn,
  setFirstJobStatus,
  signIn,
  test,
} from './stage.ts'
import { beginTrial, CARDS, cardOf, moveClock, openSubscription, payWith } from './subscription-stage.ts'

// A message that is just fading is paler than anybody reads it.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('gate, manager and log are accessible and fit the screen', async ({ page, context, server }) => {
  await openAddOn(page, server)
  await expect(page.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
  await expectLooks(page, 'gate')
  await signIn(context, page)
  await expectLooks(page, 'manager-empty')
  await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job' })
  await expect(page.getByRole('article', { name: 'Job', exact: true })).toBeVisible()
  await createWebhook(page, { url: `${server.origin}${DEMO_RECEIVER}?status=500`, object: 'Note', fields: 'note' })
  await expect(page.getByRole('article', { name: 'Note', exact: true })).toBeVisible()
  await createWebhook(page, { url: '', object: 'Company' })
  await expect(page.getByRole('article', { name: 'Company', exact: true })).toBeVisible()
  const manager = page.url()
  await setFirstJobStatus(page, server, 'Completed')
  await page.goto(manager)
  const job = page.getByRole('article', { name: 'Job', exact: true })
  await job.getByRole('heading', { name: 'Job' }).click()
  await job.getByText('View Recent Activity').click()
  await expect(
    page
      .getByRole('region', { name: 'Recent Activity', exact: true })
      .getByText('Success', { exact: true })
      .filter({ visible: true })
      .first(),
  ).toBeVisible()
  await expectLooks(page, 'manager')
  await page.getByRole('link', { name: 'Account and security' }).click()
  await page.getByRole('link', { name: 'Erase this account' }).click()
  await expect(page.getByRole('textbox', { name: 'Type the name of the account' })).toBeInViewport()
  await expectLooks(page, 'account')
})

test('the states of the subscription are accessible and fit the screen', async ({ page, context, server }) => {
  const accountUUID = await beginTrial(context, page, server)
  const reopen = () => openSubscription(page, server, accountUUID)
  await reopen()
  await expectLooks(page, 'subscription-trial')
  await moveClock(page, server, '14d', '3d')
  await reopen()
  await expectLooks(page, 'subscription-held')
  await page.getByRole('link', { name: 'Back to Dashboard' }).click()
  await expect(page.getByRole('region', { name: 'Subscription', exact: true })).toBeVisible()
  await expectLooks(page, 'subscription-notice')
  await reopen()
  await page.getByRole('button', { name: 'Subscribe Now - £5/month' }).click()
  await expect(page.getByLabel('Card number')).toBeVisible()
  await expectLooks(page, 'subscription-card')
  await payWith(page, CARDS.asksEachTime)
  await page.getByRole('button', { name: 'Complete' }).click()
  await expect(page.getByText('Your subscription is now active!').first()).toBeVisible()
  await expectLooks(page, 'subscription-active')
  await page.getByText('Cancel subscription…').click()
  await page.getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(cardOf(page, 'Status')).toContainText('Ends on')
  await expectLooks(page, 'subscription-ending')
  await page.getByRole('button', { name: 'Keep subscription' }).click()
  await expect(cardOf(page, 'Status')).toContainText('is charged on')
  await moveClock(page, server, '14d', '14d', '3d', '1d')
  await reopen()
  await expect(page.getByRole('button', { name: 'Pay now' })).toBeVisible()
  await expectLooks(page, 'subscription-past-due')
})

// One server tells a long story here: each start of a server is dear, and a subscription is a story.
import {
  collectComplaints,
  createWebhook,
  DEMO_RECEIVER,
  expect,
  expectAccessible,
  setFirstJobStatus,
  test,
} from './stage.ts'
import {
  beginTrial,
  CARDS,
  cardOf,
  countInvoices,
  expectSaid,
  moveClock,
  openSubscription,
  payWith,
} from './subscription-stage.ts'

// A message that is just fading is paler than anybody reads it.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

const UPGRADE = 'Upgrade Now - £5/month'
const SUBSCRIBE = 'Subscribe Now - £5/month'

test('a journey from the first day to a paid month, with every state between', async ({ page, context, server }) => {
  const complaints = collectComplaints(page)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const offers = () => cardOf(page, 'Payment').getByRole('listitem').getByRole('button')
  const early = page.getByText('Start a new month early')

  const accountUUID = await beginTrial(context, page, server)
  await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job' })
  await expect(page.getByRole('article', { name: 'Job', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Subscription', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Subscription')

  await test.step('day 0', async () => {
    await expect(cardOf(page, 'Status').getByText('Trial', { exact: true })).toBeVisible()
    await expect(cardOf(page, 'Status')).toContainText('Your free trial has 14 days left.')
    await expect(page.getByRole('meter', { name: 'Trial progress' })).toHaveAttribute('aria-valuenow', '0')
    await expect(offers()).toHaveText([UPGRADE])
    await expect(cardOf(page, 'Payment')).toContainText('£5.00 today for a month until')
    await expect(page.getByRole('meter', { name: 'Operations used' })).toHaveAttribute('aria-valuemax', '1000')
    await expect(page.getByRole('region', { name: 'Subscription', exact: true })).toHaveCount(0)
    await expectAccessible(page)
  })

  await test.step('the form can be opened and left, and nothing has changed', async () => {
    expect(asked.filter((url) => url.includes('stripe'))).toEqual([])
    await page.getByRole('button', { name: UPGRADE }).click()
    await expectSaid(page, 'Upgrade Available', 'your remaining 14 trial days end.')
    await expect(page.getByLabel('Card number')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Not now' }).click()
    await openSubscription(page, server, accountUUID)
    await expect(cardOf(page, 'Status')).toContainText('Your free trial has 14 days left.')
    await expect(offers()).toHaveText([UPGRADE])
  })

  await test.step('days 10, 11, 12', async () => {
    await moveClock(page, server, '3d', '3d', '3d', '1d')
    await openSubscription(page, server, accountUUID)
    await expect(page.getByRole('meter', { name: 'Trial progress' })).toHaveAttribute('aria-valuenow', '10')
    await expect(offers()).toHaveText([UPGRADE])
    await moveClock(page, server, '1d')
    await openSubscription(page, server, accountUUID)
    await expect(cardOf(page, 'Status')).toContainText('Your free trial has 3 days left.')
    await expect(offers()).toHaveText([SUBSCRIBE])
    await moveClock(page, server, '1d')
    await openSubscription(page, server, accountUUID)
    await expect(cardOf(page, 'Status')).toContainText('Your free trial has 2 days left.')
    await expect(offers()).toHaveText([SUBSCRIBE])
    await page.getByRole('link', { name: 'Back to Dashboard' }).click()
    const notice = page.getByRole('region', { name: 'Subscription', exact: true })
    await expect(notice).toContainText('Your trial ends in 2 days.')
    await notice.getByRole('link', { name: 'Subscribe' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Subscription')
  })

  await test.step('the trial has ended, and everything goes on for three days', async () => {
    await moveClock(page, server, '1d', '1d', '1h')
    await openSubscription(page, server, accountUUID)
    await expect(cardOf(page, 'Status').getByText('Trial ended', { exact: true })).toBeVisible()
    await expect(cardOf(page, 'Status')).toContainText('Everything keeps working until')
    await expect(offers()).toHaveText([SUBSCRIBE])
  })

  const received = async () =>
    (await (await fetch(`${server.origin}${DEMO_RECEIVER}?format=json`)).text()).includes('changed_fields')

  await test.step('then events are kept and wait, and every page says so', async () => {
    await moveClock(page, server, '3d')
    await openSubscription(page, server, accountUUID)
    await expect(cardOf(page, 'Status')).toContainText('Trial ended: subscribe to resume.')
    await expectAccessible(page)
    await setFirstJobStatus(page, server, 'Completed')
    const query = `?accountUUID=${accountUUID}`
    for (const path of [
      '/fieldhook',
      '/automation',
      '/automation/runs',
      '/deliveries',
      '/account',
      '/webhook-activity',
    ]) {
      await page.goto(`${server.origin}${path}${query}`)
      await expect(page.getByRole('region', { name: 'Subscription', exact: true })).toContainText(
        'Your trial has ended: subscribe to resume.',
      )
    }
    // The event is there; it was not sent.
    await expect(page.getByRole('list', { name: 'Events and calls' })).toContainText('Changed fields: ')
    expect(await received()).toBe(false)
  })

  await test.step('paying sends what waited', async () => {
    await openSubscription(page, server, accountUUID)
    await page.getByRole('button', { name: SUBSCRIBE }).click()
    await payWith(page, CARDS.pays)
    await expectSaid(page, 'Payment Successful', 'Your subscription is now active!')
    await expect(cardOf(page, 'Status').getByText('Active', { exact: true })).toBeVisible()
    await expect(page.getByRole('meter', { name: 'Billing period' })).toHaveAttribute('aria-valuenow', '0')
    await expect(page.getByLabel('Card number')).toHaveCount(0)
    await expect(offers()).toHaveCount(0)
    await early.click()
    await expect(offers()).toHaveText(['Upgrade Early (Prorated)', 'Upgrade Early (Full Price)'])
    await expect.poll(received, { timeout: 20_000 }).toBe(true)
    await expectAccessible(page)
  })

  await test.step('a month can be begun early', async () => {
    await page.getByRole('button', { name: 'Upgrade Early (Prorated)' }).click()
    await expectSaid(page, 'Error', 'Nothing to pay yet')
    await moveClock(page, server, '14d', '1d')
    await openSubscription(page, server, accountUUID)
    await expect(page.getByRole('meter', { name: 'Billing period' })).toHaveAttribute('aria-valuenow', '15')
    await expect(cardOf(page, 'Payment')).toContainText(/About £2\.\d\d today for a new month/)
    await early.click()
    await page.getByRole('button', { name: 'Upgrade Early (Prorated)' }).click()
    await expectSaid(page, 'Upgrade Available', 'less the unused part of this month')
    await payWith(page, CARDS.pays)
    await expectSaid(page, 'Payment Successful', 'Your subscription is now active!')
    await expect(page.getByRole('meter', { name: 'Billing period' })).toHaveAttribute('aria-valuenow', '0')
    await early.click()
    await page.getByRole('button', { name: 'Upgrade Early (Full Price)' }).click()
    await expectSaid(page, 'Upgrade Available', '£5.00 today. A new month starts now')
    await payWith(page, CARDS.pays)
    await expectSaid(page, 'Payment Successful', 'Your subscription is now active!')
  })

  await test.step('canceled with the month, kept after all, canceled again', async () => {
    await page.getByText('Cancel subscription…').click()
    await page.getByRole('button', { name: 'Cancel subscription' }).click()
    await expect(cardOf(page, 'Status')).toContainText('Ends on')
    await expect(offers()).toHaveCount(0)
    await page.getByRole('button', { name: 'Keep subscription' }).click()
    await expect(cardOf(page, 'Status')).toContainText('is charged on')
    await page.getByText('Cancel subscription…').click()
    await page.getByRole('button', { name: 'Cancel subscription' }).click()
    await expect(cardOf(page, 'Status')).toContainText('Ends on')
    await moveClock(page, server, '14d', '14d', '3d', '3d')
    await openSubscription(page, server, accountUUID)
    await expect(cardOf(page, 'Status').getByText('Canceled', { exact: true })).toBeVisible()
    await expect(offers()).toHaveText([SUBSCRIBE])
    await page.getByRole('button', { name: SUBSCRIBE }).click()
    await payWith(page, CARDS.pays)
    await expectSaid(page, 'Payment Successful', 'Your subscription is now active!')
  })

  expect(asked.filter((url) => !url.startsWith(server.origin) && !url.startsWith('data:'))).toEqual([])
  // The browser notes the one wish that was refused.
  expect(complaints).toEqual([expect.stringContaining('409 (Conflict)')])
})

test('a card is declined, its owner is asked, an address is forged, a renewal fails and is made good', async ({
  page,
  context,
  server,
}) => {
  const accountUUID = await beginTrial(context, page, server)
  await openSubscription(page, server, accountUUID)

  await test.step('declined: the trial goes on, and another card can be tried', async () => {
    await page.getByRole('button', { name: UPGRADE }).click()
    await payWith(page, CARDS.isDeclined)
    await expectSaid(page, 'Payment Failed', 'Your card was declined.')
    await expect(page.getByRole('button', { name: 'Pay £5.00' })).toBeEnabled()
    await expect(cardOf(page, 'Status').getByText('Trial', { exact: true })).toBeVisible()
  })

  await test.step('the owner is asked and fails, then completes', async () => {
    await payWith(page, CARDS.asksEachTime)
    await page.getByRole('button', { name: 'Fail' }).click()
    await expectSaid(page, 'Payment Failed', 'We are unable to authenticate your payment method.')
    expect(new URL(page.url()).search).toBe(`?accountUUID=${accountUUID}`)
    await expect(cardOf(page, 'Status').getByText('Trial', { exact: true })).toBeVisible()
  })

  await test.step('forged returns change nothing', async () => {
    for (const forged of ['pi_forged', 'x', '']) {
      const query = new URLSearchParams({
        accountUUID,
        payment_intent: forged,
        payment_intent_client_secret: `${forged}_secret_1`,
        redirect_status: 'succeeded',
      })
      await page.goto(`${server.origin}/subscription?${query}`)
      await expectSaid(page, 'Error', 'This account has no such payment. Nothing was changed.')
      expect(new URL(page.url()).search).toBe(`?accountUUID=${accountUUID}`)
      await expect(cardOf(page, 'Status').getByText('Trial', { exact: true })).toBeVisible()
    }
  })

  await test.step('the owner is asked and agrees', async () => {
    await page.getByRole('button', { name: UPGRADE }).click()
    await payWith(page, CARDS.asksEachTime)
    await page.getByRole('button', { name: 'Complete' }).click()
    await expectSaid(page, 'Payment Successful', 'Your subscription is now active!')
    expect(new URL(page.url()).search).toBe(`?accountUUID=${accountUUID}`)
    await expect(cardOf(page, 'Status').getByText('Active', { exact: true })).toBeVisible()
  })

  await test.step('a renewal fails: what is open is paid', async () => {
    await moveClock(page, server, '14d', '14d', '3d', '1d')
    await openSubscription(page, server, accountUUID)
    await expect(cardOf(page, 'Status').getByText('Past due', { exact: true })).toBeVisible()
    await expect(cardOf(page, 'Status')).toContainText('past_due')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Back to Dashboard' }).click()
    await expect(page.getByRole('region', { name: 'Subscription', exact: true })).toContainText(
      'Your last payment failed.',
    )
    await page.getByRole('link', { name: 'Pay now' }).click()
    await page.getByRole('button', { name: 'Pay now' }).click()
    await payWith(page, CARDS.pays)
    await expectSaid(page, 'Payment Successful', 'Your subscription is now active!')
    await expect(cardOf(page, 'Status').getByText('Active', { exact: true })).toBeVisible()
  })
})

test('two tabs pay once; without scripts everything but the card works; a frame takes no card', async ({
  page,
  context,
  server,
  browser,
}) => {
  const accountUUID = await beginTrial(context, page, server)

  await test.step('without an account the address leads to the start, and says why', async () => {
    await page.goto(`${server.origin}/subscription`)
    await expectSaid(page, 'Error', 'No account UUID provided')
    expect(new URL(page.url()).pathname).toBe('/')
  })

  const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() })
  const still = await plain.newPage()
  await test.step('without scripts: the amount is told, and what a card needs', async () => {
    await openSubscription(still, server, accountUUID)
    await expect(cardOf(still, 'Status')).toContainText('Your free trial has 14 days left.')
    await expect(still.getByRole('button', { name: 'Open it in a tab of its own' })).toBeVisible()
    await still.getByRole('button', { name: UPGRADE }).click()
    await expect(still.getByRole('heading', { name: 'Pay £5.00' })).toBeVisible()
    await expect(still.getByText('Entering a card needs JavaScript')).toBeVisible()
    await still.getByRole('link', { name: 'Not now' }).click()
    await expect(still.getByRole('button', { name: UPGRADE })).toBeVisible()
  })

  await test.step('inside another page the card is left to a tab of its own', async () => {
    const around = await context.newPage()
    const inside = `/subscription?accountUUID=${accountUUID}`
    await around.route(`${server.origin}/around`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<title>Around</title><iframe src="${inside}"></iframe>` }),
    )
    await around.goto(`${server.origin}/around`)
    const frame = around.frameLocator('iframe')
    await expect(frame.getByText(/^£5\.00 today for a month/)).toBeVisible()
    await expect(frame.getByRole('button', { name: UPGRADE })).toHaveCount(0)
    await frame.getByRole('button', { name: 'Open the payment page' }).click()
    const opened = context.waitForEvent('page')
    await frame.getByRole('button', { name: 'Continue in a new tab' }).click()
    const tab = await opened
    await tab.getByRole('button', { name: /^Open as / }).click()
    await expect(tab.getByRole('button', { name: UPGRADE })).toBeVisible()
    await tab.close()
    await around.close()
  })

  await test.step('two tabs', async () => {
    const other = await context.newPage()
    for (const tab of [page, other]) {
      await openSubscription(tab, server, accountUUID)
      await tab.getByRole('button', { name: UPGRADE }).click()
      await expect(tab.getByLabel('Card number')).toBeVisible()
    }
    // A message lasts five seconds: each tab is watched from the moment it pays.
    const tabs = [page, other].map(async (tab) => {
      await payWith(tab, CARDS.pays)
      await expectSaid(tab, 'Payment Successful', 'Your subscription is now active!')
      await expect(cardOf(tab, 'Status').getByText('Active', { exact: true })).toBeVisible()
    })
    await Promise.all(tabs)
    await other.close()
    expect(await countInvoices(context, page, 'Paid')).toBe(1)
  })

  await test.step('without scripts: cancel, keep, manage billing', async () => {
    await openSubscription(still, server, accountUUID)
    await still.getByText('Cancel subscription…').click()
    await still.getByRole('button', { name: 'Cancel subscription' }).click()
    await expectSaid(still, 'Your subscription is canceled', /It stays active until \d{1,2} [A-Z][a-z]+ \d{4}\./)
    await still.getByRole('button', { name: 'Keep subscription' }).click()
    await expectSaid(still, 'Your subscription continues', 'Nothing else has changed.')
    expect(await countInvoices(plain, still, 'Paid')).toBe(1)
  })
  await plain.close()
})

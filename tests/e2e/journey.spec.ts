import {
  collectComplaints,
  createWebhook,
  DEMO_RECEIVER,
  expect,
  openAddOn,
  openSignedIn,
  setFirstJobStatus,
  signInAtGate,
  test,
} from './stage.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('from the gate to a delivered event in the log, and the webhook deleted again', async ({
      page,
      context,
      server,
    }) => {
      const complaints = collectComplaints(page)
      await openAddOn(page, server)
      await signInAtGate(context, page)
      await expect(page.getByRole('button', { name: 'Watch jobs here' })).toBeVisible()

      await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job' })
      await expect(page.getByText('Webhook created successfully!').first()).toBeVisible()
      const card = page.getByRole('article', { name: 'Job', exact: true })
      await expect(card).toContainText(DEMO_RECEIVER)
      await expect(card.getByRole('textbox', { name: 'Forwarding URL' })).toHaveValue(
        /\/hooks\/platform\/[A-Za-z0-9_-]{43}$/,
      )

      const manager = page.url()
      await setFirstJobStatus(page, server, 'Completed')
      await expect
        .poll(async () =>
          (await (await fetch(`${server.origin}${DEMO_RECEIVER}?format=json`)).text()).includes('changed_fields'),
        )
        .toBe(true)

      await page.goto(manager)
      await page.getByRole('article', { name: 'Job', exact: true }).getByText('View Recent Activity').click()
      const log = page.getByRole('region', { name: 'Recent Activity', exact: true })
      await expect(log.getByText('Success', { exact: true }).filter({ visible: true }).first()).toBeVisible()
      await expect(log.getByText('200').filter({ visible: true }).first()).toBeVisible()
      await expect(log).toContainText('status')

      await page.getByRole('button', { name: 'Delete Job webhook' }).click()
      const question = javaScriptEnabled ? page.getByRole('alertdialog') : page.getByRole('region', { name: /Delete/ })
      await question.getByRole('button', { name: /^Delete/ }).click()
      await expect(page.getByText('Webhook deleted successfully!').first()).toBeVisible()
      await page.getByRole('button', { name: 'Undo: delete the Job webhook' }).click()
      await expect(page.getByText('Webhook restored').first()).toBeVisible()
      await expect(page.getByRole('article', { name: 'Job', exact: true })).toContainText(DEMO_RECEIVER)
      expect(complaints).toEqual([])
    })

    test('a private address is refused in words, and what was typed is kept', async ({ page, context, server }) => {
      await openAddOn(page, server)
      await signInAtGate(context, page)
      await createWebhook(page, { url: 'https://192.168.1.10/hook', object: 'Note', fields: 'note' })
      await expect(page.getByText(/private network/).first()).toBeVisible()
      await expect(page.getByLabel('Callback URL').first()).toHaveValue('https://192.168.1.10/hook')
      await expect(page.getByRole('button', { name: 'Watch jobs here' })).toBeVisible()
    })

    test('closing the consent leads back to the gate with the reason', async ({ page, context, server }) => {
      await openAddOn(page, server)
      const opened = context.waitForEvent('page')
      await page.getByRole('link', { name: /^Sign in with ServiceM8/ }).click()
      const tab = await opened
      await tab.getByRole('button', { name: /^(Deny|Do not allow)/ }).click()
      await expect(tab.getByText('Authentication failed').first()).toBeVisible()
      await expect(tab.getByText(/without allowing access/).first()).toBeVisible()
      await expect(tab.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
    })
  })
}

test('copying the forwarding address says so', async ({ page, context, server }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin })
  await openAddOn(page, server)
  await signInAtGate(context, page)
  await createWebhook(page, { url: server.origin + DEMO_RECEIVER, object: 'Job' })
  const address = await page.getByRole('textbox', { name: 'Forwarding URL' }).inputValue()
  await page.getByRole('button', { name: 'Copy Forwarding URL' }).click()
  await expect(page.getByText('Copied to clipboard!').first()).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address)
})

test('without an account in the address the gate cannot be used, and says why', async ({ page, server }) => {
  await page.goto(`${server.origin}/fieldhook`)
  await expect(page.getByRole('button', { name: 'Please close this page' })).toBeDisabled()
  await expect(
    page.getByText(
      'No account context provided. Please close this page and access through the proper integration with the platform.',
    ),
  ).toBeVisible()
  await page.getByRole('link', { name: 'Go to the pretend ServiceM8' }).click()
  await expect(page.getByRole('heading', { name: 'This is a pretend ServiceM8' })).toBeVisible()
})

test('an unknown address is the 404 page', async ({ page, server }) => {
  const answer = await page.goto(`${server.origin}/no/such/page`)
  expect(answer?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible()
  await expect(page.getByText('Did you forget to add the page to the router?')).toBeVisible()
})

test('the scripts behind a link come while it is only pointed at, its data does not', async ({
  context,
  page,
  server,
}) => {
  await openSignedIn(context, page, server)
  await page.waitForLoadState('networkidle')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const scripts = () => asked.filter((path) => path.startsWith('/assets/'))

  const link = page.getByRole('link', { name: 'Account and security' })
  await link.focus()
  await expect.poll(() => scripts().length).toBeGreaterThan(0)
  await page.waitForLoadState('networkidle')
  expect(asked).toEqual(scripts())

  await link.press('Enter')
  await expect(page.getByRole('heading', { name: 'Account and security', level: 1 })).toBeVisible()
  expect(scripts()).toEqual([...new Set(scripts())])
})

// "Account and security": who is signed in, who did what, everything as a file, and the end of an account. With scripts and without.
import { readFileSync } from 'node:fs'
import { collectComplaints, expect, expectAccessible, FIRM, openAddOn, openSignedIn, signIn, test } from './stage.ts'

test('a second browser is signed out, what was done is found, and everything is taken along', async ({
  page,
  context,
  browser,
  server,
}) => {
  const complaints = collectComplaints(page)
  await openSignedIn(context, page, server)
  const elsewhere = await browser.newContext()
  const other = await elsewhere.newPage()
  await openAddOn(other, server)
  await signIn(elsewhere, other)

  await page.getByRole('link', { name: 'Account and security' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Account and security' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: /^Active sessions/ }).click()
  const list = page.getByRole('region', { name: /^\d browsers?$/ })
  await expect(list.getByRole('listitem')).toHaveCount(2)
  await expectAccessible(page)
  await expect(list.getByText('This browser')).toHaveCount(1)
  await list.getByRole('button', { name: 'Sign out: Signed in through ServiceM8' }).click()
  await expect(page.getByText('That browser is signed out').first()).toBeVisible()
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await other.reload()
  await expect(other.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
  await elsewhere.close()

  const back = () => page.getByRole('navigation', { name: 'Other pages' }).getByRole('link').click()
  await back()
  await page.getByRole('link', { name: /^Who did what/ }).click()
  const did = page.getByRole('region', { name: 'Newest first' })
  await expect(did.getByText('Signed one browser out')).toBeVisible()
  await expectAccessible(page)
  await did.getByText('Filter').click()
  await did.getByLabel('About').selectOption({ label: 'Connection to ServiceM8' })
  await did.getByRole('button', { name: 'Find' }).click()
  await expect(did.getByText('Signed one browser out')).toHaveCount(0)
  await expect(did.getByText('Connected to ServiceM8').first()).toBeVisible()

  await back()
  await page.getByRole('link', { name: /^Export/ }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download everything' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toMatch(/^fieldhook-alder-finch-plumbing-and-heating-\d{4}-\d\d-\d\d\.json$/)
  const copy = JSON.parse(readFileSync(await file.path(), 'utf8'))
  expect(copy).toMatchObject({ account: { name: FIRM }, connection: { state: 'connected' } })

  await back()
  await page.getByRole('link', { name: /^Active sessions/ }).click()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  const question = page.getByRole('alertdialog', { name: 'Sign out everywhere?' })
  await question.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(page.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
  expect(complaints).toEqual([])
})

test('the operator sees how everybody fares, on a phone and on a desk; nobody else finds the page', async ({
  page,
  context,
  server,
}) => {
  await openAddOn(page, server, { admin: true })
  await signIn(context, page)
  await page.getByRole('link', { name: 'Operator' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Operator' })).toBeVisible()
  for (const width of [375, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await expectAccessible(page)
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(over).toBe(0)
  }
  await expect(page.getByRole('region', { name: 'Accounts' }).getByText(FIRM)).toBeVisible()
  await page.goto(page.url().replace('admin=yes', ''))
  await expect(page.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('an account is erased once its name is typed', async ({ page, context, server }) => {
    await openSignedIn(context, page, server)
    const accountUUID = new URL(page.url()).searchParams.get('accountUUID') ?? ''
    await page.getByRole('link', { name: 'Account and security' }).click()
    await page.getByRole('link', { name: 'Erase this account' }).click()
    const card = page.getByRole('region', { name: 'Erase everything for good?' })
    await expect(page.getByRole('region', { name: 'What we keep' })).toBeVisible()
    await card.getByRole('textbox', { name: 'Type the name of the account' }).fill('something else')
    await card.getByRole('button', { name: 'Erase this account' }).click()
    await expect(card.getByText('Nothing was erased.')).toBeVisible()
    await card.getByRole('textbox', { name: 'Type the name of the account' }).fill(FIRM)
    await card.getByRole('button', { name: 'Erase this account' }).click()
    await expect(page.getByText('This account is being erased').first()).toBeVisible()
    await page.goto(`${server.origin}/fieldhook?accountUUID=${accountUUID}`)
    await expect(page.getByRole('heading', { name: 'Connect to ServiceM8' })).toBeVisible()
  })
})

// What an owner asks afterwards: what was done, what comes next, why not; and where a template or an API field comes from.
import type { BrowserContext, Page } from '@playwright/test'
import {
  collectComplaints,
  expect,
  expectAccessible,
  expectLooks,
  openAddOn,
  type Server,
  signIn,
  test,
} from './stage.ts'

interface Stage {
  page: Page
  context: BrowserContext
  server: Server
}

const says = (page: Page, words: string | RegExp) =>
  expect(page.getByText(words, { exact: true }).filter({ visible: true }).first()).toBeVisible()
const runs = (page: Page) => page.getByRole('list', { name: /^Runs/ }).getByRole('listitem')

/** Signed in, with these rules; the ids of them, in their order. */
async function openHistory({ page, context, server }: Stage, rules: object[], options: { admin?: boolean } = {}) {
  await openAddOn(page, server, options)
  await signIn(context, page)
  const accountUUID = new URL(page.url()).searchParams.get('accountUUID') ?? ''
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`${server.origin}${path}`, { data, headers: { origin: server.origin } })
    expect(answer.ok(), await answer.text()).toBe(true)
    return answer.json()
  }
  const ids: number[] = []
  for (const rule of rules) ids.push((await post('/api/automation', { ...rule, accountUUID })).id)
  const query = `?accountUUID=${accountUUID}${options.admin ? '&admin=yes' : ''}`
  return {
    ids,
    at: (path: string, more = '') => `${server.origin}${path}${query}${more}`,
    runNow: (id: number) => post(`/api/automation/${id}/run`, {}),
  }
}

const TASK = [{ type: 'create_task', parameters: { title: 'Call back about job {entry.0.generated_job_id}' } }]
const EVENT = { triggerSource: 'webhook', object: 'job', triggerType: 'job_updated', actions: TASK }
const CALL_BACK = { name: 'Call back', ...EVENT }
const NEVER = {
  name: 'Never matches',
  ...EVENT,
  conditions: [{ field: 'job_description', operator: 'contains', value: 'moon base' }],
}
const DAILY = {
  name: 'Morning look',
  triggerSource: 'api_polling',
  apiEndpoint: '/api_1.0/job.json',
  pollInterval: 'daily',
  conditions: [{ field: 'job_description', operator: 'contains', value: 'moon base' }],
  actions: TASK,
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })
    // The checker is itself a script.
    const expectReadable = (page: Page) => (javaScriptEnabled ? expectAccessible(page) : Promise.resolve())

    test('a run is found, looked into and done once more; a job that did not fire is explained', async ({
      page,
      context,
      server,
    }) => {
      const complaints = collectComplaints(page)
      const { ids, at, runNow } = await openHistory({ page, context, server }, [CALL_BACK, NEVER, DAILY])
      await runNow(ids[0] ?? 0)
      await page.goto(at('/automation'))
      await page.getByRole('link', { name: 'History', exact: true }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Run history' })).toBeVisible()
      await expect(runs(page)).toHaveCount(1)
      await expect(runs(page)).toContainText(/^Job \S+ · .*Task "Call back about job \S+/)
      await expectReadable(page)

      await page.getByLabel('Search', { exact: true }).fill('no such words')
      await page.getByRole('button', { name: 'Find', exact: true }).click()
      await says(page, 'No run fits')
      await page.getByRole('link', { name: 'Show all runs' }).click()
      await expect(runs(page)).toHaveCount(1)
      await page.getByLabel('Search', { exact: true }).fill('call back about')
      await page.getByRole('button', { name: 'Find', exact: true }).click()
      await expect(page).toHaveURL(/text=call\+back/)
      await runs(page).getByRole('link').click()

      const heading = page.getByRole('heading', { level: 1 })
      await expect(heading).toHaveText(/^Created a task · .+ · job \S+$/)
      const title = (await heading.textContent()) ?? ''
      const steps = page.getByRole('region', { name: 'Steps', exact: true })
      await expect(steps).toContainText('1. Create Task')
      await expect(steps).toContainText('Done')
      await steps.getByText('Details').click()
      await expect(steps).toContainText('Call back about job')
      await expect(steps).toContainText(/Sent after/)
      await expectReadable(page)
      await page.getByText('Run again…').click()
      await says(page, 'Repeats every step. No customer gets a message again.')
      await page.getByRole('button', { name: 'Run all again' }).click()
      await says(page, 'Run again')
      await expect(page.getByRole('link', { name: /^Repeats run \d+$/ })).toBeVisible()

      const number = /job (\S+)$/.exec(title)?.[1] ?? ''
      await page.getByRole('link', { name: 'Why did this job not fire?' }).click()
      await page.getByLabel('Job number').fill('no such job!')
      await page.getByRole('button', { name: 'Explain' }).click()
      await says(page, 'Enter a job number, like 4411, or a record id.')
      await page.getByLabel('Job number').fill(number)
      await page.getByRole('button', { name: 'Explain' }).click()
      await expect(page.getByRole('heading', { level: 2, name: `Job ${number}` })).toBeVisible()
      const never = page.getByRole('listitem').filter({ hasText: 'Never matches' })
      await expect(never).toContainText('Conditions not met')
      await expect(never).toContainText(/The automation needs: its job description contains "moon base"\./i)
      await expectReadable(page)

      await page.getByRole('link', { name: 'Upcoming' }).click()
      await expect(page.getByRole('list', { name: 'Next checks' })).toContainText('Morning look')
      await expectReadable(page)
      await page.getByRole('link', { name: /^Needs you/ }).click()
      await says(page, 'Nothing needs you')
      // Job numbers that nobody can have are refused with 400: the browser says so.
      expect(complaints.filter((line) => !line.includes('400'))).toEqual([])
    })

    test('the first automation is on after three presses, blank included', async ({ page, context, server }) => {
      const { at } = await openHistory({ page, context, server }, [])
      await page.goto(at('/automation', ''))
      await page.getByRole('link', { name: 'Use Ask for a review the day after' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Ask for a review the day after' })).toBeVisible()
      await expectReadable(page)
      await page.getByLabel('Review link').fill('https://example.com/review')
      await page.getByRole('button', { name: 'Turn on' }).click()
      await says(page, 'Automation created')
      await expect(page.getByRole('switch', { name: 'Active: Ask for a review the day after' })).toBeChecked()
    })

    test('a template is searched for, and used', async ({ page, context, server }) => {
      const { at } = await openHistory({ page, context, server }, [])
      await page.goto(at('/automation', '&tab=templates'))
      await says(page, '29 templates')
      await expectReadable(page)
      await page.getByLabel('Search templates').fill('yearly service')
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      await says(page, '1 template found')
      await page.getByRole('link', { name: /Yearly service is due/ }).click()
      await expect(page.getByLabel('Service category')).toBeVisible()
      await page.getByLabel('Business name').fill('Banksia Bay Electrical')
      await expectReadable(page)
      await page.getByRole('button', { name: 'Edit all' }).click()
      await says(page, 'Template loaded')
      await expect(page.getByLabel('Automation Name')).toHaveValue('Yearly service is due (From Template)')
      await expect(page.locator('textarea', { hasText: 'Banksia Bay Electrical' }).first()).toBeAttached()
    })

    test('an admin makes a template of an automation', async ({ page, context, server }) => {
      const { at } = await openHistory({ page, context, server }, [CALL_BACK], { admin: true })
      await page.goto(at('/automation', '&tab=templates'))
      await page.getByText('Create a template').click()
      await page.getByLabel('Template name').fill(' ')
      await page.getByRole('button', { name: 'Create template' }).click()
      await says(page, /^(Failed to create template|Template name is required)/)
      const name = page.getByLabel('Template name')
      if (!(await name.isVisible())) await page.getByText('Create a template').click()
      await name.fill('Call them back')
      await page.getByRole('button', { name: 'Create template' }).click()
      await says(page, 'Template created')
      await expect(page.getByRole('link', { name: /Call them back/ })).toBeVisible()
    })

    test('an admin looks at what the API gives', async ({ page, context, server }) => {
      const { at } = await openHistory({ page, context, server }, [], { admin: true })
      await page.goto(at('/automation', '&tab=api'))
      await page.getByLabel('API endpoint').selectOption({ label: 'Companies' })
      await page.getByRole('button', { name: 'Test API' }).click()
      await expect(page.getByRole('list', { name: 'Fields found' })).toContainText('uuid')
      await expect(page.getByText(/"uuid": "/).first()).toBeVisible()
      await expectReadable(page)
      if (!javaScriptEnabled) return
      await page.getByRole('button', { name: 'Create Dynamic Mapping for name' }).click()
      const create = page.getByRole('dialog', { name: 'Create Dynamic Mapping' })
      await create.getByLabel('Field name').fill('Customer Name')
      await expectReadable(page)
      await create.getByRole('button', { name: 'Save mapping' }).click()
      await page.getByRole('button', { name: /^Dynamic Mapping Manager/ }).click()
      const list = page.getByRole('dialog', { name: 'Dynamic Mapping Manager' })
      await expect(list).toContainText('customer_name')
      const download = page.waitForEvent('download')
      await list.getByRole('button', { name: 'Export mappings' }).click()
      expect((await download).suggestedFilename()).toMatch(/^dynamic-mappings-\d{4}-\d\d-\d\d\.json$/)
    })
  })
}

test('the history and the library are accessible and fit the screen', async ({ page, context, server }) => {
  const { ids, at, runNow } = await openHistory({ page, context, server }, [CALL_BACK, NEVER, DAILY], {
    admin: true,
  })
  await runNow(ids[0] ?? 0)
  await page.goto(at('/automation/runs'))
  await expectLooks(page, 'automation-runs')
  const job = /^Job (\S+)/.exec((await runs(page).getByRole('link').textContent()) ?? '')?.[1] ?? ''
  await page.goto(at('/automation/runs/1'))
  await expectLooks(page, 'automation-run')
  await page.goto(at('/automation/runs', `&view=why&job=${job}`))
  await expectLooks(page, 'automation-why')
  await page.goto(at('/automation/runs', '&view=upcoming'))
  await expectLooks(page, 'automation-upcoming')
  await page.goto(at('/automation', '&tab=templates'))
  await expectLooks(page, 'template-library')
  await page.goto(at('/automation', '&tab=api&api=companies'))
  await expectLooks(page, 'api-explorer')
})

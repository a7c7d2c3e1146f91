import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { renderPage } from '#tests/support/page-stub.tsx'
import { type ApiTest, apiCallFailed, fieldsFound } from '../api-fields.ts'
import { API_NAMES } from '../lookups.ts'
import { ApiExplorer } from './api-explorer.tsx'

const RECORDS = [{ uuid: 'job-1', company_uuid: 'c-1', status: 'Quote' }]
const FOUND: ApiTest = {
  outcome: 'found',
  api: 'jobs',
  count: 1,
  shown: 1,
  raw: JSON.stringify(RECORDS, null, 2),
  fields: fieldsFound(RECORDS),
}

// What one test keeps is not there in the next: each has an account of its own.
let account = 0
beforeEach(() => {
  account += 1
})

function draw(test: ApiTest | null = null, accountId = `account-${account}`) {
  return renderPage({ page: () => <ApiExplorer test={test} admin accountId={accountId} /> })
}

const dialog = (name: string) => screen.findByRole('dialog', { name })
const press = (name: string | RegExp, where = screen.getByRole.bind(screen)) =>
  fireEvent.click(where('button', { name }))

describe('the API test', () => {
  it('offers the ten endpoints and asks by address, without scripts', () => {
    draw()
    const picked = screen.getByLabelText<HTMLSelectElement>('API endpoint')
    expect([...picked.options].map((option) => option.value)).toEqual(Object.keys(API_NAMES))
    expect(picked.options).toHaveLength(10)
    const form = picked.closest('form')
    expect([form?.method, form?.getAttribute('action')]).toEqual(['get', '/automation'])
    expect(Object.fromEntries(new FormData(form ?? undefined))).toEqual({
      accountUUID: `account-${account}`,
      admin: 'yes',
      tab: 'api',
      api: 'jobs',
    })
  })

  it('shows the raw JSON and the fields found', () => {
    draw(FOUND)
    expect(screen.getByText(/"company_uuid": "c-1"/).textContent).toBe(FOUND.raw)
    const fields = within(screen.getByRole('list', { name: 'Fields found' })).getAllByRole('listitem')
    expect(fields.map((field) => field.textContent)).toEqual([
      'uuid textjob-1',
      'company_uuid textc-1',
      'status textQuote',
    ])
  })

  it('says in an API Error box what the platform answered', () => {
    draw({ outcome: 'failed', api: 'jobs', message: apiCallFailed(500, 'insufficient_scope') })
    const box = screen.getByRole('alert')
    expect(box.textContent).toBe('API ErrorAPI call failed: 500 insufficient_scope')
  })
})

describe('dynamic mappings', () => {
  async function create(name: string) {
    press('Create Dynamic Mapping for company_uuid')
    const open = await dialog('Create Dynamic Mapping')
    fireEvent.change(within(open).getByLabelText('Field name'), { target: { value: name } })
    fireEvent.click(within(open).getByRole('button', { name: 'Save mapping' }))
    return open
  }

  it('need a field name', async () => {
    draw(FOUND)
    const open = await create('  ')
    expect(within(open).getByText('Field name is required').textContent).toBe('Field name is required')
  })

  it('are kept under their key, listed, and deleted', async () => {
    draw(FOUND)
    await create('Customer (own)')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    press('Dynamic Mapping Manager (1)')
    const list = await dialog('Dynamic Mapping Manager')
    expect(within(list).getByRole('listitem').textContent).toBe('Customer (own) customer__own_jobs.company_uuid')
    fireEvent.click(within(list).getByRole('button', { name: 'Delete mapping Customer (own)' }))
    await waitFor(() => expect(within(list).queryByRole('listitem')).toBeNull())
  })

  it('are still there after another tab was open, for their own account only', async () => {
    const first = draw(FOUND)
    await create('Customer')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    first.unmount()
    const again = draw(FOUND)
    expect(screen.getByRole('button', { name: 'Dynamic Mapping Manager (1)' })).not.toBeNull()
    again.unmount()
    draw(FOUND, 'another-account')
    expect(screen.getByRole('button', { name: 'Dynamic Mapping Manager' })).not.toBeNull()
  })

  it('come back from an export, and nothing else does', async () => {
    draw()
    press('Dynamic Mapping Manager')
    const list = await dialog('Dynamic Mapping Manager')
    const box = within(list).getByLabelText('Import mappings')
    const take = () => fireEvent.click(within(list).getByRole('button', { name: 'Import mappings' }))
    fireEvent.change(box, { target: { value: '{"version":"2.0"}' } })
    take()
    expect(list.textContent).toContain('This is no export of dynamic mappings, version 1.0.')
    const mapping = {
      name: 'Job',
      apiChain: [{ api: 'jobs', field: 'uuid' }],
      createdAt: '2026-01-05T09:00:00.000Z',
      type: 'custom',
    }
    fireEvent.change(box, { target: { value: JSON.stringify({ dynamicMappings: { job: mapping }, version: '1.0' }) } })
    take()
    await waitFor(() => expect(within(list).getByRole('listitem').textContent).toBe('Job jobjobs.uuid'))
  })
})

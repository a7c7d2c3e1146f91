import { describe, expect, it } from 'vitest'
import { DEFAULT_LOG_FILTER } from '#app/features/events/log-view.ts'
import { type ManagerStep, managerSearch, readManagerStep } from './manager-address.ts'

const ACCOUNT = { accountUUID: 'a b', admin: false }

describe('the address of the manager page', () => {
  it('names the account, and the role only when it was asked for', () => {
    expect(managerSearch(ACCOUNT)).toBe('?accountUUID=a+b')
    expect(managerSearch({ ...ACCOUNT, admin: true })).toBe('?accountUUID=a+b&admin=yes')
  })

  it.each<ManagerStep>([
    { step: 'none' },
    { step: 'edit', webhookId: 3 },
    { step: 'confirmDelete', webhookId: 12 },
    {
      step: 'log',
      webhookId: 3,
      filter: { limit: 50, timeRange: 'all', forwardingStatus: 'failed', hasDetails: false },
    },
    { step: 'replay', webhookId: 3, form: null },
    { step: 'replay', webhookId: 3, form: { since: '2025-11-21T09:00', status: 'all', objectUuid: '' } },
    { step: 'secret', webhookId: 3 },
    { step: 'edit', webhookId: 'rule-3' },
    { step: 'replay', webhookId: 'rule-3', form: null },
    { step: 'secret', webhookId: 'rule-3' },
  ])('reads back what it wrote: $step', (step) => {
    expect(readManagerStep(new URLSearchParams(managerSearch(ACCOUNT, step)))).toEqual(step)
  })

  it('opens a log with the usual filter when none is named', () => {
    expect(readManagerStep(new URLSearchParams('log=3'))).toEqual({
      step: 'log',
      webhookId: 3,
      filter: DEFAULT_LOG_FILTER,
    })
  })

  it.each(['edit=', 'edit=0', 'edit=-1', 'edit=1e3', 'edit=3x', 'edit=99999999999999999999'])(
    'takes %s for nothing',
    (query) => {
      expect(readManagerStep(new URLSearchParams(query))).toEqual({ step: 'none' })
    },
  )
})

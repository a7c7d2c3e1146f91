import { describe, expect, it } from 'vitest'
import { newAccount, recordsOf } from '../accounts.server.ts'
import { findObject } from '../servicem8/catalog.ts'
import { badgesOf } from '../servicem8/events.ts'
import { localText, UNSET_TIME } from '../servicem8/local-time.ts'
import { checkValues, isUuid } from '../servicem8/record-values.ts'
import type { AccountState } from '../state.server.ts'
import { JOB_STATUSES, type SandboxRecord } from '../world.ts'
import { AU_ACCOUNT } from './au-firm.ts'
import { seedWorld } from './seed.ts'
import { UK_ACCOUNT } from './uk-firm.ts'

// Just after midnight in London: whatever the seed calls past must be past even then.
const NOW = Date.UTC(2026, 0, 6, 0, 5)

const seed = seedWorld()
const accounts: AccountState[] = seed.map((one) => newAccount(one, NOW))

/** Which object a reference leads to, by the name of its field. */
const LEADS_TO: Readonly<Record<string, string>> = {
  company_uuid: 'company',
  job_uuid: 'job',
  queue_uuid: 'queue',
  category_uuid: 'category',
  material_uuid: 'material',
  material_bundle_uuid: 'materialbundle',
  job_material_bundle_uuid: 'jobmaterialbundle',
  form_uuid: 'form',
  tax_rate_uuid: 'taxrate',
  security_role_uuid: 'securityrole',
  payment_actioned_by_uuid: 'staff',
  completion_actioned_by_uuid: 'staff',
  actioned_by_uuid: 'staff',
}

describe('the demo accounts', () => {
  it('are two firms in different time zones with different money', () => {
    expect(seed.map((one) => one.vendor.uuid)).toEqual([UK_ACCOUNT, AU_ACCOUNT])
    expect(seed.map((one) => one.vendor.timezone_name)).toEqual(['Europe/London', 'Australia/Brisbane'])
    expect(seed.map((one) => one.vendor.currency)).toEqual(['GBP', 'AUD'])
  })

  it('are the same at every start', () => {
    expect(seedWorld()).toEqual(seed)
  })

  it('use every uuid once, also across accounts', () => {
    const uuids = accounts.flatMap((account) => everyRecord(account).map(([, record]) => record.uuid))
    expect(uuids.filter((uuid) => !isUuid(uuid))).toEqual([])
    expect(new Set(uuids).size).toBe(uuids.length)
  })

  it('hold only values that the platform would take', () => {
    const refusals = accounts.flatMap((account) =>
      everyRecord(account).flatMap(([object, record]) => {
        const fact = findObject(object)
        const checked = fact ? checkValues(fact, record, 'UTC') : { outcome: 'bad', message: 'unknown object' }
        return checked.outcome === 'bad' ? [`${object} ${record.uuid}: ${JSON.stringify(checked)}`] : []
      }),
    )
    expect(refusals).toEqual([])
  })

  it('refer only to records of their own account', () => {
    expect(accounts.flatMap(danglingReferences)).toEqual([])
  })

  it('use only telephone numbers and mail addresses that belong to nobody', () => {
    const fields = accounts.flatMap((account) =>
      everyRecord(account).flatMap(([, one]) => [one.mobile, one.phone, one.email].map(String)),
    )
    const given = fields.filter((value) => value !== 'undefined' && value !== '')
    const numbers = given.filter((value) => !value.includes('@')).map((value) => value.replaceAll(/[^\d+]/g, ''))
    const addresses = given.filter((value) => value.includes('@'))
    // Ofcom: 07700 900xxx and 0113 496 0xxx. ACMA: 0491 57x xxx, (07) 5550 xxxx and (07) 7010 xxxx.
    const fictional = /^((\+44|0)7700900\d{3}|01134960\d{3}|(\+61|0)49157\d{4}|07(5550|7010)\d{4})$/
    expect(numbers.filter((number) => !fictional.test(number))).toEqual([])
    expect(addresses.filter((address) => !/@([\w-]+\.test|example\.com)$/.test(address))).toEqual([])
  })
})

describe.each(seed.map((one, index) => [one.vendor.name, index] as const))('%s', (_name, index) => {
  const account = accounts[index] as AccountState
  const jobs = recordsOf(account, 'job')

  it('is as busy as a small firm', () => {
    expect(between(jobs.length, 25, 40)).toBe(true)
    expect(between(recordsOf(account, 'company').length, 12, 18)).toBe(true)
    expect(between(recordsOf(account, 'staff').length, 4, 6)).toBe(true)
    for (const object of [
      'queue',
      'category',
      'badge',
      'material',
      'materialbundle',
      'emailtemplate',
      'smstemplate',
      'jobtemplate',
    ]) {
      expect([object, recordsOf(account, object).length >= 3]).toEqual([object, true])
    }
  })

  it('has jobs in every status, numbered without gaps', () => {
    expect(new Set(jobs.map((job) => job.status))).toEqual(new Set(JOB_STATUSES))
    const numbers = jobs.map((job) => Number(job.generated_job_id))
    expect(numbers).toEqual(numbers.map((_, step) => (numbers[0] ?? 0) + step))
    expect(account.nextJobNumber).toBe((numbers.at(-1) ?? 0) + 1)
  })

  it('begins its newest jobs unfinished, so that there is something to press', () => {
    const newest = jobs.slice(-5)
    expect(newest.map((job) => job.active)).toEqual([1, 1, 1, 1, 1])
    expect(newest.filter((job) => job.status === 'Completed' || job.status === 'Unsuccessful')).toEqual([])
  })

  it('has deleted records and jobs whose contact lacks a telephone or an e-mail address', () => {
    for (const object of ['job', 'company', 'staff', 'category', 'material']) {
      expect([object, recordsOf(account, object).some((one) => one.active === 0)]).toEqual([object, true])
    }
    const contacts = recordsOf(account, 'jobcontact').filter((one) => one.type === 'JOB')
    expect(contacts.some((one) => one.mobile === '')).toBe(true)
    expect(contacts.some((one) => one.email === '')).toBe(true)
    expect(jobs.some((job) => !contacts.some((one) => one.job_uuid === job.uuid))).toBe(true)
  })

  it('has bookings today and tomorrow, and everything recorded lies in the past', () => {
    const now = localText(NOW, String(seed[index]?.vendor.timezone_name))
    const activities = recordsOf(account, 'jobactivity')
    const booked = activities.filter((one) => one.activity_was_scheduled === '1').map((one) => dayOf(one.start_date))
    expect(booked).toContain(now.slice(0, 10))
    expect(booked.some((day) => day > now.slice(0, 10))).toBe(true)
    const recorded = activities.filter((one) => one.activity_was_recorded === '1').map((one) => String(one.end_date))
    const written = [
      ...recordsOf(account, 'note').map((one) => one.create_date),
      ...recordsOf(account, 'jobpayment').map((one) => one.timestamp),
      ...recordsOf(account, 'attachment').map((one) => one.timestamp),
      ...recordsOf(account, 'formresponse').map((one) => one.timestamp),
      ...everyRecord(account).map(([, one]) => one.edit_date),
      ...jobs.flatMap((job) => [job.quote_date, job.work_order_date, job.completion_date, job.unsuccessful_date]),
    ].map(String)
    expect([...recorded, ...written].filter((text) => text > now)).toEqual([])
  })

  it('stamps each job as its status says', () => {
    const missing = jobs.filter((job) => {
      const stamp = { Completed: 'completion_date', Unsuccessful: 'unsuccessful_date', 'Work Order': 'work_order_date' }
      const field = stamp[job.status as keyof typeof stamp]
      return field !== undefined && job[field] === UNSET_TIME
    })
    expect(missing).toEqual([])
  })

  it('has totals that agree with lines, and payments that agree with totals', () => {
    for (const job of jobs) {
      const lines = recordsOf(account, 'jobmaterial').filter((one) => one.job_uuid === job.uuid)
      const total = lines.reduce((sum, one) => sum + Number(one.price) * Number(one.quantity), 0)
      const payments = recordsOf(account, 'jobpayment').filter((one) => one.job_uuid === job.uuid)
      const paid = payments.reduce((sum, one) => sum + Number(one.amount), 0)
      expect([job.generated_job_id, job.total_invoice_amount]).toEqual([job.generated_job_id, total.toFixed(2)])
      expect([job.generated_job_id, job.payment_received]).toEqual([
        job.generated_job_id,
        total > 0 && paid.toFixed(2) === total.toFixed(2) ? 1 : 0,
      ])
      expect([job.generated_job_id, paid <= total + 0.001]).toEqual([job.generated_job_id, true])
    }
  })
})

function everyRecord(account: AccountState): [object: string, record: SandboxRecord][] {
  return [...account.records].flatMap(([object, rows]) =>
    [...rows.values()].map((record): [string, SandboxRecord] => [object, record]),
  )
}

function danglingReferences(account: AccountState): string[] {
  const has = (object: string, uuid: unknown) => account.records.get(object)?.has(String(uuid)) ?? false
  return everyRecord(account).flatMap(([object, record]) => {
    const wrong = Object.entries(record).flatMap(([field, value]) => {
      if (typeof value !== 'string' || value === '') return []
      const target = targetOf(field, record)
      return target && !has(target, value) ? [`${object}.${field}`] : []
    })
    const lists = [
      ...badgesOf(record.badges).filter((uuid) => !has('badge', uuid)),
      ...String(record.subscribed_staff ?? '')
        .split(';')
        .filter((uuid) => uuid !== '' && !has('staff', uuid)),
      ...materialsIn(record).filter((uuid) => !has('material', uuid)),
    ]
    return [...wrong, ...lists].map((what) => `${record.uuid}: ${what}`)
  })
}

function targetOf(field: string, record: SandboxRecord): string | undefined {
  if (field === 'related_object_uuid') return String(record.related_object)
  if (field === 'regarding_object_uuid') return String(record.regarding_object)
  if (field.endsWith('staff_uuid')) return 'staff'
  return LEADS_TO[field]
}

function materialsIn(record: SandboxRecord): string[] {
  const list = record.material_list
  return Array.isArray(list) ? list.map((one: { uuid: string }) => one.uuid) : []
}

function dayOf(time: unknown): string {
  return String(time).slice(0, 10)
}

function between(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}

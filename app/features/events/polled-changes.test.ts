import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { localStamp } from '#app/domain/time/local-time.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import {
  changesOf,
  forgettableBefore,
  type ListedRecord,
  latestEdit,
  nextWatermark,
  pollFilter,
  readListed,
  type Snapshot,
} from './polled-changes.ts'

const WATCHED = ['active', 'job_uuid', 'first', 'last', 'phone', 'mobile', 'email', 'type']
const UUID = 'aaaaaaaa-0000-4000-8000-00000000000a'

function contact(values: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    uuid: UUID,
    active: 1,
    edit_date: '2026-01-05 09:00:00',
    job_uuid: 'job-1',
    first: 'Robin',
    last: '',
    phone: '',
    mobile: '07700 900123',
    email: '',
    type: 'JOB',
    is_primary_contact: '1',
    ...values,
  }
}

function listed(values: Record<string, unknown> = {}): ListedRecord {
  const record = readListed('jobcontact', contact(values))
  if (!record) throw new Error('not a record')
  return record
}

function seen(values: Record<string, unknown> = {}, takenAt = 1): ReadonlyMap<string, Snapshot> {
  const { editDate, fields } = listed(values)
  return new Map([[UUID, { editDate, fields, takenAt }]])
}

function changes(
  values: Record<string, unknown>,
  before: ReadonlyMap<string, Snapshot> = new Map(),
  over: { watched?: string[]; firstSight?: boolean } = {},
) {
  return changesOf({
    object: 'jobcontact',
    listed: [listed(values)],
    snapshots: before,
    watched: over.watched ?? WATCHED,
    firstSight: over.firstSight ?? false,
  })
}

describe('reading a record of a list', () => {
  test('takes the fields we look at as text, however they are written', () => {
    expect(readListed('jobcontact', contact({ uuid: UUID.toUpperCase(), active: '1', last: null, phone: 12 }))).toEqual(
      {
        recordUuid: UUID,
        editDate: '2026-01-05 09:00:00',
        fields: {
          active: '1',
          job_uuid: 'job-1',
          first: 'Robin',
          last: '',
          phone: '12',
          mobile: '07700 900123',
          email: '',
          type: 'JOB',
        },
      },
    )
  })

  test.each([undefined, 7, '', 'a b', '../x', 'x'.repeat(101)])('takes none with %j as its uuid', (uuid) => {
    expect(readListed('jobcontact', contact({ uuid }))).toBeNull()
  })
})

describe('what is new', () => {
  test('at the first sight is nothing: it is only written down', () => {
    expect(changes({}, new Map(), { firstSight: true })).toEqual([{ record: listed(), event: null }])
  })

  test('is a record that was made since, with the fields that hold something', () => {
    const [change] = changes({})
    expect(change?.event?.changedFields).toEqual(['active', 'job_uuid', 'first', 'mobile', 'type'])
    expect(JSON.parse(change?.event?.body ?? '')).toEqual({
      object: 'jobcontact',
      entry: [
        {
          uuid: UUID,
          changed_fields: ['active', 'job_uuid', 'first', 'mobile', 'type'],
          time: '2026-01-05 09:00:00',
        },
      ],
      resource_url: `https://api.servicem8.com/api_1.0/jobcontact/${UUID}.json`,
    })
  })

  test('is a field that differs from before', () => {
    const [change] = changes({ mobile: '07700 900999', edit_date: '2026-01-05 09:04:00' }, seen())
    expect(change?.event?.changedFields).toEqual(['mobile'])
    expect(change?.record.fields.mobile).toBe('07700 900999')
  })

  test('is a deletion, as `active`', () => {
    const [change] = changes({ active: 0, edit_date: '2026-01-05 09:04:00' }, seen())
    expect(change?.event?.changedFields).toEqual(['active'])
  })

  test('is a second edit within the same second', () => {
    expect(changes({ mobile: '1' }, seen())[0]?.event?.changedFields).toEqual(['mobile'])
  })

  test('is nothing when the record is as it was', () => {
    expect(changes({}, seen())).toEqual([])
    expect(changes({ active: '1', is_primary_contact: '0' }, seen())).toEqual([])
  })

  test('is nothing to tell of when it was only saved again, but the date is written down', () => {
    expect(changes({ edit_date: '2026-01-05 09:04:00' }, seen())).toEqual([
      { record: listed({ edit_date: '2026-01-05 09:04:00' }), event: null },
    ])
  })

  test('is only what somebody watches; the snapshot moves all the same', () => {
    const later = { mobile: '1', edit_date: '2026-01-05 09:04:00' }
    expect(changes(later, seen(), { watched: ['email'] })).toEqual([{ record: listed(later), event: null }])
    expect(changes({ ...later, email: 'x' }, seen(), { watched: ['email'] })[0]?.event?.changedFields).toEqual([
      'email',
    ])
  })

  test('can be asked for as creation or as any save, by the names uuid and edit_date', () => {
    expect(changes({}, new Map(), { watched: ['uuid'] })[0]?.event?.changedFields).toEqual(['uuid'])
    const saved = { mobile: '1', edit_date: '2026-01-05 09:04:00' }
    expect(changes(saved, seen(), { watched: ['uuid'] })[0]?.event).toBeNull()
    expect(changes(saved, seen(), { watched: ['edit_date'] })[0]?.event?.changedFields).toEqual(['edit_date'])
  })

  test('is not a field that the snapshot never held', () => {
    const before = new Map([[UUID, { editDate: '2026-01-05 09:00:00', fields: { first: 'Robin' }, takenAt: 1 }]])
    expect(changes({}, before)).toEqual([])
    expect(changes({ first: 'Rob' }, before)[0]?.event?.changedFields).toEqual(['first'])
  })

  test('is told once when a moving list shows the record twice', () => {
    const both = [listed({ mobile: '1' }), listed({ mobile: '2' })]
    const found = changesOf({
      object: 'jobcontact',
      listed: both,
      snapshots: seen(),
      watched: WATCHED,
      firstSight: false,
    })
    expect(found.map((change) => change.record.fields.mobile)).toEqual(['2'])
  })

  test('has one name for one change, and another for the next, even of the same second and the same values', () => {
    const name = (values: Record<string, unknown>, before: ReadonlyMap<string, Snapshot>) =>
      changes(values, before)[0]?.event?.identity
    expect(name({ mobile: '1' }, seen())).toBe(name({ mobile: '1' }, seen()))
    expect(name({ mobile: '1' }, seen())).not.toBe(name({ mobile: '2' }, seen()))
    expect(name({ mobile: '1' }, seen({}, 1))).not.toBe(name({ mobile: '1' }, seen({}, 2)))
  })
})

describe('how far the list has been read', () => {
  const LOCAL = '2026-01-05 10:00:00'

  test('a look asks again for two hours', () => {
    expect(pollFilter('2026-01-05 09:30:10', LOCAL)).toBe("edit_date gt '2026-01-05 07:30:10'")
    expect(pollFilter('2026-01-01 00:30:00', LOCAL)).toBe("edit_date gt '2025-12-31 22:30:00'")
  })

  test('the first look goes back a year', () => {
    expect(pollFilter('', LOCAL)).toBe("edit_date gt '2025-01-05 10:00:00'")
  })

  test('a clock that was set back hides nothing', () => {
    expect(pollFilter('2026-01-05 13:00:00', LOCAL)).toBe("edit_date gt '2026-01-05 08:00:00'")
  })

  test('the watermark is the latest edit, and stays where nothing was edited', () => {
    expect(nextWatermark('2026-01-05 08:00:00', '2026-01-05 09:00:00', LOCAL)).toBe('2026-01-05 09:00:00')
    expect(nextWatermark('2026-01-05 08:00:00', '', LOCAL)).toBe('2026-01-05 08:00:00')
    expect(nextWatermark('2026-01-05 08:00:00', '2026-01-05 07:00:00', LOCAL)).toBe('2026-01-05 08:00:00')
  })

  test('an empty first look is a look: what comes next is new', () => {
    expect(nextWatermark('', '', LOCAL)).toBe('2026-01-04 10:00:00')
  })

  test('a record from the future does not make us blind until then', () => {
    expect(nextWatermark('2026-01-05 08:00:00', '2099-01-01 00:00:00', LOCAL)).toBe(LOCAL)
    expect(nextWatermark('2026-01-05 08:00:00', '2026-01-05 10:03:00', LOCAL)).toBe('2026-01-05 10:03:00')
  })

  test('only dates count', () => {
    expect(latestEdit(['', '0000-00-00 00:00:00', 'soon', '2026-01-05 09:00:00', '2026-01-05 08:00:00'])).toBe(
      '2026-01-05 09:00:00',
    )
    expect(latestEdit(['', 'zzz'])).toBe('')
  })

  test('snapshots within any look are never forgotten', () => {
    expect(forgettableBefore('2026-01-05 09:00:00')).toBe('2026-01-02 09:00:00')
  })
})

/**
 * A platform that is edited at random while we look every five minutes, through the night in which the clock goes back an
 * hour. Each record is a counter that only grows, so that the number of different states a look can see is known.
 */
describe('looked at for hours', () => {
  // Europe/London goes back at 2026-10-25 01:00 UTC: from 02:00 to 01:00.
  const ZONE = 'Europe/London'
  const START = Date.UTC(2026, 9, 24, 21, 0, 0)

  interface Version {
    value: number
    active: number
    editDate: string
    visible: number
  }

  // Formatting is the slow part, and the same moments come again.
  const walls = new Map<number, string>()
  function wall(at: number): string {
    const text = walls.get(at) ?? localStamp(wallAt(at, ZONE))
    walls.set(at, text)
    return text
  }

  const edit = fc.record({
    /** Seconds after the start. */
    at: fc.integer({ min: 1, max: 10 * 3600 }),
    record: fc.integer({ min: 0, max: 3 }),
    /** ms until it can be read: written late, but within what a look covers. */
    late: fc.constantFrom(0, 0, 0, seconds(20), minutes(30), minutes(115)),
    kind: fc.constantFrom('change', 'change', 'touch', 'delete'),
  })

  test('every change that a look could see is exactly one event, and nothing else is', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 40 }), fc.boolean(), (edits, overlong) => {
        const world = new Map<number, Version[]>()
        for (const one of [...edits].sort((a, b) => a.at - b.at)) {
          const versions = world.get(one.record) ?? []
          const last = versions.at(-1) ?? { value: 0, active: 1 }
          const edited = START + seconds(one.at)
          // Versions of one record become visible in order.
          const visible = Math.max(edited + one.late, versions.at(-1)?.visible ?? 0)
          versions.push({
            value: one.kind === 'change' || versions.length === 0 ? last.value + 1 : last.value,
            active: one.kind === 'delete' ? 1 - last.active : last.active,
            visible,
            editDate: wall(edited),
          })
          world.set(one.record, versions)
        }
        const read = (now: number) =>
          [...world].flatMap(([record, versions]) => {
            const shown = versions.filter((version) => version.visible <= now).at(-1)
            return shown ? [{ record, ...shown }] : []
          })

        const snapshots = new Map<string, Snapshot>()
        const events: { uuid: string; identity: string; state: string }[] = []
        const expected: { uuid: string; state: string }[] = []
        const known = new Map<string, string>()
        let watermark = ''
        for (let now = START; now <= START + hours(14); now += overlong ? minutes(47) : minutes(5)) {
          const localNow = wall(now)
          const after = /'(.*)'/.exec(pollFilter(watermark, localNow))?.[1] ?? ''
          const all = read(now).map((one) => ({
            recordUuid: `r-${one.record}`,
            editDate: one.editDate,
            fields: { first: String(one.value), active: String(one.active) },
          }))
          const found = all.filter((one) => one.editDate > after)
          const firstSight = watermark === ''
          for (const { record, event } of changesOf({
            object: 'jobcontact',
            listed: found,
            snapshots,
            watched: WATCHED,
            firstSight,
          })) {
            const state = JSON.stringify(record.fields)
            if (event) events.push({ uuid: record.recordUuid, identity: event.identity, state })
            snapshots.set(record.recordUuid, { ...record, takenAt: now })
          }
          for (const { recordUuid, fields } of all) {
            const state = JSON.stringify(fields)
            if (known.get(recordUuid) === state) continue
            if (!firstSight) expected.push({ uuid: recordUuid, state })
            known.set(recordUuid, state)
          }
          watermark = nextWatermark(watermark, latestEdit(found.map((one) => one.editDate)), localNow)
        }
        const plain = (list: { uuid: string; state: string }[]) =>
          list.map(({ uuid, state }) => `${uuid} ${state}`).sort()
        expect(plain(events)).toEqual(plain(expected))
        expect(new Set(events.map((event) => event.identity)).size).toBe(events.length)
      }),
      { numRuns: 100 },
    )
  })
})

// What the records of a page are called. Automations keep snapshots of the records they watch; an account without them
// has none, so what a page shows is read from ServiceM8 and kept for a week.
import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '#app/context/app-context.ts'
import { SAMPLE_UUID } from '#app/domain/deliveries/delivery.ts'
import { type NamesOf, recordNames } from '#app/domain/record-name.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, minutes } from '#app/lib/duration.ts'

type NamesApp = Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount'>

interface Place {
  object: string
  recordUuid: string
}

/** Calls of one page and depth: a record, then its job, then the customer. */
const MOST_READ = 12
const DEPTH = 3
/** A page waits this long for names; what comes later is there at the next look. ms */
const WAITS = 1_000
const KEPT = days(7)
const FORGOTTEN_AT_ONCE = 500
/** After a call that failed, an account is not asked for names for so long: an open log looks every few seconds. */
const RESTS = minutes(1)
/** Until when, by account. */
const resting = new WeakMap<App['store'], Map<string, Millis>>()
const NAMING =
  'generated_job_id job_address company_uuid job_uuid related_object related_object_uuid name first last'.split(' ')

/** The names of records, by uuid, from what is kept. */
export function knownNames({ store }: Pick<App, 'store'>): NamesOf {
  return async (accountUuid, asked) => recordNames(await store.records.knownOf(accountUuid, asked))
}

/** The names of a page's records, by uuid. Asks ServiceM8 for those that nothing is known of. Never fails. */
export function namesForPage(app: NamesApp): NamesOf {
  return async (accountUuid, shown) => {
    const { records } = app.store
    const asked = shown.filter(({ recordUuid }) => recordUuid !== SAMPLE_UUID)
    const known = await records.knownOf(accountUuid, asked)
    const nameless = known.filter(({ company, customer }) => company === null && customer === null)
    const unknown = [
      ...withoutThese(asked, known),
      ...(await unread(
        app,
        accountUuid,
        nameless.flatMap(({ own, job }) => parentsOf(job ?? own ?? {})),
      )),
    ]
    if (unknown.length === 0 || rests(app, accountUuid)) return recordNames(known)
    const learnt = learn(app, accountUuid, unknown).catch((error: unknown) => {
      letRest(app, accountUuid)
      app.log.warn({ account: accountUuid, error }, 'names.not_read')
    })
    await Promise.race([learnt, pause(WAITS, undefined, { ref: false })])
    return recordNames(await records.knownOf(accountUuid, asked))
  }
}

function rests({ store, clock }: NamesApp, accountUuid: string): boolean {
  return clock.now() < (resting.get(store)?.get(accountUuid) ?? 0)
}

function letRest({ store, clock }: NamesApp, accountUuid: string): void {
  resting.set(store, (resting.get(store) ?? new Map<string, Millis>()).set(accountUuid, clock.now() + RESTS))
}

/** Names older than a week are read again when they are shown. Run daily. */
export async function forgetNames({ store, clock }: Pick<App, 'store' | 'clock'>, signal?: AbortSignal): Promise<void> {
  const before = clock.now() - KEPT
  while (!signal?.aborted && (await store.records.forgetNamesStep(before, FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE);
}

async function learn(app: NamesApp, accountUuid: string, unknown: readonly Place[]): Promise<void> {
  const { records } = app.store
  let wanted = unknown
  for (let depth = 0; depth < DEPTH && wanted.length > 0; depth += 1) {
    const read = await Promise.all(wanted.slice(0, MOST_READ).map((place) => readNaming(app, accountUuid, place)))
    const found = read.filter((one) => one !== null)
    if (found.length < read.length) letRest(app, accountUuid)
    if (found.length > 0) await records.keepNames(accountUuid, found, app.clock.now())
    wanted = await unread(
      app,
      accountUuid,
      found.flatMap(({ fields }) => parentsOf(fields)),
    )
  }
}

async function unread({ store }: NamesApp, accountUuid: string, places: readonly Place[]): Promise<Place[]> {
  const known = await store.records.knownOf(accountUuid, places)
  return withoutThese(
    places,
    known.filter(({ own }) => own !== null),
  )
}

/** Null: ServiceM8 could not be asked. A record that is gone has no fields, and is not asked for again. */
async function readNaming({ callAsAccount }: NamesApp, accountUuid: string, place: Place) {
  const answer = await callAsAccount(accountUuid, (api, token) => api.read(token, place.object, place.recordUuid), {
    priority: 'background',
  })
  if (answer.outcome === 'refused' && answer.status === 404) return { ...place, fields: {} }
  if (answer.outcome !== 'ok') return null
  const values = NAMING.map((name) => [name, answer.value[name]] as const)
  const texts = values.filter((one): one is [string, string] => typeof one[1] === 'string' && one[1] !== '')
  return { ...place, fields: Object.fromEntries(texts) }
}

function parentsOf(fields: Readonly<Record<string, string>>): Place[] {
  const { job_uuid, related_object, related_object_uuid, company_uuid } = fields
  const job = job_uuid ?? (related_object === 'job' ? related_object_uuid : undefined)
  return [
    ...(job ? [{ object: 'job', recordUuid: job }] : []),
    ...(company_uuid ? [{ object: 'company', recordUuid: company_uuid }] : []),
  ]
}

/** Each once, in order. */
function withoutThese(places: readonly Place[], known: readonly Place[]): Place[] {
  const keyOf = ({ object, recordUuid }: Place) => `${object}|${recordUuid}`
  const left = new Map(places.map((place) => [keyOf(place), place]))
  for (const one of known) left.delete(keyOf(one))
  return [...left.values()]
}

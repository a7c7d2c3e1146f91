// Customers and jobs that are muted, and the customers of a run or a job, so a page can offer to mute them.
import type { App } from '#app/context/app-context.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import { CONVERSATION_OPEN, type Mute } from '#app/domain/automations/receipt.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import type { Flash } from '#app/lib/flash.ts'
import { asText, snapshotsOf } from '../records/changes.ts'
import { parseRuleId } from '../rules/rule-form.ts'
import { jobOfAnswer, receiverOfMessage } from '../runs/run-guards.server.ts'
import { isCustomerMessage } from '../runs/run-messages.ts'
import { personName } from '../settings/automation-settings.server.ts'
import { isRecordUuid } from '../settings/automation-settings.ts'
import { isByHand, type MetCustomer, MOST_MUTES, MUTE_TEXTS, type MuteAct } from '../settings/mute.ts'
import { allowedFlash, mutedFlash, mutedName, notMutedFlash, SETTINGS_FLASHES } from '../settings/settings-text.ts'

type MuteApp = Pick<App, 'store' | 'clock' | 'log' | 'planning'>
type MeetApp = Pick<App, 'store' | 'clock' | 'secrets'>

interface MuteRequest extends Pick<Mute, 'kind' | 'recordUuid' | 'until'> {
  /** Name shown on the page, used when ServiceM8 cannot be reached. */
  knownName?: string
}

type Muted =
  | { outcome: 'muted'; mute: Mute; isNew: boolean }
  | { outcome: 'invalid'; field: 'recordUuid' | 'until'; message: string }

/** Newest first, without expired ones. */
export function listMutes(app: Pick<App, 'store' | 'clock'>, accountUuid: string): Promise<Mute[]> {
  return app.store.runs.listMutes(accountUuid, app.clock.now())
}

/**
 * Stops every message to the customer, or about the job. Must work at any time: when ServiceM8 does not answer, the
 * mute is stored anyway, without a name. `staffUuid` = the requester, as far as the session knows.
 */
export async function muteRecord(
  app: MuteApp,
  accountUuid: string,
  request: MuteRequest,
  staffUuid: string | null,
): Promise<Muted> {
  const { kind, recordUuid, until } = request
  const now = app.clock.now()
  if (until !== null && until <= now) return { outcome: 'invalid', field: 'until', message: MUTE_TEXTS.past }
  const read = await app.planning.facts.reader(accountUuid).read(kind, recordUuid)
  if (read.outcome === 'refused' && read.status === 404) {
    const message = kind === 'company' ? MUTE_TEXTS.noCompany : MUTE_TEXTS.noJob
    return { outcome: 'invalid', field: 'recordUuid', message }
  }
  const known = await listMutes(app, accountUuid)
  const same = known.find((one) => one.kind === kind && one.recordUuid === recordUuid)
  const found = read.outcome === 'ok' ? nameOf(kind, read.value) : ''
  const name = found || (request.knownName ?? '').slice(0, 200)
  if (same && isByHand(same) && same.until === until) {
    return { outcome: 'muted', mute: await withName(app, accountUuid, same, name), isNew: false }
  }
  if (!same && known.filter(isByHand).length >= MOST_MUTES) {
    return { outcome: 'invalid', field: 'recordUuid', message: MUTE_TEXTS.tooMany }
  }
  const by = await personName(app, accountUuid, staffUuid)
  const words = `Stopped messages ${kind === 'company' ? 'to' : 'about'} ${mutedName({ kind, name })}.`
  const { id, isNew } = await app.store.runs.saveMute(accountUuid, { kind, recordUuid, until, name }, now, {
    by,
    words,
  })
  app.log.info({ account: accountUuid, kind, record: recordUuid, staff: staffUuid }, 'customer.muted')
  return { outcome: 'muted', mute: { id, kind, recordUuid, name, until, createdAt: now, by }, isNew }
}

/** A mute from when ServiceM8 was silent gets its name. Who stopped it and when stays. */
async function withName({ store }: MuteApp, accountUuid: string, mute: Mute, name: string): Promise<Mute> {
  if (mute.name !== '' || name === '') return mute
  await store.runs.saveMute(accountUuid, { ...mute, name }, mute.createdAt)
  return { ...mute, name }
}

function nameOf(kind: MuteRequest['kind'], record: Readonly<Record<string, unknown>>): string {
  if (kind === 'company') return asText(record.name)
  const number = asText(record.generated_job_id)
  return number === '' ? '' : `job ${number}`
}

/** Removes a mute and returns it; null = the account has no such mute. */
export async function allowAgain(
  app: MuteApp,
  accountUuid: string,
  id: number,
  staffUuid: string | null,
): Promise<Mute | null> {
  const mute = (await listMutes(app, accountUuid)).find((one) => one.id === id)
  if (!mute) return null
  const by = await personName(app, accountUuid, staffUuid)
  const words = `Allowed messages ${mute.kind === 'company' ? 'to' : 'about'} ${mutedName(mute)} again.`
  const removed = await app.store.runs.removeMute(accountUuid, id, { at: app.clock.now(), by, words })
  if (removed) app.log.info({ account: accountUuid, mute: id, staff: staffUuid }, 'customer.allowed')
  return removed ? mute : null
}

/** Handles the page buttons. `form`: `company` and `name`, or `mute` (its id). */
export async function actOnMute(
  app: MuteApp,
  accountUuid: string,
  act: MuteAct,
  form: URLSearchParams,
  staffUuid: string | null,
): Promise<Flash> {
  if (act === 'allow') {
    const id = parseRuleId(form.get('mute') ?? '')
    const mute = id === null ? null : await allowAgain(app, accountUuid, id, staffUuid)
    return mute === null ? SETTINGS_FLASHES.notMuted : allowedFlash(mutedName(mute))
  }
  const recordUuid = form.get('company') ?? ''
  if (!isRecordUuid(recordUuid)) return notMutedFlash(MUTE_TEXTS.noCompany)
  const request = { kind: 'company', recordUuid, until: null, knownName: form.get('name') ?? '' } as const
  const muted = await muteRecord(app, accountUuid, request, staffUuid)
  return muted.outcome === 'invalid' ? notMutedFlash(muted.message) : mutedFlash(mutedName(muted.mute))
}

/** Above this number a page offers none: the run is a report then, not a message to one customer. */
const MOST_MET = 5

export interface MetIn {
  jobUuids: readonly string[]
  /** The messages that they got, or should have got. */
  journal: readonly JournalRow[]
}

export async function meet(
  app: MeetApp,
  accountUuid: string,
  customers: readonly { uuid: string; name: string }[],
  met: MetIn,
): Promise<MetCustomer[]> {
  const known = customers.filter(({ uuid }) => isRecordUuid(uuid))
  if (known.length === 0 || known.length > MOST_MET) return []
  const mutes = await listMutes(app, accountUuid)
  return Promise.all(
    known.map(async ({ uuid, name }) => {
      const { id, jobUuids, answered } = await heldFor(app, accountUuid, uuid, met)
      const mute = mutes.find((one) => one.id === id) ?? null
      if (mute === null) return { uuid, name, mute, ...(answered !== null && { answered }) }
      const record = mute.recordUuid.toLowerCase()
      if (record === uuid) return { uuid, name: name || mute.name, mute }
      return { uuid, name, mute, mutedBy: jobUuids.includes(record) ? 'job' : 'number' }
    }),
  )
}

/**
 * Asks as before a message: a mute may be of the customer, of a job, or of whoever wrote STOP from the number.
 * `answered`: what an open answer of theirs is about; null = there is none.
 */
async function heldFor(app: MeetApp, accountUuid: string, uuid: string, met: MetIn) {
  const receivers = await Promise.all(
    met.journal.flatMap(({ effect, notes }) => {
      const about = notes?.about ?? { companyUuids: [], jobUuids: [] }
      const isTheirs = about.companyUuids.length === 0 || about.companyUuids.includes(uuid)
      return isTheirs && isCustomerMessage(effect) ? [receiverOfMessage(app, accountUuid, effect, about)] : []
    }),
  )
  const jobUuids = [...met.jobUuids, ...receivers.flatMap((one) => one.jobUuids)]
  const receiverHashes = receivers.flatMap((one) => one.receiverHashes)
  const now = app.clock.now()
  const asked = { automationId: 0, runId: null, now, dayStart: now, hourStart: now }
  const receiver = { companyUuids: [uuid], jobUuids, receiverHashes }
  const { muted } = await app.store.runs.messageFacts(accountUuid, { ...asked, ...receiver })
  const since = now - CONVERSATION_OPEN
  const answer = await app.store.listening.openAnswer(accountUuid, receiver, { since, except: null })
  return { id: muted?.id, jobUuids, answered: answer && (await jobOfAnswer(app, answer)) }
}

type AboutRun = Pick<RunRecord, 'object' | 'recordUuids' | 'triggerData' | 'journal'>

/** Customers of a run: those noted at its start or when it planned messages, else those a rule last saw. */
export async function customersOfRun(app: MeetApp, accountUuid: string, run: AboutRun): Promise<MetCustomer[]> {
  const noted = customersNoted(run)
  const names = noted.size > 0 ? noted : await customersSeen(app, accountUuid, run)
  const customers = [...names].map(([uuid, name]) => ({ uuid, name }))
  // Of several jobs, their messages say which is whose.
  const jobUuids = run.object === 'job' && run.recordUuids.length === 1 ? run.recordUuids : []
  return meet(app, accountUuid, customers, { jobUuids, journal: run.journal })
}

/** Names by uuid; '' = unknown. */
function customersNoted({ triggerData, journal }: AboutRun): Map<string, string> {
  const names = new Map<string, string>()
  for (const { companyUuid, companyName } of triggerData.conditionMatching?.matchedRecords ?? []) {
    if (companyUuid) names.set(companyUuid, companyName)
  }
  for (const uuid of journal.flatMap((row) => row.notes?.about?.companyUuids ?? [])) {
    if (!names.has(uuid)) names.set(uuid, '')
  }
  return names
}

async function customersSeen(
  { store }: Pick<App, 'store'>,
  accountUuid: string,
  { object, recordUuids }: AboutRun,
): Promise<Map<string, string>> {
  if (recordUuids.length > MOST_MET) return new Map()
  if (object === 'company') return new Map(recordUuids.map((uuid) => [uuid, '']))
  const snapshots = await store.records.loadSnapshots(accountUuid, snapshotsOf(object), recordUuids)
  return new Map(snapshots.flatMap(({ fields }) => (fields.company_uuid ? [[fields.company_uuid, '']] : [])))
}

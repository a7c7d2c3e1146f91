// Changes of a job whose choices only ServiceM8 knows: its queue, its category, its badges. Rules choose them by id, or
// by name if they were written or imported that way.
import type { CallFailure } from '#app/adapters/platform.ts'
import type { PlanWarning } from '#app/domain/automations/effect.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { days } from '#app/lib/duration.ts'
import { parseJson } from '#app/lib/json.ts'
import { wallAt } from '#app/lib/zone.ts'
import { isActive, type Values, valuesOf } from '../records/fact-rows.ts'
import type { RecordFacts } from '../records/facts.ts'
import { isUuid, readFlag, readList, readNumber } from '../records/field-value.ts'
import { activeStaff, findStaff, staffName } from '../records/staff-members.server.ts'
import type { KnownNames } from '../rules/conditions/condition-text.ts'
import type { PlanContext, ReadOnlyPlatform } from './action.server.ts'
import { shorten } from './failure-text.ts'
import { findListed, isCalled, readNamed } from './planning.server.ts'

export type JobChange =
  | { outcome: 'change'; fields: Record<string, string>; warnings: PlanWarning[]; names: KnownNames }
  /** The change is impossible for this job. */
  | { outcome: 'problem'; sentence: string }
  /** `what` as in `reportTrouble`. */
  | { outcome: 'failed'; trouble: CallFailure; what: string }

/** `named`: records whose names the change can say. */
export function setting(
  fields: Record<string, string>,
  { named = [], warnings = [] }: { named?: readonly Values[]; warnings?: PlanWarning[] } = {},
): JobChange {
  const names = Object.fromEntries(named.map((one) => [one.uuid?.toLowerCase() ?? '', one.name || staffName(one)]))
  return { outcome: 'change', fields, warnings, names }
}

function problem(sentence: string): JobChange {
  return { outcome: 'problem', sentence }
}

function noneCalled(what: string, name: string): JobChange {
  return problem(`There is no ${what} called "${shorten(name, 60)}" in ServiceM8. Open the automation and choose one.`)
}

export const NO_QUEUE = 'No queue was chosen. Open the automation and choose one.'
const QUEUE_GONE =
  'The queue that this automation uses was deleted in ServiceM8. Open the automation and choose another one.'

/**
 * Puts a job into a queue. Reads the queue fresh when given by id, because a deleted queue must not swallow jobs.
 * `record`: the job's known facts; `isIn` = its current queue.
 */
export async function queueChange(
  context: Pick<PlanContext, 'read' | 'now' | 'account'>,
  wanted: string,
  record: RecordFacts | null,
  isIn: string | null,
): Promise<JobChange> {
  const word = wanted.trim()
  if (word === '') return problem(NO_QUEUE)
  const found = isUuid(word)
    ? await readNamed(context.read, 'queue', word.toLowerCase())
    : await findListed(context.read, 'queue', isCalled(word))
  switch (found.outcome) {
    case 'failed':
      return { ...found, what: 'the queue' }
    case 'gone':
      return isUuid(word) ? problem(QUEUE_GONE) : noneCalled('queue', word)
    case 'found': {
      const { uuid = '' } = found.values
      // A job that stays in its queue must not restart the queue's time.
      return isIn === uuid ? setting({ queue_uuid: uuid }) : intoQueue(context, found.values, record)
    }
  }
}

/**
 * Sets three fields (facts: 5.8): the queue, its end date (now plus the queue's days), and a staff member if the queue
 * requires one: the job's own, else the first active one, with a warning.
 */
async function intoQueue(
  { read, now, account }: Pick<PlanContext, 'read' | 'now' | 'account'>,
  queue: Values,
  record: RecordFacts | null,
): Promise<JobChange> {
  const stay = readNumber(queue.default_timeframe ?? '') ?? 0
  const until = localStamp(wallAt(now, account.zone) + days(Math.round(stay)))
  const fields = { queue_uuid: queue.uuid ?? '', ...(stay > 0 && { queue_expiry_date: until }) }
  if (readFlag(queue.requires_assignment ?? '') !== true) return setting(fields, { named: [queue] })

  const found = await activeStaff(read)
  if (found.outcome === 'failed') return { ...found, what: 'the staff list' }
  const known = ['queue_assigned_staff_uuid', 'assigned_staff', 'staff_uuid']
    .map((name) => findStaff(found.staff, record?.values[name] ?? ''))
    .find((staff) => staff !== null)
  const chosen = known ?? found.staff[0]
  if (!chosen?.uuid) return setting(fields, { named: [queue] })
  const sentence = `The queue ${queue.name ?? ''} needs a staff member. This job names none, so it is ${staffName(chosen)}.`
  return setting(
    { ...fields, queue_assigned_staff_uuid: chosen.uuid },
    { named: [queue, ...found.staff], warnings: known ? [] : [{ code: 'queue_staff_by_default', sentence }] },
  )
}

const CATEGORY_GONE =
  'The category of this automation no longer exists in ServiceM8. Open the automation and choose another one.'

/** `wanted`: an id or a name, not empty. */
export async function categoryChange(read: ReadOnlyPlatform, wanted: string): Promise<JobChange> {
  const word = wanted.trim()
  const isMeant = isUuid(word) ? ({ uuid }: Values) => uuid?.toLowerCase() === word.toLowerCase() : isCalled(word)
  const found = await findListed(read, 'category', isMeant)
  switch (found.outcome) {
    case 'failed':
      return { ...found, what: 'the categories' }
    case 'gone':
      return isUuid(word) ? problem(CATEGORY_GONE) : noneCalled('category', word)
    case 'found':
      return setting({ category_uuid: found.values.uuid ?? '' }, { named: [found.values] })
  }
}

/** Missing = `replace`, as in rules from before badges could be added. */
type BadgeChange = 'add' | 'remove' | 'replace'

/**
 * Adds, removes or replaces badges. The platform knows only the whole list (facts: section 5), so the result includes
 * the job's other badges. `wanted`: names or ids, separated by commas, or a JSON list. `before`: the job's current
 * field; without a real change the result is `before` itself.
 */
export async function badgeChange(
  read: ReadOnlyPlatform,
  given: string,
  wanted: string,
  before: string,
): Promise<JobChange> {
  const how: BadgeChange = given === 'add' || given === 'remove' ? given : 'replace'
  const words = readList(wanted)
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (words.length === 0) {
    return how === 'replace'
      ? setting({ badges: '' }, { named: await badgesOf(read, readList(before)) })
      : problem('No badge was chosen. Open the automation and choose one.')
  }
  const named = words.some((word) => !isUuid(word)) ? await read.list('badge') : null
  if (named && named.outcome !== 'ok') return { outcome: 'failed', trouble: named, what: 'the badges' }
  const badges: Values[] = named ? named.value.map(valuesOf) : []
  // In a JSON list each word is a whole name.
  const isJson = Array.isArray(parseJson(wanted))
  const most = isJson ? 1 : Math.max(1, ...badges.map(({ name = '' }) => readList(name).length))
  const ids: string[] = []
  while (words[0] !== undefined) {
    const found = firstNamed(badges, words, most, how)
    if (found === null) return noneCalled('badge', words[0])
    ids.push(found.uuid)
    words.splice(0, found.count)
  }
  const known = named ? badges : await badgesOf(read, [...readList(before), ...ids])
  return setting({ badges: badgesAfter(how, ids, before) }, { named: known })
}

/** For their names only: what cannot be read has none. */
async function badgesOf(read: ReadOnlyPlatform, ids: readonly string[]): Promise<Values[]> {
  const answers = await Promise.all(ids.map((id) => read.read('badge', id)))
  return answers.flatMap((answer) => (answer.outcome === 'ok' ? [valuesOf(answer.value)] : []))
}

/** The longest known name that the first words make, at `most` so many: a badge's own name may have commas. */
function firstNamed(badges: readonly Values[], words: readonly string[], most: number, how: BadgeChange) {
  for (let count = Math.min(most, words.length); count > 0; count--) {
    const uuid = badgeNamed(badges, words.slice(0, count).join(', '), how)
    if (uuid !== null) return { uuid, count }
  }
  return null
}

const spelled = (name: string) => readList(name).join(', ')

function badgeNamed(badges: readonly Values[], name: string, how: BadgeChange): string | null {
  if (isUuid(name)) return name.trim().toLowerCase()
  const same = badges.filter((badge) => isCalled(spelled(name))({ name: spelled(badge.name ?? '') }))
  // A deleted badge can be removed from a job, but not added.
  const found = same.find(isActive) ?? (how === 'remove' ? same[0] : undefined)
  return found?.uuid?.toLowerCase() ?? null
}

function badgesAfter(how: BadgeChange, ids: readonly string[], before: string): string {
  const held = readList(before).map((badge) => badge.toLowerCase())
  const after = {
    add: [...new Set([...held, ...ids])],
    remove: held.filter((badge) => !ids.includes(badge)),
    replace: [...new Set(ids)],
  }[how]
  const isSame = after.length === held.length && after.every((badge, index) => badge === held[index])
  return isSame ? before : JSON.stringify(after)
}

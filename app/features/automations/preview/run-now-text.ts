// Messages shown after "Run Now".
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import { plural } from '#app/domain/time/moments.ts'
import type { Execution } from '../runs/run-history.ts'

export const RAN = 'Automation executed'
export const NOT_RUN_YET = 'Automation not run yet'

/** One and many of what an action did; the word behind says what was done with it. */
const DEEDS: Partial<Record<ActionType, [one: string, done: string]>> = {
  create_job: ['job', 'created'],
  create_task: ['task', 'created'],
  send_sms: ['text', 'sent'],
  send_email: ['e-mail', 'sent'],
  send_staff_message: ['staff message', 'sent'],
  send_notification: ['notification', 'sent'],
  generate_document: ['document', 'made'],
  post_activity_feed: ['note', 'posted'],
}
const CHANGE: [string, string] = ['change', 'made']

/** `Job 3128: 1 text sent, 1 task created.`, from the steps of the runs; `started` = all of them, shown or not. */
export function didText(executions: readonly Execution[], started: number): string {
  const done = new Map<string, { deed: [string, string]; count: number }>()
  for (const { action, items } of executions.flatMap(({ steps }) => steps)) {
    const sent = items.filter(isSent).length
    const deed = DEEDS[action as ActionType] ?? CHANGE
    // A new job brings its lines along: they are part of it.
    const count = action === 'create_job' ? Math.min(sent, 1) : sent
    if (count > 0) done.set(deed[0], { deed, count: count + (done.get(deed[0])?.count ?? 0) })
  }
  const said = [...done.values()].map(({ deed: [one, did], count }) => `${plural(count, one)} ${did}`)
  const idle = executions.filter(({ steps }) => !steps.some(({ items }) => items.some(isSent))).length
  const open = started > executions.length || executions.some(({ state }) => state !== 'done')
  return `${aboutRuns(executions, started)}: ${deedsText(said, open, idle)}.`
}

function deedsText(said: readonly string[], open: boolean, idle: number): string {
  if (said.length === 0) return open ? 'started' : 'nothing done'
  const rest = idle > 0 ? `, nothing for ${idle}` : ''
  return `${said.join(', ')}${open ? ' so far' : rest}`
}

const isSent = ({ state }: Pick<Execution['steps'][number]['items'][number], 'state'>) => state === 'sent'

function aboutRuns(executions: readonly Execution[], started: number): string {
  const [first] = executions
  const isJob = first?.object === 'job'
  const records = started > 1 ? started : (first?.recordUuids.length ?? 0)
  if (records > 1) return plural(records, isJob ? 'job' : 'record')
  const [matched] = first?.triggerData.conditionMatching?.matchedRecords ?? []
  if (isJob) return matched ? `Job ${matched.jobId}` : 'One job'
  return matched?.companyName || 'One record'
}

/** True when the run has not started and will not on its own: the account is on hold, and the reason says why. */
export function isHeldBack({ state, startedAt, nextAttemptAt, reason }: Execution): boolean {
  return state === 'waiting' && startedAt === null && nextAttemptAt === null && reason !== null
}

/** Result of "Run Now". */
export interface RanNowFacts {
  /** New and existing runs, at most a few of each. */
  executions: Execution[]
  started: number
  /** Runs the same press made a moment ago; they are the result. */
  repeated: number
  /** Matching records that were skipped; null = none. */
  handled: { count: number; why: string } | null
}

/** Why matching records are skipped: `runId` null = matched already when the rule was switched on. */
export function handledText(handled: readonly { runId: number | null }[]): string {
  const before = handled.filter(({ runId }) => runId !== null).length
  const present = handled.length - before
  const said = [
    before > 0 ? `${records(before)} handled before` : '',
    present > 0 ? `${records(present)} there when the automation was switched on` : '',
  ].filter((part) => part !== '')
  return `${said.join(', and ')}.`
}

/** The same, in the question whether to run it again. */
export function ranBeforeText(handled: readonly { runId: number | null }[], object: string): string {
  if (handled.some(({ runId }) => runId === null)) return handledText(handled)
  const noun = object === 'job' ? 'job' : 'record'
  return handled.length === 1 ? `Already ran for this ${noun}.` : `Already ran for these ${handled.length} ${noun}s.`
}

function records(count: number): string {
  return count === 1 ? '1 record was' : `${count} records were`
}

const RAN_A_MOMENT_AGO = 'This ran a moment ago. It was not run again.'

export function ranNowText({ executions, started, repeated, handled }: RanNowFacts): string {
  if (started === 0) {
    if (repeated > 0) return RAN_A_MOMENT_AGO
    return handled ? `Nothing new: ${handled.why}` : 'Nothing new: there was nothing left to do.'
  }
  const first = executions[0]
  if (first && isHeldBack(first)) {
    return `${NOT_RUN_YET}: ${started === 1 ? 'the run waits' : `${started} runs wait`}. ${first.reason}.`
  }
  return started > 1 ? `${RAN}: ${started} runs started. The logs show what each of them did.` : onlyRunWords(first)
}

function onlyRunWords(run: Execution | undefined): string {
  switch (run?.executionStatus) {
    case 'success':
      return run.outcome === 'nothing' ? `${RAN}: there was nothing to do.` : RAN
    case 'partial':
      return `${RAN} in part: ${run.errorMessage ?? 'one of its actions failed.'}`
    case 'failure':
      return `The automation failed: ${run.errorMessage ?? 'no action could be done.'}`
    default:
      return run?.reason ? `Automation started: ${run.reason}` : 'Automation started. It is still at work.'
  }
}

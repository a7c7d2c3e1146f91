// "Why did this job not fire?" for one record and every rule: stored verdicts, and the current state of the record.
import type { CallFailure, PlatformRecord } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import type { NamesOf } from '#app/domain/record-name.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import { meet } from '../history/mutes.server.ts'
import { runLine } from '../history/run-list-view.ts'
import type { JudgedAt } from '../records/facts.ts'
import type { KnownNames } from '../rules/conditions/condition-text.ts'
import { judge, neededParts, objectOfRule, readsDeleted } from '../rules/conditions/conditions.ts'
import { judgedAt } from '../rules/rule-place.server.ts'
import { executionOf } from '../runs/run-history.ts'
import { withCustomers } from './customer-names.server.ts'
import {
  inOrder,
  NOT_A_RECORD,
  readAskedRecord,
  readDetail,
  type WhyAnswer,
  type WhyFacts,
  type WhyView,
  whyView,
} from './verdict-view.ts'

type WhyApp = Pick<App, 'store' | 'clock' | 'secrets' | 'callAsAccount' | 'planning'> & { namesOf: NamesOf }

/** `asked` = the number of a job or the uuid of a record, as typed. */
export async function explainRecord(
  app: WhyApp,
  accountUuid: string,
  asked: string,
  known: KnownNames = {},
): Promise<WhyAnswer> {
  const read = readAskedRecord(asked)
  if (read === null) return { outcome: 'refused', message: NOT_A_RECORD }
  const found =
    read.by === 'number' ? await findJob(app, accountUuid, read.number) : await readJob(app, accountUuid, read.uuid)
  if (found.outcome === 'refused') return found
  const { job, trouble } = found
  const recordUuid = found.uuid
  const rules = await app.store.automations.listAutomations(accountUuid)
  const at = await judgedAt(app, accountUuid)
  const [verdicts, ledger, judged] = await Promise.all([
    app.store.automations.verdictsOn(accountUuid, recordUuid),
    app.store.automations.ledgerOn(accountUuid, recordUuid),
    job === null ? null : judgeNow(app, accountUuid, job, rules, at),
  ])
  const conditions = rules.flatMap(({ definition }) => definition.conditions)
  // An earlier check may tell of another customer, and of a condition that was edited since.
  const noted = verdicts.flatMap(({ detail }) => readDetail(detail).failed)
  const seen = noted.flatMap((one) => (one.field === 'company_uuid' ? [one.seen, one.value] : []))
  const names = await withCustomers(app.namesOf, accountUuid, known, conditions, [job?.company_uuid, ...seen])
  const told = rules.map(async (rule): Promise<{ view: WhyView; journal: JournalRow[] }[]> => {
    const verdict = verdicts.find((one) => one.automationId === rule.id) ?? null
    const done = ledger.find((one) => one.automationId === rule.id) ?? null
    // A rule about bookings has no answer for a job, unless it has a verdict on this very record.
    const concernsIt = objectOfRule(rule.definition) === 'job' || verdict !== null || done !== null
    if (!concernsIt) return []
    const runId = verdict?.runId ?? done?.runId ?? null
    const run = runId === null ? null : await app.store.runs.findRun(accountUuid, runId)
    const line = run && runLine(executionOf(run))
    const facts = { verdict, ledger: done, run: line, now: judged?.verdictOf(rule) ?? null }
    return [{ view: whyView(rule, facts, names, at), journal: run?.journal ?? [] }]
  })
  const views = (await Promise.all(told)).flat()
  return {
    outcome: 'answered',
    recordUuid,
    isJob: job !== null,
    title: job?.generated_job_id ? `Job ${String(job.generated_job_id)}` : asked.trim(),
    about: judged?.about ?? String(job?.job_address ?? ''),
    trouble: trouble ?? judged?.trouble ?? null,
    rules: inOrder(views.map(({ view }) => view)),
    others: rules.length - views.length,
    customers: await meet(app, accountUuid, customerOf(job, judged?.customer ?? ''), {
      jobUuids: [recordUuid],
      journal: views.flatMap(({ journal }) => journal),
    }),
  }
}

function customerOf(job: PlatformRecord | null, name: string): { uuid: string; name: string }[] {
  return typeof job?.company_uuid === 'string' ? [{ uuid: job.company_uuid, name }] : []
}

type Found =
  | { outcome: 'refused'; message: string }
  | { outcome: 'found'; uuid: string; job: PlatformRecord | null; trouble: string | null }

async function findJob(app: WhyApp, accountUuid: string, number: string): Promise<Found> {
  const answer = await app.callAsAccount(accountUuid, (api, token) =>
    api.list(token, 'job', { filter: `generated_job_id eq '${number}'`, limit: 1 }),
  )
  if (answer.outcome !== 'ok') return { outcome: 'refused', message: couldNotAsk(answer) }
  const job = answer.value[0]
  const uuid = typeof job?.uuid === 'string' ? job.uuid : null
  if (!job || uuid === null) return { outcome: 'refused', message: `There is no job ${number} in ServiceM8.` }
  return { outcome: 'found', uuid, job, trouble: null }
}

/** A uuid may be that of a booking or a customer too: then only stored verdicts count. */
async function readJob(app: WhyApp, accountUuid: string, uuid: string): Promise<Found> {
  const answer = await app.callAsAccount(accountUuid, (api, token) => api.read(token, 'job', uuid))
  if (answer.outcome === 'ok') return { outcome: 'found', uuid, job: { ...answer.value, uuid }, trouble: null }
  const trouble =
    answer.outcome === 'refused' && answer.status === 404
      ? 'ServiceM8 has no job with this id. Below is what the automations noted about it.'
      : couldNotAsk(answer)
  return { outcome: 'found', uuid, job: null, trouble }
}

function couldNotAsk(failure: CallFailure): string {
  const { outcome, message } = failure
  if (outcome === 'not_connected' || outcome === 'reconnect') return 'We could not ask ServiceM8. Please sign in again.'
  return `We could not ask ServiceM8: ${message || 'no answer.'}`
}

/** Evaluates every job rule on the same facts, loaded once. */
async function judgeNow(app: WhyApp, accountUuid: string, job: PlatformRecord, all: AutomationRow[], at: JudgedAt) {
  const rules = all.filter(({ definition }) => objectOfRule(definition) === 'job')
  const conditions = rules.flatMap((rule) => rule.definition.conditions)
  const parts = [...new Set([...neededParts(conditions, 'job'), 'company' as const])]
  const joined = await app.planning.facts.join(accountUuid, 'job', [job], parts)
  if (joined.outcome !== 'ok') return { verdictOf: () => null, about: '', customer: '', trouble: couldNotAsk(joined) }
  const facts = joined.facts[0]
  return {
    verdictOf: (rule: AutomationRow): WhyFacts['now'] =>
      facts && objectOfRule(rule.definition) === 'job' ? judge(rule.definition.conditions, facts, at) : null,
    about: [facts?.values.company_name, facts?.values.job_address].filter(Boolean).join(' · '),
    customer: facts?.values.company_name ?? '',
    trouble: facts && !facts.active ? deletedText(rules) : null,
  }
}

function deletedText(rules: readonly AutomationRow[]): string {
  return rules.some(({ definition }) => readsDeleted(definition.trigger))
    ? 'This job is deleted in ServiceM8. Only automations for deleted jobs act on it.'
    : 'This job is deleted in ServiceM8. No automation starts on it.'
}

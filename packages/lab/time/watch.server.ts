// Keeps the model of endpoints and replays in step with people's actions, and compares it with the rows after each act.
import type { EndpointRef } from '#app/domain/endpoint-key.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import type { Client } from '#db/sqlite/client.server.ts'
import type { AttemptReport } from '#db/store/deliveries.ts'
import type { Chance } from '../stage/chance.ts'
import { type ModelEndpoint, moveTo, newModelEndpoint, rememberGate, startAgain } from './endpoint.ts'
import type { Model, ModelReplay } from './model.ts'

interface EndpointRow {
  id: number
  account: string
  object: string
  url: string
  webhookId: number | null
  ruleId: number | null
  state: ModelEndpoint['state']
  stateSince: number
  holdUntil: number | null
  breaker: 'closed' | 'open'
  breakerProbes: number
  nextProbeAt: number | null
  failingSince: number | null
  streak: number
}

const COLUMNS = `id, account_uuid AS account, object_type AS object, url, webhook_id AS webhookId,
  forwarding_rule_id AS ruleId, state, state_since AS stateSince, hold_until AS holdUntil, breaker, breaker_probes AS breakerProbes,
  next_probe_at AS nextProbeAt, failing_since AS failingSince, failure_streak AS streak`

interface Act {
  name: string
  args: readonly unknown[]
  reports: readonly { report: AttemptReport }[]
  now: number
  /** How long the owner may not know of it. */
  lagMs: number
}

export function watchEndpoints(model: Model, client: Client, act: Act): void {
  switch (act.name) {
    case 'settleAttempts': {
      const ids = new Set(act.reports.map(({ report }) => report.job.endpointId))
      for (const id of ids) compareEndpoint(model, client, id, act)
      break
    }
    case 'resumeEndpoint':
      personActs(model, client, model.endpoints.get(act.args[1] as number), act, false)
      break
    case 'updateEndpoint': {
      const [, ref, change] = act.args as [string, EndpointRef, { active?: boolean }]
      personActs(model, client, endpointOf(model, ref), act, change.active === false)
      break
    }
    case 'deleteEndpoint': {
      const endpoint = endpointOf(model, act.args[1] as EndpointRef)
      if (!endpoint) break
      rememberGate(endpoint, act.now, 0)
      moveTo(endpoint, 'deleted', act.now)
      compareEndpoint(model, client, endpoint.id, act)
      break
    }
    case 'saveEndpoint':
      meetNewEndpoints(model, client, act.now)
      break
    case 'startReplay':
      meetNewReplays(model, client)
      break
    case 'cancelReplay':
      noticeEndedReplays(model, client, act.now)
      break
    default:
  }
}

function endpointOf(model: Model, { kind, id }: EndpointRef): ModelEndpoint | undefined {
  return [...model.endpoints.values()].find((one) => (kind === 'webhook' ? one.webhookId : one.ruleId) === id)
}

function personActs(
  model: Model,
  client: Client,
  endpoint: ModelEndpoint | undefined,
  act: Act,
  pauses: boolean,
): void {
  if (!endpoint || endpoint.state === 'deleted') return
  rememberGate(endpoint, act.now, act.lagMs)
  if (pauses) {
    if (endpoint.state !== 'paused') moveTo(endpoint, 'paused', act.now)
  } else if (act.name === 'resumeEndpoint' || endpoint.state !== 'active') {
    startAgain(endpoint, act.now)
    endpoint.openedAt = act.now + act.lagMs
  }
  compareEndpoint(model, client, endpoint.id, act)
}

const prepared = new WeakMap<Client, Map<string, Statement>>()
type Statement = ReturnType<Client['sql']['prepare']>

/** Statements are cached: preparing costs more than running them. */
function ask<Row>(client: Client, question: string, ...values: number[]): Row[] {
  const known = prepared.get(client) ?? new Map<string, Statement>()
  prepared.set(client, known)
  const statement = known.get(question) ?? client.sql.prepare(question)
  known.set(question, statement)
  return statement.all(...values) as Row[]
}

function compareEndpoint(model: Model, client: Client, id: number, { name, now }: Act): void {
  const endpoint = model.endpoints.get(id)
  const [row] = ask<EndpointRow>(client, `SELECT ${COLUMNS} FROM endpoint WHERE id = ?`, id)
  if (!endpoint || !row) return
  const holdOf = (until: number | null) => (until !== null && until > now ? until : 0)
  const wanted = {
    state: endpoint.state,
    stateSince: endpoint.stateSince,
    holdUntil: holdOf(endpoint.holdUntil),
    breaker: endpoint.breaker ? 'open' : 'closed',
    probes: endpoint.breaker?.probes ?? 0,
    nextProbeAt: endpoint.breaker?.nextAt ?? null,
    failingSince: endpoint.failingSince,
    streak: endpoint.streak,
  }
  const found = {
    state: row.state,
    stateSince: row.stateSince,
    holdUntil: holdOf(row.holdUntil),
    breaker: row.breaker,
    probes: row.breakerProbes,
    nextProbeAt: row.nextProbeAt,
    failingSince: row.failingSince,
    streak: row.streak,
  }
  if (JSON.stringify(wanted) !== JSON.stringify(found)) {
    model.violate(`endpoint ${id} after ${name} is ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`)
  }
}

export function meetNewEndpoints(model: Model, client: Client, now: number): void {
  const newest = Math.max(0, ...model.endpoints.keys())
  for (const row of ask<EndpointRow>(client, `SELECT ${COLUMNS} FROM endpoint WHERE id > ?`, newest)) {
    model.endpoints.set(row.id, newModelEndpoint(row, now))
  }
}

const NEW_REPLAYS =
  'SELECT id, endpoint_id AS endpointId, since, status, object_uuid AS objectUuid FROM replay WHERE id > ?'

function meetNewReplays(model: Model, client: Client): void {
  const newest = Math.max(0, ...model.replays.keys())
  for (const row of ask<Omit<ModelReplay, 'cancelledAt'>>(client, NEW_REPLAYS, newest)) {
    model.replays.set(row.id, { ...row, cancelledAt: null })
  }
}

/** Replays that a person cancelled, or whose endpoint ended. */
export function noticeEndedReplays(model: Model, client: Client, now: number): void {
  for (const { id } of ask<{ id: number }>(client, "SELECT id FROM replay WHERE state = 'cancelled'")) {
    const replay = model.replays.get(id)
    if (!replay || replay.cancelledAt !== null) continue
    replay.cancelledAt = now
    for (const one of model.deliveries.values()) {
      if (one.cause === 'replay' && one.causeNo === id && one.state === 'pending') one.overAt = now
    }
  }
}

/** SQLite draws the times of overdue retries at random; the seed's replace them, so that a run can be repeated. */
export function spreadBySeed({ sql }: Client, chance: Chance, model: Model, now: number): void {
  const move = sql.prepare('UPDATE delivery SET due_at = ? WHERE id = ?')
  for (const id of model.spread) {
    const delivery = model.deliveries.get(id)
    if (delivery?.state !== 'pending') continue
    delivery.dueAt = Math.min(delivery.deadlineAt, now + chance.whole(seconds(1), minutes(1) - 1))
    move.run(delivery.dueAt, id)
  }
}

// Endpoint checks, the platform's side of a webhook, and the rhythm of events. Part of the notice store.
import type { CheckStep } from '#app/domain/endpoints/endpoint-check.ts'
import type { UpstreamNote } from '#app/domain/endpoints/upstream.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { CheckTarget, EndpointCheckRow, NoticeStore } from '../../store/notices.ts'
import type { Connections } from '../connections.ts'

const HOUR = 3_600_000

interface StoredCheck {
  endpointId: number
  url: string
  at: Millis
  steps: string
}

/** In the column, the platform's side is an extra step of the list, with its own time. */
type StoredStep = CheckStep | (UpstreamNote & { name: 'upstream' })

export function endpointCheckStore({ db }: Connections) {
  const COLUMNS = 'endpoint_id AS endpointId, url, at, steps'
  const findTarget = db.prepare<{ endpointId: number; accountUuid: string }, CheckTarget>(
    `SELECT url, last_code AS lastCode, last_sentence AS lastSentence FROM endpoint
     WHERE id = @endpointId AND account_uuid = @accountUuid AND state <> 'deleted'`,
  )
  const findOne = db.prepare<{ endpointId: number; accountUuid: string }, StoredCheck>(
    `SELECT ${COLUMNS} FROM endpoint_check WHERE endpoint_id = @endpointId AND account_uuid = @accountUuid`,
  )
  const ofAccount = db.prepare<{ accountUuid: string }, StoredCheck>(
    `SELECT c.endpoint_id AS endpointId, c.url, c.at, c.steps
     FROM endpoint e JOIN endpoint_check c ON c.endpoint_id = e.id
     WHERE e.account_uuid = @accountUuid AND e.state <> 'deleted'`,
  )
  const webhookEndpoint = db.prepare<{ accountUuid: string; objectType: string }, { id: number; url: string }>(
    `SELECT id, url FROM endpoint
     WHERE account_uuid = @accountUuid AND object_type = @objectType AND webhook_id IS NOT NULL AND state <> 'deleted'`,
  )
  const put = db.prepare(
    `INSERT INTO endpoint_check (endpoint_id, account_uuid, url, at, steps)
     SELECT id, account_uuid, CAST(@url AS text), CAST(@at AS bigint), CAST(@steps AS text)
     FROM endpoint WHERE id = @endpointId AND account_uuid = @accountUuid
     ON CONFLICT (endpoint_id) DO UPDATE SET url = excluded.url, at = excluded.at, steps = excluded.steps`,
  )
  const findObject = db
    .prepare<{ endpointId: number; accountUuid: string }, string>(
      'SELECT object_type FROM endpoint WHERE id = @endpointId AND account_uuid = @accountUuid',
    )
    .pluck()
  const lastEvent = db
    .prepare<{ accountUuid: string; object: string }, Millis>(
      `SELECT received_at FROM event WHERE account_uuid = @accountUuid AND object = @object
       AND source <> 'test' ORDER BY seq DESC LIMIT 1`,
    )
    .pluck()
  const lastHour = db
    .prepare<{ endpointId: number }, number>(
      'SELECT hour FROM endpoint_hour WHERE endpoint_id = @endpointId AND events > 0 ORDER BY hour DESC LIMIT 1',
    )
    .pluck()
  const hoursOf = db.prepare<{ endpointId: number; hour: number; last: number }, { hour: number; events: number }>(
    `SELECT hour, events FROM endpoint_hour
     WHERE endpoint_id = @endpointId AND hour > @hour AND hour <= @last AND events > 0 ORDER BY hour`,
  )

  return {
    findCheckTarget: db.read(function* (accountUuid, endpointId) {
      return (yield* findTarget.get({ endpointId, accountUuid })) ?? null
    }),
    listEndpointChecks: db.read(function* (accountUuid) {
      return (yield* ofAccount.all({ accountUuid })).map(toCheck)
    }),
    findEndpointCheck: db.read(function* (accountUuid, endpointId) {
      const row = yield* findOne.get({ endpointId, accountUuid })
      return row ? toCheck(row) : null
    }),
    saveEndpointCheck: db.write(function* (accountUuid, endpointId, check) {
      const before = yield* findOne.get({ endpointId, accountUuid })
      const { upstream } = before ? toCheck(before) : { upstream: null }
      yield* put.run({ accountUuid, endpointId, url: check.url, at: check.at, steps: stepsText(check.steps, upstream) })
    }),
    noteUpstream: db.write(function* (accountUuid, objectType, note) {
      const found = yield* webhookEndpoint.get({ accountUuid, objectType })
      if (!found) return
      const before = yield* findOne.get({ endpointId: found.id, accountUuid })
      if (!before && note === null) return
      const { steps, url, at } = before ? toCheck(before) : { steps: [], url: found.url, at: note?.at ?? 0 }
      yield* put.run({ accountUuid, endpointId: found.id, url, at, steps: stepsText(steps, note) })
    }),
    eventRhythm: db.read(function* (accountUuid, endpointId, length) {
      const object = yield* findObject.get({ endpointId, accountUuid })
      if (object === undefined) return { lastEventAt: null, hours: [] }
      // Events that no field filter passes also show activity, and counters outlive the events they count.
      const counted = (yield* lastHour.get({ endpointId })) ?? 0
      const lastEventAt = Math.max((yield* lastEvent.get({ accountUuid, object })) ?? 0, counted * HOUR)
      if (lastEventAt === 0) return { lastEventAt: null, hours: [] }
      const last = Math.floor(lastEventAt / HOUR)
      return { lastEventAt, hours: yield* hoursOf.all({ endpointId, hour: last - length, last }) }
    }),
  } satisfies Partial<NoticeStore>
}

function stepsText(steps: readonly CheckStep[], upstream: UpstreamNote | null): string {
  const all: StoredStep[] = [...steps]
  if (upstream) all.push({ name: 'upstream', ...upstream })
  return JSON.stringify(all)
}

function toCheck({ endpointId, url, at, steps: text }: StoredCheck): EndpointCheckRow {
  const steps: CheckStep[] = []
  let upstream: UpstreamNote | null = null
  for (const step of JSON.parse(text) as StoredStep[]) {
    if (step.name === 'upstream') upstream = { verdict: step.verdict, sentence: step.sentence, at: step.at }
    else steps.push(step)
  }
  return { endpointId, url, at, steps, upstream }
}

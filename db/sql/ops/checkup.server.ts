// What the doctor asks of the product's own rows. Reads only.
import { minutes } from '#app/lib/duration.ts'
import type { LastRun, RowCheckup } from '../../store/checkup.ts'
import { accountKeyStore } from '../accounts/account-keys.server.ts'
import type { Connections } from '../connections.ts'
import { MAIL_ENDS } from '../notices/mail-ends.server.ts'
import { backlogStore } from './backlog.server.ts'
import { FAILING } from './operator.server.ts'

const STUCK_AFTER = minutes(10)

/** The objects whose events are needed: the same as neededObjects in app/features/endpoints. */
const WANTED = `
  SELECT account_uuid, object_type AS object FROM webhook WHERE deleted_at IS NULL
  UNION SELECT account_uuid, object_type FROM forwarding_rule WHERE deleted_at IS NULL
  UNION SELECT account_uuid, watched_object FROM automation
    WHERE active = 1 AND deleted_at IS NULL AND watched_object IS NOT NULL`

export function rowCheckup({ reader, housekeeping }: Pick<Connections, 'reader' | 'housekeeping'>): RowCheckup {
  const subscriptionStates = counts('SELECT state, count(*) FROM subscription GROUP BY state')
  const credentialStates = counts('SELECT state, count(*) FROM credential GROUP BY state')
  const endpointStates = counts("SELECT state, count(*) FROM endpoint WHERE state <> 'deleted' GROUP BY state")
  const failing = count<Record<string, never>>(`SELECT count(*) FROM endpoint p WHERE ${FAILING}`)
  const troubled = count<Record<string, never>>(
    "SELECT count(*) FROM subscription WHERE state = 'active' AND state_reason IS NOT NULL",
  )
  const stuck = count<{ before: number }>(
    "SELECT count(*) FROM subscription WHERE state = 'pending' AND updated_at < @before",
  )
  const missing = count<{ objects: string }>(
    `SELECT count(*) FROM (${WANTED}) AS w
     JOIN credential c ON c.account_uuid = w.account_uuid AND c.state = 'connected'
     WHERE w.object NOT IN (SELECT value FROM json_each(@objects)) AND NOT EXISTS (SELECT 1 FROM subscription s
       WHERE s.account_uuid = w.account_uuid AND s.object = w.object AND s.state IN ('active', 'pending'))`,
  )
  const orphaned = count<Record<string, never>>(
    `SELECT count(*) FROM subscription s WHERE s.state = 'active' AND NOT EXISTS (SELECT 1 FROM (${WANTED}) AS w
       WHERE w.account_uuid = s.account_uuid AND w.object = s.object)`,
  )
  const mailEnds = reader.prepare<{ since: number }, { code: string; count: number }>(MAIL_ENDS)
  const samples = reader.prepare<{ limit: number }, { accountUuid: string; accessTokenSealed: string }>(
    `SELECT account_uuid AS accountUuid, access_token_sealed AS accessTokenSealed FROM credential
     WHERE access_token_sealed LIKE 'v_.%' ORDER BY updated_at DESC LIMIT @limit`,
  )
  const key = reader.prepare<{ accountUuid: string }, { sealedWith: string; keySealed: string }>(
    'SELECT sealed_with AS sealedWith, key_sealed AS keySealed FROM account_key WHERE account_uuid = @accountUuid',
  )
  const lastRun = (more: string) =>
    reader.prepare<{ kind: string }, LastRun>(
      `SELECT started_at AS startedAt, ended_at AS endedAt, outcome, message FROM backup_run
       WHERE kind = @kind ${more} ORDER BY id DESC LIMIT 1`,
    )
  const newestRun = lastRun('')
  const newestGoodRun = lastRun("AND outcome = 'done'")
  const backlog = backlogStore({ reader })

  function counts(text: string) {
    return reader.prepare<[], [string, number]>(text).raw()
  }
  function count<Given extends object>(text: string) {
    return reader.prepare<Given, number>(text).pluck()
  }

  return {
    backlog: (now) => backlog.readBacklog(now, []),
    subscriptions: reader.snapshot(function* (now, polled) {
      return {
        states: Object.fromEntries(yield* subscriptionStates.all()),
        troubled: (yield* troubled.get({})) ?? 0,
        stuck: (yield* stuck.get({ before: now - STUCK_AFTER })) ?? 0,
        missing: (yield* missing.get({ objects: JSON.stringify(polled) })) ?? 0,
        orphaned: (yield* orphaned.get({})) ?? 0,
      }
    }),
    connections: reader.read(function* () {
      const states = Object.fromEntries(yield* credentialStates.all())
      return { connected: states.connected ?? 0, reconnect: states.reconnect ?? 0 }
    }),
    endpoints: reader.read(function* () {
      return { ...Object.fromEntries(yield* endpointStates.all()), failing: (yield* failing.get({})) ?? 0 }
    }),
    mailEnds: reader.read((since) => mailEnds.all({ since })),
    keyUses: () => accountKeyStore({ db: reader, housekeeping }).keysInUse(),
    samples: reader.read(function* (limit) {
      return yield* samples.all({ limit })
    }),
    findKey: reader.read(function* (accountUuid) {
      return (yield* key.get({ accountUuid })) ?? null
    }),
    backupRuns: reader.read(function* (kind) {
      return {
        newest: (yield* newestRun.get({ kind })) ?? null,
        newestGood: (yield* newestGoodRun.get({ kind })) ?? null,
      }
    }),
  }
}

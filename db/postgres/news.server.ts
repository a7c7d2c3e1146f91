// What one instance leaves for the owner of an endpoint, in the transaction that made it.
import type { Database, Step } from '../database.ts'
import { MEMBER } from './database.server.ts'

export interface WaitingFor {
  accountUuid: string
  endpointId: number
}

/** Not ours, or not ours until this transaction ends: a share that is ours cannot be given away before. */
const NOT_OURS = (part: string) =>
  `NOT EXISTS (SELECT 1 FROM share WHERE part = ${part} AND owner = ${MEMBER} FOR SHARE)`

/**
 * Tells the owners of these endpoints that something waits for them. Call it inside the transaction that stored it.
 * Resolves with whether anybody has to look.
 */
export function newsTeller(db: Database): (waiting: readonly WaitingFor[]) => Step<boolean> {
  const insert = db.prepare<{ waiting: string }, 1>(
    `INSERT INTO news (part, endpoint_id)
     SELECT share_of("accountUuid"), "endpointId"
     FROM json_to_recordset(@waiting::json) AS given("accountUuid" text, "endpointId" bigint)
     WHERE ${NOT_OURS('share_of("accountUuid")')} RETURNING 1`,
  )
  return function* (waiting) {
    return waiting.length > 0 && (yield* insert.all({ waiting: JSON.stringify(waiting) })).length > 0
  }
}

export function newsOf(db: Database) {
  const take = db
    .prepare<[], number>(
      `DELETE FROM news WHERE part IN (SELECT part FROM share WHERE owner = ${MEMBER}) RETURNING endpoint_id`,
    )
    .pluck()
  const tell = db.prepare<{ endpointId: number }>(
    `INSERT INTO news (part, endpoint_id) SELECT share_of(p.account_uuid), p.id FROM endpoint p
     WHERE p.id = @endpointId AND ${NOT_OURS('share_of(p.account_uuid)')}`,
  )
  return {
    takeNews: db.single(function* () {
      return [...new Set(yield* take.all())]
    }),
    tell: db.single(function* (endpointId: number) {
      return (yield* tell.run({ endpointId })).changes > 0
    }),
  }
}

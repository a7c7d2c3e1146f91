// Stores incoming events, and finds the owner of the address they came to.
import type { Clock } from '#app/lib/clock.ts'
import { acceptEvents } from '../../acts.ts'
import type { EventStore, FanOutEndpoint, Ingress } from '../../store/events.ts'
import type { Connections } from '../connections.ts'
import { knownIngress } from '../endpoints/known-ingress.server.ts'
import { eventWriter } from '../hot/accept.server.ts'
import { tallies } from '../hot/tally.server.ts'

export function eventStore(connections: Connections, clock: Clock): EventStore {
  const { db, turn } = connections
  const newTally = tallies(db)
  const writer = eventWriter(connections)
  const ingressOf = db.prepare<{ tokenHash: string }, Ingress>(
    `SELECT id AS subscriptionId, account_uuid AS accountUuid, object, state, ends_at AS endsAt
     FROM subscription WHERE token_hash = @tokenHash`,
  )
  const findIngress = knownIngress(db.read((tokenHash) => ingressOf.get({ tokenHash })))
  const findEndpoint = db.prepare<{ endpointId: number; accountUuid: string }, FanOutEndpoint>(
    `SELECT id, object_type AS objectType, field_filter AS fieldFilter, url, state FROM endpoint
     WHERE id = @endpointId AND account_uuid = @accountUuid AND state <> 'deleted' AND url <> ''`,
  )

  return {
    findIngress: (tokenHash) => findIngress(tokenHash, clock.now()),

    acceptEvents: (events, options) => turn.run((own) => acceptEvents(writer.rows(own), events, options)),

    createTestDelivery: db.write(function* (accountUuid, endpointId, sample, now) {
      const endpoint = yield* findEndpoint.get({ endpointId, accountUuid })
      if (!endpoint) return null
      const tally = newTally()
      const id = yield* writer.sample({ ...sample, accountUuid, receivedAt: now }, endpoint, tally)
      yield* tally.write()
      return id
    }),
  }
}

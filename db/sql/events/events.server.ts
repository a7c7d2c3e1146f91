// Stores incoming events, and finds the owner of the address they came to.
import type { Clock } from '#app/lib/clock.ts'
import { acceptEvents } from '../../acts.ts'
import type { EventStore, FanOutEndpoint, Ingress } from '../../store/events.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { knownIngress } from '../endpoints/known-ingress.server.ts'
import { eventWriter } from '../hot/accept.server.ts'
import { finish } from '../hot/step.server.ts'
import { tallies } from '../hot/tally.server.ts'

export function eventStore(client: Client, clock: Clock): EventStore {
  const { sql } = client
  const newTally = tallies(sql)
  const writer = eventWriter(client)
  const ingressOf = sql.prepare<{ tokenHash: string }, Ingress>(
    `SELECT id AS subscriptionId, account_uuid AS accountUuid, object, state, ends_at AS endsAt
     FROM subscription WHERE token_hash = @tokenHash`,
  )
  const findIngress = knownIngress((tokenHash) => ingressOf.get({ tokenHash }))
  const findEndpoint = sql.prepare<{ endpointId: number; accountUuid: string }, FanOutEndpoint>(
    `SELECT id, object_type AS objectType, field_filter AS fieldFilter, url, state FROM endpoint
     WHERE id = @endpointId AND account_uuid = @accountUuid AND state <> 'deleted' AND url <> ''`,
  )
  const insertTest = sql.transaction(
    (accountUuid: string, endpointId: number, sample: Parameters<EventStore['createTestDelivery']>[2], now: number) => {
      const endpoint = findEndpoint.get({ endpointId, accountUuid })
      if (!endpoint) return null
      const tally = newTally()
      const id = writer.sample({ ...sample, accountUuid, receivedAt: now }, endpoint, tally)
      tally.write()
      return id
    },
  )

  return {
    async findIngress(tokenHash) {
      return findIngress(tokenHash, clock.now())
    },

    async acceptEvents(events, options) {
      return client.turn.run((turn) => finish(acceptEvents(writer.rows(turn), events, options)))
    },

    async createTestDelivery(accountUuid, endpointId, sample, now) {
      return insertTest.immediate(accountUuid, endpointId, sample, now)
    },
  }
}

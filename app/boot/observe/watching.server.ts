// For monitoring: metrics, the details of readiness, and access to them.
import type { Measures } from '#app/adapters/measures.ts'
import type { App } from '#app/context/app-context.ts'
import { bearerOf } from '#app/domain/readiness.ts'
import { sameSecret } from '#app/lib/token.server.ts'
import { createReadings, instancesSeen, type ReadingsInput } from './readings.server.ts'

interface WatchingInput extends ReadingsInput {
  measures: Measures
  /** Null = none is configured. */
  token: string | null
  version: string
  spaceSentence(): string
}

export function createWatching(input: WatchingInput): App['watching'] {
  const { measures, clock, engine, runs, store } = input
  const startedAt = clock.now()
  const read = createReadings(input)
  const secondsAgo = (at: number | null) => (at === null ? null : Math.max(0, clock.now() - at) / 1000)
  return {
    accessOf(authorization) {
      if (input.token === null) return 'open'
      const given = bearerOf(authorization)
      return given !== null && sameSecret(given, input.token) ? 'allowed' : 'refused'
    },
    async metrics() {
      return { contentType: measures.contentType, text: await measures.text(await read()) }
    },
    async details() {
      const deliveries = engine.status()
      const automations = runs.status()
      const flights = engine.flights().map(({ id }) => id)
      const oldest = await store.ops.readBacklog(clock.now(), flights).catch(() => null)
      return {
        version: input.version,
        startedAt,
        deliveries: {
          owner: deliveries.owner,
          lastSignSecondsAgo: secondsAgo(deliveries.lastBeatAt),
          inFlight: deliveries.inFlight,
        },
        automations: {
          owner: automations.owner,
          lastSignSecondsAgo: secondsAgo(automations.lastBeatAt),
          inFlight: automations.inFlight,
        },
        instances: instancesSeen(input.shares),
        oldestDueDeliverySeconds: oldest && (secondsAgo(oldest.oldestDueSince) ?? 0),
        space: input.spaceSentence(),
      }
    },
  }
}

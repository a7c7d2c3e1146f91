// The outside world as one process sees it: every request passes the model, then its receiver answers by its mood.
import type { Outbound } from '#app/adapters/outbound/outbound.ts'
import type { Chance } from '../stage/chance.ts'
import { requestLeaves } from './model.ts'
import type { Observer } from './observer.server.ts'
import type { Process, World } from './types.ts'

export function outboundOf(process: () => Process, world: () => World, observer: Observer, answers: Chance): Outbound {
  return {
    check: async () => ({ verdict: 'allowed' }),
    probe: () => Promise.reject(new Error('nobody looks at an address here')),
    // The schedule alone is judged here.
    knock: async () => false,
    close: async () => undefined,
    async post({ url, headers, body }) {
      const self = process()
      // What was killed sends nothing more, also not in the same moment.
      if (self.state === 'dead') return new Promise(() => {})
      const { clock, model, moods, note, leaseHolder } = world()
      const began = clock.now()
      const job = observer.takeLoaded(self, url, body)
      if (!job) throw new Error(`a request to ${url} that nobody prepared`)
      observer.settleUp()
      const facts = {
        process: self.name,
        deliveryId: job.id,
        webhookId: headers['webhook-id'] ?? '',
        attemptHeader: headers['x-fieldhook-attempt'] ?? '',
        leaseHolder: leaseHolder(),
      }
      const request = requestLeaves(model, facts, began)
      const mood = moods.get(job.endpointId)
      if (!request || !mood) throw new Error(`no receiver at ${url}`)
      const reply = mood.reply(answers, job.eventSeq)
      note(
        `${self.name} → delivery ${job.id} to endpoint ${job.endpointId} (${request.kind}, attempt ${job.attempts + 1})`,
      )
      await new Promise<void>((resolve) => self.clock.wake(began + reply.afterMs, resolve))

      const now = clock.now()
      const arrived = reply.compose(now)
      request.meaning = arrived.meaning
      request.answeredAt = now
      const totalMs = now - began
      const timing = { totalMs, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: totalMs }
      if ('fails' in arrived) {
        note(`${self.name} ← delivery ${job.id}: ${arrived.fails}`)
        return { outcome: arrived.fails, sentence: `It ended as "${arrived.fails}".`, peerIp: null, timing }
      }
      const { status, retryAfter, location } = arrived
      request.status = status
      const back: Record<string, string> = {
        ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
        ...(location !== undefined && { location }),
      }
      note(`${self.name} ← delivery ${job.id}: ${status} ${Object.entries(back).flat().join(' ')}`.trimEnd())
      return { outcome: 'response', status, headers: back, body: '', bodyTruncated: false, peerIp: null, timing }
    },
  }
}

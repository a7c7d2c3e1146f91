// "Send everything since …" as the page shows it: its form in the address, and the sentences.
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { plural } from '#app/domain/moments.ts'
import type { FieldErrors } from '../endpoint.ts'
import type { ReplayView } from '../endpoint-view.ts'

/** What the page's form holds, as typed. */
export interface ReplayForm {
  /** A date and time of day in the account's zone. */
  since: string
  status: string
  objectUuid: string
}

/** The panel of one card, as the page shows it. */
export interface ReplayPanelData {
  webhookId: EndpointKey
  form: ReplayForm
  errors: FieldErrors
  /** How many would be sent; null = not asked yet, or it cannot be said. */
  count: number | null
}

/** From an address; null = nothing was asked for yet. */
export function replayFormOf(params: URLSearchParams): ReplayForm | null {
  const since = params.get('since')
  if (since === null) return null
  return { since, status: params.get('status') ?? '', objectUuid: params.get('objectUuid') ?? '' }
}

/** How far a replay has come, or how it ended, in one sentence. */
export function replaySentence(replay: ReplayView): string {
  const { total, delivered, undelivered } = replay
  const failed = undelivered === 0 ? '' : `, ${undelivered} not delivered`
  switch (replay.state) {
    case 'running':
      return `${delivered} of ${plural(total, 'event')} delivered${failed}.`
    case 'cancelled':
      return `${delivered} of ${plural(total, 'event')} had been delivered. The rest was not sent.`
    case 'done':
      if (delivered + undelivered === 0) return 'There was nothing to send.'
      if (undelivered === 0)
        return delivered === 1 ? 'The event was delivered.' : `All ${delivered} events were delivered.`
      return `${plural(delivered, 'event')} delivered${failed}. The activity says why.`
  }
}

/** The answer to "how many would that be?". */
export function countSentence(count: number, status: 'all' | 'failed'): string {
  if (count > 0) return `${plural(count, 'event')} would be sent.`
  return status === 'failed'
    ? 'Nothing to send: everything received since then was delivered, or still waits for its next try.'
    : 'Nothing to send: no event was received since then.'
}

// "Send everything since …" on the page: its form values in the URL, and its sentences.

import type { Replay } from '#app/domain/deliveries/stored-delivery.ts'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { grouped, plural, spanText } from '#app/domain/time/moments.ts'
import type { FieldErrors } from '../endpoint.ts'

/** The form's values, as typed. */
export interface ReplayForm {
  /** Date and time of day in the account's time zone. */
  since: string
  status: string
  objectUuid: string
}

/** The replay panel of one card. */
export interface ReplayPanelData {
  webhookId: EndpointKey
  form: ReplayForm
  errors: FieldErrors
  /** How many events the replay would send; null when not counted yet or not countable. */
  count: number | null
  /** ms that delivered events can be sent; only where older ones were asked for. */
  kept?: number
}

/** Reads the form's values from the URL; null when no replay was requested yet. */
export function replayFormOf(params: URLSearchParams): ReplayForm | null {
  const since = params.get('since')
  if (since === null) return null
  return { since, status: params.get('status') ?? '', objectUuid: params.get('objectUuid') ?? '' }
}

/** Describes the progress or the result of a replay in one sentence. */
export function replaySentence(replay: Replay): string {
  const { total, delivered, undelivered } = replay
  const failed = undelivered === 0 ? '' : `, ${grouped(undelivered)} not delivered`
  switch (replay.state) {
    case 'running':
      return `${grouped(delivered)} of ${plural(total, 'event')} delivered${failed}.`
    case 'cancelled':
      return `${grouped(delivered)} of ${plural(total, 'event')} had been delivered. The rest was not sent.`
    case 'done':
      if (delivered + undelivered === 0) return 'There was nothing to send.'
      if (undelivered === 0)
        return delivered === 1 ? 'The event was delivered.' : `All ${grouped(delivered)} events were delivered.`
      return `${plural(delivered, 'event')} delivered${failed}. The activity says why.`
  }
}

/** Answers how many events a replay would send; `kept` as in `ReplayPanelData`. */
export function countSentence(count: number, status: 'all' | 'failed', kept?: number): string {
  const words = count > 0 ? `${plural(count, 'event')} would be sent.` : NOTHING[status]
  if (status === 'failed' || kept === undefined) return words
  return `${words} Events delivered everywhere, or sent nowhere, can be sent for ${spanText(kept)}.`
}

const NOTHING = {
  failed: 'Nothing since then was given up or stopped. Choose “All” to send what was never sent.',
  all: 'Nothing to send: we keep no event since then.',
}

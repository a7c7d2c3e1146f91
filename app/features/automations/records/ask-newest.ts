// Lists records so that the newest are among them. The platform's order is not by edit, so a cut list may lack them.
import { localStamp } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

interface Found {
  outcome: 'ok'
  value: Record<string, unknown>[]
}

/** `ask`: with a further clause; '' = none. A list as long as the limit was cut, so its recent edits are asked too. */
export async function askNewest<Failure extends { outcome: string }>(
  ask: (recent: string) => Promise<Found | Failure>,
  limit: number,
  now: Millis,
): Promise<Found | Failure> {
  const found = new Map<unknown, Found['value'][number]>()
  for (const ago of [null, 365, 90, 30]) {
    const answer = await ask(ago === null ? '' : `edit_date gt '${localStamp(now - days(ago))}'`)
    if (!isFound(answer) || (ago === null && answer.value.length < limit)) return answer
    for (const record of answer.value) found.set(record.uuid, record)
    if (answer.value.length < limit) break
  }
  return { outcome: 'ok', value: [...found.values()] }
}

function isFound(answer: { outcome: string }): answer is Found {
  return answer.outcome === 'ok'
}

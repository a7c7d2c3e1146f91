// Lists records so that the newest are among them. The platform's order is not by edit, so a cut list may lack them.
import type { AccountCallResult, PlatformRecord } from '#app/adapters/platform.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

/** `ask`: with a further clause; '' = none. A list as long as the limit was cut, so its recent edits are asked too. */
export async function askNewest(
  ask: (recent: string) => Promise<AccountCallResult<PlatformRecord[]>>,
  limit: number,
  now: Millis,
): Promise<AccountCallResult<PlatformRecord[]>> {
  let answer = await ask('')
  const found = new Map<unknown, PlatformRecord>()
  for (const ago of [365, 90, 30]) {
    if (answer.outcome !== 'ok' || answer.value.length < limit) break
    for (const record of answer.value) found.set(record.uuid, record)
    answer = await ask(`edit_date gt '${localStamp(now - days(ago))}'`)
  }
  if (answer.outcome !== 'ok' || found.size === 0) return answer
  for (const record of answer.value) found.set(record.uuid, record)
  return { outcome: 'ok', value: [...found.values()] }
}

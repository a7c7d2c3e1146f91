// Messages for a rule that could not be checked: too slow, or the queue is full.
import type { NotDone } from '#app/lib/apart.ts'

const TOO_LONG = 'This automation takes too long to check. Make its texts shorter.'

export type NotChecked =
  | { outcome: 'too_long'; message: string }
  | { outcome: 'busy'; message: string; retryAfterMs: number }

export function notChecked(why: NotDone): NotChecked {
  if (why.outcome === 'too_long') return { outcome: 'too_long', message: TOO_LONG }
  const { retryAfterMs } = why
  const wait = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return { outcome: 'busy', message: `Too much work at once. Please try again in ${wait} s.`, retryAfterMs }
}

// The class of a failure, without any text from the endpoint's answer.
import type { FailingAddress } from '#app/domain/operations.ts'
import type { Millis } from '#app/lib/clock.ts'

const WORDS: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  dns: 'name not found',
  refused: 'connection refused',
  reset: 'connection broken off',
  tls: 'certificate or TLS',
  blocked: 'address not allowed',
  protocol: 'no proper HTTP',
  internal: 'a fault of ours',
  rate_limited: '429',
  redirect: '3xx',
}

/** `code` of the latest answer, null = none; `outcome` of the latest attempt, null = not known. */
export function failureClass(code: number | null, outcome: string | null): string {
  if (code !== null) return code === 429 ? '429' : `${Math.floor(code / 100)}xx`
  return (outcome !== null && Object.hasOwn(WORDS, outcome) && WORDS[outcome]) || 'no answer'
}

export interface FailingGroup {
  accountUuid: string
  accountName: string
  addresses: number
  /** Start of the longest failure. */
  since: Millis
  /** Those switched off after 72 hours. */
  switchedOff: number
  /** Most frequent first. */
  classes: { words: string; count: number }[]
}

/** One group per account, longest failure first. */
export function failingGroups(addresses: readonly FailingAddress[]): FailingGroup[] {
  const groups = new Map<string, FailingGroup>()
  for (const { accountUuid, accountName, since, switchedOff, code, outcome } of addresses) {
    const group = groups.get(accountUuid) ?? {
      accountUuid,
      accountName,
      addresses: 0,
      since,
      switchedOff: 0,
      classes: [],
    }
    group.addresses += 1
    group.since = Math.min(group.since, since)
    group.switchedOff += switchedOff ? 1 : 0
    const words = failureClass(code, outcome)
    const known = group.classes.find((one) => one.words === words)
    if (known) known.count += 1
    else group.classes.push({ words, count: 1 })
    groups.set(accountUuid, group)
  }
  const sorted = [...groups.values()].sort((a, b) => a.since - b.since)
  for (const group of sorted) group.classes.sort((a, b) => b.count - a.count)
  return sorted
}

/** `2 addresses: 5xx (1), no answer in time (1)`. */
export function groupText({ addresses, classes }: Pick<FailingGroup, 'addresses' | 'classes'>): string {
  const [only, ...more] = classes
  const kinds =
    only && more.length === 0 ? only.words : classes.map(({ words, count }) => `${words} (${count})`).join(', ')
  return `${addressesText(addresses)}: ${kinds}`
}

/** `1 address`, `2 addresses`. */
export function addressesText(count: number): string {
  return count === 1 ? '1 address' : `${count} addresses`
}

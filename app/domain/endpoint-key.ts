// Which of an account's addresses is meant: a webhook's own, or one more of a forwarding rule.

export type RuleKey = `rule-${number}`

/** A webhook's id, or `rule-3` for the forwarding rule 3. The same as text in forms and addresses. */
export type EndpointKey = number | RuleKey

export function ruleKey(ruleId: number): RuleKey {
  return `rule-${ruleId}`
}

export function ruleIdOf(key: RuleKey): number {
  return Number(key.slice('rule-'.length))
}

/** Reads a key from a form or an address; null for anything that cannot be one. */
export function parseEndpointKey(text: string): EndpointKey | null {
  const [, rule, id] = /^(rule-)?([1-9]\d{0,14})$/.exec(text) ?? []
  if (id === undefined) return null
  return rule === undefined ? Number(id) : ruleKey(Number(id))
}

/** No plan limits how many addresses an account has. This keeps a program gone wild from filling the installation. */
export const MOST_ENDPOINTS = 1_000

export function noRoomForEndpoints(most: number): string {
  return `This installation stops at ${most.toLocaleString('en')} addresses for one account. Delete one you no longer need, or ask its operator for more.`
}

// Finds the permission that a refusal of the platform is about.

/** The permission a 403 names (facts: 2.4); null when it names none. */
export function missingScope(message: string): string | null {
  const named =
    /\b([a-z]+(?:_[a-z]+)+)\s+scope\b/i.exec(message) ?? /\bscope[:\s]+["']?([a-z]+(?:_[a-z]+)+)/i.exec(message)
  const word = named?.[1]?.toLowerCase()
  if (word && word !== 'insufficient_scope') return word
  return /\b((?:read|manage|publish|create)_[a-z_]+)\b/.exec(message)?.[1] ?? null
}

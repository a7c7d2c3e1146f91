// Which permissions an account still has to give, and the words for it. Drawn in the browser too.

/** Names of permissions in a text of the platform or of ours, space or comma separated. */
export function scopeNames(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))]
}

/**
 * The permissions to ask for again: those we want that the sign-in did not grant, and those ServiceM8 has refused since. Nothing
 * is said of a connection whose grant is not known, and nothing of one that is lost: that one asks for everything anyway.
 */
export function missingScopes(
  credential: { state: 'connected' | 'reconnect'; scope: string; stateReason: string | null },
  wanted: readonly string[],
): string[] {
  if (credential.state !== 'connected') return []
  const granted = new Set(scopeNames(credential.scope))
  const notGranted = granted.size === 0 ? [] : wanted.filter((scope) => !granted.has(scope))
  return [...new Set([...notGranted, ...scopeNames(credential.stateReason ?? '')])]
}

/** Title and sentence of the notice that stands above Reconnect. */
export const PERMISSIONS_MISSING = 'ServiceM8 permissions are missing'

export function permissionsSentence(scopes: readonly string[]): string {
  const named =
    scopes.length > MOST_NAMED ? [...scopes.slice(0, MOST_NAMED), `${scopes.length - MOST_NAMED} more`] : scopes
  return `Fieldhook needs ${named.join(', ')}. Reconnect and allow all permissions.`
}

const MOST_NAMED = 6

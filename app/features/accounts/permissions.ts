// The permissions an account still has to grant, and the texts about them. Also runs in the browser.

/** Parses permission names from a text of the platform or ours, separated by spaces or commas. */
export function scopeNames(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))]
}

/** Without these everything works; the run history offers to ask for them. */
const NICE_TO_HAVE: ReadonlySet<string> = new Set(['read_sms', 'read_email'])

/**
 * Returns the permissions to ask for again: those the sign-in did not grant, and those ServiceM8 has refused since.
 * Empty for a connection whose grant is unknown, and for a lost one, which asks for everything anyway.
 */
export function missingScopes(
  credential: { state: 'connected' | 'reconnect'; scope: string; stateReason: string | null },
  wanted: readonly string[],
): string[] {
  if (credential.state !== 'connected') return []
  const granted = new Set(scopeNames(credential.scope))
  const notGranted = granted.size === 0 ? [] : wanted.filter((scope) => !granted.has(scope))
  const missing = new Set([...notGranted, ...scopeNames(credential.stateReason ?? '')])
  return [...missing].filter((scope) => !NICE_TO_HAVE.has(scope))
}

/** Title and sentence of the notice above Reconnect. */
export const PERMISSIONS_MISSING = 'ServiceM8 permissions are missing'

export function permissionsSentence(scopes: readonly string[]): string {
  const named =
    scopes.length > MOST_NAMED ? [...scopes.slice(0, MOST_NAMED), `${scopes.length - MOST_NAMED} more`] : scopes
  return `Fieldhook needs ${named.join(', ')}. Reconnect and allow all permissions.`
}

const MOST_NAMED = 6

// Redacts a call to or from the platform before it is stored: removes secrets, limits lengths. Located next to the
// write statement, so no code can write around it.
import type { NewApiActivity } from '../../store/activity.ts'

export const HIDDEN = '[hidden]'

/** Lengths of the specification's entity. It sets none for request and response: 4 KB shows what matters. */
const LENGTHS = {
  accountUuid: 255,
  activityType: 50,
  endpoint: 500,
  method: 10,
  userAgent: 500,
  remoteIp: 45,
  data: 4096,
}

/** Longer texts are cut before searching, so masking takes a limited time. */
const LONGEST_SEARCHED = 65_536

const SECRET_NAMES =
  'access_?token|refresh_?token|id_?token|token|client_?secret|secret|code|code_?verifier|state|password|passwd|authorization|cookie|set-cookie|api_?key|x-api-key|key|signature|webhook-signature|jwt'

/** Each pattern runs in linear time; the second part of the pair keeps what may be shown. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  // Our callback addresses, plain or percent-encoded: their token gives access to the account's events.
  [/(\/hooks\/platform\/|%2Fhooks%2Fplatform%2F)[A-Za-z0-9_-]+/gi, `$1${HIDDEN}`],
  // Our document links in messages: anyone with a link can open the document.
  [/(\/documents\/|%2Fdocuments%2F)[A-Za-z0-9._-]{16,}/gi, `$1${HIDDEN}`],
  [new RegExp(`("(?:${SECRET_NAMES})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, 'gi'), `$1"${HIDDEN}"`],
  [new RegExp(`((?:^|[?&;\\s])(?:${SECRET_NAMES})=)[^&\\s"]*`, 'gi'), `$1${HIDDEN}`],
  [new RegExp(`((?:^|\\n)(?:${SECRET_NAMES}):[ \\t]*)[^\\n]*`, 'gi'), `$1${HIDDEN}`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${HIDDEN}`],
  [/(?<![\w-])eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, HIDDEN],
  [/\b(?:whsec_|sk_live_|sk_test_|rk_live_|rk_test_|smk-)[A-Za-z0-9+/=_-]+/g, HIDDEN],
]

/** The activity in the form to store. */
export function redactActivity(activity: NewApiActivity): NewApiActivity {
  return {
    accountUuid: activity.accountUuid.slice(0, LENGTHS.accountUuid),
    activityType: activity.activityType,
    endpoint: cut(redactText(activity.endpoint), LENGTHS.endpoint),
    method: activity.method.slice(0, LENGTHS.method),
    requestData: activity.requestData === null ? null : cut(redactText(activity.requestData), LENGTHS.data),
    responseData: activity.responseData === null ? null : cut(redactText(activity.responseData), LENGTHS.data),
    statusCode: activity.statusCode,
    userAgent: activity.userAgent === null ? null : cut(redactText(activity.userAgent), LENGTHS.userAgent),
    remoteIp: activity.remoteIp?.slice(0, LENGTHS.remoteIp) ?? null,
    durationMs: activity.durationMs === null ? null : Math.max(0, Math.round(activity.durationMs)),
  }
}

/** Masks what looks like a secret, by name and by shape. */
export function redactText(text: string): string {
  let masked = text.slice(0, LONGEST_SEARCHED)
  for (const [pattern, replacement] of MASKS) masked = masked.replace(pattern, replacement)
  return masked
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

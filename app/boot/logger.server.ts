// Structured log lines (pino). Secrets are removed twice: by field name, and by pattern in every text.
import { type DestinationStream, pino } from 'pino'
import type { Log } from '#app/lib/log.ts'

const SECRET_FIELDS = [
  'accessToken',
  'refreshToken',
  'access_token',
  'refresh_token',
  'client_secret',
  'authorization',
  'cookie',
  'token',
  'secret',
  'signingSecret',
  'password',
  'code',
  'key',
]

/**
 * Values an operator must see in a field that might also hold a sign-in code: an error name, as Node, SQLite, undici or
 * our code writes it, or a number.
 */
const ERROR_NAME =
  /^(?:E[A-Z]{2,15}|(?:EAI|ERR|UND_ERR|HPE|SQLITE|CERT|DIAL)_[A-Z][A-Z0-9_]{1,50}|[a-z]{2,20}(?:_[a-z]{2,20}){1,4})$/

/** `path` as pino gives it: the names that lead to the field. */
function censor(value: unknown, path: string[]): unknown {
  const harmless = typeof value === 'number' || (typeof value === 'string' && ERROR_NAME.test(value))
  return path.at(-1) === 'code' && harmless ? value : '[secret]'
}

/** Texts that look like a secret in any field: ingress addresses, signing secrets, JWTs, bearer tokens. */
const SECRET_SHAPES: [RegExp, string][] = [
  [/(\/hooks\/(?:platform|automation)\/)[A-Za-z0-9_-]{16,}/g, '$1[secret]'],
  [/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_[secret]'],
  [/\bsk_(?:live|test)_[A-Za-z0-9]+/g, 'sk_[secret]'],
  [/(?<![\w-])eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g, '[jwt]'],
  [/\b[Bb]earer\s+[A-Za-z0-9._~+/=-]{8,}/g, 'Bearer [secret]'],
  [/([?&](?:token|key|code|state|secret)=)[^&\s"]+/g, '$1[secret]'],
]

/** Removes everything from a text that looks like a secret. */
function scrub(text: string): string {
  let clean = text
  for (const [shape, replacement] of SECRET_SHAPES) clean = clean.replace(shape, replacement)
  return clean
}

/** @param destination target of the lines; standard output unless a test sets its own. */
export function createLog(level: string, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor,
      },
      serializers: { error: pino.stdSerializers.errWithCause, err: pino.stdSerializers.errWithCause },
      hooks: { streamWrite: scrub },
    },
    ...(destination ? [destination] : []),
  ) as unknown as Log
}

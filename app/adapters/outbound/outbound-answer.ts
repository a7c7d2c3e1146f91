// The stored part of a receiver's answer: unchanged header values, and a little readable text.

/** Converts raw name, value, name, value … to a record: lower-case names, latin1 values, repeats joined by a comma. */
export function readHeaders(raw: readonly Uint8Array[]): Record<string, string> {
  const headers = new Map<string, string>()
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = latin1(raw[i]).toLowerCase()
    const value = latin1(raw[i + 1]).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  // `fromEntries` defines own properties, so that a header named `__proto__` is just a header.
  return Object.fromEntries(headers)
}

/**
 * The text of a body, at most `maxBytes` of UTF-8, without control characters. Empty for types that are not text, for
 * compressed bodies (never unpacked), and for bodies without a type that do not look like text. `cut`: the body was not
 * read to its end. `truncated`: the text was longer than the part returned.
 */
export function readText(headers: Record<string, string>, body: Uint8Array, cut: boolean, maxBytes: number) {
  const type = headers['content-type'] ?? ''
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase()
  if (body.length === 0 || (encoding !== '' && encoding !== 'identity')) return { text: '', truncated: false }
  if (type === '' ? !looksLikeText(body) : !isTextType(type)) return { text: '', truncated: false }
  const whole = decoder(type).decode(body, { stream: cut })
  const clean = whole.replace(UNPRINTABLE, '\ufffd')
  const utf8 = new TextEncoder().encode(clean)
  if (utf8.length <= maxBytes) return { text: clean, truncated: cut }
  // `stream` omits a character that the cut split.
  return { text: new TextDecoder().decode(utf8.subarray(0, maxBytes), { stream: true }), truncated: true }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are replaced; tab and line ends stay
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

function isTextType(type: string): boolean {
  const essence = (type.split(';')[0] ?? '').trim().toLowerCase()
  return /^(text\/.+|application\/(.+\+)?(json|xml)|application\/(javascript|x-www-form-urlencoded))$/.test(essence)
}

function looksLikeText(body: Uint8Array): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: true }).search(UNPRINTABLE) === -1
  } catch {
    return false
  }
}

function decoder(type: string): TextDecoder {
  const charset = /charset="?([\w.:-]+)/i.exec(type)?.[1]
  try {
    return new TextDecoder(charset ?? 'utf-8')
  } catch {
    return new TextDecoder('utf-8')
  }
}

function latin1(bytes: Uint8Array | undefined): string {
  let text = ''
  for (const byte of bytes ?? []) text += String.fromCharCode(byte)
  return text
}

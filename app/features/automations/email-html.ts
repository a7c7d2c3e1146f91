// The HTML an owner writes for an e-mail, as it may be kept: it leaves in the business's name and is read in other people's
// programs. Tags and attributes that lay out a letter stay, to the letter; what runs, loads, embeds or asks for input goes.

const TAGS = new Set(
  (
    'a abbr address article b bdi bdo big blockquote body br caption center cite code col colgroup dd del dfn div dl dt em ' +
    'figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i img ins kbd li main mark meta nav ol p pre q s samp ' +
    'section small span strike strong style sub sup table tbody td tfoot th thead time title tr tt u ul var wbr ' +
    // The platform's own, for the signature of a staff member.
    'platform-user-signature'
  ).split(' '),
)

/** These go with everything up to their end. */
const WITH_CONTENT = new Set(
  'script iframe object embed applet noscript noframes noembed template svg math xmp plaintext frameset'.split(' '),
)

const ATTRIBUTES = new Set(
  (
    'abbr align alt bgcolor border cellpadding cellspacing charset class color cols colspan content datetime dir face headers ' +
    'height href hspace id lang name noshade nowrap rel role rowspan rules scope size span src start style summary target title ' +
    'type valign value vspace width'
  ).split(' '),
)

/** Where a link may lead; a picture may also be part of the e-mail. */
const LINK = /^(https?|mailto|tel|sms):/i
const PICTURE = /^(https?:|cid:|data:image\/(png|gif|jpe?g|webp);)/i
const TAG_NAME = /^[a-z][a-z0-9-]*/i

export interface SafeHtml {
  html: string
  /** What was taken out, in words, each once: `<script>`, `onclick`. */
  removed: string[]
}

/** The parameters of an e-mail with both of its HTML texts made safe. */
export function withSafeHtml<P extends { customHtmlBody?: unknown; htmlBody?: unknown }>(parameters: P): P {
  const { customHtmlBody, htmlBody } = parameters
  return {
    ...parameters,
    ...(typeof customHtmlBody === 'string' && { customHtmlBody: safeEmailHtml(customHtmlBody).html }),
    ...(typeof htmlBody === 'string' && { htmlBody: safeEmailHtml(htmlBody).html }),
  }
}

/** What is taken out of the e-mails of a rule when it is saved, in words; null = nothing. */
export function takenOutOf(
  actions: readonly { type: string; parameters: Readonly<Record<string, unknown>> }[],
): string | null {
  const texts = actions.flatMap(({ type, parameters }) =>
    type === 'send_email' ? [parameters.customHtmlBody, parameters.htmlBody] : [],
  )
  const removed = texts.flatMap((text) => (typeof text === 'string' ? safeEmailHtml(text).removed : []))
  if (removed.length === 0) return null
  const what = [...new Set(removed)].join(', ')
  return `Saved, but this was taken out of the HTML of an e-mail because it is not safe there: ${what}.`
}

/** Doing it again changes nothing. Placeholders are left alone, in a link's address too. */
export function safeEmailHtml(text: string): SafeHtml {
  const removed = new Set<string>()
  let html = ''
  let at = 0
  while (at < text.length) {
    const open = text.indexOf('<', at)
    if (open < 0) break
    html += text.slice(at, open)
    const piece = pieceAt(text, open, removed)
    html += piece.html
    at = piece.end
  }
  return { html: html + text.slice(at), removed: [...removed] }
}

interface Piece {
  html: string
  end: number
}

function pieceAt(text: string, open: number, removed: Set<string>): Piece {
  if (text.startsWith('<!--', open)) {
    const end = text.indexOf('-->', open + 4)
    return { html: '', end: end < 0 ? text.length : end + 3 }
  }
  if (/^<!doctype\b[^<>]*>/i.test(text.slice(open, open + 300))) {
    const end = text.indexOf('>', open) + 1
    return { html: text.slice(open, end), end }
  }
  const closes = text[open + 1] === '/'
  const name = TAG_NAME.exec(text.slice(open + (closes ? 2 : 1), open + 40))?.[0]
  // A sign and no tag; but what follows might turn it into one once a placeholder is filled in.
  if (!name) return { html: '&lt;', end: open + 1 }
  const tag = name.toLowerCase()
  const read = readAttributes(text, open + (closes ? 2 : 1) + name.length)
  // A tag that never ends: everything behind it would belong to it.
  if (!read) return { html: '', end: text.length }
  if (WITH_CONTENT.has(tag)) {
    removed.add(`<${tag}>`)
    return { html: '', end: closes || read.selfClosed ? read.end : endOf(text, tag, read.end) }
  }
  if (!TAGS.has(tag)) {
    removed.add(`<${tag}>`)
    return { html: '', end: read.end }
  }
  if (closes) return { html: `</${name}>`, end: read.end }
  if (tag === 'style') return styleSheet(text, read.end, removed)
  const kept = read.attributes.flatMap(({ name: attribute, value }) => {
    if (mayStay(tag, attribute.toLowerCase(), value)) return spell(attribute, value)
    removed.add(attribute.toLowerCase())
    return []
  })
  return { html: `<${[name, ...kept].join(' ')}${read.selfClosed ? '/' : ''}>`, end: read.end }
}

/** Whole, or not at all: rules that load something or run something are rare in letters. */
function styleSheet(text: string, start: number, removed: Set<string>): Piece {
  const end = endOf(text, 'style', start)
  const rules = text.slice(start, end).replace(/<\/style[^>]*>$/i, '')
  if (isHarmlessStyle(rules) && !rules.includes('<')) return { html: `<style>${rules}</style>`, end }
  removed.add('<style>')
  return { html: '', end }
}

function mayStay(tag: string, attribute: string, value: string | null): boolean {
  if (attribute === 'style') return isHarmlessStyle(value ?? '')
  if (attribute.startsWith('aria-')) return true
  if (!ATTRIBUTES.has(attribute)) return false
  if (attribute === 'href') return tag === 'a' && leadsSomewhereSafe(value ?? '', LINK)
  return attribute !== 'src' || (tag === 'img' && leadsSomewhereSafe(value ?? '', PICTURE))
}

/** Judged as a browser reads it: entities resolved, blanks and control characters gone. Without a scheme it is a path, or a placeholder. */
function leadsSomewhereSafe(value: string, schemes: RegExp): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers skip them in front of and within a scheme.
  const address = resolved(value).replace(/[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff]+/g, '')
  const path = address.replace(/\{[^{}]*\}/g, 'x')
  return schemes.test(address) || !/^[^/?#]*:/.test(path)
}

/** Without comments and escapes, in which a word could hide. */
function isHarmlessStyle(style: string): boolean {
  const rules = resolved(style)
    .replace(/\/\*.*?\*\//gs, '')
    .toLowerCase()
  return !/\\|expression\s*\(|javascript:|vbscript:|behaviou?r\s*:|-moz-binding|@import|<\//.test(rules)
}

const ENTITIES: Readonly<Record<string, string>> = {
  colon: ':',
  tab: '\t',
  newline: '\n',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  lpar: '(',
  sol: '/',
  bsol: '\\',
  commat: '@',
}

/** With or without the semicolon, as browsers read them in attributes. */
function resolved(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,8}));?/gi, (whole, hex, decimal, name) => {
    if (name) return Object.hasOwn(ENTITIES, name.toLowerCase()) ? (ENTITIES[name.toLowerCase()] ?? '') : whole
    const code = Number.parseInt(hex ?? decimal, hex ? 16 : 10)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}

interface ReadAttributes {
  attributes: { name: string; value: string | null }[]
  selfClosed: boolean
  /** Behind the `>`. */
  end: number
}

/** Null when the tag does not end. */
function readAttributes(text: string, start: number): ReadAttributes | null {
  const attributes: ReadAttributes['attributes'] = []
  let at = start
  for (;;) {
    while (/[\s/]/.test(text[at] ?? '')) at += 1
    if (at >= text.length) return null
    if (text[at] === '>') return { attributes, selfClosed: text[at - 1] === '/', end: at + 1 }
    const nameEnd = endOfRun(text, at + 1, /[\s/>=]/)
    const name = text.slice(at, nameEnd)
    at = endOfRun(text, nameEnd, /\S/)
    if (text[at] !== '=') {
      attributes.push({ name, value: null })
      continue
    }
    at = endOfRun(text, at + 1, /\S/)
    const quote = text[at]
    if (quote === '"' || quote === "'") {
      const close = text.indexOf(quote, at + 1)
      if (close < 0) return null
      attributes.push({ name, value: text.slice(at + 1, close) })
      at = close + 1
    } else {
      const close = endOfRun(text, at, /[\s>]/)
      attributes.push({ name, value: text.slice(at, close) })
      at = close
    }
  }
}

function endOfRun(text: string, start: number, stop: RegExp): number {
  let at = start
  while (at < text.length && !stop.test(text[at] ?? '')) at += 1
  return at
}

/** Always in quotes: a value filled in later cannot begin an attribute of its own. */
function spell(name: string, value: string | null): string {
  if (value === null) return name
  return value.includes('"') ? `${name}='${value.replaceAll("'", '&#39;')}'` : `${name}="${value}"`
}

/** Behind the closing tag of an element; the end of the text when it has none. */
function endOf(text: string, tag: string, start: number): number {
  const close = new RegExp(`</${tag}\\b[^<>]*>`, 'ig')
  close.lastIndex = start
  const found = close.exec(text)
  return found ? found.index + found[0].length : text.length
}

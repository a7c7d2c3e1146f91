// Sanitizes the HTML of e-mails with `sanitize-html`: other people's programs show it in the business's name. Layout
// stays; what runs, loads, embeds or asks for input goes. Only use cases import it: no browser loads the parser.
import sanitize from 'sanitize-html'
import { isRecord } from '#app/lib/json.ts'
import { withSignatureTags } from '../actions/email-body.ts'

const TAGS = (
  'a abbr address article b bdi bdo big blockquote body br caption center cite code col colgroup dd del dfn div dl dt em ' +
  'figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i img ins kbd li main mark meta nav ol p pre q s samp ' +
  'section small span strike strong style sub sup table tbody td tfoot th thead time title tr tt u ul var wbr ' +
  // The platform's own tag, for the signature of a staff member.
  'platform-user-signature'
).split(' ')

/** Removed together with their content. */
const WITH_CONTENT =
  'script iframe object embed applet noscript noframes noembed template svg math xmp plaintext frameset textarea option select'.split(
    ' ',
  )

const ATTRIBUTES = (
  'abbr align alt bgcolor border cellpadding cellspacing charset class color cols colspan content datetime dir face headers ' +
  'height hspace id lang name noshade nowrap rel role rowspan rules scope size span start style summary target title ' +
  'type valign value vspace width aria-*'
).split(' ')

const OPTIONS = {
  allowedTags: TAGS,
  nonTextTags: WITH_CONTENT,
  disallowedTagsMode: 'discard',
  allowedAttributes: { '*': ATTRIBUTES, a: ['href'], img: ['src'] },
  allowedSchemes: ['http', 'https', 'mailto', 'tel', 'sms'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src'],
  // `withoutHarm` and `isHarmlessStyle` check styles as a whole: only style sheets may hold rules for small screens.
  allowVulnerableTags: true,
  parseStyleAttributes: false,
  selfClosing: ['img', 'br', 'hr', 'meta', 'col', 'wbr'],
  nestingLimit: 200,
} as const satisfies sanitize.IOptions

/** Images inside the address itself: only types that cannot hold scripts. */
const PICTURE_DATA = /^data:image\/(?:png|gif|jpe?g|webp);/i
const DOCTYPE = /^\s*<!doctype\b[^<>]{0,300}>/i

/** An `&amp;` that forms no entity with the text after it once it is decoded. */
const LONE_AMPERSAND = /&amp;(?!#?\w{1,30};)/g

interface SafeHtml {
  html: string
  /** What was removed, each once: `<script>`, `onclick`. */
  removed: string[]
}

/** The author's text in its stored form. Idempotent. Placeholders stay, also in a link's address. */
export function safeEmailHtml(text: string): SafeHtml {
  const { html, removed } = cleaned(withSignatureTags(text))
  // A placeholder keeps its text as written: `{count.Work & Travel}`.
  return { html: html.replace(/\{[^{}<>]{1,700}\}/g, (whole) => whole.replace(LONE_AMPERSAND, '&')), removed }
}

/** HTML about to be sent, with its values: two harmless halves may have become a dangerous address. */
export function safeSentHtml(text: string): string {
  return cleaned(text).html
}

/** The parser moves its stack of open tags for each tag. No e-mail that a person wrote nests half as deep. */
const DEEPEST = 1_000
/** They hold nothing, or the next of their kind closes them. */
const NEVER_DEEP = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd td th tr option'.split(' '),
)

/** Without any tag when tags nest too deep, so that work grows with the length of the text. */
function withoutTower(text: string): string {
  let depth = 0
  for (const [, end, name = ''] of text.matchAll(/<(\/?)([a-z][a-z0-9-]{0,40})/gi)) {
    if (NEVER_DEEP.has(name.toLowerCase())) continue
    depth = end ? Math.max(0, depth - 1) : depth + 1
    if (depth > DEEPEST) return text.replace(/<[^<>]*>?/g, '')
  }
  return text
}

/**
 * Cleaned again where a tag went: without it, a cell that stood inside it stands inside a cell, and the parser closes the
 * outer one only when it reads the result.
 */
function cleaned(text: string): SafeHtml {
  const first = cleanedOnce(text)
  if (!first.removed.some((what) => what.startsWith('<'))) return first
  const { html, removed } = cleanedOnce(first.html)
  return { html, removed: [...new Set([...first.removed, ...removed])] }
}

function cleanedOnce(text: string): SafeHtml {
  const opened: { tag: string; before: [string, string][]; left: Record<string, string> }[] = []
  let dropsStyle = false
  const doctype = DOCTYPE.exec(text)?.[0] ?? ''
  const given = text.slice(doctype.length)
  const low = withoutTower(given)
  const html = sanitize(low, {
    ...OPTIONS,
    onOpenTag: (tag, attributes) => {
      opened.push({ tag, before: Object.entries(attributes), left: attributes })
      withoutHarm(attributes)
    },
    exclusiveFilter: ({ tag, text: rules }) => {
      if (tag !== 'style' || (isHarmlessStyle(rules) && !rules.includes('<'))) return false
      dropsStyle = true
      return true
    },
  })
  const removed = new Set<string>()
  for (const { tag, before, left } of opened) {
    if (!TAGS.includes(tag)) removed.add(`<${tag}>`)
    // The attributes that are left are those the library wrote.
    else for (const [name, value] of before) if (value !== '' && !Object.hasOwn(left, name)) removed.add(name)
  }
  if (dropsStyle) removed.add('<style>')
  if (low !== given) removed.add('tags nested too deep')
  return { html: doctype + html, removed: [...removed] }
}

/** Removes allowed attributes whose value is dangerous. */
function withoutHarm(attributes: Record<string, string>): void {
  const { src, style } = attributes
  if (src !== undefined && /^\W*d\W*a\W*t\W*a\W*:/i.test(src.slice(0, 100)) && !PICTURE_DATA.test(src))
    delete attributes.src
  if (style !== undefined && !isHarmlessStyle(style)) delete attributes.style
  // Browsers ignore comments inside an address, and finding their ends takes long.
  for (const name of ['href', 'src']) if (attributes[name]?.includes('<!--')) delete attributes[name]
}

/** Checked without comments, in which a word could hide. */
function isHarmlessStyle(style: string): boolean {
  const rules = withoutComments(style).toLowerCase()
  return !/\\|expression\s{0,20}\(|javascript:|vbscript:|behaviou?r\s{0,20}:|-moz-binding|@import|<\//.test(rules)
}

function withoutComments(style: string): string {
  let [rules, at] = ['', 0]
  for (let open = style.indexOf('/*'); open >= 0; open = style.indexOf('/*', at)) {
    rules += style.slice(at, open)
    const end = style.indexOf('*/', open + 2)
    // Readers differ about where an unclosed comment ends: its words are checked.
    if (end < 0) return rules + style.slice(open)
    at = end + 2
  }
  return rules + style.slice(at)
}

const HTML_TEXTS = ['customHtmlBody', 'htmlBody'] as const

/**
 * A rule as it was sent, with the HTML of its e-mails sanitized before any check, so a text with nothing left counts as
 * empty. `takenOut`: a sentence about what was removed; null = nothing. A body that is not a rule stays unchanged.
 */
export function withSafeEmails<T>(body: T): { body: T; takenOut: string | null } {
  if (!isRecord(body) || !Array.isArray(body.actions)) return { body, takenOut: null }
  const removed = new Set<string>()
  const actions = body.actions.map((action: unknown) => {
    if (!isRecord(action) || action.type !== 'send_email' || !isRecord(action.parameters)) return action
    const parameters = { ...action.parameters }
    for (const name of HTML_TEXTS) {
      const text = parameters[name]
      if (typeof text !== 'string' || text.length > LONGEST) continue
      const safe = safeEmailHtml(text)
      for (const what of safe.removed) removed.add(what)
      parameters[name] = safe.html
    }
    return { ...action, parameters }
  })
  const what = [...removed].join(', ')
  const takenOut = what === '' ? null : `Saved. We removed unsafe parts from the HTML of an e-mail: ${what}.`
  return { body: { ...body, actions }, takenOut }
}

/** Characters: the check that follows refuses longer ones. */
const LONGEST = 100_000

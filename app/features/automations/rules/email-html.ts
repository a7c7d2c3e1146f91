// The HTML of an e-mail, made safe by `sanitize-html`: it leaves in the business's name and is read in other people's programs. What lays
// out a letter stays, what runs, loads, embeds or asks for input goes. Only use cases import it: no browser has to fetch the parser.
import sanitize from 'sanitize-html'
import { isRecord } from '#app/lib/json.ts'
import { withSignatureTags } from '../actions/email-body.ts'

const TAGS = (
  'a abbr address article b bdi bdo big blockquote body br caption center cite code col colgroup dd del dfn div dl dt em ' +
  'figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i img ins kbd li main mark meta nav ol p pre q s samp ' +
  'section small span strike strong style sub sup table tbody td tfoot th thead time title tr tt u ul var wbr ' +
  // The platform's own, for the signature of a staff member.
  'platform-user-signature'
).split(' ')

/** These go with everything up to their end. */
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
  // Style sheets and attributes are judged below, whole: only sheets may hold rules for small screens.
  allowVulnerableTags: true,
  parseStyleAttributes: false,
  selfClosing: ['img', 'br', 'hr', 'meta', 'col', 'wbr'],
  nestingLimit: 200,
} as const satisfies sanitize.IOptions

/** A picture inside the address itself: of these kinds, never one that can hold scripts. */
const PICTURE_DATA = /^data:image\/(?:png|gif|jpe?g|webp);/i
const DOCTYPE = /^\s*<!doctype\b[^<>]{0,300}>/i

/** One that is no entity again once it stands alone. */
const LONE_AMPERSAND = /&amp;(?!#?\w{1,30};)/g

interface SafeHtml {
  html: string
  /** What was taken out, in words, each once: `<script>`, `onclick`. */
  removed: string[]
}

/** What an author wrote, as it is kept. Doing it again changes nothing. Placeholders stay, in a link's address too. */
export function safeEmailHtml(text: string): SafeHtml {
  const { html, removed } = cleaned(withSignatureTags(text))
  // Inside its braces a placeholder reads as it was written: `{count.Work & Travel}`.
  return { html: html.replace(/\{[^{}<>]{1,700}\}/g, (whole) => whole.replace(LONE_AMPERSAND, '&')), removed }
}

/** What is about to be sent, with its values in it: two harmless halves may have become one address that runs. */
export function safeSentHtml(text: string): string {
  return cleaned(text).html
}

function cleaned(text: string): SafeHtml {
  const opened: { tag: string; before: [string, string][]; left: Record<string, string> }[] = []
  let dropsStyle = false
  const doctype = DOCTYPE.exec(text)?.[0] ?? ''
  const html = sanitize(text.slice(doctype.length), {
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
    // What is left of the attributes is what the library wrote.
    else for (const [name, value] of before) if (value !== '' && !Object.hasOwn(left, name)) removed.add(name)
  }
  if (dropsStyle) removed.add('<style>')
  return { html: doctype + html, removed: [...removed] }
}

/** What the allow-list cannot tell by the name of an attribute. */
function withoutHarm(attributes: Record<string, string>): void {
  const { src, style } = attributes
  if (src !== undefined && /^\W*d\W*a\W*t\W*a\W*:/i.test(src.slice(0, 100)) && !PICTURE_DATA.test(src))
    delete attributes.src
  if (style !== undefined && !isHarmlessStyle(style)) delete attributes.style
  // Comments inside of an address mean nothing to a browser; looking for their ends takes long.
  for (const name of ['href', 'src']) if (attributes[name]?.includes('<!--')) delete attributes[name]
}

/** Without comments, in which a word could hide. */
function isHarmlessStyle(style: string): boolean {
  const rules = withoutComments(style).toLowerCase()
  return !/\\|expression\s{0,20}\(|javascript:|vbscript:|behaviou?r\s{0,20}:|-moz-binding|@import|<\//.test(rules)
}

function withoutComments(style: string): string {
  let [rules, at] = ['', 0]
  for (let open = style.indexOf('/*'); open >= 0; open = style.indexOf('/*', at)) {
    rules += style.slice(at, open)
    const end = style.indexOf('*/', open + 2)
    // What never ends is a comment to the end.
    if (end < 0) return rules
    at = end + 2
  }
  return rules + style.slice(at)
}

const HTML_TEXTS = ['customHtmlBody', 'htmlBody'] as const

/**
 * A rule as it was sent, with the HTML of its e-mails made safe before anything is checked: with nothing left of a text, there is
 * none. `takenOut`: what went, as a sentence; null = nothing. What is no rule stays as it is.
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
  const takenOut =
    what === '' ? null : `Saved, but this was taken out of the HTML of an e-mail because it is not safe there: ${what}.`
  return { body: { ...body, actions }, takenOut }
}

/** Characters: longer ones are refused by the check that follows. */
const LONGEST = 100_000

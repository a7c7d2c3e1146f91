// Finds what the product's texts name: the buttons, links, pages and settings a reader is sent to, and looks for them.
import { type ProductText, productTexts, textsOfSource } from './product-texts.ts'

/** A text of the product that names a control. */
export interface NamedControl {
  /** From the root, with forward slashes. */
  file: string
  line: number
  /** The text as a reader has it, with `…` where a value stands. */
  text: string
  /** What it names: `Send test event`. */
  name: string
}

const WORD = '[A-Z][\\w’-]*'
const NAME = `(${WORD}(?: ${WORD})*)`

/** How a text names a control. The one group is the name. */
const WAYS: readonly RegExp[] = [
  /(?<![\w=])[“"‘']([A-Z][\w …’-]*\??)[”"’'](?!\w)/g,
  new RegExp(
    `\\b(?:[Pp]ress|[Cc]lick|[Tt]ap|[Cc]hoose|[Tt]ick|[Uu]se|[Ss]elect)(?:es|ing|ed)?(?: on)?(?: the)? ${NAME}`,
    'g',
  ),
  new RegExp(`\\b(?:[Uu]nder|[Oo]n the|[Ii]n the)(?: tab)? ${NAME}`, 'g'),
  new RegExp(`: the ${NAME} (?:has|shows) `, 'g'),
  /(?:^|[.:] )([A-Z]\w+(?: [a-z]+)?) shows what\b/g,
  // An order that is the label of a button, at the beginning of a sentence.
  /(?:^|[.?!:…] )(Restart|Resume|Reconnect|Refresh|Start again|Try again now|Send again|Subscribe|Upgrade|Pay now)\b(?=.*\.)/g,
  /: (pay now|pay|subscribe) to (?:resume|go on)\b/g,
  /\bwhen you (resume)\b/g,
]

/** Everything that a text of the product names; `root` = the folder above `app`. */
export function namedControls(root: string): NamedControl[] {
  return productTexts(root).flatMap(named)
}

/** The same for one file. */
export function namedIn(file: string, source: string): NamedControl[] {
  return textsOfSource(file, source).flatMap(named)
}

function named({ file, line, text }: ProductText): NamedControl[] {
  return [...namesIn(text)].map((name) => ({ file, line, text, name }))
}

function namesIn(text: string): Set<string> {
  return new Set(WAYS.flatMap((way) => [...text.matchAll(way)].map((match) => match[1] ?? '')))
}

/** What can be pressed, and what has a place of its own on a page. */
export const KINDS = {
  button: 'button:not([disabled]), a[href], summary, input[type=submit]',
  setting: 'label, legend, summary',
  choice: 'option',
  heading: 'h1, h2, h3, h4, legend, summary',
} as const

/** The names of what is drawn of a kind: the words on it, and what a screen reader calls it. */
export function drawnNames(page: ParentNode, kind: keyof typeof KINDS): string[] {
  return [...page.querySelectorAll(KINDS[kind])].flatMap((element) => [
    (element.textContent ?? '').replace(/\s+/g, ' ').trim(),
    element.getAttribute('aria-label') ?? '',
    // A label with its hint below it, a link with a word for those who only hear it.
    ...[...element.querySelectorAll('*')].filter(isLeaf).map(({ textContent }) => (textContent ?? '').trim()),
  ])
}

const isLeaf = (element: Element) => element.childElementCount === 0

/** Is one of them called so? `Start again: Job webhook` is called "Start again"; "Start" is another name. */
export function isCalled(drawn: readonly string[], name: string): boolean {
  return drawn.some(
    (each) =>
      each === name || (each.startsWith(name) && /^\W*(?=[:(,])|^ (?=to |of |for |\()/.test(each.slice(name.length))),
  )
}

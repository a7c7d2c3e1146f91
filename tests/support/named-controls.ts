// Finds the controls that the product's texts name (buttons, links, pages, settings), and looks for them on pages.
import { type ProductText, productTexts, textsOfSource } from './product-texts.ts'

/** A product text that names a control. */
export interface NamedControl {
  /** From the root, with forward slashes. */
  file: string
  line: number
  /** The displayed text, with `…` for each value. */
  text: string
  /** The name of the control: `Send test event`. */
  name: string
}

const WORD = '[A-Z][\\w’-]*'
const NAME = `(${WORD}(?: ${WORD})*)`

/** Phrases that name a control. The one group is the name. */
const WAYS: readonly RegExp[] = [
  /(?<![\w=])[“"‘']([A-Z][\w …’-]*\??)[”"’'](?!\w)/g,
  new RegExp(
    `\\b(?:[Pp]ress|[Cc]lick|[Tt]ap|[Cc]hoose|[Tt]ick|[Uu]se|[Ss]elect)(?:es|ing|ed)?(?: on)?(?: the)? ${NAME}`,
    'g',
  ),
  new RegExp(`\\b(?:[Uu]nder|[Oo]n the|[Ii]n the)(?: tab)? ${NAME}`, 'g'),
  new RegExp(`: the ${NAME} (?:has|shows) `, 'g'),
  /(?:^|[.:] )([A-Z]\w+(?: [a-z]+)?) shows what\b/g,
  // An imperative that is a button's label, at the start of a sentence.
  /(?:^|[.?!:…] )(Restart|Resume|Reconnect|Refresh|Start again|Try again now|Send again|Subscribe|Upgrade|Pay now)\b(?=.*\.)/g,
  /: (pay now|pay|subscribe) to (?:resume|go on)\b/g,
  /\bwhen you (resume)\b/g,
]

/** Every control that the product's texts name; `root` = the folder above `app`. */
export function namedControls(root: string): NamedControl[] {
  return productTexts(root).flatMap(named)
}

/** Like `namedControls`, for one file. */
export function namedIn(file: string, source: string): NamedControl[] {
  return textsOfSource(file, source).flatMap(named)
}

function named({ file, line, text }: ProductText): NamedControl[] {
  return [...namesIn(text)].map((name) => ({ file, line, text, name }))
}

function namesIn(text: string): Set<string> {
  return new Set(WAYS.flatMap((way) => [...text.matchAll(way)].map((match) => match[1] ?? '')))
}

/** Controls, and elements with their own place on a page. */
export const KINDS = {
  button: 'button:not([disabled]), a[href], summary, input[type=submit]',
  setting: 'label, legend, summary',
  choice: 'option',
  heading: 'h1, h2, h3, h4, legend, summary',
} as const

/** The names of a kind's rendered elements: their visible words, and their accessible names. */
export function drawnNames(page: ParentNode, kind: keyof typeof KINDS): string[] {
  return [...page.querySelectorAll(KINDS[kind])].flatMap((element) => [
    (element.textContent ?? '').replace(/\s+/g, ' ').trim(),
    element.getAttribute('aria-label') ?? '',
    // A label with its hint below it, or a link with words for screen readers only.
    ...[...element.querySelectorAll('*')].filter(isLeaf).map(({ textContent }) => (textContent ?? '').trim()),
  ])
}

const isLeaf = (element: Element) => element.childElementCount === 0

/** Whether an element has this name. `Start again: Job webhook` is called "Start again"; "Start" is another name. */
export function isCalled(drawn: readonly string[], name: string): boolean {
  return drawn.some(
    (each) =>
      each === name || (each.startsWith(name) && /^\W*(?=[:(,])|^ (?=to |of |for |\()/.test(each.slice(name.length))),
  )
}

// Finds what the product's texts name: the buttons, links, pages and settings a reader is sent to, and looks for them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

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
  return sourceFiles(root, 'app').flatMap((file) => namedIn(file, readFileSync(join(root, file), 'utf8')))
}

/** The same for one file. */
export function namedIn(file: string, source: string): NamedControl[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const found: NamedControl[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    const text = textOf(node)
    if (text?.includes(' ')) {
      const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
      for (const name of namesIn(text)) found.push({ file, line, text, name })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

function namesIn(text: string): Set<string> {
  return new Set(WAYS.flatMap((way) => [...text.matchAll(way)].map((match) => match[1] ?? '')))
}

/** Text in a page runs on over its elements: `Press <b>Find</b> to begin` is one text. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('')
  }
  if (!ts.isJsxElement(node) && !ts.isJsxFragment(node)) return null
  if (!node.children.some((child) => ts.isJsxText(child) && child.text.trim() !== '')) return null
  return node.children.map(inlineText).join('').replace(/\s+/g, ' ').trim()
}

function inlineText(child: ts.JsxChild): string {
  if (ts.isJsxText(child)) return child.text
  if (ts.isJsxElement(child)) return child.children.map(inlineText).join('')
  if (!ts.isJsxExpression(child) || !child.expression) return ''
  return ts.isStringLiteral(child.expression) ? child.expression.text : '…'
}

function sourceFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return path === 'app/sandbox' ? [] : sourceFiles(root, path)
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : []
  })
}

/** What can be pressed, and what has a place of its own on a page. */
export const KINDS = {
  button: 'button:not([disabled]), a[href], summary, input[type=submit]',
  setting: 'label, legend, summary',
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

// Reads the product's texts from its sources, for tests of the screens' wording.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

export interface ProductText {
  /** From the root, with forward slashes. */
  file: string
  line: number
  /** The displayed text, with `…` for each value. */
  text: string
}

/**
 * Every text of more than one word; `root` = the folder above `app`. Excludes the stage (`packages/sandbox`).
 * @param labels also the single words that a page shows as text or gives a part as `label="…"`
 */
export function productTexts(
  root: string,
  isWanted: (file: string) => boolean = () => true,
  { labels = false } = {},
): ProductText[] {
  return sourceFiles(root, 'app')
    .filter(isWanted)
    .flatMap((file) => textsOfSource(file, readFileSync(join(root, file), 'utf8'), labels))
}

/** Like `productTexts`, for one file. */
export function textsOfSource(file: string, source: string, labels = false): ProductText[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, labels)
  const found: ProductText[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    const text = textOf(node)
    if (text && (text.includes(' ') || (labels && isLabel(node)))) {
      found.push({ file, line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1, text })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

function isLabel(node: ts.Node): boolean {
  if (ts.isJsxElement(node) || ts.isJsxFragment(node)) return true
  const { parent } = node
  const name = parent && (ts.isJsxAttribute(parent) || ts.isPropertyAssignment(parent)) ? parent.name.getText() : ''
  return /^(aria-label|alt|label|title|heading|placeholder|name|word|text)$/.test(name)
}

/** The sentences of a text: each starts with a capital, a value or a quote, and has three words or more; on one line. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?:])\s+(?=[A-Z“"…])|\n/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /^[A-Z“"…£]/.test(sentence) && sentence.split(' ').length > 2)
}

/** Text in a page continues across its elements: `Press <b>Find</b> to begin` is one text. */
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
    if (entry.isDirectory()) return sourceFiles(root, path)
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : []
  })
}

// Sentences are for people: nothing is decided by comparing one. A reason that is stored or handed on is a code with its
// parameters (app/domain/reason.ts), and what it says stands in one table, so that words can change and behaviour cannot.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { ROOT } from './planted-tree.ts'

/**
 * Several words that begin like a sentence or end like one. Names of one word, codes, SQL, patterns for addresses and dates are
 * none. What others call their things is written as they write it: see `NAMES_OF_OTHERS`.
 */
const SENTENCE = /^[A-Z][a-z'’]* [a-z]|^[^\s].* .*[.!?]$/u

/** Values of ServiceM8 and names of receivers that happen to have two words. */
const NAMES_OF_OTHERS = new Set(['Work Order', 'Power Automate', 'Google Apps Script'])

function isSentence(text: string): boolean {
  return SENTENCE.test(text.trim()) && !NAMES_OF_OTHERS.has(text)
}

/** `text.startsWith(…)`, `set.has(…)`, `pattern.test(…)`: what asks whether a text is, holds or begins with another. */
const ASKS = new Set([
  'startsWith',
  'endsWith',
  'includes',
  'indexOf',
  'has',
  'get',
  'test',
  'match',
  'matchAll',
  'search',
])
const EQUALS = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
])
/** In SQL: `= 'A sentence.'`, `LIKE 'A sentence%'`, `IN ('A sentence.')`. */
const IN_SQL = /(?:=|<>|!=|\blike|\bglob|\bis(?: not)?|\bin\s*\()\s*'((?:[^']|'')+)'/gi

type Files = ReadonlyMap<string, string>

/** `file:line: what` for each comparison with a sentence in the files. */
function sentenceComparisons(files: Files): string[] {
  const trees = new Map<string, ts.SourceFile>()
  const treeOf = (file: string): ts.SourceFile | null => {
    const text = files.get(file)
    if (text === undefined) return null
    const known = trees.get(file)
    if (known) return known
    const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind)
    trees.set(file, tree)
    return tree
  }
  const found: string[] = []
  for (const file of files.keys()) {
    const tree = treeOf(file)
    if (tree)
      look(tree, (node) => found.push(`${file}:${lineOf(tree, node)}: ${node.getText(tree).replace(/\s+/g, ' ')}`))
  }
  return found

  function look(tree: ts.SourceFile, offence: (node: ts.Node) => void): void {
    const visit = (node: ts.Node): void => {
      if (decides(node, tree)) offence(node)
      ts.forEachChild(node, visit)
    }
    visit(tree)
  }

  function decides(node: ts.Node, tree: ts.SourceFile): boolean {
    if (ts.isBinaryExpression(node) && EQUALS.has(node.operatorToken.kind)) {
      if (isNothing(node.left) || isNothing(node.right)) return false
      return holdsSentence(node.left, tree) || holdsSentence(node.right, tree)
    }
    if (ts.isCaseClause(node)) return holdsSentence(node.expression, tree)
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression
      if (!ASKS.has(name.text)) return false
      return node.arguments.some((one) => holdsSentence(one, tree)) || holdsSentence(expression, tree)
    }
    const isSql = tree.fileName.startsWith('db/')
    if (isSql && (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))) {
      return [...node.text.matchAll(IN_SQL)].some(([, text = '']) => isSentence(text))
    }
    return false
  }

  /** May the expression be a sentence, or a list, set or map of sentences? Constants and functions are followed to where they are. */
  function holdsSentence(node: ts.Expression, tree: ts.SourceFile, depth = 0): boolean {
    if (depth > 8) return false
    const inside = (one: ts.Expression) => holdsSentence(one, tree, depth + 1)
    if (ts.isStringLiteralLike(node)) return isSentence(node.text)
    if (ts.isTemplateExpression(node)) {
      return isSentence([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('x'))
    }
    if (ts.isRegularExpressionLiteral(node)) return isSentence(node.text.replace(/^\/|\/[a-z]*$|[\\^$]/g, ''))
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
      return inside(node.expression)
    }
    if (ts.isConditionalExpression(node)) return inside(node.whenTrue) || inside(node.whenFalse)
    if (ts.isBinaryExpression(node)) {
      const { kind } = node.operatorToken
      return kind === ts.SyntaxKind.QuestionQuestionToken && (inside(node.left) || inside(node.right))
    }
    if (ts.isArrayLiteralExpression(node)) return node.elements.some((one) => inside(one))
    if (ts.isNewExpression(node)) return (node.arguments ?? []).some((one) => inside(one))
    if (ts.isIdentifier(node)) return declared(node.text, tree, depth)
    if (ts.isPropertyAccessExpression(node)) return holdsProperty(node, tree, depth)
    if (ts.isElementAccessExpression(node)) return holdsAnyProperty(node.expression, tree, depth)
    if (ts.isCallExpression(node)) return gives(node, tree, depth)
    return false
  }

  /** What a call of one of our functions returns; of `Object.values(TABLE)`, `list.map(sentenceOf)` what is in them. */
  function gives(node: ts.CallExpression, tree: ts.SourceFile, depth: number): boolean {
    const { expression } = node
    if (ts.isIdentifier(expression)) return declared(expression.text, tree, depth)
    if (!ts.isPropertyAccessExpression(expression)) return false
    const [first] = node.arguments
    if (expression.getText(tree) === 'Object.values' && first) return holdsAnyProperty(first, tree, depth)
    if (expression.name.text === 'map' && first && ts.isArrowFunction(first)) return returns(first, tree, depth + 1)
    return false
  }

  function returns(node: ts.FunctionLikeDeclaration, tree: ts.SourceFile, depth: number): boolean {
    if (!node.body || depth > 8) return false
    if (!ts.isBlock(node.body)) return holdsSentence(node.body, tree, depth + 1)
    let found = false
    const visit = (inner: ts.Node): void => {
      if (ts.isReturnStatement(inner) && inner.expression) found ||= holdsSentence(inner.expression, tree, depth + 1)
      else if (!ts.isFunctionLike(inner)) ts.forEachChild(inner, visit)
    }
    visit(node.body)
    return found
  }

  function holdsProperty(node: ts.PropertyAccessExpression, tree: ts.SourceFile, depth: number): boolean {
    if (!ts.isIdentifier(node.expression)) return false
    const place = placeOf(node.expression.text, tree)
    const object = place && ts.isVariableDeclaration(place.node) ? bare(place.node.initializer) : undefined
    if (!place || !object || !ts.isObjectLiteralExpression(object)) return false
    const property = object.properties.find((one) => one.name?.getText(place.tree) === node.name.text)
    return (
      property !== undefined &&
      ts.isPropertyAssignment(property) &&
      holdsSentence(property.initializer, place.tree, depth + 1)
    )
  }

  function holdsAnyProperty(node: ts.Expression, tree: ts.SourceFile, depth: number): boolean {
    const place = ts.isIdentifier(node) ? placeOf(node.text, tree) : null
    const object = place && ts.isVariableDeclaration(place.node) ? bare(place.node.initializer) : undefined
    if (!place || !object || !ts.isObjectLiteralExpression(object)) return false
    return object.properties.some(
      (one) => ts.isPropertyAssignment(one) && holdsSentence(one.initializer, place.tree, depth + 1),
    )
  }

  function declared(name: string, tree: ts.SourceFile, depth: number): boolean {
    const place = placeOf(name, tree)
    if (!place) return false
    if (ts.isFunctionDeclaration(place.node)) return returns(place.node, place.tree, depth + 1)
    const value = bare(place.node.initializer)
    if (!value) return false
    if (ts.isArrowFunction(value)) return returns(value, place.tree, depth + 1)
    return holdsSentence(value, place.tree, depth + 1)
  }

  /** A constant or function of the file itself, at its top, or of the file it is imported from. */
  function placeOf(name: string, tree: ts.SourceFile): Place | null {
    for (const statement of tree.statements) {
      if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) return { node: statement, tree }
      if (ts.isVariableStatement(statement)) {
        const node = statement.declarationList.declarations.find((one) => one.name.getText(tree) === name)
        if (node) return { node, tree }
      }
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue
      const names = statement.importClause?.namedBindings
      const taken = names && ts.isNamedImports(names) ? names.elements.find((one) => one.name.text === name) : undefined
      const file = taken && targetOf(tree.fileName, statement.moduleSpecifier.text)
      const from = file ? treeOf(file) : null
      if (taken) return from && placeOf((taken.propertyName ?? taken.name).text, from)
    }
    return null
  }

  function targetOf(from: string, name: string): string | null {
    const alias = Object.entries(packageJson.imports).find(([key]) => name.startsWith(key.replace('*', '')))
    if (alias) return alias[1].replace('./', '').replace('*', name.slice(alias[0].length - 1))
    return name.startsWith('.') ? posix.join(dirname(from), name) : null
  }
}

interface Place {
  node: ts.FunctionDeclaration | ts.VariableDeclaration
  tree: ts.SourceFile
}

function bare(node: ts.Expression | undefined): ts.Expression | undefined {
  return node && (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) ? bare(node.expression) : node
}

/** `=== null`, `=== ''`: whether there is a sentence at all. */
function isNothing(node: ts.Expression): boolean {
  return (
    node.kind === ts.SyntaxKind.NullKeyword ||
    (ts.isIdentifier(node) && node.text === 'undefined') ||
    (ts.isStringLiteralLike(node) && node.text === '')
  )
}

function lineOf(tree: ts.SourceFile, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
}

const product = new Map(
  ['app', 'db'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => posix.join(folder, file.replaceAll('\\', '/')))
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const),
  ),
)

test('no comparison with a sentence decides anything', { timeout: 60_000 }, () => {
  expect(sentenceComparisons(product)).toEqual([])
})

const TABLE = `export const WORDS = { gone: 'It is gone.', off: 'Switched off by a person' } as const
export const GONE = 'It is gone.'
export const LIST = [GONE, 'Another one.']
export function goneWords(name: string): string { return \`\${name} is gone.\` }
export const ALL = new Set(Object.values(WORDS))`

const OFFENCES: readonly string[] = [
  `export const f = (why: string) => why === 'It is gone.'`,
  `export const f = (why: string) => why !== \`It is gone for \${why}.\``,
  `export const f = (why: string) => why === GONE`,
  `export const f = (why: string) => why === WORDS.off`,
  `export const f = (why: string) => why === WORDS[why as 'off']`,
  `export const f = (why: string) => why === goneWords('x')`,
  `export const f = (why: string) => why.startsWith('Switched off')`,
  `export const f = (why: string) => why.includes(GONE)`,
  `export const f = (why: string) => /is gone for good\\.$/.test(why)`,
  `export const f = (why: string) => LIST.includes(why)`,
  `export const f = (why: string) => ALL.has(why)`,
  `export const f = (why: string) => new Map([[GONE, 1]]).get(why)`,
  `export const f = (why: string) => new Set(['a'].map((name) => goneWords(name))).has(why)`,
  `export const f = (why: string) => { switch (why) { case WORDS.gone: return 1 } }`,
  `export const f = "SELECT 1 FROM run WHERE reason = 'It is gone.'"`,
  `export const f = (id: number) => \`UPDATE run SET id = \${id} WHERE reason LIKE 'Switched off%'\``,
  `export const f = "DELETE FROM run WHERE reason IN ('It is gone.', 'x')"`,
]

test.each(OFFENCES)('finds %s', (source) => {
  const planted = new Map([
    ['app/words.ts', TABLE],
    ['db/planted.ts', `import { ALL, GONE, goneWords, LIST, WORDS } from '#app/words.ts'\n${source}`],
  ])
  expect(sentenceComparisons(planted)).toHaveLength(1)
})

const FINE: readonly string[] = [
  `export const f = (why: { code: string }) => why.code === 'gone'`,
  `export const f = (why: string | null) => why === null || why === ''`,
  `export const f = () => goneWords('x') !== null`,
  `export const f = (status: string) => status === 'Work Order'`,
  `export const f = (why: boolean) => (why ? GONE : WORDS.off)`,
  `export const f = "UPDATE run SET state = 'held' WHERE state = 'queued'"`,
]

test.each(FINE)('leaves alone %s', (source) => {
  const planted = new Map([
    ['app/words.ts', TABLE],
    ['db/planted.ts', `import { ALL, GONE, goneWords, LIST, WORDS } from '#app/words.ts'\n${source}`],
  ])
  expect(sentenceComparisons(planted)).toEqual([])
})

// Makes mutants: one small fault each, placed by the syntax tree. Types are not looked at: a mutant that does not compile as
// TypeScript still runs, and tests must notice it by what it does.
import ts from 'typescript'

/**
 * @typedef {{ line: number, kind: string, from: string, to: string, start: number, end: number }} Mutant `from` becomes `to`
 *   between `start` and `end`
 * @typedef {(node: ts.Node, source: ts.SourceFile) => { kind: string, to: string, node?: ts.Node }[]} Operator
 */

/** @type {Map<ts.SyntaxKind, string>} */
const SWAPPED = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.QuestionQuestionToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
])
const BOUNDS = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
])
/** @type {Record<string, string>} */
const OTHER_METHOD = {
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  every: 'some',
  some: 'every',
  min: 'max',
  max: 'min',
}

/** @type {Operator} */
function conditions(node) {
  const condition =
    ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)
      ? node.expression
      : ts.isConditionalExpression(node) || ts.isForStatement(node)
        ? node.condition
        : undefined
  if (!condition) return []
  return ['true', 'false']
    .filter((to) => condition.getText() !== to)
    .map((to) => ({ kind: 'condition', to, node: condition }))
}

/** @type {Operator} */
function operators(node) {
  if (!ts.isBinaryExpression(node)) return []
  const to = SWAPPED.get(node.operatorToken.kind)
  if (!to) return []
  const isText = node.operatorToken.kind === ts.SyntaxKind.PlusToken && [node.left, node.right].some(isTextual)
  return isText
    ? []
    : [{ kind: BOUNDS.has(node.operatorToken.kind) ? 'bound' : 'operator', to, node: node.operatorToken }]
}

/** @type {Operator} */
function negations(node) {
  if (!ts.isPrefixUnaryExpression(node) || node.operator !== ts.SyntaxKind.ExclamationToken) return []
  return [{ kind: 'negation', to: `(${node.operand.getText()})` }]
}

/** @type {Operator} */
function constants(node) {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ kind: 'boolean', to: 'false' }]
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ kind: 'boolean', to: 'true' }]
  if (ts.isNumericLiteral(node)) {
    const bits = /^0[xb]/i.test(node.getText())
    const value = Number(node.getText().replaceAll('_', ''))
    return [{ kind: 'number', to: bits ? `(${node.getText()} ^ 1)` : String(value + 1) }]
  }
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    return [{ kind: 'string', to: node.text === '' ? "'mutated'" : "''" }]
  }
  if (ts.isTemplateExpression(node)) return [{ kind: 'string', to: '``' }]
  if (ts.isRegularExpressionLiteral(node)) return anchors(node.text)
  return []
}

/** A pattern that no longer has to match from the beginning, or to the end. @param {string} text */
function anchors(text) {
  const [, body = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? []
  const results = []
  if (body.startsWith('^')) results.push({ kind: 'pattern', to: `/${body.slice(1)}/${flags}` })
  if (body.endsWith('$') && !body.endsWith('\\$'))
    results.push({ kind: 'pattern', to: `/${body.slice(0, -1)}/${flags}` })
  return results.filter(({ to }) => !to.startsWith('//'))
}

/** @type {Operator} */
function statements(node) {
  if (ts.isThrowStatement(node)) return [{ kind: 'throw', to: ';' }]
  return ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression) ? [{ kind: 'statement', to: ';' }] : []
}

/** @type {Operator} */
function awaits(node) {
  return ts.isAwaitExpression(node) ? [{ kind: 'await', to: `(${node.expression.getText()})` }] : []
}

/** @type {Operator} */
function literals(node) {
  if (ts.isArrayLiteralExpression(node) && node.elements.length > 0 && !isTarget(node))
    return [{ kind: 'array', to: '[]' }]
  if (ts.isObjectLiteralExpression(node) && node.properties.length > 0 && !isTarget(node)) {
    return [{ kind: 'object', to: node.parent && ts.isArrowFunction(node.parent) ? '({})' : '{}' }]
  }
  return []
}

/** @type {Operator} */
function methods(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return []
  const name = node.expression.name
  const to = Object.hasOwn(OTHER_METHOD, name.text) ? OTHER_METHOD[name.text] : undefined
  return to ? [{ kind: 'method', to, node: name }] : []
}

const OPERATORS = [conditions, operators, negations, constants, statements, awaits, literals, methods]

/**
 * Every mutant of a source text, from top to bottom.
 *
 * @param {string} text
 * @param {string} [file] its name, for the parser
 * @returns {Mutant[]}
 */
export function mutantsOf(text, file = 'module.ts') {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  /** @type {Mutant[]} */
  const mutants = []
  const visit = (/** @type {ts.Node} */ node) => {
    if (isOnlyForTypes(node)) return
    for (const operator of OPERATORS) {
      for (const { kind, to, node: place = node } of operator(node, source)) {
        const [start, end] = [place.getStart(source), place.getEnd()]
        const from = text.slice(start, end)
        if (from === to) continue
        const line = source.getLineAndCharacterOfPosition(start).line + 1
        mutants.push({ line, kind, from, to, start, end })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return mutants.sort((a, b) => a.start - b.start || a.end - b.end)
}

/** @param {string} text @param {Mutant} mutant */
export function applyMutant(text, { start, end, to }) {
  return text.slice(0, start) + to + text.slice(end)
}

/** Evenly over the file, so that a sample says something about all of it. @template T @param {T[]} all @param {number} count */
export function sampleOf(all, count) {
  if (count >= all.length) return all
  const step = all.length / count
  return Array.from({ length: count }, (_, i) => /** @type {T} */ (all[Math.floor(i * step + step / 2)]))
}

/**
 * Imports, exports, types, names of properties, words in a thrown sentence, and what is only said to the log: nothing a test
 * should have to pin.
 *
 * @param {ts.Node} node
 */
function isOnlyForTypes(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true
  if (ts.isExpressionStatement(node) && /^(app\.|deps\.)?log\.(debug|info|warn|error)\(/.test(node.getText()))
    return true
  const { parent } = node
  if (parent && (ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) && parent.name === node) return true
  return Boolean(parent && ts.isNewExpression(parent) && /Error$/.test(parent.expression.getText()) && isTextual(node))
}

/** Left of `=`, where brackets take apart instead of making. @param {ts.Node} node */
function isTarget(node) {
  return ts.isBinaryExpression(node.parent) && node.parent.left === node && node.parent.operatorToken.getText() === '='
}

/** @param {ts.Node} node */
function isTextual(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
}

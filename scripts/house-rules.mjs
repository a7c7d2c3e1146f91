// The house rules that the linter cannot express, checked on the syntax tree. Alone: node scripts/house-rules.mjs
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'

export const ROUTE_LINES = 150
export const FILE_LINES = 400
const SOURCE = /\.(ts|tsx|js|mjs|cjs|css)$/
const TEST = /\.(test|spec)\.tsx?$/
/** The lab package is never shipped. */
const SHIPPED = /^(app|db|packages(?!\/lab\/))\//
const FOLDERS = ['app', 'db', 'packages', 'scripts', 'tests']
const SOCKET_MODULES = /^(node:)?(http|https|http2|net|tls|dgram)$/
const DIALLING = new Set(['request', 'get', 'connect', 'createConnection', 'createSocket'])
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'requestAnimationFrame']
const GLOBALS = new Set(['globalThis', 'window', 'self', 'global'])

/**
 * @typedef {{ file: string, line: number, rule: string }} Offence `file` from the root with forward slashes
 * @typedef {(node: ts.Node, source: ts.SourceFile) => string | null} NodeRule returns the rule that the node breaks
 */

/**
 * Reads every source file below app, db, packages, scripts and tests of a folder.
 *
 * @param {string} root
 * @returns {{ files: number, offences: Offence[] }}
 */
export function findOffences(root) {
  const files = FOLDERS.flatMap((folder) => sourceFiles(join(root, folder)))
  const offences = files.flatMap((path) => {
    const file = relative(root, path).split(sep).join('/')
    return offencesIn(file, readFileSync(path, 'utf8'))
  })
  return { files: files.length, offences }
}

/**
 * @param {string} file from the root, with forward slashes: determines which rules apply
 * @param {string} text
 * @returns {Offence[]}
 */
export function offencesIn(file, text) {
  const offences = lengthOffences(file, text)
  const rules = rulesFor(file)
  if (rules.length === 0) return offences
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const visit = (/** @type {ts.Node} */ node) => {
    for (const check of rules) {
      const rule = check(node, source)
      if (rule)
        offences.push({ file, line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, rule })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return offences
}

/** @param {string} file @param {string} text @returns {Offence[]} */
function lengthOffences(file, text) {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  // A module of calls of one family is a table instead of a route module.
  const isRoute = file.startsWith('app/routes/') && !TEST.test(file) && !file.endsWith('-calls.server.ts')
  if (isRoute && lines > ROUTE_LINES) {
    return [
      { file, line: ROUTE_LINES + 1, rule: `a route module has at most ${ROUTE_LINES} lines; this one has ${lines}` },
    ]
  }
  if (lines > FILE_LINES && !/^(\/\/|\/\*) ?Long: \S/.test(text)) {
    const rule = `a file over ${FILE_LINES} lines says why in its first line ("// Long: one table of …"); this one has ${lines}`
    return [{ file, line: 1, rule }]
  }
  return []
}

/** @param {string} file @returns {NodeRule[]} */
function rulesFor(file) {
  if (!/\.(ts|tsx|js|mjs|cjs)$/.test(file)) return []
  const product = SHIPPED.test(file) && !TEST.test(file)
  const rules = [asyncTransaction]
  if (product && file !== 'app/boot/env.server.ts') rules.push(readsProcessEnv)
  // A page's script calls its own server through the one module that refuses any other server.
  if (product && !/^(app\/(adapters\/|ui\/ask-own-server\.tsx$)|packages\/sandbox\/)/.test(file)) rules.push(dialsOut)
  if (isDecision(file)) rules.push(isImpure)
  if (product && /^db\/sql\/(?!hot\/).*\.server\.ts$/.test(file)) rules.push(bindsByPosition)
  return rules
}

/** The suffix says what a file may do: `.ts` only decides. Route modules are entry points, whatever their suffix. */
function isDecision(/** @type {string} */ file) {
  return SHIPPED.test(file) && /^[^.]+\.ts$/.test(file) && !file.startsWith('app/routes/')
}

/** @type {NodeRule} */
function asyncTransaction(node, source) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null
  if (node.expression.name.text !== 'transaction') return null
  const work = node.arguments[0]
  const body = work && ts.isIdentifier(work) ? declaredFunction(source, work.text) : work
  return body && isAsync(body)
    ? 'no async function in .transaction(): what follows its first await is outside of it'
    : null
}

/** @type {NodeRule} */
function bindsByPosition(node) {
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
  return isText && /([=<>(,+|]|\b(LIMIT|OFFSET|INTO|LIKE|IS|AND|OR|NOT|THEN|ELSE|SELECT))\s*\?/.test(node.text)
    ? 'values of a statement are bound by name (@account), outside of db/sql/hot'
    : null
}

/** @type {NodeRule} */
function readsProcessEnv(node) {
  const rule = 'only app/boot/env.server.ts reads process.env'
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'env' && isNamed(node.expression, 'process'))
    return rule
  if (ts.isElementAccessExpression(node) && isNamed(node.expression, 'process')) return rule
  if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) && node.initializer) {
    return isNamed(node.initializer, 'process') && bindsName(node.name, 'env') ? rule : null
  }
  if (ts.isImportDeclaration(node) && /^(node:)?process$/.test(moduleName(node))) {
    return importedNames(node).includes('env') ? rule : null
  }
  return null
}

/** @type {NodeRule} */
function dialsOut(node, source) {
  const rule = 'only adapters and the sandbox open connections: no fetch, no undici, no http.request'
  if (ts.isIdentifier(node) && node.text === 'fetch') return isGlobalUse(node, source) ? rule : null
  if (ts.isImportDeclaration(node) && !isTypeImport(node)) {
    if (moduleName(node) === 'undici') return rule
    return SOCKET_MODULES.test(moduleName(node)) && importedNames(node).some((name) => DIALLING.has(name)) ? rule : null
  }
  if (ts.isCallExpression(node) && isLoader(node)) {
    const [name] = node.arguments
    return name && ts.isStringLiteral(name) && name.text === 'undici' ? rule : null
  }
  if (ts.isPropertyAccessExpression(node) && DIALLING.has(node.name.text) && ts.isIdentifier(node.expression)) {
    return socketModuleNames(source).has(node.expression.text) ? rule : null
  }
  return null
}

/** @type {NodeRule} */
function isImpure(node, source) {
  const rule = (/** @type {string} */ what) => `a decision has no clock, chance, waiting or I/O: ${what}`
  if (isAsync(node)) return rule('async')
  if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier)) return rule('await')
  if (ts.isNewExpression(node) && isNamed(node.expression, 'Date') && !node.arguments?.length) return rule('new Date()')
  if (ts.isCallExpression(node) && isNamed(node.expression, 'Date')) return rule('Date()')
  if (ts.isPropertyAccessExpression(node)) {
    const called = `${ownName(node.expression)}.${node.name.text}`
    const forbidden = ['Date.now', 'performance.now', 'Math.random', 'crypto.randomUUID', 'crypto.getRandomValues']
    return forbidden.includes(called) ? rule(called) : null
  }
  if (ts.isIdentifier(node) && (node.text === 'fetch' || TIMERS.includes(node.text))) {
    return isGlobalUse(node, source) ? rule(node.text) : null
  }
  return null
}

/** @param {ts.Node} node */
function isAsync(node) {
  if (!ts.canHaveModifiers(node)) return false
  return ts.getModifiers(node)?.some((modifier) => modifier.kind === ts.SyntaxKind.AsyncKeyword) ?? false
}

/** The last name in `process`, `globalThis.process`, `window.process`. @param {ts.Expression} expression */
function ownName(expression) {
  if (ts.isIdentifier(expression)) return expression.text
  if (!ts.isPropertyAccessExpression(expression) || !ts.isIdentifier(expression.expression)) return ''
  return GLOBALS.has(expression.expression.text) ? expression.name.text : ''
}

/** @param {ts.Expression} expression @param {string} name */
function isNamed(expression, name) {
  return ownName(expression) === name
}

/** @param {ts.ObjectBindingPattern} pattern @param {string} name */
function bindsName(pattern, name) {
  return pattern.elements.some((element) => (element.propertyName ?? element.name).getText() === name)
}

/** @param {ts.ImportDeclaration} node */
function moduleName(node) {
  return ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : ''
}

/** @param {ts.ImportDeclaration} node */
function isTypeImport(node) {
  const clause = node.importClause
  if (!clause || clause.isTypeOnly) return Boolean(clause)
  const named = clause.namedBindings
  return (
    !clause.name && named !== undefined && ts.isNamedImports(named) && named.elements.every((each) => each.isTypeOnly)
  )
}

/** @param {ts.ImportDeclaration} node @returns {string[]} names as the module exports them */
function importedNames(node) {
  const named = node.importClause?.namedBindings
  if (!named || !ts.isNamedImports(named) || node.importClause?.isTypeOnly) return []
  return named.elements.filter((each) => !each.isTypeOnly).map((each) => (each.propertyName ?? each.name).text)
}

/** Local names of whole socket modules: `import http from 'node:http'`. @param {ts.SourceFile} source */
function socketModuleNames(source) {
  const names = new Set()
  for (const node of source.statements) {
    if (!ts.isImportDeclaration(node) || !SOCKET_MODULES.test(moduleName(node))) continue
    const clause = node.importClause
    if (clause?.name) names.add(clause.name.text)
    if (clause?.namedBindings && ts.isNamespaceImport(clause.namedBindings)) names.add(clause.namedBindings.name.text)
  }
  return names
}

/** `import('…')` or `require('…')`. @param {ts.CallExpression} node */
function isLoader(node) {
  return node.expression.kind === ts.SyntaxKind.ImportKeyword || isNamed(node.expression, 'require')
}

/**
 * Whether this identifier is the global of that name: no key, member, or name declared in this file.
 * @param {ts.Identifier} node @param {ts.SourceFile} source
 */
function isGlobalUse(node, source) {
  const parent = node.parent
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return ts.isIdentifier(parent.expression) && GLOBALS.has(parent.expression.text)
  }
  const isName = 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent)
  const isKey = 'propertyName' in parent && parent.propertyName === node
  if (isName || isKey || ts.isTypeQueryNode(parent) || ts.isJsxAttribute(parent)) return false
  return !declaresName(source, node.text)
}

/** @param {ts.SourceFile} source @param {string} name */
function declaresName(source, name) {
  let found = false
  const visit = (/** @type {ts.Node} */ node) => {
    const declares =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isBindingElement(node) ||
      ts.isImportSpecifier(node)
    if (declares && node.name && ts.isIdentifier(node.name) && node.name.text === name) found = true
    if (!found) ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The function declared in this file under that name. @param {ts.SourceFile} source @param {string} name */
function declaredFunction(source, name) {
  /** @type {ts.Node | undefined} */
  let found
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isFunctionDeclaration(node) && node.name?.text === name) found = node
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.name.text === name)
      found = node.initializer
    if (!found) ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** @param {string} folder @returns {string[]} */
function sourceFiles(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name) && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { files, offences } = findOffences(fileURLToPath(new URL('..', import.meta.url)))
  for (const { file, line, rule } of offences) console.log(`${file}:${line} ${rule}`)
  console.log(`${files} files, ${offences.length} ${offences.length === 1 ? 'offence' : 'offences'}`)
  process.exitCode = offences.length === 0 ? 0 : 1
}

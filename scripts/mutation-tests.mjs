// Which test files import a module, the nearest first: found by following imports from the tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import ts from 'typescript'

const ALIAS = /^#(app|db|lab|sandbox|tests)\//
const TEST = /\.test\.tsx?$/
const FOLDERS = ['app', 'db', 'packages', 'tests/house', 'tests/support']

/**
 * Who imports whom, by names from the root. Type-only imports carry nothing at run time and do not count.
 *
 * @param {string} root
 * @returns {Map<string, Set<string>>} from a file to those that import it
 */
export function importersOf(root) {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map()
  for (const folder of FOLDERS.filter((name) => existsSync(join(root, name)))) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue
      const path = join(entry.parentPath, entry.name)
      const file = nameOf(root, path)
      for (const target of importsOf(root, path)) {
        const known = importers.get(target) ?? new Set()
        importers.set(target, known.add(file))
      }
    }
  }
  return importers
}

/**
 * Test files that import the module, directly or through others: those named after it first, then those beside it, the nearest first.
 *
 * @param {Map<string, Set<string>>} importers
 * @param {string} module
 * @returns {{ file: string, distance: number }[]}
 */
export function testsOf(importers, module) {
  /** @type {{ file: string, distance: number }[]} */
  const found = []
  const seen = new Set([module])
  let ring = [module]
  for (let distance = 1; ring.length > 0; distance += 1) {
    ring = ring.flatMap((file) => [...(importers.get(file) ?? [])]).filter((file) => !seen.has(file) && seen.add(file))
    found.push(...ring.filter((file) => TEST.test(file)).map((file) => ({ file, distance })))
    ring = ring.filter((file) => !TEST.test(file))
  }
  const stem = module.replace(/(\.server)?\.tsx?$/, '')
  const closeness = (/** @type {{ file: string, distance: number }} */ { file, distance }) => {
    if (file.startsWith(`${stem}.`)) return 0
    if (file.startsWith(`${stem}-`) && distance === 1) return 1
    return dirname(file) === dirname(module) ? 2 : 3
  }
  return found.sort((a, b) => closeness(a) - closeness(b) || a.distance - b.distance || (a.file < b.file ? -1 : 1))
}

/** @param {string} root @param {string} path @returns {string[]} */
function importsOf(root, path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, false)
  /** @type {string[]} */
  const names = []
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly && ts.isStringLiteral(node.moduleSpecifier)) {
      names.push(node.moduleSpecifier.text)
    }
    if (
      ts.isExportDeclaration(node) &&
      !node.isTypeOnly &&
      node.moduleSpecifier &&
      ts.isStringLiteral(node.moduleSpecifier)
    ) {
      names.push(node.moduleSpecifier.text)
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [name] = node.arguments
      if (name && ts.isStringLiteral(name)) names.push(name.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names.flatMap((name) => {
    const target = ALIAS.test(name)
      ? join(root, ownPath(name))
      : name.startsWith('.')
        ? resolve(dirname(path), name)
        : null
    return target && existsSync(target) ? [nameOf(root, target)] : []
  })
}

/** `#app/x.ts` is `app/x.ts`, `#sandbox/x.ts` is `packages/sandbox/x.ts`. @param {string} name */
function ownPath(name) {
  return name.slice(1).replace(/^(lab|sandbox)\//, 'packages/$1/')
}

/** @param {string} root @param {string} path */
function nameOf(root, path) {
  return relative(root, path).split(sep).join('/')
}

/**
 * The text of a test as if the module it imports stood beside it under another name; null when it does not import it directly.
 *
 * @param {{ root: string, test: string, text: string, module: string, suffix: string }} input `test` and `module` from the root
 * @returns {string | null}
 */
export function importingCopy({ root, test, text, module, suffix }) {
  let found = false
  const copy = text.replace(/(\bfrom |\bimport\()'([^']+)'/g, (whole, before, name) => {
    if (!ALIAS.test(name) && !name.startsWith('.')) return whole
    const target = ALIAS.test(name) ? join(root, ownPath(name)) : resolve(root, dirname(test), name)
    if (nameOf(root, target) !== module) return whole
    found = true
    return `${before}'${withSuffix(name, suffix)}'`
  })
  return found ? copy : null
}

/** `app/x.server.ts` with `.m1` is `app/x.m1.server.ts`. @param {string} file @param {string} suffix */
export function withSuffix(file, suffix) {
  return file.replace(/([^/]*?)((?:\.server|\.test)?\.tsx?)$/, `$1${suffix}$2`)
}

// Which test files open a store, and so mean something else on another engine: those from which a chain of imports leads
// to a file that calls `testApp` or `walkDatabase`. Read from the sources, so that nobody keeps a list.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { ROOT } from './setup.mjs'

const OPENS = /\b(?:testApp|walkDatabase)\(/
/** What is imported as a value: a type opens nothing. */
const IMPORTS = /^(?:import|export)\s(?!type\b)(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm

/**
 * @param {'unit' | 'walk'} kind
 * @returns {string[]} from the root of the repository, sorted
 */
export function storeTests(kind) {
  const pattern = kind === 'walk' ? 'tests/walks/**/*.test.ts' : '{app,db,packages,tests/support}/**/*.test.ts'
  return globSync(pattern, { cwd: ROOT }).map(normalize).filter(opensStore).sort()
}

/** @type {Map<string, { opens: boolean, imports: string[] }>} */
const read = new Map()

/** @param {string} test */
function opensStore(test) {
  const seen = new Set([test])
  for (const file of seen) {
    const { opens, imports } = look(file)
    if (opens) return true
    for (const one of imports) seen.add(one)
  }
  return false
}

/** @param {string} file */
function look(file) {
  const before = read.get(file)
  if (before) return before
  const text = readFileSync(join(ROOT, file), 'utf8')
  const imports = [...text.matchAll(IMPORTS)].flatMap(([, name = '']) => resolved(name, file))
  const found = { opens: OPENS.test(text), imports }
  read.set(file, found)
  return found
}

/** @param {string} name @param {string} from @returns {string[]} nothing for a package */
function resolved(name, from) {
  if (name.startsWith('.')) return existing(join(dirname(from), name))
  const [, part = '', path = ''] = /^#(\w+)\/(.+)$/.exec(name) ?? []
  if (part === '') return []
  return existing(join(part === 'sandbox' || part === 'lab' ? join('packages', part) : part, path))
}

/** @param {string} file */
function existing(file) {
  return /\.(ts|tsx|mjs)$/.test(file) && existsSync(join(ROOT, file)) ? [normalize(file)] : []
}

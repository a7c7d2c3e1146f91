// Whoever reads that something is so finds the test that shows it: each sentence of the README, SECURITY.md and docs/security.md that
// claims something has a row in docs/claims.md, and each row of their tables names its tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const PAGES = ['docs/security.md', 'SECURITY.md', 'README.md'] as const
const CLAIMS = readFileSync('docs/claims.md', 'utf8')

interface Claim {
  words: string
  shownBy: string
}

/** The rows below the heading of a page. */
function rowsOf(page: string): Claim[] {
  const part = CLAIMS.split(`\n## ${page}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...part.matchAll(/^\| (.+?) \| (.+) \|$/gm)]
    .slice(1)
    .map(([, words = '', shownBy = '']) => ({ words, shownBy }))
}

const TEST_FILE = /`((?:app|db|packages|tests)\/[\w./-]+\.(?:test|spec)\.tsx?)`/g
const filesIn = (text: string) => [...text.matchAll(TEST_FILE)].map(([, file = '']) => file)
const titled = (cell: string) =>
  [...cell.matchAll(/`([^`]+)`: "(.+?)"(?= · `|$)/g)].map(([, file = '', title = '']) => ({ file, title }))

interface Said {
  words: string
  /** Of a table, what its header says of the last column; null = prose. */
  column: string | null
  /** Of a table, its whole header: `What · Where · Sealed with`. */
  table: string
}

/** Sentences, and rows of tables; code, headings and pictures say nothing. */
function saidOn(page: string): Said[] {
  const said: Said[] = []
  let header: string[] | null = null
  for (const line of readFileSync(page, 'utf8')
    .replace(/```[\s\S]*?```/g, '')
    .split('\n')) {
    if (line.startsWith('|')) {
      const cells = line.split('|').slice(1, -1)
      if (header === null) header = cells.map((cell) => cell.trim())
      else if (!/^[\s|:-]+$/.test(line))
        said.push({ words: line, column: header.at(-1) ?? '', table: header.join(' · ') })
      continue
    }
    header = null
    if (/^(#|!\[|\s*$)/.test(line)) continue
    const item = line.replace(/^\s*(-|\d+\.)\s+/, '')
    for (const words of item.split(/(?<=[.!?])\s+(?=[A-Z"`*“])/)) said.push({ words, column: null, table: '' })
  }
  return said
}

/** A number, or a word that leaves no exception. Names of versions, requirements, code and addresses are neither. */
function claims(words: string): boolean {
  const plain = words
    .replace(/`[^`]*`|\]\([^)]*\)|\*\*[^*]*\*\*|ServiceM8|\b(AES|SHA|HS)-?\d+|\bL3\b|\bV\d+\b|OAuth2|Git[Hh]ub/g, '')
    .replace(/\d+\.\d+\.\d+(–(\d+\.\d+\.)?\d+)?/g, '')
  return /\b(never|every|each|always|only|alone|nobody|nothing|none|cannot|all)\b|\d/i.test(plain)
}

/** What no test can show: what people promise, what others do, and what is explained rather than claimed. */
const NO_TEST = /^– .{10,}/

describe.each(PAGES)('%s', (page) => {
  const rows = rowsOf(page)

  test('each sentence that claims something has a row, with its test or the reason why there is none', () => {
    expect(rows.length).toBeGreaterThan(5)
    const prose = saidOn(page).filter(({ column, words }) => column === null && claims(words))
    const unbacked = prose.filter(
      ({ words }) =>
        filesIn(words).length === 0 &&
        !/^(Do not occur|So these do not occur|Not ours): /.test(words) &&
        !rows.some((row) => words.includes(row.words)),
    )
    expect(unbacked.map(({ words }) => words)).toEqual([])
  })

  test('each row stands in it word for word', () => {
    const text = readFileSync(page, 'utf8')
    const tables = new Set(saidOn(page).map(({ table }) => table))
    const lost = rows.filter(({ words }) => !text.includes(words) && !tables.has(words))
    expect(lost.map(({ words }) => words)).toEqual([])
  })

  test('each row of a table names its tests, or the table has a row', () => {
    const lines = saidOn(page).filter(({ column }) => column !== null)
    const bare = lines.filter(({ words, column, table }) => {
      const last = words.split('|').at(-2)?.trim() ?? ''
      if (column === 'Shown by' || column === 'Checked by')
        return filesIn(last).length === 0 && !/`npm run prove:\w+`/.test(last) && !/^– \(.+\)$/.test(last)
      return !rows.some((row) => row.words === table || words.includes(row.words))
    })
    expect(bare.map(({ words }) => words)).toEqual([])
  })

  test('a row of a table without a test claims nothing', () => {
    const without = saidOn(page).filter(({ words, column }) => column === 'Shown by' && /\| – \(.+\) \|$/.test(words))
    const claiming = without.filter(({ words }) => claims(words.split('|').slice(2, -2).join('|')))
    // What another document holds is compared with it there.
    expect(claiming.filter(({ words }) => !/\| – \((documents|this page|ServiceM8)\) \|$/.test(words))).toEqual([])
  })

  test('each test that is named exists, under its title, and is run by npm test', () => {
    const all = [...rows.map(({ shownBy }) => shownBy), ...saidOn(page).map(({ words }) => words)]
    const files = new Set(all.flatMap(filesIn))
    expect(files.size).toBeGreaterThan(5)
    expect([...files].filter((file) => !existsSync(file))).toEqual([])
    const source = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').replaceAll("\\'", "'") : '')
    const lost = rows
      .flatMap(({ shownBy }) => titled(shownBy))
      .filter(({ file, title }) => !["'", '"', '`'].some((quote) => source(file).includes(quote + title + quote)))
    expect(lost).toEqual([])
    const untitled = rows.filter(({ shownBy }) => titled(shownBy).length === 0 && !NO_TEST.test(shownBy))
    expect(untitled).toEqual([])
  })
})

describe('what does not occur', () => {
  const named = Object.keys(packageJson.dependencies)
  const sources = ['app', 'db', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file))
      .filter((file) => /\.(tsx?|m?js)$/.test(file) && !/\.test\.|sandbox/.test(file)),
  )
  const using = (what: RegExp) => sources.filter((file) => what.test(readFileSync(file, 'utf8')))

  test('no package reads LDAP, XPath, XML, LaTeX, GraphQL or SAML, keeps passwords, or opens WebSockets', () => {
    const odd =
      /ldap|xpath|xml|latex|graphql|saml|memcache|bcrypt|argon|passport|jsonwebtoken|^ws$|socket\.io|multer|busboy|pug|ejs/
    expect(named.filter((name) => odd.test(name))).toEqual([])
  })

  test('no code of ours sends or takes messages between windows, opens a WebSocket, or makes keys of passwords', () => {
    const found = using(/\.postMessage\(|addEventListener\('message'|new WebSocket\(|\b(pbkdf2|scrypt|argon2)(Sync)?\(/)
    // Threads of the process, no windows.
    expect(found.filter((file) => !/^(scripts\/watchdog|app\/engine\/work-)/.test(file))).toEqual([])
  })

  test('what is encrypted, hashed and signed is done by Node, jose and age alone', () => {
    const others = named.filter((name) => /crypt|cipher|nacl|sodium|forge|elliptic|noble|jwt|hash/i.test(name))
    expect(others).toEqual(['age-encryption'])
    expect(named).toContain('jose')
  })
})

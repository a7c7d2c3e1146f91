// Every command that a document, a workflow or the image names exists; what GitHub and Docker read can be read.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { releaseNotes } from '../../scripts/release-notes.mjs'
import { slimPackages } from '../../scripts/slim-packages.mjs'
import { plantTree } from './planted-tree.ts'

const require = createRequire(import.meta.url)
// The reader that a package of ours brings along: no package of our own for one test.
const { parse } = createRequire(require.resolve('@seriousme/openapi-schema-validator'))('yaml') as {
  parse(text: string): unknown
}

const filesIn = (folder: string, ends: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ends))
    .map((name) => join(folder, name))

const DOCUMENTS = [...readdirSync('.').filter((name) => name.endsWith('.md')), ...filesIn('docs', '.md')]
const WORKFLOWS = filesIn('.github/workflows', '.yml')
const DEPLOYED = ['fly.toml', 'fly.cluster.toml', 'compose.yml', 'compose.cluster.yml']
const OTHERS = ['.env.example', 'Dockerfile', ...DEPLOYED, '.ci/run', '.github/dependabot.yml']
const SCRIPTS: Record<string, string> = packageJson.scripts

/** `file: command` for everything that `find` names and that is not there. */
function missing(files: string[], find: RegExp, isThere: (name: string) => boolean): string[] {
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(find)]
      .map(([, name]) => name ?? '')
      .filter((name) => !isThere(name))
      .map((name) => `${file}: ${name}`),
  )
}

describe('every command in every document exists', () => {
  const all = [...DOCUMENTS, ...WORKFLOWS, ...OTHERS]

  test('npm run …', () => {
    expect(missing(all, /\bnpm run (?:--silent |-s )?([a-z][\w:-]*)/g, (name) => name in SCRIPTS)).toEqual([])
  })

  test('node scripts/…, and what is run by it', () => {
    expect(missing(all, /\bnode (?:--[\w=-]+ )*(scripts\/[\w./-]+\.m?js)/g, existsSync)).toEqual([])
    expect(missing(all, /run-ts\.mjs ([\w./-]+\.ts)/g, existsSync)).toEqual([])
  })

  test('the files behind the commands of package.json', () => {
    const files = Object.values(SCRIPTS).flatMap((command) => command.match(/scripts\/[\w./-]+/g) ?? [])
    expect(files.filter((file) => !existsSync(file))).toEqual([])
  })

  test('what the nightly workflow runs', () => {
    const { jobs } = parse(readFileSync('.github/workflows/nightly.yml', 'utf8')) as {
      jobs: { prove: { strategy: { matrix: { command: string[] } } } }
    }
    const { command } = jobs.prove.strategy.matrix
    expect(command.filter((name) => !(name in SCRIPTS))).toEqual([])
    // A proof that nobody runs is none: each of them, apart from the one that runs all of them to write the page.
    const proofs = Object.keys(SCRIPTS).filter((name) => name.startsWith('prove:'))
    expect(proofs.filter((name) => !command.includes(name))).toEqual([])
  })
})

test('every variable that is read is explained in .env.example, and no other', () => {
  const source =
    readFileSync('app/boot/env.server.ts', 'utf8').split('const variables = z.object({')[1]?.split('\n})')[0] ?? ''
  const read = [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name)
  const explained = [...readFileSync('.env.example', 'utf8').matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(
    ([, name]) => name,
  )
  expect(read.length).toBeGreaterThan(30)
  expect([...new Set(explained)].sort()).toEqual(read.filter((name) => !name?.startsWith('NODE_ENV')).sort())
})

test('every link from one document to a file of the project leads somewhere', () => {
  const broken = DOCUMENTS.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !existsSync(join(dirname(file), target)))
      .map((target) => `${file}: ${target}`),
  )
  expect(broken).toEqual([])
})

test('every section of the operating guide that a sentence of the product names is there', () => {
  const headings = [...readFileSync('docs/operating.md', 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading)
  const sources = [...filesIn('app', '.ts'), ...filesIn('db', '.ts')].filter((file) => !file.includes('.test.'))
  const named = [...sources, ...DEPLOYED, ...WORKFLOWS].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/operating\.md, (?:"([^"]+)"|section (\d+))/g)].map(
      ([, heading, number]) => ({ file, heading, number }),
    ),
  )
  expect(named.length).toBeGreaterThan(8)
  const lost = named.filter(({ heading, number }) =>
    number ? !headings.some((one) => one?.startsWith(`${number}. `)) : !headings.includes(heading),
  )
  expect(lost).toEqual([])
})

/** The text of one runbook of the operating guide. */
const runbook = (heading: string) =>
  readFileSync('docs/operating.md', 'utf8').split(`\n### ${heading}\n`)[1]?.split('\n#')[0]

test('who changed a setting is told to apply it: a restart keeps the old ones with Docker', () => {
  const told = [...DOCUMENTS, ...filesIn('app', '.ts'), ...filesIn('app', '.tsx')].filter((file) =>
    /(?:^|\. |\d\. )Restart\.|\band restart\./m.test(readFileSync(file, 'utf8')),
  )
  expect(told).toEqual([])
  expect(readFileSync('docs/payments.md', 'utf8')).toContain('6. Apply it ([operating, section 8]')
})

test('a full disk is told by signs that it has: readiness may stay green', () => {
  const text = runbook('The disk is full') ?? ''
  expect(text).not.toContain('`/readyz` red')
  expect(text).toContain('`disk.full`')
  expect(readFileSync('db/sqlite/full-disk.server.ts', 'utf8')).toContain("'disk.full'")
  const refused = '`fieldhook_ingress_total{status="5xx"}`'
  expect(text).toContain(refused)
  expect(readFileSync('docs/operating.md', 'utf8')).toContain(`| ${refused} | it grows`)
})

test('the old log is out of the way before a recovered file takes the name', () => {
  const text = runbook('The file is damaged') ?? ''
  const moved = text.indexOf('move `fieldhook.db`, `fieldhook.db-wal` and `fieldhook.db-shm` out of the folder')
  expect(moved).toBeGreaterThan(0)
  expect(text.indexOf('put `recovered.db` in place')).toBeGreaterThan(moved)
})

describe('the workflows', () => {
  test.each(WORKFLOWS)('%s can be read; it has few rights, an end, and no action that can change under it', (file) => {
    const text = readFileSync(file, 'utf8')
    const workflow = parse(text) as {
      permissions?: Record<string, string>
      jobs: Record<string, { 'timeout-minutes'?: number; uses?: string; steps?: { uses?: string; run?: string }[] }>
    }
    expect(workflow.permissions).toEqual({ contents: 'read' })
    for (const [name, job] of Object.entries(workflow.jobs)) {
      if (job.uses) expect(existsSync(job.uses)).toBe(true)
      else expect([name, typeof job['timeout-minutes']]).toEqual([name, 'number'])
      for (const { uses, run } of job.steps ?? []) {
        if (uses) expect(uses).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40}$/)
        // What a branch or title is called must not become part of a command.
        if (run) expect(run).not.toMatch(/\$\{\{/)
      }
    }
    for (const line of text.match(/uses: .*@.*/g) ?? []) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('what else is written in YAML can be read', () => {
    for (const file of ['.github/dependabot.yml', 'compose.yml', 'compose.cluster.yml'])
      expect(typeof parse(readFileSync(file, 'utf8'))).toBe('object')
  })
})

describe('the image', () => {
  const ignored = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('scripts/'))
    .map((line) => new RegExp(`^${line.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`))
  const isLeftOut = (file: string) => ignored.some((pattern) => pattern.test(file))

  /** The script with everything of `scripts/` that it loads. */
  function closure(file: string, seen = new Set<string>()): Set<string> {
    if (seen.has(file) || !existsSync(file)) return seen
    seen.add(file)
    const loaded = readFileSync(file, 'utf8').matchAll(/(?:from|import\(|import|URL\()\s*'(\.\/[\w.-]+\.m?js)'/g)
    for (const [, name] of loaded) closure(join(dirname(file), name ?? ''), seen)
    return seen
  }

  test('holds everything that an operator calls in it, and what that loads', () => {
    const called = [...DOCUMENTS, 'Dockerfile'].flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /node (?:--[\w=-]+ )*(scripts\/(?!run-ts|schema|release-notes)[\w.-]+\.m?js)/g,
        ),
      ].map(([, name]) => name ?? ''),
    )
    const needed = new Set(['scripts/serve-main.mjs', 'scripts/doctor.mjs', 'scripts/build.mjs', ...called])
    const absent = [...needed].flatMap((file) => [...closure(file)]).filter(isLeftOut)
    expect(absent).toEqual([])
    expect(readdirSync('scripts').filter((name) => isLeftOut(`scripts/${name}`)).length).toBeGreaterThan(15)
  })

  test('keeps of packages what is read, and their licences', () => {
    const inPackage = (name: string, ...files: string[]) => files.map((file) => [`node_modules/${name}/${file}`, 'x'])
    const tree = plantTree(
      Object.fromEntries([
        ...inPackage(
          'better-sqlite3',
          'deps/sqlite3.c',
          'src/a.cpp',
          `prebuilds/${process.platform}-${process.arch}.node`,
          'prebuilds/plan9-mips.node',
          'lib/index.js',
        ),
        ...inPackage('zod', 'index.d.ts', 'index.js.map', 'README.md', 'LICENSE.md', 'test/a.js', 'docs/a.html'),
        ...inPackage('zod', 'lib/test/used.js', 'lib/docs.js'),
      ]),
    )
    try {
      slimPackages(join(tree.root, 'node_modules'))
      const left = (name: string) =>
        filesIn(join(tree.root, 'node_modules', name), '')
          .filter((file) => statSync(file).isFile())
          .map((file) => relative(join(tree.root, 'node_modules', name), file))
          .sort()
      expect(left('better-sqlite3')).toEqual([
        'index.js',
        'lib/index.js',
        'package.json',
        `prebuilds/${process.platform}-${process.arch}.node`,
      ])
      expect(left('zod')).toEqual(['LICENSE.md', 'index.js', 'lib/docs.js', 'lib/test/used.js', 'package.json'])
    } finally {
      tree.remove()
    }
  })

  test('is not made of what must never get into it', () => {
    const lines = readFileSync('.dockerignore', 'utf8').split('\n')
    for (const name of ['.env', '.env.*', '.git', 'data', 'node_modules', '**/*.db']) expect(lines).toContain(name)
  })
})

describe('the notes of a release', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- Later.\n\n## 1.2.0, 2026-12-01\n\n- Faster.\n- Kinder.\n\n## 1.1.0\n\n'

  test('are the section of its version', () => {
    expect(releaseNotes({ tag: 'v1.2.0', version: '1.2.0', changelog })).toEqual({
      outcome: 'notes',
      text: '- Faster.\n- Kinder.\n',
    })
  })

  test.each([
    ['1.2.0', '1.2.0', 'A tag is such as v1.2.0'],
    ['v1.2.0', '1.3.0', 'package.json says 1.3.0'],
    ['v1.3.0', '1.3.0', 'has no section "## 1.3.0"'],
    ['v1.1.0', '1.1.0', 'is empty'],
  ])('tag %s, version %s: refused', (tag, version, sentence) => {
    expect(releaseNotes({ tag, version, changelog })).toEqual({
      outcome: 'refused',
      sentence: expect.stringContaining(sentence),
    })
  })
})

// The Node that ships is the one that the tests and proofs run on, and every command can bring it.
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { isSupported } from '../../scripts/node-version.mjs'
import { ownNode, PINS } from '../../scripts/own-node.mjs'

const shipped = readFileSync('.nvmrc', 'utf8').trim()

test('the image, the workflows and what older Nodes are given name one version', () => {
  const images = [...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM node:([\d.]+)-/gm)].map(
    ([, version]) => version,
  )
  expect(images).toEqual([shipped, shipped])
  expect(PINS['linux-x64']?.version).toBe(shipped)
  expect(PINS['linux-arm64']?.version).toBe(shipped)
  for (const file of readdirSync('.github/workflows')) {
    const text = readFileSync(join('.github/workflows', file), 'utf8')
    const named = [...text.matchAll(/node-version(-file)?: (.*)/g)].map(([, , value]) => value)
    expect(named.every((value) => value === '.nvmrc' || value?.includes('matrix.node'))).toBe(true)
  }
  expect(readFileSync('.github/workflows/ci.yml', 'utf8')).toContain(`'${shipped}']`)
})

test('every pinned Node is exact, carries its hash, and runs Fieldhook', () => {
  for (const { version, integrity } of Object.values(PINS)) {
    expect(isSupported(`v${version}`)).toBe(true)
    expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/)
  }
  expect(packageJson.engines.node).toBe('>=22.14.0')
  expect(isSupported('v22.14.0')).toBe(true)
})

test('every command asks for a Node that can run it before it does anything', () => {
  const mains = new Set(Object.values(packageJson.scripts).flatMap((line) => line.match(/scripts\/[\w-]+\.mjs/g) ?? []))
  const importsOf = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^import (?:.* from )?'(\.\/[\w-]+\.mjs)'/gm)].map(([, path]) => path)
  const asks = (file: string): boolean => {
    const [first] = importsOf(file)
    return first === './node-version.mjs' || (first !== undefined && asks(join('scripts', first)))
  }
  expect([...mains].filter((file) => !asks(file))).toEqual([])
})

test('NODE_OWN=1 forbids to bring one', async () => {
  await expect(ownNode(() => {}, { env: { NODE_OWN: '1' } })).rejects.toThrow(
    /Fieldhook needs Node\.js 22\.14.*\nNODE_OWN=1 forbids/,
  )
})

test('where none can be brought the sentence says what to install', async () => {
  await expect(ownNode(() => {}, { env: {}, system: 'sunos-sparc' })).rejects.toThrow(/install Node\.js 24/)
})

test('every command brings the packages it needs: a fresh clone has none', () => {
  const scripts = Object.values(packageJson.scripts).flatMap((line) => line.match(/scripts\/[\w-]+\.mjs/) ?? [])
  const bare = scripts.filter((file) => {
    const text = readFileSync(file, 'utf8')
    return text.includes("'./run-ts.mjs'") && !text.includes("'./setup.mjs'")
  })
  expect(bare).toEqual([])
})

test.each(['scripts/mutate.mjs', 'scripts/prove-growth.mjs'])(
  'a wrong option of %s is one sentence, no stack',
  (script) => {
    const { status, stderr } = spawnSync(process.execPath, [script, '--nonsense'], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, `Unknown option '--nonsense'. The options stand at the top of ${script}.\n`])
  },
)

test('where nothing can be written the sentence says so', async () => {
  vi.stubEnv('XDG_CACHE_HOME', import.meta.filename)
  await expect(ownNode(() => {}, { env: {} })).rejects.toThrow(
    /^Nothing can be written in .*one-node\.test\.ts\/fieldhook \(ENOTDIR\)/,
  )
  vi.unstubAllEnvs()
})

test('nothing else in the project needs a compiler', () => {
  const files = execFileSync('git', ['ls-files', 'scripts', 'Dockerfile', 'README.md', 'docs/operating.md'], {
    encoding: 'utf8',
  })
  for (const file of files.trim().split('\n')) {
    expect(readFileSync(file, 'utf8')).not.toMatch(/npm rebuild better-sqlite3|apt-get install[^\n]*g\+\+/)
  }
})

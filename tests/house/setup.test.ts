import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isSupported } from '../../scripts/node-version.mjs'
import { packagesMatch } from '../../scripts/packages.mjs'
import { setUp, sourcesOf } from '../../scripts/setup.mjs'

test.each([
  ['v18.20.4', false],
  ['v20.20.2', false],
  ['v21.7.3', false],
  ['v22.13.1', false],
  ['v22.14.0', true],
  ['v23.11.1', false],
  ['v24.0.0', true],
  ['v26.1.0', true],
])('Node %s is supported: %s', (version, supported) => {
  expect(isSupported(version)).toBe(supported)
})

const machine = { platform: 'linux', arch: 'x64' }
const wanted = {
  packages: {
    '': { version: '0.1.0' },
    'node_modules/zod': { version: '4.6.7' },
    'node_modules/@esbuild/linux-x64': { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'] },
    'node_modules/@esbuild/darwin-arm64': { version: '1.0.0', optional: true, os: ['darwin'], cpu: ['arm64'] },
    'node_modules/@rollup/linux-x64-musl': {
      version: '1.0.0',
      optional: true,
      os: ['linux'],
      cpu: ['x64'],
      libc: ['musl'],
    },
  },
}
const complete = {
  packages: { 'node_modules/zod': { version: '4.6.7' }, 'node_modules/@esbuild/linux-x64': { version: '1.0.0' } },
}

test('packages installed by hand count when they are the ones in the lockfile', () => {
  expect(packagesMatch(wanted, complete, machine)).toBe(true)
})

test.each([
  ['one is missing', { 'node_modules/@esbuild/linux-x64': { version: '1.0.0' } }],
  ['one has another version', { ...complete.packages, 'node_modules/zod': { version: '4.6.6' } }],
  ["this system's binary is missing", { 'node_modules/zod': { version: '4.6.7' } }],
])('packages installed by hand do not count when %s', (_, packages) => {
  expect(packagesMatch(wanted, { packages }, machine)).toBe(false)
})

let root: string
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fieldhook-sources-'))
  put('app/root.tsx', 'root')
  put('vite.config.ts', 'vite')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test.each([
  ['a source file changes', 'app/root.tsx', 'other'],
  ['a source file is added', 'app/new.ts', ''],
  ['a migration is added', 'db/migrations/0001.sql', ''],
  ['an icon is added', 'public/favicon.svg', ''],
  ['the configuration changes', 'vite.config.ts', 'other'],
])('the build is stale when %s', (_, path, text) => {
  const before = sourcesOf(root)
  put(path, text)
  expect(sourcesOf(root)).not.toBe(before)
})

test.each([
  ['a test changes', 'app/root.test.tsx'],
  ['a page of the documentation changes', 'docs/guide.md'],
  ['the database file grows', 'data/fieldhook.db'],
])('the build is not stale when %s', (_, path) => {
  const before = sourcesOf(root)
  put(path, 'new')
  expect(sourcesOf(root)).toBe(before)
})

// Nobody can make a file in /sys, root included.
test.skipIf(process.platform !== 'linux')(
  'where this user may not write, a command goes on with what was built; without that, one sentence says so',
  async () => {
    put('package-lock.json', '{}')
    put('build/operations.js', '')
    symlinkSync('/sys', join(root, '.cache'))
    const here = process.cwd()
    const said: string[] = []
    const options = { build: true, root, say: (line: string) => said.push(line) }
    try {
      await setUp({ ...options, enough: join(root, 'build/operations.js') })
      expect(said).toEqual([expect.stringMatching(/^Nothing can be written in .* \(E\w+\): going on with what was/)])
      await expect(setUp({ ...options, enough: join(root, 'build/none.js') })).rejects.toThrow(
        /^Nothing can be written in .* \(E\w+\): run this as the user that owns it\.$/,
      )
    } finally {
      process.chdir(here)
    }
  },
)

// What docs/security.md says about packages and tests is so.
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

interface Locked {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  inBundle?: boolean
  dev?: boolean
  hasInstallScript?: boolean
}

const page = readFileSync('docs/security.md', 'utf8')
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> }
const locked = Object.entries(packages).filter(([path]) => path !== '')

test('every version is exact', () => {
  const versions = Object.values({
    ...packageJson.dependencies,
    ...packageJson.devDependencies,
    ...packageJson.overrides,
  })
  for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
})

test('every locked package comes from a registry and carries its hash', () => {
  // A package that comes inside of another is covered by the hash around it.
  const own = locked.filter(([, { inBundle }]) => !inBundle)
  const odd = own.filter(
    ([, { integrity, resolved, link }]) => link || resolved !== undefined || !integrity?.startsWith('sha512-'),
  )
  expect(odd).toEqual([])
})

test('of what runs in production no package has a script at install, and none would run', () => {
  const scripted = locked.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev).map(([path]) => path)
  expect(scripted).toEqual([])
  expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m)
  expect(readFileSync('Dockerfile', 'utf8')).toContain('RUN npm ci --ignore-scripts\n')
})

test('every package that runs in production is reviewed on the page', () => {
  for (const name of Object.keys(packageJson.dependencies)) expect(page).toContain(`\`${name}\``)
})

test('every file that the page names exists', () => {
  const named = [...page.matchAll(/`((?:app|db|tests|scripts|docs)\/[\w./-]+\.(?:tsx?|mjs|js|md))`/g)].map(
    ([, file]) => file,
  )
  expect(named.length).toBeGreaterThan(100)
  expect([...new Set(named)].filter((file) => !existsSync(file ?? ''))).toEqual([])
})

test('every test command that the pages name exists', () => {
  const both = page + readFileSync('SECURITY.md', 'utf8')
  const commands = [...both.matchAll(/`npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name ?? '')
  expect(commands.filter((name) => !(name in packageJson.scripts))).toEqual([])
})

// What docs/security.md says about packages and tests is so.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import builderJson from '../../packages/builder/package.json' with { type: 'json' }

interface Locked {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  inBundle?: boolean
  dev?: boolean
  hasInstallScript?: boolean
  optional?: boolean
  engines?: { node?: string }
}

/** It has no types of its own. */
const { satisfies } = createRequire(import.meta.url)('semver') as { satisfies(version: string, range: string): boolean }

const page = readFileSync('docs/security.md', 'utf8')
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> }
const OURS = ['', 'packages/builder', 'node_modules/fieldhook-builder']
const locked = Object.entries(packages).filter(([path]) => !OURS.includes(path))

test('every version is exact', () => {
  const versions = Object.values({
    ...packageJson.dependencies,
    ...packageJson.devDependencies,
    ...builderJson.dependencies,
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

test('every package works on the oldest Node that is promised', () => {
  const oldest = packageJson.engines.node.replace('>=', '')
  expect(oldest).toMatch(/^\d+\.\d+\.\d+$/)
  // npm leaves out an optional package that wants another one.
  const tooNew = locked.filter(
    ([, { engines, optional }]) => !optional && engines?.node && !satisfies(oldest, engines.node),
  )
  expect(tooNew.map(([path, { engines }]) => `${path} wants ${engines?.node}`)).toEqual([])
})

test('of what runs in production no package has a script at install, and none would run', () => {
  const shipped = JSON.parse(execFileSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8' })) as {
    components: { purl: string }[]
  }
  const names = shipped.components.map(({ purl }) => decodeURIComponent(purl.replace('pkg:npm/', '')))
  expect(names).toContain(`better-sqlite3@${packageJson.dependencies['better-sqlite3']}`)
  expect(names.filter((name) => name.startsWith('vite@'))).toEqual([])
  const scripted = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
  expect(scripted.length).toBeGreaterThan(0)
  expect(scripted.filter((name) => names.includes(name))).toEqual([])
  expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m)
  expect(readFileSync('Dockerfile', 'utf8')).toContain('RUN npm ci --omit=dev --ignore-scripts\n')
})

test('every package that runs in production is reviewed on the page', () => {
  for (const name of Object.keys(packageJson.dependencies)) expect(page).toContain(`\`${name}\``)
})

test('every file that the page names exists', () => {
  const named = [...page.matchAll(/`((?:app|db|packages|tests|scripts|docs)\/[\w./-]+\.(?:tsx?|mjs|js|md))`/g)].map(
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

test('every image is named by its digest', () => {
  const images = [
    ...readFileSync('Dockerfile', 'utf8').matchAll(/^(?:FROM |# *syntax=)(\S+)/gm),
    ...['compose.yml', 'compose.cluster.yml'].flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/^ {4}image: (?!\$)(\S+)/gm),
    ]),
  ].map(([, name]) => name)
  // Node twice, Caddy twice, PostgreSQL.
  expect(images).toHaveLength(5)
  expect(images.filter((name) => !/:[\w.-]+@sha256:[0-9a-f]{64}$/.test(name ?? ''))).toEqual([])
})

test('a release asks for known weaknesses and signatures, and signs what it publishes', () => {
  const release = readFileSync('.github/workflows/release.yml', 'utf8')
  for (const step of ['npm audit --omit=dev', 'npm audit signatures', 'attest-build-provenance@', 'sbom: true'])
    expect(release).toContain(step)
  expect(release).toMatch(/needs: \[test, supply\]/)
})

test('every change is looked through by CodeQL, and the image by a scanner', () => {
  const codeql = readFileSync('.github/workflows/codeql.yml', 'utf8')
  expect(codeql).toMatch(/^on:\n {2}push:\n {4}branches: \[main\]\n {2}pull_request:$/m)
  expect(codeql).toContain('languages: javascript-typescript')
  const ci = readFileSync('.github/workflows/ci.yml', 'utf8')
  expect(ci).toMatch(/uses: anchore\/scan-action@\S+.*\n {8}with:\n {10}image: fieldhook\n {10}severity-cutoff: high/)
  expect(readFileSync('.github/workflows/release.yml', 'utf8')).toContain('npm run --silent sbom > fieldhook.cdx.json')
})

test('the trees near the end of their line are the ones that are used', () => {
  const all: Record<string, string> = { ...packageJson.dependencies, ...builderJson.dependencies }
  for (const [name, major, words] of [
    ['@remix-run/node', 2, '**Remix 2**'],
    ['react', 18, '**React 18**'],
    ['express', 4, '**Express 4**'],
    ['vite', 6, '**Vite 6**'],
  ] as const) {
    expect([name, Number(all[name]?.split('.')[0])]).toEqual([name, major])
    expect(page).toContain(words)
  }
  expect(packageJson.devDependencies).toHaveProperty('drizzle-kit')
  expect(packageJson.dependencies).not.toHaveProperty('vite')
})

test('both containers run with a read-only system, without capabilities they do not need, and without root in ours', () => {
  const services = readFileSync('compose.yml', 'utf8').split(/^ {2}(?=\w+:$)/m)
  for (const name of ['fieldhook:', 'caddy:']) {
    const service = services.find((text) => text.startsWith(name)) ?? ''
    for (const line of ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']", 'mem_limit:'])
      expect(service).toContain(line)
  }
  expect(readFileSync('Dockerfile', 'utf8')).toMatch(/^USER node$/m)
})

// A command that is asked for help explains itself instead of beginning.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const BEGINS_BY_ITSELF = [
  'build',
  'check',
  'dev',
  'docs-api',
  'keys',
  'own-postgres',
  'picture',
  'start',
  'start-cluster',
]
const HAS_OPTIONS = [
  'backup',
  'doctor',
  'drill',
  'migrate',
  'move',
  'owner',
  'release',
  'restore',
  'screens',
  'stripe-setup',
]

function run(name: string, option: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`scripts/${name}.mjs`, option], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  return { status, said: `${stdout}${stderr}` }
}

test.each([...BEGINS_BY_ITSELF, ...HAS_OPTIONS])('%s --help says what it does', (name) => {
  const { status, said } = run(name, '--help')
  expect(said).toMatch(/^`?npm (run [\w:]+|start)( \[?-- .*)?`?: \w/)
  expect(status).toBe(0)
})

test.each(BEGINS_BY_ITSELF)('%s refuses an option it does not have', (name) => {
  const { status, said } = run(name, '--prot=80')
  expect(said).toBe('Unknown: --prot=80. There are no options; --help says what the command does.\n')
  expect(status).toBe(2)
})

test.each([
  ['doctor', '--full and --json'],
  ['stripe-setup', '--overage'],
])('%s refuses an option it does not have, and names those it has', (name, known) => {
  const { status, said } = run(name, '--overag')
  expect(said).toBe(`Unknown: --overag. What there is: ${known}; --help says what the command does.\n`)
  expect(status).toBe(2)
})
